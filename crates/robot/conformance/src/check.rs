//! Checks of a skill against every rule, on fresh robots.

use std::panic::{AssertUnwindSafe, catch_unwind};

use regrasp_api::{Goal, GoalStatus, ObjectId, Phase, Reason, SkillResult, SkillSpec};
use regrasp_relations::Evidence;
use regrasp_robot::{AnySkill, Robot};
use serde_json::Value;

use crate::hostile::{hostile_arguments, misspelt};
use crate::probe::{Log, probed};
use crate::{Report, Rule};

/// Largest number of stops tested per call, evenly spread.
const MAX_STOPS: usize = 12;

/// Checks a skill against every rule.
///
/// `robot` creates the same robot each time, in the state that the good calls need, such as with an
/// object in the hand or at a closed drawer. `calls` are one or more arguments that should succeed
/// there.
pub fn check(skill: &dyn AnySkill, robot: &dyn Fn() -> Robot, calls: &[Value]) -> Report {
    let spec = skill.spec();
    let mut check = Check {
        skill,
        spec: spec.clone(),
        robot,
        report: Report {
            skill: spec.name.clone(),
            ..Report::default()
        },
    };
    check.description();
    if calls.is_empty() {
        let detail = "no call was given; pass at least one that should succeed";
        check.report.add(Rule::GoodCallsSucceed, None, detail);
    }
    for args in calls {
        check.precondition(args);
        check.good_call(args);
    }
    let schema = check.spec.args_schema.clone();
    let good = calls.first().cloned().unwrap_or_default();
    check.misspelt(&misspelt(&good));
    check.hostile_calls(&hostile_arguments(&schema, &good));
    check.report
}

struct Check<'a> {
    skill: &'a dyn AnySkill,
    spec: SkillSpec,
    robot: &'a dyn Fn() -> Robot,
    report: Report,
}

struct Called {
    robot: Robot,
    log: Log,
    /// Result; `None` if the skill panicked.
    result: Option<SkillResult>,
}

