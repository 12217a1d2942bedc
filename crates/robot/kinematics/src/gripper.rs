//! Dimensions of a gripper, from its collision geometry.

use nalgebra::{Isometry3, Vector3};
use regrasp_geometry::Part;
use thiserror::Error;

use crate::model::{Joint, JointKind, Link, RobotModel};

/// Tolerated difference between the range of a finger's joint and half of the gripper's width, m.
const TRAVEL_TOL_M: f64 = 5e-4;

/// Names of a gripper's links and joints in a URDF.
#[derive(Clone, Copy, Debug)]
pub struct GripperLinks<'a> {
    /// Name of the robot, for messages.
    pub robot: &'a str,
    /// The frame between the fingertips.
    pub tool: &'a str,
    /// The hand, or the tool that the arm carries in place of a gripper.
    pub hand: &'a str,
    /// The fingers; empty if there is no gripper.
    pub fingers: &'a [String],
    /// One joint for each finger.
    pub finger_joints: &'a [String],
    /// Least and largest finger distance, m; each joint covers half of it.
    pub width_m: [f64; 2],
}

/// Dimensions and shapes of a gripper, or of the tool that the arm carries in place of one.
#[derive(Clone, Debug, PartialEq)]
pub struct GripperGeometry {
    /// Extent of the fingertips beyond the tool point along tool z, m.
    pub fingertip_beyond_tool_m: f64,
    /// Distance from the fingertips back to the palm along tool z, m.
    pub finger_length_m: f64,
    /// Width of a finger pad across the closing direction, m.
    pub pad_width_m: f64,
    /// Shapes of the hand without its fingers, in the tool frame.
    pub hand: Vec<Part>,
    /// The fingers.
    pub fingers: Vec<FingerGeometry>,
}

/// A finger of a closed gripper.
#[derive(Clone, Debug, PartialEq)]
pub struct FingerGeometry {
    /// Shapes in the tool frame.
    pub parts: Vec<Part>,
    /// Displacement in the tool frame per metre of joint motion.
    pub axis_in_tool: Vector3<f64>,
}

/// Error of a gripper that skills cannot use.
#[derive(Clone, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum GripperError {
    #[error("set up the robot: its URDF has no link `{link}`")]
    NoSuchLink { link: String },
    #[error("plan motions: the robot has no joint `{joint}`")]
    NoSuchJoint { joint: String },
    #[error(
        "set up the robot: fingers must close along the y axis of the tool link, but joint \
         `{joint}` moves along {axis_in_tool:.3?} in `{tool}`; turn the tool link in the URDF"
    )]
    ToolAxes {
        tool: String,
        joint: String,
        axis_in_tool: [f64; 3],
    },
    #[error(
        "set up the robot: finger joint `{joint}` is {kind} in the URDF, but fingers must slide, or \
         turn with pads that stay parallel; make it prismatic, or leave `gripper` out of the robot \
         file if the robot does not grip"
    )]
    FingerJoint { joint: String, kind: &'static str },
    #[error(
        "set up the robot: finger joint `{joint}` {problem}. Both fingers move by half of the \
         gripper's width, each away from the other"
    )]
    FingerMotion { joint: String, problem: String },
    #[error(
        "set up the robot: the hand that `{drive}` drives cannot be modelled by sliding fingers: \
         {problem}"
    )]
    Linkage { drive: String, problem: String },
    #[error(
        "set up the robot: `{robot}` has no collision geometry at its fingers and palm, or at the \
         tool in their place (looked at `{link}`)"
    )]
    NoFinger { robot: String, link: String },
}

/// A robot at given joint positions, relative to its tool.
pub(crate) struct Posed<'a> {
    model: &'a RobotModel,
    pub(crate) root_from_link: Vec<Isometry3<f64>>,
    pub(crate) tool_from_root: Isometry3<f64>,
}

