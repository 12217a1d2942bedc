//! What is under a place, and what stands there already.

use std::f64::consts::PI;

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Aabb, Failure, Held, ObjectId, PerceivedObject, Percept, Pose, Reason};
use regrasp_motion::{Body, surface_height};

use super::placement::{Rest, Spot};
use crate::faces::standing;
use crate::grasp::{mass_in_object, narrow_directions};
use crate::release::{APPROACH_M, RELEASE_GAP_M};

/// Free space kept around a placed object, m.
pub(super) const CLEARANCE_M: f64 = 0.008;
/// The same to what it should stand right beside, m.
const TOUCH_M: f64 = 0.002;
/// Free space kept to the walls of a container, m: the hand goes straight down, and
/// tracking is better than this.
pub(super) const WALL_CLEARANCE_M: f64 = 0.0015;
/// Room for a finger beside it and its way to open, m.
pub(super) const FINGER_ROOM_M: f64 = 0.035;
/// What is no higher than this above the support is not in the way, m.
const FLUSH_M: f64 = 0.004;
/// Heights above a place at which the way down to it is looked at.
const N_RISES: usize = 4;
/// Heights under an object may differ by this much and still count as flat, m: a
/// slope of three degrees under a cube of 4 cm.
pub(super) const FLAT_M: f64 = 0.001;
/// Fraction of the object's half size at which flatness is sampled: a support that
/// carries this much of it carries its centre of mass with reserve.
pub(super) const FLAT_FRACTION: f64 = 0.5;

