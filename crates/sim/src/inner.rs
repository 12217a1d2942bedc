//! The world behind the lock, and its step.

use std::sync::Arc;

use rapier3d_f64::prelude::{PhysicsWorld, RigidBody, RigidBodyHandle};
use regrasp_api::{Compliance, GripperCommand};

use crate::error::Diverged;

use crate::SimOptions;
use crate::bearing_points::SteadyPoints;
use crate::inbox::Inbox;
use crate::layout::{JointLayout, Layout};
use crate::rest::Unrest;
use crate::state::State;
use crate::tap::Taps;

/// Everything about one world.
pub(crate) struct Inner {
    pub(crate) options: SimOptions,
    pub(crate) physics: PhysicsWorld,
    pub(crate) layout: Layout,
    pub(crate) state: State,
    /// Read back after every step; follows from `physics`.
    pub(crate) joints: JointState,
    /// How the arm gives way in the motion that is being followed; nothing outlives it.
    pub(crate) compliance: Option<Compliance>,
    /// Who watches; no part of the state.
    pub(crate) taps: Taps,
    /// The step after which somebody wants to see the world; never without listeners.
    pub(crate) next_shown_step: u64,
    /// What others let go wrong while it moves; no part of the state until it is scheduled.
    pub(crate) inbox: Arc<Inbox>,
    /// What had not come to rest when the clock started; no part of the state.
    pub(crate) unrest: Option<Unrest>,
}

/// Measured joint positions and velocities.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointState {
    pub(crate) arm_q: Vec<f64>,
    pub(crate) arm_v: Vec<f64>,
    pub(crate) finger_q: [f64; 2],
    pub(crate) finger_v: [f64; 2],
}

impl Inner {
    pub(crate) fn time_secs(&self) -> f64 {
        self.state.step as f64 * self.options.dt_secs
    }

    /// One step with the present targets.
    ///
    /// # Errors
    ///
    /// [`Diverged`] if the physics broke, now or before.
    pub(crate) fn step(&mut self) -> Result<(), Diverged> {
        if let Some(diverged) = &self.state.diverged {
            return Err(diverged.clone());
        }
        self.take_posted();
        self.apply_due_disturbances();
        self.advance_gripper();
        self.advance_slow_joints();
        self.resist_turning();
        self.write_motors();
        self.physics.step_with_events(&SteadyPoints, &());
        self.state.step += 1;
        self.rest_fallen();
        self.read_joints();
        if matches!(self.state.grip.command, GripperCommand::Grasp { .. }) {
            self.feel_shear();
        }
        self.log_contacts();
        self.count_presses();
        self.check_divergence()?;
        if self.state.step >= self.next_shown_step {
            self.show_to_those_who_wait();
        }
        Ok(())
    }

    /// So many steps with the present targets.
    pub(crate) fn run(&mut self, n_steps: u64) -> Result<(), Diverged> {
        for _ in 0..n_steps {
            self.step()?;
        }
        Ok(())
    }

    pub(crate) fn read_joints(&mut self) {
        let robot = &self.layout.robot;
        let Some(multibody) = self.physics.multibody_joints.get_multibody(robot.multibody) else {
            return;
        };
        let speeds = multibody.generalized_velocity();
        let read = |joint: &JointLayout| {
            let q = multibody
                .link(joint.link_id)
                .map_or(f64::NAN, |link| link.joint.coords()[joint.axis]);
            (q, speeds.get(joint.dof).copied().unwrap_or(f64::NAN))
        };
        for (i, joint) in robot.arm.iter().enumerate() {
            (self.joints.arm_q[i], self.joints.arm_v[i]) = read(joint);
        }
        for (i, joint) in robot.fingers.iter().enumerate() {
            (self.joints.finger_q[i], self.joints.finger_v[i]) = read(joint);
        }
    }

    fn check_divergence(&mut self) -> Result<(), Diverged> {
        let Some(detail) = self.find_divergence() else {
            return Ok(());
        };
        let diverged = Diverged {
            time_secs: self.time_secs(),
            detail,
        };
        self.state.diverged = Some(diverged.clone());
        Err(diverged)
    }

    fn find_divergence(&self) -> Option<String> {
        // rapier disables a body whose state is not finite and says so for one step.
        if let Some(body) = self.physics.quarantine().bodies().first() {
            return Some(format!(
                "the state of {} is not finite",
                self.body_name(*body)
            ));
        }
        if !self.physics.quarantine().is_empty() {
            return Some("a collision shape is not finite".to_owned());
        }
        let objects = self.layout.objects.iter().map(|object| object.body);
        let mut bodies = self.layout.robot.moving.iter().copied().chain(objects);
        bodies.find_map(|handle| {
            let what = self.runaway(self.physics.bodies.get(handle)?)?;
            Some(format!("{} {what}", self.body_name(handle)))
        })
    }

    fn runaway(&self, body: &RigidBody) -> Option<String> {
        let (speed, spin) = (
            body.linvel().length_squared(),
            body.angvel().length_squared(),
        );
        let (max_speed, max_spin) = (self.options.runaway_m_per_s, self.options.runaway_rad_per_s);
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

    fn body_name(&self, handle: RigidBodyHandle) -> String {
        let robot = &self.layout.robot;
        if let Some(i) = robot.moving.iter().position(|body| *body == handle) {
            return format!("link `{}`", robot.moving_names[i]);
        }
        match self.layout.objects.iter().find(|o| o.body == handle) {
            Some(object) => format!("object `{}`", object.scene.id),
            None => "the robot's base".to_owned(),
        }
    }
}
