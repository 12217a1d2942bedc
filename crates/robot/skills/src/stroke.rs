//! Strokes: the hand approaches an object in a straight line and moves it along, by a handle or by
//! pushing a surface.

use nalgebra::UnitQuaternion;
use regrasp_api::{
    MotionFailure, MotionGoal, Observation, PlanningScene, Pose, ToolTarget, Trajectory,
};
use regrasp_robot::Robot;

use crate::candidates::{Approach, as_goal};
use crate::grasp::Grasp;
use crate::params::{ALIKE_RAD, MAX_PLANNED};

/// Number of arm configurations from which one stroke is tried.
const N_CONFIGURATIONS: usize = 6;
/// Desired margin of each joint to its limits along a stroke, as a fraction of half its range:
/// motion deviates from the plan.
pub(crate) const AMPLE_ROOM: f64 = 0.05;
/// Largest number of planned candidates with one orientation of the hand: if it collides at one
/// place, it mostly does at the next.
const MAX_ALIKE: usize = 4;

pub(crate) struct Scenes {
    /// Scene on the way to the start: everything is an obstacle.
    pub(crate) free: PlanningScene,
    /// Scene at the contact and in the retreat: the moved object may be touched.
    pub(crate) touching: PlanningScene,
    /// Scene during the stroke, without the moved object and those that move with it.
    pub(crate) moving: PlanningScene,
}

pub(crate) struct Stroke {
    pub(crate) grasp: Option<Grasp>,
    pub(crate) opening_m: f64,
    /// Motion from the current state to the start of the straight approach.
    pub(crate) travel: Trajectory,
    /// Tool pose at the handle, or just before contact.
    pub(crate) world_from_tool: Pose,
    /// Steps of the stroke: the distance or angle reached, and the tool pose there.
    pub(crate) path: Vec<(f64, Pose)>,
    pub(crate) end: Vec<f64>,
}

impl Stroke {
    /// Distance or angle that the stroke reaches.
    pub(crate) fn reach(&self) -> f64 {
        self.path.last().map_or(0.0, |(reach, _)| *reach)
    }

    pub(crate) fn further(self, other: Option<Self>, from: f64) -> Self {
        let far = |stroke: &Self| (stroke.reach() - from).abs();
        match other {
            Some(other) if far(&other) >= far(&self) => other,
            _ => self,
        }
    }
}

/// Yields candidates in order of cost. A refined cost, or a veto, is computed for a candidate only
/// once no cheaper one is left.
pub(crate) fn best_first<C>(
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

/// Number of candidates that were planned, and the failures so far.
#[derive(Default)]
pub(crate) struct Tries {
    n_planned: usize,
    pub(crate) failures: Vec<MotionFailure>,
}

impl Tries {
    /// Returns the first stroke that leads all the way, or else the one that leads furthest, if
    /// there is one.
    ///
    /// # Errors
    ///
    /// If the arm is in collision at its start.
    pub(crate) fn first_whole<C>(
        &mut self,
        candidates: impl Iterator<Item = C>,
        turn: impl Fn(&C) -> UnitQuaternion<f64>,
        plan: impl Fn(&C) -> Result<Stroke, MotionFailure>,
        [from, whole]: [f64; 2],
    ) -> Result<Option<(C, Stroke)>, MotionFailure> {
        let mut tried: Vec<UnitQuaternion<f64>> = vec![];
        let mut best: Option<(C, Stroke)> = None;
        for candidate in candidates {
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
                Ok(stroke) if stroke.reach() == whole => return Ok(Some((candidate, stroke))),
                Ok(stroke) => {
                    let far = |stroke: &Stroke| (stroke.reach() - from).abs();
                    let most = best.as_ref().map(|(_, most)| far(most));
                    if most.is_none_or(|most| far(&stroke) > most) {
                        best = Some((candidate, stroke));
                    }
                }
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure),
                Err(failure) => self.failures.push(failure),
            }
        }
        Ok(best)
    }
}

struct Lines {
    n: usize,
    /// Margin of the joints to their limits, capped where more brings no benefit.
    room: f64,
    end: Vec<f64>,
}

/// The arm in its current or a future state, and the object that it moves.
#[derive(Clone, Copy)]
pub(crate) struct Arm<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) now: &'a Observation,
    pub(crate) start: &'a [f64],
}

