//! Monitors that end a motion early.
//!
//! Every monitor uses a quantity that a real arm can sense. None knows where an object is: names of
//! objects come from perception, after the motion has stopped.

use serde::{Deserialize, Serialize};

use crate::{CancelToken, ContactForce};

/// Condition that ends a motion early.
///
/// The world checks every monitor in every cycle of its control loop. When one fires, the arm
/// brakes and holds its position, and the gripper keeps its command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Monitor {
    /// The fingers closed or opened beyond these limits: the held object is lost.
    ///
    /// On hardware: the gripper's encoder.
    GripLost {
        /// Smallest acceptable finger distance, m.
        min_width_m: f64,
        /// Largest acceptable finger distance, m; `None` if the pads detect an opening grip.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_width_m: Option<f64>,
    },
    /// A finger has had no contact for a while.
    ///
    /// On hardware: pressure at the pads, or the current of the gripper's motor.
    PadsEmpty {
        /// Duration, s.
        for_secs: f64,
    },
    /// The held object slides along the pads farther than this since the motion began, or within
    /// about a given time. For the latter, the reading is compared with its low-pass filtered
    /// value, so that slow creep does not add up.
    ///
    /// On hardware: tactile pads that measure shear (a camera behind a gel, or an optical flow
    /// sensor); see [`crate::GripperState::slip_m`].
    HeldSlips {
        /// Limit, m.
        max_slip_m: f64,
        /// Time constant, s; `None` counts from the start of the motion.
        within_secs: Option<f64>,
    },
    /// The held object turns between the pads about the closing direction, counted from the start
    /// of the motion.
    ///
    /// On hardware: tactile pads that measure shear.
    HeldTurns {
        /// Limit, rad.
        max_turn_rad: f64,
    },
    /// A link or the held object is touched with more than this force by something that was not in
    /// the hand when the motion began.
    ///
    /// The held object presses on fingers and palm without an external force, so that does not
    /// count. On hardware: the estimate of external torques at the joints (a momentum observer) or
    /// a force-torque sensor at the wrist; such an estimate is filtered and assumes a single
    /// contact point.
    UnexpectedContact {
        /// Force limit, N.
        max_force_n: f64,
        /// Links that may be touched.
        allowed_links: Vec<String>,
    },
    /// Force above the limit on any link for a while, summed over all contacts with one object. For
    /// motions that are meant to press, where the first instant of contact does not count.
    ///
    /// On hardware: filtered estimate of external torques at the joints, or a force-torque sensor
    /// at the wrist.
    PressesTooHard {
        /// Force limit, N.
        max_force_n: f64,
        /// Duration, s.
        for_secs: f64,
    },
    /// A joint senses an external torque above the limit for a while. For arms without contact
    /// forces.
    ///
    /// On hardware: the controller's estimate of external torques, without the weight of hand and
    /// load.
    ExternalTorque {
        /// Limit, N m.
        max_torque_nm: f64,
        /// Time for which the limit may be exceeded, s.
        for_secs: f64,
    },
    /// A joint of the arm deviates from its command by more than the limit for a while.
    ///
    /// On hardware: the joints' encoders.
    TrackingError {
        /// Limit, rad (or m).
        max_error: f64,
        /// Time for which the limit may be exceeded, s.
        for_secs: f64,
    },
    /// A joint of the arm moves faster or slower than its command by more than the limit for a
    /// while. This detects a blocked joint long before its position error is large.
    ///
    /// On hardware: the joints' encoders.
    SpeedError {
        /// Limit, rad/s (or m/s).
        max_error_per_s: f64,
        /// Time for which the limit may be exceeded, s.
        for_secs: f64,
    },
    /// While the fingers are positioned (not while they grasp), one of them lags behind its command
    /// and moves at less than half the commanded speed.
    ///
    /// On hardware: the gripper's encoder and its command.
    FingerBlocked {
        /// Smallest lag that counts, m.
        max_lag_m: f64,
        /// Duration, s.
        for_secs: f64,
    },
}

/// Monitors and cancellation during a motion.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Monitors, checked in order after every step.
    pub monitors: Vec<Monitor>,
    /// Cancellation, checked after every step.
    pub cancel: CancelToken,
}

/// Stop of a motion by a monitor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MonitorStop {
    /// Monitor that fired.
    pub monitor: Monitor,
    /// Seconds since the start of the motion.
    pub at_secs: f64,
    /// Measured value, in the unit of its limit; for [`Monitor::PadsEmpty`] the time, s.
    pub measured: f64,
    /// Contact that the monitor was about or that explains the stop.
    pub contact: Option<ContactForce>,
    /// Joint of the arm or the gripper that the monitor was about.
    pub joint: Option<String>,
}
