//! Selection of the best candidates.

use std::fmt::Display;

use nalgebra::Vector3;
use regrasp_api::{Failure, ObjectId, Pose, Reason};

use super::candidate::{Candidate, Placement, Places, Rest};
use super::scene::{Rejection, Scene};
use super::stability::{FOOT_PART, MOST_RESERVE_M};
use crate::bodies::extent_m;
use crate::candidates::{counted, list};
use crate::params::APPROACH_M;
use crate::poses::{eighths, level, turned};

/// Cost of a place without room for the fingers to open, m. All costs are distances by which a
/// better place may be further away.
const NO_FINGER_ROOM_M: f64 = 5.0;
/// Cost of a place whose neighbours leave no room for fingers around the object, m.
const CROWDED_M: f64 = 0.25;
/// Cost of a place that does not support the object at the limits of its position tolerance, m.
const NEAR_EDGE_M: f64 = 0.5;
/// Cost of a place that cannot be reached from straight above, m.
const NOT_OPEN_M: f64 = 10.0;
/// Largest excess cost over the best offered place, m: more than the length of an arm.
const OFFERED_WITHIN_M: f64 = 1.0;
/// Rise of an approach from the side, m; the first with enough room is used. The held object hangs
/// slightly lower than planned.
const RISES_M: [f64; 2] = [0.008, 0.0];
/// Gap between the object and the opening before it enters, m.
const OUTSIDE_M: f64 = 0.02;
/// Horizontal offsets at which a slanted approach from above starts, m.
const SLANTS_M: [f64; 4] = [0.015, 0.025, 0.035, 0.05];
/// Distance below which two places count as the same, m.
const SAME_PLACE_M: f64 = 0.01;
/// Largest number of places offered for slanted approaches, each in all rotations.
const MOST_SLANTED: usize = 3;
/// Largest number of places offered with their own approach.
pub(super) const MOST_WITH_RETREAT: usize = 24;
/// Least distance of places on a large surface from each other, m.
pub(super) const APART_M: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Any,
    /// Straight from above, preferably with room for the fingers; else slanted; else any.
    FromAbove,
    /// Horizontal from the side, where the place is not open above.
    Under,
}

/// Access to places, the largest number of them, and their least distance from each other, m.
#[derive(Clone, Copy)]
pub(super) struct Offer(pub(super) Access, pub(super) usize, pub(super) f64);

impl Offer {
    pub(super) const ONE: Self = Self(Access::Any, 1, 0.0);
    /// Places on an object that others are put on later.
    pub(super) const TO_LEAVE_ROOM: Self = Self(Access::FromAbove, 24, 0.02);
    /// Places on a large surface.
    pub(super) const ON_SURFACE: Self = Self(Access::FromAbove, 6, APART_M);

    /// Returns the best of the candidates, which come sorted by cost. `place` describes the place
    /// ("on the plate") in a failure, which counts the rejected candidates by cause.
    pub(super) fn best<'c>(
        &self,
        scene: &Scene<'_>,
        place: impl Display,
        candidates: impl IntoIterator<Item = Candidate<'c>>,
    ) -> Places {
        let Self(access, ..) = *self;
        let (mut open, mut roofed): (Vec<Candidate<'c>>, Vec<Candidate<'c>>) = (vec![], vec![]);
        let mut rejected = vec![];
        let mut support = None;
        let (mut least_m, up) = (f64::INFINITY, Vector3::z() * APPROACH_M);
        for mut candidate in candidates {
            support.get_or_insert_with(|| candidate.supports[0].id.clone());
            let bound_m = candidate.cost_m;
            // Enough candidates are known, and no costlier one can be better.
            let is_enough = || {
                let sure = open.iter().filter(|c| c.cost_m <= bound_m).cloned();
                self.spread(sure.collect(), self.1).len() >= self.1
            };
            if bound_m > least_m + OFFERED_WITHIN_M || open.len() >= self.1 && is_enough() {
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
            match access {
                Access::Any => open.push(candidate),
                Access::Under if candidate.rest == Rest::Laid => open.push(candidate),
                // Under a high roof the object fits, but not an arm above it.
                Access::Under => roofed.push(candidate),
                Access::FromAbove if !scene.is_clear(&candidate.world_from_object, &up) => {
                    least_m = least_m.min(candidate.cost_m + NOT_OPEN_M);
                    roofed.push(candidate);
                }
                Access::FromAbove => {
                    // The contacts belong to a part of the foot; scaled up, they are those of the
                    // whole foot.
                    let whole = scene.scaled(&candidate, 1.0 / FOOT_PART);
                    let prices = [
                        (scene.has_room_for_fingers(&candidate), NO_FINGER_ROOM_M),
                        (whole.is_some(), NEAR_EDGE_M),
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
        if open.is_empty() || access == Access::Under {
            let found = self.with_retreats(scene, &roofed);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if open.is_empty() {
            rejected.extend(roofed.iter().map(|_| Rejection::NoApproach));
            return Err(failure(scene, place, support, rejected));
        }
        Ok(self.placements(open))
    }

    pub(super) fn placements(&self, possible: Vec<Candidate<'_>>) -> Vec<Placement> {
        let best = self.spread(possible, self.1);
        best.iter().map(|best| best.placement(None)).collect()
    }

    fn spread<'c>(&self, mut all: Vec<Candidate<'c>>, most: usize) -> Vec<Candidate<'c>> {
        all.sort_by(|a, b| a.cost_m.total_cmp(&b.cost_m));
        let mut chosen: Vec<Candidate<'c>> = vec![];
        for candidate in all {
            let is_new = !chosen.iter().any(|c| candidate.is_like(c, self.2));
            if chosen.len() < most && is_new {
                chosen.push(candidate);
            }
        }
        chosen
    }

    /// Returns the places that are not open above, with an approach from the side, or slanted in
    /// all rotations and then straight.
    fn with_retreats(&self, scene: &Scene<'_>, roofed: &[Candidate<'_>]) -> Vec<Placement> {
        if self.0 == Access::Under {
            // All open sides are offered, since the arm may reach only one of them.
            let found = self.in_all_turns(roofed).into_iter().map(|candidate| {
                let sides = retreats_from_side(scene, candidate).into_iter();
                let is_clear =
                    |back: &Vector3<f64>| scene.is_clear(&candidate.world_from_object, back);
                let clear = sides.filter_map(|rises| rises.into_iter().find(is_clear));
                clear.map(|back| candidate.placement(Some(back))).collect()
            });
            let found = found.filter(|placements: &Vec<Placement>| !placements.is_empty());
            return found.take(self.1).flatten().collect();
        }
        // The steepest slant comes first.
        let slants = SLANTS_M.into_iter().flat_map(|slant_m| {
            eighths().map(move |angle| level(angle) * slant_m + Vector3::z() * APPROACH_M)
        });
        let retreat = |pose: &Pose| slants.clone().find(|retreat| scene.is_clear(pose, retreat));
        let reached = roofed
            .iter()
            .filter(|c| retreat(&c.world_from_object).is_some());
        let reached: Vec<Candidate<'_>> = self.spread(reached.cloned().collect(), MOST_SLANTED);
        let slanted = eighths().flat_map(|turn| {
            reached.iter().filter_map(move |candidate| {
                let world_from_object = turned(&candidate.world_from_object, turn);
                Some(Placement {
                    world_from_object,
                    ..candidate.placement(Some(retreat(&world_from_object)?))
                })
            })
        });
        let mut found: Vec<Placement> = slanted.take(MOST_WITH_RETREAT).collect();
        // If the hand has no room for a slanted approach, it may still find a straight one.
        let straight = self.spread(roofed.to_vec(), self.1);
        found.extend(straight.iter().map(|candidate| candidate.placement(None)));
        found
    }

    /// Sorts candidates by place, the cheapest first, each in all its rotations. The rotation is
    /// fixed for an approach from the side, and a hand that holds the object across can come along
    /// only one of its sides.
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
                .all(|place| !place[0].is_at(candidate, self.2))
            {
                places.push(vec![candidate]);
            }
        }
        places.concat()
    }
}

