//! Checks and conversion of single elements, and parts of messages.

use std::collections::HashSet;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use urdf_rs::JointType;

use crate::{Inertial, Joint, JointDynamics, JointKind, JointLimits, Mimic};

/// Largest coordinate of an origin in its parent's frame, or of a mesh, m: no link of an arm is as
/// long.
pub(super) const FURTHEST_M: f64 = 10.0;
/// Magnitude up to which a negative moment of inertia of a fixed link counts as rounded, kg m²:
/// about that of a ball of 10 g with a radius of 1.5 cm.
const ROUNDING_KG_M2: f64 = 1e-6;

/// Largest range of a revolute joint, rad: no joint of an arm turns further.
const MAX_TURN_RAD: f64 = 8.0 * std::f64::consts::TAU;

pub(super) fn no_urdf(why: impl std::fmt::Display) -> String {
    format!("this is not a valid URDF: {why}")
}

/// Joins names for a message.
pub(super) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>, between: &str) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(between)
}

pub(super) fn check_unique<'a>(
    element: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{element} `{name}` is defined more than once"));
        }
    }
    Ok(())
}

/// A URDF origin as a transform: rotations about the fixed x, y and z axes, in this order. Rejects
/// numbers that are not finite, and lengths that cannot be metres.
pub(super) fn pose(element: &str, origin: &urdf_rs::Pose) -> Result<Isometry3<f64>, String> {
    let (xyz, [roll, pitch, yaw]) = (*origin.xyz, *origin.rpy);
    if !xyz.iter().chain(&*origin.rpy).all(|x| x.is_finite()) {
        let rpy = *origin.rpy;
        return Err(format!(
            "{element} has the non-finite origin xyz {xyz:?} rpy {rpy:?}"
        ));
    }
    if xyz.iter().any(|m| m.abs() > FURTHEST_M) {
        return Err(format!(
            "{element} has its origin at xyz {xyz:?}, more than {FURTHEST_M} m away; lengths are in \
             metres: are these millimetres?"
        ));
    }
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    Ok(Isometry3::from_parts(Translation3::from(xyz), rotation))
}

/// The mass properties of a link, if it has any. `urdf-rs` gives a link without `<inertial>` zeros,
/// and exporters write zeros for links that are only frames: both mean "none". A link that is fixed
/// to another (`is_fixed`) adds to its inertia, so its own may be rounded to zero or slightly
/// below, which counts as zero.
pub(super) fn inertial(link: &urdf_rs::Link, is_fixed: bool) -> Result<Option<Inertial>, String> {
    let (name, mass_kg, i) = (&link.name, link.inertial.mass.value, &link.inertial.inertia);
    let mut inertia = nalgebra::matrix![
        i.ixx, i.ixy, i.ixz;
        i.ixy, i.iyy, i.iyz;
        i.ixz, i.iyz, i.izz
    ];
    if mass_kg == 0.0 && inertia.iter().all(|x| *x == 0.0) {
        return Ok(None);
    }
    let place = format!("the inertial of link `{name}`");
    let link_from_com = pose(&place, &link.inertial.origin)?;
    if !(mass_kg.is_finite() && mass_kg > 0.0) {
        return Err(format!(
            "link `{name}` has a mass of {mass_kg} kg, which must be finite and positive"
        ));
    }
    let moments: [f64; 3] = match inertia.iter().all(|x| x.is_finite()) {
        true => inertia.symmetric_eigenvalues().into(),
        false => [f64::NAN; 3],
    };
    let are_above = |least: f64| moments.iter().all(|&m| m.is_finite() && m > least);
    let is_positive = are_above(0.0);
    if is_fixed && !is_positive && are_above(-ROUNDING_KG_M2) {
        let mut axes = inertia.symmetric_eigen();
        axes.eigenvalues.apply(|moment| *moment = moment.max(0.0));
        inertia = axes.recompose();
    } else if !is_positive {
        let [a, b, c] = moments;
        return Err(format!(
            "link `{name}` has an inertia that is not positive definite (principal moments \
             {a:.2e}, {b:.2e}, {c:.2e} kg m²); if it is unknown, use that of a ball, 0.4 m r² about \
             each axis"
        ));
    }
    Ok(Some(Inertial {
        mass_kg,
        link_from_com,
        inertia,
    }))
}

