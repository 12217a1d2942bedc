//! Braking to rest from any commanded state, cycle by cycle.

use crate::{ArmLimits, Joints, N_JOINTS};

/// Cycle of the arm, s.
pub(crate) const CYCLE_SECS: f64 = 1e-3;
const ACCELERATION_PART: f64 = 0.9;
const JERK_PART: f64 = 0.5;
/// Delay between a stop request and the first braking cycle, s: one cycle to notice it and one
/// until the arm gets the command.
const REACTION_SECS: f64 = 0.002;

/// State of the last command. Velocity and acceleration are differences of positions, as the arm
/// computes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commanded {
    pub(crate) position: Joints,
    pub(crate) velocity: Joints,
    pub(crate) acceleration: Joints,
}

impl Commanded {
    pub(crate) fn at_rest(position: Joints) -> Self {
        Self {
            position,
            velocity: [0.0; N_JOINTS],
            acceleration: [0.0; N_JOINTS],
        }
    }

    pub(crate) fn then(&self, position: Joints) -> Self {
        let velocity: Joints =
            std::array::from_fn(|i| (position[i] - self.position[i]) / CYCLE_SECS);
        Self {
            position,
            velocity,
            acceleration: std::array::from_fn(|i| (velocity[i] - self.velocity[i]) / CYCLE_SECS),
        }
    }

    /// State after `n_cycles` without a command: the arm goes on with constant acceleration.
    pub(crate) fn extrapolated(&self, n_cycles: u64) -> Self {
        let mut state = *self;
        for _ in 0..n_cycles {
            for i in 0..N_JOINTS {
                state.velocity[i] += state.acceleration[i] * CYCLE_SECS;
                state.position[i] += state.velocity[i] * CYCLE_SECS;
            }
        }
        state
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        self.velocity.iter().all(|v| v.abs() < 1e-7)
            && self.acceleration.iter().all(|a| a.abs() < 1e-4)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Brakes {
    acceleration: Joints,
    jerk: Joints,
}

impl Brakes {
    pub(crate) fn of(limits: &ArmLimits) -> Self {
        Self {
            acceleration: limits.acceleration.map(|a| ACCELERATION_PART * a),
            jerk: limits.jerk.map(|j| JERK_PART * j),
        }
    }

    /// Speed from which each joint comes to rest in `stop_within_secs`, rad/s. Braking from v takes
    /// v/a, and a/j to build the deceleration up and down.
    pub(crate) fn speed_for(&self, stop_within_secs: f64) -> Joints {
        std::array::from_fn(|i| {
            let (a, j) = (self.acceleration[i], self.jerk[i]);
            // Twice a/j, because a joint that is still accelerating has to end that first.
            let ramps_secs = 2.0 * a / j;
            (a * (stop_within_secs - ramps_secs - REACTION_SECS)).max(0.02)
        })
    }

    /// Next command on the way to rest. Each joint brakes on its own.
    ///
    /// Near rest the acceleration follows sqrt(j |v|), which uses half the allowed jerk j; the last
    /// cycles remove the remaining velocity exactly.
    pub(crate) fn next(&self, last: &Commanded) -> Joints {
        std::array::from_fn(|i| {
            let (v, a) = (last.velocity[i], last.acceleration[i]);
            let most = self.jerk[i] * CYCLE_SECS;
            let exact = -v / CYCLE_SECS;
            let wanted = if exact.abs() <= 0.5 * most {
                exact
            } else {
                let along_curve = (self.jerk[i] * v.abs()).sqrt();
                -v.signum() * self.acceleration[i].min(along_curve)
            };
            let a = a + (wanted - a).clamp(-most, most);
            last.position[i] + (v + a * CYCLE_SECS) * CYCLE_SECS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::tests::fr3;

    /// Brakes to rest within the arm's limits; returns the number of cycles.
    fn brake(limits: &ArmLimits, velocity: f64, acceleration: f64) -> u32 {
        let brakes = Brakes::of(limits);
        let mut last = Commanded {
            position: [0.3; N_JOINTS],
            velocity: [velocity; N_JOINTS],
            acceleration: [acceleration; N_JOINTS],
        };
        for cycle in 0..500 {
            if last.is_at_rest() {
                return cycle;
            }
            let next = last.then(brakes.next(&last));
            for i in 0..N_JOINTS {
                let a = next.acceleration[i];
                let most = limits.acceleration[i].max(acceleration.abs()) + 1e-6;
                assert!(a.abs() <= most, "acceleration {a} of joint {i}");
                let jerk = (a - last.acceleration[i]) / CYCLE_SECS;
                let is_allowed = jerk.abs() <= limits.jerk[i] + 1e-3;
                assert!(is_allowed, "jerk {jerk} of joint {i}");
            }
            last = next;
        }
        panic!("still moving at {:?}", last.velocity);
    }

    #[test]
    fn braking_breaks_no_limit_and_ends_at_rest() {
        for limits in [ArmLimits::panda(), fr3()] {
            for velocity in [-1.3, -0.4, -0.01, 0.0, 0.003, 0.2, 0.6, 2.0] {
                for acceleration in [-5.0, -0.5, 0.0, 0.7, 3.0, 7.0] {
                    brake(&limits, velocity, acceleration);
                }
            }
        }
    }

    #[test]
    fn from_the_fastest_allowed_speed_the_arm_stands_in_time() {
        for limits in [ArmLimits::panda(), fr3()] {
            let fastest = Brakes::of(&limits).speed_for(0.05);
            for speed in fastest {
                // Each joint is still accelerating, at 0.3 of a Panda's smallest limit.
                let slowest_joint = fastest.iter().copied().fold(f64::INFINITY, f64::min);
                let cycles = brake(&limits, speed.min(slowest_joint), 0.3 * 7.5);
                let kind = limits.kind;
                assert!(cycles <= 48, "{cycles} from {speed} rad/s of a {kind}");
            }
        }
    }
}
