//! Execution of gripper commands.

use regrasp_api::{GripperCommand, GripperEnd, GripperReport, Watch};

use crate::actuate::finger_speed;
use crate::error::Diverged;
use crate::layout::RobotLayout;
use crate::monitors::Monitors;
use crate::simulation::Simulation;
use crate::state::GripState;
use crate::tactile::Shear;

/// Speed below which fingers count as standing, m/s.
const STILL_M_PER_S: f64 = 1e-3;
/// Time for which the fingers must stand still before the command ends, s.
const STILL_SECS: f64 = 0.01;
/// Distance to the commanded width or the stop within which it counts as reached, m.
const REACHED_M: f64 = 5e-4;
/// Allowance beyond the time for the travel and the build-up of force, s.
const SPARE_SECS: f64 = 1.0;

impl Simulation {
    /// Implements [`regrasp_api::World::command_gripper`].
    pub(crate) fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, Diverged> {
        let end = self.grip_to_end(command, watch)?;
        Ok(GripperReport {
            end,
            after: self.reading().observe(),
        })
    }

    fn grip_to_end(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperEnd, Diverged> {
        if self.layout.robot.fingers.is_empty() {
            return Ok(GripperEnd::Reached);
        }
        self.start_gripper(command);
        let mut monitors = Monitors::new(&watch.monitors, &self.reading());
        let limit_secs = time_limit(&self.layout.robot, &command);
        let still_steps = self.options.steps(STILL_SECS);
        let mut still = 0;
        for k in 1..=self.options.steps(limit_secs) {
            if watch.cancel.is_cancelled() {
                self.stop_fingers();
                return Ok(GripperEnd::Cancelled);
            }
            self.step()?;
            if let Some(stop) = monitors.check(&self.reading(), k as f64 * self.options.dt_secs) {
                self.stop_fingers();
                return Ok(GripperEnd::Stopped(stop));
            }
            let moving = self.joints.finger_v.iter().any(|v| v.abs() > STILL_M_PER_S);
            still = if moving || !self.state.grip.arrived {
                0
            } else {
                still + 1
            };
            if still >= still_steps {
                return Ok(self.finger_end());
            }
        }
        Ok(GripperEnd::TimedOut)
    }

    /// Implements [`regrasp_api::World::start_gripper`].
    pub(crate) fn start_gripper(&mut self, command: GripperCommand) {
        if self.layout.robot.fingers.is_empty() {
            return;
        }
        self.state.grip = GripState {
            command,
            setpoint: self.joints.mean_travel(&self.layout.robot),
            speed: 0.0,
            arrived: false,
            shear: Shear::default(),
        };
        let step = self.state.step;
        self.state.faults.start_clocks(step, &command, false);
    }

    fn finger_end(&mut self) -> GripperEnd {
        let robot = &self.layout.robot;
        let width = robot.width(&self.joints.finger_q);
        let (lowest, highest) = (robot.gripper.min_width_m, robot.gripper.max_width_m);
        let command = self.state.grip.command;
        let reached = match command {
            GripperCommand::MoveTo { width_m, .. } => {
                (width - width_m.clamp(lowest, highest)).abs() < REACHED_M
            }
            GripperCommand::Grasp { .. } => width < lowest + REACHED_M,
        };
        if reached {
            return GripperEnd::Reached;
        }
        let step = self.state.step;
        self.state.faults.start_clocks(step, &command, true);
        GripperEnd::Stalled
    }

    /// Stops the fingers. A hand that grasps something keeps pressing; any other stays where it is.
    fn stop_fingers(&mut self) {
        let grasps = matches!(self.state.grip.command, GripperCommand::Grasp { .. });
        if grasps && self.reading().contacts().of_fingers() != [false; 2] {
            return;
        }
        self.state.grip.command = GripperCommand::MoveTo {
            width_m: self.layout.robot.width(&self.joints.finger_q),
            speed_m_per_s: self.layout.robot.gripper.default_speed_m_per_s,
        };
        self.state.grip.setpoint = self.joints.mean_travel(&self.layout.robot);
    }
}

/// Time limit: the whole travel, the build-up of force, and an allowance.
fn time_limit(robot: &RobotLayout, command: &GripperCommand) -> f64 {
    let (g, speed) = (&robot.gripper, finger_speed(robot, command));
    let travel_secs = 0.5 * (g.max_width_m - g.min_width_m) / speed;
    let force_secs = g.max_force_n / g.motor.kp / speed;
    travel_secs + force_secs.min(1.0) + SPARE_SECS
}
