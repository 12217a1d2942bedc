//! Motions under monitors: following of a trajectory with settling at its end, and an arm driven by
//! torques.

use rapier3d_f64::prelude::MultibodyJointSet;
use regrasp_api::{MotionEnd, MotionReport, Pose, ToolServo, Trajectory, Watch};

use crate::error::Diverged;
use crate::monitors::Monitors;
use crate::simulation::Simulation;
use crate::tool_servo::Pull;

/// Longest time for the servos to come to rest after the trajectory's end, s.
const REST_MAX_SECS: f64 = 0.15;
/// Speed below which the arm counts as at rest after [`REST_STEPS`], rad/s or m/s.
const REST_SPEED: f64 = 1e-3;
const REST_STEPS: u32 = 5;

impl Simulation {
    /// Implements [`regrasp_api::World::follow`].
    ///
    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm.
    pub(crate) fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, Diverged> {
        assert_eq!(
            trajectory.n_joints(),
            self.layout.robot.arm.len(),
            "the trajectory is for another arm"
        );
        let first_step = self.state.step;
        let mut peak_error = 0.0_f64;
        self.compliance = trajectory.compliance();
        let end = self.follow_to_end(trajectory, watch, &mut peak_error);
        if self.compliance.take().is_some() {
            // Otherwise stiff servos would suddenly correct the deviation of the soft arm.
            self.state.arm.position.clone_from(&self.joints.arm_q);
        }
        Ok(self.report(end?, first_step, peak_error))
    }

    fn report(&self, end: MotionEnd, first_step: u64, peak_tracking_error: f64) -> MotionReport {
        MotionReport {
            end,
            duration_secs: (self.state.step - first_step) as f64 * self.options.dt_secs,
            peak_tracking_error,
            after: self.reading().observe(),
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
        let n_rest = match trajectory.goes_on() {
            true => 0,
            false => self.options.steps(REST_MAX_SECS),
        };
        let mut monitors = Monitors::new(&watch.monitors, &self.reading());
        let mut still = 0;
        for k in 1..=n_steps + n_rest {
            let at_secs = k as f64 * dt;
            if watch.cancel.is_cancelled() {
                self.brake_hard()?;
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
            *peak_error = peak_error.max(self.reading().worst_position().1);
            if let Some(stop) = monitors.check(&self.reading(), at_secs) {
                self.brake_for(&stop.monitor, trajectory, at_secs)?;
                return Ok(MotionEnd::Stopped(stop));
            }
            if k >= n_steps && !trajectory.goes_on() {
                still = if self.joints.arm_speed() < REST_SPEED {
                    still + 1
                } else {
                    0
                };
                if still >= REST_STEPS {
                    break;
                }
            }
        }
        if !trajectory.goes_on() {
            self.state.arm.velocity.fill(0.0);
        }
        Ok(MotionEnd::Completed)
    }

    /// Implements [`regrasp_api::TorqueControl::servo_tool`].
    pub(crate) fn servo_tool(
        &mut self,
        servo: &ToolServo,
        world_to_point: &Pose,
        duration_secs: f64,
        watch: &Watch,
    ) -> Result<MotionReport, Diverged> {
        let first_step = self.state.step;
        self.pull = Some(Pull {
            servo: servo.clone(),
            world_to_point: *world_to_point,
            torques: vec![],
        });
        // The torques already include the joints' friction, so the motion has no viscous friction.
        let own = self.set_drives(&servo.armature_kg_m2, &vec![0.0; servo.damping.len()]);
        let end = self.pull_on(duration_secs, watch);
        self.set_drives(&own.0, &own.1);
        self.pull = None;
        let (arm, joints) = (&mut self.state.arm, &self.joints);
        arm.position.clone_from(&joints.arm_q);
        arm.velocity.fill(0.0);
        Ok(self.report(end?, first_step, 0.0))
    }

    fn pull_on(&mut self, duration_secs: f64, watch: &Watch) -> Result<MotionEnd, Diverged> {
        let dt = self.options.dt_secs;
        let mut monitors = Monitors::new(&watch.monitors, &self.reading());
        for k in 1..=self.options.steps(duration_secs) {
            let at_secs = k as f64 * dt;
            if watch.cancel.is_cancelled() {
                let at_secs = at_secs - dt;
                return Ok(MotionEnd::Cancelled { at_secs });
            }
            let torques = self.pull.as_ref().map(|pull| pull.torques(&self.reading()));
            if let (Some(pull), Some(torques)) = (&mut self.pull, torques) {
                pull.torques = torques;
            }
            self.step()?;
            if let Some(stop) = monitors.check(&self.reading(), at_secs) {
                return Ok(MotionEnd::Stopped(stop));
            }
        }
        Ok(MotionEnd::Completed)
    }

    /// Sets inertia and viscous friction of the arm's joints, and returns the previous values.
    fn set_drives(&mut self, armature: &[f64], damping: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let robot = &self.layout.robot;
        let joints: &mut MultibodyJointSet = &mut self.physics.multibody_joints;
        let Some(multibody) = joints.get_multibody_mut(robot.multibody) else {
            return (vec![], vec![]);
        };
        let swap = |of_joints: &mut nalgebra::DVector<f64>, wanted: &[f64]| {
            let pairs = robot.arm.iter().zip(wanted);
            let swapped =
                pairs.map(|(joint, wanted)| std::mem::replace(&mut of_joints[joint.dof], *wanted));
            swapped.collect()
        };
        (
            swap(multibody.armature_mut(), armature),
            swap(multibody.damping_mut(), damping),
        )
    }
}
