//! Scripted disturbances: how tests and fault injection make things go wrong.

use regrasp_api::{GripperCommand, ObjectId, Pose};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// The object is suddenly there, at rest.
    MoveObject {
        /// Which.
        object: ObjectId,
        /// Where it is put.
        world_from_object: Pose,
    },
    /// The object is gone, from now on.
    RemoveObject {
        /// Which.
        object: ObjectId,
    },
    /// A force acts on the object's centre of mass for a while.
    PushObject {
        /// Which.
        object: ObjectId,
        /// The force in World, N.
        force_in_world: [f64; 3],
        /// How long, s.
        duration_secs: f64,
    },
    /// The gripper presses with this fraction of the commanded force.
    WeakGripper {
        /// 0 to 1; 1 makes it whole again.
        factor: f64,
    },
    /// The fingers freeze where they are and ignore all commands.
    StuckGripper,
    /// A joint of the arm freezes where it is, whatever its servo wants.
    BlockJoint {
        /// Its name in the URDF.
        joint: String,
    },
    /// The object's velocity becomes NaN, as when a solver breaks.
    PoisonObject {
        /// Which.
        object: ObjectId,
    },
}

/// When a disturbance happens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Before the next step.
    Now,
    /// At a simulated time; before the next step if that has passed.
    At {
        /// Simulated time, s.
        time_secs: f64,
    },
    /// Some time after the gripper next closed on something.
    AfterGrasp {
        /// Delay, s.
        delay_secs: f64,
    },
}

/// A disturbance that cannot happen in this world.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the message of each variant says what its fields are"
)]
pub enum DisturbError {
    #[error("schedule a disturbance: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        object: ObjectId,
        known: Vec<String>,
    },
    #[error("schedule a disturbance: object `{object}` {problem}")]
    CannotDisturb { object: ObjectId, problem: String },
    #[error("schedule a disturbance: there is no arm joint `{joint}` (known joints: {})", known.join(", "))]
    UnknownJoint { joint: String, known: Vec<String> },
}

/// Everything about disturbances that a snapshot must keep.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FaultState {
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) pushes: Vec<Push>,
    pub(crate) grip_factor: Option<f64>,
    /// Finger positions at which the gripper is stuck.
    pub(crate) stuck_fingers: Option<[f64; 2]>,
    /// By arm joint: where it is blocked.
    pub(crate) blocked: Vec<Option<f64>>,
}

/// A disturbance that has not happened yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) trigger: Trigger,
    pub(crate) disturbance: Disturbance,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Trigger {
    AtStep(u64),
    /// So many steps after the next grasp.
    AfterGrasp(u64),
}

/// A force that is acting.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) object_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

impl FaultState {
    /// The force that the gripper really presses with.
    pub(crate) fn real_force(&self, force_n: f64) -> f64 {
        force_n * self.grip_factor.unwrap_or(1.0)
    }

    /// Starts the clock of everything that waits for a grasp.
    pub(crate) fn grasped(&mut self, step: u64, command: &GripperCommand) {
        if !matches!(command, GripperCommand::Grasp { .. }) {
            return;
        }
        for waiting in &mut self.waiting {
            if let Trigger::AfterGrasp(delay) = waiting.trigger {
                waiting.trigger = Trigger::AtStep(step + delay);
            }
        }
    }
}