impl Check<'_> {
    fn description(&mut self) {
        let spec = self.spec.clone();
        let mut flaw = |detail: &str| self.report.add(Rule::Described, None, detail);
        if !is_slug(&spec.name) {
            flaw(&format!("the name `{}` is not in snake_case", spec.name));
        }
        if spec.description.trim().is_empty() {
            flaw("the description is empty, but planners choose skills by it");
        }
        if let Err(error) = jsonschema::meta::validate(&spec.args_schema) {
            flaw(&format!("the arguments' schema is invalid: {error}"));
        }
        if spec.args_schema.get("type") != Some(&Value::from("object")) {
            flaw("the arguments are not an object: make `Args` a struct with named fields");
        }
    }

    /// Checks the precondition alone: it must not move anything, even if it passes.
    fn precondition(&mut self, args: &Value) {
        let (mut robot, log) = self.probed(None);
        let held = robot.held.clone();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            drop(self.skill.may_start(&mut robot, args));
        }));
        if ran.is_err() {
            self.report
                .add(Rule::NeverPanics, Some(args), "the precondition panicked");
        }
        self.untouched(args, &log, held == robot.held, "the precondition");
    }

    fn untouched(&mut self, args: &Value, log: &Log, same_held: bool, who: &str) {
        let n_motions = log.read().n_motions;
        if n_motions > 0 {
            let detail = format!("{who} moved the arm or the gripper {n_motions} times");
            self.report.add(Rule::RefusesUntouched, Some(args), detail);
        }
        if !same_held {
            let detail = format!("{who} changed `robot.held`");
            self.report.add(Rule::RefusesUntouched, Some(args), detail);
        }
    }

    /// Compares the state after a call with the declared effects.
    fn effects(&mut self, args: &Value, robot: &mut Robot, held: Option<&ObjectId>) {
        let held = robot.held.as_ref().map(|now| &now.id).or(held).cloned();
        let Ok(percept) = robot.perceive() else {
            return;
        };
        let (Ok(observation), Ok(hand)) = (robot.observe(), robot.in_hand(&percept)) else {
            return;
        };
        for operator in self.spec.operators.iter().filter(|o| o.is_all_of(args)) {
            let held = held.as_ref().map(ObjectId::as_str);
            let Some(mut bound) = operator.bound(args, held) else {
                continue;
            };
            for name in bound.values_mut().flatten() {
                if let Ok(object) = robot.find(&percept, name) {
                    *name = object.id.to_string();
                }
            }
            for literal in operator.brings {
                let Some(fact) = literal.fact(&bound) else {
                    continue;
                };
                let goal = match Goal::from(fact.clone()) {
                    Goal::Declared { .. } => continue,
                    goal => goal.in_or_on_by_shape(&percept),
                };
                let status = Evidence {
                    percept: &percept,
                    observation: &observation,
                    hand: &hand,
                    moving: &[],
                    robot: &robot.info,
                }
                .judge(&goal);
                if status.is_met() != literal.holds {
                    let holds = ["does not hold", "holds"][usize::from(literal.holds)];
                    let found = match status {
                        GoalStatus::Met => "it holds".to_owned(),
                        GoalStatus::Unmet(why) => why,
                    };
                    let detail = format!(
                        "`OPERATORS` declares that `{fact}` {holds} after the call, but {found}"
                    );
                    self.report.add(Rule::BringsAbout, Some(args), detail);
                }
            }
        }
    }

    fn good_call(&mut self, args: &Value) {
        let held = (self.robot)().held.map(|held| held.id);
        let mut first = self.call(args, None);
        let Some(result) = &first.result else {
            return;
        };
        if !result.success {
            let reason = result.reason.as_ref().map_or("", Reason::slug);
            let detail = format!("the call failed: {reason} - {}", result.reason_detail);
            self.report.add(Rule::GoodCallsSucceed, Some(args), detail);
        }
        let succeeded = result.success;
        self.repeat(args, &mut first);
        if succeeded {
            self.effects(args, &mut first.robot, held.as_ref());
        }
        let n_actions = first.log.read().n_actions;
        let every = n_actions.div_ceil(MAX_STOPS).max(1);
        for stop_at in (0..n_actions).step_by(every) {
            self.stopped_call(args, stop_at);
        }
    }

    fn repeat(&mut self, args: &Value, first: &mut Called) {
        let mut again = self.call(args, None);
        let digests = [first.robot.digest_text(), again.robot.digest_text()];
        if first.result != again.result {
            let detail = "the same call on the same robot gave a different result";
            self.report.add(Rule::Deterministic, Some(args), detail);
        } else if digests[0] != digests[1] {
            let detail = format!(
                "the same call on the same robot led to a different world state (digest {}, then \
                 {})",
                digests[0], digests[1]
            );
            self.report.add(Rule::Deterministic, Some(args), detail);
        }
    }

    fn stopped_call(&mut self, args: &Value, stop_at: usize) {
        let called = self.call(args, Some(stop_at));
        let now_secs = called.robot.time_secs();
        let (Some(after), Some(result)) = (called.log.after_stop(now_secs), called.result) else {
            return;
        };
        let report = &mut self.report;
        report.n_stopped += 1;
        report.slowest_stop_sim_secs = report.slowest_stop_sim_secs.max(after.sim_secs);
        report.slowest_stop_wall = report.slowest_stop_wall.max(after.wall);
        if after.sim_secs > Report::STOP_WITHIN_SECS {
            let detail = format!(
                "stopped at action {stop_at}, the skill continued for {:.3} s of simulated time \
                 (limit {} s): pass failures on with `?`",
                after.sim_secs,
                Report::STOP_WITHIN_SECS
            );
            report.add(Rule::Stops, Some(args), detail);
        }
        if !result.success && result.reason != Some(Reason::Cancelled) {
            let reason = result.reason.as_ref().map_or("nothing", Reason::slug);
            let detail =
                format!("stopped at action {stop_at}, it returned `{reason}`, not `cancelled`");
            report.add(Rule::Stops, Some(args), detail);
        }
    }

    fn misspelt(&mut self, args: &Value) {
        let called = self.call(args, None);
        let Some(result) = called.result else {
            return;
        };
        if result.reason != Some(Reason::BadArguments) {
            let detail = "an unknown argument is not rejected as `bad_arguments`: put \
                 `#[serde(deny_unknown_fields)]` on `Args`";
            self.report.add(Rule::Described, Some(args), detail);
        }
    }

    fn hostile_calls(&mut self, all: &[Value]) {
        let mut as_new = None;
        for args in all {
            let (robot, log) = as_new.take().unwrap_or_else(|| self.probed(None));
            let called = self.call_on(robot, log, args);
            // Most calls are rejected before anything happens, so the next one can use the same
            // robot.
            let is_as_new = called.result.is_some() && called.log.read().n_actions == 0;
            as_new = is_as_new.then_some((called.robot, called.log));
        }
    }

    fn probed(&self, stop_at: Option<usize>) -> (Robot, Log) {
        probed((self.robot)(), stop_at)
    }

    fn call(&mut self, args: &Value, stop_at: Option<usize>) -> Called {
        let (robot, log) = self.probed(stop_at);
        self.call_on(robot, log, args)
    }

    /// Calls the skill and checks the result against the rules for every call.
    fn call_on(&mut self, mut robot: Robot, log: Log, args: &Value) -> Called {
        let held = robot.held.clone();
        self.report.n_calls += 1;
        let answer = catch_unwind(AssertUnwindSafe(|| self.skill.call(&mut robot, args)));
        let result = match answer {
            Ok(result) => Some(result),
            Err(panic) => {
                let detail = format!("the skill panicked: {}", words_of(panic.as_ref()));
                self.report.add(Rule::NeverPanics, Some(args), detail);
                None
            }
        };
        if let Some(result) = &result {
            self.answer(args, result, &log);
            if !result.success && result.phase == Phase::Precondition {
                self.untouched(args, &log, held == robot.held, "a rejected call");
            }
        }
        Called { robot, log, result }
    }

    fn answer(&mut self, args: &Value, result: &SkillResult, log: &Log) {
        let mut found = |rule, detail: &str| self.report.add(rule, Some(args), detail);
        let mut silent = |detail: &str| found(Rule::SaysWhy, detail);
        match &result.reason {
            None if !result.success => silent("the call failed without a reason"),
            Some(reason) if result.success => {
                silent(&format!(
                    "the call succeeded with the reason `{reason}`, but a success has no reason"
                ));
            }
            Some(reason) if !is_slug(reason.slug()) => {
                silent(&format!("the reason `{reason}` is not in snake_case"));
            }
            _ => {}
        }
        let detail = result.reason_detail.trim();
        let is_slug_only = result.reason.as_ref().is_some_and(|r| r.slug() == detail);
        if detail.is_empty() || is_slug_only {
            silent("`reason_detail` has no sentence that describes the outcome");
        }
        let seen = log.read();
        if seen.n_motions > 0 && !result.world_changed {
            let detail =
                "the skill moved `robot.world` itself; use `robot.follow` and `robot.grip`";
            found(Rule::MovesWatched, detail);
        }
        if seen.is_endless {
            let detail = "the call did not end within 5 simulated minutes and was stopped";
            found(Rule::Ends, detail);
        }
    }
}

fn is_slug(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
