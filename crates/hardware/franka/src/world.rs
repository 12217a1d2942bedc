//! The arm as a world: observations, motions, the gripper.

use std::time::{Duration, Instant};

use regrasp_api::{
    Capabilities, FiredMonitor, GripperCommand, GripperEnd, GripperReport, MonitorChecks,
    MonitorStop, MotionEnd, MotionReport, Observation, RobotError, RobotErrorKind, Trajectory,
    Watch, World,
};

use crate::arm::PATIENCE;
use crate::course::{Allowance, Course};
use crate::job::Outcome;
use crate::robot_errors;
use crate::wait::LOOK;
use crate::{Answer, ArmState, Brakes, End, FirstMotion, FrankaArm, Job, Order, fit, off, until};

type Result<T, E = RobotError> = std::result::Result<T, E>;

/// Timeout for the arm to come to rest after the last command.
const REST: Duration = Duration::from_millis(300);
/// Joint speed below which the arm is at rest, rad/s.
const REST_RAD_PER_S: f64 = 0.01;

impl World for FrankaArm {
    fn time_secs(&self) -> f64 {
        self.now_secs()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            finger_contacts: false,
            shear: false,
            // The arm estimates one wrench at the tool, not the contact forces of single links.
            contact_forces: false,
            effort: true,
            external_torque: true,
            compliance: false,
            gripper_while_moving: true,
        }
    }

    fn observe(&mut self) -> Result<Observation> {
        let state = self.soon()?;
        self.hand.check_connection(self.now_secs())?;
        Ok(self.observation(&state))
    }

    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        let state = self.ready()?;
        self.hand.check_connection(self.now_secs())?;
        if self.is_halted(watch) {
            return Ok(MotionReport {
                end: MotionEnd::Cancelled { at_secs: 0.0 },
                duration_secs: 0.0,
                peak_tracking_error: 0.0,
                after: self.observation(&state),
            });
        }
        let course = self.course(trajectory, &state)?;
        self.approve(&course)?;
        let job = self.job(course, trajectory.goes_on(), watch);
        let outcome = self.drive(job)?;
        let settled = self.settle()?;
        self.report_of(outcome, watch, &settled)
    }

    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> Result<GripperReport> {
        self.ready()?;
        if self.is_halted(watch) {
            return self.gripped(GripperEnd::Cancelled);
        }
        self.hand.start(command, self.now_secs())?;
        self.await_hand(watch)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<()> {
        self.ready()?;
        if self.stop.is_stopped() {
            return Ok(());
        }
        self.hand.start(command, self.now_secs())
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        let until_secs = self.now_secs() + duration_secs;
        loop {
            let state = self.ready()?;
            if self.now_secs() >= until_secs {
                return Ok(self.observation(&state));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn recover(&mut self) -> Result<()> {
        self.recover_now()
    }
}

impl FrankaArm {
    /// Homes the hand: it opens and closes its fingers to measure their travel. Needed once after
    /// power-on, with nothing between the fingers; takes some seconds.
    ///
    /// # Errors
    ///
    /// The errors of [`World::command_gripper`].
    pub fn home_hand(&mut self, watch: &Watch) -> Result<GripperReport, RobotError> {
        self.ready()?;
        if self.is_halted(watch) {
            return self.gripped(GripperEnd::Cancelled);
        }
        self.hand.start_homing(self.now_secs())?;
        self.await_hand(watch)
    }

    /// Waits until the fingers have stopped or the watch ends the command.
    fn await_hand(&mut self, watch: &Watch) -> Result<GripperReport> {
        let mut checks = MonitorChecks::of(&watch.monitors);
        let (began, began_ms) = (Instant::now(), self.last.time_ms());
        loop {
            if self.is_halted(watch) {
                self.hand.stop();
                return self.gripped(GripperEnd::Cancelled);
            }
            let state = self.fresh()?;
            if let Some(error) = self.diagnosis(&state).of_mode() {
                self.hand.stop();
                return Err(error);
            }
            self.hand.check_connection(self.now_secs())?;
            let at_ms = state.time_ms().saturating_sub(began_ms);
            let width_m = self.hand.state().width_m;
            if let Some(fired) = state.look(&mut checks, width_m, at_ms) {
                self.hand.stop();
                let stop = self.monitor_stop(&fired, watch, at_ms);
                return self.gripped(GripperEnd::Stopped(stop));
            }
            if self.hand.is_done() {
                let end = self.hand.end(self.now_secs())?;
                return self.gripped(end);
            }
            if began.elapsed().as_secs_f64() > self.hand.time_limit_secs() {
                self.hand.stop();
                return self.gripped(GripperEnd::TimedOut);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn is_halted(&self, watch: &Watch) -> bool {
        self.stop.is_stopped() || watch.cancel.is_cancelled()
    }

    fn gripped(&mut self, end: GripperEnd) -> Result<GripperReport> {
        let after = self.observe()?;
        Ok(GripperReport { end, after })
    }

    /// Checks a trajectory and converts it to commands for every cycle.
    ///
    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm: a bug of the caller.
    fn course(&self, trajectory: &Trajectory, state: &ArmState) -> Result<Course> {
        assert_eq!(
            trajectory.n_joints(),
            state.wire.q.len(),
            "the trajectory is for another arm"
        );
        let now_secs = self.now_secs();
        let safety = &self.options.safety;
        let begins = std::array::from_fn(|i| trajectory.knots()[0].position[i]);
        let (joint, mismatch) = ArmState::largest(&off(&begins, &state.wire.q));
        if mismatch > safety.start_tolerance_rad {
            let detail = format!(
                "joint {} is at {:.4} rad, and the motion begins at {:.4} rad: {mismatch:.4} rad \
                 apart (limit {} rad)",
                joint + 1,
                state.wire.q[joint],
                begins[joint],
                safety.start_tolerance_rad
            );
            let error = self.error(RobotErrorKind::StartMismatch, detail);
            let limit = Some(safety.start_tolerance_rad);
            return Err(error.measured("start_offset", mismatch, limit, "rad"));
        }
        let allowance = Allowance::new(&self.limits, safety);
        let course = Course::of(trajectory, &state.wire.q_d, &allowance)
            .map_err(|use_| fit::too_much(use_, &self.limits, now_secs))?;
        fit::check(&course, &self.chain, &self.limits, safety, now_secs)?;
        Ok(course)
    }

    fn approve(&mut self, course: &Course) -> Result<()> {
        if !self.report().thresholds_confirmed {
            let detail =
                "the arm has not confirmed the collision thresholds; recover the arm first";
            return Err(self.error(RobotErrorKind::Reflex, detail));
        }
        if self.approved || !self.options.safety.approve_first_motion {
            return Ok(());
        }
        let motion = FirstMotion {
            host: self.options.host.clone(),
            arm: self.limits.kind,
            from: course.commands[0],
            to: *course.last(),
            tool_in_base: fit::tool_box(&self.chain, course),
            duration_secs: course.duration_secs(),
            peak_speed_rad_per_s: course.peak_speed,
            rate: course.rate,
        };
        if !(self.approval)(&motion) {
            let detail = format!("nobody approved the first motion: {motion}");
            return Err(self.error(RobotErrorKind::NotApproved, detail));
        }
        self.approved = true;
        // The arm may have moved during the approval.
        let state = self.ready()?;
        let (joint, moved) = ArmState::largest(&off(&state.wire.q_d, &course.commands[0]));
        if moved > self.options.safety.start_tolerance_rad {
            let joint = joint + 1;
            let detail = format!("joint {joint} moved {moved:.5} rad during the approval");
            let error = self.error(RobotErrorKind::StartMismatch, detail);
            return Err(error.measured("start_offset", moved, None, "rad"));
        }
        Ok(())
    }

    fn job(&mut self, course: Course, ends_moving: bool, watch: &Watch) -> Box<Job> {
        let id = self.take_id();
        let safety = &self.options.safety;
        Box::new(Job {
            id,
            commands: course.commands,
            ends_moving,
            checks: MonitorChecks::of(&watch.monitors),
            cancel: watch.cancel.clone(),
            brakes: Brakes::of(&self.limits),
            stale: Duration::from_secs_f64(safety.stale_secs),
            lost_controller: Duration::from_secs_f64(safety.lost_controller_secs),
            start_tolerance: safety.start_tolerance_rad,
            outcome: Outcome::default(),
        })
    }

    /// Has the arm's thread execute the motion, and waits for its end.
    fn drive(&mut self, job: Box<Job>) -> Result<Outcome> {
        let id = job.id;
        let longest = Duration::from_secs_f64(2.0 * job.commands.len() as f64 * 1e-3) + PATIENCE;
        self.order(Order::Move(job))?;
        let began = Instant::now();
        loop {
            self.link.beat();
            match self.link.answers.take() {
                Some(Answer::Moved(job)) if job.id == id => {
                    self.stopped_within_ms = job.outcome.stopped_within_ms;
                    return Ok(job.outcome);
                }
                Some(_) => continue,
                None => {}
            }
            if let Err(error) = self.fresh() {
                self.link.abandon(id);
                return Err(error);
            }
            if began.elapsed() > longest {
                self.link.abandon(id);
                let detail = format!(
                    "the arm did not report the end of its motion within {:.1} s",
                    longest.as_secs_f64()
                );
                return Err(self.error(RobotErrorKind::LinkLost, detail));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn settle(&mut self) -> Result<ArmState> {
        let settled = until(REST, || match self.fresh() {
            Ok(state) => {
                (ArmState::largest(&state.wire.dq).1 < REST_RAD_PER_S).then_some(Ok(state))
            }
            // The outcome reports what ended the motion.
            Err(error) if error.kind == RobotErrorKind::LinkLost => Some(Ok(self.last)),
            Err(error) => Some(Err(error)),
        });
        settled.unwrap_or(Ok(self.last))
    }

    fn monitor_stop(&self, fired: &FiredMonitor, watch: &Watch, at_ms: u64) -> MonitorStop {
        fired.stop(watch, at_ms as f64 * 1e-3, self.chain.joint_names())
    }

    fn report_of(
        &self,
        outcome: Outcome,
        watch: &Watch,
        settled: &ArmState,
    ) -> Result<MotionReport> {
        let safety = &self.options.safety;
        let secs = |ms: u64| ms as f64 * 1e-3;
        let end = match outcome.end {
            None | Some(End::Completed) => MotionEnd::Completed,
            Some(End::Cancelled { at_ms }) => MotionEnd::Cancelled {
                at_secs: secs(at_ms),
            },
            Some(End::Fired { fired, at_ms }) => {
                MotionEnd::Stopped(self.monitor_stop(&fired, watch, at_ms))
            }
            Some(End::Aborted(abort)) => {
                let limits = (safety.stale_secs, safety.lost_controller_secs);
                return Err(robot_errors::of_abort(abort, limits, self.now_secs()));
            }
            Some(End::Failed(error)) => {
                return Err(self.diagnosis(settled).of_error(&error));
            }
        };
        Ok(MotionReport {
            end,
            duration_secs: secs(outcome.duration_ms),
            peak_tracking_error: outcome.peak_lag,
            after: self.observation(settled),
        })
    }
}
