//! State of a world, and its step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::{Compliance, GripperCommand};
use regrasp_faults::{DisturbError, Disturbance, When};

use crate::SimOptions;
use crate::actuate::{advance_gripper, advance_slow_joints, write_motors, write_torques};
use crate::apply_disturbance::Disturbed;
use crate::bearing_points::SteadyPoints;
use crate::compliance::Softness;
use crate::disturbance_queue::DisturbanceQueue;
use crate::divergence;
use crate::error::Diverged;
use crate::fallen::rest_fallen;
use crate::joints::JointState;
use crate::layout::Layout;
use crate::observers::Observers;
use crate::presses;
use crate::reading::Reading;
use crate::schedule_disturbance::waiting;
use crate::soft_contact::resist_turning;
use crate::state::State;
use crate::tool_servo::Pull;

pub(crate) struct Simulation {
    pub(crate) options: SimOptions,
    pub(crate) physics: PhysicsWorld,
    pub(crate) layout: Layout,
    pub(crate) state: State,
    pub(crate) joints: JointState,
    pub(crate) compliance: Option<Compliance>,
    /// Torque control of the current motion, in place of the servos.
    pub(crate) pull: Option<Pull>,
    /// Listeners; not part of the state.
    pub(crate) observers: Observers,
    /// Posted disturbances; not part of the state until they are scheduled.
    pub(crate) queue: Arc<DisturbanceQueue>,
}

/// Locks a world. A panic elsewhere must not make the world inaccessible: the next caller finds it
/// as it is.
pub(crate) fn lock(simulation: &Mutex<Simulation>) -> MutexGuard<'_, Simulation> {
    simulation.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    pub(crate) fn reading(&self) -> Reading<'_> {
        Reading {
            options: &self.options,
            physics: &self.physics,
            layout: &self.layout,
            state: &self.state,
            joints: &self.joints,
            compliance: self.compliance,
        }
    }

    /// Advances by one step with the present targets.
    ///
    /// # Errors
    ///
    /// [`Diverged`] if the physics diverged, now or before.
    pub(crate) fn step(&mut self) -> Result<(), Diverged> {
        if let Some(diverged) = &self.state.diverged {
            return Err(diverged.clone());
        }
        self.before_physics();
        self.physics.step_with_events(&SteadyPoints, &());
        self.state.step += 1;
        self.after_physics();
        self.check_divergence()?;
        if self.observers.wait_for(self.state.step) {
            self.show();
        }
        Ok(())
    }

    fn before_physics(&mut self) {
        // Invalid disturbances are ignored, since `post` has already returned.
        for (when, disturbance) in self.queue.take() {
            let _ = self.schedule(when, disturbance);
        }
        Disturbed {
            physics: &mut self.physics,
            state: &mut self.state,
            layout: &self.layout,
            joints: &self.joints,
            options: &self.options,
        }
        .apply_due();
        let (dt_secs, robot) = (self.options.dt_secs, &self.layout.robot);
        advance_gripper(&mut self.state, &self.joints, robot, dt_secs);
        advance_slow_joints(&mut self.state, dt_secs);
        let turning = &mut self.state.turning;
        resist_turning(&mut self.physics, &self.layout, turning, dt_secs);
        let softness = Softness::of(&self.reading());
        let (robot, joints) = (&self.layout.robot, &self.joints);
        write_motors(
            &mut self.physics,
            robot,
            &self.state,
            joints,
            &softness,
            dt_secs,
        );
        if let Some(pull) = &self.pull {
            write_torques(&mut self.physics, robot, &self.state, joints, &pull.torques);
        }
    }

    fn after_physics(&mut self) {
        rest_fallen(&mut self.physics, &self.layout);
        self.joints.read(&self.physics, &self.layout.robot);
        let mut shear = self.state.grip.shear;
        let mut log = std::mem::take(&mut self.state.contacts);
        let contacts = self.reading().contacts();
        if matches!(self.state.grip.command, GripperCommand::Grasp { .. }) {
            shear.feel(&contacts);
        }
        log.write(&contacts, self.state.step);
        self.state.grip.shear = shear;
        self.state.contacts = log;
        presses::count(&self.physics, &self.layout, &mut self.state.presses);
    }

    pub(crate) fn run(&mut self, n_steps: u64) -> Result<(), Diverged> {
        for _ in 0..n_steps {
            self.step()?;
        }
        Ok(())
    }

    pub(crate) fn schedule(
        &mut self,
        when: When,
        disturbance: Disturbance,
    ) -> Result<(), DisturbError> {
        let waiting = waiting(&self.reading(), when, disturbance)?;
        self.state.faults.waiting.push(waiting);
        Ok(())
    }

    pub(crate) fn show(&mut self) {
        let mut observers = std::mem::take(&mut self.observers);
        observers.show(&self.reading());
        self.observers = observers;
    }

    fn check_divergence(&mut self) -> Result<(), Diverged> {
        let Some(detail) = divergence::find(&self.reading()) else {
            return Ok(());
        };
        let diverged = Diverged {
            time_secs: self.reading().time_secs(),
            detail,
        };
        self.state.diverged = Some(diverged.clone());
        Err(diverged)
    }
}
