//! Main loop of an episode, from the first percept to the result.

use std::time::Duration;

use regrasp_api::{
    EpisodeResult, Event, Failure, FinalReason, Goal, GoalStatus, ObjectId, SkillCall, SkillSpec,
    StoreError, Trigger,
};

use crate::Agent;
use crate::goals::unmet;
use crate::kept::{Keep, RunError};
use crate::memory;
use crate::sight::{Sight, View};
use crate::state::{Ask, End, NextAction, STOPPED, State};

pub(crate) struct ActiveEpisode<'a> {
    pub(crate) agent: &'a mut Agent,
    pub(crate) state: State,
    pub(crate) specs: Vec<SkillSpec>,
    pub(crate) sight: Sight,
    keep: Option<Keep<'a>>,
    started: Duration,
    /// Wall time in earlier processes, s.
    earlier_wall_secs: f64,
}

impl<'a> ActiveEpisode<'a> {
    pub(crate) fn begin(agent: &'a mut Agent, task: &str, keep: Option<Keep<'a>>) -> Self {
        let now_secs = agent.robot.time_secs();
        agent.robot.emit(Event::EpisodeStarted {
            task: task.to_owned(),
            seed: agent.options.seed,
            planner: agent.planner.name().to_owned(),
            perception: agent.robot.perception.name().to_owned(),
        });
        Self::new(agent, State::new(task, now_secs), keep)
    }

    /// Resumes a run. If the world could not be restored, it is perceived: the plan is kept if
    /// nothing has changed, and replaced otherwise.
    pub(crate) fn resume(
        agent: &'a mut Agent,
        state: State,
        keep: Keep<'a>,
        not_restored: Option<String>,
    ) -> Self {
        let is_restored = not_restored.is_none();
        agent.robot.emit(Event::Resumed {
            after_steps: state.spent.steps,
            not_restored,
        });
        let mut episode = Self::new(agent, state, Some(keep));
        if !is_restored {
            episode.look_again();
        }
        episode
    }

    /// Perceives the scene after an interruption.
    fn look_again(&mut self) {
        let before = self.state.view.clone();
        let seen = Sight::at_once(&mut self.agent.robot).and_then(|sight| {
            if self.agent.robot.held.is_none() {
                self.agent.robot.recognise_held(&sight.percept)?;
            }
            Sight::at_once(&mut self.agent.robot)
        });
        match seen {
            Ok(sight) => self.sight = sight,
            Err(failure) => {
                self.state.next = self.perception_failed(&failure);
                return;
            }
        }
        self.saw();
        let is_under_way = matches!(self.state.next, NextAction::Step | NextAction::Verify);
        if is_under_way && !before.is_same(&self.state.view) {
            let why = "the world changed since the run was interrupted";
            self.state.next = NextAction::ask(Trigger::Resumed, why);
        }
    }

    fn new(agent: &'a mut Agent, state: State, keep: Option<Keep<'a>>) -> Self {
        Self {
            specs: agent.skills.specs(),
            started: agent.clock.now(),
            earlier_wall_secs: state.spent.wall_secs,
            agent,
            state,
            sight: Sight::default(),
            keep,
        }
    }

    pub(crate) fn run(mut self) -> Result<EpisodeResult, RunError> {
        loop {
            let next = match self.state.next.clone() {
                NextAction::Ask(ask) => self.ask(ask),
                NextAction::Step => self.step(),
                NextAction::Verify => self.verify(),
                NextAction::End(end) => return self.finish(&end),
            };
            self.state.next = next;
            if let Err(end) = self.save()? {
                return self.finish(&end);
            }
        }
    }

    /// Saves the state. If the store fails, the episode ends, since a later state could not be
    /// resumed. If another process has taken over the run, that is an error.
    fn save(&mut self) -> Result<Result<(), End>, RunError> {
        self.state.spent.wall_secs = self.wall_secs();
        self.state.sim_secs = self.sim_secs();
        let Some(keep) = &mut self.keep else {
            return Ok(Ok(()));
        };
        if ends_resumably(&self.state.next) {
            return Ok(Ok(()));
        }
        match keep.save(self.agent, &mut self.state) {
            Ok(()) => Ok(Ok(())),
            Err(RunError::Store(error)) if is_taken(&error) => Err(error.into()),
            Err(RunError::Store(error)) => {
                let detail = format!("failed to {error}");
                Ok(Err(End::new(FinalReason::StoreUnavailable, detail)))
            }
            Err(error) => Err(error),
        }
    }

