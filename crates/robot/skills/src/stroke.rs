//! Strokes: the hand approaches an object in a straight line and moves it along, by a handle or by
//! pushing a surface.

use nalgebra::UnitQuaternion;
use regrasp_api::{MotionFailure, MotionGoal, PlanningScene, Pose, Trajectory};

use crate::arm::{AMPLE_ROOM, Approach, Arm, Lines, as_goal};
use crate::grasp::Grasp;
use crate::params::{ALIKE_RAD, MAX_PLANNED};

/// Largest number of arm configurations from which one stroke is tried.
const N_CONFIGURATIONS: usize = 6;
/// Largest number of planned candidates with one orientation: they mostly collide alike.
const MAX_ALIKE: usize = 4;

pub(crate) struct Scenes {
    /// Scene on the way to the start: everything is an obstacle.
    pub(crate) free: PlanningScene,
    /// Scene at the contact and in the retreat: the moved object may be touched.
    pub(crate) touching: PlanningScene,
    /// Scene during the stroke, without the moved object and those that move with it.
    pub(crate) moving: PlanningScene,
}

/// Steps of a stroke: the distance or angle reached, and the tool pose there.
pub(crate) type Steps = Vec<(f64, Pose)>;

pub(crate) struct Stroke {
    pub(crate) grasp: Option<Grasp>,
    pub(crate) opening_m: f64,
    /// Motion from the current state to the start of the straight approach.
    pub(crate) travel: Trajectory,
    pub(crate) world_from_tool: Pose,
    pub(crate) path: Steps,
    pub(crate) end: Vec<f64>,
}

impl Stroke {
    /// Distance or angle that the stroke reaches.
    pub(crate) fn reach(&self) -> f64 {
        self.path.last().map_or(0.0, |(reach, _)| *reach)
    }
}

/// Yields candidates in order of cost. `closer` adds to the cost of a candidate or rejects it, and
/// is called only when no cheaper candidate is left.
fn best_first<C>(
    mut candidates: Vec<(f64, C)>,
    mut closer: impl FnMut(&C) -> Option<f64>,
) -> impl Iterator<Item = C> {
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut unseen = candidates.into_iter().peekable();
    let mut seen: Vec<(f64, C)> = vec![];
    std::iter::from_fn(move || {
        loop {
            let costs = seen.iter().map(|(cost, _)| *cost).enumerate();
            let best = costs.min_by(|a, b| a.1.total_cmp(&b.1));
            let least = unseen.peek().map_or(f64::INFINITY, |(cost, _)| *cost);
            if let Some((idx, _)) = best.filter(|(_, cost)| *cost <= least) {
                return Some(seen.remove(idx).1);
            }
            let (cost, candidate) = unseen.next()?;
            if let Some(more) = closer(&candidate) {
                seen.push((cost + more, candidate));
            }
        }
    })
}

/// Search for the first stroke that leads all the way, or else the one that leads furthest.
pub(crate) struct Search<C> {
    ends: [f64; 2],
    n_planned: usize,
    pub(crate) failures: Vec<MotionFailure>,
    pub(crate) best: Option<(C, Stroke)>,
}

impl<C> Search<C> {
    /// Creates a search for strokes from the first distance or angle to the second.
    pub(crate) fn new(ends: [f64; 2]) -> Self {
        Self {
            ends,
            n_planned: 0,
            failures: vec![],
            best: None,
        }
    }

    /// Plans candidates by cost, refined by `closer`; returns true if one leads all the way.
    ///
    /// # Errors
    ///
    /// If the arm is in collision at its start.
    pub(crate) fn is_found(
        &mut self,
        candidates: Vec<(f64, C)>,
        closer: impl FnMut(&C) -> Option<f64>,
        turn: impl Fn(&C) -> UnitQuaternion<f64>,
        plan: impl Fn(&C) -> Result<Stroke, MotionFailure>,
    ) -> Result<bool, MotionFailure> {
        let [from, whole] = self.ends;
        let mut tried: Vec<UnitQuaternion<f64>> = vec![];
        for candidate in best_first(candidates, closer) {
            if self.n_planned == MAX_PLANNED {
                break;
            }
            let turn = turn(&candidate);
            let alike = tried.iter().filter(|t| t.angle_to(&turn) < ALIKE_RAD);
            if alike.count() == MAX_ALIKE {
                continue;
            }
            tried.push(turn);
            self.n_planned += 1;
            match plan(&candidate) {
                Ok(stroke) => {
                    let far = |stroke: &Stroke| (stroke.reach() - from).abs();
                    let is_whole = stroke.reach() == whole;
                    let most = self.best.as_ref().map(|(_, most)| far(most));
                    if is_whole || most.is_none_or(|most| far(&stroke) > most) {
                        self.best = Some((candidate, stroke));
                    }
                    if is_whole {
                        return Ok(true);
                    }
                }
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure),
                Err(failure) => self.failures.push(failure),
            }
        }
        Ok(false)
    }
}

impl Arm<'_> {
    /// Plans a stroke with the hand at the end of an approach, as far along a path as the arm
    /// follows in straight segments from the best configuration. A partial stroke has to satisfy
    /// `is_worth`.
    ///
    /// # Errors
    ///
    /// The reason why the arm does not reach the start, or why it stops after a part of the path
    /// that does not satisfy `is_worth`.
    pub(crate) fn stroke(
        &self,
        scenes: &Scenes,
        approach: &Approach,
        grasp: Option<Grasp>,
        mut path: Steps,
        is_worth: impl Fn(f64) -> bool,
    ) -> Result<Stroke, MotionFailure> {
        let there = approach.world_from_tool;
        self.inverse(&there)?;
        let befores = self.configurations(&approach.world_from_before)?;
        let width_m = grasp.as_ref().map_or(self.width_m, |grasp| grasp.width_m);
        let moving = Self { width_m, ..*self };
        let lines = |before: &[f64]| {
            let (at, failed) = self.lines(before.to_vec(), [&there], &scenes.touching);
            failed.map_or(Ok(()), Err)?;
            let poses = path.iter().map(|(_, pose)| pose);
            match moving.lines(at.end, poses, &scenes.moving) {
                (Lines { n, .. }, Some(failure)) if n == 0 || !is_worth(path[n - 1].0) => {
                    Err(failure)
                }
                (lines, _) => Ok(lines),
            }
        };
        let mut best: Option<(Vec<f64>, Lines)> = None;
        let mut refused = None;
        for before in befores.into_iter().take(N_CONFIGURATIONS) {
            match lines(&before) {
                Ok(lines) => {
                    // More than ample room brings no benefit.
                    let rank = |lines: &Lines| (lines.n, lines.room.min(AMPLE_ROOM));
                    let is_best = rank(&lines) == (path.len(), AMPLE_ROOM);
                    let most = best.as_ref().map(|(_, most)| rank(most));
                    if most.is_none_or(|most| rank(&lines) > most) {
                        best = Some((before, lines));
                    }
                    if is_best {
                        break;
                    }
                }
                Err(failure) => refused = refused.or(Some(as_goal(failure))),
            }
        }
        let Some((before, Lines { n, end, .. })) = best else {
            return Err(refused.unwrap_or(MotionFailure::BadTarget {
                detail: "no arm configuration reaches the start of the straight approach".into(),
            }));
        };
        path.truncate(n);
        Ok(Stroke {
            grasp,
            opening_m: self.width_m,
            travel: self.travel(MotionGoal::AnyJoints(vec![before]), &scenes.free)?,
            world_from_tool: there,
            path,
            end,
        })
    }
}
