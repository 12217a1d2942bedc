//! Whether a configuration touches anything.

mod allowed;
mod own;
mod surroundings;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{CollisionPair, Pose};
use regrasp_kinematics::{Chain, RobotModel};
use regrasp_solids::{to_parry, whole};

use crate::ArmPlannerError;
use crate::spheres::Travel;
pub use allowed::{AllowedContacts, Proximity};
pub(crate) use own::OwnPairs;
use own::Posed;
pub(crate) use surroundings::Surroundings;
use surroundings::{Gap, Touch};

/// The collision geometry of a robot, and how joints move it.
#[derive(Clone, Debug)]
pub(crate) struct RobotGeometry {
    model: RobotModel,
    arm_joints: Vec<usize>,
    finger_joints: Vec<usize>,
    base_link: usize,
    tool_link: usize,
    solids: Vec<LinkSolid>,
    fixed_solids: Vec<LinkSolid>,
}

/// One collision shape of a link.
#[derive(Clone, Debug)]
pub(crate) struct LinkSolid {
    pub(crate) link_idx: usize,
    pub(crate) is_finger: bool,
    pub(crate) link_from_solid: ParryPose,
    pub(crate) shape: SharedShape,
    /// Bounds in the solid's own frame: turning a box is quicker than asking all corners
    /// of a shape for each pose.
    pub(crate) bounds: Aabb,
}

impl RobotGeometry {
    pub(crate) fn new(
        model: &RobotModel,
        chain: &Chain,
        finger_joints: &[String],
        finger_links: &[String],
    ) -> Result<Self, ArmPlannerError> {
        let joint = |name: &String| {
            model
                .joint_idx(name)
                .ok_or_else(|| ArmPlannerError::UnknownJoint {
                    joint: name.clone(),
                })
        };
        let link = |name: &str| {
            model
                .link_idx(name)
                .ok_or_else(|| ArmPlannerError::UnknownLink { link: name.into() })
        };
        let finger_idxs = finger_links
            .iter()
            .map(|l| link(l))
            .collect::<Result<Vec<_>, _>>()?;
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

    /// The first pair that touches (or comes closer than the margin), if any: a link, or
    /// what is held, against an obstacle or against another link.
    pub(crate) fn first_contact(&self, q: &[f64], around: &Surroundings) -> Option<CollisionPair> {
        if around.is_clear(q) {
            return None;
        }
        self.first_exact_contact(q, around)
    }

    /// The same by the exact shapes alone.
    pub(crate) fn first_exact_contact(
        &self,
        q: &[f64],
        around: &Surroundings,
    ) -> Option<CollisionPair> {
        let by_obstacle = self.first_touch(q, around, Gap::Any);
        let by_obstacle = by_obstacle.map(|touch| touch.pair);
        by_obstacle.or_else(|| self.first_own_contact(q, around))
    }

    /// Whether nothing touches, though everything may be off by what it travels.
    pub(crate) fn keeps_clear(
        &self,
        q: &[f64],
        around: &Surroundings,
        travel: Option<&Travel<'_>>,
    ) -> bool {
        let posed = self.posed(q, around.gripper_width_m());
        let held = self.held_in_root(q, around);
        let world_from_root = to_parry(&around.world_from_root());
        let keeps_clear = |name, solid: &Posed<'_>, bounds: Aabb, by_hand| {
            let travel_m = travel.map_or(0.0, |t| t.of_link(solid.link_idx));
            let pose = world_from_root * solid.pose;
            let in_world = (solid.shape, &pose, bounds.transform_by(&pose));
            around.keeps_clear(name, in_world, by_hand, travel_m)
        };
        let mut moving = self.solids.iter().zip(&posed[self.fixed_solids.len()..]);
        moving.all(|(solid, posed)| {
            let name = &self.model.links()[solid.link_idx].name;
            keeps_clear(name, posed, solid.bounds, solid.is_finger)
        }) && held.as_ref().is_none_or(|(name, posed)| {
            keeps_clear(name, posed, posed.shape.compute_local_aabb(), true)
        }) && self.keeps_clear_of_itself(&posed, held.as_ref(), around, travel)
    }

    /// Positions of all joints: those of the arm, and fingers `width_m` apart.
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

    pub(crate) fn solids(&self) -> &[LinkSolid] {
        &self.solids
    }

    pub(crate) fn fixed_solids(&self) -> &[LinkSolid] {
        &self.fixed_solids
    }

    /// Names of the links that are fingers.
    fn finger_names(&self) -> impl Iterator<Item = &str> {
        let fingers = self.solids.iter().filter(|s| s.is_finger);
        fingers.map(|s| self.model.links()[s.link_idx].name.as_str())
    }

    pub(crate) fn model(&self) -> &RobotModel {
        &self.model
    }

    pub(crate) fn arm_joints(&self) -> &[usize] {
        &self.arm_joints
    }

    pub(crate) fn tool_link(&self) -> usize {
        self.tool_link
    }

    /// Pose of the robot's root in the frame of the chain's base.
    pub(crate) fn base_from_root(&self) -> Pose {
        let rest = vec![0.0; self.model.joints().len()];
        self.model.link_poses(&rest)[self.base_link].inverse()
    }

    fn first_touch(&self, q: &[f64], around: &Surroundings, gap: Gap) -> Option<Touch> {
        let root_from_link = self
            .model
            .link_poses(&self.positions(q, around.gripper_width_m()));
        let world_from_link = |link_idx: usize| around.world_from_root() * root_from_link[link_idx];
        let by_arm = self.solids.iter().find_map(|solid| {
            let pose = to_parry(&world_from_link(solid.link_idx)) * solid.link_from_solid;
            let name = &self.model.links()[solid.link_idx].name;
            let posed = (&solid.shape, &pose, solid.bounds.transform_by(&pose));
            around.contact(name, posed, solid.is_finger, gap)
        });
        by_arm.or_else(|| {
            let (name, shape, tool_from_object) = around.held()?;
            let pose = to_parry(&(world_from_link(self.tool_link) * tool_from_object));
            let posed = (shape, &pose, shape.compute_aabb(&pose));
            around.contact(name, posed, true, gap)
        })
    }
}

/// Collision solids of the links that the arm's joints move, or of those that they do
/// not, base to tip.
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
            let shape =
                whole(&collision.geometry.solid()).map_err(|_| ArmPlannerError::FlatGeometry {
                    link: link.name.clone(),
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
