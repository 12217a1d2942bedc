//! Rounds, tokens and time: every episode ends.

use crate::common::{Answer, Rig, act, check, fails, idle, lock, on, plan, stack, versions};
use regrasp_api::{FinalReason, Plan, SkillCall, Trigger};
use regrasp_testkit::says;
use serde_json::json;

fn round(step: SkillCall) -> Answer {
    Ok(Plan {
        steps: vec![step.into()],
        goals: vec![on("red_cube", "green_cube")],
        ..Plan::default()
    })
}

#[test]
fn rounds_go_on_until_the_goal_holds_and_are_no_replans() {
    let rig = Rig::new();
    let aside = act(json!({"to": [0.5, 0.1, 0.02]}));
    let answers = [round(aside), round(stack())];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    assert_eq!((result.planner_calls, result.replans), (2, 0));
    let triggers: Vec<_> = versions(&rig).into_iter().map(|v| v.1).collect();
    assert_eq!(triggers, [Trigger::Start, Trigger::NextRound]);
}

#[test]
fn a_planner_that_never_ends_runs_out_of_rounds() {
    let mut rig = Rig::new();
    rig.options.budgets.max_rounds = 4;
    rig.options.budgets.max_idle_rounds = 9;
    let rounds = (1..9).map(|i| round(act(json!({"takes_secs": 0.1 * f64::from(i)}))));
    let result = check(&rig, rounds, FinalReason::BudgetExhausted);
    assert_eq!((result.planner_calls, result.steps), (4, 4));
}

#[test]
fn rounds_that_lead_back_to_where_the_world_was_are_told_and_end_the_episode() {
    let to = |x: f64| round(act(json!({"to": [x, -0.1, 0.02]})));
    let idle = |_: u32| round(idle());
    let no_progress = |rounds| Trigger::NoProgress { rounds };
    let rig = Rig::new();
    let result = check(&rig, (0..9).map(idle), FinalReason::NoProgress);
    assert_eq!(result.planner_calls, 3);
    let triggers: Vec<_> = versions(&rig).into_iter().map(|v| v.1).collect();
    assert_eq!(triggers, [Trigger::Start, no_progress(1), no_progress(2)]);
    // Moving an object back to an earlier place is no progress either, but moving it to a new place
    // is.
    let rig = Rig::new();
    let places = [0.5, 0.4, 0.6, 0.5, 0.4, 0.6, 0.5].map(to);
    let result = check(&rig, places, FinalReason::NoProgress);
    says(&result.final_detail, &["last 3 rounds"]);
    let triggers: Vec<_> = versions(&rig).into_iter().map(|v| v.1).collect();
    use Trigger::{NextRound, Start};
    let (once, twice) = (no_progress(1), no_progress(2));
    let expected = [Start, NextRound, once.clone(), NextRound, once, twice];
    assert_eq!(triggers, expected);
}

#[test]
fn answers_that_say_nothing_are_sent_back_with_what_is_wrong() {
    let done_without_answer = Plan {
        final_answer: None,
        ..Plan::complete([stack()], "")
    };
    let too_much = Plan::complete(vec![idle(); 51], "much");
    let silent = Plan {
        explanation: None,
        ..Plan::infeasible("")
    };
    for (wrong, word) in [
        (done_without_answer, "final_answer"),
        (Plan::default(), "empty"),
        (too_much, "51 steps"),
        (silent, "explanation"),
    ] {
        let rig = Rig::new();
        let answers = [Ok(wrong.clone()), plan([stack()])];
        let result = check(&rig, answers, FinalReason::PlanComplete);
        assert_eq!(
            result.replans, 1,
            "{word}: a rejected answer counts as a replan"
        );
        let correction = lock(&rig.asked)[1]
            .correction
            .clone()
            .expect("the request has a correction");
        says(&correction, &[word]);
        let always = check(&Rig::new(), [Ok(wrong)], FinalReason::NoPlan);
        assert_eq!((always.planner_calls, always.steps), (3, 0));
    }
}

#[test]
fn tokens_are_a_budget_with_a_reserve_for_replans() {
    let costly = |tokens: u64| {
        let step = act(json!({"takes_secs": tokens as f64 * 1e-3}));
        round(step).map(|plan| Plan { tokens, ..plan })
    };
    let mut rig = Rig::new();
    rig.options.budgets.max_tokens = Some(1000);
    let answers = [costly(500), costly(310)];
    let result = check(&rig, answers, FinalReason::BudgetExhausted);
    let spent = (result.tokens, result.planner_calls);
    assert_eq!(spent, (810, 2), "80 % of the tokens may be spent");
    let failing = plan([fails("custom")]).map(|plan| Plan {
        tokens: 850,
        ..plan
    });
    let result = check(&rig, [failing, plan([stack()])], FinalReason::PlanComplete);
    assert_eq!(result.planner_calls, 2, "the reserve is for the replan");
}

#[test]
fn an_answer_that_comes_too_late_does_not_count_and_is_no_trouble_with_a_model() {
    let mut rig = Rig::new();
    rig.options.budgets.max_planning_secs = 0.01;
    rig.thinks_secs = 0.5;
    let result = check(&rig, [plan([stack()])], FinalReason::Timeout);
    assert_eq!((result.planner_calls, result.steps), (3, 0));
    says(&result.final_detail, &["no answer within 0.01 s"]);
}
