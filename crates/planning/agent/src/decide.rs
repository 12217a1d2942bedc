//! Decides about a failed step by the rule of its reason and the evidence.

use regrasp_api::{Decision, HandUse, PlanStep, PriorAttempt, Route, SkillSpec};

use crate::approval::names_in;
use crate::table::Rule;

pub(crate) struct Evidence<'a> {
    pub(crate) rule: Rule,
    pub(crate) attempt: &'a PriorAttempt,
    /// True if the skill proposes other arguments for a retry.
    pub(crate) can_vary: bool,
    /// True if a repetition is pointless: the same call failed before in the present scene, or the
    /// same step failed in the same way and left the scene as it is.
    pub(crate) hopeless: bool,
    /// Retries of the failed step so far.
    pub(crate) n_retries: u8,
    /// Steps after the failed one.
    pub(crate) remaining: &'a [PlanStep],
    /// Number of remaining steps that are not valid any more.
    pub(crate) n_invalid: usize,
}

/// Chooses the reaction to a failed step by this state machine:
///
/// ```text
/// usable though unexpected ──► continue
/// transient, and something is different ──► retry ── tried often enough ──┐
/// only this step is affected ──► substitute                               ▼
/// more than half of what is left is invalid ──► full replan ◄── no ── replan the rest
/// nothing can help ──► abort
/// ```
pub(crate) fn decide(evidence: &Evidence<'_>) -> Decision {
    let Evidence { rule, .. } = evidence;
    let (route, why) = match rule.route {
        Route::Retry => retry(evidence),
        Route::Substitute => substitute(evidence),
        Route::Replan => replan(evidence),
        Route::Continue => (Route::Continue, "the result is usable as it is".into()),
        Route::FullReplan | Route::Ask => {
            (rule.route, "the rule for this reason requires it".into())
        }
        Route::Abort => (Route::Abort, "no plan can repair this".into()),
    };
    Decision {
        route,
        severity: rule.severity,
        category: rule.category,
        why,
    }
}

fn retry(evidence: &Evidence<'_>) -> (Route, String) {
    if evidence.n_retries >= evidence.rule.max_retries {
        let (route, why) = replan(evidence);
        return (
            route,
            format!("retried {} times; {why}", evidence.n_retries),
        );
    }
    if evidence.can_vary {
        return (Route::Retry, "the skill suggests other arguments".into());
    }
    // One failure may be chance; two in the same scene are not.
    if evidence.attempt.world_changed && !evidence.hopeless {
        return (Route::Retry, "the robot has moved since".into());
    }
    let (route, why) = replan(evidence);
    let why = format!("nothing changed, so it would fail again; {why}");
    (route, why)
}

fn substitute(evidence: &Evidence<'_>) -> (Route, String) {
    if evidence.n_invalid > 0 {
        return replan(evidence);
    }
    let why = format!(
        "the {} following steps stay valid",
        evidence.remaining.len()
    );
    (Route::Substitute, why)
}

fn replan(evidence: &Evidence<'_>) -> (Route, String) {
    let (n_invalid, n) = (evidence.n_invalid, evidence.remaining.len());
    let route = if 2 * n_invalid > n {
        Route::FullReplan
    } else {
        Route::Replan
    };
    let why = format!("{n_invalid} of {n} remaining steps are invalid");
    (route, why)
}

