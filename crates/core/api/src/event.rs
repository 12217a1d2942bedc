//! Events: everything that happens in a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Approval, ApprovalRequest, Decision, EpisodeResult, GoalStatus, ObjectId, PlanVersion,
    SkillCall, SkillResult,
};

/// Something that happened in a run. Console, run folder, recordings and
/// statistics are all consumers of this stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// An episode begins.
    EpisodeStarted {
        /// What was asked for.
        task: String,
        /// Seed of everything random in it.
        seed: u64,
        /// Planner in charge.
        planner: String,
        /// Perception in use.
        perception: String,
    },
    /// The planner is asked.
    PlanRequested {
        /// What was asked for.
        task: String,
        /// 0 for the first plan, then counting up.
        replan: usize,
    },
    /// The planner could not answer.
    PlanFailed {
        /// 0 for the first plan, then counting up.
        replan: usize,
        /// Why.
        error: String,
    },
    /// The plan changed; its steps are what will be done from now on.
    PlanRevised {
        /// The plan and its place in the history.
        version: PlanVersion,
    },
    /// A run goes on that another process began.
    Resumed {
        /// Steps that were finished then.
        after_steps: usize,
        /// What could not be put back as it was; absent if everything was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_restored: Option<String>,
    },
    /// A call was not made.
    CallRefused {
        /// Counts over the whole episode, from 0.
        step_idx: usize,
        /// The call.
        call: SkillCall,
        /// Why not.
        why: String,
    },
    /// What is done about the outcome of a step.
    Decided {
        /// Counts over the whole episode, from 0.
        step_idx: usize,
        /// What, and on what grounds.
        decision: Decision,
    },
    /// Somebody was asked whether a step may be made.
    ApprovalAsked {
        /// The step and its risks.
        request: ApprovalRequest,
        /// What they said.
        answer: Approval,
    },
    /// Somebody was asked a question.
    QuestionAsked {
        /// The question.
        question: String,
        /// What they said; absent if nobody did.
        answer: Option<String>,
    },
    /// The next question to the planner waits a while, because of trouble outside.
    BackingOff {
        /// Real seconds.
        wait_secs: f64,
    },
    /// A skill is called.
    StepStarted {
        /// Counts over the whole episode, from 0.
        step_idx: usize,
        /// Its name.
        skill: String,
        /// Its arguments.
        args: Value,
    },
    /// A skill reports which part of its work begins.
    PhaseStarted {
        /// A word such as `approach`, `close`, `lift`.
        name: String,
    },
    /// Ways to take hold of something were weighed.
    GraspsWeighed {
        /// What would be held.
        object: ObjectId,
        /// In the order in which they were decided upon. What the shape of the object rules
        /// out by itself has no pose yet, and is not among them.
        grasps: Vec<crate::WeighedGrasp>,
    },
    /// No motion was found; a skill that knows another way may still try that.
    NoMotion {
        /// Why, as a slug.
        reason: crate::Reason,
        /// Why, in one sentence.
        detail: String,
        /// Tool poses in World that it should have led to.
        goals_in_world: Vec<crate::Pose>,
        /// What would touch.
        pairs: Vec<crate::CollisionPair>,
    },
    /// The robot or its controller ended something by itself, or does not answer.
    #[serde(rename = "faulted")]
    RobotFailed {
        /// What happened.
        #[serde(rename = "fault")]
        error: crate::RobotError,
    },
    /// The error was cleared.
    Recovered {
        /// Which.
        kind: crate::RobotErrorKind,
    },
    /// A planned motion of the arm begins.
    MotionStarted {
        /// Where the tool point will be, in World, from the start to the end at equal steps
        /// of time.
        tool_in_world: Vec<[f64; 3]>,
        /// How long it will take if nothing ends it, s.
        duration_secs: f64,
    },
    /// The arm moved.
    MotionFinished {
        /// How it ended, as a word and figures.
        end: crate::MotionEnd,
        /// Simulated seconds it took.
        duration_secs: f64,
        /// Largest joint error on the way, rad.
        peak_tracking_error: f64,
    },
    /// The gripper moved.
    GripperMoved {
        /// Finger distance afterwards, m.
        width_m: f64,
        /// How it ended.
        end: crate::GripperEnd,
    },
    /// A skill answered.
    StepFinished {
        /// Counts over the whole episode, from 0.
        step_idx: usize,
        /// The answer.
        result: SkillResult,
    },
    /// The goal was looked at.
    GoalChecked {
        /// Each goal as text, and whether it holds.
        goals: Vec<(String, GoalStatus)>,
    },
    /// The episode ended.
    EpisodeFinished {
        /// How.
        result: EpisodeResult,
    },
}

/// An event with its place in the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StampedEvent {
    /// Counts from 0 without gaps.
    pub seq: u64,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Consumes events.
pub trait EventSink: Send {
    /// Takes one event. Must not fail: a sink that cannot write keeps its error
    /// for whoever owns it.
    fn emit(&mut self, event: &StampedEvent);
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl EventSink for NullSink {
    fn emit(&mut self, _event: &StampedEvent) {}
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
