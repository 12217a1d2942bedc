//! Placements of an object, and candidates for them: poses with the contacts that would support it.

use nalgebra::{Point3, Translation3, Vector3};
use regrasp_api::{Held, ObjectId, PerceivedObject, Pose};
use regrasp_motion::Body;
use regrasp_robot::Result;

use crate::grasp::Hand;
use crate::params::{ALIKE_RAD, FINGER_MARGIN_M, HAND_MARGIN_M};
use crate::poses::tool_at;

/// Largest cosine between the fingers' closing direction and a retreat from the side: on a retreat
/// along that direction, a finger would drag the released object with it.
const ACROSS: f64 = 0.2;
/// Points of the approach at which the hand is checked, as fractions from its end.
const RETREAT_PARTS: [f64; 6] = [0.0, 0.15, 0.3, 0.5, 0.75, 1.0];

/// Offered places, the best first; not empty unless stated. Usual failures are `target_occupied`
/// with the obstacles, and `placement_unstable` if no surface is flat and wide enough.
pub(crate) type Places = Result<Vec<Placement>>;

#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) support: ObjectId,
    pub(crate) world_from_object: Pose,
    pub(crate) rest: Rest,
    /// Displacement from the place to the start of a straight approach from the side or aslant, m
    /// in World; `None` for one from straight above. If set, the rotation of the place is fixed.
    pub(crate) retreat: Option<Vector3<f64>>,
}

impl Placement {
    pub(crate) fn position(&self) -> Vector3<f64> {
        self.world_from_object.translation.vector
    }

    /// Returns true if the hand approaches from the side: more horizontally than vertically.
    pub(crate) fn is_from_side(&self) -> bool {
        self.retreat
            .is_some_and(|retreat| retreat.xy().norm() > retreat.z)
    }

    /// Returns true if the hand has room among bodies at the release and along its own retreat.
    pub(crate) fn leaves_room(&self, around: &[Body], hand: &Hand, held: &Held) -> bool {
        let world_from_tool = tool_at(held, &self.world_from_object);
        let closing = world_from_tool.rotation * Vector3::y();
        let retreat = self.retreat.unwrap_or_else(Vector3::zeros);
        if self.is_from_side() && retreat.normalize().dot(&closing).abs() > ACROSS {
            return false;
        }
        RETREAT_PARTS.iter().all(|part| {
            let there = Translation3::from(retreat * *part) * world_from_tool;
            let placed = hand.at(&there, held.width_m);
            placed.keeps_off(around, FINGER_MARGIN_M, HAND_MARGIN_M)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Standing, in any rotation about the vertical.
    Stands,
    /// Standing with a side along another object, in the rotations that keep its outline.
    Aligned,
    /// Dropped on a pile: it can only be verified that the object is inside the support.
    Inside,
    /// Lying on a slope or leaning on a wall, in a fixed rotation.
    Laid,
}

/// A point at which the object should touch its support.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Position in World, m.
    pub(super) point: Point3<f64>,
    /// Unit vector in World, out of the object.
    pub(super) direction: Vector3<f64>,
    /// Largest distance of the surface from the point, m.
    pub(super) within_m: f64,
}

/// A pose with the contacts that should support it.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// Supporting objects; never empty.
    pub(super) supports: Vec<&'a PerceivedObject>,
    pub(super) world_from_object: Pose,
    /// Outward unit normal of the supporting surface, in World.
    pub(super) normal: Vector3<f64>,
    pub(super) rest: Rest,
    /// Contacts with the support; empty if the object is dropped and its final pose is unknown.
    pub(super) contacts: Vec<Touch>,
    /// Distance from the desired place plus penalties, m.
    pub(super) cost_m: f64,
}

impl Candidate<'_> {
    /// The candidate moved by a displacement in World, m.
    pub(super) fn shifted(&self, by: Vector3<f64>) -> Self {
        let contacts = self.contacts.iter().map(|touch| Touch {
            point: touch.point + by,
            ..*touch
        });
        Self {
            world_from_object: Translation3::from(by) * self.world_from_object,
            contacts: contacts.collect(),
            ..self.clone()
        }
    }

    pub(super) fn placement(&self, retreat: Option<Vector3<f64>>) -> Placement {
        Placement {
            support: self.supports[0].id.clone(),
            world_from_object: self.world_from_object,
            rest: self.rest,
            retreat,
        }
    }

    pub(super) fn is_at(&self, other: &Self, apart_m: f64) -> bool {
        let [a, b] = [self, other].map(|c| c.world_from_object.translation.vector);
        (a - b).norm() < apart_m
    }

    pub(super) fn is_like(&self, other: &Self, apart_m: f64) -> bool {
        let [a, b] = [self, other].map(|c| &c.world_from_object.rotation);
        let is_free_to_turn = self.rest == Rest::Stands && other.rest == Rest::Stands;
        self.is_at(other, apart_m) && (is_free_to_turn || a.angle_to(b) < ALIKE_RAD)
    }
}
