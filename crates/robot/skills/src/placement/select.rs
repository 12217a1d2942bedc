//! The choice of the best candidates.

use std::collections::BTreeSet;

use nalgebra::Vector3;
use regrasp_api::{Failure, ObjectId, Pose, Reason};

use super::candidate::Candidate;
use super::rest::{Placement, Rest};
use super::scene::{Rejection, Scene};
use super::stability::MOST_RESERVE_M;
use crate::bodies::extent_m;
use crate::candidates::counted;
use crate::params::APPROACH_M;
use crate::poses::{eighths, level, turned};

/// Price of a place at which fingers have no room to open, m. All prices are distances by which a
/// better place may be further away.
const NO_FINGER_ROOM_M: f64 = 5.0;
/// The same of one at which what stands beside it leaves fingers no room around it.
const CROWDED_M: f64 = 0.25;
/// The same of one at which it is not carried if it ends off it by as much as it may.
const NEAR_EDGE_M: f64 = 0.5;
/// The same of one to which it does not come from straight above.
const NOT_OPEN_M: f64 = 10.0;
/// A place that costs so much more than the best is not offered, m: more than the length of an arm.
const OFFERED_WITHIN_M: f64 = 1.0;
/// Rise of a way in from the side, m, the first for which there is room: what is carried hangs a
/// little lower than planned.
const RISES_M: [f64; 2] = [0.008, 0.0];
/// Space between it and what it goes into before it goes in, m.
const OUTSIDE_M: f64 = 0.02;
/// Distances to the side of a place at which a way that comes down to it aslant begins, m.
const SLANTS_M: [f64; 4] = [0.015, 0.025, 0.035, 0.05];
/// Places that differ by less are one, m.
const SAME_PLACE_M: f64 = 0.01;
/// Places that are offered for a way aslant at most, each in all turns.
const MOST_ASLANT: usize = 3;
/// Places with a way in that are offered at most.
pub(super) const MOST_WITH_WAY: usize = 24;
/// Places on something large that are offered at most, and their least distance from each other, m.
pub(super) const MOST_PLACES: usize = 6;
pub(super) const APART_M: f64 = 0.05;
/// The same of places in a container from which something is let fall.
pub(super) const MOST_DROPS: usize = 9;
pub(super) const DROPS_APART_M: f64 = 0.015;

/// The way in that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It is for motion planning to find.
    Any,
    /// From straight above with room for the fingers, else aslant, else any.
    FromAbove,
    /// From the side, where it is not open above.
    Under,
}

/// The places that are asked for.
pub(super) struct Wanted {
    /// Their name in a failure: "on the plate".
    pub(super) place: String,
    pub(super) access: Access,
    pub(super) most: usize,
    /// Least distance between two of them, m.
    pub(super) apart_m: f64,
}

impl Wanted {
    /// The best place alone.
    pub(super) fn one(place: String) -> Self {
        Self {
            place,
            access: Access::Any,
            most: 1,
            apart_m: 0.0,
        }
    }

