//! Motion planning for the arm, and selection of the first approach with a feasible motion.

use regrasp_api::{
    MotionFailure, MotionGoal, MotionPlanner, Observation, PlannedMotion, PlanningScene, Pose,
    ToolTarget, Trajectory,
};
use regrasp_robot::{Result, Robot};

use crate::candidates::summary;
use crate::params::N_INSTEAD;

/// Desired margin of each joint to its limits along a path, as a fraction of half its range: motion
/// deviates from the plan, and objects turn in the hand.
pub(crate) const AMPLE_ROOM: f64 = 0.05;

#[derive(Clone, Debug)]
pub(crate) struct Approach {
    pub(crate) world_from_before: Pose,
    pub(crate) world_from_tool: Pose,
}

impl Approach {
    pub(crate) fn new(world_from_before: Pose, world_from_tool: Pose) -> Self {
        Self {
            world_from_before,
            world_from_tool,
        }
    }

    /// Returns true if the arm reaches both ends of the line; `reaches` decides about each pose.
    pub(crate) fn is_reachable(&self, reaches: impl Fn(&Pose) -> bool) -> bool {
        reaches(&self.world_from_before) && reaches(&self.world_from_tool)
    }
}

/// Index of an approach, and the travel to its start.
pub(crate) type PlannedApproach = (usize, Trajectory);

/// Planning scenes for a travel and for the straight lines after it.
pub(crate) type TravelAndLine<'s> = [&'s PlanningScene; 2];

/// The arm in its current or a future state, with its finger distance and speed fraction.
#[derive(Clone, Copy)]
pub(crate) struct Arm<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) now: &'a Observation,
    pub(crate) start: &'a [f64],
    pub(crate) width_m: f64,
    pub(crate) speed: f64,
}

/// Part of a path that the arm follows in straight lines.
pub(crate) struct Lines {
    pub(crate) n: usize,
    /// Least margin of the joints to their limits at the ends of the lines, as a fraction of half
    /// their range.
    pub(crate) room: f64,
    pub(crate) end: Vec<f64>,
}

impl<'a> Arm<'a> {
    /// Returns the arm as it is now, at its usual speed.
    pub(crate) fn new(robot: &'a Robot, now: &'a Observation) -> Self {
        Self {
            robot,
            now,
            start: &now.joint_positions,
            width_m: now.gripper.width_m,
            speed: robot.usual_speed(),
        }
    }

    pub(crate) fn world_from_tool(&self) -> Pose {
        self.now.world_from_base * self.robot.motion.base_from_tool(self.start)
    }

    pub(crate) fn reaches(&self, world_from_tool: &Pose) -> bool {
        let (motion, target) = (&self.robot.motion, ToolTarget::Pose(*world_from_tool));
        motion.reaches(&self.now.world_from_base, &target, self.start)
    }

    pub(crate) fn inverse(&self, world_from_tool: &Pose) -> Result<Vec<f64>, MotionFailure> {
        let (motion, target) = (&self.robot.motion, ToolTarget::Pose(*world_from_tool));
        motion.inverse(&self.now.world_from_base, &target, self.start)
    }

    /// Configurations at a tool pose, the nearest to the start first.
    pub(crate) fn configurations(&self, at: &Pose) -> Result<Vec<Vec<f64>>, MotionFailure> {
        let motion = &self.robot.motion;
        motion.configurations(&self.now.world_from_base, at, self.start)
    }