/// Counts the remaining steps that a failure makes invalid: those about an object of the failure,
/// and those that need a full hand but would find it empty, or the reverse.
pub(crate) fn n_invalid(
    remaining: &[PlanStep],
    attempt: &PriorAttempt,
    holds_something: bool,
    specs: &[SkillSpec],
) -> usize {
    let mut full = holds_something;
    let failed_names = attempt
        .call()
        .map_or_else(Vec::new, |call| names_in(&call.args));
    let is_invalid = |step: &PlanStep| {
        let spec = specs.iter().find(|spec| spec.name == step.call.skill);
        let hand = spec.map_or(HandUse::Any, |spec| spec.hand);
        let fits = match hand {
            HandUse::Any => true,
            HandUse::Takes | HandUse::Empty => !full,
            HandUse::Releases | HandUse::Keeps => full,
        };
        match hand {
            HandUse::Takes if fits => full = true,
            HandUse::Releases => full = false,
            _ => {}
        }
        let names = names_in(&step.call.args);
        let about_it = names.iter().any(|name| {
            failed_names.contains(name) || attempt.entities.iter().any(|id| id.as_str() == *name)
        });
        !fits || about_it
    };
    remaining.iter().map(is_invalid).filter(|is| *is).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::RuleTable;
    use regrasp_api::{Reason, SkillCall, SkillResult};
    use serde_json::{Value, json};

    fn attempt(reason: Reason, args: Value, world_changed: bool) -> PriorAttempt {
        let failure = regrasp_api::Failure::new(reason, "as measured");
        let result = SkillResult {
            world_changed,
            ..failure.into()
        };
        PriorAttempt::new(0, SkillCall::new("pick", args), result)
    }

    #[track_caller]
    fn check(reason: Reason, world_changed: bool, n_retries: u8, invalid: usize, expected: Route) {
        let usual = [world_changed, false, false];
        check_of(reason, usual, n_retries, invalid, expected);
    }

    /// Flags: the world changed, a repetition is hopeless, the skill can vary its arguments.
    #[track_caller]
    fn check_of(
        reason: Reason,
        [world_changed, hopeless, can_vary]: [bool; 3],
        n_retries: u8,
        n_invalid: usize,
        expected: Route,
    ) {
        let steps = ["a", "b", "c", "d"].map(|name| SkillCall::new(name, json!({})).into());
        let decision = decide(&Evidence {
            rule: RuleTable::default().rule(&reason),
            attempt: &attempt(reason, json!({}), world_changed),
            can_vary,
            hopeless,
            n_retries,
            remaining: &steps,
            n_invalid,
        });
        assert_eq!(decision.route, expected, "{}", decision.why);
    }

    #[test]
    fn transient_failures_are_retried_while_something_differs() {
        check(Reason::GraspMissed, true, 0, 0, Route::Retry);
        check(Reason::GraspMissed, true, 1, 0, Route::Retry);
        check(Reason::GraspMissed, true, 2, 0, Route::Replan);
        check(Reason::GraspMissed, false, 0, 0, Route::Replan);
    }

    #[test]
    fn nothing_is_tried_a_third_time_in_the_same_scene() {
        let check = |hopeless, can_vary, expected| {
            let flags = [true, hopeless, can_vary];
            check_of(Reason::GraspMissed, flags, 1, 0, expected);
        };
        check(false, false, Route::Retry);
        check(true, false, Route::Replan);
        check(true, true, Route::Retry);
    }

    #[test]
    fn the_plan_is_kept_as_far_as_it_is_valid() {
        check(Reason::TargetOccupied, false, 0, 0, Route::Substitute);
        check(Reason::TargetOccupied, false, 0, 1, Route::Replan);
        check(Reason::ObjectCovered, false, 0, 2, Route::Replan);
        check(Reason::ObjectCovered, false, 0, 3, Route::FullReplan);
        check(Reason::DisturbedOther, true, 0, 4, Route::Continue);
        check(Reason::SimDiverged, true, 0, 0, Route::Abort);
    }

    #[test]
    fn steps_that_find_the_wrong_thing_in_the_hand_are_invalid() {
        let spec = regrasp_testkit::skill_spec;
        let specs = [
            spec("pick", HandUse::Takes),
            spec("place_on", HandUse::Releases),
        ];
        let step = |skill: &str, args| PlanStep::from(SkillCall::new(skill, args));
        let remaining = [
            step("place_on", json!({"target": "plate"})),
            step("pick", json!({"object": "can"})),
            step("place_on", json!({"target": "tray"})),
            step("pick", json!({"object": "mug"})),
        ];
        let failed = attempt(Reason::GraspMissed, json!({"object": "mug"}), true);
        // The first placement has nothing to place; the last pick is about the mug.
        assert_eq!(n_invalid(&remaining, &failed, false, &specs), 2);
    }
}
