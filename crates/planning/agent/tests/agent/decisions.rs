//! Decisions about results of steps, and causes of failures.

use crate::common::{Nodder, Rig, act, check, fails, idle, lock, plan, routes, stack, versions};
use regrasp_agent::RuleTable;
use regrasp_api::{
    Event, FinalReason, Plan, PlanStep, Pose, Reason, Route, Scope, SkillCall, ToolServo,
};
use regrasp_testkit::says;
use serde_json::json;

#[test]
fn an_arm_without_torque_control_says_so_and_is_not_asked_again() {
    let servo = ToolServo {
        tool_from_point: Pose::translation(0.0, 0.0, -0.01),
        stiffness: 150.0,
        rest_stiffness: 10.0,
        rest: vec![],
        links: vec![],
        armature_kg_m2: vec![],
        damping: vec![],
        friction_n_m: vec![],
        max_torque_n_m: vec![],
    };
    let mut agent = Rig::new().agent([]);
    let there = Pose::translation(0.4, 0.1, 0.3);
    let refused = agent.robot_mut().servo_tool(&servo, &there, 0.05);
    let refused = refused.expect_err("an arm without torque control must refuse");
    assert_eq!(refused.reason, Reason::Unsupported, "{}", refused.detail);
    let rule = RuleTable::default().rule(&refused.reason);
    assert_ne!(rule.route, Route::Retry, "a retry cannot help");
}

#[test]
fn a_substitute_keeps_the_steps_after_it() {
    let rig = Rig::new();
    let step = Plan {
        scope: Scope::Step,
        ..Plan::complete([idle()], "done")
    };
    let first = vec![
        act(json!({"object": "green_cube", "fails": "target_occupied"})),
        stack(),
    ];
    let result = check(&rig, [plan(first), Ok(step)], FinalReason::PlanComplete);
    assert_eq!((result.steps, result.planner_calls), (3, 2));
    assert_eq!(routes(&rig), [Route::Substitute]);
    assert_eq!(versions(&rig)[1].2, 2, "the substitute, and what was left");
}

#[test]
fn a_transient_failure_is_tried_again_with_what_the_skill_suggests() {
    let rig = Rig::new();
    let answers = [plan([act(json!({"fails": "grasp_slipped", "retry_with":
        {"fails": null, "to": [0.4, 0.1, 0.06]}}))])];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    let counts = (result.steps, result.planner_calls, result.replans);
    assert_eq!(counts, (2, 1, 0));
    assert_eq!(routes(&rig), [Route::Retry]);
}

#[test]
fn after_many_failures_a_person_is_asked() {
    let mut rig = Rig::new();
    rig.options.budgets.human_after = 2;
    let answers = || vec![plan([fails("a")]), plan([fails("b")]), plan([stack()])];
    let alone = check(&rig, answers(), FinalReason::NeedsHuman);
    says(&alone.final_detail, &["2 steps failed in a row"]);
    let mut agent = rig.agent(answers()).with_person(Box::new(Nodder));
    assert_eq!(agent.run("stack").final_reason, FinalReason::PlanComplete);
}

#[test]
fn a_planner_may_ask_and_is_told() {
    let asks = Plan {
        question: Some("which one?".into()),
        ..Plan::default()
    };
    let rig = Rig::new();
    let agent = rig.agent([Ok(asks.clone()), plan([stack()])]);
    let mut agent = agent.with_person(Box::new(Nodder));
    let result = agent.run("stack");
    assert_eq!(result.final_reason, FinalReason::PlanComplete);
    assert_eq!(result.replans, 0);
    check(&Rig::new(), [Ok(asks)], FinalReason::NeedsHuman);
}

#[test]
fn looks_in_parallel_take_the_time_of_one_and_see_the_same() {
    let secs = |parallel: bool| {
        let rig = Rig::new();
        lock(&rig.scene).latency_secs = 0.5;
        let look = |name: &str| {
            let step = PlanStep::from(SkillCall::new("see", json!({"object": name})));
            PlanStep { parallel, ..step }
        };
        let mut steps = vec![look("red_cube"), look("green_cube")];
        steps.push(stack().into());
        let result = check(&rig, [plan(steps)], FinalReason::PlanComplete);
        let events = lock(&rig.events);
        let answers = events.iter().filter_map(|e| match &e.event {
            Event::StepFinished { result, .. } => Some(result.reason_detail.clone()),
            _ => None,
        });
        (result.sim_s, answers.collect::<Vec<_>>())
    };
    let ((apart_secs, apart), (together_secs, together)) = (secs(false), secs(true));
    assert_eq!(apart, together);
    let saved_secs = apart_secs - together_secs;
    assert!((saved_secs - 0.5).abs() < 1e-9, "{saved_secs} s");
}

#[test]
fn a_rule_of_ones_own_changes_the_route() {
    let mut rig = Rig::new();
    let strict = regrasp_agent::Rule {
        severity: regrasp_api::Severity::Critical,
        category: regrasp_api::Category::Logic,
        route: Route::Abort,
        max_retries: 0,
        pause_ms: 0,
    };
    let rules = std::mem::take(&mut rig.options.rules);
    rig.options.rules = rules.with(&Reason::GraspMissed, strict);
    let answers = [plan([fails("grasp_missed")]), plan([stack()])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted);
    assert_eq!(result.planner_calls, 1);
}

#[test]
fn without_replanning_the_first_failure_ends_it() {
    let mut rig = Rig::new();
    rig.options.replan_on_failure = false;
    let answers = [plan([fails("object_covered")]), plan([stack()])];
    assert_eq!(check(&rig, answers, FinalReason::ReplanExhausted).steps, 1);
}

#[test]
fn a_disturbed_neighbour_is_reported_and_no_reason_to_stop() {
    let rig = Rig::new();
    let answers = [plan([act(
        json!({"to": [0.4, 0.1, 0.06], "fails": "disturbed_other"}),
    )])];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    assert_eq!((result.steps, result.planner_calls), (1, 1));
    assert_eq!(routes(&rig), [Route::Continue]);
}

#[test]
fn a_failure_is_analysed_from_its_figures_and_the_scene() {
    let rig = Rig::new();
    lock(&rig.scene).objects[1] = crate::common::cube("green_cube", 0.4, -0.05, 0.02);
    let answers = [plan([fails("unreachable")]), plan([stack()])];
    rig.run(answers);
    let told = lock(&rig.asked);
    let reflection = &told[1].attempts[0].reflection;
    assert_eq!(reflection.error_type, "resource");
    says(&reflection.root_cause, &["no configuration of the arm"]);
    let factors = &reflection.contributing_factors;
    assert_eq!(factors, &["green_cube is only 0.010 m from red_cube"]);
    assert!(!reflection.suggested_change.is_empty());
}
