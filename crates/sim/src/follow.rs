//! Following a trajectory under monitors, and coming to rest.

use regrasp_api::{Diverged, MotionEnd, MotionReport, Trajectory, Watch};

use crate::inner::Inner;
use crate::monitors::Monitors;

/// The servos are given this long to come to rest after the trajectory's end, s.
const REST_MAX_SECS: f64 = 0.15;
/// Slower than this for [`REST_STEPS`] is at rest, rad/s or m/s.
const REST_SPEED: f64 = 1e-3;
const REST_STEPS: u32 = 5;
/// A stopped arm brakes this long, s: with what the servos need afterwards, it stands
/// well within 50 ms.
const BRAKE_SECS: f64 = 0.03;
/// After braking the servos are given this long, s.
const BRAKE_REST_SECS: f64 = 0.014;

impl Inner {
    /// See [`regrasp_api::World::follow`].
    ///
    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm: a bug of the caller.
    pub(crate) fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> MotionReport {
        assert_eq!(
            trajectory.n_joints(),
            self.layout.robot.arm.len(),
            "the trajectory is for another arm"
        );
        let first_step = self.state.step;
        let mut peak_error = 0.0_f64;
        let end = self
            .follow_to_end(trajectory, watch, &mut peak_error)
            .unwrap_or_else(MotionEnd::Diverged);
        MotionReport {
            end,
            duration_secs: (self.state.step - first_step) as f64 * self.options.dt_secs,
            peak_tracking_error: peak_error,
            after: self.observe(),
        }
    }

    fn follow_to_end(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
        peak_error: &mut f64,
    ) -> Result<MotionEnd, Diverged> {
        let dt = self.options.dt_secs;
        let n_steps = self.options.steps(trajectory.duration_secs());
        let n_rest = self.options.steps(REST_MAX_SECS);
        let mut monitors = Monitors::new(&watch.monitors, self);
        let mut still = 0;
        for k in 1..=n_steps + n_rest {
            let at_secs = k as f64 * dt;
            if watch.cancel.is_cancelled() {
                self.brake()?;
                let at_secs = at_secs - dt;
                return Ok(MotionEnd::Cancelled { at_secs });
            }
            if k <= n_steps {
                let arm = &mut self.state.arm;
                trajectory.sample(at_secs, &mut arm.position, &mut arm.velocity);
            } else {
                self.state.arm.velocity.fill(0.0);
            }
            self.step()?;
            *peak_error = peak_error.max(self.tracking_error());
            if let Some(stop) = monitors.check(self, at_secs) {
                self.brake()?;
                return Ok(MotionEnd::Stopped(stop));
            }
            if k >= n_steps {
                still = if self.arm_speed() < REST_SPEED {
                    still + 1
                } else {
                    0
                };
                if still >= REST_STEPS {
                    break;
                }
            }
        }
        self.state.arm.velocity.fill(0.0);
        Ok(MotionEnd::Completed)
    }

    /// Runs the commanded velocity down to zero, then holds where the arm is. Torques
    /// stay within what the servos can give and positions within the joints' limits; the
    /// gripper keeps its command.
    fn brake(&mut self) -> Result<(), Diverged> {
        let dt = self.options.dt_secs;
        let n_steps = self.options.steps(BRAKE_SECS).max(1);
        let start_velocity = self.state.arm.velocity.clone();
        // A servo that lags must not catch up while it stops.
        self.state.arm.position.clone_from(&self.joints.arm_q);
        for k in 1..=n_steps {
            let left = 1.0 - k as f64 / n_steps as f64;
            let arm = &mut self.state.arm;
            for (i, v0) in start_velocity.iter().enumerate() {
                let before = arm.velocity[i];
                arm.velocity[i] = left * v0;
                let joint = &self.layout.robot.arm[i];
                let next = arm.position[i] + 0.5 * (before + arm.velocity[i]) * dt;
                arm.position[i] = next.max(joint.lower).min(joint.upper);
            }
            self.step()?;
        }
        self.hold_here();
        self.run(self.options.steps(BRAKE_REST_SECS))?;
        Ok(())
    }

    /// Makes the present joint positions the ones to hold.
    fn hold_here(&mut self) {
        self.state.arm.position.clone_from(&self.joints.arm_q);
        self.state.arm.velocity.fill(0.0);
    }
}
