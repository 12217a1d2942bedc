//! `wait_until`: waits until a goal holds.

use crate::params::{LOOK_EVERY_SECS, REST_SECS};
use regrasp_api::{Failure, Goal, GoalStatus, Percept, Phase, Reason, Resolution, Success};
use regrasp_relations::{Evidence, Moving};
use regrasp_robot::{Result, Robot, Settled, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

/// Stands still until a goal holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitUntil;

/// Arguments of [`WaitUntil`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitUntilArgs {
    /// Goal, written as in a plan; objects by id or by a phrase.
    pub until: Goal,
    /// Longest wait, s; 10 if left out.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub timeout_secs: Option<f64>,
}

/// The goal for which [`WaitUntil`] waits, and its timeout.
#[derive(Clone, Debug)]
pub struct WaitTask {
    until: Goal,
    timeout_secs: f64,
}

/// Default and largest waiting time, s.
const USUAL_SECS: f64 = 10.0;
const MOST_SECS: f64 = 600.0;

impl Skill for WaitUntil {
    type Args = WaitUntilArgs;
    type Task = WaitTask;
    const NAME: &'static str = "wait_until";
    const DESCRIPTION: &'static str = "Stands still until a goal holds, or until the time is up. \
         For example that an object is on another.";

    fn precondition(&self, robot: &mut Robot, args: &WaitUntilArgs) -> Result<WaitTask> {
        let timeout_secs = args.timeout_secs.unwrap_or(USUAL_SECS);
        if !(0.0..=MOST_SECS).contains(&timeout_secs) {
            let text = format!(
                "argument `timeout_secs`: {timeout_secs}, expected 0 to {MOST_SECS} seconds"
            );
            return Err(Failure::new(Reason::BadArguments, text));
        }
        let percept = robot.perceive()?;
        let mut until = args.until.clone();
        for name in until.objects_mut() {
            match robot.resolver.resolve(&percept, name.as_str()) {
                Resolution::One(object) => *name = object.id.clone(),
                // The object may still appear.
                Resolution::None { .. } => {}
                Resolution::Ambiguous(_) => drop(robot.find(&percept, name.as_str())?),
            }
        }
        Ok(WaitTask {
            until,
            timeout_secs,
        })
    }

    fn run(&self, robot: &mut Robot, _: &WaitUntilArgs, task: &mut WaitTask) -> Result<()> {
        robot.begin("wait");
        let begin_secs = robot.time_secs();
        loop {
            let percept = robot.perceive()?;
            let status = match status(robot, task, &percept, &[])? {
                GoalStatus::Met => at_rest(robot, task)?,
                unmet @ GoalStatus::Unmet(_) => unmet,
            };
            let GoalStatus::Unmet(why) = status else {
                return Ok(());
            };
            let waited_secs = robot.time_secs() - begin_secs;
            if waited_secs >= task.timeout_secs {
                let text = format!("waited {waited_secs:.1} s for {}: {why}", task.until);
                let mut until = task.until.clone();
                let ids = until.objects_mut().into_iter().map(|id| id.clone());
                return Err(Failure::new(Reason::SkillTimeout, text)
                    .in_phase(Phase::Execute)
                    .about(ids)
                    .measured("waited", waited_secs, Some(task.timeout_secs), "s"));
            }
            robot.wait(LOOK_EVERY_SECS)?;
        }
    }

    fn verify(&self, robot: &mut Robot, _: &WaitUntilArgs, task: &WaitTask) -> Result<Success> {
        match at_rest(robot, task)? {
            GoalStatus::Met => Ok(Success::new(format!("{} holds", task.until))),
            GoalStatus::Unmet(why) => {
                let text = format!("{} held only for a moment: {why}", task.until);
                Err(Failure::new(Reason::VerificationFailed, text))
            }
        }
    }
}

fn at_rest(robot: &mut Robot, task: &WaitTask) -> Result<GoalStatus> {
    let Settled { percept, moving } = robot.settle(REST_SECS)?;
    status(robot, task, &percept, &moving)
}

fn status(
    robot: &mut Robot,
    task: &WaitTask,
    percept: &Percept,
    moving: &[Moving],
) -> Result<GoalStatus> {
    let observation = robot.observe()?;
    let hand = robot.in_hand(percept)?;
    let evidence = Evidence {
        percept,
        observation: &observation,
        hand: &hand,
        moving,
        robot: &robot.info,
    };
    Ok(evidence.judge(&task.until))
}
