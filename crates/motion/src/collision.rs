//! Whether a configuration touches anything.

use std::collections::BTreeMap;

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{CollisionPair, MotionRequest, Pose};
use regrasp_kinematics::{Chain, RobotModel};

use crate::ArmPlannerError;
use crate::shapes;

/// Distance that the arm keeps from obstacles, m: what tracking error at the elbow
/// moves the furthest link.
const ARM_MARGIN_M: f64 = 0.005;
/// Distance that the fingers and what they hold keep, m. They work close to things
/// on purpose.
const HAND_MARGIN_M: f64 = 0.001;

/// Fingers and what they hold may seem to overlap with something by this much at the
/// start, m: they do touch things, and perception is not exact.
const HAND_DOUBT_M: f64 = 0.006;
/// How much closer than at the start a pair may come, m: rounding, not motion.
const NO_CLOSER_M: f64 = 1e-4;

/// The collision geometry of a robot, and how joints move it.
#[derive(Clone, Debug)]
pub(crate) struct RobotGeometry {
    model: RobotModel,
    arm_joints: Vec<usize>,
    finger_joints: Vec<usize>,
    base_link: usize,
    tool_link: usize,
    solids: Vec<LinkSolid>,
}

#[derive(Clone, Debug)]
struct LinkSolid {
    link_idx: usize,
    is_finger: bool,
    link_from_solid: ParryPose,
    shape: SharedShape,
}

/// What a request says is in the way, as parry sees it.
pub(crate) struct Surroundings {
    world_from_root: Pose,
    gripper_width_m: f64,
    solids: Vec<Solid>,
    held: Option<HeldSolid>,
    /// Pairs that are closer than the margin from the start. They may stay that close,
    /// but come no closer: whoever stands close to something must be able to leave.
    close_at_start: Vec<Touch>,
}

/// Two solids that are closer than they should be.
#[derive(Clone, Debug)]
struct Touch {
    pair: CollisionPair,
    /// Distance between them, m; negative while they overlap.
    gap_m: f64,
    /// Whether a finger or what is held is part of it.
    by_hand: bool,
}

struct Solid {
    name: String,
    may_be_touched: bool,
    shape: SharedShape,
    pose: ParryPose,
    aabb: Aabb,
}

struct HeldSolid {
    name: String,
    tool_from_object: Pose,
    shape: SharedShape,
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
            solids: moving_solids(model, chain.joint_idxs(), &finger_idxs)?,
            model: model.clone(),
        })
    }

    pub(crate) fn surroundings(&self, request: &MotionRequest<'_>) -> Surroundings {
        let root_from_base =
            self.model.link_poses(&vec![0.0; self.model.joints().len()])[self.base_link];
        let scene = request.scene;
        let solids = scene.obstacles.iter().filter_map(|obstacle| {
            let shape = shapes::from_object(&obstacle.shape)?;
            let pose = shapes::to_parry(&obstacle.world_from_object);
            Some(Solid {
                name: obstacle.id.to_string(),
                may_be_touched: scene.may_touch.contains(&obstacle.id),
                aabb: shape.compute_aabb(&pose),
                shape,
                pose,
            })
        });
        let mut around = Surroundings {
            world_from_root: request.world_from_base * root_from_base.inverse(),
            gripper_width_m: request.gripper_width_m,
            solids: solids.collect(),
            held: scene.attached.as_ref().and_then(|held| {
                Some(HeldSolid {
                    name: held.id.to_string(),
                    tool_from_object: held.tool_from_object,
                    shape: shapes::from_object(&held.shape)?,
                })
            }),
            close_at_start: vec![],
        };
        // Each round excuses one pair, so this ends; what truly overlaps stays.
        while let Some(touch) = self.first_touch(request.start, &around) {
            if touch.gap_m < if touch.by_hand { -HAND_DOUBT_M } else { 0.0 } {
                break;
            }
            around.close_at_start.push(touch);
        }
        around
    }

    /// The first pair that touches (or comes closer than the margin), if any.
    pub(crate) fn first_contact(&self, q: &[f64], around: &Surroundings) -> Option<CollisionPair> {
        self.first_touch(q, around).map(|touch| touch.pair)
    }

    fn first_touch(&self, q: &[f64], around: &Surroundings) -> Option<Touch> {
        let mut q_by_joint = vec![0.0; self.model.joints().len()];
        for (joint_idx, position) in self.arm_joints.iter().zip(q) {
            q_by_joint[*joint_idx] = *position;
        }
        for joint_idx in &self.finger_joints {
            q_by_joint[*joint_idx] = 0.5 * around.gripper_width_m;
        }
        let root_from_link = self.model.link_poses(&q_by_joint);
        let world_from_link = |link_idx: usize| around.world_from_root * root_from_link[link_idx];
        let by_arm = self.solids.iter().find_map(|solid| {
            let pose = shapes::to_parry(&world_from_link(solid.link_idx)) * solid.link_from_solid;
            let margin = if solid.is_finger {
                HAND_MARGIN_M
            } else {
                ARM_MARGIN_M
            };
            let name = &self.model.links()[solid.link_idx].name;
            around.contact(name, &solid.shape, &pose, margin, solid.is_finger)
        });
        by_arm.or_else(|| {
            let held = around.held.as_ref()?;
            let pose = shapes::to_parry(&(world_from_link(self.tool_link) * held.tool_from_object));
            around.contact(&held.name, &held.shape, &pose, HAND_MARGIN_M, true)
        })
    }
}

