//! Skills by name, and the execution of calls.

use schemars::schema_for;
use serde_json::Value;

use regrasp_api::{
    Failure, Percept, Phase, Reason, SkillCall, SkillResult, SkillSpec, StateAfter, Success,
};

use crate::{Result, Robot, Skill};

/// A skill without its types, so that different skills fit into one set. Implemented for every
/// [`Skill`] and [`DynamicSkill`]; there is no need to implement it by hand.
pub trait AnySkill: Send + Sync {
    /// Specification for planners.
    fn spec(&self) -> SkillSpec;

    /// Checks the precondition alone, without moving anything.
    ///
    /// # Errors
    ///
    /// The reason why it may not start.
    fn may_start(&self, robot: &mut Robot, args: &Value) -> Result<()>;

    /// Checks the arguments, runs the task and verifies it. Never panics on invalid arguments.
    fn call(&self, robot: &mut Robot, args: &Value) -> SkillResult;
}

/// A skill without statically typed arguments, such as one in another language. Every [`Skill`] is
/// one.
pub trait DynamicSkill: Send + Sync {
    /// State that is passed from one function to the next.
    type Task;

    /// Specification for planners.
    fn spec(&self) -> SkillSpec;

    /// Checks that the skill may start, as [`Skill::precondition`]; invalid arguments are
    /// `bad_arguments`.
    ///
    /// # Errors
    ///
    /// The reason why it may not start.
    fn precondition(&self, robot: &mut Robot, args: &Value) -> Result<Self::Task>;

    /// Runs the task, as [`Skill::run`].
    ///
    /// # Errors
    ///
    /// The reason why it was not done.
    fn run(&self, robot: &mut Robot, args: &Value, task: &mut Self::Task) -> Result<()>;

    /// Checks the result, as [`Skill::verify`].
    ///
    /// # Errors
    ///
    /// The condition that does not hold.
    fn verify(&self, robot: &mut Robot, args: &Value, task: &Self::Task) -> Result<Success>;
}

impl<S: Skill> DynamicSkill for S {
    type Task = (S::Args, S::Task);

    fn spec(&self) -> SkillSpec {
        SkillSpec {
            name: S::NAME.into(),
            description: S::DESCRIPTION.into(),
            args_schema: schema_for!(S::Args).to_value(),
            claims: S::CLAIMS.to_vec(),
            hand: S::HAND,
            remedies: S::REMEDIES.to_vec(),
            operators: S::OPERATORS,
            looks_ahead: S::LOOKS_AHEAD,
        }
    }

    fn precondition(&self, robot: &mut Robot, args: &Value) -> Result<(S::Args, S::Task)> {
        let args = usable_args::<S>(robot, args)?;
        let task = Skill::precondition(self, robot, &args)?;
        Ok((args, task))
    }

    fn run(&self, robot: &mut Robot, _: &Value, task: &mut (S::Args, S::Task)) -> Result<()> {
        Skill::run(self, robot, &task.0, &mut task.1)
    }

    fn verify(&self, robot: &mut Robot, _: &Value, task: &(S::Args, S::Task)) -> Result<Success> {
        Skill::verify(self, robot, &task.0, &task.1)
    }
}

/// Returns the arguments if they are valid and the robot has the required hand.
fn usable_args<S: Skill>(robot: &Robot, args: &Value) -> Result<S::Args> {
    let (skill, arm) = (S::NAME, &robot.info.name);
    let refused = |reason, text| Failure::new(reason, text).in_phase(Phase::Precondition);
    let parsed = serde_path_to_error::deserialize(args).map_err(|error| {
        let path = error.path().to_string();
        let field = match path.as_str() {
            "." => "arguments".to_owned(),
            path => format!("argument `{path}`"),
        };
        let text = format!("{skill}: {field}: {} (got {args})", error.into_inner());
        refused(Reason::BadArguments, text)
    })?;
    if S::GRIPS && !robot.info.gripper.has_fingers() {
        let text = format!("{skill} needs a gripper, and the arm `{arm}` has none");
        return Err(refused(Reason::NoGripper, text));
    }
    Ok(parsed)
}

