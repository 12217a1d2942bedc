//! Dimensions of a gripper, from its collision geometry.

use nalgebra::{Isometry3, Vector3};
use regrasp_geometry::{Aabb, Part};
use thiserror::Error;

use crate::model::{Joint, JointKind, Link, RobotModel};

/// Tolerated excess of half of the gripper's width over the range of a finger's joint, m.
const TRAVEL_TOL_M: f64 = 5e-4;
/// Tolerated distance of pads from their expected places, m. Collision shapes such as hulls and
/// boxes deviate from the pads by some millimetres.
pub(crate) const PAD_TOL_M: f64 = 0.01;
/// Tolerated distance of the tool point from the pads along z, m: it may be ahead of the tips.
const PAD_REACH_TOL_M: f64 = 0.02;
/// Distance between the middles of the pads along y, m, below which their order is unclear.
pub(crate) const PAD_SIDE_TOL_M: f64 = 1e-3;

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
    #[error("set up the robot: its URDF has no joint `{joint}`")]
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
        "set up the robot: finger joint `{joint}` {problem}. Both fingers must move by half of the \
         gripper's width, each away from the other"
    )]
    FingerMotion { joint: String, problem: String },
    #[error("set up the robot: {problem}")]
    Pads { problem: String },
    #[error(
        "set up the robot: the hand that `{drive}` drives cannot be modelled by sliding fingers: \
         {problem}"
    )]
    Linkage { drive: String, problem: String },
    #[error(
        "set up the robot: link `{link}` of `{robot}` has no collision shape, which fingers and \
         palm, or the tool in their place, need"
    )]
    NoFinger { robot: String, link: String },
}

/// A robot at given joint positions, relative to its tool.
pub(crate) struct Posed<'a> {
    model: &'a RobotModel,
    pub(crate) root_from_link: Vec<Isometry3<f64>>,
    pub(crate) tool_from_root: Isometry3<f64>,
}

/// Places of two pads in the tool frame.
pub(crate) struct Pads {
    /// Distance between the inner faces, m.
    pub(crate) width_m: f64,
    /// Place of the middle between the inner faces along the tool's y axis, m.
    pub(crate) middle_m: f64,
    /// Displacement of the first pad's middle from that of the other along y, m.
    pub(crate) apart_m: f64,
    /// Bounds of each pad, m.
    pub(crate) bounds: [Aabb; 2],
}