impl RobotModel {
    /// Returns the dimensions of a gripper, or of the tool that the arm carries in place of one.
    ///
    /// # Errors
    ///
    /// [`GripperError`] if a link or joint is unknown, a finger does not slide along the tool's y
    /// axis, or a contact part has no shape.
    pub fn gripper_geometry(
        &self,
        names: &GripperLinks<'_>,
    ) -> Result<GripperGeometry, GripperError> {
        let closed = Posed::new(self, names.tool, &vec![0.0; self.joints().len()])?;
        for joint in names.finger_joints {
            closed.check_finger(joint, names.tool)?;
        }
        closed.check_motion(names)?;
        let tip = names.fingers.first().map_or(names.hand, String::as_str);
        let along = closed.extent(tip, Vector3::z())?;
        let across = closed.extent(tip, Vector3::x())?;
        let palm_m = match names.fingers.is_empty() {
            true => along[0],
            false => closed.extent(names.hand, Vector3::z())?[1],
        };
        let reaches = [along, across].concat().into_iter().chain([palm_m]);
        if reaches.into_iter().any(|reach| !reach.is_finite()) {
            return Err(GripperError::NoFinger {
                robot: names.robot.to_owned(),
                link: tip.to_owned(),
            });
        }
        let fingers = names.fingers.iter().zip(names.finger_joints);
        let fingers = fingers.map(|(link, joint)| {
            Ok(FingerGeometry {
                parts: closed.carried(link, joint)?,
                axis_in_tool: closed.axis_in_tool(closed.joint(joint)?),
            })
        });
        Ok(GripperGeometry {
            fingertip_beyond_tool_m: along[1],
            finger_length_m: along[1] - palm_m,
            pad_width_m: across[1] - across[0],
            hand: closed.parts(names.hand)?,
            fingers: fingers.collect::<Result<_, GripperError>>()?,
        })
    }
}

impl<'a> Posed<'a> {
    pub(crate) fn new(
        model: &'a RobotModel,
        tool: &str,
        q_by_joint: &[f64],
    ) -> Result<Self, GripperError> {
        let root_from_link = model.link_poses(q_by_joint);
        let tool_from_root = root_from_link[link_idx(model, tool)?].inverse();
        Ok(Self {
            model,
            root_from_link,
            tool_from_root,
        })
    }

    fn link(&self, name: &str) -> Result<(&Link, Isometry3<f64>), GripperError> {
        let idx = link_idx(self.model, name)?;
        let tool_from_link = self.tool_from_root * self.root_from_link[idx];
        Ok((&self.model.links()[idx], tool_from_link))
    }

    /// Checks that a finger slides along the tool's y axis, as skills require.
    fn check_finger(&self, name: &str, tool: &str) -> Result<(), GripperError> {
        let joint = self.joint(name)?;
        if joint.kind != JointKind::Prismatic {
            return Err(GripperError::FingerJoint {
                joint: name.to_owned(),
                kind: joint.kind.word(),
            });
        }
        let axis_in_tool = self.axis_in_tool(joint);
        if axis_in_tool.y.abs() < 1.0 - 1e-6 {
            return Err(GripperError::ToolAxes {
                tool: tool.to_owned(),
                joint: name.to_owned(),
                axis_in_tool: axis_in_tool.into(),
            });
        }
        Ok(())
    }

    /// Checks that each finger moves by half of the width, as the simulator drives it. With another
    /// motion in the URDF, the simulated gripper would be a different one.
    fn check_motion(&self, names: &GripperLinks<'_>) -> Result<(), GripperError> {
        let mut before: Option<Vector3<f64>> = None;
        for name in names.finger_joints {
            let wrong = |problem: String| {
                Err(GripperError::FingerMotion {
                    joint: name.clone(),
                    problem,
                })
            };
            let joint = self.joint(name)?;
            let axis = self.axis_in_tool(joint);
            if let Some(mimic) = joint.mimic {
                let source = &self.model.joints()[mimic.source_joint_idx].name;
                let is_pair = names.finger_joints.contains(source);
                if !is_pair || (mimic.multiplier - 1.0).abs() > 1e-6 || mimic.offset.abs() > 1e-6 {
                    let (by, from) = (mimic.multiplier, mimic.offset);
                    return wrong(format!(
                        "mimics `{source}` with the multiplier {by} and the offset {from} m"
                    ));
                }
            }
            if before.is_some_and(|before| before.dot(&axis) > 0.0) {
                let problem =
                    "moves in the same direction as the other finger; check axis and `mimic`";
                return wrong(problem.to_owned());
            }
            before = Some(axis);
            let [least, most] = names.width_m.map(|width| 0.5 * width);
            let (lower, upper) = (joint.limits.lower, joint.limits.upper);
            if least < lower - TRAVEL_TOL_M || most > upper + TRAVEL_TOL_M {
                return wrong(format!(
                    "moves from {lower:.4} to {upper:.4} m, but half of `min_width_m` and \
                     `max_width_m` is {least:.4} and {most:.4} m"
                ));
            }
        }
        Ok(())
    }

    fn joint(&self, name: &str) -> Result<&Joint, GripperError> {
        let found = self.model.joints().iter().find(|joint| joint.name == name);
        let missing = || GripperError::NoSuchJoint {
            joint: name.to_owned(),
        };
        found.ok_or_else(missing)
    }

