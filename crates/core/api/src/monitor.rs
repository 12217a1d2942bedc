//! What ends a motion before its time.
//!
//! Every monitor looks at something that a real arm can feel. None knows where an
//! object is: names of objects come from perception, after the motion has stopped.

use serde::{Deserialize, Serialize};

use crate::{CancelToken, ContactForce};

/// Ends a motion early when something is not as it should be.
///
/// The world looks at every monitor in every cycle of its control loop. When one fires, the arm brakes, holds where it then
/// stands, and the gripper keeps doing what it was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Monitor {
    /// The fingers closed or opened further than this: what was held is gone.
    ///
    /// On hardware: the gripper's encoder.
    GripLost {
        /// Smallest acceptable finger distance, m.
        min_width_m: f64,
        /// Largest acceptable finger distance, m; `None` where pads feel a grip that opens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_width_m: Option<f64>,
    },
    /// A finger presses on nothing any more, for a while.
    ///
    /// On hardware: pressure at the pads, or the current of the gripper's motor.
    PadsEmpty {
        /// How long, s.
        for_secs: f64,
    },
    /// What is held slides along the pads: further than this since the motion began, or
    /// within about this time (the reading is held against one that follows it with that
    /// time constant, so that a slow creep does not add up).
    ///
    /// On hardware: tactile pads that see shear (a camera behind a gel, or an optical
    /// flow sensor); see [`crate::GripperState::slip_m`].
    HeldSlips {
        /// Limit, m.
        max_slip_m: f64,
        /// Time constant, s; `None` counts from the start of the motion.
        within_secs: Option<f64>,
    },
    /// What is held turns between the pads, about the closing direction, counted from
    /// when this motion began.
    ///
    /// On hardware: the same tactile pads.
    HeldTurns {
        /// Limit, rad.
        max_turn_rad: f64,
    },
    /// A link, or what is held, is touched harder than this by something that was not
    /// in the hand when the motion began.
    ///
    /// What is held presses on the fingers and the palm without an outside force, so
    /// that does not count. On hardware: the estimate of external torques at the joints
    /// (a momentum observer) or a force-torque sensor at the wrist; such an estimate is
    /// filtered, and its point is that of a single contact.
    UnexpectedContact {
        /// Force limit, N.
        max_force_n: f64,
        /// Links that may be touched.
        allowed_links: Vec<String>,
    },
    /// As [`Monitor::UnexpectedContact`] for every link, but for a while, and with all contacts
    /// with one object together: for motions that are meant to press on something, where the
    /// first instant of the touch does not count.
    ///
    /// On hardware: the same estimate or sensor, filtered.
    PressesTooHard {
        /// Force limit, N.
        max_force_n: f64,
        /// For how long, s.
        for_secs: f64,
    },
    /// A joint feels a torque from the outside that is larger than this for a while: for arms
    /// that do not know forces by link and place.
    ///
    /// On hardware: the controller's estimate of external torques, weight of the hand and of
    /// its load not counted.
    ExternalTorque {
        /// Limit, N m.
        max_torque_nm: f64,
        /// How long it may be exceeded, s.
        for_secs: f64,
    },
    /// A joint of the arm stays further from its command than this for a while.
    ///
    /// On hardware: the joints' encoders.
    TrackingError {
        /// Limit, rad (or m).
        max_error: f64,
        /// How long it may be exceeded, s.
        for_secs: f64,
    },
    /// A joint of the arm moves faster or slower than its command by more than this for
    /// a while. A joint that is held is noticed so long before it is far off.
    ///
    /// On hardware: the joints' encoders.
    SpeedError {
        /// Limit, rad/s (or m/s).
        max_error_per_s: f64,
        /// How long it may be exceeded, s.
        for_secs: f64,
    },
    /// While the fingers are being positioned (not while they grasp), one of them hangs
    /// behind its command and moves at less than half the speed it should.
    ///
    /// On hardware: the gripper's encoder and what it was commanded.
    FingerBlocked {
        /// Least distance from the command, m.
        max_lag_m: f64,
        /// For how long, s.
        for_secs: f64,
    },
}

/// What to watch while the world moves.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Checked after every step, in order.
    pub monitors: Vec<Monitor>,
    /// Checked after every step.
    pub cancel: CancelToken,
}

/// What a monitor ended a motion for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MonitorStop {
    /// The monitor.
    pub monitor: Monitor,
    /// Seconds since the start of the motion.
    pub at_secs: f64,
    /// The measured value that was over (for a width: below or over) the limit, in the unit of
    /// that limit; for [`Monitor::PadsEmpty`] the time, s.
    pub measured: f64,
    /// The contact, when the monitor was about one or one explains it.
    pub contact: Option<ContactForce>,
    /// The joint of the arm or the gripper, when the monitor was about one.
    pub joint: Option<String>,
}
