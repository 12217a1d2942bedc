//! Events: everything that happens in a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Approval, ApprovalRequest, Decision, EpisodeResult, GoalStatus, ObjectId, PlanVersion, Reason,
    SkillCall, SkillResult,
};

/// Event in a run. Console, run folder, recordings and statistics all consume this stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// An episode begins.
    EpisodeStarted {
        /// Task as given.
        task: String,
        /// Seed of all random numbers.
        seed: u64,
        /// Name of the planner.
        planner: String,
        /// Name of the perception.
        perception: String,
    },
    /// A plan is requested.
    PlanRequested {
        /// Task as given.
        task: String,
        /// Number of replans so far; 0 for the first plan.
        replan: usize,
    },
    /// The planner failed to answer.
    PlanFailed {
        /// Number of replans so far; 0 for the first plan.
        replan: usize,
        /// Cause of the failure.
        error: String,
    },
    /// The plan changed; its steps replace all earlier ones.
    PlanRevised {
        /// Plan with its place in the history.
        version: PlanVersion,
    },
    /// The run of another process is resumed.
    Resumed {
        /// Number of steps finished before.
        after_steps: usize,
        /// State that could not be restored; absent if all was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_restored: Option<String>,
    },
    /// A call was rejected and not made.
    CallRefused {
        /// Step number in the episode, from 0.
        step_idx: usize,
        /// Rejected call.
        call: SkillCall,
        /// Cause of the rejection.
        why: String,
    },
    /// The agent decided how to react to the outcome of a step.
    Decided {
        /// Step number in the episode, from 0.
        step_idx: usize,
        /// Decision and its grounds.
        decision: Decision,
    },
    /// A person was asked to approve a step.
    ApprovalAsked {
        /// Step and its risks.
        request: ApprovalRequest,
        /// Answer of the person.
        answer: Approval,
    },
    /// A person was asked a question.
    QuestionAsked {
        /// Question.
        question: String,
        /// Answer; absent if there was none.
        answer: Option<String>,
    },
    /// The next planner call is delayed because of an external failure.
    BackingOff {
        /// Delay, real seconds.
        wait_secs: f64,
    },
    /// A skill is called.
    StepStarted {
        /// Step number in the episode, from 0.
        step_idx: usize,
        /// Name of the skill.
        skill: String,
        /// Arguments of the call.
        args: Value,
    },
    /// A skill begins a phase of its work.
    PhaseStarted {
        /// Name of the phase, such as `approach`, `close` or `lift`.
        name: String,
    },
    /// Grasp candidates were evaluated.
    GraspsWeighed {
        /// Object to grasp.
        object: ObjectId,
        /// Candidates in the order of their evaluation. Those that the object's shape rules out
        /// have no pose and are not included.
        grasps: Vec<crate::WeighedGrasp>,
    },
    /// No motion was found. The skill may still try an alternative.
    NoMotion {
        /// Cause as a slug.
        reason: crate::Reason,
        /// Cause in one sentence.
        detail: String,
        /// Requested tool poses in World.
        goals_in_world: Vec<crate::Pose>,
        /// Pairs that would collide.
        pairs: Vec<crate::CollisionPair>,
    },
    /// The robot or its controller ended a motion, or does not answer.
    #[serde(rename = "faulted")]
    RobotFailed {
        /// Error that was reported.
        #[serde(rename = "fault")]
        error: crate::RobotError,
    },
    /// An error of the robot was cleared.
    Recovered {
        /// Kind of the error.
        kind: crate::RobotErrorKind,
    },
    /// A planned motion of the arm begins.
    MotionStarted {
        /// Planned path of the tool point in World, m, at equal time steps from start to end.
        tool_in_world: Vec<[f64; 3]>,
        /// Duration if nothing ends the motion early, s.
        duration_secs: f64,
    },
    /// The arm moved.
    MotionFinished {
        /// End of the motion, as a word and figures.
        end: crate::MotionEnd,
        /// Duration in world time, s.
        duration_secs: f64,
        /// Largest deviation of a joint from its command during the motion, rad.
        peak_tracking_error: f64,
    },
    /// The gripper moved.
    GripperMoved {
        /// Finger distance afterwards, m.
        width_m: f64,
        /// End of the motion.
        end: crate::GripperEnd,
    },
    /// A skill returned its result.
    StepFinished {
        /// Step number in the episode, from 0.
        step_idx: usize,
        /// Result of the skill.
        result: SkillResult,
    },
    /// The goals were checked.
    GoalChecked {
        /// Each goal as text, with its status.
        goals: Vec<(String, GoalStatus)>,
    },
    /// The episode ended.
    EpisodeFinished {
        /// Result of the episode.
        result: EpisodeResult,
    },
}

impl Event {
    /// Creates the event that a step begins.
    pub fn step_started(step_idx: usize, call: &SkillCall) -> Self {
        Self::StepStarted {
            step_idx,
            skill: call.skill.clone(),
            args: call.args.clone(),
        }
    }

    /// Creates the event that a step ended.
    pub fn step_finished(step_idx: usize, result: impl Into<SkillResult>) -> Self {
        let result = result.into();
        Self::StepFinished { step_idx, result }
    }
}

/// Event with its sequence number and time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StampedEvent {
    /// Sequence number, from 0 without gaps.
    pub seq: u64,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// Event.
    #[serde(flatten)]
    pub event: Event,
}

impl StampedEvent {
    /// Stamps an event with its number and its simulated time, s.
    pub const fn new(seq: u64, sim_secs: f64, event: Event) -> Self {
        Self {
            seq,
            sim_secs,
            event,
        }
    }
}

/// Consumer of events, such as a closure.
pub trait EventSink: Send {
    /// Consumes one event. Never fails: a sink that cannot write keeps its error for its owner.
    fn emit(&mut self, event: &StampedEvent);
}

/// Sink that discards every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl EventSink for NullSink {
    fn emit(&mut self, _event: &StampedEvent) {}
}

/// Last failure of a skill in a stream of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFailure {
    /// Reason, as a slug.
    pub reason: Reason,
    /// One sentence with measured values.
    pub detail: String,
}

impl EventSink for Option<LastFailure> {
    fn emit(&mut self, event: &StampedEvent) {
        if let Event::StepFinished { result, .. } = &event.event
            && let Some(reason) = result.reason.clone()
        {
            let detail = result.reason_detail.clone();
            *self = Some(LastFailure { reason, detail });
        }
    }
}

impl<F: FnMut(&StampedEvent) + Send> EventSink for F {
    fn emit(&mut self, event: &StampedEvent) {
        self(event);
    }
}

impl EventSink for Vec<StampedEvent> {
    fn emit(&mut self, event: &StampedEvent) {
        self.push(event.clone());
    }
}

impl<S: EventSink + ?Sized> EventSink for std::sync::Arc<std::sync::Mutex<S>> {
    fn emit(&mut self, event: &StampedEvent) {
        if let Ok(mut sink) = self.lock() {
            sink.emit(event);
        }
    }
}

impl EventSink for Vec<Box<dyn EventSink>> {
    fn emit(&mut self, event: &StampedEvent) {
        for sink in self.iter_mut() {
            sink.emit(event);
        }
    }
}