    fn axis_in_tool(&self, joint: &Joint) -> Vector3<f64> {
        let root_from_joint = self.root_from_link[joint.parent_link_idx] * joint.parent_from_joint;
        self.tool_from_root * (root_from_joint * joint.axis.into_inner())
    }

    /// Own collision shapes of a link, in the tool frame.
    fn parts(&self, link: &str) -> Result<Vec<Part>, GripperError> {
        let (link, tool_from_link) = self.link(link)?;
        let parts = link.collisions.iter().map(|collision| Part {
            object_from_part: tool_from_link * collision.link_from_geometry,
            shape: collision.geometry.solid(),
        });
        Ok(parts.collect())
    }

    /// Collision shapes of a finger's link and of the others that its joint carries, in the tool
    /// frame.
    fn carried(&self, link: &str, joint: &str) -> Result<Vec<Part>, GripperError> {
        let mut parts = self.parts(link)?;
        for (idx, other) in self.model.links().iter().enumerate() {
            let mut above = self.model.joints_above(idx);
            if other.name != link && above.any(|j| self.model.joints()[j].name == joint) {
                parts.extend(self.parts(&other.name)?);
            }
        }
        Ok(parts)
    }

    /// Smallest and largest coordinate of a link along an axis of the tool frame.
    pub(crate) fn extent(&self, link: &str, axis: Vector3<f64>) -> Result<[f64; 2], GripperError> {
        let empty = [f64::INFINITY, f64::NEG_INFINITY];
        let parts = self.parts(link)?.into_iter();
        Ok(parts.fold(empty, |[low, high], part| {
            let origin = part.object_from_part.translation.vector.dot(&axis);
            let direction = part.object_from_part.rotation.inverse() * axis;
            [
                low.min(origin - part.shape.support(&-direction)),
                high.max(origin + part.shape.support(&direction)),
            ]
        }))
    }
}

pub(crate) fn link_idx(model: &RobotModel, name: &str) -> Result<usize, GripperError> {
    let missing = || GripperError::NoSuchLink {
        link: name.to_owned(),
    };
    model.link_idx(name).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;
    use crate::testing::robot;

    /// Error message for a hand whose second finger has this axis or mimics the first; empty if
    /// none.
    fn refusal(axis: &str, limits: &str, mimic: &str) -> String {
        let collision = |size: &str| {
            format!(r#"<collision><geometry><box size="{size}"/></geometry></collision>"#)
        };
        let finger = |n: u8, axis: &str, limits: &str, mimic: &str| {
            let (lower, upper) = limits.split_once(' ').expect("two limits");
            let mimic = mimic.split_once(' ').map_or(String::new(), |(by, from)| {
                format!(r#"<mimic joint="slide_1" multiplier="{by}" offset="{from}"/>"#)
            });
            format!(
                r#"<link name="f{n}">{}</link>
                <joint name="slide_{n}" type="prismatic"><parent link="hand"/><child link="f{n}"/>
                <axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="9" velocity="1"/>{mimic}</joint>"#,
                collision("0.02 0.01 0.04")
            )
        };
        let first = finger(1, "0 1 0", "0 0.04", "");
        let second = finger(2, axis, limits, mimic);
        let palm = collision("0.1 0.1 0.02");
        let model = robot(&format!(
            r#"<link name="hand">{palm}</link>{first}{second}"#
        ));
        let [fingers, joints] =
            [["f1", "f2"], ["slide_1", "slide_2"]].map(|names| names.map(str::to_owned));
        let names = GripperLinks {
            robot: "r",
            tool: "hand",
            hand: "hand",
            fingers: &fingers,
            finger_joints: &joints,
            width_m: [0.0, 0.08],
        };
        let geometry = model.expect("a robot").gripper_geometry(&names);
        geometry.map_or_else(
            |error| error.to_string(),
            |geometry| {
                let axes: Vec<f64> = geometry.fingers.iter().map(|f| f.axis_in_tool.y).collect();
                assert_eq!(axes, [1.0, -1.0]);
                String::new()
            },
        )
    }

    #[test]
    fn fingers_move_as_they_are_driven_or_are_refused_by_name() {
        // Axis and limits of the second finger; multiplier and offset with which it mimics the
        // first; a part of the message. Backwards along the same axis is the same motion.
        for [axis, limits, mimic, part] in rows(include_str!("../tests/data/fingers.txt")) {
            let refusal = refusal(&axis, &limits, &mimic);
            let is_named = refusal.contains("`slide_2`") && refusal.contains(&part);
            let is_right = if part.is_empty() {
                refusal.is_empty()
            } else {
                is_named
            };
            assert!(is_right, "{axis} | {limits} | {mimic}: {refusal}");
        }
    }
}
