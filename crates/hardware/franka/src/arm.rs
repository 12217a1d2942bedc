//! The connected arm and its hand, for the program that commands them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use franka::RobotMode;
use parking_lot::Mutex;
use regrasp_api::{Observation, RobotError, RobotErrorKind};
use regrasp_kinematics::Chain;

use crate::connect::{Connected, connect};
use crate::hand::Hand;
use crate::robot_errors::{self, Diagnosis};
use crate::status::{Source, Watched};
use crate::wait::join;
use crate::{
    Answer, Approval, ArmLimits, ArmOptions, ArmSample, ArmState, ArmStatus, ConnectError,
    ConnectionReport, CycleCounts, Glance, Link, N_JOINTS, Order, Stop, Watcher, until,
};

/// Timeout for an answer of the arm or the hand, and reserve beyond the duration of a motion.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A connected Franka with its hand, as a [`regrasp_api::World`].
///
/// Dropping it brakes a running motion and closes the connection.
#[derive(derive_more::Debug)]
#[debug("FrankaArm {{ options: {options:?}, report: {report:?} }}")]
pub struct FrankaArm {
    pub(crate) options: ArmOptions,
    pub(crate) chain: Chain,
    pub(crate) approval: Approval,
    pub(crate) approved: bool,
    pub(crate) stop: Stop,
    pub(crate) link: Arc<Link>,
    pub(crate) limits: ArmLimits,
    pub(crate) hand: Hand,
    pub(crate) last: ArmState,
    pub(crate) next_id: u64,
    pub(crate) stopped_within_ms: Option<u64>,
    report: ConnectionReport,
    thread: Option<JoinHandle<()>>,
    lost: Option<String>,
    /// Offset that keeps time monotonic, s: the arm's clock restarts with its controller.
    clock_offset_secs: f64,
    watched: Option<Watched>,
    glance: Glance,
}

impl FrankaArm {
    /// Connects to an arm and its hand. `chain` leads from the arm's base to the tool point; it is
    /// used to check the workspace. Nothing moves.
    ///
    /// # Errors
    ///
    /// [`ConnectError`].
    pub fn connect(
        options: ArmOptions,
        chain: Chain,
        approval: Approval,
    ) -> Result<Self, ConnectError> {
        options.safety.validate()?;
        if chain.dof() != N_JOINTS {
            let why = format!(
                "the robot has {} joints, but a Franka has {N_JOINTS}",
                chain.dof()
            );
            return Err(ConnectError::at("the arm", why));
        }
        let stop = Stop::default();
        let (connected, hand, source) = both(&options, &stop)?;
        Ok(Self {
            options,
            chain,
            approval,
            approved: false,
            stop,
            link: connected.link,
            limits: connected.limits,
            hand,
            last: source.last,
            next_id: 1,
            stopped_within_ms: None,
            report: connected.report,
            thread: Some(connected.thread),
            lost: None,
            clock_offset_secs: 0.0,
            watched: None,
            glance: Glance(Arc::new(Mutex::new(source))),
        })
    }

    /// Reconnects after the link was lost. As at the first connection nothing moves, the thresholds
    /// are set, and the next motion has to be approved.
    ///
    /// # Errors
    ///
    /// [`ConnectError`]; the arm stays lost.
    pub fn reconnect(&mut self) -> Result<(), ConnectError> {
        let now_secs = self.now_secs();
        self.close();
        self.hand.close();
        let (connected, hand, source) = both(&self.options, &self.stop)?;
        self.link = connected.link;
        self.limits = connected.limits;
        self.report = connected.report;
        self.thread = Some(connected.thread);
        self.hand = hand;
        self.last = source.last;
        self.lost = None;
        self.approved = false;
        self.clock_offset_secs = now_secs - source.last.time_ms() as f64 * 1e-3;
        *self.glance.0.lock() = Source {
            clock_offset_secs: self.clock_offset_secs,
            ..source
        };
        Ok(())
    }

    /// Facts about the connection.
    pub fn report(&self) -> &ConnectionReport {
        &self.report
    }

