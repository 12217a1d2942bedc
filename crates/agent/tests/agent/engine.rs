//! What the engine decides: retries, refusals, rounds, budgets, approvals, deviations.

use crate::common::{Rig, Shared, fails, idle, lock, on, plan, stack};
use regrasp_agent::{
    ApprovalMode, ApprovalPolicy, Assessment, Criteria, DeviationMode, Evaluator, RiskRules,
    StepOutcome,
};
use regrasp_api::{
    Approval, ApprovalRequest, Case, CaseQuery, EpisodeResult, Event, Expectation, FailureMemory,
    FinalReason, PastCase, Person, Plan, PlanStep, PlannerError, Reason, Route, Scope, SkillCall,
    StoreError, Trigger,
};
use serde_json::json;

type Answer = Result<Plan, PlannerError>;

#[track_caller]
fn check(rig: &Rig, answers: Vec<Answer>, reason: FinalReason) -> EpisodeResult {
    let result = rig.run(answers);
    assert_eq!(result.final_reason, reason, "{}", result.final_detail);
    result
}

fn round(steps: Vec<PlanStep>) -> Answer {
    Ok(Plan {
        steps,
        goals: vec![on("red_cube", "green_cube")],
        ..Plan::default()
    })
}

fn routes(rig: &Rig) -> Vec<Route> {
    let events = lock(&rig.events);
    let routes = events.iter().filter_map(|e| match &e.event {
        Event::Decided { decision, .. } => Some(decision.route),
        _ => None,
    });
    routes.collect()
}

fn versions(rig: &Rig) -> Vec<(usize, Trigger, usize)> {
    let events = lock(&rig.events);
    let versions = events.iter().filter_map(|e| match &e.event {
        Event::PlanRevised { version: v } => Some((v.version, v.trigger.clone(), v.steps.len())),
        _ => None,
    });
    versions.collect()
}

#[test]
fn a_repeated_call_is_refused_at_once_if_nothing_can_change_its_cause() {
    let rig = Rig::new();
    let result = check(
        &rig,
        vec![plan(vec![fails("unreachable")])],
        FinalReason::Infeasible,
    );
    assert_eq!(
        (result.steps, result.planner_calls),
        (1, 2),
        "one wasted attempt"
    );
    assert!(
        result.final_detail.contains("act failed: unreachable"),
        "{}",
        result.final_detail
    );
}

#[test]
fn a_repeated_call_is_refused_once_and_then_ends_the_episode() {
    let rig = Rig::new();
    let answers = vec![plan(vec![fails("verification_failed")])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted);
    assert_eq!((result.steps, result.planner_calls), (1, 3));
    let told = lock(&rig.told);
    let refused = told[2].last().expect("the refusal is an attempt");
    assert_eq!(refused.reason, Reason::VerificationFailed);
    assert!(
        refused.reason_detail.contains("unchanged world"),
        "{}",
        refused.reason_detail
    );
}

#[test]
fn a_call_may_be_repeated_once_the_world_changed() {
    let rig = Rig::new();
    let moves = SkillCall::new(
        "act",
        json!({"object": "green_cube", "to": [0.4, 0.2, 0.02]}),
    );
    let answers = vec![
        plan(vec![fails("verification_failed")]),
        plan(vec![moves, fails("verification_failed")]),
        plan(vec![stack()]),
    ];
    assert_eq!(check(&rig, answers, FinalReason::GoalNotMet).steps, 4);
}

#[test]
fn what_was_just_done_is_not_done_again() {
    let rig = Rig::new();
    let answers = vec![
        plan(vec![idle(), fails("unknown_trouble")]),
        plan(vec![idle(), stack()]),
    ];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    assert_eq!(result.steps, 3, "idle, the failure, stack");
}

#[test]
fn rounds_go_on_until_the_goal_holds_and_are_no_replans() {
    let rig = Rig::new();
    let answers = vec![round(vec![idle().into()]), round(vec![stack().into()])];
    let result = check(&rig, answers, FinalReason::PlanComplete);
    assert_eq!((result.planner_calls, result.replans), (2, 0));
    let triggers: Vec<_> = versions(&rig).into_iter().map(|v| v.1).collect();
    assert_eq!(triggers, [Trigger::Start, Trigger::NextRound]);
}

