//! Public interface of the simulated world.

use std::sync::{Arc, Mutex};

use regrasp_api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Pose, Rewind,
    RobotError, Snapshot, SnapshotError, ToolServo, TorqueControl, Trajectory, Watch, World,
};
use regrasp_faults::{DisturbError, Disturbance, When};
use regrasp_ground_truth::{FrameListener, GroundTruth, GroundTruthSource};
use regrasp_kinematics::RobotModel;
use regrasp_scene::{RobotFile, Scene};

use crate::build::build;
use crate::fault_state::DisturbanceQueue;
use crate::rest::Unrest;
use crate::simulation::{Simulation, lock};
use crate::truth::world_truth;
use crate::{SimError, SimOptions};

/// A simulated robot in a scene.
///
/// A robot controls the world through [`World`]. Ground truth and disturbances are separate
/// capabilities, so that code with only a `World` cannot cheat.
pub struct SimWorld {
    simulation: Arc<Mutex<Simulation>>,
    /// Objects that had not come to rest when the clock started.
    unrest: Option<Unrest>,
}

impl SimWorld {
    /// Builds the world with the arm at the scene's start configuration, lets it come to rest, and
    /// starts the clock at zero. [`SimWorld::unrest`] returns the objects that did not come to
    /// rest.
    ///
    /// # Errors
    ///
    /// [`SimError`] names the faulty element of the robot or the scene, or says that the physics
    /// diverged while settling.
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

    /// Access to the ground truth, for ground-truth perception and judges.
    #[must_use]
    pub fn truth_source(&self) -> SimGroundTruth {
        SimGroundTruth(Arc::clone(&self.simulation))
    }

    /// Access to fault injection.
    #[must_use]
    pub fn faults(&self) -> SimFaults {
        SimFaults {
            simulation: Arc::clone(&self.simulation),
            queue: Arc::clone(&lock(&self.simulation).queue),
        }
    }

    /// Access for recordings and live views.
    #[must_use]
    pub fn observer(&self) -> SimObserver {
        SimObserver(Arc::clone(&self.simulation))
    }

    /// Objects that had not come to rest when the clock started; `None` if all had, or if the
    /// settling time is zero.
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

/// Capability to read the ground truth, for ground-truth perception and the judge of a benchmark
/// only.
#[derive(Clone)]
pub struct SimGroundTruth(Arc<Mutex<Simulation>>);

/// Capability to inject faults.
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
    /// Schedules a disturbance, now or later. Scheduled disturbances are part of the world's state:
    /// a snapshot keeps them, and restoring an earlier one drops them.
    ///
    /// # Errors
    ///
    /// [`DisturbError`] if an object, joint or link is unknown or does not allow this
    /// disturbance, or if a number is out of range.
    pub fn disturb(&self, when: When, disturbance: Disturbance) -> Result<(), DisturbError> {
        lock(&self.simulation).schedule(when, disturbance)
    }

    /// Posts a disturbance without waiting, even while the world moves. It is scheduled before the
    /// world's next step, and ignored if it is impossible.
    pub fn post(&self, when: When, disturbance: Disturbance) {
        self.queue.post(when, disturbance);
    }
}

/// Capability to watch the world while it runs. Frames contain the ground truth, so it is for
/// recordings and live views, never for skills, planners or perceptions.
#[derive(Clone)]
pub struct SimObserver(Arc<Mutex<Simulation>>);

/// An invalid frame rate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("watch the world {rate_hz} times a second: the rate must be a number above 0")]
pub struct BadRate {
    /// Requested rate, 1/s.
    pub rate_hz: f64,
}

impl SimObserver {
    /// Adds a listener. It gets a frame at once, then in the steps nearest to whole multiples of
    /// its frame period (at most one per step), and after a snapshot is restored. Listeners do not
    /// affect the world.
    ///
    /// # Errors
    ///
    /// [`BadRate`] if the rate is not a positive number.
    pub fn listen(&self, listener: FrameListener) -> Result<(), BadRate> {
        let rate_hz = listener.rate_hz;
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(BadRate { rate_hz });
        }
        let mut simulation = lock(&self.0);
        simulation.observers.add(listener);
        simulation.show();
        Ok(())
    }
}
