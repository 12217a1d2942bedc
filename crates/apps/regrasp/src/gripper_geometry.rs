//! The gripper's dimensions, read off its collision geometry.

use nalgebra::Vector3;
use regrasp_api::{Finger, GripperInfo, Part, Pose, Shape};
use regrasp_kinematics::{Geometry, JointKind, Link, RobotModel};
use regrasp_motion::ArmPlannerError;
use regrasp_scene::RobotFile;

use crate::SetupError;

/// What skills need to know about the gripper of `file`, or about the tool that the arm carries
/// instead of one.
pub(crate) fn gripper_info(
    model: &RobotModel,
    file: &RobotFile,
) -> Result<GripperInfo, SetupError> {
    let gripper = &file.gripper;
    let root_from_link = model.link_poses(&vec![0.0; model.joints().len()]);
    let link_idx = |name: &str| {
        model.link_idx(name).ok_or_else(|| SetupError::NoSuchLink {
            link: name.to_owned(),
        })
    };
    let tool_from_root = root_from_link[link_idx(&file.tool_link)?].inverse();
    check_fingers(model, file, &root_from_link, &tool_from_root)?;
    let extent = |link: &str, axis: Vector3<f64>| -> Result<[f64; 2], SetupError> {
        let idx = link_idx(link)?;
        let tool_from_link = tool_from_root * root_from_link[idx];
        let reaches = model.links()[idx].collisions.iter().map(|collision| {
            let tool_from_geometry = tool_from_link * collision.link_from_geometry;
            interval(&collision.geometry, &tool_from_geometry, axis)
        });
        Ok(
            reaches.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [low, high]| {
                [a.min(low), b.max(high)]
            }),
        )
    };
    let tips = file.tip_links();
    let tip = tips.first().unwrap_or(&file.hand_link);
    let along = extent(tip, Vector3::z())?;
    let across = extent(tip, Vector3::x())?;
    let palm_m = match gripper.finger_links.is_empty() {
        true => along[0],
        false => extent(&file.hand_link, Vector3::z())?[1],
    };
    let reaches = [along, across].concat().into_iter().chain([palm_m]);
    if reaches.into_iter().any(|reach| !reach.is_finite()) {
        return Err(SetupError::NoFinger {
            robot: file.name.clone(),
            link: tip.clone(),
        });
    }
    Ok(GripperInfo {
        min_width_m: gripper.min_width_m,
        max_width_m: gripper.max_width_m,
        default_force_n: gripper.default_force_n,
        pad_friction: gripper.pad_friction,
        max_force_n: gripper.max_force_n,
        default_speed_m_per_s: gripper.default_speed_m_per_s,
        fingertip_beyond_tool_m: along[1],
        finger_length_m: along[1] - palm_m,
        pad_width_m: across[1] - across[0],
        finger_links: tips,
        hand: parts(
            &model.links()[link_idx(&file.hand_link)?],
            &(tool_from_root * root_from_link[link_idx(&file.hand_link)?]),
        ),
        fingers: gripper
            .finger_links
            .iter()
            .zip(&gripper.finger_joints)
            .map(|(link, joint)| {
                let idx = link_idx(link)?;
                let tool_from_link = tool_from_root * root_from_link[idx];
                let axis = axis_in_tool(model, joint, &root_from_link, &tool_from_root)?;
                Ok(Finger {
                    parts: parts(&model.links()[idx], &tool_from_link),
                    opening: (0.5 * axis).into(),
                })
            })
            .collect::<Result<_, SetupError>>()?,
    })
}

/// Skills rely on fingers that slide, along the tool's y axis.
fn check_fingers(
    model: &RobotModel,
    file: &RobotFile,
    root_from_link: &[Pose],
    tool_from_root: &Pose,
) -> Result<(), SetupError> {
    for joint in &file.gripper.finger_joints {
        let found = model.joint_idx(joint).map(|idx| &model.joints()[idx]);
        if let Some(found) = found.filter(|found| found.kind != JointKind::Prismatic) {
            return Err(SetupError::FingerJoint {
                joint: joint.clone(),
                kind: found.kind.word(),
            });
        }
        let axis_in_tool = axis_in_tool(model, joint, root_from_link, tool_from_root)?;
        if axis_in_tool.y.abs() < 1.0 - 1e-6 {
            return Err(SetupError::ToolAxes {
                tool: file.tool_link.clone(),
                joint: joint.clone(),
                axis_in_tool: axis_in_tool.into(),
            });
        }
    }
    Ok(())
}

/// The direction in which a finger joint moves.
fn axis_in_tool(
    model: &RobotModel,
    joint: &str,
    root_from_link: &[Pose],
    tool_from_root: &Pose,
) -> Result<Vector3<f64>, SetupError> {
    let Some(joint) = model.joint_idx(joint).map(|idx| &model.joints()[idx]) else {
        return Err(ArmPlannerError::UnknownJoint {
            joint: joint.to_owned(),
        }
        .into());
    };
    let root_from_joint = root_from_link[joint.parent_link_idx] * joint.parent_from_joint;
    Ok(tool_from_root * (root_from_joint * joint.axis.into_inner()))
}

/// A link's own collision shapes in the tool frame.
fn parts(link: &Link, tool_from_link: &Pose) -> Vec<Part> {
    let parts = link.collisions.iter().map(|collision| Part {
        object_from_part: tool_from_link * collision.link_from_geometry,
        shape: shape_of(&collision.geometry),
    });
    parts.collect()
}

/// Smallest and largest coordinate of a geometry along an axis of the tool frame.
fn interval(geometry: &Geometry, tool_from_geometry: &Pose, axis: Vector3<f64>) -> [f64; 2] {
    let shape = shape_of(geometry);
    let origin = tool_from_geometry.translation.vector.dot(&axis);
    let direction = tool_from_geometry.rotation.inverse() * axis;
    [
        origin - shape.support(&-direction),
        origin + shape.support(&direction),
    ]
}

/// A link's collision geometry as an object's shape; a mesh counts as its convex hull.
fn shape_of(geometry: &Geometry) -> Shape {
    match geometry {
        Geometry::Box { half_extents } => Shape::Box {
            half_extents: *half_extents,
        },
        Geometry::Sphere { radius } => Shape::Sphere { radius: *radius },
        Geometry::Cylinder {
            radius,
            half_length,
        } => Shape::Cylinder {
            radius: *radius,
            half_height: *half_length,
        },
        Geometry::Capsule {
            radius,
            half_length,
        } => Shape::Capsule {
            radius: *radius,
            half_height: *half_length,
        },
        Geometry::Mesh { vertices, .. } => Shape::Convex {
            points: vertices.iter().map(|p| [p.x, p.y, p.z]).collect(),
        },
    }
}