#[test]
fn a_planner_that_never_ends_runs_out_of_rounds() {
    let mut rig = Rig::new();
    rig.options.budgets.max_rounds = 4;
    let rounds = (1..9).map(|i| {
        let args = json!({"object": "red_cube", "takes_secs": 0.1 * f64::from(i)});
        round(vec![SkillCall::new("act", args).into()])
    });
    let result = check(&rig, rounds.collect(), FinalReason::BudgetExhausted);
    assert_eq!((result.planner_calls, result.steps), (4, 4));
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
        let result = check(
            &rig,
            vec![Ok(wrong.clone()), plan(vec![stack()])],
            FinalReason::PlanComplete,
        );
        assert_eq!(result.replans, 1, "{word}: a replan like any other");
        let correction = lock(&rig.corrections)[1].clone().expect("it is told");
        assert!(correction.contains(word), "{correction}");
        let always = check(&Rig::new(), vec![Ok(wrong)], FinalReason::NoPlan);
        assert_eq!((always.planner_calls, always.steps), (3, 0));
    }
}

#[test]
fn tokens_are_a_budget_with_a_reserve_for_replans() {
    let costly = |tokens| {
        let args = json!({"object": "red_cube", "takes_secs": tokens as f64 * 1e-3});
        Ok(Plan {
            tokens,
            steps: vec![SkillCall::new("act", args).into()],
            goals: vec![on("red_cube", "green_cube")],
            ..Plan::default()
        })
    };
    let mut rig = Rig::new();
    rig.options.budgets.max_tokens = Some(1000);
    let answers = vec![costly(500), costly(310)];
    let result = check(&rig, answers, FinalReason::BudgetExhausted);
    assert_eq!(
        (result.tokens, result.planner_calls),
        (810, 2),
        "80 % are spent"
    );
    let failing = Ok(Plan {
        tokens: 850,
        ..Plan::complete([fails("custom")], "done").with_goals(vec![on("red_cube", "green_cube")])
    });
    let result = check(
        &rig,
        vec![failing, plan(vec![stack()])],
        FinalReason::PlanComplete,
    );
    assert_eq!(
        result.planner_calls, 2,
        "the reserve is there for the replan"
    );
}

#[test]
fn an_answer_that_comes_too_late_does_not_count() {
    let mut rig = Rig::new();
    rig.options.budgets.max_planning_secs = 0.01;
    rig.thinks_secs = 0.5;
    let result = check(&rig, vec![plan(vec![stack()])], FinalReason::VlmTransport);
    assert_eq!((result.planner_calls, result.steps), (3, 0));
    assert!(
        result.final_detail.contains("no answer within 0.01 s"),
        "{}",
        result.final_detail
    );
}

#[test]
fn a_substitute_keeps_the_steps_after_it() {
    let rig = Rig::new();
    let step = Plan {
        scope: Scope::Step,
        ..Plan::complete([idle()], "done")
    };
    let first = vec![
        SkillCall::new(
            "act",
            json!({"object": "green_cube", "fails": "target_occupied"}),
        ),
        stack(),
    ];
    let result = check(&rig, vec![plan(first), Ok(step)], FinalReason::PlanComplete);
    assert_eq!((result.steps, result.planner_calls), (3, 2));
    assert_eq!(routes(&rig), [Route::Substitute]);
    assert_eq!(versions(&rig)[1].2, 2, "the substitute, and what was left");
}

#[test]
fn a_transient_failure_is_tried_again_with_what_the_skill_suggests() {
    let rig = Rig::new();
    let weak = json!({"object": "red_cube", "fails": "grasp_slipped", "retry_with":
        {"fails": null, "to": [0.4, 0.1, 0.06]}});
    let result = check(
        &rig,
        vec![plan(vec![SkillCall::new("act", weak)])],
        FinalReason::PlanComplete,
    );
    assert_eq!(
        (result.steps, result.planner_calls, result.replans),
        (2, 1, 0)
    );
    assert_eq!(routes(&rig), [Route::Retry]);
}

#[test]
fn after_many_failures_a_person_is_asked() {
    let mut rig = Rig::new();
    rig.options.budgets.human_after = 2;
    let answers = || {
        vec![
            plan(vec![fails("a")]),
            plan(vec![fails("b")]),
            plan(vec![stack()]),
        ]
    };
    let alone = check(&rig, answers(), FinalReason::NeedsHuman);
    assert!(
        alone.final_detail.contains("2 steps failed in a row"),
        "{}",
        alone.final_detail
    );
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
    let mut agent = rig
        .agent(vec![Ok(asks.clone()), plan(vec![stack()])])
        .with_person(Box::new(Nodder));
    let result = agent.run("stack");
    assert_eq!(
        (result.final_reason, result.replans),
        (FinalReason::PlanComplete, 0)
    );
    check(&Rig::new(), vec![Ok(asks)], FinalReason::NeedsHuman);
}

/// Says yes to everything.
struct Nodder;

impl Person for Nodder {
    fn approve(&mut self, _: &ApprovalRequest) -> Approval {
        Approval::Granted
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        Some("yes".into())
    }
}

