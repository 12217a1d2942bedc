//! Obstacles and held object of a motion request, and the pairs that may touch.

use std::sync::Arc;

use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{CollisionPair, MotionRequest, Pose};
use regrasp_geometry_parry::{to_parry, whole};

use super::geometry::{OwnPairs, RobotGeometry};
use super::posed::{Posed, are_within, gap_m};
use crate::Body;
use crate::spheres::SphereScene;

/// Clearance of the arm from obstacles, m: the largest displacement of the elbow by tracking error.
const ARM_MARGIN_M: f64 = 0.005;
/// Clearance of the fingers and the held object from obstacles, m: small, since grasping and
/// placing happen close to objects.
pub(crate) const HAND_MARGIN_M: f64 = 0.001;
/// Preferred clearance of the fingers and the held object while it is carried, m: tracking errors,
/// and what the object shifts in the hand.
pub(crate) const CARRY_MARGIN_M: f64 = 0.006;

/// Distance by which a pair may come closer than at the start, m. It covers rounding, not motion.
const NO_CLOSER_M: f64 = 1e-4;

/// Obstacles and held object of a request as parry shapes, and the pairs that may touch.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(super) world_from_root: ParryPose,
    pub(super) gripper_width_m: f64,
    arm_margin_m: f64,
    hand_margin_m: f64,
    solids: Vec<Solid>,
    /// Name and shape of the held object, and its pose in the tool's frame.
    held: Option<(String, SharedShape, Pose)>,
    /// Pairs closer than the margin at the start. They may stay that close but come no closer: an
    /// arm that stands close to an obstacle must be able to leave.
    close_at_start: Vec<Touch>,
    pub(super) allowed: AllowedContacts,
    /// Set if some hits of spheres do not count as contact, since a pair was too close at the start
    /// or may touch.
    is_excused: bool,
    /// Pairs of the robot's own links, and of links with the held object, that must not touch.
    pub(super) own: Arc<OwnPairs>,
    /// Spheres of the scene: a configuration that is clear there needs no exact check.
    spheres: Option<Arc<SphereScene>>,
}

/// Two solids that are closer than they should be.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) pair: CollisionPair,
    /// Distance between the two solids, m, negative while they overlap.
    pub(super) gap_m: f64,
    /// Set if a finger or the held object is part of the pair.
    pub(super) by_hand: bool,
}

#[derive(Clone)]
struct Solid {
    name: String,
    body: Body,
}

