//! Reasons why candidates are rejected as grasps, and their summary.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{Failure, GripperInfo, MotionFailure, ObjectId, PerceivedObject, Reason};
use strum::IntoStaticStr;

use super::{LEAST_OVERLAP_M, widest_m};
use crate::candidates::{counted, counts};
use crate::params::PALM_ROOM_M;

/// Reason why a candidate is rejected as a grasp.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Rejection {
    /// The gripper does not open that far.
    TooWide {
        width_m: f64,
    },
    /// Too little of the object would be between the pads.
    TooFlat {
        overlap_m: f64,
    },
    /// The pads would not meet opposite surfaces squarely.
    Slanted,
    /// The hand or the arm collides with these objects in the grasp.
    InCollision(Vec<ObjectId>),
    /// The hand or the arm collides with these objects on a path to the grasp.
    BlockedApproach(Vec<ObjectId>),
    Unreachable(MotionFailure),
}

impl Rejection {
    /// Keyword for messages and measurements.
    pub(crate) fn cause(&self) -> &'static str {
        self.into()
    }

    pub(crate) fn blockers(&self) -> &[ObjectId] {
        match self {
            Self::InCollision(ids) | Self::BlockedApproach(ids) => ids,
            _ => &[],
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rejections {
    dropped: Vec<Rejection>,
    pub(crate) n_untried: usize,
}

impl Rejections {
    pub(crate) fn add(&mut self, dropped: Rejection) {
        self.dropped.push(dropped);
    }

    /// Returns the value of an outcome, or records its rejection.
    pub(crate) fn kept<T>(&mut self, outcome: Result<T, Rejection>) -> Option<T> {
        outcome.map_err(|why| self.add(why)).ok()
    }

    /// Failure for an object without any grasp left.
    ///
    /// `unreachable` if nothing but the object and its support is in the way and some candidates
    /// are only out of reach. Otherwise `no_grasp_found` with the counts and the obstacles: the
    /// fewest loose objects that alone block candidates, or else all fixed ones. `movable` begins
    /// with the objects that are the easiest to move.
    pub(crate) fn failure(
        &self,
        target: &PerceivedObject,
        movable: &[ObjectId],
        supports: &[ObjectId],
        gripper: &GripperInfo,
    ) -> Failure {
        let id = &target.id;
        let mut blockers = self.dropped.iter().flat_map(Rejection::blockers);
        // If only the object and its support are in the way, reach or shape is the cause.
        if blockers.all(|blocker| blocker == id || supports.contains(blocker))
            && let Some(failure) = self
                .about_reach(id)
                .or_else(|| self.about_shape(id, gripper))
        {
            return failure;
        }
        let mut text = format!(
            "no grasp of {id} works ({}){}",
            self.counted(),
            self.in_the_way(id)
        );
        let is_loose = |blocker: &ObjectId| {
            blocker != id && movable.contains(blocker) && !supports.contains(blocker)
        };
        let rank = |blocker: &ObjectId| movable.iter().position(|id| id == blocker);
        let entities = match self.fewest_blockers(is_loose, rank) {
            Some((fewest, n)) => {
                let names: Vec<&str> = fewest.iter().map(ObjectId::as_str).collect();
                let alone = if names.len() == 1 { " alone" } else { "" };
                let names = names.join(" and ");
                text += &format!("; moving {names}{alone} would free {n} candidates");
                fewest
            }
            None => {
                let named = self.blockers().into_iter().map(|(blocker, _)| blocker);
                let is_other = |blocker: &ObjectId| blocker != id && !supports.contains(blocker);
                // Moving loose objects is no use if each candidate also hits something fixed.
                let helps = |blocker: &ObjectId| self.n_untried > 0 || !is_loose(blocker);
                named
                    .filter(|named| is_other(named) && helps(named))
                    .collect()
            }
        };
        let failure = Failure::new(Reason::NoGraspFound, text).about(entities);
        let counts = self.counts();
        counts.into_iter().fold(failure, |failure, (cause, n)| {
            failure.measured(cause, n as f64, None, "grasps")
        })
    }

    /// Failure with the nearest miss, if some candidates are only out of reach.
    fn about_reach(&self, id: &ObjectId) -> Option<Failure> {
        let missed = self.dropped.iter().filter_map(|dropped| match dropped {
            Rejection::Unreachable(failure) => Some(failure),
            _ => None,
        });
        let n = missed.clone().count();
        let nearest = missed.min_by(|a, b| miss_m(a).total_cmp(&miss_m(b)))?;
        let mut failure = Failure::from(nearest.clone());
        failure.detail = format!(
            "{id} is out of reach: {} (the nearest of {n} grasps; {})",
            failure.detail,
            self.counted()
        )
        .into();
        Some(failure)
    }

    /// Failure if the only causes are the object's shape and its support. All faults are reported:
    /// an object that is too flat for one grasp may be too wide for another, and either figure
    /// alone would mislead.
    fn about_shape(&self, id: &ObjectId, gripper: &GripperInfo) -> Option<Failure> {
        if self.n_untried > 0 {
            return None;
        }
        let (opening_m, widest_m) = (gripper.max_width_m, widest_m(gripper));
        let overlap_m = self.nearest(|d| match d {
            Rejection::TooFlat { overlap_m } => Some(*overlap_m),
            _ => None,
        });
        let width_m = self.nearest(|d| match d {
            Rejection::TooWide { width_m } => Some(-*width_m),
            _ => None,
        });
        let width_m = width_m.map(|m| -m);
        let is_slanted = self.dropped.contains(&Rejection::Slanted);
        let place = match overlap_m.is_none() && !is_slanted {
            true => "where it is narrowest",
            false => "where its surfaces face each other",
        };
        let wide = width_m.map(|width_m| {
            format!(
                "is {width_m:.4} m wide {place}; the gripper opens to {opening_m:.4} m and needs \
                 {:.3} m of clearance",
                opening_m - widest_m
            )
        });
        let is_short = gripper.finger_length_m - PALM_ROOM_M < LEAST_OVERLAP_M;
        let flat = overlap_m.map(|overlap_m| match overlap_m > 0.0 {
            true => format!(
                "{}: the fingers would hold only {overlap_m:.4} m of its height (at least \
                 {LEAST_OVERLAP_M:.3} m is needed)",
                ["is too flat", "needs longer fingers"][usize::from(is_short)]
            ),
            false => format!(
                "is too flat: it ends {:.4} m below the lowest position of the fingertips",
                -overlap_m
            ),
        });
        let slanted = match overlap_m.is_none() && width_m.is_none() {
            true => "has no parallel surfaces where the hand has room",
            false => "has other surfaces that are not parallel",
        };
        let faults = [flat, wide, is_slanted.then(|| slanted.to_owned())];
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        if faults.is_empty() {
            return None;
        }
        let (faults, counted) = (faults.join(", and "), self.counted());
        let text = format!("{id} {faults} ({counted}{})", self.in_the_way(id));
        let mut failure = Failure::new(Reason::NoGraspFound, text).about([id.clone()]);
        if let Some(overlap_m) = overlap_m {
            failure = failure.measured("overlap", overlap_m, Some(LEAST_OVERLAP_M), "m");
        }
        if let Some(width_m) = width_m {
            failure = failure.measured("width", width_m, Some(widest_m), "m");
        }
        Some(failure)
    }

    fn nearest(&self, of: impl Fn(&Rejection) -> Option<f64>) -> Option<f64> {
        self.dropped.iter().filter_map(of).max_by(f64::total_cmp)
    }

    fn counts(&self) -> BTreeMap<&'static str, usize> {
        counts(self.dropped.iter().map(Rejection::cause))
    }

    fn counted(&self) -> String {
        let mut faults = counted(self.dropped.iter().map(Rejection::cause));
        if self.n_untried > 0 {
            faults.push(format!("{} not tried", self.n_untried));
        }
        let n = self.dropped.len() + self.n_untried;
        format!("of {n} candidates: {}", faults.join(", "))
    }

    fn in_the_way(&self, target: &ObjectId) -> String {
        let blocking = self.blockers().into_iter().map(|(id, n)| {
            let itself = if id == *target { " itself" } else { "" };
            format!("{id}{itself} {n} times")
        });
        let blocking: Vec<_> = blocking.collect();
        match blocking.is_empty() {
            true => String::new(),
            false => format!("; in the way: {}", blocking.join(", ")),
        }
    }

    /// Obstacles with the number of candidates that each blocks, in descending order.
    fn blockers(&self) -> Vec<(ObjectId, usize)> {
        let counts = counts(self.dropped.iter().flat_map(Rejection::blockers)).into_iter();
        let mut counts: Vec<_> = counts.map(|(id, n)| (id.clone(), n)).collect();
        counts.sort_by_key(|(_, n)| Reverse(*n));
        counts
    }

    /// Returns the smallest set of loose objects that alone block candidates, and their number.
    /// Among equals, the objects of the lowest `rank` and those that block most come first.
    fn fewest_blockers(
        &self,
        is_loose: impl Fn(&ObjectId) -> bool,
        rank: impl Fn(&ObjectId) -> Option<usize>,
    ) -> Option<(Vec<ObjectId>, usize)> {
        let blockers = self.dropped.iter().map(Rejection::blockers);
        let loose = blockers.filter(|ids| !ids.is_empty() && ids.iter().all(&is_loose));
        let sets = loose.map(|ids| ids.iter().collect::<BTreeSet<_>>());
        let fewest = counts(sets).into_iter().min_by_key(|(ids, n)| {
            let last = ids.iter().map(|id| rank(id)).max();
            (ids.len(), last, Reverse(*n))
        });
        fewest.map(|(ids, n)| (ids.into_iter().cloned().collect(), n))
    }
}

fn miss_m(failure: &MotionFailure) -> f64 {
    match failure {
        MotionFailure::Unreachable { pos_err_m, .. } => *pos_err_m,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::{gripper_info, says};

    use super::*;

    fn target() -> PerceivedObject {
        let ball = regrasp_api::Shape::Sphere { radius: 0.02 };
        regrasp_testkit::thing("cube", "cube", ball, [0.4, 0.1, 0.06])
    }

    fn failure(dropped: Vec<Rejection>) -> Failure {
        let rejections = Rejections {
            dropped,
            n_untried: 0,
        };
        let ids = |names: &[&str]| names.iter().map(|n| ObjectId::new(*n)).collect::<Vec<_>>();
        let (movable, supports) = (ids(&["a", "b", "cube"]), ids(&["table"]));
        rejections.failure(&target(), &movable, &supports, &gripper_info())
    }

    fn hits(names: &[&str]) -> Rejection {
        Rejection::InCollision(names.iter().map(|n| ObjectId::new(*n)).collect())
    }

    fn far(pos_err_m: f64) -> Rejection {
        Rejection::Unreachable(MotionFailure::Unreachable {
            detail: format!("{pos_err_m} m short"),
            pos_err_m,
            tol_m: 1e-4,
        })
    }

    #[test]
    fn the_one_that_blocks_alone_is_named() {
        let failure = failure(vec![
            hits(&["a", "wall"]),
            hits(&["b"]),
            hits(&["b", "a"]),
            Rejection::BlockedApproach(vec![ObjectId::new("b")]),
            far(0.1),
        ]);
        assert_eq!(failure.reason, Reason::NoGraspFound);
        assert_eq!(failure.entities, [ObjectId::new("b")], "moving b frees two");
        let counts = "of 5 candidates: 1 blocked_approach, 3 in_collision, 1 unreachable";
        says(&failure.detail, &[counts]);
        let figures = failure.measured.iter().map(|m| (m.name.as_str(), m.value));
        let expected = [
            ("blocked_approach", 1.0),
            ("in_collision", 3.0),
            ("unreachable", 1.0),
        ];
        assert_eq!(figures.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_fewest_are_named_and_of_these_the_easiest_to_move() {
        let cases: [(&[&[&str]], &[&str]); 3] = [
            (&[&["a", "b"], &["b", "wall"]], &["a", "b"]),
            (&[&["b"], &["b"], &["a"]], &["a"]),
            (&[&["b", "table"], &["a", "cube"], &["a", "b"]], &["a", "b"]),
        ];
        for (dropped, named) in cases {
            let failure = failure(dropped.iter().map(|names| hits(names)).collect());
            let entities = failure.entities.iter().map(ObjectId::as_str);
            assert_eq!(entities.collect::<Vec<_>>(), named, "of {dropped:?}");
        }
    }

    #[test]
    fn walls_that_cannot_be_moved_are_all_named() {
        let failure = failure(vec![hits(&["wall"]), hits(&["post"])]);
        let named: Vec<_> = failure.entities.iter().map(ObjectId::as_str).collect();
        assert_eq!(named, ["post", "wall"]);
    }

    #[test]
    fn all_faults_are_reported_and_not_the_rarest_alone() {
        let flat = |overlap_m| Rejection::TooFlat { overlap_m };
        let wide = |width_m| Rejection::TooWide { width_m };
        let slanted = || Rejection::Slanted;
        let (table, no_grasp) = (|| hits(&["table"]), Reason::NoGraspFound);
        let cases: [(Vec<Rejection>, &Reason, &[&str]); 5] = [
            // Out of reach stays out of reach, even if the table blocks some candidates.
            (
                vec![far(0.3), table(), far(0.2), slanted()],
                &Reason::Unreachable,
                &["cube is out of reach: 0.2 m short"],
            ),
            (
                vec![flat(-0.0085), wide(0.0755), wide(0.0755)],
                &no_grasp,
                &["is 0.0755 m wide", "ends 0.0085 m below the lowest"],
            ),
            (
                vec![slanted(), flat(0.0033), slanted()],
                &no_grasp,
                &["cube is too flat", "surfaces that are not parallel"],
            ),
            // A candidate that the table blocks is attributed to the shape, too.
            (
                vec![slanted(), table()],
                &no_grasp,
                &["cube has no parallel surfaces"],
            ),
            (vec![wide(0.12), wide(0.09)], &no_grasp, &["0.0900 m wide"]),
        ];
        for (dropped, reason, texts) in cases {
            let failure = failure(dropped);
            assert_eq!(failure.reason, *reason);
            says(&failure.detail, texts);
        }
    }
}
