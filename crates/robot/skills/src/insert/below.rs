//! Free depth on a peg, above its support and the objects that are on it already.

use regrasp_api::{Failure, ObjectId, PerceivedObject, Percept, Phase, Reason};
use regrasp_motion::Body;

use super::fit::{BEFORE_M, Fit, Turn};
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
        if let Some(held) = percept.object(object).filter(|_| fit.over) {
            fit.stop_above_others(percept, held)?;
        }
        Ok(fit)
    }

    /// Limits the path down the peg to what other objects leave free, in the orientation that leads
    /// deepest. Fails if the peg would not reach through the hole, or to the end of a blind one.
    fn stop_above_others(
        &mut self,
        percept: &Percept,
        held: &PerceivedObject,
    ) -> Result<(), Failure> {
        let (object, target) = (&held.id, self.target());
        let others: Vec<_> = bodies(percept, |o| &o.id != object && &o.id != target).collect();
        let body = |turn: &Turn, depth_m: f64| {
            let world_from_object = self.world_from_object(*turn, depth_m, [0.0; 2]);
            Body::new(&held.shape, &world_from_object)
        };
        let mut best: Option<(f64, Option<&ObjectId>)> = None;
        for turn in self.turns() {
            let found = deepest(self.depth_m, &others, |depth_m| body(&turn, depth_m));
            if best.is_none_or(|(depth_m, _)| found.0 > depth_m) {
                best = Some(found);
            }
            if found.1.is_none() {
                break;
            }
        }
        let (depth_m, blocker) = best.unwrap_or((self.depth_m, None));
        let least_m = match self.hole.through {
            true => (self.hole.depth_m + LEAST_OUT_M).min(self.depth_m),
            false => self.depth_m,
        };
        if let Some(blocker) = blocker.filter(|_| depth_m < least_m - OVERLAP_M) {
            let free_m = depth_m.max(0.0);
            let text = format!(
                "{blocker} blocks {object} on {target}: {free_m:.4} m of the peg are free, \
                 {least_m:.4} m are needed"
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([blocker.clone()])
                .measured("free", free_m, Some(least_m), "m"));
        }
        let turns = self.turns();
        let placed: Vec<Body> = turns
            .iter()
            .filter_map(|turn| body(turn, depth_m))
            .collect();
        let others = others.into_iter();
        let near = others.filter(|(_, other)| !keep_off(&placed, [other], NEAR_M));
        let (rests_on, bodies): (Vec<_>, Vec<_>) = near.map(|(o, b)| (o.id.clone(), b)).unzip();
        self.depth_m = depth_m;
        self.bodies.extend(bodies);
        self.rests_on = rests_on;
        Ok(())
    }
}

/// Returns the greatest depth, of at most `most_m`, before anything overlaps, and the first object
/// that would overlap.
fn deepest<'p>(
    most_m: f64,
    others: &[(&'p PerceivedObject, Body)],
    body: impl Fn(f64) -> Option<Body>,
) -> (f64, Option<&'p ObjectId>) {
    let length_m = BEFORE_M + most_m;
    let n = (length_m / FINE_STEP_M).ceil() as usize;
    let mut free_m = -BEFORE_M;
    for i in 0..=n {
        let depth_m = length_m * i as f64 / n.max(1) as f64 - BEFORE_M;
        let Some(body) = body(depth_m) else { break };
        let overlaps = |other: &&(&PerceivedObject, Body)| {
            let gap_m = body.gap_m(&other.1, 0.0);
            gap_m.is_some_and(|gap_m| gap_m < -OVERLAP_M)
        };
        if let Some((other, _)) = others.iter().find(overlaps) {
            return (free_m, Some(&other.id));
        }
        free_m = depth_m;
    }
    (most_m, None)
}
