//! Finding a path, and shortening it.

use std::borrow::Cow;

use regrasp_api::CollisionPair;

use super::budget::Purse;
use super::connect::{self, Ends};
use super::edge::{Checker, Exact};
use super::failure::{Excess, SearchFailure};
use super::prepared::Search;
use super::problem::{RanOut, SearchOptions, Waypoints};
use super::q::{Q, distance, length, q};
use super::simplify;
use crate::spheres::SphereScene;

/// A way of looking at lines.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// Checks for each radian (2-norm over joints).
    checks_per_rad: f64,
    /// True if the exact shapes decide where spheres are hit.
    exact: bool,
}

impl Sight {
    /// The first finds paths, the others find again what only a closer look shows to
    /// touch.
    const SPHERES: [Self; 3] = Self::each(false);
    /// Looks for passages for which spheres are too large.
    const SHAPES: [Self; 3] = Self::each(true);

    const fn each(exact: bool) -> [Self; 3] {
        [
            Self::at(32.0, exact),
            Self::at(96.0, exact),
            Self::at(320.0, exact),
        ]
    }

    const fn at(checks_per_rad: f64, exact: bool) -> Self {
        Self {
            checks_per_rad,
            exact,
        }
    }
}

/// Distance that spheres keep beyond the margins while searching, m: a path without it
/// is seldom free between its checks too.
const CLEARANCE_M: f32 = 0.0015;
/// Samples by which the sequences of two attempts are apart.
const SKIP: u32 = 1000;
/// A path that is this many times as long as the straight line is worth another attempt.
const DETOUR: f64 = 1.6;
/// Share of the shortest length so far below which a path has to stay to be worth another
/// attempt: one that gains less is the same way, which shortening pulls to the same length.
const WORTH: f64 = 0.9;
/// Excess over a limit that is rounding, rad.
const LIMIT_SLACK_RAD: f64 = 1e-3;
/// Distance past a limit at which a measured start still counts as on it, rad.
const START_SLACK_RAD: f64 = 5e-3;

