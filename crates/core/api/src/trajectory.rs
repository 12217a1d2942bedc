//! Timed joint motions.

use serde::{Deserialize, Serialize};

/// Compliance of the arm during a motion in contact: it yields like a spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    /// Fraction of the servos' stiffness and damping, in (0, 1].
    pub stiffness: f64,
    /// Largest force of the servos at the tool point, N; `None` if only the motors' limits apply.
    /// In the first instant of an impact the force is larger, since momentum adds to it.
    pub max_force_n: Option<f64>,
}

impl Compliance {
    /// Returns true if the values are in their ranges.
    pub fn is_valid(&self) -> bool {
        let force = self.max_force_n.unwrap_or(1.0);
        self.stiffness > 0.0 && self.stiffness <= 1.0 && force.is_finite() && force > 0.0
    }
}

/// State of all joints at one instant of a [`Trajectory`], in chain order. SI units, radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// Time since the start of the motion, s.
    pub time_secs: f64,
    /// Joint positions.
    pub position: Vec<f64>,
    /// Joint velocities.
    pub velocity: Vec<f64>,
    /// Joint accelerations.
    pub acceleration: Vec<f64>,
}

impl Knot {
    /// Creates the state of joints that rest.
    pub fn at_rest(time_secs: f64, position: impl Into<Vec<f64>>) -> Self {
        let position = position.into();
        let still = vec![0.0; position.len()];
        Self {
            time_secs,
            position,
            velocity: still.clone(),
            acceleration: still,
        }
    }
}

/// Timed joint motion, exactly as sent to the actuators.
///
/// Between knots the position is the quintic that matches position, velocity and acceleration at
/// both ends, so velocity feed-forward is consistent with position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    knots: Vec<Knot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compliance: Option<Compliance>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    goes_on: bool,
}

impl Trajectory {
    /// Creates a trajectory from knots.
    ///
    /// # Panics
    ///
    /// If there is no knot, times do not increase, or joint counts differ: a bug of the caller, not
    /// an input error.
    pub fn new(knots: Vec<Knot>) -> Self {
        let n_joints = knots.first().map(|k| k.position.len());
        assert!(n_joints.is_some(), "a trajectory needs at least one knot");
        assert!(
            knots.windows(2).all(|w| w[0].time_secs < w[1].time_secs),
            "knot times must increase"
        );
        assert!(
            knots.iter().all(|k| {
                Some(k.position.len()) == n_joints
                    && k.velocity.len() == k.position.len()
                    && k.acceleration.len() == k.position.len()
            }),
            "all knots must have the same number of joints"
        );
        Self {
            knots,
            compliance: None,
            goes_on: false,
        }
    }

    /// Lets another motion follow without coming to rest in between. The next motion has to begin
    /// with the final position, velocity and acceleration of this one.
    pub fn going_on(mut self) -> Self {
        self.goes_on = true;
        self
    }

    /// Returns true if another motion follows at once.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Makes the arm compliant during the motion.
    ///
    /// # Panics
    ///
    /// If the compliance is not [valid](Compliance::is_valid): a bug of the caller.
    pub fn compliant(mut self, compliance: Compliance) -> Self {
        assert!(compliance.is_valid(), "{compliance:?} is not valid");
        self.compliance = Some(compliance);
        self
    }

    /// Returns the compliance of the arm; `None` if it is stiff.
    pub fn compliance(&self) -> Option<Compliance> {
        self.compliance
    }

    /// Returns the knots in time order.
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// Returns the number of joints.
    pub fn n_joints(&self) -> usize {
        self.knots[0].position.len()
    }

    /// Returns the duration, s.
    pub fn duration_secs(&self) -> f64 {
        self.knots[self.knots.len() - 1].time_secs - self.knots[0].time_secs
    }

    /// Returns the joint positions at the end.
    pub fn last_position(&self) -> &[f64] {
        &self.knots[self.knots.len() - 1].position
    }

    /// Writes positions and velocities at `time_secs` after the start. Times outside the motion
    /// give its first or last knot.
    ///
    /// # Panics
    ///
    /// If a slice is shorter than the number of joints.
    pub fn sample(&self, time_secs: f64, position: &mut [f64], velocity: &mut [f64]) {
        let t = self.knots[0].time_secs + time_secs;
        let after = self.knots.partition_point(|k| k.time_secs <= t);
        if after == 0 || after == self.knots.len() {
            let knot = &self.knots[after.saturating_sub(1)];
            let n = knot.position.len();
            position[..n].copy_from_slice(&knot.position);
            velocity[..n].copy_from_slice(&knot.velocity);
            return;
        }
        let (a, b) = (&self.knots[after - 1], &self.knots[after]);
        let h = b.time_secs - a.time_secs;
        let u = (t - a.time_secs) / h;
        for i in 0..a.position.len() {
            let start = [a.position[i], a.velocity[i] * h, a.acceleration[i] * h * h];
            let end = [b.position[i], b.velocity[i] * h, b.acceleration[i] * h * h];
            let (p, v) = quintic(start, end, u);
            position[i] = p;
            velocity[i] = v / h;
        }
    }
}

/// Value and derivative at `u` in 0..1 of a quintic from value, first and second derivative.
fn quintic(start: [f64; 3], end: [f64; 3], u: f64) -> (f64, f64) {
    let [p0, v0, a0] = start;
    let [p1, v1, a1] = end;
    let d = p1 - p0;
    let c2 = 0.5 * a0;
    let c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    let c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    let c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1;
    let p = p0 + u * (v0 + u * (c2 + u * (c3 + u * (c4 + u * c5))));
    let v = v0 + u * (2.0 * c2 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)));
    (p, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x(t) = t^3 is reproduced exactly between sparse knots.
    #[test]
    fn a_cubic_is_sampled_exactly() {
        let knot = |t: f64| Knot {
            time_secs: t,
            position: vec![t.powi(3)],
            velocity: vec![3.0 * t * t],
            acceleration: vec![6.0 * t],
        };
        let trajectory = Trajectory::new(vec![knot(0.0), knot(0.7), knot(2.0)]);
        let (mut p, mut v) = ([0.0], [0.0]);
        for t in [0.1, 0.7, 1.3, 1.99] {
            trajectory.sample(t, &mut p, &mut v);
            assert!((p[0] - t.powi(3)).abs() < 1e-12);
            assert!((v[0] - 3.0 * t * t).abs() < 1e-11);
        }
        trajectory.sample(5.0, &mut p, &mut v);
        assert!((p[0] - 8.0).abs() < 1e-12);
    }
}
