//! The Franka Hand on two threads: one reads its state, one gives its commands, which block until
//! the fingers have stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franka::{FrankaError, Gripper};
use parking_lot::Mutex;
use regrasp_api::{GripperCommand, GripperEnd, GripperState, RobotError, RobotErrorKind};

use crate::robot_errors::plain;
use crate::wait::join;
use crate::{Link, until};

/// Timeout after which a silent hand is lost, s. It sends its state some 60 times a second.
const SILENT_SECS: f64 = 1.0;
/// Tolerance within which a commanded width is reached, m.
const REACHED_M: f64 = 1.5e-3;
/// Finger distance below which the hand is closed, m.
const CLOSED_M: f64 = 1e-3;
/// Tolerance of a grasp, m. It covers the whole travel, so anything that stops the fingers counts
/// as grasped: the caller checks whether it is the right object.
const ANY_WIDTH_M: f64 = 0.1;
/// Tolerance of the second attempt of a grasp, at the width where the fingers stopped, m.
const SAME_WIDTH_M: f64 = 0.01;
/// Time without a reported grip after which the grip is lost, s: some six states of the hand.
const LOOSE_SECS: f64 = 0.1;
/// Force assumed for a grip from before this program connected, N: the hand does not report it.
const UNKNOWN_FORCE_N: f64 = 1.0;
/// Maximum finger distance, m.
const TRAVEL_M: f64 = 0.08;
/// Timeout of homing, s.
const HOMING_SECS: f64 = 20.0;
/// Timeout for a hand to stop.
const HALT_PATIENCE: Duration = Duration::from_millis(1200);
/// Time allowed beyond the travel time, s.
const SPARE_SECS: f64 = 3.0;

pub(crate) struct Fingers {
    sensed: Mutex<Sensed>,
    quit: AtomicBool,
}

#[derive(Clone, Copy)]
struct Sensed {
    state: franka::GripperState,
    speed_m_per_s: f64,
    /// Force of the last grasp that the hand confirmed, N; 0 once the fingers are positioned.
    force_n: f64,
    received: Instant,
    gripped: Instant,
}

impl Fingers {
    fn new(first: franka::GripperState) -> Self {
        let now = Instant::now();
        let sensed = Sensed {
            state: first,
            speed_m_per_s: 0.0,
            force_n: if first.is_grasped {
                UNKNOWN_FORCE_N
            } else {
                0.0
            },
            received: now,
            gripped: now,
        };
        Self {
            sensed: Mutex::new(sensed),
            quit: AtomicBool::new(false),
        }
    }

    /// State of the fingers. The grip force is that of the last confirmed grasp while the hand
    /// reports a grip, else 0.
    pub(crate) fn state(&self) -> GripperState {
        let sensed = *self.sensed.lock();
        let loose = sensed.received.saturating_duration_since(sensed.gripped);
        let is_loose = loose.as_secs_f64() > LOOSE_SECS;
        GripperState {
            width_m: sensed.state.width,
            speed_m_per_s: sensed.speed_m_per_s,
            grip_force_n: if is_loose { 0.0 } else { sensed.force_n },
            finger_contact: None,
            slip_m: None,
        }
    }

    fn set_force(&self, force_n: f64) {
        let mut sensed = self.sensed.lock();
        (sensed.force_n, sensed.gripped) = (force_n, Instant::now());
    }

    pub(crate) fn celsius(&self) -> u16 {
        self.sensed.lock().state.temperature
    }

    fn silence_secs(&self) -> f64 {
        self.sensed.lock().received.elapsed().as_secs_f64()
    }
}

/// Gripper command, or `None` for homing: the fingers open and close once to measure their travel.
type Task = Option<GripperCommand>;

#[derive(Default)]
struct PendingCommand {
    answer: Mutex<Option<Result<bool, FrankaError>>>,
    /// True if the command was stopped: a failed grasp is then not retried.
    halted: AtomicBool,
}

pub(crate) struct Hand {
    gripper: Option<Arc<Gripper>>,
    pub(crate) fingers: Arc<Fingers>,
    orders: Option<Sender<(Task, Arc<PendingCommand>)>>,
    task: Task,
    work: Option<Arc<PendingCommand>>,
    threads: Vec<JoinHandle<()>>,
}

