//! The simulated world as everybody else sees it.

use std::sync::{Arc, Mutex};

use regrasp_api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Pose, Rewind,
    RobotError, Snapshot, SnapshotError, ToolServo, TorqueControl, Trajectory, Watch, World,
};
use regrasp_faults::{DisturbError, Disturbance, When};
use regrasp_ground_truth::{GroundTruth, GroundTruthSource};
use regrasp_kinematics::RobotModel;
use regrasp_scene::{RobotFile, Scene};

use crate::build::build;
use crate::disturbance_queue::DisturbanceQueue;
use crate::rest::Unrest;
use crate::sim_observer::SimObserver;
use crate::simulation::{Simulation, lock};
use crate::truth::world_truth;
use crate::{SimError, SimOptions};

/// A robot in a scene, simulated.
///
/// The robot's side of it is [`World`]. The truth and the power to disturb are separate
/// capabilities, so that nothing that is handed a `World` can cheat.
pub struct SimWorld {
    simulation: Arc<Mutex<Simulation>>,
    /// What had not come to rest when the clock started.
    unrest: Option<Unrest>,
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
        let (simulation, unrest) = build(robot, robot_file, scene, options)?;
        Ok(Self {
            simulation: Arc::new(Mutex::new(simulation)),
            unrest,
        })
    }

    /// The door to the truth, for ground-truth perception and judges.
    #[must_use]
    pub fn truth_source(&self) -> SimGroundTruth {
        SimGroundTruth(Arc::clone(&self.simulation))
    }

    /// The power to make things go wrong.
    #[must_use]
    pub fn faults(&self) -> SimFaults {
        SimFaults {
            simulation: Arc::clone(&self.simulation),
            queue: Arc::clone(&lock(&self.simulation).queue),
        }
    }

    /// The door for recordings and live views, who see the world while it runs.
    #[must_use]
    pub fn observer(&self) -> SimObserver {
        SimObserver::new(Arc::clone(&self.simulation))
    }

    /// What had not come to rest when the clock started; `None` if everything had, or was
    /// given no time to.
    #[must_use]
    pub fn unrest(&self) -> Option<Unrest> {
        self.unrest.clone()
    }

    /// Length of a step, s.
    #[must_use]
    pub fn dt_secs(&self) -> f64 {
        lock(&self.simulation).options.dt_secs
    }
}

impl World for SimWorld {
    fn time_secs(&self) -> f64 {
        lock(&self.simulation).reading().time_secs()
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

    fn observe(&mut self) -> Result<Observation, RobotError> {
        Ok(lock(&self.simulation).reading().observe())
    }

    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm.
    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError> {
        Ok(lock(&self.simulation).follow(trajectory, watch)?)
    }

    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, RobotError> {
        Ok(lock(&self.simulation).command_gripper(command, watch)?)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError> {
        lock(&self.simulation).start_gripper(command);
        Ok(())
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError> {
        let mut simulation = lock(&self.simulation);
        let n_steps = simulation.options.steps(duration_secs);
        simulation.run(n_steps)?;
        Ok(simulation.reading().observe())
    }

    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }

    fn torque_control(&mut self) -> Option<&mut dyn TorqueControl> {
        Some(self)
    }
}

impl TorqueControl for SimWorld {
    fn servo_tool(
        &mut self,
        servo: &ToolServo,
        world_to_point: &Pose,
        duration_secs: f64,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError> {
        let mut simulation = lock(&self.simulation);
        Ok(simulation.servo_tool(servo, world_to_point, duration_secs, watch)?)
    }
}

impl Rewind for SimWorld {
    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        lock(&self.simulation).snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        lock(&self.simulation).restore(snapshot)
    }

    fn state_digest(&self) -> u64 {
        lock(&self.simulation).state_digest()
    }
}

/// The capability to read the world's truth. Only ground-truth perception and the
/// judge of a benchmark should be handed one.
#[derive(Clone)]
pub struct SimGroundTruth(Arc<Mutex<Simulation>>);

/// The capability to make things go wrong.
#[derive(Clone)]
pub struct SimFaults {
    simulation: Arc<Mutex<Simulation>>,
    queue: Arc<DisturbanceQueue>,
}

impl GroundTruthSource for SimGroundTruth {
    fn truth(&self) -> GroundTruth {
        world_truth(&lock(&self.0).reading())
    }
}

impl SimFaults {
    /// Lets something go wrong, now or later. What is scheduled is part of the world's
    /// state: a snapshot keeps it, restoring an earlier one forgets it.
    ///
    /// # Errors
    ///
    /// [`DisturbError`] if the object or joint is unknown or cannot be disturbed so.
    pub fn disturb(&self, when: When, disturbance: Disturbance) -> Result<(), DisturbError> {
        lock(&self.simulation).schedule(when, disturbance)
    }

    /// As [`SimFaults::disturb`], also while the world moves, and without waiting: it is
    /// scheduled before the world's next step. What cannot happen in this world does not.
    pub fn post(&self, when: When, disturbance: Disturbance) {
        self.queue.post(when, disturbance);
    }
}
