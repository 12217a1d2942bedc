//! Motions of an arm driven by torques.

use rapier3d_f64::prelude::MultibodyJointSet;
use regrasp_api::{MotionEnd, MotionReport, Pose, ToolServo, Watch};

use crate::error::Diverged;
use crate::monitors::Monitors;
use crate::simulation::Simulation;
use crate::tool_servo::Pull;

impl Simulation {
    /// See [`regrasp_api::TorqueControl::servo_tool`].
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
        // The joints' friction is part of the torques.
        let own = self.set_drives(&servo.armature_kg_m2, &vec![0.0; servo.damping.len()]);
        let end = self.pull_on(duration_secs, watch);
        self.set_drives(&own.0, &own.1);
        self.pull = None;
        let (arm, joints) = (&mut self.state.arm, &self.joints);
        arm.position.clone_from(&joints.arm_q);
        arm.velocity.fill(0.0);
        Ok(MotionReport {
            end: end?,
            duration_secs: (self.state.step - first_step) as f64 * self.options.dt_secs,
            peak_tracking_error: 0.0,
            after: self.reading().observe(),
        })
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
