//! Selection of the first candidate for which the arm finds a motion.

use std::collections::BTreeMap;
use std::fmt::Display;

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, MotionPlanner, ObjectId, Observation, PlannedMotion,
    PlanningScene, Pose, Reason, Trajectory,
};
use regrasp_robot::Robot;

use crate::params::N_INSTEAD;

#[derive(Clone, Debug)]
pub(crate) struct Approach {
    /// Start of the straight line, in World.
    pub(crate) world_from_before: Pose,
    /// End of the straight line, in World.
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

pub(crate) struct PlannedApproach {
    pub(crate) idx: usize,
    pub(crate) travel: Trajectory,
}

#[derive(Clone, Copy)]
pub(crate) struct ApproachConditions<'a> {
    pub(crate) travel_scene: &'a PlanningScene,
    pub(crate) line_scene: &'a PlanningScene,
    pub(crate) gripper_width_m: f64,
    pub(crate) speed_scale: f64,
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
/// If no candidate is possible: `unreachable` if all are, otherwise the first other cause. The
/// detail counts the candidates by cause.
pub(crate) fn first_possible(
    robot: &mut Robot,
    approaches: &[Approach],
    conditions: &ApproachConditions<'_>,
) -> Result<PlannedApproach, Failure> {
    let now = robot.observe()?;
    let planner = ApproachPlanner {
        robot,
        now: &now,
        start: &now.joint_positions,
        conditions: *conditions,
    };
    let mut failures = Vec::new();
    for (idx, approach) in approaches.iter().enumerate() {
        match planner.approach(approach) {
            Ok(travel) if is_roundabout(&*robot.motion, &travel) => {
                let first_secs = travel.duration_secs();
                let is_sooner = |travel: &Trajectory| travel.duration_secs() < first_secs;
                let other = planner.soonest(approaches, N_INSTEAD, is_sooner);
                return Ok(other.unwrap_or(PlannedApproach { idx, travel }));
            }
            Ok(travel) => return Ok(PlannedApproach { idx, travel }),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    for (failure, approach) in failures.iter().zip(approaches) {
        robot.emit_no_motion(failure, &MotionGoal::Line(approach.world_from_tool));
    }
    Err(summary(failures, (None, "there is no candidate")))
}

/// Planning of a travel and the straight line after it, from a state of the arm.
pub(crate) struct ApproachPlanner<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) now: &'a Observation,
    pub(crate) start: &'a [f64],
    pub(crate) conditions: ApproachConditions<'a>,
}

impl ApproachPlanner<'_> {
    /// Returns the travel to the start of the straight line, if both are possible.
    pub(crate) fn approach(&self, approach: &Approach) -> Result<Trajectory, MotionFailure> {
        let travel = self.travel(vec![approach.world_from_before])?.trajectory;
        self.line(&travel, approach).map(|()| travel)
    }

    /// Returns the approach that is reached soonest and can be completed, out of the `n` that are
    /// reached soonest and whose travels are wanted. A single query covers all of them, so that a
    /// search has several goals.
    pub(crate) fn soonest(
        &self,
        approaches: &[Approach],
        n: usize,
        is_wanted: impl Fn(&Trajectory) -> bool,
    ) -> Option<PlannedApproach> {
        let mut others: Vec<usize> = (0..approaches.len()).collect();
        for _ in 0..n.min(approaches.len()) {
            let befores = others.iter().map(|i| approaches[*i].world_from_before);
            let planned = self.travel(befores.collect()).ok()?;
            let travel = planned.trajectory;
            if !is_wanted(&travel) {
                return None;
            }
            let idx = others.remove(planned.goal_idx);
            if self.line(&travel, &approaches[idx]).is_ok() {
                return Some(PlannedApproach { idx, travel });
            }
        }
        None
    }

    fn travel(&self, befores: Vec<Pose>) -> Result<PlannedMotion, MotionFailure> {
        let goal = MotionGoal::AnyPose(befores);
        self.plan(self.start, goal, self.conditions.travel_scene)
    }

    fn line(&self, travel: &Trajectory, approach: &Approach) -> Result<(), MotionFailure> {
        let goal = MotionGoal::Line(approach.world_from_tool);
        let scene = self.conditions.line_scene;
        self.plan(travel.last_position(), goal, scene).map(drop)
    }

    pub(crate) fn plan(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<PlannedMotion, MotionFailure> {
        let (width_m, speed) = (self.conditions.gripper_width_m, self.conditions.speed_scale);
        self.robot
            .plan_from(self.now, start, width_m, goal, scene, speed)
    }
}

/// Returns true if the tool takes a long detour.
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

/// Rewords a start collision as a goal collision, for a start at which the arm is not yet.
pub(crate) fn as_goal(failure: MotionFailure) -> MotionFailure {
    match failure {
        MotionFailure::StartInCollision { pair } => {
            MotionFailure::GoalInCollision { pairs: vec![pair] }
        }
        other => other,
    }
}

/// Names of objects, for messages.
pub(crate) fn list<'i>(ids: impl IntoIterator<Item = &'i ObjectId>) -> String {
    let names = ids.into_iter().map(ObjectId::as_str);
    names.collect::<Vec<_>>().join(", ")
}

/// Counts equal causes, in words: `3 occupied`.
pub(crate) fn counted<C: Ord + Display>(causes: impl Iterator<Item = C>) -> Vec<String> {
    let counts = counts(causes).into_iter();
    counts.map(|(cause, n)| format!("{n} {cause}")).collect()
}

pub(crate) fn counts<C: Ord>(causes: impl Iterator<Item = C>) -> BTreeMap<C, usize> {
    let mut counts = BTreeMap::new();
    causes.for_each(|cause| *counts.entry(cause).or_default() += 1);
    counts
}

/// Summarises the failures of all candidates; `nothing` is the message if there were none.
pub(crate) fn summary(
    failures: Vec<MotionFailure>,
    (id, nothing): (Option<&ObjectId>, &str),
) -> Failure {
    let counted = counted(failures.iter().map(|failure| failure.reason().to_string()));
    let miss_m = |failure: &MotionFailure| match failure {
        MotionFailure::Unreachable { pos_err_m, .. } => Some(*pos_err_m),
        _ => None,
    };
    let n = failures.len();
    let telling = failures
        .into_iter()
        // Failures that are not about reach are more informative; among those about reach, the
        // nearest miss is.
        .min_by(|a, b| {
            let key = |f: &MotionFailure| miss_m(f).unwrap_or(-1.0);
            key(a).total_cmp(&key(b))
        });
    let Some(telling) = telling else {
        return Failure::new(Reason::NoGraspFound, nothing).about(id.cloned());
    };
    let mut failure = Failure::from(telling);
    if counted.len() > 1 {
        failure.detail = format!(
            "{} (of {n} candidates: {})",
            failure.detail,
            counted.join(", ")
        )
        .into();
    }
    failure
}
