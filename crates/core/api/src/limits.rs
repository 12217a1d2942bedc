//! The limits of the monitors under which a robot moves.

use serde::{Deserialize, Serialize};

/// What ends a motion of a robot early, from its robot file.
///
/// Each limit lies between what undisturbed motions read and what a disturbance reads, so
/// each depends on the arm, its controller and its sensors. The defaults are those of a
/// stiffly controlled arm with a control loop of 1 to 2.5 ms; times are a few of its cycles,
/// so that a jolt of one cycle ends nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MonitorLimits {
    /// A link that is touched harder has hit something, N. Default 25: a slow touch of a
    /// light object stays far below.
    pub contact_n: f64,
    /// A torque from the outside at any joint, where forces are not known by link, N m.
    /// Default 15: [`Self::contact_n`] at a lever of 0.6 m.
    pub external_torque_nm: f64,
    /// For how long, s. Default 0.005.
    pub external_torque_secs: f64,
    /// A joint further from its command than this is held, rad. Default 0.01: twice what
    /// a Panda's feed-forward control leaves at 0.9 of its limits with its payload.
    pub lag_rad: f64,
    /// For how long, s. Default 0.01.
    pub lag_secs: f64,
    /// A joint this much slower or faster than its command is held, rad/s. Default 0.2.
    pub speed_error_rad_per_s: f64,
    /// For how long, s. Default 0.0075.
    pub speed_error_secs: f64,
    /// How far the pads' reading of slip may run ahead of one that follows it with the time
    /// constant [`Self::sudden_slip_secs`], m. Default 0.001.
    ///
    /// What slides at a speed v for longer than the constant T runs v T ahead: a creep of
    /// 22 mm/s, an order above what flat sides do at 0.9 of the limits, reads 0.66 mm. What is let go
    /// falls g t^2 / 2, which runs ahead by g T (t - T (1 - exp(-t / T))): 1.06 mm after
    /// 16 ms for T = 30 ms. So 1 mm lies above any creep, and a loss reaches it within the
    /// 20 ms in which it must be noticed.
    pub sudden_slip_m: f64,
    /// Its time constant, s. Default 0.03.
    pub sudden_slip_secs: f64,
    /// The same in a grip that is known to bear twice what it has to, m: what rounds or edges
    /// of a thing do until they sit between the pads. Default 0.002; what is let go runs that
    /// far ahead after 24 ms.
    pub settling_slip_m: f64,
    /// Slip in one motion, however slow, m. Default 0.006: the belief about how something
    /// sits in the hand is then wrong.
    pub slip_m: f64,
    /// Turn between the pads in one motion, rad. Default 0.2, about 11 degrees.
    pub turn_rad: f64,
    /// For how long a pad may feel nothing of what is held, s. Default 0.005.
    pub pads_empty_secs: f64,
    /// For how long a motion that is meant to press may press too hard, s. Default 0.015: what
    /// is pushed has then taken up the hand's speed.
    pub press_secs: f64,
    /// A finger further behind its command than this is blocked, m. Default 0.0003: one that
    /// is free follows within 0.1 mm.
    pub finger_lag_m: f64,
    /// For how long, s. Default 0.0075.
    pub finger_lag_secs: f64,
    /// How hard the fingers, or what they hold, may press when a policy drives, N. Default 40:
    /// what pushing and inserting need, and well below what a Panda's hand stands.
    pub policy_press_n: f64,
}

impl Default for MonitorLimits {
    fn default() -> Self {
        Self {
            contact_n: 25.0,
            external_torque_nm: 15.0,
            external_torque_secs: 0.005,
            lag_rad: 0.01,
            lag_secs: 0.01,
            speed_error_rad_per_s: 0.2,
            speed_error_secs: 0.0075,
            sudden_slip_m: 0.001,
            sudden_slip_secs: 0.03,
            settling_slip_m: 0.002,
            slip_m: 0.006,
            turn_rad: 0.2,
            pads_empty_secs: 0.005,
            press_secs: 0.015,
            finger_lag_m: 0.0003,
            finger_lag_secs: 0.0075,
            policy_press_n: 40.0,
        }
    }
}