impl Search<'_> {
    /// A path from the start to one of the goals, free wherever the search looked: 32
    /// times for each rad. [`Search::simplify`] makes it shorter, and certain.
    ///
    /// # Errors
    ///
    /// See [`SearchFailure`].
    pub fn solve(&self, options: &SearchOptions) -> Result<Waypoints, SearchFailure> {
        let goals = self.free_goals()?;
        let scene = self.scene_for(goals.iter().chain([&q(&self.start)]));
        let mut purse = Purse::new(options.budget);
        for sight in [Sight::SPHERES[0], Sight::SHAPES[0]] {
            let scene = if sight.exact { &self.scene } else { &*scene };
            if let Some(path) = self.search(scene, sight, &goals, &mut purse, options) {
                return Ok(self.waypoints(&path));
            }
        }
        Err(self.blocked(&goals, purse.ran_out()))
    }

    /// A shorter path with the same ends, proven free along its whole length. A path that
    /// proves to touch something between the looks of the search is replaced by one that
    /// a closer look finds.
    ///
    /// # Errors
    ///
    /// As [`Search::solve`], if no closer look finds one.
    pub fn simplify(
        &self,
        path: &[Vec<f64>],
        options: &SearchOptions,
    ) -> Result<Waypoints, SearchFailure> {
        let path: Vec<Q> = path.iter().map(|p| q(p)).collect();
        let scene = self.scene_for(path.first().into_iter().chain(path.last()));
        if let Some(shorter) = self.proven_and_short(&scene, &path, options) {
            return Ok(self.waypoints(&shorter));
        }
        let goals = self.free_goals()?;
        let mut purse = Purse::new(options.budget);
        for sight in Sight::SPHERES[1..].iter().chain(&Sight::SHAPES) {
            let scene = if sight.exact { &self.scene } else { &*scene };
            let found = self.search(scene, *sight, &goals, &mut purse, options);
            let short = found.and_then(|path| self.proven_and_short(scene, &path, options));
            if let Some(short) = short {
                return Ok(self.waypoints(&short));
            }
        }
        Err(self.blocked(&goals, purse.ran_out()))
    }

    /// Why nothing was found: what stands on the straight line to the goal before which
    /// fewest things stand.
    fn blocked(&self, goals: &[Q], ran_out: RanOut) -> SearchFailure {
        let start = q(&self.start);
        let before = goals.iter().filter_map(|goal| {
            let rate = Sight::SPHERES[0].checks_per_rad;
            self.objects_along(&start, goal, rate)
        });
        match before.min_by_key(Vec::len) {
            Some(objects) => SearchFailure::PathBlocked { objects, ran_out },
            None => SearchFailure::Budget { ran_out },
        }
    }

    /// A path by one way of looking. Spheres may use half of what is left.
    fn search(
        &self,
        scene: &SphereScene,
        sight: Sight,
        goals: &[Q],
        purse: &mut Purse,
        options: &SearchOptions,
    ) -> Option<Vec<Q>> {
        let ends = Ends {
            bounds: &self.bounds,
            start: q(&self.start),
            goals,
            max_samples: if sight.exact {
                purse.samples()
            } else {
                purse.samples().div_ceil(2)
            },
            skip: 0,
            shorter_than: f64::INFINITY,
        };
        self.with_checker(scene, sight, |checker| {
            shortest(checker, ends, purse, options.attempts)
        })
    }

    /// The path made shorter if that can be proven free; else the path if it can.
    fn proven_and_short(
        &self,
        scene: &SphereScene,
        path: &[Q],
        options: &SearchOptions,
    ) -> Option<Vec<Q>> {
        let shorter = Sight::SPHERES.into_iter().map(|sight| {
            self.with_checker(scene, sight, |checker| {
                simplify::simplify(checker, path.to_vec(), options.rounds)
            })
        });
        shorter
            .chain([path.to_vec()])
            .find(|path| self.is_proven(path))
    }

    /// The goals within the limits that are free, if start and any of them are.
    fn free_goals(&self) -> Result<Vec<Q>, SearchFailure> {
        if let Some(joint_idx) = self.beyond(&self.start, START_SLACK_RAD) {
            let excess = self.excess(&self.start, joint_idx);
            return Err(SearchFailure::StartOutsideLimits(excess));
        }
        if let Some(pair) = self.contact_at_end(&self.start) {
            let depth_m = self.depth_m(&self.start, &pair);
            return Err(SearchFailure::StartInCollision { pair, depth_m });
        }
        let (mut pairs, mut depths_m) = (vec![], vec![]);
        let mut goals = vec![];
        for goal in self.goals.iter().filter(|g| self.outside(g).is_none()) {
            match self.contact_at_end(goal) {
                Some(pair) => {
                    depths_m.push(self.depth_m(goal, &pair));
                    pairs.push(pair);
                }
                None => goals.push(q(goal)),
            }
        }
        match (goals.is_empty(), pairs.is_empty()) {
            (false, _) => Ok(goals),
            (true, true) => {
                let outside = |goal: &Vec<f64>| Some(self.excess(goal, self.outside(goal)?));
                let of = self.goals.iter().filter_map(outside).collect();
                Err(SearchFailure::GoalOutsideLimits { of })
            }
            (true, false) => Err(SearchFailure::GoalInCollision { pairs, depths_m }),
        }
    }

    /// Depth of the overlap of a pair, m; `None` if it is only too near, or nobody can tell.
    fn depth_m(&self, q: &[f64], pair: &CollisionPair) -> Option<f64> {
        let near = self.proximities(q, 0.0);
        let of_pair = near.iter().find(|near| near.pair == *pair);
        of_pair
            .map(|near| -near.distance_m)
            .filter(|depth| *depth > 0.0)
    }

    fn excess(&self, q: &[f64], joint_idx: usize) -> Excess {
        let [low, high] = self.bounds[joint_idx];
        let position = q[joint_idx];
        Excess {
            joint: self.arm.chain.joint_names()[joint_idx].clone(),
            position,
            limit: if position < low { low } else { high },
        }
    }

    /// The first joint outside the bounds, if any.
    pub(super) fn outside(&self, q: &[f64]) -> Option<usize> {
        self.beyond(q, LIMIT_SLACK_RAD)
    }

    fn beyond(&self, q: &[f64], slack_rad: f64) -> Option<usize> {
        q.iter()
            .zip(&self.bounds)
            .position(|(q, [low, high])| !(low - slack_rad..=high + slack_rad).contains(q))
    }

    /// The first pair that touches in a configuration; the exact shapes are asked only if spheres
    /// do not tell.
    fn contact_at_end(&self, q: &[f64]) -> Option<CollisionPair> {
        if self.is_clear(q) {
            None
        } else {
            self.contact(q)
        }
    }

    /// Returns true if spheres are sure that a configuration is free.
    pub fn is_clear(&self, q: &[f64]) -> bool {
        self.scene.look(q, q, [0.0; 8], CLEARANCE_M).perhaps == 0
    }

    /// Returns true if spheres find nothing along a line, as the search looks at it; its beginning
    /// is taken as known.
    pub fn line_is_clear(&self, from: &[f64], to: &[f64]) -> bool {
        let rate = Sight::SPHERES[0].checks_per_rad;
        self.scene.line_is_clear(from, to, rate, CLEARANCE_M)
    }

    /// The scene for a search between free ends: spheres that are hit there although
    /// the exact shapes are not are made smaller.
    fn scene_for<'b>(&self, ends: impl Iterator<Item = &'b Q>) -> Cow<'_, SphereScene> {
        let dof = self.bounds.len();
        let mut scene = Cow::Borrowed(&self.scene);
        for end in ends.filter(|end| !self.is_clear(&end[..dof])) {
            scene = Cow::Owned(scene.relaxed_at(&end[..dof], CLEARANCE_M));
        }
        scene
    }

    fn with_checker<T>(
        &self,
        scene: &SphereScene,
        sight: Sight,
        then: impl FnOnce(&Checker<'_>) -> T,
    ) -> T {
        let dof = self.bounds.len();
        let is_free = |q: &Q| self.contact(&q[..dof]).is_none();
        let by_shapes = Exact {
            is_free: &is_free,
            trust_inner: !self.around.has_excuses(),
        };
        then(&Checker {
            scene,
            dof,
            checks_per_rad: sight.checks_per_rad,
            clearance_m: if sight.exact { 0.0 } else { CLEARANCE_M },
            exact: sight.exact.then_some(by_shapes),
        })
    }

    fn waypoints(&self, path: &[Q]) -> Waypoints {
        let dof = self.bounds.len();
        path.iter().map(|q| q[..dof].to_vec()).collect()
    }
}

