//! Choosing the first of several ways that the arm can really go.

use std::collections::BTreeMap;

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, MotionRequest, PlanningScene, Pose, Robot, Trajectory,
};

/// A tool pose that is approached along a straight line.
#[derive(Clone, Debug)]
pub(crate) struct Approach {
    /// Where the straight line begins, in World.
    pub(crate) world_from_before: Pose,
    /// Where it ends, in World.
    pub(crate) world_from_tool: Pose,
}

/// The motions of an approach that is possible.
pub(crate) struct PlannedApproach {
    /// Which of the candidates it is.
    pub(crate) idx: usize,
    /// From where the arm is to the beginning of the straight line.
    pub(crate) travel: Trajectory,
}

/// How an approach is to be made.
pub(crate) struct ApproachConditions<'a> {
    /// What must not be touched on the way there.
    pub(crate) travel_scene: &'a PlanningScene,
    /// What must not be touched along the straight line.
    pub(crate) line_scene: &'a PlanningScene,
    /// Finger distance, m.
    pub(crate) gripper_width_m: f64,
    /// Fraction of the robot's limits.
    pub(crate) speed_scale: f64,
}

/// The first candidate whose travel and straight line are both possible.
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
    let now = robot.observe();
    let plan = |start: &[f64], goal: MotionGoal, scene: &PlanningScene| {
        robot.motion.plan(&MotionRequest {
            world_from_base: now.world_from_base,
            start,
            gripper_width_m: conditions.gripper_width_m,
            goal,
            scene,
            speed_scale: conditions.speed_scale,
            keep_up: scene.keep_up,
        })
    };
    let mut failures = Vec::new();
    for (idx, approach) in approaches.iter().enumerate() {
        let before = MotionGoal::AnyPose(vec![approach.world_from_before]);
        let planned =
            plan(&now.joint_positions, before, conditions.travel_scene).and_then(|travel| {
                let start = travel.trajectory.last_position().to_vec();
                let line = MotionGoal::Line(approach.world_from_tool);
                plan(&start, line, conditions.line_scene).map(|_| travel.trajectory)
            });
        match planned {
            Ok(travel) => return Ok(PlannedApproach { idx, travel }),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    for (failure, approach) in failures.iter().zip(approaches) {
        robot.tell_no_motion(failure, &MotionGoal::Line(approach.world_from_tool));
    }
    Err(summary(failures))
}

pub(crate) fn summary(failures: Vec<MotionFailure>) -> Failure {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for failure in &failures {
        *counts.entry(failure.reason().to_string()).or_default() += 1;
    }
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
        return Failure::new(
            regrasp_api::Reason::NoGraspFound,
            "there is no candidate to try",
        );
    };
    let mut failure = Failure::from(telling);
    if counts.len() > 1 {
        let counted: Vec<_> = counts
            .iter()
            .map(|(cause, n)| format!("{n} {cause}"))
            .collect();
        failure.detail = format!(
            "{} (of {n} candidates: {})",
            failure.detail,
            counted.join(", ")
        )
        .into();
    }
    failure
}
