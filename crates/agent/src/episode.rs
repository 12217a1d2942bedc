use std::time::Instant;

use regrasp_api::{
    CompletedStep, EpisodeResult, Event, FinalReason, Goal, GoalStatus, Percept, Plan, PlanRequest,
    Planner, PriorAttempt, Reason, Robot, SkillCall, SkillSet, SkillSpec,
};
use serde_json::json;

use crate::AgentOptions;
use crate::goals::{Goals, unmet};
use crate::stop::{End, Stop, Trouble, attempt, describe};

/// How long to wait for objects to come to rest before the goal is judged, s.
const SETTLE_SECS: f64 = 1.0;

/// One task from the first look to the result.
pub(crate) struct Episode<'a> {
    robot: &'a mut Robot,
    skills: &'a SkillSet,
    planner: &'a mut dyn Planner,
    options: &'a AgentOptions,
    task: &'a str,
    specs: Vec<SkillSpec>,
    goals: Goals,
    attempts: Vec<PriorAttempt>,
    completed: Vec<CompletedStep>,
    steps: usize,
    planner_calls: usize,
    /// Rounds that ended in trouble and were followed by another one.
    rounds_repeated: usize,
    goal_met: bool,
    started: Instant,
    started_sim_secs: f64,
}

impl<'a> Episode<'a> {
    pub(crate) fn new(
        robot: &'a mut Robot,
        skills: &'a SkillSet,
        planner: &'a mut dyn Planner,
        options: &'a AgentOptions,
        task: &'a str,
    ) -> Self {
        let started_sim_secs = robot.observe().time_secs;
        Self {
            robot,
            skills,
            planner,
            options,
            task,
            specs: skills.specs(),
            goals: Goals::default(),
            attempts: vec![],
            completed: vec![],
            steps: 0,
            planner_calls: 0,
            rounds_repeated: 0,
            goal_met: false,
            started: Instant::now(),
            started_sim_secs,
        }
    }

    pub(crate) fn run(mut self) -> EpisodeResult {
        self.robot.emit(Event::EpisodeStarted {
            task: self.task.to_owned(),
            seed: self.options.seed,
            planner: self.planner.name().to_owned(),
            perception: self.robot.perception.name().to_owned(),
        });
        let end = loop {
            match self.round() {
                Ok(end) | Err(Stop::Final(end)) => break end,
                Err(Stop::Replan(trouble)) => {
                    if let Some(end) = self.spend(trouble) {
                        break end;
                    }
                }
            }
        };
        self.finish(end)
    }

    /// Looks, plans, acts and looks again, once.
    fn round(&mut self) -> Result<End, Stop> {
        self.check_limits()?;
        let percept = self.look()?;
        // What failed may have brought the goal about nevertheless.
        if self.goals_hold(&percept) {
            return Ok(self.done());
        }
        let plan = self.ask(&percept)?;
        if !plan.goals.is_empty() && self.goals.is_empty() {
            self.goals.adopt(&plan.goals);
            self.goals.ground(&percept);
            if self.goals_hold(&percept) {
                return Ok(self.done());
            }
        }
        self.refuse_hopeless(&plan, &percept)?;
        for call in &plan.steps {
            self.step(call)?;
        }
        self.verify()
    }

    fn look(&mut self) -> Result<Percept, Stop> {
        let percept = if self.steps == 0 {
            self.robot.perceive()?
        } else {
            self.robot.perceive_at_rest(SETTLE_SECS)?
        };
        self.goals.ground(&percept);
        Ok(percept)
    }

    fn ask(&mut self, percept: &Percept) -> Result<Plan, Stop> {
        let replan = self.planner_calls;
        self.robot.emit(Event::PlanRequested {
            task: self.task.to_owned(),
            replan,
        });
        self.planner_calls += 1;
        let observation = self.robot.observe();
        let request = PlanRequest {
            task: self.task,
            observation: &observation,
            percept,
            held: self.robot.held.as_ref(),
            attempts: &self.attempts,
            completed: &self.completed,
            skills: &self.specs,
            robot: &self.robot.info,
        };
        match pollster::block_on(self.planner.plan(&request)) {
            Ok(plan) => {
                let announced = plan.clone();
                self.robot.emit(Event::PlanReady {
                    replan,
                    plan: announced,
                });
                Ok(plan)
            }
            Err(error) => {
                self.robot.emit(Event::PlanFailed {
                    replan,
                    error: error.to_string(),
                });
                Err(self.with_last_failure(error.into()))
            }
        }
    }

    /// A plan that says itself that it cannot work, or that has nothing to do
    /// although something is left.
    fn refuse_hopeless(&mut self, plan: &Plan, percept: &Percept) -> Result<(), Stop> {
        let judged = self.goals.judge(self.robot, percept);
        if let Some(explanation) = &plan.infeasible {
            let detail = format!("{explanation}{}", partial_result(&judged));
            return Err(Stop::end(FinalReason::Infeasible, detail));
        }
        if plan.steps.is_empty() {
            let left = unmet(&judged).join("; ");
            let detail = if left.is_empty() {
                "the plan has neither steps nor goals".to_owned()
            } else {
                format!("the plan has no steps, but its goal does not hold ({left})")
            };
            return Err(self.with_last_failure(Stop::replan(FinalReason::NoPlan, detail)));
        }
        Ok(())
    }

