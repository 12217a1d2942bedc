use regrasp_api::{ApprovalLog, EpisodeResult, FailureMemory, Nobody, Person, Planner, RunStore};
use regrasp_robot::{Robot, SkillSet};

use crate::active_episode::ActiveEpisode;
use crate::approval::ShortMemory;
use crate::clock::{Clock, SystemClock};
use crate::evaluate::{Evaluator, Heuristics};
use crate::kept::{self, Keep, Start};
use crate::{AgentOptions, RunError};

/// Carries out tasks with a robot, some skills and a planner.
pub struct Agent {
    pub(crate) robot: Robot,
    pub(crate) skills: SkillSet,
    pub(crate) planner: Box<dyn Planner>,
    pub(crate) options: AgentOptions,
    pub(crate) person: Box<dyn Person>,
    pub(crate) evaluators: Vec<Box<dyn Evaluator>>,
    pub(crate) memory: Option<Box<dyn FailureMemory>>,
    pub(crate) approvals: Box<dyn ApprovalLog>,
    pub(crate) clock: Box<dyn Clock>,
}

impl Agent {
    /// Puts the parts together. Nobody is there to be asked, nothing is remembered, and
    /// the clock is the machine's, unless the other functions say otherwise.
    pub fn new(
        robot: Robot,
        skills: SkillSet,
        planner: Box<dyn Planner>,
        options: AgentOptions,
    ) -> Self {
        Self {
            robot,
            skills,
            planner,
            options,
            person: Box::new(Nobody),
            evaluators: vec![Box::new(Heuristics)],
            memory: None,
            approvals: Box::new(ShortMemory::default()),
            clock: Box::new(SystemClock::default()),
        }
    }

    /// Asks this person for approvals and answers.
    pub fn with_person(mut self, person: Box<dyn Person>) -> Self {
        self.person = person;
        self
    }

    /// Asks this evaluator where those before it cannot tell.
    pub fn with_evaluator(mut self, evaluator: Box<dyn Evaluator>) -> Self {
        self.evaluators.push(evaluator);
        self
    }

    /// Remembers failures and fixes here.
    pub fn with_memory(mut self, memory: Box<dyn FailureMemory>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Remembers here how approved steps went, beyond this agent's life.
    pub fn with_approvals(mut self, approvals: Box<dyn ApprovalLog>) -> Self {
        self.approvals = approvals;
        self
    }

    /// Tells the time by this clock.
    pub fn with_clock(mut self, clock: Box<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Carries out one task and says how it ended. Blocks; never panics because of
    /// what a planner or a skill answers.
    ///
    /// Planners are polled on a Tokio runtime of its own, so this must not be called
    /// from async code except through `spawn_blocking`.
    pub fn run(&mut self, task: &str) -> EpisodeResult {
        // Without a store there is nothing that could fail.
        match ActiveEpisode::begin(self, task, None).run() {
            Ok(result) => result,
            Err(error) => unreachable!("nothing is kept, yet it failed to {error}"),
        }
    }

    /// As [`Agent::run`], with every round and every finished step durable in a store
    /// before the next begins.
    ///
    /// With `resume`, a run that another process began goes on after its last finished
    /// step, and one that ended is answered from the store. Robot, scene and seed must be
    /// those that it began with.
    ///
    /// # Errors
    ///
    /// [`RunError`]: the key belongs to somebody else, or what is kept under it is not of
    /// this task or this world.
    pub fn run_kept(
        &mut self,
        task: &str,
        store: &mut dyn RunStore,
        key: &str,
        resume: bool,
    ) -> Result<EpisodeResult, RunError> {
        match kept::start(self, task, store, key, resume)? {
            Start::Ended(result) => Ok(result),
            Start::New => ActiveEpisode::begin(self, task, Some(Keep::new(store, key))).run(),
            Start::Old(state, not_restored) => {
                ActiveEpisode::resume(self, *state, Keep::new(store, key), not_restored).run()
            }
        }
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The robot, to set its sink or its cancel token.
    pub fn robot_mut(&mut self) -> &mut Robot {
        &mut self.robot
    }

    /// Gives the robot back.
    pub fn into_robot(self) -> Robot {
        self.robot
    }
}