    /// The best of the candidates, which come in the order of their cost, best first; there is at
    /// least one.
    ///
    /// # Errors
    ///
    /// `target_occupied` with what is in the way, or `placement_unstable`; either counts what was
    /// rejected by cause.
    pub(super) fn best<'c>(
        &self,
        scene: &Scene<'_>,
        candidates: impl IntoIterator<Item = Candidate<'c>>,
    ) -> Result<Vec<Placement>, Failure> {
        let (mut open, mut roofed): (Vec<Candidate<'c>>, Vec<Candidate<'c>>) = (vec![], vec![]);
        let mut rejected = vec![];
        let mut support = None;
        let (mut least_m, up) = (f64::INFINITY, Vector3::z() * APPROACH_M);
        for mut candidate in candidates {
            support.get_or_insert_with(|| candidate.supports[0].id.clone());
            let bound_m = candidate.cost_m;
            if bound_m > least_m + OFFERED_WITHIN_M || self.is_enough(&open, bound_m) {
                break;
            }
            let reserve_m = match scene.validate(&candidate) {
                Ok(reserve_m) => reserve_m,
                Err(rejection) => {
                    rejected.push(rejection);
                    continue;
                }
            };
            if candidate.rest == Rest::Laid {
                candidate.cost_m += MOST_RESERVE_M - reserve_m;
            }
            match self.access {
                Access::Any => open.push(candidate),
                Access::Under if candidate.rest == Rest::Laid => open.push(candidate),
                // Under a high roof there is room for it alone, not for an arm above it.
                Access::Under => roofed.push(candidate),
                Access::FromAbove if !scene.is_clear(&candidate.world_from_object, &up) => {
                    least_m = least_m.min(candidate.cost_m + NOT_OPEN_M);
                    roofed.push(candidate);
                }
                Access::FromAbove => {
                    let prices = [
                        (scene.has_room_for_fingers(&candidate), NO_FINGER_ROOM_M),
                        (scene.is_carried_whole(&candidate), NEAR_EDGE_M),
                        (scene.is_carried_if_off(&candidate), NEAR_EDGE_M),
                        (scene.has_room_around(&candidate), CROWDED_M),
                    ];
                    let due = prices.iter().filter(|(is_good, _)| !is_good);
                    candidate.cost_m += due.map(|(_, price_m)| price_m).sum::<f64>();
                    open.push(candidate);
                }
            }
            least_m = open.iter().map(|c| c.cost_m).fold(least_m, f64::min);
        }
        if open.is_empty() || self.access == Access::Under {
            let found = self.with_ways(scene, &roofed);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if open.is_empty() {
            rejected.extend(roofed.iter().map(|_| Rejection::NoWay));
            return Err(self.failure(scene, support, rejected));
        }
        Ok(self.placements(open))
    }

    /// Those that are asked for among several that are possible.
    pub(super) fn placements(&self, possible: Vec<Candidate<'_>>) -> Vec<Placement> {
        let best = self.spread(possible, self.most);
        best.iter().map(|best| best.placement(None)).collect()
    }

    /// Returns true if as many are known as are asked for, and none that costs more is better.
    fn is_enough(&self, known: &[Candidate<'_>], cost_m: f64) -> bool {
        let sure = known.iter().filter(|c| c.cost_m <= cost_m).cloned();
        known.len() >= self.most && self.spread(sure.collect(), self.most).len() >= self.most
    }

    /// The cheapest that are some way apart.
    fn spread<'c>(&self, mut all: Vec<Candidate<'c>>, most: usize) -> Vec<Candidate<'c>> {
        all.sort_by(|a, b| a.cost_m.total_cmp(&b.cost_m));
        let mut chosen: Vec<Candidate<'c>> = vec![];
        for candidate in all {
            let is_new = !chosen.iter().any(|c| candidate.is_like(c, self.apart_m));
            if chosen.len() < most && is_new {
                chosen.push(candidate);
            }
        }
        chosen
    }

    /// Those that are not open above, with a way in; aslant in every turn.
    fn with_ways(&self, scene: &Scene<'_>, roofed: &[Candidate<'_>]) -> Vec<Placement> {
        if self.access == Access::Under {
            // What is open at both ends is entered from where the arm can come.
            let found = self.in_all_turns(roofed).into_iter().map(|candidate| {
                let sides = ways_from_side(scene, candidate).into_iter();
                let is_clear =
                    |way: &Vector3<f64>| scene.is_clear(&candidate.world_from_object, way);
                let clear = sides.filter_map(|rises| rises.into_iter().find(is_clear));
                clear.map(|way| candidate.placement(Some(way))).collect()
            });
            let found = found.filter(|placements: &Vec<Placement>| !placements.is_empty());
            return found.take(self.most).flatten().collect();
        }
        let way = |pose: &Pose| {
            let mut ways = ways_aslant();
            ways.find(|way| scene.is_clear(pose, way))
        };
        let with_way = roofed
            .iter()
            .filter(|c| way(&c.world_from_object).is_some());
        let with_way: Vec<Candidate<'_>> = self.spread(with_way.cloned().collect(), MOST_ASLANT);
        let aslant = eighths().flat_map(|turn| {
            with_way.iter().filter_map(move |candidate| {
                let world_from_object = turned(&candidate.world_from_object, turn);
                Some(Placement {
                    world_from_object,
                    ..candidate.placement(Some(way(&world_from_object)?))
                })
            })
        });
        let mut found: Vec<Placement> = aslant.take(MOST_WITH_WAY).collect();
        // Where the hand has no room to come aslant, it may yet find a way straight down.
        let straight = self.spread(roofed.to_vec(), self.most);
        found.extend(straight.iter().map(|candidate| candidate.placement(None)));
        found
    }

    /// Place by place, the cheapest first, each in all its turns: what comes in from the side stays
    /// as it is turned, and a hand that holds it across comes along one side of it only.
    fn in_all_turns<'c, 'a>(&self, candidates: &'c [Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
        let mut by_cost: Vec<_> = candidates.iter().collect();
        by_cost.sort_by(|a, b| a.cost_m.total_cmp(&b.cost_m));
        let mut places: Vec<Vec<&Candidate<'a>>> = vec![];
        for candidate in by_cost {
            let mut known = places.iter_mut();
            if let Some(place) = known.find(|place| place[0].is_at(candidate, SAME_PLACE_M)) {
                place.push(candidate);
            } else if places
                .iter()
                .all(|place| !place[0].is_at(candidate, self.apart_m))
            {
                places.push(vec![candidate]);
            }
        }
        places.concat()
    }

    fn failure(
        &self,
        scene: &Scene<'_>,
        support: Option<ObjectId>,
        rejected: Vec<Rejection>,
    ) -> Failure {
        let (held, place) = (&scene.held.id, &self.place);
        let causes = rejected.iter().map(Rejection::cause);
        let counted = match rejected.len() {
            0 | 1 => String::new(),
            n => format!(" (of {n} poses: {})", counted(causes).join(", ")),
        };
        let is_way = rejected.contains(&Rejection::NoWay);
        let occupants = rejected
            .into_iter()
            .filter_map(|rejection| match rejection {
                Rejection::Occupied(ids) => Some(ids),
                _ => None,
            });
        let occupants: BTreeSet<ObjectId> = occupants.flatten().collect();
        if occupants.is_empty() {
            // What would stand there misses its place by the way alone.
            let text = match is_way {
                true => format!("there is no way in for {held} {place}{counted}"),
                false => format!("nothing flat and wide enough carries {held} {place}{counted}"),
            };
            return Failure::new(Reason::PlacementUnstable, text).about(support);
        }
        let names: Vec<&str> = occupants.iter().map(ObjectId::as_str).collect();
        let names = names.join(", ");
        let text =
            format!("there is no free place for {held} {place}: {names} in the way{counted}");
        Failure::new(Reason::TargetOccupied, text).about(occupants)
    }
}

