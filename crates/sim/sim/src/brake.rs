//! Stopping in the middle of a motion.
//!
//! There are two ways to stop. If only the held object is at risk, the arm slows down along its
//! path, which was planned to be free, within the acceleration limits of its joints. That takes up
//! to 0.3 s. If the arm touches something, a joint is blocked, or a stop is requested, the arm
//! stops within 50 ms at whatever acceleration the motors allow.

use regrasp_api::{Monitor, Trajectory};

use crate::error::Diverged;

use crate::simulation::Simulation;

/// Longest braking time of a hard stop, s: with the settling time of the servos, the arm stands
/// well within 50 ms.
const HARD_SECS: f64 = 0.03;
/// Settling time of the servos after braking, s.
const BRAKE_REST_SECS: f64 = 0.014;
/// Speed below which a joint counts as standing, rad/s or m/s.
const STILL: f64 = 1e-9;

impl Simulation {
    pub(crate) fn brake_for(
        &mut self,
        monitor: &Monitor,
        trajectory: &Trajectory,
        at_secs: f64,
    ) -> Result<(), Diverged> {
        match monitor {
            Monitor::GripLost { .. }
            | Monitor::PadsEmpty { .. }
            | Monitor::HeldSlips { .. }
            | Monitor::HeldTurns { .. } => self.brake_on_path(trajectory, at_secs),
            Monitor::UnexpectedContact { .. }
            | Monitor::PressesTooHard { .. }
            | Monitor::ExternalTorque { .. }
            | Monitor::TrackingError { .. }
            | Monitor::SpeedError { .. }
            | Monitor::FingerBlocked { .. } => self.brake_hard(),
        }
    }

    /// Ramps the commanded velocity down to zero, then holds the arm's position. Torques stay
    /// within the efforts of the servos and positions within the joints' limits; the gripper keeps
    /// its command.
    pub(crate) fn brake_hard(&mut self) -> Result<(), Diverged> {
        let dt = self.options.dt_secs;
        let start_velocity = self.state.arm.velocity.clone();
        // A slow arm stops in less than `HARD_SECS` even within its acceleration limits.
        let speeds = start_velocity.iter().map(|v| v.abs());
        let limits = &self.layout.robot.max_acceleration;
        let gentle_secs = speeds.zip(limits).map(|(v, a)| v / a).fold(0.0, f64::max);
        let n_steps = self.options.steps(gentle_secs.min(HARD_SECS)).max(1);
        // Braking starts from the measured position: a lagging servo must not catch up during the
        // stop.
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
        self.stand()
    }

    /// Slows the trajectory's time down to zero.
    fn brake_on_path(&mut self, trajectory: &Trajectory, mut at_secs: f64) -> Result<(), Diverged> {
        let dt = self.options.dt_secs;
        let mut rate = 1.0;
        while rate > 0.0 && at_secs < trajectory.duration_secs() {
            rate += self.slowing(trajectory, at_secs, rate) * dt;
            at_secs += rate * dt;
            let arm = &mut self.state.arm;
            trajectory.sample(at_secs, &mut arm.position, &mut arm.velocity);
            arm.velocity.iter_mut().for_each(|v| *v *= rate);
            self.step()?;
        }
        self.stand()
    }

    /// Fastest change of the trajectory's rate that keeps every joint within its acceleration
    /// limit, 1/s; at most the change that stops it in this step, and never above zero.
    ///
    /// With the trajectory's velocity v and acceleration a at this point, and its rate r, a joint
    /// accelerates with v r' + a r^2.
    fn slowing(&self, trajectory: &Trajectory, at_secs: f64, rate: f64) -> f64 {
        let dt = self.options.dt_secs;
        let velocity_at = |secs: f64| {
            let n = trajectory.n_joints();
            let (mut position, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            trajectory.sample(secs, &mut position, &mut velocity);
            velocity
        };
        let (now, next) = (velocity_at(at_secs), velocity_at(at_secs + dt));
        let limits = &self.layout.robot.max_acceleration;
        let least = |((v, after), limit): ((&f64, &f64), &f64)| {
            let along = (after - v) / dt * rate * rate;
            (v.abs() > STILL).then(|| (-limit * v.signum() - along) / v)
        };
        let joints = now.iter().zip(&next).zip(limits);
        let stop_now = -rate / dt;
        joints.filter_map(least).fold(stop_now, f64::max).min(0.0)
    }

    /// Holds the present joint positions and lets the servos settle.
    fn stand(&mut self) -> Result<(), Diverged> {
        self.state.arm.position.clone_from(&self.joints.arm_q);
        self.state.arm.velocity.fill(0.0);
        self.run(self.options.steps(BRAKE_REST_SECS))
    }
}
