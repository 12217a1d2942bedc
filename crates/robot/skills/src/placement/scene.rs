//! Validation of candidate placements against the perceived scene.

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, Held, JointKind, ObjectId, ObjectJoint, PerceivedObject, Percept, Pose, Reason,
};
use regrasp_motion::Body;
use regrasp_relations::{carriers, objects_in};
use regrasp_robot::{Result, Robot};

use super::candidate::{Candidate, Rest, Touch};
use super::stability::{FOOT_PART, SupportContact, last_true, reserve_m};
use crate::bodies::{bodies, keep_off};
use crate::faces::rolls;
use crate::grasp::{mass_in_object, narrow_directions};
use crate::params::{OBJECT_ROOM_M, ON_TARGET_M, RELEASE_GAP_M, STEP_M, TOLERANCE_M};
use crate::poses::{around, eighths, level};

/// Clearance around a placed object, m.
pub(super) const CLEARANCE_M: f64 = 0.008;
/// Clearance from the walls of a container, m: the hand descends straight, and tracking is more
/// accurate than this. Checked at the height of the release, where the floor is further away.
pub(super) const WALL_CLEARANCE_M: f64 = 0.75 * RELEASE_GAP_M;
/// Room for a finger beside the object and its opening motion, m.
const FINGER_ROOM_M: f64 = 0.035;
/// Height above the placed object's lowest point up to which others are not obstacles, m.
const FLUSH_M: f64 = 0.004;
/// Distance in front of a contact from which its surface is probed, and height above a surface at
/// which walls and stops are probed, m: lower walls cannot hold a rounded edge.
pub(super) const EYE_M: f64 = 0.006;
/// Least required reserve of the centre of mass, m: uniform density is assumed, and tracking and
/// perception err by a few millimetres.
const LEAST_RESERVE_M: f64 = 0.004;
/// Number of horizontal axes about which a support might roll that are tested.
const N_ROLL_AXES: usize = 36;
/// Accuracy to which the fraction of a foot that a smaller support carries is determined.
const PART_EXACT: f64 = 0.05;
/// Least tilt of an object that leans on something, rad.
const LEAN_RAD: f64 = 0.02;
/// Position error at which an object must still lie on a rim, m.
const RIM_OFF_M: f64 = 0.003;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    NotCarried,
    /// The object would slide, roll or fall.
    Unstable,
    /// The object would touch the walls of its support.
    Walls,
    /// The drawer or door of its support could not be closed.
    KeepsOpen,
    Occupied(Vec<ObjectId>),
    NoApproach,
}

impl Rejection {
    pub(super) fn cause(&self) -> &'static str {
        match self {
            Self::NotCarried => "without support",
            Self::Unstable => "unstable",
            Self::Walls => "touching the walls",
            Self::KeepsOpen => "too high to close",
            Self::Occupied(_) => "occupied",
            Self::NoApproach => "without an approach",
        }
    }
}

/// An object for which places are searched, with the perceived scene.
#[derive(Clone, Copy)]
pub(crate) struct PlacementRequest<'a> {
    pub(crate) percept: &'a Percept,
    pub(crate) held: &'a Held,
    pub(crate) world_from_held: Pose,
    pub(crate) widest_m: f64,
}

pub(super) struct Scene<'a> {
    pub(super) percept: &'a Percept,
    pub(super) held: &'a Held,
    pub(super) mass_in_object: Vector3<f64>,
    pub(super) body: Body,
    objects: Vec<&'a PerceivedObject>,
    bodies: Vec<Body>,
    widest_m: f64,
    /// Object to which a smaller clearance is sufficient.
    pub(super) close_to: Option<ObjectId>,
    /// Height, such as that of a roof, above which no support is considered, m in World.
    pub(super) below_z: Option<f64>,
}

impl<'a> PlacementRequest<'a> {
    pub(crate) fn new(
        robot: &Robot,
        percept: &'a Percept,
        held: &'a Held,
        world_from_held: Pose,
    ) -> Self {
        Self {
            percept,
            held,
            world_from_held,
            widest_m: robot.info.gripper.max_width_m,
        }
    }
}

