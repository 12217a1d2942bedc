//! Checks of single elements: names, numbers, joint types; and the words of messages.

use std::collections::HashSet;

use urdf_rs::{Joint, JointType, Link, Pose, Robot};

use crate::JointKind;

pub(super) fn no_urdf(why: impl std::fmt::Display) -> String {
    format!("this is not a valid URDF: {why}")
}

/// Joins names for a message.
pub(super) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>, between: &str) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(between)
}

/// Rejects a robot with duplicate names or meaningless numbers.
pub(super) fn check(robot: &Robot) -> Result<(), String> {
    if robot.links.is_empty() {
        return Err("there is no link".into());
    }
    check_unique("link", robot.links.iter().map(|link| &link.name))?;
    check_unique("joint", robot.joints.iter().map(|joint| &joint.name))?;
    robot.links.iter().try_for_each(check_link)?;
    robot.joints.iter().try_for_each(check_joint)
}

/// Rejects a pose with a number that is not finite.
pub(super) fn check_origin(element: &str, origin: &Pose) -> Result<(), String> {
    let mut numbers = origin.xyz.iter().chain(origin.rpy.iter());
    if numbers.all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(format!(
        "{element} has the non-finite origin xyz {:?} rpy {:?}",
        *origin.xyz, *origin.rpy
    ))
}

/// Returns true if the link has mass properties. `urdf-rs` gives a link without `<inertial>` zeros,
/// and exporters write zeros for links that are only frames: both mean "none".
pub(super) fn has_inertial(link: &Link) -> bool {
    let inertia = tensor(&link.inertial.inertia);
    link.inertial.mass.value != 0.0 || inertia.iter().any(|x| *x != 0.0)
}

fn check_unique<'a>(element: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{element} name `{name}` is used more than once"));
        }
    }
    Ok(())
}

fn check_link(link: &Link) -> Result<(), String> {
    if !has_inertial(link) {
        return Ok(());
    }
    let name = &link.name;
    check_origin(
        &format!("the inertial of link `{name}`"),
        &link.inertial.origin,
    )?;
    let mass_kg = link.inertial.mass.value;
    if !(mass_kg.is_finite() && mass_kg > 0.0) {
        return Err(format!(
            "link `{name}` has a mass of {mass_kg} kg, which must be finite and positive"
        ));
    }
    let tensor = tensor(&link.inertial.inertia);
    let moments: [f64; 3] = match tensor.iter().all(|x| x.is_finite()) {
        true => tensor.symmetric_eigenvalues().into(),
        false => [f64::NAN; 3],
    };
    if moments.iter().all(|&m| m.is_finite() && m > 0.0) {
        return Ok(());
    }
    let [a, b, c] = moments;
    Err(format!(
        "link `{name}` has an inertia that is not positive definite (principal moments {a:.2e}, \
         {b:.2e}, {c:.2e} kg m²); if it is unknown, use that of a ball, 0.4 m r² about each axis"
    ))
}

pub(super) fn tensor(inertia: &urdf_rs::Inertia) -> nalgebra::Matrix3<f64> {
    let i = inertia;
    nalgebra::matrix![
        i.ixx, i.ixy, i.ixz;
        i.ixy, i.iyy, i.iyz;
        i.ixz, i.iyz, i.izz
    ]
}

/// The kind of a joint, or the name of its type if that is not supported.
pub(super) fn kind_of(joint: &Joint) -> Result<JointKind, &'static str> {
    match joint.joint_type {
        JointType::Revolute => Ok(JointKind::Revolute),
        JointType::Continuous => Ok(JointKind::Continuous),
        JointType::Prismatic => Ok(JointKind::Prismatic),
        JointType::Fixed => Ok(JointKind::Fixed),
        JointType::Floating => Err("floating"),
        JointType::Planar => Err("planar"),
        JointType::Spherical => Err("spherical"),
    }
}

fn check_joint(joint: &Joint) -> Result<(), String> {
    let name = &joint.name;
    let kind = kind_of(joint).map_err(|kind| {
        format!(
            "joint `{name}` has the type {kind}, which is not supported (supported: revolute, \
             continuous, prismatic, fixed)"
        )
    })?;
    check_origin(&format!("joint `{name}`"), &joint.origin)?;
    if !kind.is_movable() {
        return Ok(());
    }
    let axis = *joint.axis.xyz;
    let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 1e-9) {
        return Err(format!(
            "joint `{name}` has the axis {axis:?}, which has no direction"
        ));
    }
    check_limits(joint, kind)?;
    if let Some(dynamics) = &joint.dynamics {
        check_value(joint, "damping", dynamics.damping, false)?;
        check_value(joint, "friction", dynamics.friction, false)?;
    }
    if let Some(mimic) = &joint.mimic {
        let multiplier = mimic.multiplier.unwrap_or(1.0);
        check_value(joint, "mimic multiplier", multiplier, true)?;
        check_value(joint, "mimic offset", mimic.offset.unwrap_or(0.0), true)?;
    }
    Ok(())
}

fn check_limits(joint: &Joint, kind: JointKind) -> Result<(), String> {
    let (name, limit) = (&joint.name, &joint.limit);
    check_value(joint, "velocity limit", limit.velocity, false)?;
    check_value(joint, "effort limit", limit.effort, false)?;
    if kind == JointKind::Continuous {
        return Ok(());
    }
    check_value(joint, "lower limit", limit.lower, true)?;
    check_value(joint, "upper limit", limit.upper, true)?;
    let (lower, upper) = (limit.lower, limit.upper);
    if [lower, upper, limit.velocity, limit.effort] == [0.0; 4] {
        return Err(format!(
            "joint `{name}` has no <limit>, which its type requires"
        ));
    }
    if lower > upper {
        return Err(format!(
            "joint `{name}` has a lower limit of {lower} above its upper limit of {upper}"
        ));
    }
    Ok(())
}

fn check_value(
    joint: &Joint,
    quantity: &str,
    value: f64,
    may_be_negative: bool,
) -> Result<(), String> {
    if value.is_finite() && (may_be_negative || value >= 0.0) {
        return Ok(());
    }
    let more = ["", " and not negative"][usize::from(!may_be_negative)];
    let article = if quantity.starts_with('e') { "an" } else { "a" };
    Err(format!(
        "joint `{}` has {article} {quantity} of {value}, which must be finite{more}",
        joint.name
    ))
}