    fn finish(mut self, end: &End) -> Result<EpisodeResult, RunError> {
        self.state.spent.wall_secs = self.wall_secs();
        let options = &self.agent.options;
        let mut result = self.state.result(end, options.seed, &options.version);
        result.sim_s = self.sim_secs();
        result.state_digest = self.agent.robot.digest_text();
        if let Some(keep) = self.keep.as_mut().filter(|_| !end.is_resumable()) {
            match keep.finish(&self.state.task, &result) {
                Ok(()) => {}
                Err(RunError::Store(error)) if !is_taken(&error) => {
                    // A process that resumes the run will record the same result.
                    let was = result.final_reason;
                    let detail = format!("failed to {error}; the episode had already ended: {was}");
                    result.final_reason = FinalReason::StoreUnavailable;
                    result.success = false;
                    result.final_answer = None;
                    result.final_detail = detail;
                }
                Err(error) => return Err(error),
            }
        }
        memory::remember(self.agent, &self.state, &result);
        self.agent.robot.emit(Event::EpisodeFinished {
            result: result.clone(),
        });
        Ok(result)
    }

    /// Verifies the goals after the last step, with all objects at rest. Without goals, the hand
    /// must still hold what it took.
    fn verify(&mut self) -> NextAction {
        if self.state.goals.is_empty() && self.agent.robot.held.is_none() {
            self.state.goal_met = true;
            return self.done();
        }
        if let Err(failure) = self.look() {
            return self.perception_failed(&failure);
        }
        if self.all_hold() && self.state.goals.on_the_way().is_none() {
            return self.done();
        }
        self.goal_missed()
    }

    /// Perceives the scene, with all objects at rest unless no step was made yet.
    pub(crate) fn look(&mut self) -> Result<(), Failure> {
        if self.state.spent.steps > 0 {
            return self.look_at_rest();
        }
        self.sight = Sight::at_once(&mut self.agent.robot)?;
        self.saw();
        Ok(())
    }

    fn look_at_rest(&mut self) -> Result<(), Failure> {
        self.sight = Sight::at_rest(&mut self.agent.robot)?;
        self.saw();
        Ok(())
    }

    fn saw(&mut self) {
        let percept = &self.sight.percept;
        self.state.goals.ground(percept);
        let movable = percept.objects.iter().filter(|o| o.movable);
        self.state.view = View::of(&self.agent.robot, movable);
    }

    /// Replans after a failure of perception, or ends the episode.
    pub(crate) fn perception_failed(&mut self, failure: &Failure) -> NextAction {
        match FinalReason::forced_by(&failure.reason) {
            Some(reason) => NextAction::end(reason, &*failure.detail),
            None => {
                let ask = Ask::new(Trigger::Blind, &*failure.detail);
                self.request_replan(ask, FinalReason::ReplanExhausted)
            }
        }
    }

    /// Judges each goal in the last percept. Without goals, it judges that the hand holds what it
    /// took.
    pub(crate) fn judged(&mut self) -> Vec<(Goal, GoalStatus)> {
        let mut goals = self.state.goals.goals.clone();
        if goals.is_empty() {
            let taken = self.sight.taken();
            goals.extend(taken.map(|object| Goal::Holding { object }));
        }
        self.judge_goals(goals)
    }

    /// Judges goals in the last percept. After a failed observation all are unmet.
    fn judge_goals(&mut self, goals: Vec<Goal>) -> Vec<(Goal, GoalStatus)> {
        let robot = &mut self.agent.robot;
        let observation = robot.observe();
        let judged = goals.into_iter().map(|goal| {
            let status = match &observation {
                Ok(now) => self.sight.evidence(now, &robot.info).judge(&goal),
                Err(failure) => GoalStatus::Unmet(failure.detail.to_string()),
            };
            (goal, status)
        });
        judged.collect()
    }

    /// Returns true if there are goals, all of them hold, and all intermediate goals have held.
    /// Then the rest of the plan is not needed.
    pub(crate) fn goals_hold(&mut self) -> bool {
        let goals = &self.state.goals;
        !goals.is_empty() && goals.on_the_way().is_none() && self.all_hold()
    }

    /// Records the intermediate goals that a step achieved, by the skill's declaration or by
    /// perception.
    pub(crate) fn pass(&mut self, call: &SkillCall, held: Option<&ObjectId>) {
        let spec = self.specs.iter().find(|spec| spec.name == call.skill);
        let effects = spec.map(|s| s.effects(&call.args, held.map(ObjectId::as_str)));
        let effects = effects.unwrap_or_default();
        while let Some(goal) = self.state.goals.on_the_way().cloned() {
            let is_declared = effects.contains(&goal.literal());
            let is_so =
                is_declared || (self.look().is_ok() && are_met(&self.judge_goals(vec![goal])));
            if !is_so {
                return;
            }
            self.state.goals.passed();
        }
    }

