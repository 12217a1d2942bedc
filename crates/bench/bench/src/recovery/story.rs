//! Events and judgement of one episode with an injected fault.

use regrasp_api::{
    Event, EventSink, FinalReason, Reason, SkillCall, StampedEvent, StateAfter, Trigger,
};
use regrasp_ground_truth::Episode;
use regrasp_scene::TaskInstance;
use serde::{Deserialize, Serialize};

use crate::{Key, Record};

/// Expected outcome of a class of faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassInfo {
    /// Name of the class.
    pub name: String,
    /// Set if the task can be done in spite of the fault.
    pub recoverable: bool,
    /// Correct first signs: failure reasons, or `plan_failed`, `call_refused`, `goal_not_met`.
    pub signs: Vec<String>,
    /// Correct final reasons if the class is not recoverable. Otherwise, final reasons that are
    /// correct if the faults exceed the agent's budgets; such episodes are counted separately.
    pub ends: Vec<FinalReason>,
}

/// Records the events of an episode that matter for recovery.
#[derive(Clone, Debug, Default)]
pub struct Story {
    now: Option<SkillCall>,
    failed: Vec<(SkillCall, Reason, StateAfter)>,
    /// First sign of trouble, with its detail.
    pub first_sign: Option<(String, String)>,
    /// All steps with their results, and all new plans.
    pub trail: Vec<String>,
    /// Maximum number of consecutive failed steps.
    pub failed_in_a_row: usize,
    n_in_a_row: usize,
    /// Steps that repeated a failed call and failed for the same reason, although no object had
    /// moved in between.
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

/// Returns true if the same objects are seen and held, and none moved by more than 5 mm.
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

/// Record of one judged episode with injected faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryRecord {
    /// Class of faults.
    pub class: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Name of the task.
    pub task: String,
    /// Seed of the episode.
    pub seed: u64,
    /// Set if the episode ended correctly: with success if the class is recoverable, otherwise with
    /// an expected final reason. Episodes beyond the budgets also count.
    pub right_end: bool,
    /// Set if a recoverable class caused at least as many consecutive failed steps as the agent may
    /// make without a person, and the agent said so at the end.
    pub beyond: bool,
    /// Set if the infrastructure failed in a way that the class did not inject.
    #[serde(default)]
    pub infrastructure: bool,
    /// Set if the first sign of trouble was correct; without a sign, if the end was. `None` if the
    /// agent recovered without a sign.
    pub right_sign: Option<bool>,
    /// Set if the agent claims a success that the judge denies.
    pub false_success: bool,
    /// Number of replans.
    pub replans: usize,
    /// Steps that repeated a failed call and failed again for the same reason.
    pub wasted: usize,
    /// Tokens used by a model's plans.
    #[serde(default)]
    pub tokens: u64,
    /// Real duration, s. The only field that differs between machines.
    #[serde(default)]
    pub wall_secs: f64,
    /// First sign of trouble.
    pub sign: Option<String>,
    /// Final reason of the episode.
    pub end: FinalReason,
    /// Details of the first sign and of the end, and the unmet conditions, separated by `|`.
    pub detail: String,
    /// All steps with their results, and all new plans.
    pub trail: Vec<String>,
}

impl RecoveryRecord {
    /// Name of the group of a class's episodes with one strategy.
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

/// Judges an episode by ground truth and story. `human_after` is the number of consecutive failed
/// steps after which the agent asks a person.
pub fn judge_recovery(
    class: &ClassInfo,
    strategy: &str,
    instance: &TaskInstance,
    outcome: &Episode,
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
        // No step failed: the end itself is the sign, or a skill recovered silently.
        None => (!class.recoverable || !right_end).then_some(right_end),
    };
    let infrastructure = result.final_reason.is_infrastructure()
        && !class.ends.contains(&result.final_reason)
        && right_sign != Some(true);
    let sign = story.first_sign.as_ref().map_or("", |(_, detail)| detail);
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
        detail: format!("{sign} | {} | {}", result.final_detail, judged.join("; ")),
        trail: story.trail.clone(),
    }
}