fn fragile() -> ApprovalPolicy {
    ApprovalPolicy {
        mode: ApprovalMode::Critical,
        risks: RiskRules {
            fragile: vec!["red_cube".into()],
            ..RiskRules::default()
        },
        trust_after: Some(2),
    }
}

fn asked(rig: &Rig) -> usize {
    let events = lock(&rig.events);
    let asked = |e: &&regrasp_api::StampedEvent| matches!(e.event, Event::ApprovalAsked { .. });
    events.iter().filter(asked).count()
}

#[test]
fn a_critical_step_that_is_refused_is_a_reason_like_any_other() {
    let mut rig = Rig::new();
    rig.options.approval = fragile();
    let result = check(&rig, vec![plan(vec![stack()])], FinalReason::ApprovalDenied);
    assert_eq!(asked(&rig), 1, "the same step is not asked for twice");
    assert!(
        result.final_detail.contains("red_cube is fragile"),
        "{}",
        result.final_detail
    );
    let told = lock(&rig.told);
    assert_eq!(told[1][0].reason, Reason::ApprovalDenied);
}

#[test]
fn a_kind_of_step_that_went_well_twice_is_trusted() {
    let mut rig = Rig::new();
    rig.options.approval = fragile();
    let step = |secs: f64| SkillCall::new("act", json!({"object": "red_cube", "takes_secs": secs}));
    let steps = vec![step(0.1), step(0.2), step(0.3), step(0.4), stack()];
    let mut agent = rig.agent(vec![plan(steps)]).with_person(Box::new(Nodder));
    assert_eq!(agent.run("stack").final_reason, FinalReason::PlanComplete);
    assert_eq!(asked(&rig), 2);
}

fn expecting() -> Vec<PlanStep> {
    let expectation = Expectation {
        goals: vec![on("red_cube", "green_cube")],
        ..Expectation::default()
    };
    vec![
        PlanStep::from(idle()).expecting(expectation),
        stack().into(),
    ]
}

#[test]
fn deviations_lead_to_replans_only_in_the_modes_that_say_so() {
    for (mode, calls) in [
        (DeviationMode::Off, 1),
        (DeviationMode::Reactive, 2),
        (DeviationMode::Triggered, 2),
        (DeviationMode::Full, 2),
    ] {
        let mut rig = Rig::new();
        rig.options.replan_on_deviation = mode;
        let goals = vec![on("red_cube", "green_cube")];
        let first = Plan::complete(expecting(), "done").with_goals(goals);
        let answers = vec![Ok(first), plan(vec![stack()])];
        let result = check(&rig, answers, FinalReason::PlanComplete);
        assert_eq!(result.planner_calls, calls, "{mode:?}");
    }
    let mut rig = Rig::new();
    rig.options.replan_on_deviation = DeviationMode::Triggered;
    rig.options.criteria = Criteria {
        threshold: 1.0,
        ..Criteria::default()
    };
    let goals = vec![on("red_cube", "green_cube")];
    let first = Plan::complete(expecting(), "done").with_goals(goals);
    let result = check(&rig, vec![Ok(first)], FinalReason::PlanComplete);
    assert_eq!(result.planner_calls, 1, "below the threshold");
}

/// Reads words that heuristics cannot, and dislikes them.
struct Critic;

impl Evaluator for Critic {
    fn assess(&mut self, outcome: &mut StepOutcome<'_>) -> Option<Assessment> {
        outcome.expected.text.as_ref().map(|text| Assessment {
            quality: 0.0,
            completeness: 1.0,
            relevance: 1.0,
            confidence: 0.6,
            why: format!("not `{text}`"),
        })
    }
}

#[test]
fn words_are_left_to_evaluators_that_read() {
    let wordy = || {
        let expectation = Expectation {
            text: Some("a melody".into()),
            ..Expectation::default()
        };
        let steps = vec![
            PlanStep::from(idle()).expecting(expectation),
            stack().into(),
        ];
        Ok(Plan::complete(steps, "done").with_goals(vec![on("red_cube", "green_cube")]))
    };
    let mut rig = Rig::new();
    rig.options.replan_on_deviation = DeviationMode::Reactive;
    let result = check(&rig, vec![wordy()], FinalReason::PlanComplete);
    assert_eq!(result.planner_calls, 1, "nobody could tell, so it goes on");
    let mut agent = rig
        .agent(vec![wordy(), plan(vec![stack()])])
        .with_evaluator(Box::new(Critic));
    lock(&rig.scene).objects[0] = crate::common::cube("red_cube", 0.4, -0.1, 0.02);
    assert_eq!(agent.run("stack").planner_calls, 2);
}

