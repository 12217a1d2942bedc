//! Position, velocity, acceleration and jerk limits of a joint.

/// Limits of one joint. Radians (or metres) and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Smallest position.
    pub lower: f64,
    /// Largest position.
    pub upper: f64,
    /// Largest speed.
    pub velocity: f64,
    /// Largest acceleration.
    pub acceleration: f64,
    /// Largest jerk.
    pub jerk: f64,
}