    /// Returns a handle that stops this arm from any thread.
    pub fn stop_handle(&self) -> Stop {
        self.stop.clone()
    }

    /// Counts of kept and missed motion cycles since connecting.
    pub fn cycle_counts(&self) -> CycleCounts {
        self.link.counts()
    }

    /// Stopping time of the last motion, s; `None` if it was not ended early: from the cycle in
    /// which the reason was noticed until the arm was commanded to stand still.
    pub fn last_stop_secs(&self) -> Option<f64> {
        self.stopped_within_ms.map(|ms| ms as f64 * 1e-3)
    }

    /// Calls `watcher` at this rate by the arm's clock, for as long as the arm is commanded, waited
    /// for or queried. The watcher runs on the commanding thread: work that takes longer than a
    /// millisecond belongs on another thread.
    pub fn watched(mut self, rate_hz: f64, watcher: Watcher) -> Self {
        self.watched = Some(Watched::new(rate_hz, watcher));
        self
    }

    /// Last state of the arm, of any age ([`ArmStatus::age_secs`]).
    pub fn status(&mut self) -> ArmStatus {
        self.listen();
        let age_secs = self.link.silence().as_secs_f64();
        let time_secs = self.secs(self.last.time_ms());
        ArmStatus::new(&self.last, time_secs, age_secs, &self.hand.fingers)
    }

    /// Returns a view of the arm that can be read from any thread.
    pub fn glance(&self) -> Glance {
        self.glance.clone()
    }

    fn secs(&self, time_ms: u64) -> f64 {
        self.clock_offset_secs + time_ms as f64 * 1e-3
    }

    pub(crate) fn now_secs(&self) -> f64 {
        let (time_ms, silence) = self.link.clock();
        let is_fresh = silence.as_secs_f64() <= self.options.safety.stale_secs;
        let since_secs = if is_fresh { 0.0 } else { silence.as_secs_f64() };
        self.secs(time_ms) + since_secs
    }

    /// Takes the newest state, and notices if the arm's thread has ended.
    pub(crate) fn listen(&mut self) {
        if let Some(state) = self.link.newest() {
            self.last = state;
            self.show();
        }
        if let Some(error) = self.link.lost.take() {
            self.lost = Some(robot_errors::plain(&error.to_string()));
        }
    }

    fn show(&mut self) {
        let Some(mut watched) = self.watched.take() else {
            return;
        };
        if watched.is_due(self.last.time_ms()) {
            (watched.watcher)(ArmSample::new(&self.last, self.observation(&self.last)));
        }
        self.watched = Some(watched);
    }

    pub(crate) fn fresh(&mut self) -> Result<ArmState, RobotError> {
        self.listen();
        let silence_secs = self.link.silence().as_secs_f64();
        if let Some(why) = &self.lost {
            let detail = format!("{why}; the last message came {silence_secs:.2} s ago");
            let error = self.error(RobotErrorKind::LinkLost, detail);
            return Err(error.measured("state_age", silence_secs, None, "s"));
        }
        let limit_secs = self.options.safety.stale_secs;
        if silence_secs > limit_secs {
            let now_secs = self.now_secs();
            return Err(robot_errors::stale(silence_secs, limit_secs, now_secs));
        }
        Ok(self.last)
    }

    pub(crate) fn error(&self, kind: RobotErrorKind, detail: impl Into<String>) -> RobotError {
        RobotError::new(kind, self.now_secs(), detail)
    }