    fn step(&mut self, call: &SkillCall) -> Result<(), Stop> {
        self.check_limits()?;
        if self.steps >= self.options.max_steps {
            let limit = self.options.max_steps;
            let detail = format!("{limit} steps were executed and the plan goes on ({call})");
            return Err(Stop::end(FinalReason::MaxSteps, detail));
        }
        let step_idx = self.steps;
        self.steps += 1;
        self.robot.emit(Event::StepStarted {
            step_idx,
            skill: call.skill.clone(),
            args: call.args.clone(),
        });
        let result = self.skills.call(self.robot, call);
        self.robot.emit(Event::StepFinished {
            step_idx,
            result: result.clone(),
        });
        if result.success {
            let call = call.clone();
            self.completed.push(CompletedStep { call, result });
            return Ok(());
        }
        let failed = attempt(step_idx, call, result);
        let stop = Stop::from_attempt(&failed);
        self.attempts.push(failed);
        Err(stop)
    }

    /// Every step succeeded; now the goal has to hold.
    fn verify(&mut self) -> Result<End, Stop> {
        if self.goals.is_empty() {
            self.goal_met = true;
            return Ok(self.done());
        }
        let percept = self.look()?;
        if self.goals_hold(&percept) {
            return Ok(self.done());
        }
        let judged = self.goals.judge(self.robot, &percept);
        let detail = unmet(&judged).join("; ");
        let mut missed: Vec<_> = judged.into_iter().filter(|(_, s)| !s.is_met()).collect();
        let names = missed.iter_mut().flat_map(|(goal, _)| goal.objects_mut());
        self.attempts.push(PriorAttempt {
            step_idx: self.steps,
            skill: String::new(),
            args: json!({}),
            reason: Reason::VerificationFailed,
            reason_detail: detail.clone(),
            entities: names.map(|name| name.clone()).collect(),
            world_changed: true,
        });
        let detail = format!("every step succeeded, but the goal does not hold: {detail}");
        Err(Stop::replan(FinalReason::GoalNotMet, detail))
    }

    /// Takes one replan from the budget; `Some` when there is none left. Every kind
    /// of trouble comes through here, a failing planner's too.
    fn spend(&mut self, trouble: Trouble) -> Option<End> {
        if self.rounds_repeated < self.options.max_replans {
            self.rounds_repeated += 1;
            return None;
        }
        let held_after_all = !self.goals.is_empty()
            && self.steps > 0
            && self.look().is_ok_and(|percept| self.goals_hold(&percept));
        if held_after_all {
            return Some(self.done());
        }
        Some(End::new(trouble.ends_as, trouble.detail))
    }

    fn goals_hold(&mut self, percept: &Percept) -> bool {
        if self.goals.is_empty() {
            return false;
        }
        let judged = self.goals.judge(self.robot, percept);
        self.goal_met = judged.iter().all(|(_, status)| status.is_met());
        let goals = judged.into_iter().map(|(g, s)| (g.to_string(), s));
        self.robot.emit(Event::GoalChecked {
            goals: goals.collect(),
        });
        self.goal_met
    }

    fn done(&self) -> End {
        let reason = if self.steps == 0 {
            FinalReason::AlreadyDone
        } else {
            FinalReason::PlanComplete
        };
        End::new(reason, "")
    }

    fn check_limits(&mut self) -> Result<(), Stop> {
        if self.robot.cancel.is_cancelled() {
            return Err(Stop::end(FinalReason::Cancelled, "a stop was asked for"));
        }
        let (took_secs, limit_secs) = (self.sim_secs(), self.options.max_sim_secs);
        if took_secs > limit_secs {
            let detail = format!("{took_secs:.1} simulated seconds passed (limit {limit_secs} s)");
            return Err(Stop::end(FinalReason::Timeout, detail));
        }
        Ok(())
    }

    /// A planner that fails after a skill failed should not hide what broke first.
    fn with_last_failure(&self, stop: Stop) -> Stop {
        let after = |detail: String| match self.attempts.last() {
            Some(failed) if !failed.skill.is_empty() => {
                format!("{detail} (after {})", describe(failed))
            }
            _ => detail,
        };
        match stop {
            Stop::Final(End { reason, detail }) => Stop::end(reason, after(detail)),
            Stop::Replan(Trouble { ends_as, detail }) => Stop::replan(ends_as, after(detail)),
        }
    }

    fn sim_secs(&mut self) -> f64 {
        self.robot.observe().time_secs - self.started_sim_secs
    }

    fn finish(mut self, end: End) -> EpisodeResult {
        let success = matches!(
            end.reason,
            FinalReason::PlanComplete | FinalReason::AlreadyDone
        );
        let result = EpisodeResult {
            success,
            goal_met: self.goal_met,
            replans: self.planner_calls.saturating_sub(1),
            steps: self.steps,
            planner_calls: self.planner_calls,
            final_reason: end.reason,
            final_detail: end.detail,
            wall_s: self.started.elapsed().as_secs_f64(),
            sim_s: self.sim_secs(),
            seed: self.options.seed,
            state_digest: format!("{:016x}", self.robot.world.state_digest()),
            version: self.options.version.clone(),
        };
        self.robot.emit(Event::EpisodeFinished {
            result: result.clone(),
        });
        result
    }
}

/// Which parts of a task with several parts hold: `; achieved: …; not achieved: …`.
fn partial_result(judged: &[(Goal, GoalStatus)]) -> String {
    if judged.len() < 2 {
        return String::new();
    }
    let list = |met: bool| {
        let goals = judged.iter().filter(|(_, s)| s.is_met() == met);
        let names: Vec<_> = goals.map(|(goal, _)| goal.to_string()).collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(", ")
        }
    };
    format!("; achieved: {}; not achieved: {}", list(true), list(false))
}