#[test]
fn looks_in_parallel_take_the_time_of_one_and_see_the_same() {
    let secs = |parallel: bool| {
        let rig = Rig::new();
        lock(&rig.scene).latency_secs = 0.5;
        let look = |name: &str| {
            let step = PlanStep::from(SkillCall::new("see", json!({"object": name})));
            if parallel { step.in_parallel() } else { step }
        };
        let mut steps = vec![look("red_cube"), look("green_cube")];
        steps.push(stack().into());
        let goals = vec![on("red_cube", "green_cube")];
        let answer = Plan::complete(steps, "done").with_goals(goals);
        let result = check(&rig, vec![Ok(answer)], FinalReason::PlanComplete);
        let answers: Vec<_> = lock(&rig.events)
            .iter()
            .filter_map(|e| match &e.event {
                Event::StepFinished { result, .. } => Some(result.reason_detail.clone()),
                _ => None,
            })
            .collect();
        (result.sim_s, answers)
    };
    let ((apart_secs, apart), (together_secs, together)) = (secs(false), secs(true));
    assert_eq!(apart, together);
    assert!(
        (apart_secs - together_secs - 0.5).abs() < 1e-9,
        "{apart_secs} {together_secs}"
    );
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
    let answers = vec![plan(vec![fails("grasp_missed")]), plan(vec![stack()])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted);
    assert_eq!(result.planner_calls, 1);
}

#[test]
fn without_replanning_the_first_failure_ends_it() {
    let mut rig = Rig::new();
    rig.options.replan_on_failure = false;
    let answers = vec![plan(vec![fails("object_covered")]), plan(vec![stack()])];
    assert_eq!(check(&rig, answers, FinalReason::ReplanExhausted).steps, 1);
}

#[test]
fn a_disturbed_neighbour_is_reported_and_no_reason_to_stop() {
    let rig = Rig::new();
    let args = json!({"object": "red_cube", "to": [0.4, 0.1, 0.06], "fails": "disturbed_other"});
    let result = check(
        &rig,
        vec![plan(vec![SkillCall::new("act", args)])],
        FinalReason::PlanComplete,
    );
    assert_eq!((result.steps, result.planner_calls), (1, 1));
    assert_eq!(routes(&rig), [Route::Continue]);
}

#[test]
fn a_failure_is_analysed_from_its_figures_and_the_scene() {
    let rig = Rig::new();
    lock(&rig.scene).objects[1] = crate::common::cube("green_cube", 0.4, -0.05, 0.02);
    let answers = vec![plan(vec![fails("unreachable")]), plan(vec![stack()])];
    rig.run(answers);
    let told = lock(&rig.told);
    let reflection = &told[1][0].reflection;
    assert_eq!(reflection.error_type, "resource");
    assert!(
        reflection
            .root_cause
            .contains("no configuration of the arm"),
        "{}",
        reflection.root_cause
    );
    let factors = &reflection.contributing_factors;
    assert_eq!(factors, &["green_cube is 0.010 m beside red_cube"]);
    assert!(reflection.structural, "nothing moved and no skill mends it");
    assert!(!reflection.suggested_change.is_empty());
}

/// Remembers in a list, and answers with what worked.
#[derive(Clone, Default)]
struct Notes(Shared<Vec<Case>>);

impl FailureMemory for Notes {
    fn record(&mut self, case: &Case) -> Result<(), StoreError> {
        lock(&self.0).push(case.clone());
        Ok(())
    }

    fn similar(&mut self, query: &CaseQuery<'_>) -> Result<Vec<PastCase>, StoreError> {
        let cases = lock(&self.0);
        let same = cases.iter().filter(|c| &c.reason == query.reason);
        let past = same.map(|case| PastCase {
            reason: case.reason.clone(),
            skill: case.skill.clone(),
            task: case.task.clone(),
            fix: case.fix.clone(),
            n_tried: 1,
            n_worked: u32::from(case.worked),
        });
        Ok(past.collect())
    }
}

#[test]
fn what_helped_before_is_shown_to_the_planner() {
    let notes = Notes::default();
    let answers = || vec![plan(vec![fails("object_covered")]), plan(vec![stack()])];
    let first = Rig::new();
    let mut agent = first.agent(answers()).with_memory(Box::new(notes.clone()));
    assert!(agent.run("stack").success);
    assert!(lock(&first.past_cases)[1].is_empty(), "the first time");
    let kept = lock(&notes.0).clone();
    assert_eq!((kept.len(), kept[0].worked), (1, true));
    assert_eq!(kept[0].fix, "act red_cube");
    assert_eq!(kept[0].scene, "2 cube");

    let second = Rig::new();
    let mut agent = second.agent(answers()).with_memory(Box::new(notes));
    agent.run("stack");
    let shown = &lock(&second.past_cases)[1];
    assert_eq!((shown.len(), shown[0].n_worked), (1, 1));
    assert_eq!(shown[0].fix, "act red_cube");
}