impl<'a> Scene<'a> {
    /// Creates the scene of a request, without the held object and its contents. Fails if the held
    /// object has no volume.
    pub(super) fn new(request: &PlacementRequest<'a>) -> Result<Self> {
        let held = request.held;
        let Some(body) = Body::new(&held.shape, &Pose::identity()) else {
            let text = format!("the shape of {} has no volume", held.id);
            return Err(Failure::new(Reason::PlacementUnstable, text).about([held.id.clone()]));
        };
        let own = request.percept.object(&held.id);
        let load = own.map_or_else(Vec::new, |own| objects_in(request.percept, own));
        let is_moved = |o: &PerceivedObject| o.id == held.id || load.iter().any(|l| l.id == o.id);
        let seen = bodies(request.percept, |o| !is_moved(o));
        let (objects, bodies) = seen.unzip();
        Ok(Self {
            percept: request.percept,
            held,
            mass_in_object: mass_in_object(request.percept, &held.id, &held.shape),
            body,
            objects,
            bodies,
            widest_m: request.widest_m,
            close_to: None,
            below_z: None,
        })
    }

    /// Extent of the held object from its origin along a direction in World, for a rotation, m.
    pub(super) fn reach_m(&self, rotation: &UnitQuaternion<f64>, direction: &Vector3<f64>) -> f64 {
        self.held.shape.support(&(rotation.inverse() * direction))
    }

    pub(super) fn body_of(&self, id: &ObjectId) -> Option<&Body> {
        let at = self.objects.iter().position(|o| &o.id == id)?;
        self.bodies.get(at)
    }

    /// Returns the object with the highest surface at a point, and the height of the surface, m.
    pub(super) fn highest(&self, point: [f64; 2]) -> Option<(&'a PerceivedObject, f64)> {
        self.highest_of(point, |_| true)
    }

    pub(super) fn highest_of(
        &self,
        point: [f64; 2],
        carries: impl Fn(&PerceivedObject) -> bool,
    ) -> Option<(&'a PerceivedObject, f64)> {
        let seen = self.objects.iter().filter(|o| carries(o));
        let seen = seen.filter_map(|o| Some((*o, self.height_of(o, point)?)));
        seen.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    pub(super) fn height_of(&self, object: &PerceivedObject, [x, y]: [f64; 2]) -> Option<f64> {
        let bounds = object.aabb_in_world();
        let z = self.below_z.unwrap_or(bounds.max[2] + EYE_M);
        let eye = Point3::new(x, y, z);
        let body = self.body_of(&object.id)?;
        let hit = body.cast(&eye, &-Vector3::z(), z - bounds.min[2])?;
        // A ray that starts inside the object finds no surface.
        (hit.distance_m > 0.0).then_some(z - hit.distance_m)
    }

    /// Returns the objects above the held object at a pose, as seen from its top.
    pub(super) fn above(&self, world_from_held: &Pose) -> Vec<&'a PerceivedObject> {
        let own = self.held.shape.aabb(world_from_held);
        let (center, top_z) = (own.center(), own.max[2]);
        let out_m = 0.5 * own.size().xy().norm() + WALL_CLEARANCE_M;
        let around = eighths().map(|angle| level(angle) * out_m);
        let eyes = std::iter::once(Vector3::zeros()).chain(around);
        let eyes: Vec<Point3<f64>> = eyes
            .map(|out| Point3::new(center.x + out.x, center.y + out.y, top_z))
            .collect();
        let covers = |(o, body): &(&&PerceivedObject, &Body)| {
            let up_m = o.aabb_in_world().max[2] - top_z;
            let sees = |eye| body.cast(eye, &Vector3::z(), up_m).is_some();
            up_m > 0.0 && eyes.iter().any(sees)
        };
        let others = self.objects.iter().zip(&self.bodies);
        others.filter(covers).map(|(o, _)| *o).collect()
    }

    /// Returns the stability reserve of a candidate, m, if it rests there and nothing obstructs it.
    /// It is occupied only if it would be possible without the occupants, or if its support leans,
    /// perhaps on one of them.
    pub(super) fn validate(&self, candidate: &Candidate<'_>) -> Result<f64, Rejection> {
        let rests = self.rests(candidate);
        if rests.is_err() && !candidate.supports.iter().any(|support| leans(support)) {
            return rests;
        }
        let occupants = self.occupants(candidate);
        match occupants.is_empty() {
            true => rests,
            false => Err(Rejection::Occupied(occupants)),
        }
    }

