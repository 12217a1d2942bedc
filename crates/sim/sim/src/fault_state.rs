//! State of disturbances: posted, waiting, active, and permanent faults.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use regrasp_api::GripperCommand;
use regrasp_faults::{Disturbance, When};
use serde::{Deserialize, Serialize};

/// State of disturbances that a snapshot must keep. (Slippery pads and jammed joints are kept by
/// rapier.)
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FaultState {
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) pushes: Vec<Push>,
    pub(crate) link_pushes: Vec<LinkPush>,
    pub(crate) grip_factor: Option<f64>,
    pub(crate) stuck_fingers: Option<[f64; 2]>,
    pub(crate) blocked: Vec<Option<f64>>,
    /// Reduced speed and lagging target of each arm joint that is slow.
    pub(crate) slow: Vec<Option<Slow>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) trigger: Trigger,
    pub(crate) disturbance: Disturbance,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Trigger {
    AtStep(u64),
    /// Begins this number of steps after the next closing of the fingers.
    AfterClosing(u64),
    /// Begins this number of steps after the next grasp.
    AfterGrasp(u64),
    /// Begins some steps after the object rises above a height.
    AfterRise {
        object_idx: usize,
        above_z: f64,
        delay: u64,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) object_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LinkPush {
    pub(crate) body_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Slow {
    pub(crate) max_speed: f64,
    /// Position target of the joint's servo.
    pub(crate) position: f64,
    pub(crate) speed: f64,
}

impl FaultState {
    /// Actual gripping force for a commanded one, N.
    pub(crate) fn real_force(&self, force_n: f64) -> f64 {
        force_n * self.grip_factor.unwrap_or(1.0)
    }

    /// Starts the clock of every disturbance that waits for the fingers to close, or for the end of
    /// a grasp.
    pub(crate) fn start_clocks(&mut self, step: u64, command: &GripperCommand, is_at_end: bool) {
        if !matches!(command, GripperCommand::Grasp { .. }) {
            return;
        }
        for waiting in &mut self.waiting {
            match waiting.trigger {
                Trigger::AfterClosing(delay) if !is_at_end => {
                    waiting.trigger = Trigger::AtStep(step + delay);
                }
                Trigger::AfterGrasp(delay) if is_at_end => {
                    waiting.trigger = Trigger::AtStep(step + delay);
                }
                _ => {}
            }
        }
    }
}

/// Disturbances that wait for the world's next step. A motion holds the world's lock from its
/// beginning to its end, so a disturbance during a motion must not wait for that lock.
#[derive(Debug, Default)]
pub(crate) struct DisturbanceQueue {
    /// Set if a disturbance waits. Every step reads this flag instead of taking the lock.
    has_some: AtomicBool,
    posted: Mutex<Vec<(When, Disturbance)>>,
}

impl DisturbanceQueue {
    pub(crate) fn post(&self, when: When, disturbance: Disturbance) {
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        posted.push((when, disturbance));
        self.has_some.store(true, Ordering::Release);
    }

    pub(crate) fn take(&self) -> Vec<(When, Disturbance)> {
        if !self.has_some.load(Ordering::Acquire) {
            return vec![];
        }
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_some.store(false, Ordering::Release);
        std::mem::take(&mut *posted)
    }
}