/// Everything that something could be put on or would touch.
pub(super) struct Ground<'a> {
    pub(super) held: &'a Held,
    pub(super) others: Vec<(&'a PerceivedObject, Option<Body>)>,
    /// How it will stand.
    pub(super) rotation: UnitQuaternion<f64>,
    body: Option<Body>,
    /// Its bounding box then, about its origin.
    pub(super) extent: Aabb,
    /// What it may come close to.
    close_to: Option<ObjectId>,
    /// What is above this height is not looked at when it looks for what carries, m: a roof.
    below_z: Option<f64>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(percept: &'a Percept, held: &'a Held, world_from_held: &Pose) -> Self {
        let mass_in_object = mass_in_object(&held.shape);
        let rotation = standing(&held.shape, &mass_in_object, &world_from_held.rotation);
        let at_origin = Pose::from_parts(Translation3::identity(), rotation);
        let others = percept.objects.iter().filter(|o| o.id != held.id);
        Self {
            held,
            others: others
                .map(|o| (o, Body::new(&o.shape, &o.world_from_object)))
                .collect(),
            rotation,
            body: Body::new(&held.shape, &at_origin),
            extent: held.shape.aabb(&at_origin),
            close_to: None,
            below_z: None,
        }
    }

    /// The same, turned about the vertical so that one of its flat sides looks along a
    /// level direction of World.
    pub(super) fn facing(self, direction: &Vector3<f64>) -> Self {
        let yaw = direction.y.atan2(direction.x);
        let at_origin = Pose::from_parts(Translation3::identity(), self.rotation);
        let turn_to = |own: f64| {
            let turn = (yaw - own).rem_euclid(PI);
            if turn > 0.5 * PI { turn - PI } else { turn }
        };
        let turn = narrow_directions(&self.held.shape, &at_origin)
            .into_iter()
            .map(turn_to)
            .min_by(|a, b| a.abs().total_cmp(&b.abs()));
        self.turned(turn.unwrap_or(0.0))
    }

    /// The same, turned about the vertical by an angle, rad.
    pub(super) fn turned(mut self, angle: f64) -> Self {
        let about_z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        self.rotation = about_z * self.rotation;
        let at_origin = Pose::from_parts(Translation3::identity(), self.rotation);
        self.body = Body::new(&self.held.shape, &at_origin);
        self.extent = self.held.shape.aabb(&at_origin);
        self
    }

    /// Where its origin is when the middle of its footprint is at a point (x, y in World).
    pub(super) fn origin_for_middle_at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let middle = self.extent.center();
        [x - middle.x, y - middle.y]
    }

    /// The same under a roof, where it stands on what is below a height in World, m.
    pub(super) fn below(mut self, z: f64) -> Self {
        self.below_z = Some(z);
        self
    }

    /// The same, where it may come close to one thing.
    pub(super) fn close_to(mut self, id: &ObjectId) -> Self {
        self.close_to = Some(id.clone());
        self
    }

    /// On two things at once, whose tops are at this height.
    pub(super) fn on_top(
        &self,
        [x, y]: [f64; 2],
        height: f64,
        supports: [&PerceivedObject; 2],
    ) -> Result<Spot, Failure> {
        let origin = Vector3::new(x, y, height - self.extent.min[2]);
        let [a, b] = supports;
        let mut occupants = self.occupants(a, &origin, height);
        occupants.retain(|id| id != &b.id);
        if !occupants.is_empty() {
            let names: Vec<_> = occupants.iter().map(ObjectId::as_str).collect();
            let text = format!(
                "{} would touch {} on {} and {}",
                self.held.id,
                names.join(", "),
                a.id,
                b.id
            );
            return Err(Failure::new(Reason::TargetOccupied, text).about(occupants));
        }
        Ok(Spot {
            support: a.id.clone(),
            world_from_object: Pose::from_parts(origin.into(), self.rotation),
            rest: Rest::Stands,
            way_back: None,
        })
    }

    /// Half the size of what is held, seen along a level direction of World, m.
    pub(super) fn reach_m(&self, direction: &Vector3<f64>) -> f64 {
        let in_object = self.rotation.inverse() * direction;
        self.held.shape.support(&in_object)
    }

    /// See [`super::at_point`].
    pub(super) fn at(
        &self,
        [x, y]: [f64; 2],
        target: Option<&PerceivedObject>,
    ) -> Result<Spot, Failure> {
        let nothing_below = || {
            let text = format!(
                "there is nothing at x={x:.3} y={y:.3} that {} could stand on",
                self.held.id
            );
            Failure::new(Reason::PlacementUnstable, text)
        };
        let (support, height) = match target {
            Some(target) => (target, self.height_at(target, x, y)),
            None => self.highest(x, y).ok_or_else(nothing_below)?,
        };
        let height = height.ok_or_else(nothing_below)?;
        let origin = Vector3::new(x, y, height - self.extent.min[2]);
        let occupants = self.occupants(support, &origin, height);
        if !occupants.is_empty() {
            let names: Vec<_> = occupants.iter().map(ObjectId::as_str).collect();
            let text = format!(
                "{} would touch {} at x={x:.3} y={y:.3} on {}",
                self.held.id,
                names.join(", "),
                support.id
            );
            return Err(Failure::new(Reason::TargetOccupied, text).about(occupants));
        }
        if !self.is_flat(support, [x, y], height) || self.hits_walls(support, &origin) {
            let text = format!(
                "{} is not flat and wide enough for {} at x={x:.3} y={y:.3}",
                support.id, self.held.id
            );
            return Err(Failure::new(Reason::PlacementUnstable, text).about([support.id.clone()]));
        }
        Ok(Spot {
            support: support.id.clone(),
            world_from_object: Pose::from_parts(origin.into(), self.rotation),
            rest: Rest::Stands,
            way_back: None,
        })
    }

    /// What is highest at a point.
    pub(super) fn highest_at(&self, [x, y]: [f64; 2]) -> Option<ObjectId> {
        self.highest(x, y).map(|(object, _)| object.id.clone())
    }

    /// The object whose surface is highest at a point.
    fn highest(&self, x: f64, y: f64) -> Option<(&'a PerceivedObject, Option<f64>)> {
        let seen = self
            .others
            .iter()
            .filter_map(|(o, _)| Some((*o, self.height_at(o, x, y)?)));
        seen.max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(object, height)| (object, Some(height)))
    }

    /// What it would come too close to.
    fn occupants(
        &self,
        support: &PerceivedObject,
        origin: &Vector3<f64>,
        height: f64,
    ) -> Vec<ObjectId> {
        let Some(placed) = self.placed(origin, 0.0) else {
            return vec![];
        };
        let rises = |o: &PerceivedObject| o.aabb_in_world().max[2] > height + FLUSH_M;
        let others = self.others.iter();
        others
            .filter(|(o, _)| o.id != support.id && rises(o))
            .filter(|(o, body)| {
                let is_close = self.close_to.as_ref() == Some(&o.id);
                let keep_m = if is_close { TOUCH_M } else { CLEARANCE_M };
                let gap_m = body.as_ref().and_then(|b| placed.gap_m(b, keep_m));
                gap_m.is_some()
            })
            .map(|(o, _)| o.id.clone())
            .collect()
    }

    /// Whether it would touch its own support beside what it stands on: the wall of a
    /// bowl.
    fn hits_walls(&self, support: &PerceivedObject, origin: &Vector3<f64>) -> bool {
        let body = self.others.iter().find(|(o, _)| o.id == support.id);
        let (Some((_, Some(below))), Some(placed)) = (body, self.placed(origin, RELEASE_GAP_M))
        else {
            return false;
        };
        placed.gap_m(below, WALL_CLEARANCE_M).is_some()
    }

    /// Whether fingers around it would keep clear of its own support's walls, and, where it may
    /// stand anywhere on that, of what stands there.
    pub(super) fn has_room_for_fingers(&self, support: &PerceivedObject, spot: &Spot) -> bool {
        let origin = &spot.world_from_object.translation.vector;
        let below = self.others.iter().find(|(o, _)| o.id == support.id);
        // So high above the floor that only walls are as near.
        let (Some((_, Some(below))), Some(placed)) =
            (below, self.placed(origin, FINGER_ROOM_M + FLUSH_M))
        else {
            return true;
        };
        let others = self.others.iter().filter(|(o, _)| o.id != support.id);
        let mut others = others.filter_map(|(_, body)| body.as_ref());
        placed.gap_m(below, FINGER_ROOM_M).is_none()
            && (support.movable || others.all(|body| placed.gap_m(body, FINGER_ROOM_M).is_none()))
    }

    /// Whether nothing is in the way of what comes straight down to there.
    pub(super) fn is_open_above(&self, support: &PerceivedObject, spot: &Spot) -> bool {
        let origin = &spot.world_from_object.translation.vector;
        let others = self.others.iter().filter(|(o, _)| o.id != support.id);
        let others: Vec<&Body> = others.filter_map(|(_, body)| body.as_ref()).collect();
        (1..=N_RISES).all(|i| {
            let raised_m = APPROACH_M * i as f64 / N_RISES as f64;
            let on_its_way = self.placed(origin, raised_m);
            on_its_way.is_none_or(|body| {
                let mut others = others.iter();
                others.all(|other| body.gap_m(other, WALL_CLEARANCE_M).is_none())
            })
        })
    }

    pub(super) fn placed(&self, origin: &Vector3<f64>, raised_m: f64) -> Option<Body> {
        let at = origin + Vector3::z() * raised_m;
        let body = self.body.as_ref()?;
        Some(body.at(&Pose::from_parts(at.into(), self.rotation)))
    }

    fn is_flat(&self, support: &PerceivedObject, center: [f64; 2], height: f64) -> bool {
        let at = |i: usize, edge: f64| center[i] + FLAT_FRACTION * edge;
        let xs = [at(0, self.extent.min[0]), at(0, self.extent.max[0])];
        let ys = [at(1, self.extent.min[1]), at(1, self.extent.max[1])];
        let mut corners = xs.into_iter().flat_map(|x| ys.map(|y| [x, y]));
        corners.all(|[x, y]| {
            let at = self.height_at(support, x, y);
            at.is_some_and(|h| (h - height).abs() < FLAT_M)
        })
    }

    /// Height of what carries there, in World, m.
    fn height_at(&self, object: &PerceivedObject, x: f64, y: f64) -> Option<f64> {
        let Some(z) = self.below_z else {
            return surface_height(&object.shape, &object.world_from_object, x, y);
        };
        let body = self.others.iter().find(|(o, _)| o.id == object.id)?;
        let reach_m = z - object.aabb_in_world().min[2];
        let eye = Point3::new(x, y, z);
        let hit = body.1.as_ref()?.cast(&eye, &-Vector3::z(), reach_m)?;
        // From inside a wall nothing is seen.
        (hit.distance_m > 0.0).then_some(z - hit.distance_m)
    }
}
