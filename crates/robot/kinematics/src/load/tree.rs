//! Conversion of a checked URDF to the model's arrays.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use urdf_rs::Robot;

use super::{checks, mesh::MeshReader, shapes};
use crate::{Inertial, Joint, JointDynamics, JointKind, JointLimits, Link, Mimic, RobotModel};

pub(super) fn assemble(robot: &Robot, meshes: &MeshReader<'_>) -> Result<RobotModel, String> {
    let is_child = |link: &str| robot.joints.iter().any(|joint| joint.child.link == link);
    let root = robot.links.iter().filter(|link| !is_child(&link.name));
    let mut links: Vec<&urdf_rs::Link> = root.take(1).collect();
    // Depth first: every joint after that of its parent link, siblings in the order of the file.
    let below = |link: &str| {
        let below = robot.joints.iter().filter(|j| j.parent.link == link);
        below.rev().collect::<Vec<_>>()
    };
    let mut open: Vec<_> = links.iter().flat_map(|link| below(&link.name)).collect();
    let mut joints: Vec<&urdf_rs::Joint> = vec![];
    while let Some(joint) = open.pop() {
        let child = &joint.child.link;
        joints.push(joint);
        links.extend(robot.links.iter().find(|link| link.name == *child));
        open.extend(below(child));
    }
    let link_idx = |name: &str| links.iter().position(|link| link.name == name);
    let joint_idx = |name: &str| joints.iter().position(|joint| joint.name == name);
    let converted = joints.iter().map(|urdf| {
        forwards(Joint {
            parent_link_idx: link_idx(&urdf.parent.link).unwrap_or_default(),
            child_link_idx: link_idx(&urdf.child.link).unwrap_or_default(),
            mimic: urdf.mimic.as_ref().map(|mimic| Mimic {
                source_joint_idx: joint_idx(&mimic.joint).unwrap_or_default(),
                multiplier: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            }),
            ..flatten(urdf)
        })
    });
    Ok(RobotModel {
        name: robot.name.clone(),
        linkage: None,
        joints: converted.collect(),
        links: links
            .iter()
            .map(|link| read_link(link, robot, meshes))
            .collect::<Result<_, _>>()?,
    })
}

/// Converts a prismatic joint that mimics another with a negative multiplier to a positive one
/// along the opposite axis. The motion is the same, and code that drives fingers by one position
/// each need not know.
fn forwards(mut joint: Joint) -> Joint {
    if let Some(mimic) = &mut joint.mimic
        && joint.kind == JointKind::Prismatic
        && mimic.multiplier < 0.0
    {
        mimic.multiplier = -mimic.multiplier;
        mimic.offset = -mimic.offset;
        joint.axis = -joint.axis;
        let JointLimits { lower, upper, .. } = joint.limits;
        (joint.limits.lower, joint.limits.upper) = (-upper, -lower);
    }
    joint
}

/// A joint without the indices of its neighbours.
fn flatten(urdf: &urdf_rs::Joint) -> Joint {
    // The checks have rejected the other types.
    let kind = checks::kind_of(urdf).unwrap_or(JointKind::Fixed);
    let Isometry3 {
        translation,
        rotation,
    } = shapes::from_urdf(&urdf.origin);
    let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
    let dynamics = urdf.dynamics.as_ref();
    Joint {
        name: urdf.name.clone(),
        kind,
        parent_link_idx: 0,
        child_link_idx: 0,
        parent_from_joint: Isometry3::from_parts(translation, rotation),
        axis: match kind {
            JointKind::Fixed => Vector3::x_axis(),
            _ => Unit::new_normalize(Vector3::from(*urdf.axis.xyz)),
        },
        limits: limits_of(kind, &urdf.limit),
        mimic: None,
        dynamics: dynamics.map_or_else(JointDynamics::default, |d| JointDynamics {
            damping: d.damping,
            friction: d.friction,
        }),
    }
}

fn limits_of(kind: JointKind, limit: &urdf_rs::JointLimit) -> JointLimits {
    let (velocity, effort) = (limit.velocity, limit.effort);
    let [lower, upper, velocity, effort] = match kind {
        JointKind::Fixed => [0.0; 4],
        JointKind::Continuous => [f64::NEG_INFINITY, f64::INFINITY, velocity, effort],
        _ => [limit.lower, limit.upper, velocity, effort],
    };
    JointLimits {
        lower,
        upper,
        velocity,
        effort,
    }
}

fn read_link(link: &urdf_rs::Link, robot: &Robot, meshes: &MeshReader<'_>) -> Result<Link, String> {
    let inertial = checks::has_inertial(link).then(|| Inertial {
        mass_kg: link.inertial.mass.value,
        link_from_com: shapes::from_urdf(&link.inertial.origin),
        inertia: checks::tensor(&link.inertial.inertia),
    });
    Ok(Link {
        name: link.name.clone(),
        inertial,
        collisions: shapes::read_collisions(link, meshes)?,
        visuals: shapes::read_visuals(link, &robot.materials, meshes)?,
    })
}
