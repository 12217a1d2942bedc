//! What is in the way of a motion.

use std::sync::Arc;

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{CollisionPair, MotionRequest, Pose};
use regrasp_geometry_parry::{to_parry, whole};

use super::allowed::AllowedContacts;
use super::geometry::{OwnPairs, RobotGeometry};
use super::posed::are_within;
use crate::spheres::SphereScene;

/// Distance that the arm keeps from obstacles, m: what tracking error at the elbow
/// moves the furthest link.
const ARM_MARGIN_M: f64 = 0.005;
/// Distance that the fingers and what they hold keep, m. They work close to things
/// on purpose.
const HAND_MARGIN_M: f64 = 0.001;

/// Distance by which a pair may come closer than at the start, m: rounding, not motion.
const NO_CLOSER_M: f64 = 1e-4;

/// Obstacles of a request, as parry sees them.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(super) world_from_root: Pose,
    pub(super) gripper_width_m: f64,
    arm_margin_m: f64,
    hand_margin_m: f64,
    solids: Vec<Solid>,
    held: Option<HeldSolid>,
    /// Pairs that are closer than the margin from the start. They may stay that close,
    /// but come no closer: whoever stands close to something must be able to leave.
    close_at_start: Vec<Touch>,
    /// Pairs that may touch.
    pub(super) allowed: AllowedContacts,
    /// True if spheres may be hit where the exact shapes are told to look away.
    is_excused: bool,
    /// Pairs of the robot's own links, and of what is held with them.
    pub(super) own: Arc<OwnPairs>,
    /// The same as spheres: what they call clear needs no exact shapes.
    spheres: Option<Arc<SphereScene>>,
}

/// Two solids that are closer than they should be.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) pair: CollisionPair,
    /// Distance between them, m; negative while they overlap. Zero if nobody asked.
    pub(super) gap_m: f64,
    /// True if a finger or what is held is part of it.
    pub(super) by_hand: bool,
}

/// Need for the depth of an overlap, which takes most of the time to find out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    Measured,
    Any,
}

#[derive(Clone)]
struct Solid {
    name: String,
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

impl Surroundings {
    /// The surroundings of a request, without any excuse.
    pub(super) fn new(geometry: &RobotGeometry, request: &MotionRequest<'_>) -> Self {
        let scene = request.scene;
        let solids = scene.obstacles.iter().filter_map(|obstacle| {
            let shape = whole(&obstacle.shape).ok()?;
            let pose = to_parry(&obstacle.world_from_object);
            Some(Solid {
                name: obstacle.id.to_string(),
                aabb: shape.compute_aabb(&pose),
                shape,
                pose,
            })
        });
        let mut around = Self {
            world_from_root: request.world_from_base * geometry.base_from_root(),
            gripper_width_m: request.gripper_width_m,
            arm_margin_m: ARM_MARGIN_M,
            hand_margin_m: HAND_MARGIN_M,
            solids: solids.collect(),
            held: scene.attached.as_ref().and_then(|held| {
                Some(HeldSolid {
                    name: held.id.to_string(),
                    tool_from_object: held.tool_from_object,
                    shape: whole(&held.shape).ok()?,
                })
            }),
            close_at_start: vec![],
            allowed: AllowedContacts::default(),
            is_excused: false,
            own: Arc::default(),
            spheres: None,
        };
        let held = scene.attached.as_ref().map(|held| held.id.to_string());
        for id in &scene.may_touch {
            for who in geometry.finger_names().chain(held.as_deref()) {
                around.allowed.allow(who, &id.to_string());
            }
        }
        around
    }

    /// Lets two solids stay as close as they are.
    pub(super) fn excuse(&mut self, touch: Touch) {
        self.close_at_start.push(touch);
    }

    /// Takes over which of the robot's own pairs may not touch; `all` before the excuses.
    pub(super) fn set_own(&mut self, open: OwnPairs, all: &OwnPairs) {
        self.is_excused = open.links.len() < all.links.len();
        self.own = Arc::new(open);
    }

    /// The same with another distance to be kept from obstacles, and no excuses.
    pub(crate) fn with_margin(mut self, margin_m: f64) -> Self {
        (self.arm_margin_m, self.hand_margin_m) = (margin_m, margin_m);
        self.close_at_start.clear();
        self.spheres = None;
        self
    }

    /// Lets more pairs touch.
    pub(crate) fn allow(&mut self, more: &AllowedContacts) {
        if more.is_empty() {
            return;
        }
        self.allowed.extend(more);
        self.is_excused = true;
    }

    /// Name, shape, pose in World and bounds of each obstacle.
    pub(super) fn obstacles(
        &self,
    ) -> impl Iterator<Item = (&str, &SharedShape, &ParryPose, &Aabb)> {
        let solids = self.solids.iter();
        solids.map(|s| (s.name.as_str(), &s.shape, &s.pose, &s.aabb))
    }

