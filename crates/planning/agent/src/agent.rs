//! The agent with its parts.

use std::time::{Duration, Instant};

use regrasp_api::{ApprovalLog, FailureMemory, Nobody, Person, Planner};
use regrasp_robot::{Robot, SkillSet};

use crate::approval::ShortMemory;
use crate::evaluate::{Evaluator, Heuristics};
use crate::options::AgentOptions;

/// Agent that executes tasks with a robot, skills and a planner.
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
    /// Creates an agent without a person, without memory, and with the machine's clock.
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

    /// Sets the person who answers questions and approval requests.
    pub fn with_person(mut self, person: Box<dyn Person>) -> Self {
        self.person = person;
        self
    }

    /// Adds an evaluator, which is asked if the evaluators before it cannot assess a step.
    pub fn with_evaluator(mut self, evaluator: Box<dyn Evaluator>) -> Self {
        self.evaluators.push(evaluator);
        self
    }

    /// Sets the memory of failures and their fixes.
    pub fn with_memory(mut self, memory: Box<dyn FailureMemory>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets a log of approved steps that outlives the agent.
    pub fn with_approvals(mut self, approvals: Box<dyn ApprovalLog>) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets the clock.
    pub fn with_clock(mut self, clock: Box<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The robot, for example to set its event sink or its cancel token.
    pub fn robot_mut(&mut self) -> &mut Robot {
        &mut self.robot
    }

    /// Returns the robot.
    pub fn into_robot(self) -> Robot {
        self.robot
    }
}

/// Wall time, replaceable so that tests need not wait.
pub trait Clock: Send + Sync {
    /// Time since a fixed instant.
    fn now(&self) -> Duration;

    /// Blocks the thread for a duration.
    fn sleep(&self, duration: Duration);
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, smart_default::SmartDefault)]
pub struct SystemClock {
    #[default(Instant::now())]
    started: Instant,
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