impl Hand {
    /// Connects; nothing moves. Fails if the hand accepts the connection but sends nothing.
    pub(crate) fn connect(
        host: &str,
        link: &Arc<Link>,
        patience: Duration,
    ) -> Result<Self, FrankaError> {
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let failed = |error: std::io::Error| FrankaError::Network(error.to_string());
        let (sender, connection) = channel();
        let (orders, receiver) = channel();
        let name = host.to_owned();
        let worker = thread("franka-hand").spawn(move || {
            let connected = Gripper::new(&name).and_then(|gripper| {
                let fingers = Fingers::new(gripper.read_once()?);
                Ok((Arc::new(gripper), Arc::new(fingers)))
            });
            let own = connected.as_ref().ok().cloned();
            if sender.send(connected).is_ok()
                && let Some((gripper, fingers)) = own
            {
                work(&gripper, &fingers, &receiver);
            }
        });
        let worker = worker.map_err(failed)?;
        let (gripper, fingers) = connection.recv_timeout(patience).unwrap_or_else(|_| {
            let text = "it accepts the connection, but sends nothing";
            Err(FrankaError::Network(text.into()))
        })?;
        link.set_width(fingers.state().width_m);
        let reader = {
            let (gripper, fingers, link) =
                (Arc::clone(&gripper), Arc::clone(&fingers), Arc::clone(link));
            thread("franka-hand-state").spawn(move || read(&gripper, &fingers, &link))
        };
        Ok(Self {
            gripper: Some(gripper),
            fingers,
            orders: Some(orders),
            task: None,
            work: None,
            threads: vec![worker, reader.map_err(failed)?],
        })
    }

    pub(crate) fn state(&self) -> GripperState {
        self.fingers.state()
    }

    /// Starts a command and returns at once. A command in progress is stopped first.
    pub(crate) fn start(
        &mut self,
        command: GripperCommand,
        now_secs: f64,
    ) -> Result<(), RobotError> {
        if self.fingers.sensed.lock().state.max_width < CLOSED_M {
            let detail = "the hand does not know how far its fingers open, because it was not \
                          homed after power-on; run `regrasp arm home-hand` with nothing between \
                          them";
            let kind = RobotErrorKind::EmergencyStop;
            return Err(RobotError::new(kind, now_secs, detail));
        }
        if matches!(command, GripperCommand::MoveTo { .. }) {
            self.fingers.set_force(0.0);
        }
        self.give(Some(command), now_secs)
    }

    /// Starts homing, which measures the fingers' travel, and returns at once.
    pub(crate) fn start_homing(&mut self, now_secs: f64) -> Result<(), RobotError> {
        self.fingers.set_force(0.0);
        self.give(None, now_secs)
    }

    fn give(&mut self, task: Task, now_secs: f64) -> Result<(), RobotError> {
        self.check_connection(now_secs)?;
        if !self.is_done() {
            self.halt();
        }
        let work = Arc::new(PendingCommand::default());
        let order = (task, Arc::clone(&work));
        let sent = self.orders.as_ref().map(|orders| orders.send(order));
        if !matches!(sent, Some(Ok(()))) {
            return Err(lost("its connection is closed; connect again", now_secs));
        }
        (self.work, self.task) = (Some(work), task);
        Ok(())
    }

    pub(crate) fn is_done(&self) -> bool {
        let work = self.work.as_ref();
        work.is_none_or(|work| work.answer.lock().is_some())
    }

    pub(crate) fn time_limit_secs(&self) -> f64 {
        let speed = match self.task {
            Some(
                GripperCommand::MoveTo { speed_m_per_s, .. }
                | GripperCommand::Grasp { speed_m_per_s, .. },
            ) => speed_m_per_s,
            None => return HOMING_SECS,
        };
        TRAVEL_M / speed.max(1e-3) + SPARE_SECS
    }

    /// Result of the last finished command. A grasp that the hand does not confirm has stalled, and
    /// does not set a grip force ([`Fingers::state`]).
    pub(crate) fn end(&self, now_secs: f64) -> Result<GripperEnd, RobotError> {
        let now_m = self.state().width_m;
        let work = self.work.as_ref();
        let answer = work.and_then(|work| work.answer.lock().clone());
        let is_there = match (self.task, answer) {
            (_, None) => return Ok(GripperEnd::TimedOut),
            // The hand rejects the command when its fingers do not move.
            (_, Some(Err(FrankaError::Command(_)))) => false,
            (_, Some(Err(error))) => return Err(lost(&plain(&error.to_string()), now_secs)),
            (None, Some(Ok(is_homed))) => is_homed,
            (Some(GripperCommand::Grasp { .. }), Some(Ok(_))) => now_m < CLOSED_M,
            (Some(GripperCommand::MoveTo { width_m, .. }), Some(Ok(_))) => {
                (now_m - width_m.clamp(0.0, TRAVEL_M)).abs() < REACHED_M
            }
        };
        Ok(match is_there {
            true => GripperEnd::Reached,
            false => GripperEnd::Stalled,
        })
    }