    /// Takes an obstacle away; whether there was one of this name.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let n = self.solids.len();
        self.solids.retain(|s| s.name != name);
        self.spheres = None;
        self.solids.len() < n
    }

    /// The same with spheres to look at first.
    pub(crate) fn with_spheres(mut self, scene: SphereScene) -> Self {
        self.spheres = Some(Arc::new(scene));
        self
    }

    /// Returns true if spheres are sure that a configuration is free.
    pub(super) fn is_clear(&self, q: &[f64]) -> bool {
        let spheres = self.spheres.as_ref();
        spheres.is_some_and(|s| s.look(q, q, [0.0; 8], 0.0).perhaps == 0)
    }

    /// Those of up to eight configurations that spheres are sure to be free, one bit each.
    pub(crate) fn clear(&self, configurations: &[Vec<f64>]) -> u32 {
        let spheres = self.spheres.as_ref();
        spheres.map_or(0, |spheres| spheres.clear(configurations))
    }

    /// Distances that the arm and the hand keep, m.
    pub(crate) fn margins_m(&self) -> [f64; 2] {
        [self.arm_margin_m, self.hand_margin_m]
    }

    /// Returns true if some pair may come closer than the margin.
    pub(crate) fn has_excuses(&self) -> bool {
        self.is_excused || !self.close_at_start.is_empty()
    }

    /// Name and shape of what is held, and where it is in the tool's frame.
    pub(crate) fn held(&self) -> Option<(&str, &SharedShape, &Pose)> {
        let held = self.held.as_ref()?;
        Some((&held.name, &held.shape, &held.tool_from_object))
    }

    /// Returns true if a solid called `name` keeps its distance from all obstacles, though it may
    /// be off by `travel_m`.
    pub(super) fn keeps_clear(
        &self,
        name: &str,
        (shape, pose, bounds): (&SharedShape, &ParryPose, Aabb),
        by_hand: bool,
        travel_m: f64,
    ) -> bool {
        let within_m = self.margin_m(by_hand) + travel_m;
        let mut near = self.near(name, bounds.loosened(within_m));
        near.all(|s| match self.closest_at_start_m(name, s) {
            None => !are_within(within_m, (pose, shape), (&s.pose, &s.shape)),
            Some(closest_m) => {
                let gap = query::contact(pose, &*shape.0, &s.pose, &*s.shape.0, within_m);
                let far_m = closest_m - NO_CLOSER_M + travel_m;
                gap.is_ok_and(|gap| gap.is_none_or(|gap| gap.dist >= far_m))
            }
        })
    }

    /// The first obstacle that is too close to a solid called `name`.
    pub(super) fn contact(
        &self,
        name: &str,
        (shape, pose, bounds): (&SharedShape, &ParryPose, Aabb),
        by_hand: bool,
        gap: Gap,
    ) -> Option<Touch> {
        let margin = self.margin_m(by_hand);
        let mut near = self.near(name, bounds.loosened(margin));
        near.find_map(|s| {
            let pair = || CollisionPair {
                link: name.to_owned(),
                other: s.name.clone(),
            };
            let closest_m = self.closest_at_start_m(name, s);
            if gap == Gap::Any && closest_m.is_none() {
                let touches = are_within(margin, (pose, shape), (&s.pose, &s.shape));
                return touches.then(|| Touch {
                    pair: pair(),
                    gap_m: 0.0,
                    by_hand,
                });
            }
            // An unsupported pair cannot occur among the shapes we build; it counts
            // as touching, which is the safe side.
            let gap_m = match query::contact(pose, &*shape.0, &s.pose, &*s.shape.0, margin) {
                Ok(contact) => contact?.dist,
                Err(_) => 0.0,
            };
            let least_m = closest_m.map_or(margin, |gap_m| gap_m - NO_CLOSER_M);
            (gap_m < least_m).then(|| Touch {
                pair: pair(),
                gap_m,
                by_hand,
            })
        })
    }

    /// Distance that the arm or the hand keeps, m.
    fn margin_m(&self, by_hand: bool) -> f64 {
        if by_hand {
            self.hand_margin_m
        } else {
            self.arm_margin_m
        }
    }

    /// Obstacles that touch a box, less those that `name` may touch.
    fn near<'a>(&'a self, name: &'a str, aabb: Aabb) -> impl Iterator<Item = &'a Solid> {
        let near = self.solids.iter().filter(move |s| s.aabb.intersects(&aabb));
        near.filter(move |s| !self.allowed.allows(name, &s.name))
    }

    /// The gap to an obstacle that is excused since the start, m. A link of several solids may
    /// have come into it with more than one of them: the closest counts, or the excuses would
    /// never end.
    fn closest_at_start_m(&self, name: &str, solid: &Solid) -> Option<f64> {
        let is_it = |t: &&Touch| t.pair.link == name && t.pair.other == solid.name;
        let excused = self.close_at_start.iter().filter(is_it);
        excused.map(|touch| touch.gap_m).min_by(f64::total_cmp)
    }
}
