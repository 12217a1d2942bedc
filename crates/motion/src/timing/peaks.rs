//! The extremes of a trajectory, exactly.
//!
//! Between two knots a joint moves along a quintic, so its jerk is a parabola: that has
//! its extremes at the ends and at its vertex. Acceleration has them where the jerk is
//! zero, velocity where the acceleration is, which is searched for between the extremes
//! of the acceleration.

use regrasp_api::Knot;

use crate::JointLimits;

/// By how much time would have to be stretched between two knots for all joints to be
/// within their limits: velocity falls with the stretch, acceleration with its square
/// and jerk with its cube. Below 1 where there is room.
pub(super) fn overload(from: &Knot, to: &Knot, limits: &[JointLimits]) -> f64 {
    let joints = limits.iter().enumerate().map(|(i, limit)| {
        let [velocity, acceleration, jerk] = Quintic::between(from, to, i).peaks();
        (velocity / limit.velocity)
            .max((acceleration / limit.acceleration).sqrt())
            .max((jerk / limit.jerk).cbrt())
    });
    joints.fold(0.0, f64::max)
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

    /// The largest magnitudes of velocity, acceleration and jerk.
    fn peaks(&self) -> [f64; 3] {
        let [_, _, c, d, e] = self.velocity;
        let most = |of: &dyn Fn(f64) -> f64, inner: &[f64]| {
            let ends = of(0.0).abs().max(of(1.0).abs());
            inner.iter().map(|u| of(*u).abs()).fold(ends, f64::max)
        };
        let vertex = within(-d / (4.0 * e));
        let jerk = most(&|u| self.jerk(u), &[vertex]) / self.secs.powi(3);
        let [one, other] = roots(12.0 * e, 6.0 * d, 2.0 * c).map(within);
        let turns = [0.0, one.min(other), one.max(other), 1.0];
        let acceleration = most(&|u| self.acceleration(u), &turns[1..3]) / self.secs.powi(2);
        let stops = [0, 1, 2].map(|i| self.stop_between(turns[i], turns[i + 1]));
        let velocity = most(&|u| self.velocity(u), &stops) / self.secs;
        [velocity, acceleration, jerk]
    }

    /// Where the acceleration changes its sign, the lower end if it does not; it is
    /// monotonous between.
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

/// `u` if it is inside the piece, otherwise (or if it is no number) the piece's start.
fn within(u: f64) -> f64 {
    if u > 0.0 && u < 1.0 { u } else { 0.0 }
}

/// Real roots of a x^2 + b x + c, by the form that does not cancel.
fn roots(a: f64, b: f64, c: f64) -> [f64; 2] {
    let q = -0.5 * (b + b.signum() * (b * b - 4.0 * a * c).sqrt());
    [q / a, c / q]
}