    /// Returns the stability reserve of a candidate, m, if its supports carry it.
    fn rests(&self, candidate: &Candidate<'_>) -> Result<f64, Rejection> {
        let (contacts, least_m) = match self.contacts(candidate, |point| point) {
            Some(contacts) => (contacts, LEAST_RESERVE_M),
            None => {
                let contacts = self.contacts_within_foot(candidate);
                (contacts.ok_or(Rejection::NotCarried)?, TOLERANCE_M)
            }
        };
        let released = Translation3::from(candidate.normal * RELEASE_GAP_M);
        let released = self.body.at(&(released * candidate.world_from_object));
        if !keep_off(&[released], self.supporting(candidate), WALL_CLEARANCE_M) {
            return Err(Rejection::Walls);
        }
        if candidate
            .supports
            .iter()
            .any(|support| self.keeps_open(&candidate.world_from_object, support))
        {
            return Err(Rejection::KeepsOpen);
        }
        if candidate.supports.iter().any(|support| may_roll(support)) {
            return Err(Rejection::Unstable);
        }
        let reserve_m = reserve_m(&contacts, &self.mass(candidate));
        let reserve_m = reserve_m.filter(|m| *m >= least_m);
        reserve_m.ok_or(Rejection::Unstable)
    }

    /// Returns the objects that a candidate would touch besides its supports.
    fn occupants(&self, candidate: &Candidate<'_>) -> Vec<ObjectId> {
        let placed = self.body.at(&candidate.world_from_object);
        let lowest_z = self.held.shape.aabb(&candidate.world_from_object).min[2];
        let others = self.objects.iter().zip(&self.bodies);
        let others = others.filter(|(o, _)| candidate.supports.iter().all(|s| s.id != o.id));
        let rising = others.filter(|(o, _)| o.aabb_in_world().max[2] > lowest_z + FLUSH_M);
        let touched = rising.filter(|(o, body)| {
            let is_close = self.close_to.as_ref() == Some(&o.id);
            let keep_m = if is_close { OBJECT_ROOM_M } else { CLEARANCE_M };
            // What carries the support may be just below it.
            let supports = candidate.supports.iter();
            let mut below = supports.flat_map(|support| carriers(self.percept, support));
            placed.gap_m(body, keep_m).is_some()
                && (placed.gap_m(body, 0.0).is_some() || !below.any(|b| b.id == o.id))
        });
        touched.map(|(o, _)| o.id.clone()).collect()
    }

    /// Returns true if the object at a pose would keep the drawer in which it lies, or a door of
    /// its support, from closing.
    pub(super) fn keeps_open(&self, world_from_object: &Pose, support: &PerceivedObject) -> bool {
        let opening = self.percept.joints.iter().filter(|joint| joint.opens());
        let is_drawer = |j: &&ObjectJoint| j.child == support.id && j.kind == JointKind::Prismatic;
        let drawer = opening.clone().find(is_drawer);
        let frame = drawer.map_or(&support.id, |joint| &joint.parent);
        let closed = opening.filter(|joint| {
            joint.parent == *frame
                && joint.child != support.id
                && (drawer.is_some() || joint.kind == JointKind::Revolute)
        });
        let closed = closed.filter_map(|joint| {
            let part = self.percept.object(&joint.child)?;
            let there = joint.carried(&part.world_from_object, 0.0);
            Some(self.body_of(&part.id)?.at(&there))
        });
        let (there, room_m) = match drawer {
            Some(drawer) => (drawer.carried(world_from_object, 0.0), OBJECT_ROOM_M),
            None => (*world_from_object, CLEARANCE_M),
        };
        let frame = drawer.and_then(|_| self.body_of(frame));
        let closed: Vec<Body> = closed.chain(frame.cloned()).collect();
        !keep_off(&[self.body.at(&there)], &closed, room_m)
    }

    fn mass(&self, candidate: &Candidate<'_>) -> Point3<f64> {
        candidate.world_from_object * Point3::from(self.mass_in_object)
    }

