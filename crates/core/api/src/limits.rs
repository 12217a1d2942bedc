//! Limits of the monitors during motions.

use serde::{Deserialize, Serialize};

/// Limits that end a motion of a robot early, from its robot file.
///
/// Each limit lies between the readings of undisturbed and of disturbed motions, so it depends on
/// the arm, its controller and its sensors. The defaults are for a stiffly controlled arm with a
/// control loop of 1 to 2.5 ms. Times are a few of its cycles, so that a jolt of one cycle ends
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MonitorLimits {
    /// Contact force that counts as a collision, N. Default 25: far above a slow touch of a light
    /// object.
    pub contact_n: f64,
    /// Limit of the external torque at a joint, where forces are not known by link, N m. Default
    /// 15: [`Self::contact_n`] at a lever of 0.6 m.
    pub external_torque_nm: f64,
    /// Time for which the external torque must exceed its limit, s. Default 0.005.
    pub external_torque_secs: f64,
    /// Limit of the distance between a joint and its command, rad. Default 0.01: twice what a
    /// Panda's feed-forward control leaves at 0.9 of its limits with its payload.
    pub lag_rad: f64,
    /// Time for which the joint error must exceed its limit, s. Default 0.01.
    pub lag_secs: f64,
    /// Limit of the difference between a joint's speed and its command, rad/s. Default 0.2.
    pub speed_error_rad_per_s: f64,
    /// Time for which the speed error must exceed its limit, s. Default 0.0075.
    pub speed_error_secs: f64,
    /// Limit of sudden slip, m: the lead of the pads' slip reading over its low-pass filtered value
    /// with the time constant [`Self::sudden_slip_secs`]. Default 0.001.
    ///
    /// An object that slides at a speed v for longer than the time constant T leads by v T: a creep
    /// of 22 mm/s, an order above that of flat sides at 0.9 of the limits, reads 0.66 mm. A dropped
    /// object falls g t^2 / 2 and leads by g T (t - T (1 - exp(-t / T))): 1.06 mm after 16 ms for
    /// T = 30 ms. So 1 mm lies above any creep, and a loss reaches it within the 20 ms in which it
    /// must be noticed.
    pub sudden_slip_m: f64,
    /// Time constant of [`Self::sudden_slip_m`], s. Default 0.03.
    pub sudden_slip_secs: f64,
    /// Limit of sudden slip in a grip known to bear twice the load, m: rounded objects and edges
    /// slide this far until they sit between the pads. Default 0.002, which a dropped object
    /// reaches after 24 ms.
    pub settling_slip_m: f64,
    /// Limit of the total slip in one motion, at any speed, m. Default 0.006: beyond it the
    /// believed pose of the object in the hand is wrong.
    pub slip_m: f64,
    /// Limit of the turn between the pads in one motion, rad. Default 0.2, about 11 degrees.
    pub turn_rad: f64,
    /// Time for which a pad may lose contact with the held object, s. Default 0.005.
    pub pads_empty_secs: f64,
    /// Time for which a pressing motion may exceed its force limit, s. Default 0.015: by then a
    /// pushed object moves at the hand's speed.
    pub press_secs: f64,
    /// Lag of a finger that counts as blocked, m. Default 0.0003: a free finger lags 0.1 mm at
    /// most.
    pub finger_lag_m: f64,
    /// Time for which the finger lag must exceed its limit, s. Default 0.0075.
    pub finger_lag_secs: f64,
    /// Limit of the force on the fingers or the held object while a policy drives, N. Default 40:
    /// enough to push and insert, and well below what a Panda's hand stands.
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