impl Arm<'_> {
    pub(crate) fn reaches(&self, world_from_tool: &Pose) -> bool {
        let target = ToolTarget::Pose(*world_from_tool);
        let motion = &self.robot.motion;
        motion.reaches(&self.now.world_from_base, &target, self.start)
    }

    pub(crate) fn inverse(&self, world_from_tool: &Pose) -> Result<Vec<f64>, MotionFailure> {
        let target = ToolTarget::Pose(*world_from_tool);
        let motion = &self.robot.motion;
        motion.inverse(&self.now.world_from_base, &target, self.start)
    }

    /// Plans a stroke with the hand at the end of an approach, as far along a path as the arm
    /// follows in straight segments from the best configuration. A partial stroke has to satisfy
    /// `is_worth`.
    ///
    /// # Errors
    ///
    /// Why the arm does not reach the start, or why it gets no further if the part is not worth it.
    pub(crate) fn stroke(
        &self,
        scenes: &Scenes,
        approach: &Approach,
        (grasp, opening_m): (Option<Grasp>, f64),
        path: &[(f64, Pose)],
        is_worth: impl Fn(f64) -> bool,
    ) -> Result<Stroke, MotionFailure> {
        let (motion, base) = (&self.robot.motion, &self.now.world_from_base);
        let there = approach.world_from_tool;
        self.inverse(&there)?;
        let befores = motion.configurations(base, &approach.world_from_before, self.start)?;
        let width_m = grasp.as_ref().map_or(opening_m, |grasp| grasp.width_m);
        let mut best: Option<(Vec<f64>, Lines)> = None;
        let mut refused = None;
        for before in befores.into_iter().take(N_CONFIGURATIONS) {
            let at = self.line(&before, opening_m, &there, &scenes.touching);
            let lines = |at| self.lines(at, width_m, path, &scenes.moving, &is_worth);
            match at.and_then(lines) {
                Ok(lines) => {
                    let is_best = lines.n == path.len() && lines.room >= AMPLE_ROOM;
                    let most = best.as_ref().map(|(_, most)| most);
                    if most.is_none_or(|most| (lines.n, lines.room) > (most.n, most.room)) {
                        best = Some((before, lines));
                    }
                    if is_best {
                        break;
                    }
                }
                Err(failure) => refused = refused.or(Some(as_goal(failure))),
            }
        }
        let Some((before, lines)) = best else {
            return Err(refused.unwrap_or(MotionFailure::BadTarget {
                detail: "no configuration of the arm reaches the start".into(),
            }));
        };
        let goal = MotionGoal::AnyJoints(vec![before]);
        let (start, free) = (self.start, &scenes.free);
        let robot = self.robot;
        Ok(Stroke {
            grasp,
            opening_m,
            travel: robot.motion_from(self.now, start, opening_m, goal, free)?,
            world_from_tool: there,
            path: path[..lines.n].to_vec(),
            end: lines.end,
        })
    }

    /// Returns the segments of a path that can be made in straight lines.
    fn lines(
        &self,
        at: Vec<f64>,
        width_m: f64,
        path: &[(f64, Pose)],
        scene: &PlanningScene,
        is_worth: impl Fn(f64) -> bool,
    ) -> Result<Lines, MotionFailure> {
        let room = |at: &[f64]| self.robot.motion.limit_margin(at).min(AMPLE_ROOM);
        let mut lines = Lines {
            n: 0,
            room: room(&at),
            end: at,
        };
        for (_, pose) in path {
            match self.line(&lines.end, width_m, pose, scene) {
                Ok(end) => {
                    lines = Lines {
                        n: lines.n + 1,
                        room: room(&end).min(lines.room),
                        end,
                    }
                }
                Err(failure) if lines.n == 0 || !is_worth(path[lines.n - 1].0) => {
                    return Err(failure);
                }
                Err(_) => break,
            }
        }
        Ok(lines)
    }

    fn line(
        &self,
        start: &[f64],
        width_m: f64,
        there: &Pose,
        scene: &PlanningScene,
    ) -> Result<Vec<f64>, MotionFailure> {
        let (robot, goal) = (self.robot, MotionGoal::Line(*there));
        let line = robot.motion_from(self.now, start, width_m, goal, scene)?;
        Ok(line.last_position().to_vec())
    }
}
