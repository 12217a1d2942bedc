//! Checks of single elements: names, numbers, joint types.

use std::collections::HashSet;

use urdf_rs::{Joint, JointType, Link, Pose, Robot};

use crate::LoadProblem;

/// Refuses a robot with a name used twice or a number that means nothing.
pub(super) fn check(robot: &Robot) -> Result<(), LoadProblem> {
    if robot.links.is_empty() {
        return Err(LoadProblem::NoLinks);
    }
    check_unique("link", robot.links.iter().map(|link| &link.name))?;
    check_unique("joint", robot.joints.iter().map(|joint| &joint.name))?;
    robot.links.iter().try_for_each(check_link)?;
    robot.joints.iter().try_for_each(check_joint)
}

/// Refuses a pose with a number that is not finite.
pub(super) fn check_origin(element: &str, origin: &Pose) -> Result<(), LoadProblem> {
    if origin
        .xyz
        .iter()
        .chain(origin.rpy.iter())
        .all(|x| x.is_finite())
    {
        return Ok(());
    }
    Err(LoadProblem::BadOrigin {
        element: element.to_owned(),
        xyz: *origin.xyz,
        rpy: *origin.rpy,
    })
}

/// Whether the link has mass properties. `urdf-rs` gives a link without `<inertial>`
/// zeros, and exporters write zeros for mere frames: both mean "none".
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

fn check_unique<'a>(
    element: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), LoadProblem> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(LoadProblem::DuplicateName {
                element,
                name: name.clone(),
            });
        }
    }
    Ok(())
}

fn check_link(link: &Link) -> Result<(), LoadProblem> {
    if !has_inertial(link) {
        return Ok(());
    }
    let what = format!("the inertial of link `{}`", link.name);
    check_origin(&what, &link.inertial.origin)?;
    let mass_kg = link.inertial.mass.value;
    if !(mass_kg.is_finite() && mass_kg > 0.0) {
        return Err(LoadProblem::BadMass {
            link: link.name.clone(),
            mass_kg,
        });
    }
    let moments = principal_moments(&link.inertial.inertia);
    if moments.iter().all(|&m| m.is_finite() && m > 0.0) {
        return Ok(());
    }
    Err(LoadProblem::BadInertia {
        link: link.name.clone(),
        moments,
    })
}

/// The tensor as a matrix.
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

fn check_joint(joint: &Joint) -> Result<(), LoadProblem> {
    let name = || joint.name.clone();
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
        return Err(LoadProblem::BadAxis {
            joint: name(),
            axis,
        });
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

fn check_limits(joint: &Joint) -> Result<(), LoadProblem> {
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
        return Err(LoadProblem::MissingLimits {
            joint: joint.name.clone(),
        });
    }
    if limit.lower > limit.upper {
        return Err(LoadProblem::LimitsSwapped {
            joint: joint.name.clone(),
            lower: limit.lower,
            upper: limit.upper,
        });
    }
    Ok(())
}

fn check_value(
    joint: &Joint,
    quantity: &'static str,
    value: f64,
    may_be_negative: bool,
) -> Result<(), LoadProblem> {
    if value.is_finite() && (may_be_negative || value >= 0.0) {
        return Ok(());
    }
    Err(LoadProblem::BadJointValue {
        joint: joint.name.clone(),
        quantity,
        value,
        may_be_negative,
    })
}

fn unsupported(joint: &Joint, kind: &'static str) -> LoadProblem {
    LoadProblem::UnsupportedJoint {
        joint: joint.name.clone(),
        kind,
    }
}
