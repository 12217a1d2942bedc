//! Commands to the arm and the gripper, and the monitors under which they run.

use regrasp_api::{
    Compliance, Event, Failure, GripperCommand, GripperReport, Monitor, MotionGoal, MotionReport,
    Phase, PlanningScene, Pose, Reason, RobotError, ToolServo, Trajectory, Watch,
};

use crate::{Result, Robot};

/// Speed fraction with an empty hand. At the full limits, jerk would drive the arm into its effort
/// limits.
pub const FREE_SPEED: f64 = 0.9;
/// Stiffness of a pressing arm, as a fraction of the usual one: half the stiffness doubles the
/// deflection per newton.
const SOFT: f64 = 0.5;
/// Fraction of a force limit at which a monitor ends a pressing motion: at the limit itself the
/// servos yield, so no monitor would see it exceeded.
const FELT_PART: f64 = 0.8;
/// Speed fraction while an object is held, so that inertia does not pull it out of the hand.
pub const CARRY_SPEED: f64 = 0.6;

impl Robot {
    /// Plans and executes one motion under the usual monitors.
    ///
    /// # Errors
    ///
    /// If no motion is found, or the motion was ended early; the failure says why.
    pub fn go(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<MotionReport> {
        let trajectory = self.plan(goal, scene, speed_scale)?;
        self.follow(&trajectory)
    }

    fn plan(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<Trajectory> {
        let now = self.observe()?;
        let (start, width_m) = (&now.joint_positions, now.gripper.width_m);
        let planned = self.plan_from(&now, start, width_m, goal.clone(), scene, speed_scale);
        planned
            .map(|planned| planned.trajectory)
            .map_err(|failure| {
                self.emit_no_motion(&failure, &goal);
                failure.into()
            })
    }

    /// Plans and executes one motion that presses on something. It ends when the contact force at
    /// the fingers or the held object reaches 0.8 of `max_force_n`. An arm with compliance also
    /// yields rather than exceed that force.
    ///
    /// # Errors
    ///
    /// As [`Robot::go`]. An excessive force is `path_blocked`, with the measurement `contact_force`
    /// or, without contact sensors, `external_torque`.
    ///
    /// # Panics
    ///
    /// If the arm has compliance and the force is not positive.
    pub fn press(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
        max_force_n: f64,
    ) -> Result<MotionReport> {
        let trajectory = self.plan(goal, scene, speed_scale)?;
        self.follow_pressing(&trajectory, max_force_n)
    }

    /// Follows a planned motion as [`Robot::press`] does.
    ///
    /// # Errors
    ///
    /// As [`Robot::press`].
    ///
    /// # Panics
    ///
    /// As [`Robot::press`].
    pub fn follow_pressing(
        &mut self,
        trajectory: &Trajectory,
        max_force_n: f64,
    ) -> Result<MotionReport> {
        if !self.can().compliance {
            // A stiff arm does not yield; only the monitors limit its force.
            let watch = self.contact_watch(FELT_PART * max_force_n, 1.0)?;
            return self.follow_under(trajectory, &watch);
        }
        let soft = trajectory.clone().compliant(Compliance {
            stiffness: SOFT,
            max_force_n: Some(max_force_n),
        });
        let watch = self.contact_watch(FELT_PART * max_force_n, SOFT)?;
        self.follow_under(&soft, &watch)
    }

    /// Moves to a joint configuration, around all perceived objects.
    ///
    /// # Errors
    ///
    /// As [`Robot::go`].
    pub fn move_joints(&mut self, joints: &[f64]) -> Result<MotionReport> {
        let percept = self.perceive()?;
        let scene = self.planning_scene(&percept);
        let speed = self.usual_speed();
        self.go(MotionGoal::Joints(joints.to_vec()), &scene, speed)
    }

    /// Usual speed fraction for the current load of the hand, times [`Robot::pace`].
    pub fn usual_speed(&self) -> f64 {
        let usual = if self.held.is_some() {
            CARRY_SPEED
        } else {
            FREE_SPEED
        };
        self.pace * usual
    }

    /// Follows a planned motion under the usual monitors: grip (if an object is held), unexpected
    /// contact, tracking errors, cancellation.
    ///
    /// # Errors
    ///
    /// If the motion was ended early; the failure says why and when.
    pub fn follow(&mut self, trajectory: &Trajectory) -> Result<MotionReport> {
        let watch = self.usual_watch()?;
        self.follow_under(trajectory, &watch)
    }

    /// Executes a motion like [`Robot::go`], but ends it at a contact force of `max_force_n`, if
    /// that is less than the usual limit and contact forces are sensed.
    ///
    /// # Errors
    ///
    /// As [`Robot::go`].
    pub fn go_gently(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
        max_force_n: f64,
    ) -> Result<MotionReport> {
        let trajectory = self.plan(goal, scene, speed_scale)?;
        let mut watch = self.usual_watch()?;
        for monitor in &mut watch.monitors {
            if let Monitor::UnexpectedContact {
                max_force_n: limit, ..
            } = monitor
            {
                *limit = limit.min(max_force_n);
            }
        }
        self.follow_under(&trajectory, &watch)
    }

    fn follow_under(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        self.emit_motion(trajectory)?;
        let report = self.command(|robot| robot.world.follow(trajectory, watch))?;
        self.emit(Event::MotionFinished {
            end: report.end.clone(),
            duration_secs: report.duration_secs,
            peak_tracking_error: report.peak_tracking_error,
        });
        self.explain(report)
    }

    /// Follows one of the many short motions of a policy, which [goes on](Trajectory::going_on)
    /// into the next, under the monitors for motions with intended contact. Emits no event.
    ///
    /// # Errors
    ///
    /// As [`Robot::follow`].
    pub fn stream(&mut self, trajectory: &Trajectory) -> Result<MotionReport> {
        let watch = self.contact_watch(self.info.monitors.policy_press_n, 1.0)?;
        let report = self.command(|robot| robot.world.follow(trajectory, &watch))?;
        self.explain(report)
    }

    /// Drives the servo's point by torques towards a pose in World for a duration, s, for policies
    /// that need such control. Only cancellation ends this early, since a torque-driven arm yields.
    /// Emits no event.
    ///
    /// # Errors
    ///
    /// `unsupported` if the arm has no torque control; cancellation, or an error of the robot.
    pub fn servo_tool(
        &mut self,
        servo: &ToolServo,
        world_to_point: &Pose,
        duration_secs: f64,
    ) -> Result<MotionReport> {
        let watch = self.watch(vec![]);
        let servo_tool = |robot: &mut Self| {
            let arm = robot.world.torque_control();
            arm.map(|arm| arm.servo_tool(servo, world_to_point, duration_secs, &watch))
                .transpose()
        };
        let report = self.command(servo_tool)?.ok_or_else(|| {
            let text = format!("the arm `{}` has no torque control", self.info.name);
            Failure::new(Reason::Unsupported, text).in_phase(Phase::Execute)
        })?;
        self.explain(report)
    }

    /// Commands the gripper and waits until it has stopped, under the usual monitors: unexpected
    /// contact of the arm, tracking errors, and fingers that are blocked on their way to a width.
    ///
    /// # Errors
    ///
    /// If the motion was ended early or cancelled, or an error of the robot. Closing on nothing is
    /// not an error; see the report.
    pub fn grip(&mut self, command: GripperCommand) -> Result<GripperReport> {
        let watch = self.gripper_watch();
        let report = self.command(|robot| robot.world.command_gripper(command, &watch))?;
        self.emit(Event::GripperMoved {
            width_m: report.after.gripper.width_m,
            end: report.end.clone(),
        });
        self.explain_gripper(&report)?;
        Ok(report)
    }

    /// Moves the fingers to a distance, m, at their usual speed.
    ///
    /// # Errors
    ///
    /// As [`Robot::grip`].
    pub fn open_to(&mut self, width_m: f64) -> Result<GripperReport> {
        let speed_m_per_s = self.info.gripper.default_speed_m_per_s;
        self.grip(GripperCommand::move_to(width_m, speed_m_per_s))
    }

    /// Closes the fingers at their usual speed and presses with a force, N, limited to the largest
    /// one of the gripper.
    ///
    /// # Errors
    ///
    /// As [`Robot::grip`].
    pub fn close_with(&mut self, force_n: f64) -> Result<GripperReport> {
        let gripper = &self.info.gripper;
        let command = GripperCommand::Grasp {
            force_n: force_n.clamp(0.0, gripper.max_force_n),
            speed_m_per_s: gripper.default_speed_m_per_s,
        };
        self.grip(command)
    }

    /// Commands the gripper without waiting, if the world can do so, and without monitors; for
    /// policies.
    ///
    /// # Errors
    ///
    /// An error of the robot.
    pub fn start_grip(&mut self, command: GripperCommand) -> Result<()> {
        self.command(|robot| robot.world.start_gripper(command))
    }

    /// Gives a command that moves something. An error states the phase and the time since the
    /// command. Until an earlier error is cleared, no command is given.
    fn command<T>(&mut self, give: impl FnOnce(&mut Self) -> Result<T, RobotError>) -> Result<T> {
        if let Some(error) = self.error.clone() {
            return Err(error.into());
        }
        self.moved = true;
        self.last_look = None;
        let began_secs = self.time_secs();
        give(self).map_err(|error| {
            let failure = self.report_error(error);
            failure.at_moment(&self.phase_name, self.time_secs() - began_secs)
        })
    }
}
