//! Calls that failed before: retried, varied, refused, and counted.

use crate::common::{Rig, act, check, fails, idle, lock, plan, routes, stack};
use regrasp_api::{FinalReason, Reason, Route, SkillCall};
use regrasp_testkit::says;
use serde_json::json;

#[test]
fn a_repeated_call_is_refused_at_once_if_nothing_can_change_its_cause() {
    let rig = Rig::new();
    let answers = [plan([fails("unreachable")])];
    let result = check(&rig, answers, FinalReason::Infeasible);
    let counts = (result.steps, result.planner_calls);
    assert_eq!(counts, (1, 2), "the step is tried once");
    says(&result.final_detail, &["act failed: unreachable"]);
}

#[test]
fn a_repeated_call_is_refused_once_and_then_ends_the_episode() {
    let rig = Rig::new();
    let answers = [plan([fails("verification_failed")])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted);
    assert_eq!((result.steps, result.planner_calls), (1, 3));
    let told = lock(&rig.asked);
    let refused = told[2].attempts.last().expect("the refusal is an attempt");
    assert_eq!(refused.reason, Reason::VerificationFailed);
    says(&refused.reason_detail, &["unchanged world"]);
}

#[test]
fn a_call_may_be_repeated_once_the_world_changed() {
    let rig = Rig::new();
    let moves = act(json!({"object": "green_cube", "to": [0.4, 0.2, 0.02]}));
    let fails = || fails("verification_failed");
    let answers = [plan([fails()]), plan([moves, fails()]), plan([stack()])];
    assert_eq!(check(&rig, answers, FinalReason::GoalNotMet).steps, 4);
}

#[test]
fn what_was_just_done_is_not_done_again() {
    let rig = Rig::new();
    let first = plan([idle(), fails("unknown_trouble")]);
    let answers = [first, plan([idle(), stack()])];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    assert_eq!(result.steps, 3, "idle, the failure, stack");
}

/// A call that slips with any arguments, and suggests others for a retry.
fn slippery() -> SkillCall {
    act(json!({"fails": "grasp_slipped", "takes_secs": 0.1,
        "retry_with": {"takes_secs": 0.2}}))
}

#[test]
fn the_planner_is_told_how_often_and_how_the_agent_tried_by_itself() {
    let rig = Rig::new();
    let answers = [plan([slippery()]), plan([stack()])];
    check(&rig, answers, FinalReason::PlanComplete);
    let told = lock(&rig.asked);
    let [first, second] = told[1].attempts.as_slice() else {
        panic!("two attempts, not {:?}", told[1].attempts);
    };
    assert_eq!((first.n_alike, &first.varied), (1, &None));
    assert_eq!(second.n_alike, 2);
    assert_eq!(second.varied, Some(json!({"takes_secs": 0.2})));
    let called = second.arg("takes_secs");
    assert_eq!(called, Some(&json!(0.2)), "what was really called");
}

#[test]
fn no_plan_gets_a_step_tried_that_the_agent_tried_in_vain() {
    let rig = Rig::new();
    // The object moves with the first attempt, and stays there.
    let mut first = slippery();
    first.args["to"] = json!([0.4, -0.12, 0.02]);
    let answers = [plan([first])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted);
    assert_eq!(result.steps, 2, "the first try and the varied one");
    assert_eq!(routes(&rig), [Route::Retry, Route::Replan]);
    let told = lock(&rig.asked);
    let refused = told[2].attempts.last().expect("the refusal is an attempt");
    assert_eq!(refused.n_alike, 3);
    says(&refused.reason_detail, &["unchanged world"]);
}

#[test]
fn what_the_agent_counts_is_forgotten_when_the_scene_changes() {
    let rig = Rig::new();
    let moves = act(json!({"object": "green_cube", "to": [0.4, 0.2, 0.02]}));
    let varied = plan([moves, slippery()]);
    let answers = [plan([slippery()]), varied, plan([stack()])];
    rig.run(answers);
    let told = lock(&rig.asked);
    let counts: Vec<_> = told[2].attempts.iter().map(|a| a.n_alike).collect();
    // The rule allows a single retry, which was made in the first plan.
    assert_eq!(counts, [1, 2, 1]);
}

#[test]
fn a_look_that_fails_once_is_no_change_of_the_world() {
    let run = |n_blind: usize| {
        let rig = Rig::new();
        lock(&rig.scene).n_blind_after_act = n_blind;
        let again = || fails("verification_failed");
        let answers = [plan([idle(), again()]), plan([again()])];
        let result = check(&rig, answers, FinalReason::ReplanExhausted);
        (result.steps, result.planner_calls)
    };
    assert_eq!(run(0), (2, 3), "the call is refused");
    assert_eq!(run(1), (2, 3), "although the look after `idle` failed");
}
