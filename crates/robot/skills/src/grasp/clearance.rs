//! Clearance of the hand in a grasp from everything that is perceived.

use regrasp_api::{ObjectId, PerceivedObject, Percept, Pose};
use regrasp_motion::Body;
use regrasp_relations::is_supported_by;

use super::Grasp;
use super::hand::{Hand, PlacedHand};
use super::rejections::Rejection;
use crate::bodies::{bodies, body_of, keep_off};
use crate::params::{FINGER_MARGIN_M, HAND_MARGIN_M, OPEN_ROOM_M};

/// Clearance beyond which additional clearance brings no benefit, m.
const AMPLE_M: f64 = 0.02;
/// Fractions of the closing motion at which collisions are checked: a finger is thicker than its
/// motion between two of them.
const CLOSING: [f64; 3] = [0.33, 0.67, 1.0];
/// Points of the straight approach that are checked, as fractions from its end.
const ON_THE_WAY: [f64; 3] = [0.3, 0.65, 1.0];

/// Surroundings of a target, prepared for collision checks with the hand.
pub(crate) struct Neighbours {
    target_id: ObjectId,
    target: Option<Body>,
    others: Vec<Neighbour>,
}

struct Neighbour {
    id: ObjectId,
    body: Body,
    is_support: bool,
}

impl Neighbours {
    pub(crate) fn new(percept: &Percept, target: &PerceivedObject) -> Self {
        let others = bodies(percept, |o| o.id != target.id);
        let others = others.map(|(o, body)| Neighbour {
            id: o.id.clone(),
            body,
            is_support: is_supported_by(target, o),
        });
        Self {
            target_id: target.id.clone(),
            target: body_of(target),
            others: others.collect(),
        }
    }

    pub(crate) fn supports(&self) -> Vec<ObjectId> {
        self.ids(|o| o.is_support)
    }

    /// Clearance of a hand open by `opening_m` from all but supports, m, at most 2 cm.
    pub(crate) fn clearance_m(
        &self,
        hand: &Hand,
        grasp: &Grasp,
        opening_m: f64,
    ) -> Result<f64, Rejection> {
        let (end, start) = (&grasp.world_from_tool, &grasp.world_from_before);
        let there = hand.at(end, opening_m);
        let mut hit = self.hits(&there);
        if hit.is_empty() {
            hit = self.hits_closing(hand, grasp, opening_m);
        }
        if !hit.is_empty() {
            return Err(Rejection::InCollision(hit));
        }
        let [from, to] = [end, start].map(|pose| pose.translation.vector);
        for fraction in ON_THE_WAY {
            let world_from_tool = Pose::from_parts(from.lerp(&to, fraction).into(), end.rotation);
            let hit = self.hits(&hand.at(&world_from_tool, opening_m));
            if !hit.is_empty() {
                return Err(Rejection::BlockedApproach(hit));
            }
        }
        Ok(self.clearance(&there))
    }

    /// Returns the first finger distance with which the hand has room, and its clearance, m.
    pub(crate) fn first_clear(
        &self,
        hand: &Hand,
        grasp: &Grasp,
        openings_m: &[f64],
    ) -> Result<(f64, f64), Rejection> {
        let mut outcome = Err(Rejection::Slanted);
        for opening_m in openings_m {
            let clearance = self.clearance_m(hand, grasp, *opening_m);
            outcome = clearance.map(|clearance_m| (*opening_m, clearance_m));
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Objects too close to the hand, the target included.
    fn hits(&self, placed: &PlacedHand) -> Vec<ObjectId> {
        let too_close =
            |body: &Body, finger_m: f64| !placed.keeps_off([body], finger_m, HAND_MARGIN_M);
        let mut hit = self.ids(|o| too_close(&o.body, FINGER_MARGIN_M));
        let target = self.target.as_ref();
        if target.is_some_and(|target| too_close(target, FINGER_MARGIN_M)) {
            hit.push(self.target_id.clone());
        }
        hit
    }

    /// Objects other than the target on which the fingers would close.
    fn hits_closing(&self, hand: &Hand, grasp: &Grasp, opening_m: f64) -> Vec<ObjectId> {
        let closed_m = grasp.width_m + OPEN_ROOM_M;
        let widths = CLOSING.map(|f| opening_m + f * (closed_m - opening_m));
        let placed = widths.map(|width_m| hand.at(&grasp.world_from_tool, width_m));
        self.ids(|o| {
            let mut placed = placed.iter();
            placed.any(|p| !keep_off(&p.fingers, [&o.body], OPEN_ROOM_M))
        })
    }

    fn ids(&self, wanted: impl Fn(&Neighbour) -> bool) -> Vec<ObjectId> {
        let wanted = self.others.iter().filter(|o| wanted(o));
        wanted.map(|o| o.id.clone()).collect()
    }

    fn clearance(&self, placed: &PlacedHand) -> f64 {
        let solids = placed.fingers.iter().chain(&placed.hand);
        let neighbours = self.others.iter().filter(|o| !o.is_support);
        let mut least_m = AMPLE_M;
        for neighbour in neighbours {
            for solid in solids.clone() {
                let gap_m = solid.gap_m(&neighbour.body, least_m);
                least_m = gap_m.map_or(least_m, |gap_m| gap_m.min(least_m));
            }
        }
        least_m
    }
}

/// Cost of too little clearance, in the unit of [`Grasp::cost`]; 0 from 2 cm on.
pub(crate) fn clearance_cost(clearance_m: f64) -> f64 {
    0.4 * (1.0 - clearance_m / AMPLE_M).clamp(0.0, 1.0)
}