/// A joint without the indices of its links and of its source.
pub(super) fn joint(urdf: &urdf_rs::Joint) -> Result<Joint, String> {
    let name = &urdf.name;
    let kind = kind_of(urdf)?;
    let mut parent_from_joint = pose(&format!("joint `{name}`"), &urdf.origin)?;
    parent_from_joint.rotation =
        UnitQuaternion::new_normalize(parent_from_joint.rotation.into_inner());
    let dynamics = urdf.dynamics.as_ref();
    let mut joint = Joint {
        name: name.clone(),
        kind,
        parent_link_idx: 0,
        child_link_idx: 0,
        parent_from_joint,
        axis: Vector3::x_axis(),
        limits: JointLimits::default(),
        mimic: None,
        dynamics: dynamics.map_or_else(JointDynamics::default, |d| JointDynamics {
            damping: d.damping,
            friction: d.friction,
        }),
    };
    if !kind.is_movable() {
        return Ok(joint);
    }
    let axis = *urdf.axis.xyz;
    let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 1e-9) {
        return Err(format!(
            "joint `{name}` has the axis {axis:?}, which has no direction"
        ));
    }
    joint.axis = Unit::new_normalize(Vector3::from(axis));
    joint.limits = limits(urdf, kind)?;
    checked(urdf, "damping", joint.dynamics.damping, false)?;
    checked(urdf, "friction", joint.dynamics.friction, false)?;
    if let Some(mimic) = &urdf.mimic {
        let multiplier = mimic.multiplier.unwrap_or(1.0);
        joint.mimic = Some(Mimic {
            source_joint_idx: 0,
            multiplier: checked(urdf, "mimic multiplier", multiplier, true)?,
            offset: checked(urdf, "mimic offset", mimic.offset.unwrap_or(0.0), true)?,
        });
    }
    Ok(joint)
}

fn kind_of(joint: &urdf_rs::Joint) -> Result<JointKind, String> {
    let unsupported = match joint.joint_type {
        JointType::Revolute => return Ok(JointKind::Revolute),
        JointType::Continuous => return Ok(JointKind::Continuous),
        JointType::Prismatic => return Ok(JointKind::Prismatic),
        JointType::Fixed => return Ok(JointKind::Fixed),
        JointType::Floating => "floating",
        JointType::Planar => "planar",
        JointType::Spherical => "spherical",
    };
    Err(format!(
        "joint `{}` has the type {unsupported}, which is not supported (supported: revolute, \
         continuous, prismatic, fixed)",
        joint.name
    ))
}

fn limits(joint: &urdf_rs::Joint, kind: JointKind) -> Result<JointLimits, String> {
    let (name, limit) = (&joint.name, &joint.limit);
    let velocity = checked(joint, "velocity limit", limit.velocity, false)?;
    let effort = checked(joint, "effort limit", limit.effort, false)?;
    let [lower, upper] = match kind {
        JointKind::Continuous => [f64::NEG_INFINITY, f64::INFINITY],
        _ => [
            checked(joint, "lower limit", limit.lower, true)?,
            checked(joint, "upper limit", limit.upper, true)?,
        ],
    };
    if [lower, upper, velocity, effort] == [0.0; 4] {
        return Err(format!(
            "joint `{name}` has no <limit>, or only zeros there, but its type needs limits"
        ));
    }
    if lower > upper {
        return Err(format!(
            "joint `{name}` has a lower limit of {lower} above its upper limit of {upper}"
        ));
    }
    if kind == JointKind::Revolute && upper - lower > MAX_TURN_RAD {
        return Err(format!(
            "joint `{name}` has limits from {lower} to {upper} rad, more than eight turns; angles are \
             in radians: are these degrees?"
        ));
    }
    Ok(JointLimits {
        lower,
        upper,
        velocity,
        effort,
    })
}

/// Returns a number of a joint if it is finite and, unless it may be negative, not negative.
fn checked(
    joint: &urdf_rs::Joint,
    quantity: &str,
    value: f64,
    may_be_negative: bool,
) -> Result<f64, String> {
    if value.is_finite() && (may_be_negative || value >= 0.0) {
        return Ok(value);
    }
    let more = ["", " and not negative"][usize::from(!may_be_negative)];
    let article = if quantity.starts_with('e') { "an" } else { "a" };
    Err(format!(
        "joint `{}` has {article} {quantity} of {value}, which must be finite{more}",
        joint.name
    ))
}
