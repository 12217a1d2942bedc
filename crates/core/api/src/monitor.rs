//! Monitors that end a motion early.
//!
//! Every monitor uses a quantity that a real arm can sense. No monitor knows where an object is:
//! perception names the objects after the motion has stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::ContactForce;

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
        /// Largest acceptable finger distance, m; `None` if the pads detect that the grip opens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_width_m: Option<f64>,
    },
    /// A finger has had no contact for a while.
    ///
    /// On hardware: pressure at the pads, or the current of the gripper's motor.
    PadsEmpty {
        /// Time without contact after which the monitor fires, s.
        for_secs: f64,
    },
    /// The held object has slid along the pads farther than the limit since the motion began, or
    /// within about a given time. In the second case the slip is compared with its low-pass
    /// filtered value, so that slow creep does not add up.
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
    /// The force on a link, summed over all contacts with one object, exceeds the limit for a
    /// while. Made for motions that are meant to press, in which the first impact does not count.
    ///
    /// On hardware: filtered estimate of external torques at the joints, or a force-torque sensor
    /// at the wrist.
    PressesTooHard {
        /// Force limit, N.
        max_force_n: f64,
        /// Time for which the limit may be exceeded, s.
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
        /// Largest lag of a finger that is not blocked, m.
        max_lag_m: f64,
        /// Time for which the limit may be exceeded, s.
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

impl Watch {
    /// Creates a watch with these monitors, which nothing outside can cancel.
    pub fn of(monitors: impl IntoIterator<Item = Monitor>) -> Self {
        Self {
            monitors: monitors.into_iter().collect(),
            ..Self::default()
        }
    }
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

/// Limits that end a motion of a robot early, from its robot file.
///
/// Each limit lies between the readings of undisturbed and of disturbed motions, so it depends on
/// the arm, its controller and its sensors. The defaults are for a stiffly controlled arm with a
/// control loop of 1 to 2.5 ms. Times span a few cycles of that loop, so that a jolt of one cycle
/// does not end a motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
pub struct MonitorLimits {
    /// Contact force that counts as a collision, N. Default 25: far above a slow touch of a light
    /// object.
    #[default(25.0)]
    pub contact_n: f64,
    /// Limit of the external torque at a joint, where forces are not known by link, N m. Default
    /// 15: [`Self::contact_n`] at a lever of 0.6 m.
    #[default(15.0)]
    pub external_torque_nm: f64,
    /// Time for which the external torque must exceed its limit, s. Default 0.005.
    #[default(0.005)]
    pub external_torque_secs: f64,
    /// Limit of the distance between a joint and its command, rad. Default 0.01: twice what a
    /// Panda's feed-forward control leaves at 0.9 of its limits with its payload.
    #[default(0.01)]
    pub lag_rad: f64,
    /// Time for which the joint error must exceed its limit, s. Default 0.01.
    #[default(0.01)]
    pub lag_secs: f64,
    /// Limit of the difference between a joint's speed and its command, rad/s. Default 0.2.
    #[default(0.2)]
    pub speed_error_rad_per_s: f64,
    /// Time for which the speed error must exceed its limit, s. Default 0.0075.
    #[default(0.0075)]
    pub speed_error_secs: f64,
    /// Limit of sudden slip, m: the lead of the pads' slip reading over its low-pass filtered value
    /// with the time constant [`Self::sudden_slip_secs`]. Default 0.001.
    ///
    /// If an object slides at a speed v for longer than the time constant T, its slip leads the
    /// filtered value by v T: by 0.66 mm at 22 mm/s, ten times the creep of flat sides at 0.9 of
    /// the arm's limits. A dropped object falls by g t^2 / 2, and its slip leads by
    /// g T (t - T (1 - exp(-t / T))): by 1.06 mm after 16 ms for T = 30 ms. So no creep reaches
    /// 1 mm, and a drop reaches it within 20 ms, the time in which it must be noticed.
    #[default(0.001)]
    pub sudden_slip_m: f64,
    /// Time constant of [`Self::sudden_slip_m`], s. Default 0.03.
    #[default(0.03)]
    pub sudden_slip_secs: f64,
    /// Limit of sudden slip in a grip known to bear twice the load, m: rounded objects and edges
    /// slide this far until they sit between the pads. Default 0.002, which a dropped object
    /// reaches after 24 ms.
    #[default(0.002)]
    pub settling_slip_m: f64,
    /// Limit of the total slip in one motion, at any speed, m. Default 0.006: beyond it the
    /// believed pose of the object in the hand is wrong.
    #[default(0.006)]
    pub slip_m: f64,
    /// Limit of the turn between the pads in one motion, rad. Default 0.2, about 11 degrees.
    #[default(0.2)]
    pub turn_rad: f64,
    /// Time for which a pad may lose contact with the held object, s. Default 0.005.
    #[default(0.005)]
    pub pads_empty_secs: f64,
    /// Time for which a pressing motion may exceed its force limit, s. Default 0.015: by then a
    /// pushed object moves at the hand's speed.
    #[default(0.015)]
    pub press_secs: f64,
    /// Lag of a finger that counts as blocked, m. Default 0.0003: a free finger lags 0.1 mm at
    /// most.
    #[default(0.0003)]
    pub finger_lag_m: f64,
    /// Time for which the finger lag must exceed its limit, s. Default 0.0075.
    #[default(0.0075)]
    pub finger_lag_secs: f64,
    /// Limit of the force on the fingers or the held object while a policy drives, N. Default 40:
    /// enough to push and insert, and well below what a Panda's hand stands.
    #[default(40.0)]
    pub policy_press_n: f64,
}

/// Flag that requests a safe stop of everything that checks it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a stop. This cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns true if a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
