//! Conversion of the joint tree of `k` to our own arrays.
//!
//! This is the only place where nalgebra 0.30 of `k` and our 0.35 meet; values are converted by
//! components.

use std::collections::HashMap;

use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};
use urdf_rs::{JointType, Robot};

use super::{checks, mesh::MeshReader, shapes};
use crate::{Inertial, Joint, JointDynamics, JointKind, JointLimits, Link, Mimic, RobotModel};

pub(super) fn assemble(robot: &Robot, meshes: &MeshReader<'_>) -> Result<RobotModel, String> {
    let tree = k::Chain::<f64>::from(robot);
    let urdf_joints = by_name(&robot.joints, |joint| &joint.name);
    // `k` adds a node above the root link, then lists every joint after that of its parent link.
    let in_order: Vec<(&k::Node<f64>, &urdf_rs::Joint)> = tree
        .iter()
        .filter(|node| !node.is_root())
        .filter_map(|node| Some((node, *urdf_joints.get(node.joint().name.as_str())?)))
        .collect();
    let links = links_in_order(robot, &in_order);
    let link_idxs: HashMap<&str, usize> = (0..)
        .zip(&links)
        .map(|(i, link)| (link.name.as_str(), i))
        .collect();
    let joint_idxs: HashMap<&str, usize> = (0..)
        .zip(&in_order)
        .map(|(i, (_, joint))| (joint.name.as_str(), i))
        .collect();
    let joints = in_order.iter().map(|&(node, urdf)| {
        forwards(Joint {
            parent_link_idx: link_idxs[urdf.parent.link.as_str()],
            child_link_idx: link_idxs[urdf.child.link.as_str()],
            mimic: urdf.mimic.as_ref().map(|mimic| Mimic {
                source_joint_idx: joint_idxs[mimic.joint.as_str()],
                multiplier: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            }),
            ..flatten(node, urdf)
        })
    });
    Ok(RobotModel {
        name: robot.name.clone(),
        joints: joints.collect(),
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

/// The root, then the child of each joint.
fn links_in_order<'a>(
    robot: &'a Robot,
    joints: &[(&k::Node<f64>, &urdf_rs::Joint)],
) -> Vec<&'a urdf_rs::Link> {
    let by_name = by_name(&robot.links, |link| &link.name);
    let is_child = |name: &str| joints.iter().any(|(_, joint)| joint.child.link == name);
    let root = robot.links.iter().find(|link| !is_child(&link.name));
    let children = joints
        .iter()
        .filter_map(|(_, joint)| by_name.get(joint.child.link.as_str()).copied());
    root.into_iter().chain(children).collect()
}

fn by_name<T>(items: &[T], name: impl Fn(&T) -> &String) -> HashMap<&str, &T> {
    items
        .iter()
        .map(|item| (name(item).as_str(), item))
        .collect()
}

/// A joint without the indices of its neighbours.
fn flatten(node: &k::Node<f64>, urdf: &urdf_rs::Joint) -> Joint {
    let joint = node.joint();
    let axis = match &joint.joint_type {
        k::JointType::Fixed => Vector3::x_axis(),
        k::JointType::Rotational { axis } | k::JointType::Linear { axis } => {
            Unit::new_normalize(Vector3::new(axis.x, axis.y, axis.z))
        }
    };
    let kind = kind_of(&urdf.joint_type);
    Joint {
        name: urdf.name.clone(),
        kind,
        parent_link_idx: 0,
        child_link_idx: 0,
        parent_from_joint: from_k(joint.origin()),
        axis,
        limits: limits_of(kind, &urdf.limit),
        mimic: None,
        dynamics: urdf
            .dynamics
            .as_ref()
            .map_or_else(JointDynamics::default, |d| JointDynamics {
                damping: d.damping,
                friction: d.friction,
            }),
    }
}

fn kind_of(joint_type: &JointType) -> JointKind {
    match joint_type {
        JointType::Revolute => JointKind::Revolute,
        JointType::Continuous => JointKind::Continuous,
        JointType::Prismatic => JointKind::Prismatic,
        // The checks have rejected the others.
        JointType::Fixed | JointType::Floating | JointType::Planar | JointType::Spherical => {
            JointKind::Fixed
        }
    }
}

fn limits_of(kind: JointKind, limit: &urdf_rs::JointLimit) -> JointLimits {
    let (lower, upper) = match kind {
        JointKind::Fixed => {
            return JointLimits {
                lower: 0.0,
                upper: 0.0,
                velocity: 0.0,
                effort: 0.0,
            };
        }
        JointKind::Continuous => (f64::NEG_INFINITY, f64::INFINITY),
        JointKind::Revolute | JointKind::Prismatic => (limit.lower, limit.upper),
    };
    JointLimits {
        lower,
        upper,
        velocity: limit.velocity,
        effort: limit.effort,
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

fn from_k(transform: &k::Isometry3<f64>) -> Isometry3<f64> {
    let t = &transform.translation.vector;
    let r = &transform.rotation;
    Isometry3::from_parts(
        Translation3::new(t.x, t.y, t.z),
        UnitQuaternion::new_normalize(Quaternion::new(r.w, r.i, r.j, r.k)),
    )
}
