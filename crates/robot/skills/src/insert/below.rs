//! Free depth on a peg, above its support and the objects that are on it already.

use regrasp_api::{Failure, ObjectId, PerceivedObject, Percept, Phase, Reason, Shape};
use regrasp_motion::Body;

use super::fit::{BEFORE_M, Fit};
use crate::bodies::{bodies, keep_off};
use crate::params::{FINE_STEP_M, NEAR_M};

/// Apparent penetration from which objects overlap, m: more than the error of perception.
const OVERLAP_M: f64 = 0.001;
/// Least length of a peg that protrudes through a ring that it holds, m.
const LEAST_OUT_M: f64 = 0.003;

impl Fit {
    /// Returns the fit of `object` into `target`, or over it, as they are perceived.
    ///
    /// # Errors
    ///
    /// `bad_arguments` if they have no plug and hole for each other, or the plug is too thick;
    /// `path_blocked` if objects on a peg leave too little of it.
    pub(crate) fn new(
        percept: &Percept,
        object: &ObjectId,
        target: &PerceivedObject,
    ) -> Result<Self, Failure> {
        let mut fit = Self::alone(percept, object, target)?;
        let held = percept.object(object).filter(|_| fit.over);
        if let Some(below) = held.and_then(|held| Below::new(percept, &fit, &held.shape, object)) {
            let free = below.free(&fit)?;
            fit.depth_m = free.depth_m;
            fit.bodies.extend(free.bodies);
            fit.rests_on = free.rests_on;
        }
        Ok(fit)
    }
}

/// Surroundings of a peg, and the object that is to be put over it.
struct Below {
    object: ObjectId,
    shape: Shape,
    others: Vec<(ObjectId, Body)>,
}

struct Free {
    /// Depth of the peg in the hole at the end, m.
    depth_m: f64,
    /// Objects on which the released object rests, except the peg itself.
    rests_on: Vec<ObjectId>,
    /// Bodies of these objects, for collision checks of the hand.
    bodies: Vec<Body>,
}

impl Below {
    fn new(percept: &Percept, fit: &Fit, shape: &Shape, object: &ObjectId) -> Option<Self> {
        let others = bodies(percept, |o| &o.id != object && &o.id != fit.target());
        let bodies = others.map(|(o, body)| (o.id.clone(), body));
        Some(Self {
            object: object.clone(),
            shape: shape.clone(),
            others: bodies.collect(),
        })
    }

    /// Returns the free path down in the orientation that leads deepest.
    ///
    /// # Errors
    ///
    /// `path_blocked` if the peg would not reach through the hole, or to the end of a blind one.
    fn free(&self, fit: &Fit) -> Result<Free, Failure> {
        let mut best: Option<(f64, Option<&ObjectId>)> = None;
        for turn in fit.turns() {
            let found = self.deepest(fit, |depth_m| {
                self.body(&fit.world_from_object(turn, depth_m, [0.0; 2]))
            });
            if best.is_none_or(|(depth_m, _)| found.0 > depth_m) {
                best = Some(found);
            }
            if found.1.is_none() {
                break;
            }
        }
        let (depth_m, blocker) = best.unwrap_or((fit.depth_m, None));
        let least_m = match fit.hole.through {
            true => (fit.hole.depth_m + LEAST_OUT_M).min(fit.depth_m),
            false => fit.depth_m,
        };
        if let Some(blocker) = blocker.filter(|_| depth_m < least_m - OVERLAP_M) {
            return Err(self.blocked(fit, blocker, depth_m.max(0.0), least_m));
        }
        let near = self.near(fit, depth_m);
        let (rests_on, bodies) = near.cloned().unzip();
        Ok(Free {
            depth_m,
            rests_on,
            bodies,
        })
    }

    fn body(&self, world_from_object: &regrasp_api::Pose) -> Option<Body> {
        Body::new(&self.shape, world_from_object)
    }

    /// Returns the greatest depth before anything overlaps, and the first object that would
    /// overlap.
    fn deepest(&self, fit: &Fit, body: impl Fn(f64) -> Option<Body>) -> (f64, Option<&ObjectId>) {
        let length_m = BEFORE_M + fit.depth_m;
        let n = (length_m / FINE_STEP_M).ceil() as usize;
        let mut free_m = -BEFORE_M;
        for i in 0..=n {
            let depth_m = length_m * i as f64 / n.max(1) as f64 - BEFORE_M;
            let Some(body) = body(depth_m) else { break };
            let overlaps = |other: &&(ObjectId, Body)| {
                body.gap_m(&other.1, 0.0)
                    .is_some_and(|gap_m| gap_m < -OVERLAP_M)
            };
            if let Some((id, _)) = self.others.iter().find(overlaps) {
                return (free_m, Some(id));
            }
            free_m = depth_m;
        }
        (fit.depth_m, None)
    }

    fn near<'a>(&'a self, fit: &Fit, depth_m: f64) -> impl Iterator<Item = &'a (ObjectId, Body)> {
        let turns = fit.turns().into_iter();
        let bodies: Vec<Body> = turns
            .filter_map(|turn| self.body(&fit.world_from_object(turn, depth_m, [0.0; 2])))
            .collect();
        let others = self.others.iter();
        others.filter(move |(_, other)| !keep_off(&bodies, [other], NEAR_M))
    }

    fn blocked(&self, fit: &Fit, blocker: &ObjectId, free_m: f64, least_m: f64) -> Failure {
        let (object, target) = (&self.object, fit.target());
        let text = format!(
            "{blocker} blocks {object} on {target}: {free_m:.4} m of the peg are free, \
             {least_m:.4} m are needed"
        );
        Failure::new(Reason::PathBlocked, text)
            .in_phase(Phase::Plan)
            .about([blocker.clone()])
            .measured("free", free_m, Some(least_m), "m")
    }
}