impl<D: DynamicSkill> AnySkill for D {
    fn spec(&self) -> SkillSpec {
        DynamicSkill::spec(self)
    }

    fn may_start(&self, robot: &mut Robot, args: &Value) -> Result<()> {
        self.precondition(robot, args).map(drop)
    }

    fn call(&self, robot: &mut Robot, args: &Value) -> SkillResult {
        robot.take_moved();
        robot.forget_look();
        let mut verified_by = vec![];
        let at = |phase| move |failure: Failure| failure.in_phase(phase);
        let recovered = robot.recover().map_err(at(Phase::Precondition));
        let outcome = recovered.and_then(|_| {
            let task = self.precondition(robot, args);
            let mut task = task.map_err(at(Phase::Precondition))?;
            self.run(robot, args, &mut task)
                .map_err(at(Phase::Execute))?;
            robot.take_used();
            let verified = self.verify(robot, args, &task).map_err(at(Phase::Verify));
            verified_by = robot.take_used();
            verified
        });
        let world_changed = robot.take_moved();
        let state_after = state_after(robot);
        SkillResult {
            world_changed,
            state_after,
            verified_by,
            ..outcome.map_or_else(SkillResult::from, SkillResult::from)
        }
    }
}
fn state_after(robot: &mut Robot) -> StateAfter {
    // The report takes no simulated time.
    let percept = robot.without_waiting(Robot::glance).ok();
    // Without perception, the finger sensors and the earlier belief decide.
    let _ = robot.in_hand(percept.as_ref().unwrap_or(&Percept::default()));
    let placed = |percept: Percept| {
        let movable = percept.objects.into_iter().filter(|o| o.movable);
        movable.map(|o| (o.id, o.world_from_object)).collect()
    };
    StateAfter {
        held: robot.held.as_ref().map(|held| held.id.clone()),
        objects: percept.map(placed),
    }
}

/// The skills that planners can use, in the order in which they were added.
#[derive(Default)]
pub struct SkillSet {
    skills: Vec<(SkillSpec, Box<dyn AnySkill>)>,
}

impl SkillSet {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a skill. It replaces a skill of the same name, and inherits that one's operators if it
    /// has none.
    pub fn with(mut self, skill: impl AnySkill + 'static) -> Self {
        let mut spec = skill.spec();
        if let Some((known, _)) = self.skills.iter().find(|(s, _)| s.name == spec.name)
            && spec.operators.is_empty()
        {
            spec.operators = known.operators;
        }
        self.skills.retain(|(known, _)| known.name != spec.name);
        self.skills.push((spec, Box::new(skill)));
        self
    }

    /// Wraps each skill and keeps its operators; `wrap` must keep its name.
    pub fn map(self, mut wrap: impl FnMut(Box<dyn AnySkill>) -> Box<dyn AnySkill>) -> Self {
        let wrapped = self.skills.into_iter().map(|(known, skill)| {
            let skill = wrap(skill);
            let mut spec = skill.spec();
            spec.operators = known.operators;
            (spec, skill)
        });
        Self {
            skills: wrapped.collect(),
        }
    }

    /// Specifications for planners.
    pub fn specs(&self) -> Vec<SkillSpec> {
        self.skills.iter().map(|(spec, _)| spec.clone()).collect()
    }

    /// Result of a call that is not made, with the current state.
    pub fn refuse(&self, robot: &mut Robot, failure: Failure) -> SkillResult {
        robot.forget_look();
        SkillResult {
            state_after: state_after(robot),
            ..failure.into()
        }
    }

    /// Runs one call. An unknown name yields a failed result, not a panic.
    pub fn call(&self, robot: &mut Robot, call: &SkillCall) -> SkillResult {
        match self.skills.iter().find(|(spec, _)| spec.name == call.skill) {
            Some((_, skill)) => skill.call(robot, &call.args),
            None => {
                let known: Vec<_> = self.skills.iter().map(|(s, _)| s.name.as_str()).collect();
                let (name, known) = (&call.skill, known.join(", "));
                let text = format!("unknown skill `{name}` (known skills: {known})");
                let failure = Failure::new(Reason::UnknownSkill, text);
                self.refuse(robot, failure.in_phase(Phase::Precondition))
            }
        }
    }
}