/// The ways out of a place under a roof, for each side by how they rise.
fn ways_from_side(scene: &Scene<'_>, candidate: &Candidate<'_>) -> Vec<Vec<Vector3<f64>>> {
    let (whole, from) = (
        scene.roof.unwrap_or(candidate.supports[0]),
        &candidate.world_from_object,
    );
    let out_m = |level: &Vector3<f64>| {
        let of_support = extent_m(whole, &from.translation.vector, level);
        of_support + scene.reach_m(&from.rotation, &-level) + OUTSIDE_M
    };
    // Along the edges of what has the roof first.
    let [edges, corners] = [0, 1].map(|first| eighths().skip(first).step_by(2));
    let ways = edges.chain(corners).map(|angle| {
        let level = whole.world_from_object.rotation * level(angle);
        let rises = RISES_M.iter();
        let way = |rise_m: &f64| level * out_m(&level) + Vector3::z() * *rise_m;
        rises.map(way).collect()
    });
    ways.collect()
}

/// The ways up from a place that lean, the steepest first.
fn ways_aslant() -> impl Iterator<Item = Vector3<f64>> {
    SLANTS_M.into_iter().flat_map(|slant_m| {
        eighths().map(move |angle| level(angle) * slant_m + Vector3::z() * APPROACH_M)
    })
}
