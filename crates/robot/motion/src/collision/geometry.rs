//! Collision geometry of a robot.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;
use regrasp_api::Pose;
use regrasp_geometry_parry::{to_parry, whole};
use regrasp_kinematics::{Chain, RobotModel};

use crate::error::ArmPlannerError;

#[derive(Clone, Debug)]
pub(crate) struct RobotGeometry {
    pub(crate) model: RobotModel,
    pub(crate) arm_joints: Vec<usize>,
    finger_joints: Vec<usize>,
    base_link: usize,
    pub(crate) tool_link: usize,
    pub(crate) solids: Vec<LinkSolid>,
    pub(crate) fixed_solids: Vec<LinkSolid>,
}

#[derive(Clone, Debug)]
pub(crate) struct LinkSolid {
    pub(crate) link_idx: usize,
    pub(crate) is_finger: bool,
    pub(crate) link_from_solid: ParryPose,
    pub(crate) shape: SharedShape,
    /// Bounds in the solid's own frame. Rotating a box is faster than recomputing the bounds from
    /// all corners for each pose.
    pub(crate) bounds: Aabb,
}

impl RobotGeometry {
    pub(crate) fn new(
        model: &RobotModel,
        chain: &Chain,
        finger_joints: &[String],
        finger_links: &[String],
    ) -> Result<Self, ArmPlannerError> {
        let missing =
            |kind: &str, name: &str| ArmPlannerError(format!("the robot has no {kind} `{name}`"));
        let joint = |name: &String| model.joint_idx(name).ok_or_else(|| missing("joint", name));
        let link = |name: &str| model.link_idx(name).ok_or_else(|| missing("link", name));
        let finger_idxs = finger_links.iter().map(|l| link(l));
        let finger_idxs = finger_idxs.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            arm_joints: chain.joint_idxs().to_vec(),
            finger_joints: finger_joints.iter().map(joint).collect::<Result<_, _>>()?,
            base_link: link(chain.base_link())?,
            tool_link: link(chain.tip_link())?,
            solids: link_solids(model, chain.joint_idxs(), &finger_idxs, true)?,
            fixed_solids: link_solids(model, chain.joint_idxs(), &finger_idxs, false)?,
            model: model.clone(),
        })
    }

    /// Positions of all joints: the arm's from `q`, and the fingers `width_m` apart.
    pub(crate) fn positions(&self, q: &[f64], width_m: f64) -> Vec<f64> {
        let mut q_by_joint = vec![0.0; self.model.joints().len()];
        for (joint_idx, position) in self.arm_joints.iter().zip(q) {
            q_by_joint[*joint_idx] = *position;
        }
        for joint_idx in &self.finger_joints {
            q_by_joint[*joint_idx] = 0.5 * width_m;
        }
        q_by_joint
    }

    pub(super) fn finger_names(&self) -> impl Iterator<Item = &str> {
        let fingers = self.solids.iter().filter(|s| s.is_finger);
        fingers.map(|s| self.model.links()[s.link_idx].name.as_str())
    }

    /// Pose of the robot's root in the frame of the chain's base.
    pub(crate) fn base_from_root(&self) -> Pose {
        let rest = vec![0.0; self.model.joints().len()];
        self.model.link_poses(&rest)[self.base_link].inverse()
    }
}

/// Collision solids from base to tip: of the links that the arm's joints move, or, if `moving` is
/// unset, of all others.
fn link_solids(
    model: &RobotModel,
    arm_joints: &[usize],
    finger_links: &[usize],
    moving: bool,
) -> Result<Vec<LinkSolid>, ArmPlannerError> {
    let mut moves = vec![false; model.links().len()];
    let mut solids = Vec::new();
    for link_idx in 0..model.links().len() {
        if let Some(joint_idx) = model.parent_joint_idx(link_idx) {
            let parent_moves = moves[model.joints()[joint_idx].parent_link_idx];
            moves[link_idx] = parent_moves || arm_joints.contains(&joint_idx);
        }
        if moves[link_idx] != moving {
            continue;
        }
        let link = &model.links()[link_idx];
        for collision in &link.collisions {
            let shape = whole(&collision.geometry.solid()).map_err(|_| {
                let name = &link.name;
                let why = format!("a collision shape of link `{name}` spans no volume");
                ArmPlannerError(why)
            })?;
            solids.push(LinkSolid {
                link_idx,
                is_finger: finger_links.contains(&link_idx),
                link_from_solid: to_parry(&collision.link_from_geometry),
                bounds: shape.compute_local_aabb(),
                shape,
            });
        }
    }
    Ok(solids)
}

/// Pairs of a robot's own parts that must not touch, as indices of links.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnPairs {
    pub(crate) links: Vec<(usize, usize)>,
    /// Links that must not touch the held object: all links that do not move with it.
    pub(crate) against_held: Vec<usize>,
}
