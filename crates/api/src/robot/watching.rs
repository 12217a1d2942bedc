//! The monitors under which a robot moves, and their limits.
//!
//! Each limit lies between what undisturbed motions read (measured over fast moves with
//! an empty hand and with things of 6 to 600 g in it; see the tests of the simulated
//! world) and what a disturbance reads.

use super::{Robot, grip_lost_below};
use crate::{Monitor, Watch};

/// An arm that is touched this hard has hit something; a slow touch of a light object
/// stays far below, N.
const BUMP_N: f64 = 25.0;
/// Far above what feed-forward control leaves, far below what hurts, rad.
const LAG_RAD: f64 = 0.05;
const LAG_SECS: f64 = 0.01;
/// A joint this much slower than it should be is being held, rad/s. The heaviest
/// accelerations leave a tenth of it.
const LAG_RAD_PER_S: f64 = 0.3;
const LAG_SPEED_SECS: f64 = 0.0075;
/// What is lost slides this far within milliseconds; what is well held creeps by some
/// millimetres a second in the fastest moves, m.
const SUDDEN_SLIP_M: f64 = 0.0012;
const SUDDEN_SECS: f64 = 0.1;
/// However slowly: the belief about how it sits in the hand is then wrong, m.
const SLIP_M: f64 = 0.006;
/// About 11 degrees.
const TURN_RAD: f64 = 0.2;
/// Two steps of the simulator: pressure does not flicker.
const PADS_EMPTY_SECS: f64 = 0.005;
/// A finger that is free follows within 0.1 mm.
const FINGER_LAG_M: f64 = 0.0003;
const FINGER_LAG_SECS: f64 = 0.0075;

impl Robot {
    /// For motions of the arm.
    pub(super) fn usual_watch(&mut self) -> Watch {
        // A hand that grips without a belief about what (a user's skill) may press.
        let grips_unknown = self.held.is_none() && self.observe().gripper.grip_force_n > 0.0;
        let allowed_links = if grips_unknown {
            self.info.gripper.finger_links.clone()
        } else {
            vec![]
        };
        let mut monitors = match &self.held {
            Some(held) => usual_grip_monitors(held.width_m).to_vec(),
            None => vec![],
        };
        monitors.extend(usual_arm_monitors(allowed_links));
        self.watch(monitors)
    }

    /// For motions of the gripper, which press with the fingers on purpose.
    pub(super) fn gripper_watch(&self) -> Watch {
        let mut monitors = usual_arm_monitors(self.info.gripper.finger_links.clone()).to_vec();
        monitors.push(usual_finger_monitor());
        self.watch(monitors)
    }

    fn watch(&self, monitors: Vec<Monitor>) -> Watch {
        Watch {
            monitors,
            cancel: self.cancel.clone(),
        }
    }
}

/// What watches over the grip while something this wide is carried, m.
pub fn usual_grip_monitors(held_width_m: f64) -> [Monitor; 5] {
    [
        Monitor::HeldSlips {
            max_slip_m: SUDDEN_SLIP_M,
            within_secs: Some(SUDDEN_SECS),
        },
        Monitor::HeldSlips {
            max_slip_m: SLIP_M,
            within_secs: None,
        },
        Monitor::HeldTurns {
            max_turn_rad: TURN_RAD,
        },
        Monitor::PadsEmpty {
            for_secs: PADS_EMPTY_SECS,
        },
        Monitor::GripLost {
            min_width_m: grip_lost_below(held_width_m),
        },
    ]
}

/// What watches over the arm whenever something moves; `allowed_links` may press.
pub fn usual_arm_monitors(allowed_links: Vec<String>) -> [Monitor; 3] {
    [
        Monitor::UnexpectedContact {
            max_force_n: BUMP_N,
            allowed_links,
        },
        Monitor::TrackingError {
            max_error: LAG_RAD,
            for_secs: LAG_SECS,
        },
        Monitor::SpeedError {
            max_error_per_s: LAG_RAD_PER_S,
            for_secs: LAG_SPEED_SECS,
        },
    ]
}

/// What watches over fingers that are positioned.
pub fn usual_finger_monitor() -> Monitor {
    Monitor::FingerBlocked {
        max_lag_m: FINGER_LAG_M,
        for_secs: FINGER_LAG_SECS,
    }
}
