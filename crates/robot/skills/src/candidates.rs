//! Choosing the first of several ways that the arm can really go.

use std::collections::BTreeMap;
use std::fmt::Display;

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, MotionPlanner, ObjectId, Observation, PlannedMotion,
    PlanningScene, Pose, Reason, Trajectory,
};
use regrasp_robot::Robot;

use crate::params::N_INSTEAD;

/// A tool pose that is approached along a straight line.
#[derive(Clone, Debug)]
pub(crate) struct Approach {
    /// Pose at which the straight line begins, in World.
    pub(crate) world_from_before: Pose,
    /// Pose at which it ends, in World.
    pub(crate) world_from_tool: Pose,
}

/// The motions of an approach that is possible.
pub(crate) struct PlannedApproach {
    /// Index of the candidate.
    pub(crate) idx: usize,
    /// From where the arm is to the beginning of the straight line.
    pub(crate) travel: Trajectory,
}

/// Conditions of an approach.
pub(crate) struct ApproachConditions<'a> {
    /// Things that must not be touched on the way there.
    pub(crate) travel_scene: &'a PlanningScene,
    /// Things that must not be touched along the straight line.
    pub(crate) line_scene: &'a PlanningScene,
    /// Finger distance, m.
    pub(crate) gripper_width_m: f64,
    /// Fraction of the robot's limits.
    pub(crate) speed_scale: f64,
}

/// A way is roundabout if the tool goes more than this part further than straight on, and more
/// than this much, m.
const ROUNDABOUT: f64 = 0.5;
const ROUNDABOUT_M: f64 = 0.2;
/// Steps in which the tool's way is measured.
const N_STEPS: usize = 32;

/// The first candidate whose travel and straight line are both possible; if its travel is
/// roundabout, another one that is reached sooner.
///
/// # Errors
///
/// When none is: `unreachable` if that is so of all of them, otherwise the first
/// other cause; the detail counts the candidates by cause.
pub(crate) fn first_possible(
    robot: &mut Robot,
    approaches: &[Approach],
    conditions: &ApproachConditions<'_>,
) -> Result<PlannedApproach, Failure> {
    let now = robot.observe()?;
    let planner = Planner {
        robot,
        now,
        conditions,
    };
    let mut failures = Vec::new();
    for (idx, approach) in approaches.iter().enumerate() {
        match planner.approach(approach) {
            Ok(travel) => return Ok(planner.or_sooner(PlannedApproach { idx, travel }, approaches)),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    for (failure, approach) in failures.iter().zip(approaches) {
        robot.tell_no_motion(failure, &MotionGoal::Line(approach.world_from_tool));
    }
    Err(summary(failures, (None, "there is no candidate to try")))
}

/// Plans from where the arm is.
struct Planner<'a> {
    robot: &'a Robot,
    now: Observation,
    conditions: &'a ApproachConditions<'a>,
}

impl Planner<'_> {
    /// The travel to the beginning of a straight line that is possible, too.
    fn approach(&self, approach: &Approach) -> Result<Trajectory, MotionFailure> {
        let before = vec![approach.world_from_before];
        let travel = self.travel(before)?.trajectory;
        self.line(&travel, approach).map(|()| travel)
    }

    /// Another candidate, if the travel to this one is roundabout and that to the other is
    /// shorter.
    fn or_sooner(&self, first: PlannedApproach, approaches: &[Approach]) -> PlannedApproach {
        if !is_roundabout(&*self.robot.motion, &first.travel) {
            return first;
        }
        let mut others: Vec<usize> = (0..approaches.len()).collect();
        for _ in 0..N_INSTEAD {
            let befores = others.iter().map(|i| approaches[*i].world_from_before);
            let Ok(planned) = self.travel(befores.collect()) else {
                break;
            };
            if planned.trajectory.duration_secs() >= first.travel.duration_secs() {
                break;
            }
            let idx = others.remove(planned.goal_idx);
            if self.line(&planned.trajectory, &approaches[idx]).is_ok() {
                let travel = planned.trajectory;
                return PlannedApproach { idx, travel };
            }
        }
        first
    }

    fn travel(&self, befores: Vec<Pose>) -> Result<PlannedMotion, MotionFailure> {
        let goal = MotionGoal::AnyPose(befores);
        self.plan(
            &self.now.joint_positions,
            goal,
            self.conditions.travel_scene,
        )
    }

    fn line(&self, travel: &Trajectory, approach: &Approach) -> Result<(), MotionFailure> {
        let goal = MotionGoal::Line(approach.world_from_tool);
        let scene = self.conditions.line_scene;
        self.plan(travel.last_position(), goal, scene).map(drop)
    }

    fn plan(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<PlannedMotion, MotionFailure> {
        let (width_m, speed) = (self.conditions.gripper_width_m, self.conditions.speed_scale);
        self.robot
            .plan_from(&self.now, start, width_m, goal, scene, speed)
    }
}

/// Returns true if the tool goes far out of its way.
pub(crate) fn is_roundabout(motion: &dyn MotionPlanner, travel: &Trajectory) -> bool {
    let poses = along(motion, travel, N_STEPS);
    let points: Vec<_> = poses.map(|pose| pose.translation.vector).collect();
    let way_m: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let straight_m = (points[N_STEPS] - points[0]).norm();
    way_m > (1.0 + ROUNDABOUT) * straight_m && way_m > straight_m + ROUNDABOUT_M
}

/// Poses of the tool in the base's frame at so many equal times of a travel, and at its start.
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

/// The arm is not there yet: what it would touch there is no trouble of where it is.
pub(crate) fn as_goal(failure: MotionFailure) -> MotionFailure {
    match failure {
        MotionFailure::StartInCollision { pair } => {
            MotionFailure::GoalInCollision { pairs: vec![pair] }
        }
        other => other,
    }
}

/// Counts of causes, in words: `3 occupied`.
pub(crate) fn counted<C: Ord + Display>(causes: impl Iterator<Item = C>) -> Vec<String> {
    let counts = counts(causes).into_iter();
    counts.map(|(cause, n)| format!("{n} {cause}")).collect()
}

/// The number of times that each of several things occurs.
pub(crate) fn counts<C: Ord>(things: impl Iterator<Item = C>) -> BTreeMap<C, usize> {
    let mut counts = BTreeMap::new();
    things.for_each(|thing| *counts.entry(thing).or_default() += 1);
    counts
}

/// The failure of all candidates; `nothing` says of a thing that there were none.
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
        // Anything that is not about reach says more; among those about reach, the
        // nearest miss does.
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
