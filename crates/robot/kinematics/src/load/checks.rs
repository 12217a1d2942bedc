//! Checks of single elements: names, numbers, joint types.

use std::collections::HashSet;

use urdf_rs::{Joint, JointType, Link, Pose, Robot};

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
    if origin
        .xyz
        .iter()
        .chain(origin.rpy.iter())
        .all(|x| x.is_finite())
    {
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
    let inertia = &link.inertial.inertia;
    [
        link.inertial.mass.value,
        inertia.ixx,
        inertia.ixy,
        inertia.ixz,
        inertia.iyy,
        inertia.iyz,
        inertia.izz,
    ]
    .iter()
    .any(|&x| x != 0.0)
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
    let moments = principal_moments(&link.inertial.inertia);
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

fn principal_moments(inertia: &urdf_rs::Inertia) -> [f64; 3] {
    let tensor = tensor(inertia);
    if tensor.iter().any(|x| !x.is_finite()) {
        return [f64::NAN; 3];
    }
    tensor.symmetric_eigenvalues().into()
}

fn check_joint(joint: &Joint) -> Result<(), String> {
    let movable = match joint.joint_type {
        JointType::Revolute | JointType::Continuous | JointType::Prismatic => true,
        JointType::Fixed => false,
        JointType::Floating => return Err(unsupported(joint, "floating")),
        JointType::Planar => return Err(unsupported(joint, "planar")),
        JointType::Spherical => return Err(unsupported(joint, "spherical")),
    };
    check_origin(&format!("joint `{}`", joint.name), &joint.origin)?;
    if !movable {
        return Ok(());
    }
    let axis = *joint.axis.xyz;
    let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 1e-9) {
        let name = &joint.name;
        return Err(format!(
            "joint `{name}` has the axis {axis:?}, which has no direction"
        ));
    }
    check_limits(joint)?;
    let (damping, friction) = match &joint.dynamics {
        Some(dynamics) => (dynamics.damping, dynamics.friction),
        None => (0.0, 0.0),
    };
    check_value(joint, "damping", damping, false)?;
    check_value(joint, "friction", friction, false)?;
    if let Some(mimic) = &joint.mimic {
        check_value(
            joint,
            "mimic multiplier",
            mimic.multiplier.unwrap_or(1.0),
            true,
        )?;
        check_value(joint, "mimic offset", mimic.offset.unwrap_or(0.0), true)?;
    }
    Ok(())
}

fn check_limits(joint: &Joint) -> Result<(), String> {
    let limit = &joint.limit;
    check_value(joint, "velocity limit", limit.velocity, false)?;
    check_value(joint, "effort limit", limit.effort, false)?;
    if joint.joint_type == JointType::Continuous {
        return Ok(());
    }
    check_value(joint, "lower limit", limit.lower, true)?;
    check_value(joint, "upper limit", limit.upper, true)?;
    let all_zero = [limit.lower, limit.upper, limit.velocity, limit.effort]
        .iter()
        .all(|&x| x == 0.0);
    if all_zero {
        let name = &joint.name;
        return Err(format!(
            "joint `{name}` has no <limit>, which its type requires"
        ));
    }
    if limit.lower > limit.upper {
        return Err(format!(
            "joint `{}` has a lower limit of {} above its upper limit of {}",
            joint.name, limit.lower, limit.upper
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
    let more = if may_be_negative {
        ""
    } else {
        " and not negative"
    };
    let article = if quantity.starts_with('e') { "an" } else { "a" };
    Err(format!(
        "joint `{}` has {article} {quantity} of {value}, which must be finite{more}",
        joint.name
    ))
}

fn unsupported(joint: &Joint, kind: &str) -> String {
    format!(
        "joint `{}` has the type {kind}, which is not supported (supported: revolute, continuous, \
         prismatic, fixed)",
        joint.name
    )
}