/// The first path that is no long detour, or the shortest of several, without the
/// vertices that it can do without. Each further attempt looks only where a path can pass
/// that is shorter by what makes it worth it, and takes no more samples than the one before.
/// Of 50 cages, one attempt leaves paths of 6.91 rad on average, and up to three more 6.53
/// rad for as much time again, some 1 ms: a hundredth of the motion that they save.
fn shortest(
    checker: &Checker<'_>,
    mut ends: Ends<'_>,
    purse: &mut Purse,
    attempts: u32,
) -> Option<Vec<Q>> {
    let mut best: Option<(f64, Vec<Q>)> = None;
    let mut left = ends.max_samples;
    for attempt in 0..attempts.max(1) {
        ends.skip = attempt * SKIP;
        let (path, n) = connect::connect(checker, &ends, purse);
        left -= n.min(left);
        if let Some(mut path) = path {
            simplify::skip_vertices(checker, &mut path);
            let cost = length(&path);
            let straight = distance(&path[0], &path[path.len() - 1]);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, path));
            }
            if cost < DETOUR * straight {
                break;
            }
        }
        let Some((cost, _)) = &best else { break };
        ends.shorter_than = WORTH * cost;
        ends.max_samples = left.min(n);
    }
    best.map(|(_, path)| path)
}
