//! The seam to policies that drive the robot directly.

use serde::{Deserialize, Serialize};

use crate::{Failure, GripperState, PerceivedObject, Pose, RobotInfo, SceneImage};

/// What a policy is told before its first action.
#[derive(Clone, Debug)]
pub struct PolicyStart<'a> {
    /// What was asked for.
    pub task: &'a str,
    /// Seed of everything random in the episode.
    pub seed: u64,
    /// Actions a second of simulated time.
    pub rate_hz: f64,
    /// Fixed facts about the robot.
    pub robot: &'a RobotInfo,
    /// Where the arm stands.
    pub world_from_base: Pose,
}

/// What a policy sees before each action.
#[derive(Clone, Debug)]
pub struct PolicyInput {
    /// Counts the actions, from 0.
    pub step: u64,
    /// Simulated seconds since the episode began.
    pub time_secs: f64,
    /// Joint positions, chain order, rad or m.
    pub joint_positions: Vec<f64>,
    /// Joint velocities, rad/s or m/s.
    pub joint_velocities: Vec<f64>,
    /// The gripper.
    pub gripper: GripperState,
    /// Where the tool is.
    pub world_from_tool: Pose,
    /// What perception reports; empty if the policy does not ask for it.
    pub objects: Vec<PerceivedObject>,
    /// Pictures of the cameras that were chosen.
    pub images: Vec<SceneImage>,
    /// Why a monitor ended the motion that the action before led to, if one did. The arm
    /// stands.
    pub stopped: Option<Failure>,
}

/// What a policy wants the robot to do until its next action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", deny_unknown_fields)]
pub enum Action {
    /// Go on towards these targets. They are approached within the joints' limits on
    /// velocity, acceleration and jerk, so a far target is not reached by the next action.
    Move {
        /// Joint positions, chain order, rad or m; absent keeps the ones before.
        #[serde(default)]
        joint_positions: Option<Vec<f64>>,
        /// What the gripper should do; absent keeps what it does.
        #[serde(default)]
        gripper: Option<GripperAction>,
    },
    /// Go on towards this pose of the tool, as [`Action::Move`] does, by joint positions near
    /// those that the arm has. A pose that it does not reach leaves the targets before, and the
    /// policy is told.
    MoveTool {
        /// Where the tool is to go.
        world_from_tool: Pose,
        /// What the gripper should do; absent keeps what it does.
        #[serde(default)]
        gripper: Option<GripperAction>,
    },
    /// The policy holds the task to be done.
    Done,
    /// The policy gives up.
    GiveUp {
        /// Why, for people.
        why: String,
    },
}

/// What a policy wants of the gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GripperAction {
    /// Finger distance, m.
    WidthM(f64),
    /// Close and press with this force, N.
    ForceN(f64),
}

/// A policy that cannot go on. Says nothing about the robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ask the policy: {detail}")]
pub struct PolicyError {
    /// What went wrong, and what would be right.
    pub detail: String,
}

/// Drives the robot directly, action by action, instead of calling skills by a plan: a
/// learned policy, or a recording that is played again.
pub trait Policy: Send {
    /// The name that reports use.
    fn name(&self) -> String;

    /// Whether [`PolicyInput::objects`] is wanted. Default false: looking costs time.
    fn wants_objects(&self) -> bool {
        false
    }

    /// Returns true if [`PolicyInput::images`] are wanted for the next action, after the motion
    /// before it was stopped or not. Default true: rendering costs time.
    fn wants_images(&self, _has_stopped: bool) -> bool {
        true
    }

    /// An episode begins.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the policy cannot take part.
    fn reset(&mut self, start: &PolicyStart<'_>) -> Result<(), PolicyError>;

    /// The next action; `None` if the policy did not answer in time. The robot then goes on
    /// towards the targets before.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if there will be no further answers.
    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError>;
}

impl PolicyError {
    /// An error with its sentence.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
        }
    }
}
