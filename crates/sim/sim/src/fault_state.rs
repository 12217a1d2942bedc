//! The state of disturbances: what waits, what acts, and what is broken.

use regrasp_api::GripperCommand;
use regrasp_faults::Disturbance;
use serde::{Deserialize, Serialize};

/// Everything about disturbances that a snapshot must keep. (Slippery pads and jammed
/// joints are kept by rapier.)
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FaultState {
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) pushes: Vec<Push>,
    pub(crate) link_pushes: Vec<LinkPush>,
    pub(crate) grip_factor: Option<f64>,
    /// Finger positions at which the gripper is stuck.
    pub(crate) stuck_fingers: Option<[f64; 2]>,
    /// By arm joint: where it is blocked.
    pub(crate) blocked: Vec<Option<f64>>,
    /// By arm joint: how it lags behind.
    pub(crate) slow: Vec<Option<Slow>>,
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
    /// So many steps after the fingers next begin to close.
    AfterClosing(u64),
    /// So many steps after the next grasp.
    AfterGrasp(u64),
    /// So many steps after the object is higher than this.
    AfterRise {
        object_idx: usize,
        above_z: f64,
        delay: u64,
    },
}

/// A force that is acting on an object.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) object_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

/// A force that is acting on a moving body of the robot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LinkPush {
    pub(crate) body_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

/// A joint that follows its command no faster than it can.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Slow {
    pub(crate) max_speed: f64,
    /// Where its servo goes instead.
    pub(crate) position: f64,
    pub(crate) speed: f64,
}

impl FaultState {
    /// The force that the gripper really presses with.
    pub(crate) fn real_force(&self, force_n: f64) -> f64 {
        force_n * self.grip_factor.unwrap_or(1.0)
    }

    /// Starts the clock of everything that waits for the fingers to close.
    pub(crate) fn closing(&mut self, step: u64, command: &GripperCommand) {
        self.start_clocks(step, command, |trigger| match trigger {
            Trigger::AfterClosing(delay) => Some(delay),
            _ => None,
        });
    }

    /// Starts the clock of everything that waits for a grasp.
    pub(crate) fn grasped(&mut self, step: u64, command: &GripperCommand) {
        self.start_clocks(step, command, |trigger| match trigger {
            Trigger::AfterGrasp(delay) => Some(delay),
            _ => None,
        });
    }

    fn start_clocks(
        &mut self,
        step: u64,
        command: &GripperCommand,
        delay: impl Fn(Trigger) -> Option<u64>,
    ) {
        if !matches!(command, GripperCommand::Grasp { .. }) {
            return;
        }
        for waiting in &mut self.waiting {
            if let Some(delay) = delay(waiting.trigger) {
                waiting.trigger = Trigger::AtStep(step + delay);
            }
        }
    }
}