    /// Ends the episode if a goal began to hold that the task forbids.
    pub(crate) fn watch_rules(&mut self) -> Option<NextAction> {
        // The look may resolve phrases in the goals.
        if self.state.goals.never().is_empty() || self.look().is_err() {
            return None;
        }
        let judged = self.judge_goals(self.state.goals.never().to_vec());
        let now = judged.iter().map(|(_, status)| status.is_met());
        let goal = self.state.goals.begun(now.collect())?;
        let detail = format!("the task says never({goal}), but this goal holds now");
        Some(NextAction::end(FinalReason::GoalNotMet, detail))
    }

    /// Returns true if all goals hold with all objects at rest.
    fn all_hold(&mut self) -> bool {
        let mut judged = self.judged();
        let mut holds = are_met(&judged);
        if holds && !self.sight.is_settled {
            holds = self.look_at_rest().is_ok();
            judged = self.judged();
            holds &= are_met(&judged);
        }
        self.state.goal_met = holds;
        let goals = judged.into_iter().map(|(g, s)| (g.to_string(), s));
        self.agent.robot.emit(Event::GoalChecked {
            goals: goals.collect(),
        });
        holds
    }

    pub(crate) fn done(&self) -> NextAction {
        let reason = if self.state.spent.steps == 0 {
            FinalReason::AlreadyDone
        } else {
            FinalReason::PlanComplete
        };
        NextAction::end(reason, "")
    }

    /// Asks the planner again, or ends the episode if the replan budget is spent. Failures of
    /// all kinds count, also of the planner, unless a retry or a person handles them.
    pub(crate) fn request_replan(&mut self, ask: Ask, ends_as: FinalReason) -> NextAction {
        let budgets = &self.agent.options.budgets;
        if self.state.spent.replans < budgets.max_replans {
            self.state.spent.replans += 1;
            return NextAction::Ask(ask);
        }
        let acted = !self.state.goals.is_empty() && self.state.spent.steps > 0;
        if acted && self.look().is_ok() && self.goals_hold() {
            return self.done();
        }
        NextAction::end(ends_as, ask.why)
    }

    /// Checks cancellation and the time limits.
    pub(crate) fn within_limits(&mut self) -> Result<(), End> {
        if self.agent.robot.cancel.is_cancelled() {
            return Err(End::new(FinalReason::Cancelled, STOPPED));
        }
        let budgets = self.agent.options.budgets.clone();
        let (took_secs, limit_secs) = (self.sim_secs(), budgets.max_sim_secs);
        if took_secs > limit_secs {
            let detail = format!("{took_secs:.1} simulated seconds passed (limit {limit_secs} s)");
            return Err(End::new(FinalReason::Timeout, detail));
        }
        let took_secs = self.wall_secs();
        match budgets.max_wall_secs.filter(|limit| took_secs > *limit) {
            Some(limit) => {
                let detail = format!("{took_secs:.1} s of wall time passed (limit {limit} s)");
                Err(End::new(FinalReason::Timeout, detail))
            }
            None => Ok(()),
        }
    }

    /// Lists the goals that do not hold.
    pub(crate) fn what_is_left(&mut self) -> String {
        let mut left = unmet(&self.judged());
        let not_yet = self.state.goals.on_the_way();
        left.extend(not_yet.map(|goal| format!("{goal}: it has not held yet")));
        left.join("; ")
    }

    fn sim_secs(&self) -> f64 {
        self.agent.robot.time_secs() - self.state.started_sim_secs
    }

    fn wall_secs(&self) -> f64 {
        let here = self.agent.clock.now().saturating_sub(self.started);
        self.earlier_wall_secs + here.as_secs_f64()
    }
}

impl End {
    /// Returns true if a later process may resume the run, because it ended for reasons outside the
    /// robot.
    fn is_resumable(&self) -> bool {
        self.reason.is_infrastructure() && self.reason != FinalReason::SimDiverged
    }
}

fn are_met(judged: &[(Goal, GoalStatus)]) -> bool {
    judged.iter().all(|(_, status)| status.is_met())
}

/// Returns true if the run has another owner or has ended elsewhere.
fn is_taken(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::ConcurrentRun { .. } | StoreError::AlreadyFinished { .. }
    )
}

/// Returns true if the run ends in such a way that it can be resumed from the last saved state.
fn ends_resumably(next: &NextAction) -> bool {
    matches!(next, NextAction::End(end) if end.is_resumable())
}
