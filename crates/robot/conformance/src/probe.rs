//! A wrapper of a world that counts actions and requests a stop at a given one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use regrasp_api::{
    CancelToken, Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Rewind,
    RobotError, Trajectory, Watch, World,
};
use regrasp_robot::Robot;

type Result<T, E = RobotError> = std::result::Result<T, E>;

/// Simulated time after which a call is stopped from outside, s.
const MAX_CALL_SECS: f64 = 300.0;

#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// Number of actions that use the arm, the gripper or the clock.
    pub(crate) n_actions: usize,
    /// Number of actions that move the arm or the gripper.
    pub(crate) n_motions: usize,
    /// Index of the action at whose start a stop is requested.
    stop_at: Option<usize>,
    stopped: Option<Stop>,
    /// True if the call exceeded the time limit and was stopped.
    pub(crate) is_endless: bool,
}

#[derive(Clone, Copy, Debug)]
struct Stop {
    sim_secs: f64,
    wall: Instant,
}

pub(crate) struct AfterStop {
    pub(crate) sim_secs: f64,
    pub(crate) wall: Duration,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Activity>>);

impl Log {
    pub(crate) fn read(&self) -> MutexGuard<'_, Activity> {
        // A skill that panics during a call leaves only counters behind, which stay valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time from the stop to `now_secs`, or `None` if the call ended before the stop.
    pub(crate) fn after_stop(&self, now_secs: f64) -> Option<AfterStop> {
        let stop = self.read().stopped?;
        Some(AfterStop {
            sim_secs: now_secs - stop.sim_secs,
            wall: stop.wall.elapsed(),
        })
    }
}

struct Probe {
    world: Box<dyn World>,
    cancel: CancelToken,
    log: Log,
    began_secs: f64,
}

/// Puts a probe between a robot and its world. The probe stops the robot at the start of action
/// `stop_at`.
pub(crate) fn probed(robot: Robot, stop_at: Option<usize>) -> (Robot, Log) {
    let Robot {
        world,
        perception,
        motion,
        resolver,
        info,
        held,
        cancel,
        ..
    } = robot;
    let log = Log::default();
    log.read().stop_at = stop_at;
    let probe = Probe {
        began_secs: world.time_secs(),
        world,
        cancel: cancel.clone(),
        log: log.clone(),
    };
    let mut robot = Robot::new(Box::new(probe), perception, motion, info);
    robot.resolver = resolver;
    robot.held = held;
    robot.cancel = cancel;
    (robot, log)
}

impl Probe {
    fn act(&mut self, moves: bool) {
        let now_secs = self.world.time_secs();
        let mut seen = self.log.read();
        if seen.stop_at == Some(seen.n_actions) {
            self.cancel.cancel();
            seen.stopped = Some(Stop {
                sim_secs: now_secs,
                wall: Instant::now(),
            });
        }
        if now_secs - self.began_secs > MAX_CALL_SECS {
            self.cancel.cancel();
            seen.is_endless = true;
        }
        seen.n_actions += 1;
        seen.n_motions += usize::from(moves);
    }
}

impl World for Probe {
    delegate::delegate! {
        to self.world {
            fn time_secs(&self) -> f64;
            fn capabilities(&self) -> Capabilities;
            fn observe(&mut self) -> Result<Observation>;
            fn recover(&mut self) -> Result<()>;
            fn rewind(&mut self) -> Option<&mut dyn Rewind>;
        }
    }

    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        self.act(true);
        self.world.follow(trajectory, watch)
    }

    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> Result<GripperReport> {
        self.act(true);
        self.world.command_gripper(command, watch)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<()> {
        self.act(true);
        self.world.start_gripper(command)
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        self.act(false);
        self.world.wait(duration_secs)
    }
}