    pub(crate) fn plan(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<PlannedMotion, MotionFailure> {
        let (now, width_m) = (self.now, self.width_m);
        self.robot
            .plan_from(now, start, width_m, goal, scene, self.speed)
    }

    pub(crate) fn travel(
        &self,
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<Trajectory, MotionFailure> {
        let planned = self.plan(self.start, goal, scene)?;
        Ok(planned.trajectory)
    }

    /// Plans straight lines through tool poses as far as possible. Returns also the failure that
    /// ended them, if any.
    pub(crate) fn lines<'p>(
        &self,
        at: Vec<f64>,
        poses: impl IntoIterator<Item = &'p Pose>,
        scene: &PlanningScene,
    ) -> (Lines, Option<MotionFailure>) {
        let room = |at: &[f64]| self.robot.motion.limit_margin(at);
        let (mut n, mut least, mut end) = (0, room(&at), at);
        let mut failed = None;
        for pose in poses {
            match self.plan(&end, MotionGoal::Line(*pose), scene) {
                Ok(line) => end = line.trajectory.last_position().to_vec(),
                Err(failure) => {
                    failed = Some(failure);
                    break;
                }
            }
            (n, least) = (n + 1, least.min(room(&end)));
        }
        let room = least;
        (Lines { n, room, end }, failed)
    }

    /// Returns the travel to the start of the straight line, if travel and line are possible.
    pub(crate) fn approach(
        &self,
        approach: &Approach,
        [travelling, approaching]: TravelAndLine<'_>,
    ) -> Result<Trajectory, MotionFailure> {
        let before = MotionGoal::AnyPose(vec![approach.world_from_before]);
        let travel = self.travel(before, travelling)?;
        let line = MotionGoal::Line(approach.world_from_tool);
        self.plan(travel.last_position(), line, approaching)?;
        Ok(travel)
    }

    /// Returns the approach that is reached soonest among those whose straight line is possible.
    /// Tries at most `n` approaches, and stops at a travel that is not wanted. Each query covers
    /// all remaining approaches, so that a search has several goals.
    pub(crate) fn soonest(
        &self,
        approaches: &[Approach],
        [travelling, approaching]: TravelAndLine<'_>,
        n: usize,
        is_wanted: impl Fn(&Trajectory) -> bool,
    ) -> Option<PlannedApproach> {
        let mut others: Vec<usize> = (0..approaches.len()).collect();
        for _ in 0..n.min(approaches.len()) {
            let befores = others.iter().map(|i| approaches[*i].world_from_before);
            let befores = MotionGoal::AnyPose(befores.collect());
            let planned = self.plan(self.start, befores, travelling).ok()?;
            let travel = planned.trajectory;
            if !is_wanted(&travel) {
                return None;
            }
            let idx = others.remove(planned.goal_idx);
            let line = MotionGoal::Line(approaches[idx].world_from_tool);
            if self.plan(travel.last_position(), line, approaching).is_ok() {
                return Some((idx, travel));
            }
        }
        None
    }
}

/// Fraction of the straight distance by which the tool's path must exceed it to be roundabout.
const ROUNDABOUT: f64 = 0.5;
/// Length by which the tool's path must also exceed the straight distance to be roundabout, m.
const ROUNDABOUT_M: f64 = 0.2;
/// Number of steps in which the tool's path is measured.
const N_STEPS: usize = 32;

/// Returns the first candidate whose travel and straight line are both possible. If its travel is
/// roundabout, looks for another one that is reached sooner.
///
/// # Errors
///
/// `no_grasp_found` without candidates; `start_in_collision` at once. Otherwise `unreachable` if
/// that is the cause for all, or the first other cause; the detail counts different causes.
pub(crate) fn first_possible(
    robot: &mut Robot,
    approaches: &[Approach],
    scenes: TravelAndLine<'_>,
    speed: f64,
) -> Result<PlannedApproach> {
    let now = robot.observe()?;
    let arm = Arm {
        speed,
        ..Arm::new(robot, &now)
    };
    let mut failures = Vec::new();
    for (idx, approach) in approaches.iter().enumerate() {
        match arm.approach(approach, scenes) {
            Ok(travel) if is_roundabout(&*robot.motion, &travel) => {
                let first_secs = travel.duration_secs();
                let is_sooner = |travel: &Trajectory| travel.duration_secs() < first_secs;
                let other = arm.soonest(approaches, scenes, N_INSTEAD, is_sooner);
                return Ok(other.unwrap_or((idx, travel)));
            }
            Ok(travel) => return Ok((idx, travel)),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    for (failure, approach) in failures.iter().zip(approaches) {
        robot.emit_no_motion(failure, &MotionGoal::Line(approach.world_from_tool));
    }
    Err(summary(
        failures,
        (None, "there is no candidate pose of the hand"),
    ))
}

pub(crate) fn is_roundabout(motion: &dyn MotionPlanner, travel: &Trajectory) -> bool {
    let poses = along(motion, travel, N_STEPS);
    let points: Vec<_> = poses.map(|pose| pose.translation.vector).collect();
    let length_m: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let straight_m = (points[N_STEPS] - points[0]).norm();
    length_m > (1.0 + ROUNDABOUT) * straight_m && length_m > straight_m + ROUNDABOUT_M
}

/// Tool poses in the base frame at the start of a travel and at `n_steps` equal time steps.
pub(crate) fn along<'a>(
    motion: &'a dyn MotionPlanner,
    travel: &'a Trajectory,
    n_steps: usize,
) -> impl Iterator<Item = Pose> + 'a {
    let mut velocity = vec![0.0; travel.n_joints()];
    let mut joints = velocity.clone();
    (0..=n_steps).map(move |i| {
        let time_secs = travel.duration_secs() * i as f64 / n_steps as f64;
        travel.sample(time_secs, &mut joints, &mut velocity);
        motion.base_from_tool(&joints)
    })
}

/// Turns a start collision into a goal collision, for a start that the arm has yet to reach.
pub(crate) fn as_goal(failure: MotionFailure) -> MotionFailure {
    match failure {
        MotionFailure::StartInCollision { pair } => {
            MotionFailure::GoalInCollision { pairs: vec![pair] }
        }
        other => other,
    }
}
