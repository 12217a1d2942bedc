//! Exact extremes of a trajectory.
//!
//! Between two knots a joint follows a quintic, so its jerk is a parabola with extremes at the ends
//! and at its vertex. Acceleration has its extremes where the jerk is zero, and velocity where the
//! acceleration is zero, which is searched for between the extremes of the acceleration.

use regrasp_api::Knot;

use crate::JointLimits;

/// Factor by which time would have to be stretched between two knots for all joints to be within
/// their limits, or `known` if that is larger. Velocity falls with the stretch, acceleration with
/// its square and jerk with its cube. Below 1 if there is room.
pub(super) fn overload(from: &Knot, to: &Knot, limits: &[JointLimits], known: f64) -> f64 {
    let mut worst = known;
    for (joint, limit) in limits.iter().enumerate() {
        let quintic = Quintic::between(from, to, joint);
        let jerk = quintic.most_jerk() / limit.jerk;
        if jerk > worst.powi(3) {
            worst = jerk.cbrt();
        }
        let turns = quintic.turns();
        let most = quintic.most_acceleration(&turns);
        if most / limit.acceleration > worst.powi(2) {
            worst = (most / limit.acceleration).sqrt();
        }
        // The zero of the acceleration is searched for only if it could matter.
        if quintic.velocity_bound(most) / limit.velocity > worst {
            worst = worst.max(quintic.most_velocity(&turns) / limit.velocity);
        }
    }
    worst
}

/// Velocity of a quintic, as a polynomial in u = 0..1 over `secs`.
struct Quintic {
    velocity: [f64; 5],
    secs: f64,
}

impl Quintic {
    fn between(from: &Knot, to: &Knot, joint: usize) -> Self {
        let h = to.time_secs - from.time_secs;
        let of = |knot: &Knot| {
            [
                knot.position[joint],
                knot.velocity[joint] * h,
                knot.acceleration[joint] * h * h,
            ]
        };
        let ([p0, v0, a0], [p1, v1, a1]) = (of(from), of(to));
        let d = p1 - p0;
        let c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
        let c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
        let c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1;
        Self {
            velocity: [v0, a0, 3.0 * c3, 4.0 * c4, 5.0 * c5],
            secs: h,
        }
    }

    fn velocity(&self, u: f64) -> f64 {
        let [a, b, c, d, e] = self.velocity;
        a + u * (b + u * (c + u * (d + u * e)))
    }

    fn acceleration(&self, u: f64) -> f64 {
        let [_, b, c, d, e] = self.velocity;
        b + u * (2.0 * c + u * (3.0 * d + u * 4.0 * e))
    }

    fn jerk(&self, u: f64) -> f64 {
        let [_, _, c, d, e] = self.velocity;
        2.0 * c + u * (6.0 * d + u * 12.0 * e)
    }

    /// The ends of the piece, and the zeros of the jerk in between.
    fn turns(&self) -> [f64; 4] {
        let [_, _, c, d, e] = self.velocity;
        let [one, other] = roots(12.0 * e, 6.0 * d, 2.0 * c).map(within);
        [0.0, one.min(other), one.max(other), 1.0]
    }

    /// Largest magnitude of the jerk, per s^3.
    fn most_jerk(&self) -> f64 {
        let [_, _, _, d, e] = self.velocity;
        let ends_and_vertex = [0.0, 1.0, within(-d / (4.0 * e))];
        largest(ends_and_vertex.map(|u| self.jerk(u))) / self.secs.powi(3)
    }

    /// Largest magnitude of the acceleration, per s^2.
    fn most_acceleration(&self, turns: &[f64; 4]) -> f64 {
        largest(turns.map(|u| self.acceleration(u))) / self.secs.powi(2)
    }

    /// Largest magnitude of the velocity, per s.
    fn most_velocity(&self, turns: &[f64; 4]) -> f64 {
        let stops = [0, 1, 2].map(|i| self.stop_between(turns[i], turns[i + 1]));
        let ends = largest([0.0, 1.0].map(|u| self.velocity(u)));
        ends.max(largest(stops.map(|u| self.velocity(u)))) / self.secs
    }

    /// Upper bound on the velocity for this largest acceleration, per s.
    fn velocity_bound(&self, most_acceleration: f64) -> f64 {
        let ends = largest([0.0, 1.0].map(|u| self.velocity(u)));
        ends / self.secs + 0.5 * most_acceleration * self.secs
    }

    /// Zero of the acceleration, which is monotonic between `low` and `high`; `low` if there is
    /// none.
    fn stop_between(&self, mut low: f64, mut high: f64) -> f64 {
        let at_low = self.acceleration(low);
        if low >= high || at_low * self.acceleration(high) >= 0.0 {
            return low;
        }
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            if self.acceleration(middle) * at_low > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

fn largest<const N: usize>(values: [f64; N]) -> f64 {
    values.into_iter().fold(0.0, |most, v| most.max(v.abs()))
}

/// Returns `u` if it is inside the piece, otherwise (also for NaN) the start of the piece.
fn within(u: f64) -> f64 {
    if u > 0.0 && u < 1.0 { u } else { 0.0 }
}

/// Real roots of a x^2 + b x + c, by the form without cancellation.
fn roots(a: f64, b: f64, c: f64) -> [f64; 2] {
    let q = -0.5 * (b + b.signum() * (b * b - 4.0 * a * c).sqrt());
    [q / a, c / q]
}