impl Surroundings {
    /// The first obstacle within `margin` of a solid called `name`.
    fn contact(
        &self,
        name: &str,
        shape: &SharedShape,
        pose: &ParryPose,
        margin: f64,
        may_touch: bool,
    ) -> Option<Touch> {
        let aabb = shape.compute_aabb(pose).loosened(margin);
        let near = self
            .solids
            .iter()
            .filter(|s| !(may_touch && s.may_be_touched));
        near.filter(|s| s.aabb.intersects(&aabb)).find_map(|s| {
            // An unsupported pair cannot occur among the shapes we build; it counts
            // as touching, which is the safe side.
            let gap_m = match query::contact(pose, &*shape.0, &s.pose, &*s.shape.0, margin) {
                Ok(contact) => contact?.dist,
                Err(_) => 0.0,
            };
            let pair = CollisionPair {
                link: name.to_owned(),
                other: s.name.clone(),
            };
            let at_start = self.close_at_start.iter().find(|touch| touch.pair == pair);
            let least_m = at_start.map_or(margin, |touch| touch.gap_m - NO_CLOSER_M);
            (gap_m < least_m).then_some(Touch {
                pair,
                gap_m,
                by_hand: may_touch,
            })
        })
    }
}

/// Collision solids of the links that the arm's joints move, base to tip.
fn moving_solids(
    model: &RobotModel,
    arm_joints: &[usize],
    finger_links: &[usize],
) -> Result<Vec<LinkSolid>, ArmPlannerError> {
    let mut moves: BTreeMap<usize, bool> = BTreeMap::from([(0, false)]);
    let mut solids = Vec::new();
    for (joint_idx, joint) in model.joints().iter().enumerate() {
        let parent_moves = moves.get(&joint.parent_link_idx).copied().unwrap_or(false);
        let link_idx = joint_idx + 1;
        let is_moved = parent_moves || arm_joints.contains(&joint_idx);
        moves.insert(link_idx, is_moved);
        if !is_moved {
            continue;
        }
        let link = &model.links()[link_idx];
        for collision in &link.collisions {
            let shape = shapes::from_link(&collision.geometry).ok_or_else(|| {
                ArmPlannerError::FlatGeometry {
                    link: link.name.clone(),
                }
            })?;
            solids.push(LinkSolid {
                link_idx,
                is_finger: finger_links.contains(&link_idx),
                link_from_solid: shapes::to_parry(&collision.link_from_geometry),
                shape,
            });
        }
    }
    Ok(solids)
}
