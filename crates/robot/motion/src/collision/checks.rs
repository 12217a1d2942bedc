//! Contacts and distances of a configuration, by the exact shapes.

use regrasp_api::{CollisionPair, MotionRequest};

use super::geometry::{OwnPairs, RobotGeometry};
use super::posed::{Placed, Posed, across, any_within};
use super::surroundings::{Surroundings, Touch};
use crate::spheres::Travel;

/// Overlap tolerated at the start between an obstacle and the fingers or the held object, m: hands
/// touch objects on purpose, and perception is not exact.
const HAND_DOUBT_M: f64 = 0.006;
/// Overlap tolerated at the start between parts of the robot, m. Tracking and perception are not
/// exact, and an arm that touches itself must be able to move away.
const DOUBT_M: f64 = 0.005;

/// Two parts near each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Proximity {
    /// The link (or the held object), and the obstacle or other link.
    pub pair: CollisionPair,
    /// Distance between the two parts, m, negative while they overlap.
    pub distance_m: f64,
}

impl RobotGeometry {
    /// The first pair, if any, that touches or is closer than its margin: a link or the held
    /// object, and an obstacle or another link.
    pub(crate) fn first_contact(&self, q: &[f64], around: &Surroundings) -> Option<CollisionPair> {
        if around.is_clear(q) {
            return None;
        }
        self.first_exact_contact(q, around)
    }

    /// The first touching pair by the exact shapes alone, without spheres.
    pub(crate) fn first_exact_contact(
        &self,
        q: &[f64],
        around: &Surroundings,
    ) -> Option<CollisionPair> {
        let placed = self.placed(q, around.gripper_width_m, around.held());
        let by_obstacle = placed.moving(&around.world_from_root).find_map(|solid| {
            let obstacle = around.too_near(&solid, 0.0)?;
            Some(pair(solid.name, obstacle))
        });
        let own = || placed.own_contact(around, None);
        by_obstacle.or_else(|| own().map(|[a, b]| pair(a[0].name, b[0].name)))
    }

    /// Returns true if nothing touches, even after every part moves by its `travel` in any
    /// direction.
    pub(crate) fn keeps_clear(
        &self,
        q: &[f64],
        around: &Surroundings,
        travel: Option<&Travel<'_>>,
    ) -> bool {
        let placed = self.placed(q, around.gripper_width_m, around.held());
        let of_link = |link_idx| travel.map_or(0.0, |t| t.of_link(link_idx));
        let mut moving = placed.moving(&around.world_from_root);
        moving.all(|solid| around.too_near(&solid, of_link(solid.link_idx)).is_none())
            && placed.own_contact(around, travel).is_none()
    }

    /// All pairs nearer than `within_m` that must not touch, nearest first.
    pub(crate) fn proximities(
        &self,
        q: &[f64],
        around: &Surroundings,
        within_m: f64,
    ) -> Vec<Proximity> {
        let placed = self.placed(q, around.gripper_width_m, around.held());
        let mut near: Vec<Proximity> = vec![];
        let mut add = |link: &str, other: &str, distance_m: f64| {
            let is_same = |p: &&mut Proximity| p.pair.link == link && p.pair.other == other;
            match near.iter_mut().find(is_same) {
                Some(known) => known.distance_m = known.distance_m.min(distance_m),
                None => near.push(Proximity {
                    pair: pair(link, other),
                    distance_m,
                }),
            }
        };
        for solid in placed.moving(&around.world_from_root) {
            for (obstacle, gap_m) in around.gaps(&solid, within_m) {
                add(solid.name, obstacle, gap_m);
            }
        }
        let own = placed.own_pairs(&around.own).flat_map(across);
        for (s, t) in own.filter(|(s, t)| !around.allowed.allows(s.name, t.name)) {
            if let Some(gap_m) = s.gap_m(t, within_m) {
                add(s.name, t.name, gap_m);
            }
        }
        near.sort_by(|a, b| a.distance_m.total_cmp(&b.distance_m));
        near
    }

    /// The surroundings of a request. Pairs that are too close at the start may stay that close.
    pub(crate) fn surroundings(
        &self,
        request: &MotionRequest<'_>,
        own: &OwnPairs,
        hand_margin_m: f64,
    ) -> Surroundings {
        let mut around = Surroundings::new(self, request, hand_margin_m);
        // Each round accepts the gap of one solid of a pair, so the loop ends. An overlap by more
        // than the tolerance is not accepted.
        while let Some(touch) = self.first_touch(request.start, &around) {
            if touch.gap_m < if touch.by_hand { -HAND_DOUBT_M } else { 0.0 } {
                break;
            }
            around.excuse(touch);
        }
        let placed = self.placed(request.start, around.gripper_width_m, around.held());
        let links = own.links.iter().copied();
        let against_held = own.against_held.iter().copied();
        let open = OwnPairs {
            links: links
                .filter(|(a, b)| !overlaps_slightly([placed.of_link(*a), placed.of_link(*b)]))
                .collect(),
            against_held: against_held
                .filter(|link| {
                    placed
                        .held_and(*link)
                        .is_some_and(|p| !overlaps_slightly(p))
                })
                .collect(),
        };
        around.set_own(open, own);
        around
    }

    fn first_touch(&self, q: &[f64], around: &Surroundings) -> Option<Touch> {
        let placed = self.placed(q, around.gripper_width_m, around.held());
        let mut moving = placed.moving(&around.world_from_root);
        moving.find_map(|solid| around.first_touch(&solid))
    }
}

impl<'a> Placed<'a> {
    /// The first pair of the robot's own parts, the held object included, that touches or could
    /// touch after every part moves by its `travel`.
    fn own_contact(
        &self,
        around: &Surroundings,
        travel: Option<&Travel<'_>>,
    ) -> Option<[&[Posed<'a>]; 2]> {
        let between = |a: usize, b: usize| travel.map_or(0.0, |t| t.between(a, b));
        self.own_pairs(&around.own).find(|[a, b]| {
            any_within([a, b], between(a[0].link_idx, b[0].link_idx))
                && !around.allowed.allows(a[0].name, b[0].name)
        })
    }
}

/// Returns true if two parts of the robot touch, but overlap by no more than is tolerated at the
/// start.
fn overlaps_slightly(parts: [&[Posed<'_>]; 2]) -> bool {
    let gaps = across(parts).filter_map(|(s, t)| s.gap_m(t, 0.0));
    let nearest_m = gaps.reduce(f64::min);
    nearest_m.is_some_and(|gap_m| (-gap_m).max(0.0) <= DOUBT_M)
}

fn pair(link: &str, other: &str) -> CollisionPair {
    CollisionPair {
        link: link.to_owned(),
        other: other.to_owned(),
    }
}
