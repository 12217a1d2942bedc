//! The Franka Hand, on threads of its own: one reads its state, one gives its commands, which
//! block until the fingers have stopped.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franka::{FrankaError, Gripper};
use regrasp_api::{GripperCommand, GripperEnd, GripperState, RobotError, RobotErrorKind};

use crate::link::Link;
use crate::robot_errors::plain;

/// The hand sends its state some 60 times a second; one that is silent for longer is lost, s.
const SILENT_SECS: f64 = 1.0;
/// A width this close to what was commanded is reached, m.
const REACHED_M: f64 = 1.5e-3;
/// Fingers closer than this are closed, m.
const CLOSED_M: f64 = 1e-3;
/// The hand counts as grasped whatever stops the fingers between these, m: whether it is the
/// right thing is for others to tell.
const ANY_WIDTH_M: f64 = 0.1;
/// Longest travel, m.
const TRAVEL_M: f64 = 0.08;
/// Longest homing, s.
const HOMING_SECS: f64 = 20.0;
/// A hand that does not stop within this is given up.
const HALT_PATIENCE: Duration = Duration::from_millis(1200);
/// Beyond the time that the travel takes, s.
const SPARE_SECS: f64 = 3.0;

/// What the reading thread knows.
pub(crate) struct Felt {
    width_bits: AtomicU64,
    speed_bits: AtomicU64,
    celsius: AtomicU16,
    heard_ns: AtomicU64,
    epoch: Instant,
    quit: AtomicBool,
}

impl Felt {
    /// The fingers as they are, commanded to press so hard.
    pub(crate) fn state(&self, grip_force_n: f64) -> GripperState {
        let load = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Acquire));
        GripperState {
            width_m: load(&self.width_bits),
            speed_m_per_s: load(&self.speed_bits),
            grip_force_n,
            finger_contact: None,
            slip_m: None,
        }
    }

    pub(crate) fn celsius(&self) -> u16 {
        self.celsius.load(Ordering::Relaxed)
    }

    fn silence_secs(&self) -> f64 {
        let heard = Duration::from_nanos(self.heard_ns.load(Ordering::Acquire));
        self.epoch.elapsed().saturating_sub(heard).as_secs_f64()
    }
}

/// An order to the thread that gives the hand its commands.
#[derive(Clone, Copy)]
enum Task {
    Command(GripperCommand),
    /// Opens and closes once, to find out how far the fingers travel.
    Home,
}

/// One command at work.
#[derive(Default)]
struct Work {
    /// How the client answered, once it did.
    answer: Mutex<Option<Result<bool, FrankaError>>>,
    done: AtomicBool,
}

impl Work {
    fn finish(&self, answer: Result<bool, FrankaError>) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        self.done.store(true, Ordering::Release);
    }

    fn answer(&self) -> Option<Result<bool, FrankaError>> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.clone()
    }
}

pub(crate) struct Hand {
    /// `None` once it is closed.
    gripper: Option<Arc<Gripper>>,
    felt: Arc<Felt>,
    orders: Option<Sender<(Task, Arc<Work>)>>,
    command: Option<GripperCommand>,
    work: Option<Arc<Work>>,
    threads: Vec<JoinHandle<()>>,
}

/// What somebody told the hand before this program connected, if it says that it holds something:
/// how hard it presses it does not say. What it holds is for perception to see.
const GRASPED_BEFORE: GripperCommand = GripperCommand::Grasp {
    force_n: 1.0,
    speed_m_per_s: 0.0,
};

