//! The three actions: goals as orders, and their feedback and results.

use regrasp_api::{GripperCommand, Trajectory};

use crate::messages::{
    Duration, FollowFeedback, FollowGoal, FollowResult, GripGoal, GripState, Header,
    JointTolerance, JointTrajectoryPoint, RunFeedback, RunGoal, Sent,
};
use crate::trajectory::{FollowCode, read};
use crate::{FingerJoints, OfferedRobot, Order, Outcome, Snapshot};

/// Largest difference of a finger's position that is ignored, m.
const SAME_M: f64 = 1e-3;

/// Reason to end a goal early.
pub(crate) struct Verdict {
    code: FollowCode,
    text: String,
}

/// End of a goal: the state then, the outcome of its order, and the reason to stop it, if any.
pub(crate) struct End {
    pub(crate) now: Option<Snapshot>,
    pub(crate) outcome: Outcome,
    pub(crate) verdict: Option<Verdict>,
}

/// Goal of an action that is carried out.
pub(crate) trait Action: Sized + 'static {
    type Goal: Sent;
    type Result: Sent;
    type Feedback: Sent + std::fmt::Debug;
    const NAME: &'static str;
    /// True if a new goal replaces the present one; else the new goal is rejected.
    const PREEMPTS: bool;

    /// Returns the order of a goal, or the reason to reject it.
    fn order(goal: &Self::Goal, robot: &dyn OfferedRobot) -> Result<(Self, Order), String>;

    /// Returns feedback, and the reason to stop if a tolerance is violated.
    fn feedback(&mut self, now: &Snapshot, progress: &str) -> (Self::Feedback, Option<Verdict>);

    /// Returns the result, and false if the goal was missed.
    fn result(&self, end: &End) -> (Self::Result, bool);
}

/// `control_msgs/action/FollowJointTrajectory`.
pub(crate) struct Follow {
    joint_names: Vec<String>,
    trajectory: Trajectory,
    begin_secs: f64,
    /// Maximum deviation of each joint, rad or m; infinite where the goal names none.
    path_tolerance: Vec<f64>,
    goal_tolerance: Vec<f64>,
}

impl Follow {
    fn deviation(&self, desired: &[f64], actual: &[f64], tolerance: &[f64]) -> Option<String> {
        let joints = desired.iter().zip(actual).zip(tolerance).enumerate();
        let mut off = joints.map(|(i, ((d, a), most))| (i, (d - a).abs(), *most));
        off.find(|(_, off, most)| off > most).map(|(i, off, most)| {
            let name = &self.joint_names[i];
            format!("{name} is {off:.4} rad off; the goal allows {most:.4} rad")
        })
    }
}

/// Position tolerance of each joint. A value of 0 or below means that there is none, as in a
/// `joint_trajectory_controller` without parameters.
fn tolerances(given: &[JointTolerance], names: &[String]) -> Vec<f64> {
    let of = |name: &String| {
        let named = given.iter().find(|tolerance| tolerance.name == *name);
        let position = named.map_or(0.0, |tolerance| tolerance.position);
        if position > 0.0 {
            position
        } else {
            f64::INFINITY
        }
    };
    names.iter().map(of).collect()
}

impl Action for Follow {
    type Goal = FollowGoal;
    type Result = FollowResult;
    type Feedback = FollowFeedback;
    const NAME: &'static str = "follow_joint_trajectory";
    const PREEMPTS: bool = true;

    fn order(goal: &FollowGoal, robot: &dyn OfferedRobot) -> Result<(Self, Order), String> {
        let facts = robot.facts();
        let now = robot.snapshot().ok_or("the robot was shut down")?;
        let read = read(&goal.trajectory, &facts.arm, &now.joint_positions);
        let trajectory = read.map_err(|(_, text)| text)?;
        let known = |tolerance: &&JointTolerance| {
            facts.arm.iter().any(|joint| joint.name == tolerance.name)
        };
        let given = goal.path_tolerance.iter().chain(&goal.goal_tolerance);
        if let Some(unknown) = given.into_iter().find(|tolerance| !known(tolerance)) {
            return Err(format!(
                "a tolerance names `{}`, which is not a joint of the arm",
                unknown.name
            ));
        }
        let joint_names: Vec<_> = facts.arm.iter().map(|joint| joint.name.clone()).collect();
        let action = Self {
            path_tolerance: tolerances(&goal.path_tolerance, &joint_names),
            goal_tolerance: tolerances(&goal.goal_tolerance, &joint_names),
            joint_names,
            trajectory: trajectory.clone(),
            begin_secs: now.time_secs,
        };
        Ok((action, Order::Follow(trajectory)))
    }

