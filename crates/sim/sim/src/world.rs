//! The simulated world as everybody else sees it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regrasp_api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Pose, Rewind,
    RobotError, Snapshot, SnapshotError, ToolServo, TorqueControl, Trajectory, Watch, World,
};
use regrasp_ground_truth::{FrameListener, TruthSource, WorldTruth};
use regrasp_kinematics::RobotModel;
use regrasp_scene::{RobotFile, Scene};

use crate::build::build;
use crate::faults::{DisturbError, Disturbance, When};
use crate::inbox::Inbox;
use crate::inner::Inner;
use crate::rest::Unrest;
use crate::truth::world_truth;
use crate::{SimError, SimOptions};

/// A robot in a scene, simulated.
///
/// The robot's side of it is [`World`]. The truth and the power to disturb are separate
/// capabilities, so that nothing that is handed a `World` can cheat.
pub struct SimWorld {
    inner: Arc<Mutex<Inner>>,
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
        let (inner, unrest) = build(robot, robot_file, scene, options)?;
        Ok(Self {
            inner: Arc::new(Mutex::new(inner)),
            unrest,
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
        self.unrest.clone()
    }

    /// Length of a step, s.
    #[must_use]
    pub fn dt_secs(&self) -> f64 {
        lock(&self.inner).options.dt_secs
    }
}

impl World for SimWorld {
    fn time_secs(&self) -> f64 {
        lock(&self.inner).reading().time_secs()
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
        Ok(lock(&self.inner).reading().observe())
    }

    /// # Panics
    ///
    /// If the trajectory has another number of joints than the arm.
    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError> {
        Ok(lock(&self.inner).follow(trajectory, watch)?)
    }

    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, RobotError> {
        Ok(lock(&self.inner).command_gripper(command, watch)?)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError> {
        lock(&self.inner).start_gripper(command);
        Ok(())
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError> {
        let mut inner = lock(&self.inner);
        let n_steps = inner.options.steps(duration_secs);
        inner.run(n_steps)?;
        Ok(inner.reading().observe())
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
        let mut inner = lock(&self.inner);
        Ok(inner.servo_tool(servo, world_to_point, duration_secs, watch)?)
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

/// The capability to read the world's truth. Only ground-truth perception and the
/// judge of a benchmark should be handed one.
#[derive(Clone)]
pub struct SimTruth(Arc<Mutex<Inner>>);

/// The capability to make things go wrong.
#[derive(Clone)]
pub struct SimFaults {
    inner: Arc<Mutex<Inner>>,
    inbox: Arc<Inbox>,
}

/// The capability to watch the world while it runs. What it shows is the truth, so it
/// belongs to recordings and live views, never to skills, planners or perceptions.
#[derive(Clone)]
pub struct SimTap(Arc<Mutex<Inner>>);

/// A rate at which nothing can be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("watch the world {rate_hz} times a second: the rate must be a number above 0")]
pub struct BadRate {
    /// What was asked for, 1/s.
    pub rate_hz: f64,
}

/// A panic elsewhere must not hide the world: whoever looks next finds it as it is.
fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TruthSource for SimTruth {
    fn truth(&self) -> WorldTruth {
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
        lock(&self.inner).schedule(when, disturbance)
    }

    /// As [`SimFaults::disturb`], also while the world moves, and without waiting: it is
    /// scheduled before the world's next step. What cannot happen in this world does not.
    pub fn post(&self, when: When, disturbance: Disturbance) {
        self.inbox.post(when, disturbance);
    }
}

impl SimTap {
    /// Shows the world to a listener: at once, then in the steps that lie nearest to whole
    /// multiples of one over its rate (but no more than once a step), and after a snapshot
    /// was restored. What happens in the world does not depend on it.
    ///
    /// # Errors
    ///
    /// [`BadRate`] if the rate is no positive number.
    pub fn listen(&self, listener: FrameListener) -> Result<(), BadRate> {
        let rate_hz = listener.rate_hz;
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(BadRate { rate_hz });
        }
        let mut inner = lock(&self.0);
        inner.taps.add(listener);
        inner.show();
        Ok(())
    }
}
