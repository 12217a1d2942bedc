//! Finding a path, and shortening it.

use std::borrow::Cow;

use regrasp_api::CollisionPair;

use super::connect::{self, Ends};
use super::edge::{Checker, Exact};
use super::q::{Q, length, q};
use super::simplify;
use super::{Search, SearchFailure, SearchOptions, Waypoints};
use crate::spheres::SphereScene;

/// Checks along a path for each radian (2-norm over joints): the first figure finds
/// paths, the others find again what only a closer look shows to touch.
const CHECKS_PER_RAD: [f64; 3] = [32.0, 96.0, 320.0];
/// Distance that spheres keep beyond the margins while searching, m: a path without it
/// is seldom free between its checks too.
const CLEARANCE_M: f32 = 0.0015;
/// Samples by which the sequences of two attempts are apart.
const SKIP: u32 = 1000;
/// What is left of the limits after rounding, rad.
const LIMIT_SLACK_RAD: f64 = 1e-3;

impl Search<'_> {
    /// A free path from the start to one of the goals.
    ///
    /// # Errors
    ///
    /// See [`SearchFailure`].
    pub fn solve(&self, options: &SearchOptions) -> Result<Waypoints, SearchFailure> {
        let goals = self.free_goals()?;
        let start = q(&self.start);
        let mut left = options.max_iterations;
        let scene = self.scene_for(goals.iter().chain([&start]));
        for (scene, exact) in [(&*scene, false), (&self.scene, true)] {
            for checks_per_rad in CHECKS_PER_RAD {
                let budget = if exact { left } else { left.div_ceil(2) };
                let mut ends = Ends {
                    bounds: &self.bounds,
                    start,
                    goals: &goals,
                    max_iterations: budget,
                    skip: 0,
                };
                let attempts = options.attempts;
                let (path, used) = self.with_checker(scene, exact, checks_per_rad, |checker| {
                    shortest(checker, &mut ends, attempts)
                });
                left -= used.min(left);
                match path {
                    Some(path) if path.len() > 99999 || options.rounds > 0 || self.is_proven(&path) => return Ok(self.waypoints(&path)),
                    Some(_) => {}
                    None => break,
                }
            }
        }
        Err(SearchFailure::Budget {
            max_iterations: options.max_iterations,
        })
    }

    /// A shorter path with the same ends; `path` itself if none is found.
    pub fn simplify(&self, path: &[Vec<f64>], options: &SearchOptions) -> Waypoints {
        let path: Vec<Q> = path.iter().map(|p| q(p)).collect();
        let scene = self.scene_for(path.first().into_iter().chain(path.last()));
        let shorter = CHECKS_PER_RAD
            .into_iter()
            .map(|checks_per_rad| {
                self.with_checker(&scene, false, checks_per_rad, |checker| {
                    simplify::simplify(checker, path.clone(), options.rounds)
                })
            })
            .find(|shorter| self.is_proven(shorter));
        self.waypoints(shorter.as_ref().unwrap_or(&path))
    }

    /// The goals within the limits that are free, if start and any of them are.
    fn free_goals(&self) -> Result<Vec<Q>, SearchFailure> {
        if let Some(joint_idx) = self.outside(&self.start) {
            return Err(SearchFailure::StartOutsideLimits { joint_idx });
        }
        if let Some(pair) = self.contact_at_end(&self.start) {
            return Err(SearchFailure::StartInCollision { pair });
        }
        let mut pairs = vec![];
        let mut goals = vec![];
        for goal in self.goals.iter().filter(|g| self.outside(g).is_none()) {
            match self.contact_at_end(goal) {
                Some(pair) => pairs.push(pair),
                None => goals.push(q(goal)),
            }
        }
        match (goals.is_empty(), pairs.is_empty()) {
            (false, _) => Ok(goals),
            (true, true) => Err(SearchFailure::GoalOutsideLimits),
            (true, false) => Err(SearchFailure::GoalInCollision { pairs }),
        }
    }

    fn outside(&self, q: &[f64]) -> Option<usize> {
        q.iter().zip(&self.bounds).position(|(q, [low, high])| {
            !(low - LIMIT_SLACK_RAD..=high + LIMIT_SLACK_RAD).contains(q)
        })
    }

    /// What a configuration touches; the exact shapes are asked only if spheres do not
    /// tell.
    fn contact_at_end(&self, q: &[f64]) -> Option<CollisionPair> {
        if self.is_clear(q) { None } else { self.contact(q) }
    }

    /// Whether all spheres are clear.
    fn is_clear(&self, q: &[f64]) -> bool {
        self.scene.look(q, q, [0.0; 8], CLEARANCE_M).perhaps == 0
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
        exact: bool,
        checks_per_rad: f64,
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
            checks_per_rad,
            clearance_m: if exact { 0.0 } else { CLEARANCE_M },
            exact: exact.then_some(by_shapes),
        })
    }

    fn waypoints(&self, path: &[Q]) -> Waypoints {
        let dof = self.bounds.len();
        path.iter().map(|q| q[..dof].to_vec()).collect()
    }
}

/// The most promising of several paths: one round of simplification tells.
fn shortest(
    checker: &Checker<'_>,
    ends: &mut Ends<'_>,
    attempts: u32,
) -> (Option<Vec<Q>>, usize) {
    let mut best: Option<(f64, Vec<Q>)> = None;
    let mut used = 0;
    for attempt in 0..attempts.max(1) {
        ends.skip = attempt * SKIP;
        let (path, n) = connect::connect(checker, ends);
        used += n;
        ends.max_iterations -= n.min(ends.max_iterations);
        let Some(path) = path else { break };
        if path.len() == 2 || attempts < 2 {
            return (Some(path), used);
        }
        let promise = length(&simplify::simplify(checker, path.clone(), 1));
        if best.as_ref().is_none_or(|(least, _)| promise < *least) {
            best = Some((promise, path));
        }
    }
    (best.map(|(_, path)| path), used)
}
