//! State of a world, and its step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rapier3d_f64::prelude::{PhysicsWorld, RigidBody, RigidBodyHandle};
use regrasp_api::{Compliance, GripperCommand};
use regrasp_faults::{DisturbError, Disturbance, When};
use regrasp_geometry_parry::from_parry;
use regrasp_scene::Scene;

use crate::SimOptions;
use crate::actuate::{advance_gripper, advance_slow_joints, write_motors, write_torques};
use crate::apply_disturbance::Disturbed;
use crate::bearing_points::SteadyPoints;
use crate::compliance::Softness;
use crate::error::Diverged;
use crate::fault_state::DisturbanceQueue;
use crate::layout::Layout;
use crate::observers::Observers;
use crate::presses;
use crate::reading::Reading;
use crate::schedule_disturbance::waiting;
use crate::soft_contact::resist_turning;
use crate::state::{JointState, State};
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

/// Locks a world. After a panic in another thread, the next caller gets the world as the panic left
/// it.
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
        // Invalid disturbances are ignored: `post` has already returned, so nobody could receive
        // the error.
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
        let (robot, joints, state) = (&self.layout.robot, &self.joints, &self.state);
        write_motors(&mut self.physics, robot, state, joints, &softness, dt_secs);
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

    /// Returns the body that diverged, and its state.
    fn divergence(&self) -> Option<String> {
        let (physics, layout) = (&self.physics, &self.layout);
        // rapier disables a body whose state is not finite and reports it for one step.
        if let Some(body) = physics.quarantine().bodies().first() {
            let name = body_name(layout, *body);
            return Some(format!("the state of {name} is not finite"));
        }
        if !physics.quarantine().is_empty() {
            return Some("a collision shape is not finite".to_owned());
        }
        let objects = layout.objects.iter().map(|object| object.body);
        let mut bodies = layout.robot.moving.iter().copied().chain(objects);
        bodies.find_map(|handle| {
            let what = runaway(physics.bodies.get(handle)?, &self.options)?;
            Some(format!("{} {what}", body_name(layout, handle)))
        })
    }

    fn check_divergence(&mut self) -> Result<(), Diverged> {
        let Some(detail) = self.divergence() else {
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

fn runaway(body: &RigidBody, options: &SimOptions) -> Option<String> {
    let speed = body.linvel().length_squared();
    let spin = body.angvel().length_squared();
    let (max_speed, max_spin) = (options.runaway_m_per_s, options.runaway_rad_per_s);
    if speed.is_nan() || speed > max_speed * max_speed {
        let speed = speed.sqrt();
        return Some(format!("moves at {speed:.0} m/s (limit {max_speed:.0})"));
    }
    if spin.is_nan() || spin > max_spin * max_spin {
        let spin = spin.sqrt();
        return Some(format!("spins at {spin:.0} rad/s (limit {max_spin:.0})"));
    }
    None
}

fn body_name(layout: &Layout, handle: RigidBodyHandle) -> String {
    let robot = &layout.robot;
    if let Some(i) = robot.moving.iter().position(|body| *body == handle) {
        return format!("link `{}`", robot.moving_names[i]);
    }
    match layout.objects.iter().find(|o| o.body == handle) {
        Some(object) => format!("object `{}`", object.scene.id),
        None => "the robot's base".to_owned(),
    }
}

/// Distance of the floor below the base and all objects of the scene, m: deeper than an arm with a
/// reach of a metre gets beside the table that it stands on.
///
/// A scene does not define the room's floor. Without a floor, a bead that rolls off the table falls
/// for ever: after five seconds it is fast enough to count as diverged physics, and an otherwise
/// successful episode fails. The floor is a depth, not a shape: an object whose origin is below it
/// stays in place and is no longer simulated.
const BELOW_M: f64 = 2.0;

/// Height of the floor in World, m.
pub(crate) fn floor_z(scene: &Scene) -> f64 {
    let objects = scene.objects.iter();
    let bottoms = objects.map(|o| o.shape.aabb(&o.world_from_object).min[2]);
    let base = scene.world_from_base.translation.z;
    bottoms.fold(base, f64::min) - BELOW_M
}

/// Stops all objects that have fallen to the floor. Objects on joints cannot fall, and an object
/// that carries another one by a joint is left alone.
pub(crate) fn rest_fallen(physics: &mut PhysicsWorld, layout: &Layout) {
    for object in &layout.objects {
        let joints = &physics.multibody_joints;
        let Some(body) = physics.bodies.get(object.body) else {
            continue;
        };
        let is_above = from_parry(body.position()).translation.z > layout.floor_z;
        let is_free = body.is_dynamic() && body.is_enabled();
        if is_above || !is_free || joints.rigid_body_link(object.body).is_some() {
            continue;
        }
        if let Some(body) = physics.bodies.get_mut(object.body) {
            body.set_linvel(Default::default(), false);
            body.set_angvel(Default::default(), false);
            body.set_enabled(false);
        }
    }
}
