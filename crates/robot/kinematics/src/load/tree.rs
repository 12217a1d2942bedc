//! Conversion of a URDF to the model's arrays.

use urdf_rs::Robot;

use super::{elements, mesh::MeshReader, shapes, topology};
use crate::{Inertial, Joint, JointKind, JointLimits, Link, Mimic, RobotModel};

/// Checks a robot and converts it: single elements first, then the references between them, then
/// shapes.
pub(super) fn assemble(robot: &Robot, meshes: &MeshReader<'_>) -> Result<RobotModel, String> {
    if robot.links.is_empty() {
        return Err("the URDF has no link".into());
    }
    elements::check_unique("link", robot.links.iter().map(|link| &link.name))?;
    elements::check_unique("joint", robot.joints.iter().map(|joint| &joint.name))?;
    let is_fixed = |link: &urdf_rs::Link| {
        let mut joints = robot.joints.iter().filter(|j| j.child.link == link.name);
        joints.any(|j| matches!(j.joint_type, urdf_rs::JointType::Fixed))
    };
    let links = robot.links.iter();
    let bodies = links.map(|l| Ok((l, elements::inertial(l, is_fixed(l))?)));
    let bodies = bodies.collect::<Result<Vec<_>, String>>()?;
    let moves = robot.joints.iter().map(|j| Ok((j, elements::joint(j)?)));
    let moves = moves.collect::<Result<Vec<_>, String>>()?;
    topology::check(robot)?;
    let is_child = |link: &str| robot.joints.iter().any(|joint| joint.child.link == link);
    let root = bodies.iter().filter(|(link, _)| !is_child(&link.name));
    let mut links: Vec<_> = root.take(1).collect();
    // Depth first: every joint after that of its parent link, siblings in the order of the file.
    let below = |link: &str| {
        let below = moves.iter().filter(|(j, _)| j.parent.link == link);
        below.rev().collect::<Vec<_>>()
    };
    let mut open: Vec<_> = links.iter().flat_map(|(l, _)| below(&l.name)).collect();
    let mut joints = vec![];
    while let Some(joint) = open.pop() {
        let child = &joint.0.child.link;
        joints.push(joint);
        links.extend(bodies.iter().find(|(link, _)| link.name == *child));
        open.extend(below(child));
    }
    let link_idx = |name: &str| links.iter().position(|(link, _)| link.name == name);
    let joint_idx = |name: &str| joints.iter().position(|(joint, _)| joint.name == name);
    let converted = joints.iter().map(|(urdf, joint)| {
        let mimic = urdf.mimic.as_ref();
        let source = mimic.and_then(|mimic| joint_idx(&mimic.joint));
        Joint {
            parent_link_idx: link_idx(&urdf.parent.link).unwrap_or_default(),
            child_link_idx: link_idx(&urdf.child.link).unwrap_or_default(),
            mimic: joint
                .mimic
                .zip(source)
                .map(|(mimic, source_joint_idx)| Mimic {
                    source_joint_idx,
                    ..mimic
                }),
            ..joint.clone()
        }
    });
    let mut converted: Vec<Joint> = converted.collect();
    turn_forwards(&mut converted);
    let read = |(link, inertial): &&(&urdf_rs::Link, Option<Inertial>)| {
        Ok(Link {
            name: link.name.clone(),
            inertial: inertial.clone(),
            collisions: shapes::read_collisions(link, meshes)?,
            visuals: shapes::read_visuals(link, &robot.materials, meshes)?,
        })
    };
    Ok(RobotModel {
        name: robot.name.clone(),
        linkage: None,
        held: vec![],
        joints: converted,
        links: links.iter().map(read).collect::<Result<_, String>>()?,
    })
}

/// Converts prismatic joints that mimic another with a negative multiplier to ones with a positive
/// multiplier along the opposite axis. The motion is the same, and code that drives all fingers by
/// one position need not treat them separately.
fn turn_forwards(joints: &mut [Joint]) {
    let is_backwards = |joint: &Joint| {
        joint.kind == JointKind::Prismatic && joint.mimic.is_some_and(|m| m.multiplier < 0.0)
    };
    // A turned joint turns those that mimic it. They form no cycle, so this comes to an end.
    while let Some(idx) = joints.iter().position(is_backwards) {
        let joint = &mut joints[idx];
        joint.axis = -joint.axis;
        let JointLimits { lower, upper, .. } = joint.limits;
        (joint.limits.lower, joint.limits.upper) = (-upper, -lower);
        for mimic in joint.mimic.iter_mut() {
            mimic.multiplier = -mimic.multiplier;
            mimic.offset = -mimic.offset;
        }
        let mimics = joints.iter_mut().filter_map(|joint| joint.mimic.as_mut());
        for mimic in mimics.filter(|mimic| mimic.source_joint_idx == idx) {
            mimic.multiplier = -mimic.multiplier;
        }
    }
}
