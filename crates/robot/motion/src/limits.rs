//! Position, velocity, acceleration and jerk limits of a joint.

/// Limits of one joint, in rad (or m) and s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Lower position limit, rad or m.
    pub lower: f64,
    /// Upper position limit, rad or m.
    pub upper: f64,
    /// Largest speed, rad/s or m/s.
    pub velocity: f64,
    /// Largest acceleration, rad/s² or m/s².
    pub acceleration: f64,
    /// Largest jerk, rad/s³ or m/s³.
    pub jerk: f64,
}
