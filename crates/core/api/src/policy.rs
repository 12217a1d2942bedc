//! Interface to policies that drive the robot directly.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Failure, GripperState, PerceivedObject, Pose, RobotInfo, SceneImage};

/// Input of a policy before its first action.
#[derive(Clone, Debug)]
pub struct PolicyStart<'a> {
    /// Task as given.
    pub task: &'a str,
    /// Seed of all random numbers in the episode.
    pub seed: u64,
    /// Actions per second of simulated time.
    pub rate_hz: f64,
    /// Fixed facts about the robot.
    pub robot: &'a RobotInfo,
    /// Pose of the arm's base.
    pub world_from_base: Pose,
}

/// Input of a policy before each action.
#[derive(Clone, Debug)]
pub struct PolicyInput {
    /// Number of the action, from 0.
    pub step: u64,
    /// Simulated time since the start of the episode, s.
    pub time_secs: f64,
    /// Joint positions, chain order, rad or m.
    pub joint_positions: Vec<f64>,
    /// Joint velocities, rad/s or m/s.
    pub joint_velocities: Vec<f64>,
    /// Gripper.
    pub gripper: GripperState,
    /// Pose of the tool.
    pub world_from_tool: Pose,
    /// Perceived objects; empty if the policy does not ask for them.
    pub objects: Vec<PerceivedObject>,
    /// Pictures of the selected cameras.
    pub images: Vec<SceneImage>,
    /// Failure, if a monitor ended the motion of the previous action. The arm is at rest.
    pub stopped: Option<Failure>,
}

/// Action of a policy, which lasts until the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", deny_unknown_fields)]
pub enum Action {
    /// Motion towards joint targets within the limits on velocity, acceleration and jerk. A distant
    /// target is not reached by the next action.
    Move {
        /// Joint positions in chain order, rad or m; absent keeps the previous ones.
        joint_positions: Option<Vec<f64>>,
        /// Command to the gripper; absent keeps the previous one.
        gripper: Option<GripperAction>,
    },
    /// Motion towards a tool pose: an [`Action::Move`] to the joint positions for that pose which
    /// are nearest to the present ones. If the pose is unreachable, the previous targets stay, and
    /// the policy is informed.
    MoveTool {
        /// Target of the tool in World.
        world_from_tool: Pose,
        /// Command to the gripper; absent keeps the previous one.
        gripper: Option<GripperAction>,
    },
    /// The policy considers the task done.
    Done,
    /// The policy gives up.
    GiveUp {
        /// Explanation for people.
        why: String,
    },
}

/// Command of a policy to the gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GripperAction {
    /// Finger distance, m.
    WidthM(f64),
    /// Force with which the fingers close and press, N.
    ForceN(f64),
}

/// Time limits of a policy in another process or behind a server, in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct PolicyDeadlines {
    /// Limit for an action or a chunk of actions. Default 1 s.
    #[default(Duration::from_secs(1))]
    pub deadline: Duration,
    /// Time limit for a policy to be ready, and for the first chunk of an episode: a model may have
    /// to be loaded or compiled. Default 60 s.
    #[default(Duration::from_secs(60))]
    pub first_deadline: Duration,
    /// Number of consecutive answers that may time out. Default 10.
    #[default(10)]
    pub max_late: u32,
}

/// Failure of a policy that cannot go on. This says nothing about the robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ask the policy: {detail}")]
pub struct PolicyError {
    /// Fault, and how to correct it.
    pub detail: String,
}

/// Drives the robot by actions instead of skill calls: a learned policy or a replayed recording.
pub trait Policy: Send {
    /// Returns the name for reports.
    fn name(&self) -> String;

    /// Returns true if the policy uses [`PolicyInput::objects`]. Default false: looking costs time.
    fn wants_objects(&self) -> bool {
        false
    }

    /// Returns true if the policy uses [`PolicyInput::images`] for its next action, given whether
    /// the previous motion was stopped. Default true. Rendering costs time.
    fn wants_images(&self, _has_stopped: bool) -> bool {
        true
    }

    /// Starts an episode. Default: does nothing.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the policy cannot take part.
    fn reset(&mut self, _start: &PolicyStart<'_>) -> Result<(), PolicyError> {
        Ok(())
    }

    /// Returns the next action; `None` if the policy did not answer in time. The robot then
    /// continues towards the previous targets.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if there will be no further answers.
    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError>;
}

impl PolicyError {
    /// Creates an error; `detail` describes it in a sentence.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
        }
    }
}