impl RobotModel {
    /// Returns the dimensions of a gripper, or of the tool that the arm carries in place of one.
    ///
    /// # Errors
    ///
    /// [`GripperError`] if a link or joint is unknown, a finger does not slide along the tool's y
    /// axis, the tool point is not between the pads, they are not as far apart as the widths
    /// require, or a finger, the palm or a tool has no collision shape.
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
        let tip_in_tool = closed.solid_bounds(names, tip)?;
        let end_m = tip_in_tool.max[2];
        let palm_m = match names.fingers.is_empty() {
            true => tip_in_tool.min[2],
            false => closed.solid_bounds(names, names.hand)?.max[2],
        };
        closed.check_pads(names, end_m - palm_m)?;
        let fingers = names.fingers.iter().zip(names.finger_joints);
        let fingers = fingers.map(|(link, joint)| {
            Ok(FingerGeometry {
                parts: closed.carried(link, joint)?,
                axis_in_tool: closed.axis_in_tool(closed.joint(joint)?),
            })
        });
        Ok(GripperGeometry {
            fingertip_beyond_tool_m: end_m,
            finger_length_m: end_m - palm_m,
            pad_width_m: tip_in_tool.size().x,
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

    /// Checks that each joint carries its finger, that the pads are around the tool point and as
    /// far apart as the widths require, and that tool z points out of the hand.
    fn check_pads(&self, names: &GripperLinks<'_>, length_m: f64) -> Result<(), GripperError> {
        let wrong = |problem: String| Err(GripperError::Pads { problem });
        for (link, joint) in names.fingers.iter().zip(names.finger_joints) {
            let mut above = self.model.joints_above(link_idx(self.model, link)?);
            if !above.any(|idx| self.model.joints()[idx].name == *joint) {
                return wrong(format!(
                    "joint `{joint}` does not carry link `{link}`; list `finger_joints` in the \
                     order of `finger_links`"
                ));
            }
        }
        let (tool, hand) = (names.tool, names.hand);
        let positions = names.width_m.map(|width_m| 0.5 * width_m);
        for (position, expected_m) in positions.into_iter().zip(names.width_m) {
            let fingers = names.finger_joints.iter();
            let fingers = fingers.map(|joint| (joint.as_str(), position));
            let q_by_joint = self.model.joint_positions(fingers).unwrap_or_default();
            let Some(pads) = Self::new(self.model, tool, &q_by_joint)?.pads(names)? else {
                return Ok(());
            };
            let (width_m, middle_m) = (pads.width_m, pads.middle_m);
            if let [joint, ..] = names.finger_joints
                && pads.apart_m * self.axis_in_tool(self.joint(joint)?).y < -PAD_SIDE_TOL_M
            {
                return wrong(format!(
                    "joint `{joint}` moves `{}` towards the other pad, but its position must grow \
                     away from it, from 0 where the pads meet; correct `origin` and `axis` of both \
                     finger joints",
                    names.fingers[0]
                ));
            }
            if (width_m - expected_m).abs() > PAD_TOL_M {
                return wrong(format!(
                    "with the finger joints at {position:.4} m, the pads are {width_m:.4} m apart, \
                     but must be {expected_m:.4} m apart, twice as much; correct `origin` and \
                     `axis` of these joints, or `min_width_m` and `max_width_m`"
                ));
            }
            if middle_m.abs() > PAD_TOL_M {
                return wrong(format!(
                    "the middle between the pads is {middle_m:.4} m from the tool point along y \
                     of `{tool}`; move that link to the middle"
                ));
            }
            for (axis, i, tol_m) in [("x", 0, 0.0), ("z", 2, PAD_REACH_TOL_M)] {
                let [a, b] = &pads.bounds;
                let (low, high) = (a.min[i].max(b.min[i]), a.max[i].min(b.max[i]));
                if low > tol_m || high < -tol_m {
                    return wrong(format!(
                        "the pads extend from {low:.4} to {high:.4} m along {axis} of `{tool}`, a \
                         range that must contain its origin; move that link"
                    ));
                }
            }
        }
        if !names.fingers.is_empty() && length_m < -PAD_TOL_M {
            return wrong(format!(
                "the fingertips end {:.4} m behind `{hand}` along z of `{tool}`, which must point \
                 out of the hand; turn that link",
                -length_m
            ));
        }
        Ok(())
    }

    /// Places of the first two pads; `None` if there are fewer.
    pub(crate) fn pads(&self, names: &GripperLinks<'_>) -> Result<Option<Pads>, GripperError> {
        let [pad, other, ..] = names.fingers else {
            return Ok(None);
        };
        let bounds = [
            self.solid_bounds(names, pad)?,
            self.solid_bounds(names, other)?,
        ];
        let [a, b] = bounds.map(|bounds| [bounds.min[1], bounds.max[1]]);
        let apart_m = 0.5 * (a[0] + a[1] - b[0] - b[1]);
        let side = apart_m.signum();
        let faces = if side > 0.0 {
            [a[0], b[1]]
        } else {
            [a[1], b[0]]
        };
        Ok(Some(Pads {
            // Rounded to the nanometre, so that closed pads are not -0.0 mm apart.
            width_m: (1e9 * side * (faces[0] - faces[1])).round() / 1e9 + 0.0,
            middle_m: 0.5 * (faces[0] + faces[1]),
            apart_m,
            bounds,
        }))
    }

    pub(crate) fn joint(&self, name: &str) -> Result<&Joint, GripperError> {
        let found = self.model.joints().iter().find(|joint| joint.name == name);
        let missing = || GripperError::NoSuchJoint {
            joint: name.to_owned(),
        };
        found.ok_or_else(missing)
    }

    pub(crate) fn axis_in_tool(&self, joint: &Joint) -> Vector3<f64> {
        let root_from_joint = self.root_from_link[joint.parent_link_idx] * joint.parent_from_joint;
        self.tool_from_root * (root_from_joint * joint.axis.into_inner())
    }

    /// Collision shapes of the link alone, in the tool frame.
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

    /// Bounds of a link in the tool frame; not finite if the link has no collision shape.
    pub(crate) fn bounds(&self, link: &str) -> Result<Aabb, GripperError> {
        let parts = self.parts(link)?.into_iter();
        let bounds = parts.map(|part| part.shape.aabb(&part.object_from_part));
        Ok(Aabb::around(bounds.flat_map(|b| [b.min, b.max])))
    }

    fn solid_bounds(&self, names: &GripperLinks<'_>, link: &str) -> Result<Aabb, GripperError> {
        let bounds = self.bounds(link)?;
        match bounds.size().iter().all(|m| m.is_finite()) {
            true => Ok(bounds),
            false => Err(GripperError::NoFinger {
                robot: names.robot.to_owned(),
                link: link.to_owned(),
            }),
        }
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

    /// Error message for a hand whose second finger has the given axis, limits and mimic; empty if
    /// the hand is accepted.
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
        // first; a part of the message. Negative positions along the first finger's axis are the
        // same motion as positive ones along the opposite axis.
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
