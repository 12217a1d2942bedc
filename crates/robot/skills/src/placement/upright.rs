//! Places at which an object stands in a given orientation, such as upright.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Failure, ObjectId, Percept, Reason, Shape, Upright};
use regrasp_robot::Result;

use super::candidate::Places;
use super::region;
use super::scene::{PlacementRequest, Scene};
use super::select::{APART_M, Access, Offer};
use super::support::Turned;
use crate::params::SAME_TURN_RAD;

/// Distances from the current place at which places are tried, m.
const AWAY_M: [f64; 5] = [0.0, 0.04, 0.08, 0.14, 0.2];
const NEARBY: Offer = Offer(Access::Any, 9, APART_M);

/// Returns the end of an object that is up when it stands, or `upright_unknown` with the missing
/// declaration as a hint.
pub(crate) fn upright(percept: &Percept, id: &ObjectId, shape: &Shape) -> Result<Upright> {
    percept.upright(id, shape).ok_or_else(|| {
        let text = format!(
            "it is not known which end of {id} is up: the scene does not declare it, and no axis \
             of {id} is clearly the longest"
        );
        Failure::new(Reason::UprightUnknown, text)
            .about([id.clone()])
            .hint("declare `upright` for it in the scene")
    })
}

impl PlacementRequest<'_> {
    /// Free places near the current one at which the object stands upright. If either end may be
    /// up, the smaller rotation comes first; its failure is returned if there are no places.
    pub(crate) fn standing(&self) -> Places {
        let upright = upright(self.percept, &self.held.id, &self.held.shape)?;
        let rotations = upright.rotations(&self.world_from_held.rotation);
        let ends = rotations.iter().map(|wanted| self.standing_as(wanted));
        let (found, failed): (Vec<_>, Vec<_>) = ends.partition(Result::is_ok);
        match failed.into_iter().next() {
            Some(nearer) if found.is_empty() => nearer,
            _ => Ok(found.into_iter().flatten().flatten().collect()),
        }
    }

    /// Free places near the current one at which the object stands as `wanted`, nearest first.
    pub(crate) fn standing_as(&self, wanted: &UnitQuaternion<f64>) -> Places {
        let scene = Scene::new(self)?;
        let as_held = Turned::new(&scene, wanted);
        let up_in_object = wanted.inverse() * Vector3::z();
        if (as_held.rotation * up_in_object).angle(&Vector3::z()) > SAME_TURN_RAD {
            let text = format!("{} is not stable in the desired orientation", self.held.id);
            return Err(Failure::new(Reason::PlacementUnstable, text).about([self.held.id.clone()]));
        }
        let from = self.world_from_held.translation.vector;
        let points = region::around([from.x, from.y], &AWAY_M);
        let candidates = points.into_iter().filter_map(|(point, cost_m)| {
            let (support, height) = scene.highest(point)?;
            Some(as_held.on_level(support, point, height, cost_m))
        });
        let place = format!("near x={:.3} y={:.3}", from.x, from.y);
        NEARBY.best(&scene, place, candidates)
    }
}
