//! What carries out tasks, put together.

use regrasp_api::{ApprovalLog, FailureMemory, Nobody, Person, Planner};
use regrasp_robot::{Robot, SkillSet};

use crate::approval::ShortMemory;
use crate::clock::{Clock, SystemClock};
use crate::evaluate::{Evaluator, Heuristics};
use crate::options::AgentOptions;

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
