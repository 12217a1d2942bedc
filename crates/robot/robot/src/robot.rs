//! The robot as skills see it.

use std::collections::BTreeSet;

use crate::Result;
use regrasp_api::{
    CancelToken, Capabilities, Event, EventSink, ExactNames, Failure, Held, MotionPlanner,
    NullSink, Observation, Percept, Perception, Pose, Reason, ReferenceResolver, RobotError,
    RobotErrorKind, RobotInfo, Sense, StampedEvent, World,
};

/// Everything that a skill may use: the world interface, perception, motion planning, and the
/// belief about the held object. Never the simulator or the ground truth.
pub struct Robot {
    /// Interface to the hardware or the simulation.
    pub world: Box<dyn World>,
    /// Perception.
    pub perception: Box<dyn Perception>,
    /// Motion planner of this robot.
    pub motion: Box<dyn MotionPlanner>,
    /// Finds the objects that phrases denote.
    pub resolver: Box<dyn ReferenceResolver>,
    /// Constant properties of the robot.
    pub info: RobotInfo,
    /// The object that is believed to be in the hand.
    pub held: Option<Held>,
    /// Requests that running motions stop.
    pub cancel: CancelToken,
    /// Fraction of the usual speed at which skills move; 1 unless a task asks for less.
    pub pace: f64,
    pub(crate) sink: Box<dyn EventSink>,
    pub(crate) next_seq: u64,
    pub(crate) moved: bool,
    /// Longest latency of perception during an overlap, s; `None` outside one.
    pub(crate) longest_look_secs: Option<f64>,
    /// Last percept and the time at which it ended, s; `None` after a command or a wait.
    pub(crate) last_look: Option<(Percept, f64)>,
    pub(crate) phase_name: String,
    pub(crate) error: Option<RobotError>,
    used: BTreeSet<Sense>,
}

impl Robot {
    /// Creates a robot from its parts. Events are discarded until [`Robot::set_sink`], and objects
    /// are found only by their ids until another [`Robot::resolver`] is set.
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

    /// Sets the receiver of events and returns the previous one.
    pub fn set_sink(&mut self, sink: Box<dyn EventSink>) -> Box<dyn EventSink> {
        std::mem::replace(&mut self.sink, sink)
    }

    /// Emits an event.
    pub fn emit(&mut self, event: Event) {
        let stamped = StampedEvent::new(self.next_seq, self.world.time_secs(), event);
        self.next_seq += 1;
        self.sink.emit(&stamped);
    }

    /// Starts a named phase of a skill and emits it.
    pub fn begin(&mut self, phase_name: &str) {
        phase_name.clone_into(&mut self.phase_name);
        self.emit(Event::PhaseStarted {
            name: phase_name.to_owned(),
        });
    }

    /// Time of the world, s.
    pub fn time_secs(&self) -> f64 {
        self.world.time_secs()
    }

    /// Senses and abilities of the world.
    pub fn can(&self) -> Capabilities {
        self.world.capabilities()
    }

    /// Reads the robot's own sensors.
    ///
    /// # Errors
    ///
    /// An error of the robot, such as no answer in time.
    pub fn observe(&mut self) -> Result<Observation> {
        self.relied_on(Sense::Joints);
        self.world
            .observe()
            .map_err(|error| self.report_error(error))
    }

    /// Pose of the tool, in World.
    ///
    /// # Errors
    ///
    /// As [`Robot::observe`].
    pub fn world_from_tool(&mut self) -> Result<Pose> {
        let now = self.observe()?;
        Ok(now.world_from_base * self.motion.base_from_tool(&now.joint_positions))
    }

    /// Stands still for a duration, s.
    ///
    /// # Errors
    ///
    /// If cancelled, or an error of the robot.
    pub fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        // Largest delay of a cancellation, s.
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

    /// Clears the error that stopped the robot, if possible; nothing moves.
    ///
    /// # Errors
    ///
    /// If the error persists.
    pub fn recover(&mut self) -> Result<()> {
        // A former process may have left an error behind.
        let recovered = self.world.recover();
        recovered.map_err(|error| self.report_error(error))?;
        if let Some(RobotError { kind, .. }) = self.error.take() {
            self.emit(Event::Recovered { kind });
        }
        Ok(())
    }

    /// Converts an error of the robot to a failure. Emits it, unless one of the same kind persists.
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

    /// Hash over the exact bits of a simulator's state; `None` for other worlds.
    pub fn state_digest(&mut self) -> Option<u64> {
        self.world.rewind().map(|world| world.state_digest())
    }

    /// State digest as in [`regrasp_api::EpisodeResult`]: 16 hexadecimal digits, or empty.
    pub fn digest_text(&mut self) -> String {
        let digest = self.state_digest();
        digest.map_or_else(String::new, |digest| format!("{digest:016x}"))
    }

    /// Returns true if a motion was commanded since the last call, so that even a failed skill may
    /// have changed the world.
    pub fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Returns the senses used since the last call.
    pub fn take_used(&mut self) -> Vec<Sense> {
        std::mem::take(&mut self.used).into_iter().collect()
    }

    pub(crate) fn relied_on(&mut self, sense: Sense) {
        self.used.insert(sense);
    }
}

pub(crate) fn cancelled(time_secs: f64) -> Failure {
    Failure::new(
        Reason::Cancelled,
        format!("a stop was requested at {time_secs:.2} s"),
    )
}

/// Returns true if no action of the robot can remedy this reason: a stop was requested, or a person
/// has to release, reconnect or restart something.
pub fn is_lasting(reason: &Reason) -> bool {
    *reason == Reason::Cancelled
        || RobotErrorKind::of(reason).is_some_and(RobotErrorKind::is_lasting)
}