    fn supporting<'s>(&'s self, candidate: &'s Candidate<'_>) -> impl Iterator<Item = &'s Body> {
        let supports = candidate.supports.iter();
        supports.filter_map(|o| self.body_of(&o.id))
    }

    /// Returns the contacts of a candidate, each shifted by `moved` in World, if all of them exist.
    fn contacts(
        &self,
        candidate: &Candidate<'_>,
        moved: impl Fn(Point3<f64>) -> Point3<f64>,
    ) -> Option<Vec<SupportContact>> {
        self.each_contact(candidate, moved).into_iter().collect()
    }

    /// Returns the contacts with a support that is smaller than the foot, such as a cube below a
    /// bowl, or hollow, such as a cup below a lid: the outermost carried points within the whole
    /// face, towards its corners and its sides. None of the foot's corners may be carried: if some
    /// were, the object would project beyond the edge of a larger support. The caller requires a
    /// reserve of the position tolerance, which a support as narrow as the edge of a wall does not
    /// give.
    fn contacts_within_foot(&self, candidate: &Candidate<'_>) -> Option<Vec<SupportContact>> {
        let corners = self.each_contact(candidate, |point| point);
        let stands = matches!(candidate.rest, Rest::Stands | Rest::Aligned);
        if !stands || corners.iter().any(Option::is_some) {
            return None;
        }
        let whole = 1.0 / FOOT_PART;
        if self.scaled(candidate, 0.0).is_some() {
            return self.outermost(candidate, |holds| {
                Some(last_true([0.0, whole], PART_EXACT, holds))
            });
        }
        if !is_on_rim(candidate) {
            return None;
        }
        // The object must not fall in if it is slightly off.
        let [x, y] = [Vector3::x() * RIM_OFF_M, Vector3::y() * RIM_OFF_M];
        let shifts = [Vector3::zeros(), x, -x, y, -y];
        let found = shifts.map(|shift| {
            self.outermost(&candidate.shifted(shift), |holds| {
                let n = (whole / PART_EXACT) as usize;
                let mut parts = (0..n).map(|i| whole - i as f64 * PART_EXACT);
                parts.find(|part| holds(*part))
            })
        });
        found
            .into_iter()
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .next()
    }

    /// Returns the contacts of the foot's corners and sides, each scaled by the part that `part`
    /// finds, given which parts are carried.
    fn outermost(
        &self,
        candidate: &Candidate<'_>,
        part: impl Fn(&dyn Fn(f64) -> bool) -> Option<f64>,
    ) -> Option<Vec<SupportContact>> {
        let touches = &candidate.contacts;
        let next = touches.iter().cycle().skip(1);
        let sides = touches.iter().zip(next).map(|(a, b)| Touch {
            point: Point3::from(0.5 * (a.point.coords + b.point.coords)),
            ..*a
        });
        let all = touches.iter().copied().chain(sides);
        let found = all.map(|touch| {
            let towards = Candidate {
                contacts: vec![touch],
                ..candidate.clone()
            };
            let at = |part| self.scaled(&towards, part);
            at(part(&|part| at(part).is_some())?)
        });
        let found: Option<Vec<_>> = found.collect();
        found.map(|contacts| contacts.concat())
    }

    /// Returns the contacts of a foot that is scaled about the point below the centre of mass.
    pub(super) fn scaled(
        &self,
        candidate: &Candidate<'_>,
        scale: f64,
    ) -> Option<Vec<SupportContact>> {
        let mass = self.mass(candidate);
        self.contacts(candidate, |corner| {
            let out = corner - mass;
            corner + (out - candidate.normal * out.dot(&candidate.normal)) * (scale - 1.0)
        })
    }

    fn each_contact(
        &self,
        candidate: &Candidate<'_>,
        moved: impl Fn(Point3<f64>) -> Point3<f64>,
    ) -> Vec<Option<SupportContact>> {
        let supports: Vec<&Body> = self.supporting(candidate).collect();
        let found = candidate.contacts.iter().map(|touch| {
            let point = moved(touch.point);
            let eye = point - touch.direction * EYE_M;
            let hits = supports.iter().filter_map(|body| {
                let hit = body.cast(&eye, &touch.direction, EYE_M + touch.within_m)?;
                (hit.distance_m >= EYE_M - touch.within_m).then_some(hit)
            });
            let hit = hits.min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))?;
            let normal = hit.normal;
            Some(SupportContact { point, normal })
        });
        found.collect()
    }

    /// Returns true if the candidate is still supported at the limits of its position tolerance.
    pub(super) fn is_carried_if_off(&self, candidate: &Candidate<'_>) -> bool {
        let [x, y] = [Vector3::x() * ON_TARGET_M, Vector3::y() * ON_TARGET_M];
        let mut shifts = [x, -x, y, -y].into_iter();
        shifts.all(|shift| self.contacts(candidate, |point| point + shift).is_some())
    }

    /// Returns true if a finger has room between the candidate and all other objects, or if the
    /// support is movable. The object may be grasped next, from any side.
    pub(super) fn has_room_around(&self, candidate: &Candidate<'_>) -> bool {
        let Some(support) = candidate.supports.first().filter(|o| !o.movable) else {
            return true;
        };
        let others = self.objects.iter().zip(&self.bodies);
        let others = others.filter(|(o, _)| o.id != support.id);
        let others = others.map(|(_, body)| body);
        self.keeps_off_above(candidate, Vector3::zeros(), FINGER_ROOM_M, others)
    }

    /// Returns true if the shifted object has a clearance of `room_m`. It is raised first, so that
    /// only walls count.
    fn keeps_off_above<'b>(
        &self,
        candidate: &Candidate<'_>,
        shift: Vector3<f64>,
        room_m: f64,
        bodies: impl IntoIterator<Item = &'b Body>,
    ) -> bool {
        let raised = shift + Vector3::z() * ((room_m + FLUSH_M) / candidate.normal.z);
        let there = Translation3::from(raised) * candidate.world_from_object;
        keep_off(&[self.body.at(&there)], bodies, room_m)
    }

    /// Returns true if fingers at two opposite sides would clear the walls of the support.
    pub(super) fn has_room_for_fingers(&self, candidate: &Candidate<'_>) -> bool {
        let there = &candidate.world_from_object;
        let first = candidate.supports.first();
        let Some(walls) = first.and_then(|support| self.body_of(&support.id)) else {
            return true;
        };
        let is_free = |out: Vector3<f64>| {
            let mut parts = [0.5, 1.0].into_iter();
            parts.all(|part| {
                let out = out * (part * FINGER_ROOM_M);
                self.keeps_off_above(candidate, out, FLUSH_M, [walls])
            })
        };
        let shape = &self.held.shape;
        let sides = narrow_directions(shape, there).into_iter();
        let mut sides = sides.map(level);
        let fits = |out: &Vector3<f64>| shape.width_along(there, out) <= self.widest_m;
        match sides.clone().any(|out| fits(&out)) {
            true => sides.any(|out| fits(&out) && is_free(out) && is_free(-out)),
            // An object that is too wide is held by its rim, with one finger outside.
            false => sides.any(|out| is_free(out) || is_free(-out)),
        }
    }

    /// Returns true if the object can move freely along a displacement from a pose.
    pub(super) fn is_clear(&self, from: &Pose, retreat: &Vector3<f64>) -> bool {
        let n = (retreat.norm() / STEP_M).ceil().max(1.0) as usize;
        (0..=n).all(|i| {
            let shift = Vector3::z() * RELEASE_GAP_M + retreat * (i as f64 / n as f64);
            self.keeps_off(&(Translation3::from(shift) * from), WALL_CLEARANCE_M)
        })
    }

    pub(super) fn keeps_off(&self, world_from_object: &Pose, gap_m: f64) -> bool {
        keep_off(&[self.body.at(world_from_object)], &self.bodies, gap_m)
    }
}

/// Returns true if the foot of a candidate is at the top of its support.
fn is_on_rim(candidate: &Candidate<'_>) -> bool {
    let top_z = candidate.supports[0].aabb_in_world().max[2];
    let mut touches = candidate.contacts.iter();
    touches.all(|touch| (touch.point.z - top_z).abs() < FLUSH_M)
}

/// Returns true for a loose support of which no axis is vertical.
fn leans(support: &PerceivedObject) -> bool {
    let rotation = support.world_from_object.rotation;
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| rotation * axis);
    support.movable && axes.iter().all(|axis| axis.z.abs() < LEAN_RAD.cos())
}

/// Returns true for a loose support that rolls in some direction, such as a cylinder on its side.
fn may_roll(support: &PerceivedObject) -> bool {
    let mut axes = around(N_ROLL_AXES).map(level);
    support.movable && axes.any(|axis| rolls(support, &axis))
}
