//! What skills command.

use std::collections::BTreeSet;

use regrasp_api::{
    CancelToken, Capabilities, Event, EventSink, ExactNames, Failure, Held, MotionPlanner,
    NullSink, Observation, Percept, Perception, Pose, Reason, ReferenceResolver, RobotError,
    RobotErrorKind, RobotInfo, Sense, StampedEvent, World,
};

/// Everything a skill may use: the world seam, the robot's senses, motion planning
/// and the belief about what is held. Never the simulator, never the truth.
pub struct Robot {
    /// The world seam.
    pub world: Box<dyn World>,
    /// The senses.
    pub perception: Box<dyn Perception>,
    /// Motion planning for this robot.
    pub motion: Box<dyn MotionPlanner>,
    /// Finds what phrases refer to.
    pub resolver: Box<dyn ReferenceResolver>,
    /// Fixed facts.
    pub info: RobotInfo,
    /// What is believed to be in the hand.
    pub held: Option<Held>,
    /// Asks running motions to stop.
    pub cancel: CancelToken,
    /// Part of the usual speed at which skills move; 1 unless a task asks for less.
    pub pace: f64,
    pub(crate) sink: Box<dyn EventSink>,
    pub(crate) next_seq: u64,
    pub(crate) moved: bool,
    /// While looks do not wait for their time: the longest of them, s.
    pub(crate) longest_look_secs: Option<f64>,
    /// The last look, until something is commanded, and when it ended, s.
    pub(crate) last_look: Option<(Percept, f64)>,
    /// The part of a skill's work that began last.
    pub(crate) phase_name: String,
    /// The error that is not cleared yet.
    error: Option<RobotError>,
    /// What told the robot how things are, since somebody asked last.
    used: BTreeSet<Sense>,
}

impl Robot {
    /// Puts the parts together; events go nowhere until [`Robot::set_sink`], and objects are
    /// found by id and exact name alone until there is another [`Robot::resolver`].
    pub fn new(
        world: Box<dyn World>,
        perception: Box<dyn Perception>,
        motion: Box<dyn MotionPlanner>,
        info: RobotInfo,
    ) -> Self {
        Self {
            world,
            perception,
            motion,
            resolver: Box::new(ExactNames),
            info,
            held: None,
            cancel: CancelToken::new(),
            pace: 1.0,
            sink: Box::new(NullSink),
            next_seq: 0,
            moved: false,
            longest_look_secs: None,
            last_look: None,
            phase_name: String::new(),
            error: None,
            used: BTreeSet::new(),
        }
    }

    /// Sends events to `sink` from now on, and gives back where they went before.
    pub fn set_sink(&mut self, sink: Box<dyn EventSink>) -> Box<dyn EventSink> {
        std::mem::replace(&mut self.sink, sink)
    }

    /// Tells every consumer what happened.
    pub fn emit(&mut self, event: Event) {
        let stamped = StampedEvent {
            seq: self.next_seq,
            sim_secs: self.world.time_secs(),
            event,
        };
        self.next_seq += 1;
        self.sink.emit(&stamped);
    }

    /// Tells every consumer which part of a skill's work begins.
    pub fn begin(&mut self, phase_name: &str) {
        phase_name.clone_into(&mut self.phase_name);
        self.emit(Event::PhaseStarted {
            name: phase_name.to_owned(),
        });
    }

    /// The world's time, s.
    pub fn time_secs(&self) -> f64 {
        self.world.time_secs()
    }

    /// What the world can feel and do.
    pub fn can(&self) -> Capabilities {
        self.world.capabilities()
    }

    /// Reads the robot's own sensors.
    ///
    /// # Errors
    ///
    /// The robot does not answer, or not in time.
    pub fn observe(&mut self) -> Result<Observation, Failure> {
        self.relied_on(Sense::Joints);
        self.world
            .observe()
            .map_err(|error| self.report_error(error))
    }

    /// Where the tool is, in World.
    ///
    /// # Errors
    ///
    /// As [`Robot::observe`].
    pub fn world_from_tool(&mut self) -> Result<Pose, Failure> {
        let now = self.observe()?;
        Ok(now.world_from_base * self.motion.base_from_tool(&now.joint_positions))
    }

    /// Holds still for a while.
    ///
    /// # Errors
    ///
    /// Cancelled, or an error of the robot.
    pub fn wait(&mut self, duration_secs: f64) -> Result<Observation, Failure> {
        // A stop that comes meanwhile has to wait no longer than this.
        const SLICE_SECS: f64 = 0.02;
        const ROUNDING_SECS: f64 = 1e-9;
        self.last_look = None;
        let mut left_secs = duration_secs;
        loop {
            if self.cancel.is_cancelled() {
                return Err(cancelled(self.world.time_secs()));
            }
            let waited = self.world.wait(left_secs.min(SLICE_SECS));
            let now = waited.map_err(|error| self.report_error(error))?;
            left_secs -= SLICE_SECS;
            if left_secs < ROUNDING_SECS {
                return Ok(now);
            }
        }
    }

    /// Clears the error that stopped the robot last, if it can be cleared; nothing moves.
    ///
    /// # Errors
    ///
    /// The error is still there.
    pub fn recover(&mut self) -> Result<(), Failure> {
        // Another process may have left one behind.
        let recovered = self.world.recover();
        recovered.map_err(|error| self.report_error(error))?;
        if let Some(RobotError { kind, .. }) = self.error.take() {
            self.emit(Event::Recovered { kind });
        }
        Ok(())
    }

    /// The error that is not cleared yet.
    pub(crate) fn standing_error(&self) -> Option<RobotError> {
        self.error.clone()
    }

    /// An error of the robot as a skill's failure. Every consumer is told, once.
    pub(crate) fn report_error(&mut self, error: RobotError) -> Failure {
        let kind = |error: &RobotError| error.kind;
        if self.error.as_ref().map(kind) != Some(error.kind) {
            self.emit(Event::RobotFailed {
                error: error.clone(),
            });
        }
        self.error = Some(error.clone());
        error.into()
    }

    /// A hash over the exact bits of the world's state, where it has one.
    pub fn state_digest(&mut self) -> Option<u64> {
        self.world.rewind().map(|world| world.state_digest())
    }

    /// The same as [`regrasp_api::EpisodeResult`] shows it: 16 hexadecimal digits, or nothing.
    pub fn digest_text(&mut self) -> String {
        let digest = self.state_digest();
        digest.map_or_else(String::new, |digest| format!("{digest:016x}"))
    }

    /// Returns true if anything moved since the last call; used to say whether a failed
    /// skill may have changed the world.
    pub fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Which senses told the robot how things are since the last call.
    pub fn take_used(&mut self) -> Vec<Sense> {
        std::mem::take(&mut self.used).into_iter().collect()
    }

    /// Notes that something is said on the word of a sense.
    pub(crate) fn relied_on(&mut self, sense: Sense) {
        self.used.insert(sense);
    }
}

pub(crate) fn cancelled(time_secs: f64) -> Failure {
    Failure::new(
        Reason::Cancelled,
        format!("a stop was asked for at {time_secs:.2} s"),
    )
}

/// Returns true if nothing that a robot does can help after a failure for this reason: somebody
/// asked for a stop, or has to release, reconnect or restart something.
pub fn is_lasting(reason: &Reason) -> bool {
    *reason == Reason::Cancelled
        || RobotErrorKind::of(reason).is_some_and(RobotErrorKind::is_lasting)
}
