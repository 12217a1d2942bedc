//! Settings of the simulation.

use serde::{Deserialize, Serialize};

use crate::{Result, SimError};

/// Settings of a simulated world. The skills are tuned on the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
pub struct SimOptions {
    /// Length of a step, s. Default 0.0025. A step costs the same at any length, and the slip of a
    /// held object grows with the length (30 cm sideways within a second: 0.25 mm at 2 ms, 0.32 at
    /// 2.5, 0.39 at 3, 0.53 at 4). The default is the longest step that keeps a margin to a slip of
    /// 0.5 mm.
    #[default(0.0025)]
    pub dt_secs: f64,
    /// Set if gravity on the robot's own links is compensated, as in every torque-controlled arm.
    /// Default true. The weight of a held object is not compensated.
    #[default(true)]
    pub gravity_compensation: bool,
    /// Gravity in World, m/s^2. Default (0, 0, -9.81).
    #[default([0.0, 0.0, -9.81])]
    pub gravity: [f64; 3],
    /// Longest time for a new world to come to rest before the clock starts, simulated s. Default
    /// 10: a dropped stack takes about half a second, an object that falls over and rolls some
    /// seconds. 0 starts the clock at once, with everything at its pose in the scene.
    #[default(10.0)]
    pub settle_max_secs: f64,
    /// Speed above which the physics counts as diverged, m/s. Default 50: an object that falls off
    /// a table reaches 7 m/s.
    #[default(50.0)]
    pub runaway_m_per_s: f64,
    /// Angular speed above which the physics counts as diverged, rad/s. Default 500.
    #[default(500.0)]
    pub runaway_rad_per_s: f64,
}

impl SimOptions {
    pub(crate) fn check(&self) -> Result<()> {
        let positive = [
            ("dt_secs", self.dt_secs),
            ("runaway_m_per_s", self.runaway_m_per_s),
            ("runaway_rad_per_s", self.runaway_rad_per_s),
        ];
        let settle = ("settle_max_secs", self.settle_max_secs);
        let gravity = self.gravity.map(|g| ("gravity", g));
        let bad_positive = positive.into_iter().find(|(_, v)| *v <= 0.0);
        let bad_settle = Some(settle).filter(|(_, v)| *v < 0.0);
        let mut all = positive.into_iter().chain([settle]).chain(gravity);
        let bad = all.find(|(_, v)| !v.is_finite());
        let Some((option, value)) = bad_positive.or(bad_settle).or(bad) else {
            return Ok(());
        };
        Err(SimError(format!(
            "build the world: option `{option}` is {value}, but must be finite; steps and speeds \
             must be greater than 0, and times must not be negative"
        )))
    }

    /// Smallest number of steps that last at least `secs`.
    pub(crate) fn steps(&self, secs: f64) -> u64 {
        // A duration of a whole number of steps must not become one step longer by rounding.
        (secs / self.dt_secs - 1e-6).ceil().max(0.0) as u64
    }
}
