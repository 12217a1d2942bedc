//! Places under a roof, such as in a microwave or on a shelf: the hand comes in from a side that
//! is open, and leaves the way it came.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Held, ObjectId, PerceivedObject, Percept, Pose};
use regrasp_motion::Body;

use super::grid::spread;
use super::ground::{Ground, WALL_CLEARANCE_M};
use super::placement::{GIVEN_HEIGHT_TOL_M, Spot};
use crate::grasp::{Hand, PlacedHand};
use crate::poses::turned as turned_by;
use crate::release::{APPROACH_M, RELEASE_GAP_M, tool_at};

/// Directions from which it may come in, evenly around from the support's x on.
const N_HEADINGS: usize = 8;
/// The order in which they are tried: along the support's sides first.
const HEADINGS: [usize; N_HEADINGS] = [0, 2, 4, 6, 1, 3, 5, 7];
/// How nearly the fingers close across the way of a hand that leaves by it, as a cosine: else they
/// would take along what they let go of.
const ACROSS: f64 = 0.2;
/// How much higher it begins than it ends, m, the first for which there is room: what is carried
/// hangs a little lower than planned.
const RISES_M: [f64; 2] = [0.008, 0.0];
/// Space between it and what it goes into before it goes in, m.
const OUTSIDE_M: f64 = 0.02;
/// Steps in which a way is looked at, m.
const STEP_M: f64 = 0.01;
/// How far from the point that was asked for it may stand, m: less than what was placed may rest
/// beside its place.
const SHIFT_M: f64 = 0.013;
/// How far to the side of a place a way that comes down to it aslant begins, m.
const SLANTS_M: [f64; 4] = [0.015, 0.025, 0.035, 0.05];
/// Such places that are offered at most, each in all turns.
const MOST_SLANTED: usize = 3;
/// Places that are offered at most.
const MOST_PLACES: usize = 24;
/// Where on a way the hand is looked at, as parts of it from its end.
const WAY_PARTS: [f64; 6] = [0.0, 0.15, 0.3, 0.5, 0.75, 1.0];
/// Distances that hand and open fingers keep from everything, m: a little more than motion
/// planning keeps.
const HAND_MARGIN_M: f64 = 0.0055;
const FINGER_MARGIN_M: f64 = 0.002;

/// The places under a roof at or very near a point in World at which it is to have its origin, each
/// with a way in from the side, the nearest and the least turned first.
pub(crate) fn covered_at(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    [x, y, z]: [f64; 3],
) -> Vec<Spot> {
    let around = Around::new(percept, &held.id);
    let lowest_m = Ground::new(percept, held, world_from_held).extent.min[2];
    let below_z = z + lowest_m + GIVEN_HEIGHT_TOL_M;
    let ground = || Ground::new(percept, held, world_from_held).below(below_z);
    let Some(body) = Body::new(&held.shape, &Pose::identity()) else {
        return vec![];
    };
    let mut spots = vec![];
    for ground in turned(percept, ground, [x, y]) {
        for [dx, dy] in shifts() {
            let Ok(spot) = ground.at([x + dx, y + dy], None) else {
                continue;
            };
            let support = percept
                .object(&spot.support)
                .filter(|_| spot.is_at_height(z));
            let way_back = support.and_then(|s| around.way_back(&body, s, held, &spot));
            if let Some(way_back) = way_back {
                spots.push(Spot {
                    way_back: Some(way_back),
                    ..spot
                });
            }
            if spots.len() == MOST_PLACES {
                return spots;
            }
        }
    }
    spots
}

/// As it is turned now, along the sides of what it stands on, and in eighths of a turn.
fn turned<'a>(
    percept: &Percept,
    ground: impl Fn() -> Ground<'a>,
    point: [f64; 2],
) -> Vec<Ground<'a>> {
    let below = ground().highest_at(point);
    let support = below.and_then(|id| percept.object(&id));
    let mut all = vec![ground()];
    if let Some(support) = support {
        let along = support.world_from_object.rotation * Vector3::x();
        let quarters = (0..4).map(|i| FRAC_PI_2 * i as f64);
        all.extend(quarters.map(|turn| ground().facing(&along).turned(turn)));
    }
    let eighths = (1..8).map(|i| TAU * i as f64 / 8.0);
    all.extend(eighths.map(|turn| ground().turned(turn)));
    let mut known: Vec<UnitQuaternion<f64>> = vec![];
    all.retain(|ground| {
        let is_new = known
            .iter()
            .all(|k| k.angle_to(&ground.rotation) > SAME_RAD);
        known.push(ground.rotation);
        is_new
    });
    all
}

