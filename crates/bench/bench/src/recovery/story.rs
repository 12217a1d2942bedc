//! One episode with a fault in it.

use regrasp_api::{
    Event, EventSink, FinalReason, Reason, SkillCall, StampedEvent, StateAfter, Trigger,
};
use regrasp_scene::TaskInstance;
use serde::{Deserialize, Serialize};

use crate::{EpisodeOutcome, Key, Record};

/// What is expected where a class of faults strikes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassInfo {
    /// Its name.
    pub name: String,
    /// Whether the task can be done in spite of it.
    pub recoverable: bool,
    /// Right first signs: reasons of failed steps, or `plan_failed`, `call_refused`,
    /// `goal_not_met`.
    pub signs: Vec<String>,
    /// Right ends, if it is not recoverable. If it is, those that are right where chance let
    /// more go wrong than the agent's budgets bear: such episodes are counted apart.
    pub ends: Vec<FinalReason>,
}

/// Listens to an episode and remembers what matters for recovery.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// What is being done.
    now: Option<SkillCall>,
    failed: Vec<(SkillCall, Reason, StateAfter)>,
    /// The first sign of trouble, and what was said about it.
    pub first_sign: Option<(String, String)>,
    /// Every step, with how it ended, and every new plan.
    pub trail: Vec<String>,
    /// Steps that failed one after the other, at most.
    pub failed_in_a_row: usize,
    n_in_a_row: usize,
    /// Steps whose very call had failed before, for the same reason, and did again, with
    /// everything where it was.
    pub wasted: usize,
}

impl Story {
    fn sign(&mut self, slug: &str, detail: &str) {
        let sign = || (slug.to_owned(), detail.to_owned());
        self.first_sign.get_or_insert_with(sign);
    }
}

impl EventSink for Story {
    fn emit(&mut self, event: &StampedEvent) {
        match &event.event {
            Event::StepStarted { skill, args, .. } => {
                self.now = Some(SkillCall::new(skill, args.clone()));
            }
            Event::StepFinished { result, .. } => {
                let Some(call) = self.now.take() else {
                    return;
                };
                let ended = result.reason.as_ref().map_or("ok", Reason::slug);
                self.trail.push(format!("{call}: {ended}"));
                let Some(reason) = &result.reason else {
                    self.n_in_a_row = 0;
                    return;
                };
                self.n_in_a_row += 1;
                self.failed_in_a_row = self.failed_in_a_row.max(self.n_in_a_row);
                self.sign(reason.slug(), &result.reason_detail);
                let is_same = |(c, r, after): &(SkillCall, Reason, StateAfter)| {
                    *c == call && r == reason && is_unchanged(after, &result.state_after)
                };
                self.wasted += usize::from(self.failed.iter().any(is_same));
                let after = result.state_after.clone();
                self.failed.push((call, reason.clone(), after));
            }
            Event::PlanFailed { error, .. } => self.sign("plan_failed", error),
            Event::CallRefused { call, why, .. } => {
                self.trail.push(format!("{call}: refused"));
                self.sign("call_refused", why);
            }
            Event::PlanRevised { version } => {
                self.trail.push(format!("plan {}", version.version));
                if version.trigger == Trigger::GoalNotMet {
                    self.sign("goal_not_met", &version.why);
                }
            }
            _ => {}
        }
    }
}

/// Whether nothing was brought anywhere else: what is seen within 5 mm of where it was
/// counts as there.
fn is_unchanged(before: &StateAfter, after: &StateAfter) -> bool {
    const SAME_M: f64 = 0.005;
    let (Some(was), Some(is)) = (&before.objects, &after.objects) else {
        return false;
    };
    let stays = |(id, pose): (_, &regrasp_api::Pose)| {
        is.get(id)
            .is_some_and(|now| (now.translation.vector - pose.translation.vector).norm() <= SAME_M)
    };
    before.held == after.held && was.len() == is.len() && was.iter().all(stays)
}

/// One episode as the judge saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryRecord {
    /// The class of faults.
    pub class: String,
    /// Who was in charge.
    pub strategy: String,
    /// The task.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// Whether it ended as it should: done, or, where that cannot be, a right end.
    pub right_end: bool,
    /// Whether more steps failed in a row than the agent may bear without a person, of a
    /// class that can recover, and it ended by saying so.
    pub beyond: bool,
    /// True if the machinery failed, and not as the class planned: no fault of the agent.
    #[serde(default)]
    pub infrastructure: bool,
    /// Whether the first sign of trouble was a right one; `None` if there was none and
    /// none was due.
    pub right_sign: Option<bool>,
    /// Whether the agent claims to have done what it has not.
    pub false_success: bool,
    /// Questions to the planner because of trouble.
    pub replans: usize,
    /// Steps that repeated what had failed, and failed alike.
    pub wasted: usize,
    /// Tokens that a model's plans took.
    #[serde(default)]
    pub tokens: u64,
    /// Real time that it took, s. The one figure that another machine does not repeat.
    #[serde(default)]
    pub wall_secs: f64,
    /// The first sign of trouble.
    pub sign: Option<String>,
    /// How it ended.
    pub end: FinalReason,
    /// First sign and end in sentences, for whoever looks into it.
    pub detail: String,
    /// Every step, with how it ended, and every new plan.
    pub trail: Vec<String>,
}

impl RecoveryRecord {
    /// The name of the group of a class's episodes with one strategy.
    pub fn group(class: &str, strategy: &str) -> String {
        format!("{class} ({strategy})")
    }
}

impl Record for RecoveryRecord {
    fn key(&self) -> Key {
        Key {
            group: Self::group(&self.class, &self.strategy),
            seed: self.seed,
        }
    }
}

/// Judges an episode by the world's truth and its story. `human_after` is the agent's budget
/// of failed steps in a row.
pub fn judge_recovery(
    class: &ClassInfo,
    strategy: &str,
    instance: &TaskInstance,
    outcome: &EpisodeOutcome,
    story: &Story,
    human_after: usize,
) -> RecoveryRecord {
    let result = &outcome.result;
    let unmet = instance.success.unmet_in(&outcome.seen());
    let is_done = result.success && unmet.is_empty();
    let ends_right = !result.success && class.ends.contains(&result.final_reason);
    let beyond = class.recoverable && ends_right && story.failed_in_a_row >= human_after;
    let right_end = if class.recoverable {
        is_done || beyond
    } else {
        ends_right
    };
    let is_right = |sign: &str| class.signs.iter().any(|right| right == sign);
    let right_sign = match &story.first_sign {
        Some((sign, _)) => Some(is_right(sign)),
        // Where the end itself is the sign, or the skill coped without a word.
        None => (!class.recoverable || !right_end).then_some(right_end),
    };
    let infrastructure = result.final_reason.is_infrastructure()
        && !class.ends.contains(&result.final_reason)
        && right_sign != Some(true);
    let said = story.first_sign.as_ref().map_or("", |(_, detail)| detail);
    let judged: Vec<_> = unmet.iter().map(ToString::to_string).collect();
    RecoveryRecord {
        class: class.name.clone(),
        strategy: strategy.to_owned(),
        task: instance.name.clone(),
        seed: instance.seed,
        right_end,
        beyond,
        infrastructure,
        right_sign,
        false_success: result.success && !unmet.is_empty(),
        replans: result.replans,
        wasted: story.wasted,
        tokens: result.tokens,
        wall_secs: result.wall_s,
        sign: story.first_sign.as_ref().map(|(sign, _)| sign.clone()),
        end: result.final_reason,
        detail: format!("{said} | {} | {}", result.final_detail, judged.join("; ")),
        trail: story.trail.clone(),
    }
}