impl Hand {
    /// Connects; nothing moves. A hand that accepts the connection and says nothing is given up.
    pub(crate) fn connect(
        host: &str,
        link: &Arc<Link>,
        patience: Duration,
    ) -> Result<Self, FrankaError> {
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let failed = |error: std::io::Error| FrankaError::Network(error.to_string());
        let (tell, told) = channel();
        let (orders, receiver) = channel();
        let name = host.to_owned();
        let worker = thread("franka-hand").spawn(move || {
            let connected = Gripper::new(&name).and_then(|gripper| {
                let first = gripper.read_once()?;
                Ok((Arc::new(gripper), first))
            });
            let gripper = connected
                .as_ref()
                .ok()
                .map(|(gripper, _)| Arc::clone(gripper));
            if tell.send(connected).is_ok()
                && let Some(gripper) = gripper
            {
                work(&gripper, &receiver);
            }
        });
        let worker = worker.map_err(failed)?;
        let (gripper, first) = told.recv_timeout(patience).unwrap_or_else(|_| {
            let text = "it accepts the connection, but says nothing";
            Err(FrankaError::Network(text.into()))
        })?;
        link.set_width(first.width);
        let felt = Arc::new(Felt {
            width_bits: AtomicU64::new(first.width.to_bits()),
            speed_bits: AtomicU64::new(0),
            celsius: AtomicU16::new(first.temperature),
            heard_ns: AtomicU64::new(0),
            epoch: Instant::now(),
            quit: AtomicBool::new(false),
        });
        let reader = {
            let (gripper, felt, link) = (Arc::clone(&gripper), Arc::clone(&felt), Arc::clone(link));
            thread("franka-hand-state").spawn(move || read(&gripper, &felt, &link))
        };
        Ok(Self {
            gripper: Some(gripper),
            felt,
            orders: Some(orders),
            command: first.is_grasped.then_some(GRASPED_BEFORE),
            work: None,
            threads: vec![worker, reader.map_err(failed)?],
        })
    }

    pub(crate) fn state(&self) -> GripperState {
        self.felt.state(match self.command {
            Some(GripperCommand::Grasp { force_n, .. }) => force_n,
            _ => 0.0,
        })
    }

    /// What is felt, for whoever watches.
    pub(crate) fn felt(&self) -> &Arc<Felt> {
        &self.felt
    }

    /// Gives a command and does not wait. One that is still at work is stopped first.
    pub(crate) fn start(
        &mut self,
        command: GripperCommand,
        now_secs: f64,
    ) -> Result<(), RobotError> {
        self.give(Task::Command(command), now_secs)?;
        self.command = Some(command);
        Ok(())
    }

    /// Has the hand find out how far its fingers travel, and does not wait.
    pub(crate) fn start_homing(&mut self, now_secs: f64) -> Result<(), RobotError> {
        self.give(Task::Home, now_secs)?;
        self.command = None;
        Ok(())
    }

    fn give(&mut self, task: Task, now_secs: f64) -> Result<(), RobotError> {
        self.heard(now_secs)?;
        if !self.is_done() {
            self.halt();
        }
        let work = Arc::new(Work::default());
        let order = (task, Arc::clone(&work));
        let sent = self.orders.as_ref().map(|orders| orders.send(order));
        if !matches!(sent, Some(Ok(()))) {
            return Err(lost("the thread of the hand has ended", now_secs));
        }
        self.work = Some(work);
        Ok(())
    }

    pub(crate) fn is_done(&self) -> bool {
        let work = self.work.as_ref();
        work.is_none_or(|work| work.done.load(Ordering::Acquire))
    }

    /// The longest that the present command may take, s.
    pub(crate) fn time_limit_secs(&self) -> f64 {
        let speed = match self.command {
            Some(
                GripperCommand::MoveTo { speed_m_per_s, .. }
                | GripperCommand::Grasp { speed_m_per_s, .. },
            ) => speed_m_per_s,
            None => return HOMING_SECS,
        };
        TRAVEL_M / speed.max(1e-3) + SPARE_SECS
    }