/// The places on `target` that something comes down to aslant, past what hangs over them, such as
/// the handle of the drawer above: a bowl is narrower below than at its rim.
pub(super) fn slanted(
    percept: &Percept,
    held: &Held,
    grounds: &[Ground<'_>],
    points: &[[f64; 2]],
    target: &PerceivedObject,
) -> Vec<Spot> {
    let around = Around::new(percept, &held.id);
    let Some(body) = Body::new(&held.shape, &Pose::identity()) else {
        return vec![];
    };
    let with_way = |spot: Spot| {
        let way_back = around.way_up(&body, &spot.world_from_object)?;
        Some(Spot {
            way_back: Some(way_back),
            ..spot
        })
    };
    let places = grounds.iter().map(|ground| {
        spread(points, MOST_SLANTED, |point| {
            with_way(ground.at(point, Some(target)).ok()?)
        })
    });
    let found = places.into_iter().find(|places| !places.is_empty());
    let found = found.unwrap_or_default();
    let turns = (0..8).map(|i| TAU * i as f64 / 8.0);
    let turned = turns.flat_map(|turn| {
        let with_way = &with_way;
        found.iter().filter_map(move |spot| {
            with_way(Spot {
                world_from_object: turned_by(&spot.world_from_object, turn),
                ..spot.clone()
            })
        })
    });
    turned.take(MOST_PLACES).collect()
}

/// Turns closer than this are the same, rad.
const SAME_RAD: f64 = 0.02;

/// The point itself and some around it.
fn shifts() -> Vec<[f64; 2]> {
    let around = (0..N_HEADINGS).map(|i| TAU * i as f64 / N_HEADINGS as f64);
    let around = around.map(|angle| [SHIFT_M * angle.cos(), SHIFT_M * angle.sin()]);
    std::iter::once([0.0; 2]).chain(around).collect()
}

/// Everything that is seen, as what comes in from the side may meet it.
pub(crate) struct Around {
    bodies: Vec<Body>,
}

impl Around {
    pub(crate) fn new(percept: &Percept, held: &ObjectId) -> Self {
        let others = percept.objects.iter().filter(|o| &o.id != held);
        let bodies = others.filter_map(|o| Body::new(&o.shape, &o.world_from_object));
        Self {
            bodies: bodies.collect(),
        }
    }

    /// Whether the hand has room where it lets go of it there, and leaves it there.
    pub(crate) fn has_room(&self, hand: &Hand, held: &Held, spot: &Spot) -> bool {
        let world_from_tool = tool_at(held, &spot.world_from_object);
        let closing = world_from_tool.rotation * Vector3::y();
        let way_back = spot.way_back.filter(|_| spot.is_from_side());
        if way_back.is_some_and(|way| way.normalize().dot(&closing).abs() > ACROSS) {
            return false;
        }
        let way = spot.way_back.unwrap_or_else(Vector3::zeros);
        WAY_PARTS.iter().all(|part| {
            let there = Translation3::from(way * *part) * world_from_tool;
            self.clears(&hand.at(&there, held.width_m))
        })
    }

    fn clears(&self, placed: &PlacedHand) -> bool {
        let clear = |solids: &[Body], room_m: f64| {
            let mut pairs = solids
                .iter()
                .flat_map(|s| self.bodies.iter().map(move |b| (s, b)));
            pairs.all(|(solid, body)| solid.gap_m(body, room_m).is_none())
        };
        clear(&placed.fingers, FINGER_MARGIN_M) && clear(&placed.hand, HAND_MARGIN_M)
    }

    /// The way back out of a place under a roof, if there is one.
    fn way_back(
        &self,
        body: &Body,
        support: &PerceivedObject,
        held: &Held,
        spot: &Spot,
    ) -> Option<Vector3<f64>> {
        let from = &spot.world_from_object;
        let up = Vector3::z() * APPROACH_M;
        if self.is_clear(body, from, &up) {
            return None;
        }
        let rotation = &support.world_from_object.rotation;
        let ways = RISES_M.iter().flat_map(|rise_m| {
            HEADINGS.into_iter().map(move |i| {
                let angle = TAU * i as f64 / N_HEADINGS as f64;
                let level = rotation * Vector3::new(angle.cos(), angle.sin(), 0.0);
                level * out_m(support, held, from, &level) + Vector3::z() * *rise_m
            })
        });
        ways.into_iter().find(|way| self.is_clear(body, from, way))
    }

    /// The way up from a place that leans by as little as it can.
    fn way_up(&self, body: &Body, from: &Pose) -> Option<Vector3<f64>> {
        let ways = SLANTS_M.iter().flat_map(|slant_m| {
            (0..N_HEADINGS).map(move |i| {
                let angle = TAU * i as f64 / N_HEADINGS as f64;
                let level = Vector3::new(angle.cos(), angle.sin(), 0.0);
                level * *slant_m + Vector3::z() * APPROACH_M
            })
        });
        ways.into_iter().find(|way| self.is_clear(body, from, way))
    }

    /// Whether nothing is in the way of it from a place on.
    fn is_clear(&self, body: &Body, from: &Pose, way: &Vector3<f64>) -> bool {
        let n = (way.norm() / STEP_M).ceil().max(1.0) as usize;
        (0..=n).all(|i| {
            let shift = Vector3::z() * RELEASE_GAP_M + way * (i as f64 / n as f64);
            let there = body.at(&(Translation3::from(shift) * from));
            let mut others = self.bodies.iter();
            others.all(|other| there.gap_m(other, WALL_CLEARANCE_M).is_none())
        })
    }
}

/// How far it has to go along a level direction until it is beside its support, m.
fn out_m(support: &PerceivedObject, held: &Held, from: &Pose, level: &Vector3<f64>) -> f64 {
    let reach_m = |shape: &regrasp_api::Shape, pose: &Pose, direction: &Vector3<f64>| {
        let in_shape = pose.rotation.inverse() * direction;
        shape.support(&in_shape)
            + (pose.translation.vector - from.translation.vector).dot(direction)
    };
    reach_m(&support.shape, &support.world_from_object, level)
        + reach_m(&held.shape, from, &-level)
        + OUTSIDE_M
}

#[cfg(test)]
mod tests;