    /// Stops moving fingers; a hand that grips keeps its force.
    pub(crate) fn stop(&mut self) {
        if !self.is_done() {
            self.halt();
            self.task = None;
        }
    }

    fn halt(&self) {
        let Some(gripper) = self.gripper.clone() else {
            return;
        };
        if let Some(work) = &self.work {
            work.halted.store(true, Ordering::Release);
        }
        // On another thread, because a lost hand never answers. The command in progress answers
        // that it was aborted.
        let stop = move || drop(gripper.stop());
        let thread = std::thread::Builder::new().name("franka-hand-stop".into());
        if thread.spawn(stop).is_ok() {
            until(HALT_PATIENCE, || self.is_done().then_some(()));
        }
    }

    /// Stops moving fingers and closes the connection.
    pub(crate) fn close(&mut self) {
        if !self.is_done() && self.check_connection(0.0).is_ok() {
            self.halt();
        }
        self.fingers.quit.store(true, Ordering::Release);
        self.orders = None;
        self.gripper = None;
        let began = Instant::now();
        for thread in self.threads.drain(..) {
            // A command that hangs blocks its thread, which is then abandoned.
            join(thread, HALT_PATIENCE.saturating_sub(began.elapsed()), || {});
        }
    }

    pub(crate) fn check_connection(&self, now_secs: f64) -> Result<(), RobotError> {
        let silence_secs = self.fingers.silence_secs();
        if silence_secs <= SILENT_SECS {
            return Ok(());
        }
        let detail = format!("the hand has sent no state for {silence_secs:.1} s");
        Err(lost(&detail, now_secs).measured("hand_silence", silence_secs, Some(SILENT_SECS), "s"))
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.close();
    }
}

fn lost(detail: &str, now_secs: f64) -> RobotError {
    let detail = format!("the hand: {detail}");
    RobotError::new(RobotErrorKind::LinkLost, now_secs, detail)
}

fn read(gripper: &Gripper, fingers: &Fingers, link: &Link) {
    while !fingers.quit.load(Ordering::Acquire) {
        let Ok(state) = gripper.read_once() else {
            // The hand's users see how long it has been silent.
            return;
        };
        let now = Instant::now();
        let mut sensed = fingers.sensed.lock();
        let since_secs = (now - sensed.received).as_secs_f64().max(1e-9);
        sensed.speed_m_per_s = (state.width - sensed.state.width) / since_secs;
        (sensed.state, sensed.received) = (state, now);
        if state.is_grasped {
            sensed.gripped = now;
        }
        drop(sensed);
        link.set_width(state.width);
    }
}

fn work(gripper: &Gripper, fingers: &Fingers, orders: &Receiver<(Task, Arc<PendingCommand>)>) {
    while let Ok((task, work)) = orders.recv() {
        let answer = match task {
            None => gripper.homing(),
            Some(GripperCommand::MoveTo {
                width_m,
                speed_m_per_s,
            }) => gripper.move_gripper(width_m.clamp(0.0, TRAVEL_M), speed_m_per_s),
            Some(GripperCommand::Grasp {
                force_n,
                speed_m_per_s,
            }) => {
                let grasp = |to_m, within_m| {
                    gripper.grasp(to_m, speed_m_per_s, force_n, within_m, within_m)
                };
                // The hand squeezes only if the commanded width is less than the object's. For an
                // object nearly as wide as the hand this command fails at any tolerance.
                let mut answer = grasp(0.0, ANY_WIDTH_M);
                let failed = matches!(
                    &answer,
                    Err(FrankaError::Command(text)) if !text.contains("aborted")
                );
                if failed && !work.halted.load(Ordering::Acquire) {
                    answer = grasp(fingers.state().width_m, SAME_WIDTH_M);
                }
                if matches!(answer, Ok(true)) {
                    fingers.set_force(force_n);
                }
                answer
            }
        };
        *work.answer.lock() = Some(answer);
    }
}