    /// How the command ended that was done last.
    pub(crate) fn end(&self, now_secs: f64) -> Result<GripperEnd, RobotError> {
        let width_m = self.state().width_m;
        let answer = self.work.as_ref().and_then(|work| work.answer());
        match (self.command, answer) {
            (
                Some(GripperCommand::MoveTo {
                    width_m: goal_m, ..
                }),
                Some(Ok(_)),
            ) => {
                let goal_m = goal_m.clamp(0.0, TRAVEL_M);
                let is_there = (width_m - goal_m).abs() < REACHED_M;
                Ok(if is_there {
                    GripperEnd::Reached
                } else {
                    GripperEnd::Stalled
                })
            }
            (Some(GripperCommand::Grasp { .. }), Some(Ok(_))) => {
                let is_closed = width_m < CLOSED_M;
                Ok(if is_closed {
                    GripperEnd::Reached
                } else {
                    GripperEnd::Stalled
                })
            }
            // The hand gives up when the fingers do not move.
            (_, Some(Err(FrankaError::Command(_)))) => Ok(GripperEnd::Stalled),
            (None, Some(Ok(true))) => Ok(GripperEnd::Reached),
            (None, Some(Ok(false))) => Ok(GripperEnd::Stalled),
            (_, Some(Err(error))) => Err(lost(&plain(&error.to_string()), now_secs)),
            (_, None) => Ok(GripperEnd::TimedOut),
        }
    }

    /// Stops fingers that move; ones that press already go on pressing.
    pub(crate) fn stop(&mut self) {
        if !self.is_done() {
            self.halt();
            self.command = None;
        }
    }

    fn halt(&self) {
        let Some(gripper) = self.gripper.clone() else {
            return;
        };
        // On a thread of its own, since a hand that is gone never answers. The command at work
        // answers that it was aborted.
        let stop = move || drop(gripper.stop());
        let thread = std::thread::Builder::new().name("franka-hand-stop".into());
        let began = Instant::now();
        if thread.spawn(stop).is_ok() {
            while !self.is_done() && began.elapsed() < HALT_PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Stops fingers that move, and closes the connection.
    pub(crate) fn close(&mut self) {
        if !self.is_done() && self.heard(0.0).is_ok() {
            self.halt();
        }
        self.felt.quit.store(true, Ordering::Release);
        self.orders = None;
        self.gripper = None;
        let began = Instant::now();
        for thread in self.threads.drain(..) {
            // A command that hangs holds its thread; nobody waits for it.
            while !thread.is_finished() && began.elapsed() < HALT_PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }

    pub(crate) fn heard(&self, now_secs: f64) -> Result<(), RobotError> {
        let silence_secs = self.felt.silence_secs();
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
    RobotError::new(
        RobotErrorKind::LinkLost,
        now_secs,
        format!("the hand: {detail}"),
    )
}

fn read(gripper: &Gripper, felt: &Felt, link: &Link) {
    let mut last: Option<(f64, u64)> = None;
    while !felt.quit.load(Ordering::Acquire) {
        let Ok(state) = gripper.read_once() else {
            // Whoever needs the hand sees how long it was silent.
            return;
        };
        let now_ns = u64::try_from(felt.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some((width, heard_ns)) = last {
            let secs = now_ns.saturating_sub(heard_ns).max(1) as f64 * 1e-9;
            let speed = (state.width - width) / secs;
            felt.speed_bits.store(speed.to_bits(), Ordering::Release);
        }
        last = Some((state.width, now_ns));
        felt.width_bits
            .store(state.width.to_bits(), Ordering::Release);
        felt.celsius.store(state.temperature, Ordering::Relaxed);
        felt.heard_ns.store(now_ns, Ordering::Release);
        link.set_width(state.width);
    }
}

fn work(gripper: &Gripper, orders: &Receiver<(Task, Arc<Work>)>) {
    while let Ok((task, work)) = orders.recv() {
        let answer = match task {
            Task::Home => gripper.homing(),
            Task::Command(GripperCommand::MoveTo {
                width_m,
                speed_m_per_s,
            }) => gripper.move_gripper(width_m.clamp(0.0, TRAVEL_M), speed_m_per_s),
            // Nothing is squeezed unless the fingers want to be closer than it is wide.
            Task::Command(GripperCommand::Grasp {
                force_n,
                speed_m_per_s,
            }) => gripper.grasp(0.0, speed_m_per_s, force_n, ANY_WIDTH_M, ANY_WIDTH_M),
        };
        work.finish(answer);
    }
}