/// Describes why no candidate is possible. Of the occupants, names only the fewest whose removal
/// would make one possible.
fn failure(
    scene: &Scene<'_>,
    place: impl Display,
    support: Option<ObjectId>,
    rejected: Vec<Rejection>,
) -> Failure {
    let held = &scene.held.id;
    let causes = rejected.iter().map(Rejection::cause);
    let counted = match rejected.len() {
        0 | 1 => String::new(),
        n => format!(" (of {n} poses: {})", counted(causes).join(", ")),
    };
    let lacks_approach = rejected.contains(&Rejection::NoApproach);
    let high = rejected.iter().filter(|r| **r == Rejection::KeepsOpen);
    let occupied = rejected.iter().filter_map(|rejection| match rejection {
        Rejection::Occupied(ids) => Some(ids),
        _ => None,
    });
    let keeps_open = high.count() > occupied.clone().count();
    let n_fixed = |ids: &[ObjectId]| ids.iter().filter(|id| !scene.percept.is_loose(id)).count();
    let fewest = occupied.min_by_key(|ids| (n_fixed(ids), ids.len()));
    let Some(occupants) = fewest.filter(|_| !keeps_open) else {
        let text = match (keeps_open, lacks_approach) {
            (true, _) => format!("{held} {place} would keep a drawer or door open{counted}"),
            (_, true) => format!("every approach to put {held} {place} is blocked{counted}"),
            _ => format!("no surface is flat and wide enough for {held} {place}{counted}"),
        };
        return Failure::new(Reason::PlacementUnstable, text).about(support);
    };
    let names = list(occupants);
    let text = format!("there is no free place for {held} {place}: {names} in the way{counted}");
    Failure::new(Reason::TargetOccupied, text).about(occupants.iter().cloned())
}

/// Retreats from a place under a roof, in m in World: for each side, one for each rise.
fn retreats_from_side(scene: &Scene<'_>, candidate: &Candidate<'_>) -> Vec<Vec<Vector3<f64>>> {
    let from = &candidate.world_from_object;
    let mut roofs = scene.above(from);
    // A support that is its own roof, such as a shelf, gives the directions.
    let support = candidate.supports[0];
    roofs.sort_by_key(|roof| roof.id != support.id);
    let out_m = |level: &Vector3<f64>| {
        let extents = roofs
            .iter()
            .map(|roof| extent_m(roof, &from.translation.vector, level));
        let farthest_m = extents.fold(0.0, f64::max);
        farthest_m + scene.reach_m(&from.rotation, &-level) + OUTSIDE_M
    };
    // Directions along the edges of the roof come first.
    let along = roofs.first().map_or(support, |roof| *roof);
    let [edges, corners] = [0, 1].map(|first| eighths().skip(first).step_by(2));
    let retreats = edges.chain(corners).map(|angle| {
        let level = along.world_from_object.rotation * level(angle);
        let rises = RISES_M.iter();
        let retreat = |rise_m: &f64| level * out_m(&level) + Vector3::z() * *rise_m;
        rises.map(retreat).collect()
    });
    retreats.collect()
}
