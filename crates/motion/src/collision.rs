//! Whether a configuration touches anything.

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
pub(crate) const ARM_MARGIN_M: f64 = 0.005;
/// Distance that the fingers and what they hold keep, m. They work close to things
/// on purpose.
pub(crate) const HAND_MARGIN_M: f64 = 0.001;

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
    fixed_solids: Vec<LinkSolid>,
}

/// One collision shape of a link.
#[derive(Clone, Debug)]
pub(crate) struct LinkSolid {
    pub(crate) link_idx: usize,
    pub(crate) is_finger: bool,
    pub(crate) link_from_solid: ParryPose,
    pub(crate) shape: SharedShape,
}

/// What a request says is in the way, as parry sees it.
#[derive(Clone)]
pub(crate) struct Surroundings {
    world_from_root: Pose,
    gripper_width_m: f64,
    arm_margin_m: f64,
    hand_margin_m: f64,
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

#[derive(Clone)]
struct Solid {
    name: String,
    may_be_touched: bool,
    shape: SharedShape,
    pose: ParryPose,
    aabb: Aabb,
}

#[derive(Clone)]
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
            solids: link_solids(model, chain.joint_idxs(), &finger_idxs, true)?,
            fixed_solids: link_solids(model, chain.joint_idxs(), &finger_idxs, false)?,
            model: model.clone(),
        })
    }

    pub(crate) fn surroundings(&self, request: &MotionRequest<'_>) -> Surroundings {
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
            world_from_root: request.world_from_base * self.base_from_root(),
            gripper_width_m: request.gripper_width_m,
            arm_margin_m: ARM_MARGIN_M,
            hand_margin_m: HAND_MARGIN_M,
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
        // Each round excuses one solid of a pair, so this ends; what truly overlaps stays.
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

    /// The first of the given pairs of links that overlap, if any.
    pub(crate) fn first_self_contact(
        &self,
        q: &[f64],
        width_m: f64,
        link_pairs: &[(usize, usize)],
    ) -> Option<CollisionPair> {
        let root_from_link = self.model.link_poses(&self.positions(q, width_m));
        let solids = self.fixed_solids.iter().chain(&self.solids);
        let posed: Vec<_> = solids
            .map(|s| {
                let pose = shapes::to_parry(&root_from_link[s.link_idx]) * s.link_from_solid;
                (s, pose, s.shape.compute_aabb(&pose))
            })
            .collect();
        let of = |link: usize| posed.iter().filter(move |(s, ..)| s.link_idx == link);
        link_pairs.iter().find_map(|(a, b)| {
            let touch = of(*a).any(|(s, at, aabb)| {
                of(*b).any(|(t, bt, other)| {
                    aabb.intersects(other)
                        && query::distance(at, &*s.shape.0, bt, &*t.shape.0)
                            .map_or(true, |gap| gap.distance <= 0.0)
                })
            });
            touch.then(|| CollisionPair {
                link: self.model.links()[*a].name.clone(),
                other: self.model.links()[*b].name.clone(),
            })
        })
    }

    fn first_touch(&self, q: &[f64], around: &Surroundings) -> Option<Touch> {
        let root_from_link = self
            .model
            .link_poses(&self.positions(q, around.gripper_width_m));
        let world_from_link = |link_idx: usize| around.world_from_root * root_from_link[link_idx];
        let by_arm = self.solids.iter().find_map(|solid| {
            let pose = shapes::to_parry(&world_from_link(solid.link_idx)) * solid.link_from_solid;
            let margin = if solid.is_finger {
                around.hand_margin_m
            } else {
                around.arm_margin_m
            };
            let name = &self.model.links()[solid.link_idx].name;
            around.contact(name, &solid.shape, &pose, margin, solid.is_finger)
        });
        by_arm.or_else(|| {
            let held = around.held.as_ref()?;
            let pose = shapes::to_parry(&(world_from_link(self.tool_link) * held.tool_from_object));
            around.contact(&held.name, &held.shape, &pose, around.hand_margin_m, true)
        })
    }
}

impl Surroundings {
    /// The same with another distance to be kept from obstacles, and no excuses.
    pub(crate) fn with_margin(mut self, margin_m: f64) -> Self {
        (self.arm_margin_m, self.hand_margin_m) = (margin_m, margin_m);
        self.close_at_start.clear();
        self
    }

    /// Distances that the arm and the hand keep, m.
    pub(crate) fn margins_m(&self) -> [f64; 2] {
        [self.arm_margin_m, self.hand_margin_m]
    }

    /// Whether some pair may come closer than the margin.
    pub(crate) fn has_excuses(&self) -> bool {
        !self.close_at_start.is_empty()
    }

    /// The shape of what is held, and where it is in the tool's frame.
    pub(crate) fn held(&self) -> Option<(&SharedShape, &Pose)> {
        self.held.as_ref().map(|h| (&h.shape, &h.tool_from_object))
    }

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
            // A link of several solids may have come into it with more than one of them:
            // the closest counts, or the excuses would never end.
            let excused = self.close_at_start.iter().filter(|t| t.pair == pair);
            let closest_m = excused.map(|touch| touch.gap_m).min_by(f64::total_cmp);
            let least_m = closest_m.map_or(margin, |gap_m| gap_m - NO_CLOSER_M);
            (gap_m < least_m).then_some(Touch {
                pair,
                gap_m,
                by_hand: may_touch,
            })
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
