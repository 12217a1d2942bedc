//! The monitors under which a robot moves, and their limits.
//!
//! Each limit lies between what undisturbed motions read (measured over fast moves with
//! an empty hand and with things of 6 to 600 g in it; see the tests of the simulated
//! world) and what a disturbance reads.

use regrasp_api::Held;
use regrasp_relations::grip_lost_below;

use crate::Robot;
use regrasp_api::{Monitor, Watch};

/// An arm that is touched this hard has hit something; a slow touch of a light object
/// stays far below, N.
const BUMP_N: f64 = 25.0;
/// Feed-forward control leaves 0.0028 rad at 0.9 of the joints' limits with up to 0.4 kg
/// in the hand, and 0.0052 rad with the 3 kg that a Panda may carry: twice that, rad.
const LAG_RAD: f64 = 0.01;
/// Four steps of the simulator: a jolt is not a lag.
const LAG_SECS: f64 = 0.01;
/// A joint this much slower than it should be is being held, rad/s. Most moves leave 0.025
/// with an empty hand or 1 kg, 0.046 with 3 kg; but the base turning a far-reaching arm from
/// full acceleration to full braking leaves 0.14, since the servos know nothing of inertia.
const LAG_RAD_PER_S: f64 = 0.2;
const LAG_SPEED_SECS: f64 = 0.0075;
/// How far the pads' reading may run ahead of one that follows it with a time constant
/// of [`SUDDEN_SECS`], m.
///
/// What slides at a speed v for longer than the constant T runs v T ahead: a creep of
/// 22 mm/s, an order above what flat sides do at 0.9 of the limits, reads 0.66 mm. What is let go
/// falls g t^2 / 2, which runs ahead by g T (t - T (1 - exp(-t / T))): 1.06 mm after
/// 16 ms for T = 30 ms. So 1 mm lies above any creep, and a loss reaches it within the
/// 20 ms in which it must be noticed.
const SUDDEN_SLIP_M: f64 = 0.001;
const SUDDEN_SECS: f64 = 0.03;
/// The same in a grip that is known to bear twice what it has to: what rounds or edges of a
/// thing do until they sit between the pads. What is let go runs that far ahead after 24 ms, m.
const SETTLING_M: f64 = 0.002;
/// However slowly: the belief about how it sits in the hand is then wrong, m.
const SLIP_M: f64 = 0.006;
/// About 11 degrees.
const TURN_RAD: f64 = 0.2;
/// Six steps of the simulator: what is pushed has then taken up the hand's speed.
const PRESS_SECS: f64 = 0.015;
/// Two steps of the simulator: pressure does not flicker.
const PADS_EMPTY_SECS: f64 = 0.005;
/// A finger that is free follows within 0.1 mm.
const FINGER_LAG_M: f64 = 0.0003;
const FINGER_LAG_SECS: f64 = 0.0075;

impl Robot {
    /// For motions of the arm.
    pub(crate) fn usual_watch(&mut self) -> Watch {
        // A hand that grips without a belief about what (a user's skill) may press.
        let grips_unknown = self.held.is_none() && self.observe().gripper.grip_force_n > 0.0;
        let allowed_links = if grips_unknown {
            self.info.gripper.finger_links.clone()
        } else {
            vec![]
        };
        let mut monitors = match self.held.clone() {
            Some(held) => self.grip_monitors(&held),
            None => vec![],
        };
        monitors.extend(usual_arm_monitors(allowed_links));
        self.watch(monitors)
    }

    /// For motions that are meant to press on something with the fingers, or with what is
    /// held, with up to so much force.
    pub(crate) fn contact_watch(&mut self, max_force_n: f64, stiffness: f64) -> Watch {
        let fingers = self.info.gripper.finger_links.clone();
        let mut monitors = match self.held.clone() {
            Some(held) => self.grip_monitors(&held),
            None => vec![],
        };
        let [_, tracking, speed] = usual_arm_monitors(vec![]);
        monitors.push(Monitor::UnexpectedContact {
            max_force_n: BUMP_N,
            allowed_links: fingers,
        });
        monitors.push(Monitor::PressesTooHard {
            max_force_n,
            for_secs: PRESS_SECS,
        });
        // A soft arm lags further behind for the same force.
        monitors.extend([tracking, speed].map(|monitor| softened(monitor, stiffness)));
        self.watch(monitors)
    }

    /// For motions of the gripper, which press with the fingers on purpose.
    pub(crate) fn gripper_watch(&self) -> Watch {
        let mut monitors = usual_arm_monitors(self.info.gripper.finger_links.clone()).to_vec();
        monitors.push(usual_finger_monitor());
        self.watch(monitors)
    }

    /// What watches over the present grip.
    fn grip_monitors(&mut self, held: &Held) -> Vec<Monitor> {
        let force_n = self.observe().gripper.grip_force_n;
        let mut monitors = usual_grip_monitors(held.width_m).to_vec();
        if self.info.gripper.is_firm(force_n, held.mass_kg)
            && let Some(Monitor::HeldSlips { max_slip_m, .. }) = monitors.first_mut()
        {
            *max_slip_m = SETTLING_M;
        }
        monitors
    }

    fn watch(&self, monitors: Vec<Monitor>) -> Watch {
        Watch {
            monitors,
            cancel: self.cancel.clone(),
        }
    }
}

fn softened(monitor: Monitor, stiffness: f64) -> Monitor {
    match monitor {
        Monitor::TrackingError {
            max_error,
            for_secs,
        } => Monitor::TrackingError {
            max_error: max_error / stiffness,
            for_secs,
        },
        Monitor::SpeedError {
            max_error_per_s,
            for_secs,
        } => Monitor::SpeedError {
            max_error_per_s: max_error_per_s / stiffness,
            for_secs,
        },
        other => other,
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