    pub(crate) fn diagnosis(&self, state: &ArmState) -> Diagnosis<'_> {
        Diagnosis {
            state: *state,
            thresholds: &self.options.safety.collision,
            now_secs: self.now_secs(),
        }
    }

    /// Waits briefly for a fresh state. Only for an arm at rest: there is no motion to stop if none
    /// comes.
    pub(crate) fn soon(&mut self) -> Result<ArmState, RobotError> {
        let stale = Duration::from_secs_f64(self.options.safety.stale_secs);
        let fresh = until(stale, || {
            let is_stale = |e: &RobotError| e.kind == RobotErrorKind::StaleState;
            Some(self.fresh()).filter(|state| !state.as_ref().is_err_and(is_stale))
        });
        fresh.unwrap_or_else(|| self.fresh())
    }

    /// Returns the newest state, or an error if the arm may not move.
    pub(crate) fn ready(&mut self) -> Result<ArmState, RobotError> {
        let state = self.soon()?;
        self.diagnosis(&state).of_mode().map_or(Ok(state), Err)
    }

    pub(crate) fn observation(&self, state: &ArmState) -> Observation {
        let time_secs = self.secs(state.time_ms());
        state.observation(time_secs, self.options.world_from_base, self.hand.state())
    }

    /// Gives an order to the arm's thread; fails if the thread has not taken the previous one.
    pub(crate) fn order(&mut self, order: Order) -> Result<(), RobotError> {
        self.link.beat();
        self.link.orders.put(order).map_err(|_| {
            let detail = "the previous command is still in progress";
            self.error(RobotErrorKind::LinkLost, detail)
        })
    }

    pub(crate) fn recover_now(&mut self) -> Result<(), RobotError> {
        self.listen();
        if self.lost.is_some() {
            let connected = self.reconnect();
            return connected
                .map_err(|error| self.error(RobotErrorKind::LinkLost, error.to_string()));
        }
        let state = self.fresh()?;
        let has_errors = state.wire.current_errors.any();
        let is_idle = matches!(state.wire.robot_mode, RobotMode::Idle);
        if is_idle && !has_errors && self.report.thresholds_confirmed {
            return Ok(());
        }
        let by_hand = self.diagnosis(&state).of_mode();
        if let Some(error) = by_hand.filter(|error| error.kind.is_lasting()) {
            return Err(error);
        }
        let id = self.take_id();
        self.order(Order::Recover(id))?;
        let answer = until(PATIENCE, || match self.link.answers.take() {
            Some(Answer::Recovered(answered, result)) if answered == id => Some(result),
            _ => None,
        });
        let result = answer.ok_or_else(|| {
            let detail = "the arm does not respond to the recovery command";
            self.error(RobotErrorKind::LinkLost, detail)
        })?;
        result.map_err(|error| self.diagnosis(&self.last).of_error(&error))?;
        self.report.thresholds_confirmed = true;
        // The state that shows the recovery arrives a cycle later.
        let idle = until(Duration::from_secs(1), || match self.fresh() {
            Ok(state) => matches!(state.wire.robot_mode, RobotMode::Idle).then_some(Ok(())),
            Err(error) => Some(Err(error)),
        });
        idle.unwrap_or_else(|| self.ready().map(drop))
    }

    pub(crate) fn take_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn close(&mut self) {
        self.link.shut_down.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // The thread ends within a second, its longest wait for a state.
            join(thread, Duration::from_secs(3), || self.link.beat());
        }
    }
}

impl Drop for FrankaArm {
    fn drop(&mut self) {
        self.close();
    }
}

/// Connects to the arm and the hand, and creates the source of their state.
fn both(options: &ArmOptions, stop: &Stop) -> Result<(Connected, Hand, Source), ConnectError> {
    let connected = connect(options, Arc::new(Link::new(stop.clone())))?;
    let refuse = |host: &str, why: &str| {
        connected.link.shut_down.store(true, Ordering::Release);
        ConnectError::at(host, why)
    };
    let last = until(PATIENCE, || connected.link.newest());
    let last = last.ok_or_else(|| refuse(&options.host, "it sends no state"))?;
    let host = options.hand_host();
    let hand = Hand::connect(&host, &connected.link, PATIENCE).map_err(|error| {
        let why = robot_errors::plain(&error.to_string());
        refuse(&format!("the hand at {host}"), &why)
    })?;
    let source = Source {
        link: Arc::clone(&connected.link),
        fingers: Arc::clone(&hand.fingers),
        last,
        clock_offset_secs: 0.0,
        world_from_base: options.world_from_base,
    };
    Ok((connected, hand, source))
}