impl Surroundings {
    /// The surroundings of a request, with the full margins for all pairs.
    pub(super) fn new(
        geometry: &RobotGeometry,
        request: &MotionRequest<'_>,
        hand_margin_m: f64,
    ) -> Self {
        let scene = request.scene;
        let solids = scene.obstacles.iter().filter_map(|obstacle| {
            Some(Solid {
                name: obstacle.id.to_string(),
                body: Body::new(&obstacle.shape, &obstacle.world_from_object)?,
            })
        });
        let mut around = Self {
            world_from_root: to_parry(&(request.world_from_base * geometry.base_from_root())),
            gripper_width_m: request.gripper_width_m,
            arm_margin_m: ARM_MARGIN_M,
            hand_margin_m,
            solids: solids.collect(),
            held: scene.attached.as_ref().and_then(|held| {
                let shape = whole(&held.shape).ok()?;
                Some((held.id.to_string(), shape, held.tool_from_object))
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

    pub(super) fn excuse(&mut self, touch: Touch) {
        self.close_at_start.push(touch);
    }

    /// Sets the robot's own pairs that must not touch: `open`, which are `all` pairs without those
    /// that overlap slightly at the start.
    pub(super) fn set_own(&mut self, open: OwnPairs, all: &OwnPairs) {
        self.is_excused = open.links.len() < all.links.len();
        self.own = Arc::new(open);
    }

    /// Replaces both margins by `margin_m`, and drops the spheres and the gaps accepted at the
    /// start.
    pub(crate) fn with_margin(mut self, margin_m: f64) -> Self {
        (self.arm_margin_m, self.hand_margin_m) = (margin_m, margin_m);
        self.close_at_start.clear();
        self.spheres = None;
        self
    }

    pub(crate) fn allow(&mut self, more: &AllowedContacts) {
        for [a, b] in &more.pairs {
            self.allowed.allow(a, b);
            self.is_excused = true;
        }
    }

    /// Removes an obstacle; returns false if there is no obstacle with this name.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let n = self.solids.len();
        self.solids.retain(|s| s.name != name);
        self.spheres = None;
        self.solids.len() < n
    }

    pub(crate) fn with_spheres(mut self, scene: SphereScene) -> Self {
        self.spheres = Some(Arc::new(scene));
        self
    }

    /// Returns true if spheres prove that a configuration is free.
    pub(super) fn is_clear(&self, q: &[f64]) -> bool {
        let spheres = self.spheres.as_ref();
        spheres.is_some_and(|s| s.look(q, q, [0.0; 8], 0.0).perhaps == 0)
    }

    /// One bit for each of up to eight configurations, set if spheres prove it free.
    pub(crate) fn clear(&self, configurations: &[Vec<f64>]) -> u32 {
        let spheres = self.spheres.as_ref();
        spheres.map_or(0, |spheres| spheres.clear(configurations))
    }

    pub(crate) fn margins_m(&self) -> [f64; 2] {
        [self.arm_margin_m, self.hand_margin_m]
    }

    /// Returns true if some pair may be closer than its margin.
    pub(crate) fn has_excuses(&self) -> bool {
        self.is_excused || !self.close_at_start.is_empty()
    }

    pub(crate) fn held(&self) -> Option<(&str, &SharedShape, &Pose)> {
        let (name, shape, tool_from_object) = self.held.as_ref()?;
        Some((name, shape, tool_from_object))
    }

    /// Name of the first obstacle that comes within its margin of a solid if the solid moves by
    /// `travel_m`.
    pub(super) fn too_near<'a>(&'a self, solid: &Posed<'a>, travel_m: f64) -> Option<&'a str> {
        let within_m = self.margin_m(solid.by_hand) + travel_m;
        let is_too_near = |s: &&Solid| match self.closest_at_start_m(solid.name, s) {
            None => are_within(within_m, solid.placed(), s.body.placed()),
            Some(closest_m) => {
                let far_m = closest_m - NO_CLOSER_M + travel_m;
                s.gap_m(solid, within_m).is_some_and(|gap_m| gap_m < far_m)
            }
        };
        let found = self.near(solid, within_m).find(is_too_near);
        found.map(|s| s.name.as_str())
    }

    /// The first obstacle that is within its margin of a solid, and the gap.
    pub(super) fn first_touch(&self, solid: &Posed<'_>) -> Option<Touch> {
        let margin_m = self.margin_m(solid.by_hand);
        self.near(solid, margin_m).find_map(|s| {
            let closest_m = self.closest_at_start_m(solid.name, s);
            let least_m = closest_m.map_or(margin_m, |gap_m| gap_m - NO_CLOSER_M);
            let gap_m = s.gap_m(solid, margin_m).filter(|gap_m| *gap_m < least_m)?;
            Some(Touch {
                pair: CollisionPair {
                    link: solid.name.to_owned(),
                    other: s.name.clone(),
                },
                gap_m,
                by_hand: solid.by_hand,
            })
        })
    }

    /// Names and gaps of the obstacles within a distance of a solid.
    pub(super) fn gaps<'a>(
        &'a self,
        solid: &Posed<'a>,
        within_m: f64,
    ) -> impl Iterator<Item = (&'a str, f64)> {
        let near = self.near(solid, within_m);
        near.filter_map(move |s| Some((s.name.as_str(), s.gap_m(solid, within_m)?)))
    }

    fn margin_m(&self, by_hand: bool) -> f64 {
        if by_hand {
            self.hand_margin_m
        } else {
            self.arm_margin_m
        }
    }

    /// Obstacles whose bounds are within a distance of a solid's, without those that it may touch.
    fn near<'a>(&'a self, solid: &Posed<'a>, m: f64) -> impl Iterator<Item = &'a Solid> {
        let (name, aabb) = (solid.name, solid.aabb.loosened(m));
        let is_near = move |s: &&Solid| s.body.aabb.intersects(&aabb);
        let near = self.solids.iter().filter(is_near);
        near.filter(move |s| !self.allowed.allows(name, &s.name))
    }

    /// Accepted gap at the start between a link and an obstacle, m. If several solids of the link
    /// are close, the smallest gap counts, or the loop of [`RobotGeometry::surroundings`] would
    /// never end.
    fn closest_at_start_m(&self, name: &str, solid: &Solid) -> Option<f64> {
        let is_it = |t: &&Touch| t.pair.link == name && t.pair.other == solid.name;
        let excused = self.close_at_start.iter().filter(is_it);
        excused.map(|touch| touch.gap_m).min_by(f64::total_cmp)
    }
}

impl Solid {
    fn gap_m(&self, solid: &Posed<'_>, within_m: f64) -> Option<f64> {
        gap_m(within_m, solid.placed(), self.body.placed())
    }
}

/// Names of links, obstacles and held objects that may touch each other: the allowed entries of an
/// allowed-collision matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedContacts {
    pairs: Vec<[String; 2]>,
}

impl AllowedContacts {
    /// Allows two objects to touch, in either order.
    pub fn allow(&mut self, a: &str, b: &str) {
        if !self.allows(a, b) {
            self.pairs.push([a.to_owned(), b.to_owned()]);
        }
    }

    /// Returns true if two objects may touch.
    pub fn allows(&self, a: &str, b: &str) -> bool {
        let mut pairs = self.pairs.iter();
        pairs.any(|[x, y]| (x == a && y == b) || (x == b && y == a))
    }
}
