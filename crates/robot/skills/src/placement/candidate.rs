//! Candidates for a place: poses with the contacts on which something would rest.

use nalgebra::{Point3, Vector3};
use regrasp_api::{PerceivedObject, Pose};

use super::rest::{Placement, Rest};
use crate::params::ALIKE_RAD;

/// A point at which it should touch what it rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// In World, m.
    pub(super) point: Point3<f64>,
    /// Unit vector in World, out of what rests.
    pub(super) direction: Vector3<f64>,
    /// Largest distance of the surface from the point, m.
    pub(super) within_m: f64,
}

/// A pose with the contacts on which it should rest.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// The objects on which it rests. There is at least one.
    pub(super) supports: Vec<&'a PerceivedObject>,
    pub(super) world_from_object: Pose,
    /// Unit vector in World out of the surface that carries it.
    pub(super) normal: Vector3<f64>,
    pub(super) rest: Rest,
    /// None if it is let fall, to rest nobody knows how.
    pub(super) contacts: Vec<Touch>,
    /// Distance from where it is wanted, and what else speaks against it, m.
    pub(super) cost_m: f64,
}

impl Candidate<'_> {
    /// The place, with a way back from it.
    pub(super) fn placement(&self, way_back: Option<Vector3<f64>>) -> Placement {
        Placement {
            support: self.supports[0].id.clone(),
            world_from_object: self.world_from_object,
            rest: self.rest,
            way_back,
        }
    }

    /// Returns true if two places are less than so far apart, m.
    pub(super) fn is_at(&self, other: &Self, apart_m: f64) -> bool {
        let [a, b] = [self, other].map(|c| c.world_from_object.translation.vector);
        (a - b).norm() < apart_m
    }

    /// Returns true if two places are too much alike to offer both.
    pub(super) fn is_like(&self, other: &Self, apart_m: f64) -> bool {
        let [a, b] = [self, other].map(|c| &c.world_from_object.rotation);
        let is_free_to_turn = self.rest == Rest::Stands && other.rest == Rest::Stands;
        self.is_at(other, apart_m) && (is_free_to_turn || a.angle_to(b) < ALIKE_RAD)
    }
}
