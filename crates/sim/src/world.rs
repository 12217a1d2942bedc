//! The simulated world as everybody else sees it.

use std::sync::{Arc, Mutex};

use regrasp_api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Rewind, Snapshot,
    SnapshotError, Trajectory, Watch, World, WorldFault,
};
use regrasp_kinematics::RobotModel;
use regrasp_scene::{RobotFile, Scene};

use crate::build::build;
use crate::inner::Inner;
use crate::rest::Unrest;
use crate::tap::SimTap;
use crate::truth::{SimFaults, SimTruth, lock};
use crate::{SimError, SimOptions};

/// A robot in a scene, simulated.
///
/// The robot's side of it is [`World`]. The truth and the power to disturb are separate
/// capabilities, so that nothing that is handed a `World` can cheat.
pub struct SimWorld {
    inner: Arc<Mutex<Inner>>,
}

impl SimWorld {
    /// Builds the world with the arm at the scene's start configuration and the clock
    /// at zero, after everything that can move has come to rest; [`SimWorld::unrest`] says
    /// so if something has not.
    ///
    /// # Errors
    ///
    /// [`SimError`], naming the robot's or the scene's element at fault; or that the
    /// physics broke while settling.
    pub fn new(
        robot: &RobotModel,
        robot_file: &RobotFile,
        scene: &Scene,
        options: SimOptions,
    ) -> Result<Self, SimError> {
        let inner = build(robot, robot_file, scene, options)?;
        Ok(Self {
            inner: Arc::new(Mutex::new(inner)),
        })
    }

    /// The door to the truth, for ground-truth perception and judges.
    #[must_use]
    pub fn truth_source(&self) -> SimTruth {
        SimTruth(Arc::clone(&self.inner))
    }

    /// The power to make things go wrong.
    #[must_use]
    pub fn faults(&self) -> SimFaults {
        SimFaults {
            inner: Arc::clone(&self.inner),
            inbox: Arc::clone(&lock(&self.inner).inbox),
        }
    }

    /// The door for recordings and live views, who see the world while it runs.
    #[must_use]
    pub fn tap(&self) -> SimTap {
        SimTap(Arc::clone(&self.inner))
    }

    /// What had not come to rest when the clock started; `None` if everything had, or was
    /// given no time to.
    #[must_use]
    pub fn unrest(&self) -> Option<Unrest> {
        lock(&self.inner).unrest.clone()
    }

    /// Length of a step, s.
    #[must_use]
    pub fn dt_secs(&self) -> f64 {
        lock(&self.inner).options.dt_secs
    }
}

impl World for SimWorld {
    fn time_secs(&self) -> f64 {
        lock(&self.inner).time_secs()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            finger_contacts: true,
            shear: true,
            contact_forces: true,
            effort: true,
            external_torque: false,
            compliance: true,
            gripper_while_moving: true,
        }
    }

    fn observe(&mut self) -> Result<Observation, WorldFault> {
        Ok(lock(&self.inner).observe())
    }

    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm.
    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, WorldFault> {
        Ok(lock(&self.inner).follow(trajectory, watch)?)
    }

    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, WorldFault> {
        Ok(lock(&self.inner).command_gripper(command, watch)?)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), WorldFault> {
        lock(&self.inner).start_gripper(command);
        Ok(())
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation, WorldFault> {
        let mut inner = lock(&self.inner);
        let n_steps = inner.options.steps(duration_secs);
        inner.run(n_steps)?;
        Ok(inner.observe())
    }

    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }
}

impl Rewind for SimWorld {
    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        lock(&self.inner).snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        lock(&self.inner).restore(snapshot)
    }

    fn state_digest(&self) -> u64 {
        lock(&self.inner).state_digest()
    }
}

impl Inner {
    pub(crate) fn observe(&self) -> Observation {
        let n_joints = self.layout.robot.arm.len();
        Observation {
            time_secs: self.time_secs(),
            world_from_base: self.layout.robot.world_from_base,
            joint_positions: self.joints.arm_q.clone(),
            joint_velocities: self.joints.arm_v.clone(),
            joint_efforts: (0..n_joints).map(|i| self.arm_effort(i)).collect(),
            gripper: self.gripper_state(),
            contacts: self.contact_forces(),
        }
    }
}