    fn feedback(&mut self, now: &Snapshot, _: &str) -> (FollowFeedback, Option<Verdict>) {
        let n = self.joint_names.len();
        let elapsed_secs = now.time_secs - self.begin_secs;
        let (mut position, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        self.trajectory
            .sample(elapsed_secs, &mut position, &mut velocity);
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let point = |positions: Vec<f64>, velocities: Vec<f64>| JointTrajectoryPoint {
            positions,
            velocities,
            time_from_start: Duration::of(elapsed_secs.max(0.0)),
            ..JointTrajectoryPoint::default()
        };
        let (is, moves) = (&now.joint_positions, &now.joint_velocities);
        let off = self.deviation(&position, is, &self.path_tolerance);
        let verdict = off.map(|text| Verdict {
            code: FollowCode::PathToleranceViolated,
            text,
        });
        let error = point(minus(&position, is), minus(&velocity, moves));
        let feedback = FollowFeedback {
            header: Header::new(now.time_secs, ""),
            joint_names: self.joint_names.clone(),
            desired: point(position, velocity),
            actual: point(is.clone(), moves.clone()),
            error,
            ..FollowFeedback::default()
        };
        (feedback, verdict)
    }

    fn result(&self, end: &End) -> (FollowResult, bool) {
        let (goal, outcome) = (self.trajectory.last_position(), &end.outcome);
        let now = end.now.as_ref();
        let off =
            now.and_then(|now| self.deviation(goal, &now.joint_positions, &self.goal_tolerance));
        let (code, text) = match (&end.verdict, off) {
            (Some(Verdict { code, text }), _) => (*code, text.clone()),
            (None, Some(text)) if outcome.success => (FollowCode::GoalToleranceViolated, text),
            (None, _) if outcome.success => (FollowCode::Successful, outcome.detail.clone()),
            // The definition has no code for a motion that was stopped.
            (None, _) => {
                let text = format!("{}: {}", outcome.reason, outcome.detail);
                (FollowCode::PathToleranceViolated, text)
            }
        };
        let result = FollowResult {
            error_code: code as i32,
            error_string: text,
        };
        (result, code == FollowCode::Successful)
    }
}

/// `control_msgs/action/GripperCommand`: the position of the finger joints.
pub(crate) struct Grip {
    fingers: FingerJoints,
    width_m: f64,
    effort: f64,
}

impl Grip {
    fn state(&self, now: Option<&Snapshot>, is_over: bool) -> GripState {
        let width_m = now.map_or(f64::NAN, |now| now.gripper_width_m);
        let reached_goal = 0.5 * (width_m - self.width_m).abs() <= SAME_M;
        GripState {
            position: self.fingers.position(width_m),
            effort: self.effort,
            stalled: is_over && !reached_goal,
            reached_goal,
        }
    }
}

impl Action for Grip {
    type Goal = GripGoal;
    type Result = GripState;
    type Feedback = GripState;
    const NAME: &'static str = "gripper_cmd";
    const PREEMPTS: bool = true;

    /// A goal with an effort that closes the fingers becomes a grasp with the corresponding force;
    /// any other goal positions them.
    fn order(goal: &GripGoal, robot: &dyn OfferedRobot) -> Result<(Self, Order), String> {
        let (gripper, fingers) = (&robot.facts().gripper, &robot.facts().fingers);
        if fingers.names.is_empty() {
            return Err("this robot has no fingers".into());
        }
        let now = robot.snapshot().ok_or("the robot was shut down")?;
        let (width_m, most_m) = (fingers.width_m(goal.position), gripper.max_width_m);
        let least_m = fingers.position_by_width[0][0];
        if !(least_m - SAME_M..=most_m + SAME_M).contains(&width_m) {
            let position = goal.position;
            return Err(format!(
                "at the position {position:.4} the fingers would be {width_m:.4} m apart, but they \
                 open from {least_m:.4} to {most_m:.4} m"
            ));
        }
        if !goal.max_effort.is_finite() || goal.max_effort < 0.0 {
            return Err(format!("max_effort must be >= 0, not {}", goal.max_effort));
        }
        let speed_m_per_s = gripper.default_speed_m_per_s;
        let closes = width_m < now.gripper_width_m - SAME_M && goal.max_effort > 0.0;
        let by_force = fingers.effort_by_force(now.gripper_width_m);
        let force_n = (goal.max_effort / by_force).min(gripper.max_force_n);
        let command = match closes {
            true => GripperCommand::grasp(force_n, speed_m_per_s),
            false => GripperCommand::MoveTo {
                width_m: width_m.clamp(gripper.min_width_m, most_m),
                speed_m_per_s,
            },
        };
        let action = Self {
            fingers: fingers.clone(),
            width_m,
            effort: if closes { force_n * by_force } else { 0.0 },
        };
        Ok((action, Order::Grip(command)))
    }

    fn feedback(&mut self, now: &Snapshot, _: &str) -> (GripState, Option<Verdict>) {
        (self.state(Some(now), false), None)
    }

    fn result(&self, end: &End) -> (GripState, bool) {
        (self.state(end.now.as_ref(), true), end.outcome.success)
    }
}

/// `regrasp_msgs/action/Run`: a command as text.
pub(crate) struct Run;

impl Action for Run {
    type Goal = RunGoal;
    type Result = Outcome;
    type Feedback = RunFeedback;
    const NAME: &'static str = "run";
    const PREEMPTS: bool = false;

    fn order(goal: &RunGoal, _: &dyn OfferedRobot) -> Result<(Self, Order), String> {
        Ok((Self, Order::Run(goal.text.clone())))
    }

    fn feedback(&mut self, _: &Snapshot, progress: &str) -> (RunFeedback, Option<Verdict>) {
        let text = progress.to_owned();
        (RunFeedback { text }, None)
    }

    fn result(&self, end: &End) -> (Outcome, bool) {
        (end.outcome.clone(), end.outcome.success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_those_of_the_joints_that_a_goal_names() {
        let given = [JointTolerance {
            name: "b".into(),
            position: 0.02,
            ..JointTolerance::default()
        }];
        let names = ["a".to_owned(), "b".to_owned()];
        assert_eq!(tolerances(&given, &names), [f64::INFINITY, 0.02]);
    }
}
