//! All ways in which an episode can end, with scripted planners and skills.

use crate::common::{self, Answer, Rig, act, cube, fails, idle, lock, on, plan, stack, unusable};
use crate::fakes::Endless;
use regrasp_api::{
    Attempt, EpisodeResult, Event, FinalReason, Goal, GoalStatus, Plan, PlannerError, Reason,
    SkillCall,
};
use regrasp_testkit::says;
use serde_json::json;

/// Runs `answers` and checks reason, planner calls and steps.
#[track_caller]
fn check(
    rig: &Rig,
    answers: impl IntoIterator<Item = Answer>,
    reason: FinalReason,
    planner_calls: usize,
    steps: usize,
) -> EpisodeResult {
    let result = common::check(rig, answers, reason);
    assert_eq!(result.replans, planner_calls.saturating_sub(1), "replans");
    assert_eq!(result.planner_calls, planner_calls, "planner calls");
    assert_eq!(result.steps, steps, "steps");
    let claimed = [FinalReason::PlanComplete, FinalReason::AlreadyDone].contains(&reason);
    assert_eq!(result.success, claimed);
    assert!(
        result.goal_met || !result.success,
        "success although the goal does not hold"
    );
    result
}

#[test]
fn a_plan_that_reaches_its_goal_is_complete() {
    let rig = Rig::new();
    let result = check(&rig, [plan([stack()])], FinalReason::PlanComplete, 1, 1);
    assert_eq!(result.final_detail, "");
    assert_eq!((result.seed, result.version.as_str()), (11, "test"));
    assert_eq!(result.state_digest, "0000000000000abc");
    assert!(result.sim_s > 0.0 && result.wall_s > 0.0);
    let expected = "episode_started plan_requested plan_revised goal_checked step_started \
                    step_finished goal_checked episode_finished";
    assert_eq!(rig.event_names().join(" "), expected);
    let events = lock(&rig.events);
    assert!(events.iter().map(|e| e.seq).eq(0..events.len() as u64));
}

#[test]
fn a_goal_that_holds_already_needs_no_step() {
    let rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, 0.1, 0.06);
    check(&rig, [plan([stack()])], FinalReason::AlreadyDone, 1, 0);
}

#[test]
fn what_has_to_hold_on_the_way_is_not_left_out() {
    let rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, 0.1, 0.06);
    let down = Goal::put_at("red_cube".into(), [0.4, -0.1], Some(0.02));
    let take_down = act(json!({"to": [0.4, -0.1, 0.02]}));
    let by = |steps: &[SkillCall]| {
        plan(steps.to_vec()).map(|plan| Plan {
            on_the_way: vec![down.clone()],
            ..plan
        })
    };
    // The goal holds at first and after the failure, but the intermediate goal has not held yet.
    let answers = [
        by(&[fails("grasp_slipped")]),
        by(&[take_down.clone(), fails("grasp_slipped"), stack()]),
        by(&[stack()]),
    ];
    check(&rig, answers, FinalReason::PlanComplete, 3, 4);
    // The intermediate goal must not be left out.
    let rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, 0.1, 0.06);
    let answers = [by(&[stack()]), by(&[take_down.clone(), stack()])];
    check(&rig, answers, FinalReason::PlanComplete, 2, 3);
    // A later failure does not matter if it leaves the goals satisfied.
    let rig = Rig::new();
    let answers = [by(&[take_down, stack(), fails("grasp_slipped")])];
    check(&rig, answers, FinalReason::PlanComplete, 1, 3);
}

#[test]
fn what_must_never_hold_ends_the_episode_when_it_begins_to() {
    let down = |x: f64| act(json!({"to": [x, -0.1, 0.02]}));
    // A forbidden goal may name its object by a phrase.
    let forbidden = Goal::put_at("the red cube".into(), [0.4, -0.1], Some(0.02));
    let by = |steps: &[SkillCall]| {
        plan(steps.to_vec()).map(|plan| Plan {
            never: vec![forbidden.clone()],
            ..plan
        })
    };
    let rig = Rig::new();
    let answers = [by(&[down(0.3), stack()])];
    check(&rig, answers, FinalReason::PlanComplete, 1, 2);
    let answers = [by(&[down(0.3), down(0.4), stack()])];
    let result = check(&Rig::new(), answers, FinalReason::GoalNotMet, 1, 2);
    says(&result.final_detail, &["never(at(red_cube, 0.400, -0.100"]);
    // A forbidden goal that holds at first may cease to hold, but must not begin again.
    let rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, -0.1, 0.02);
    check(&rig, [by(&[stack()])], FinalReason::PlanComplete, 1, 1);
    let rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, -0.1, 0.02);
    let answers = [by(&[down(0.3), down(0.4), stack()])];
    check(&rig, answers, FinalReason::GoalNotMet, 1, 2);
}

#[test]
fn steps_without_goals_are_trusted() {
    let rig = Rig::new();
    let wave = Plan::complete([idle()], "waved");
    check(&rig, [Ok(wave)], FinalReason::PlanComplete, 1, 1);
}

#[test]
fn the_reason_of_a_failure_comes_back_to_the_planner() {
    let rig = Rig::new();
    let answers = [plan([idle(), fails("grasp_slipped")]), plan([stack()])];
    check(&rig, answers, FinalReason::PlanComplete, 2, 3);
    let told = lock(&rig.asked);
    assert!(told[0].attempts.is_empty());
    let failed = &told[1].attempts[0];
    assert_eq!(failed.step_idx, 1);
    assert_eq!(failed.call(), Some(&fails("grasp_slipped")));
    assert_eq!(failed.reason, Reason::GraspSlipped);
    assert_eq!(failed.reason_detail, "it broke");
    assert_eq!(failed.entities, ["red_cube".into()]);
}

#[test]
fn a_failure_that_repeats_exhausts_the_replans() {
    let mut rig = Rig::new();
    rig.options.refuse_repeats = false;
    let answers = [plan([fails("unreachable"), stack()])];
    let result = check(&rig, answers, FinalReason::ReplanExhausted, 3, 3);
    assert_eq!(result.final_detail, "act failed: unreachable - it broke");
    assert_eq!(lock(&rig.asked)[2].attempts.len(), 2);
}

#[test]
fn no_replans_means_one_attempt() {
    let mut rig = Rig::new();
    rig.options.budgets.max_replans = 0;
    let answers = [plan([fails("grasp_missed")])];
    check(&rig, answers, FinalReason::ReplanExhausted, 1, 1);
}

/// A planner that keeps failing must not be asked forever.
#[test]
fn a_replan_that_fails_consumes_the_budget() {
    let rig = Rig::new();
    let answers = [plan([fails("grasp_missed")]), unusable()];
    let result = check(&rig, answers, FinalReason::NoPlan, 3, 1);
    assert_eq!(
        result.final_detail,
        "failed to use the planner's answer: it is prose \
         (after act failed: grasp_missed - it broke)"
    );
}

#[test]
fn a_planner_that_never_answers_properly_gives_no_plan() {
    let rig = Rig::new();
    check(&rig, [unusable()], FinalReason::NoPlan, 3, 0);
    let answers = [unusable(), plan([stack()])];
    check(&Rig::new(), answers, FinalReason::PlanComplete, 2, 1);
}

#[test]
fn an_empty_plan_with_something_left_to_do_is_no_plan() {
    let rig = Rig::new();
    let result = check(
        &rig,
        [plan([] as [SkillCall; 0])],
        FinalReason::NoPlan,
        3,
        0,
    );
    let why = "red_cube does not rest on green_cube";
    says(&result.final_detail, &[why]);
    let empty = [Ok(Plan::default())];
    check(&Rig::new(), empty, FinalReason::NoPlan, 3, 0);
}

#[test]
fn finishing_the_list_is_not_success() {
    let rig = Rig::new();
    let result = check(&rig, [plan([idle()])], FinalReason::GoalNotMet, 3, 3);
    assert!(!result.goal_met);
    let why = "red_cube does not rest on green_cube";
    says(&result.final_detail, &[why]);
    let told = lock(&rig.asked);
    assert_eq!(told[1].attempts[0].reason, Reason::VerificationFailed);
    assert_eq!(told[1].attempts[0].attempt, Attempt::GoalCheck);
    let cubes = ["red_cube".into(), "green_cube".into()];
    assert_eq!(told[1].attempts[0].entities, cubes);
}

#[test]
fn a_failed_step_that_brought_the_goal_about_is_no_failure() {
    let args = json!({"object": "red_cube", "to": [0.4, 0.1, 0.06], "fails": "skill_timeout"});
    let answers = || vec![plan([act(args.clone())])];
    check(&Rig::new(), answers(), FinalReason::PlanComplete, 1, 1);
    let mut rig = Rig::new();
    rig.options.budgets.max_replans = 0;
    check(&rig, answers(), FinalReason::PlanComplete, 1, 1);
}

#[test]
fn an_object_missed_once_does_not_spoil_the_verification() {
    let mut rig = Rig::new();
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, 0.1, 0.06);
    lock(&rig.scene).missed_once = vec!["red_cube".into()];
    rig.options.budgets.max_replans = 1;
    check(&rig, [plan([idle()])], FinalReason::PlanComplete, 1, 1);
}

#[test]
fn infeasible_ends_at_once_with_the_partial_result() {
    let rig = Rig::new();
    let goals = vec![on("red_cube", "green_cube"), on("blue_cube", "green_cube")];
    let steps = [stack(), fails("unreachable")];
    let first = Plan::complete(steps, "stacked").with_goals(goals.clone());
    let second = Plan::infeasible("blue_cube is 1.2 m away").with_goals(goals);
    let result = check(&rig, [Ok(first), Ok(second)], FinalReason::Infeasible, 2, 2);
    assert_eq!(
        result.final_detail,
        "blue_cube is 1.2 m away; achieved: on(red_cube, green_cube); \
         not achieved: on(blue_cube, green_cube)"
    );
}

#[test]
fn a_text_that_is_not_understood_ends_at_once() {
    let error = PlannerError::Unrecognized {
        text: "sing".into(),
        help: "try `pick up X`".into(),
    };
    let reason = FinalReason::UnrecognizedPrompt;
    let result = check(&Rig::new(), [Err(error)], reason, 1, 0);
    let expected = "failed to understand the command `sing`: try `pick up X`";
    assert_eq!(result.final_detail, expected);
}

#[test]
fn a_model_out_of_reach_is_infrastructure() {
    let error = PlannerError::Transport {
        detail: "no route".into(),
    };
    let answers = [plan([fails("grasp_missed")]), Err(error)];
    let rig = Rig::new();
    let result = check(&rig, answers, FinalReason::VlmTransport, 3, 1);
    assert!(result.final_reason.is_infrastructure());
    let waited = lock(&rig.clock).as_secs_f64();
    assert!((1.0..1.1).contains(&waited), "one pause is {waited} s");
}

#[test]
fn a_planner_that_breaks_down_is_infrastructure_and_not_asked_again() {
    let error = PlannerError::Crashed {
        detail: "KeyError: 'cube'".into(),
    };
    let answers = [plan([fails("grasp_missed")]), Err(error)];
    let result = check(&Rig::new(), answers, FinalReason::PlannerCrashed, 2, 1);
    assert!(result.final_reason.is_infrastructure());
    let said = "failed to run the planner: KeyError: 'cube' (after act failed";
    assert!(result.final_detail.starts_with(said), "{result:?}");
}

#[test]
fn a_stop_does_not_wait_for_a_planner_that_thinks() {
    let mut agent = Rig::new().planned_by(|cancel| Box::new(Endless(cancel.clone())));
    let result = agent.run("stack the cubes");
    assert_eq!(result.final_reason, FinalReason::Cancelled);
    assert_eq!((result.planner_calls, result.replans), (1, 0));
}

#[test]
fn what_no_plan_can_mend_ends_at_once() {
    for (slug, reason) in [
        ("sim_diverged", FinalReason::SimDiverged),
        ("cancelled", FinalReason::Cancelled),
    ] {
        check(&Rig::new(), [plan([fails(slug)])], reason, 1, 1);
    }
}

#[test]
fn a_cancelled_robot_starts_no_further_step() {
    let steps = vec![act(json!({"cancels": true})), stack()];
    check(&Rig::new(), [plan(steps)], FinalReason::Cancelled, 1, 1);
}

#[test]
fn steps_and_simulated_time_are_limited() {
    let mut rig = Rig::new();
    rig.options.budgets.max_steps = 2;
    let round = |takes_secs: f64| {
        Ok(Plan {
            steps: vec![act(json!({"takes_secs": takes_secs})).into()],
            ..Plan::default()
        })
    };
    let rounds = [0.1, 0.2, 0.3].map(round).to_vec();
    let result = common::check(&rig, rounds, FinalReason::MaxSteps);
    assert_eq!((result.planner_calls, result.steps), (3, 2));
    assert!(!result.success);
    says(&result.final_detail, &["2 steps"]);
    let mut rig = Rig::new();
    rig.options.budgets.max_sim_secs = 30.0;
    let slow = act(json!({"takes_secs": 20.0}));
    check(&rig, [plan(vec![slow; 5])], FinalReason::Timeout, 1, 2);
}

#[test]
fn an_unknown_skill_is_a_failure_like_any_other() {
    let unknown = SkillCall::new("fly", json!(null));
    let misspelt = SkillCall::new("act", json!({"objekt": 1}));
    let answers = [plan([unknown]), plan([misspelt]), plan([stack()])];
    let rig = Rig::new();
    check(&rig, answers, FinalReason::PlanComplete, 3, 3);
    let told = lock(&rig.asked);
    let reasons: Vec<_> = told[2].attempts.iter().map(|a| a.reason.clone()).collect();
    assert_eq!(reasons, [Reason::UnknownSkill, Reason::BadArguments]);
}

#[test]
fn blindness_spends_the_budget_too() {
    let rig = Rig::new();
    lock(&rig.scene).n_blind_looks = usize::MAX;
    let result = check(&rig, [plan([stack()])], FinalReason::ReplanExhausted, 0, 0);
    says(&result.final_detail, &["the lens is covered"]);
    let rig = Rig::new();
    lock(&rig.scene).n_blind_looks = 2;
    check(&rig, [plan([stack()])], FinalReason::PlanComplete, 1, 1);
}

#[test]
fn phrases_in_goals_keep_the_object_they_named_first() {
    let rig = Rig::new();
    let goal = |x, y| Goal::At {
        object: "the cube on the left".into(),
        position: [x, y, 0.02].into(),
        tolerance_m: 0.01,
        released: true,
    };
    // This moves the green cube to the far right, so that the red cube is the left one.
    let move_green = act(json!({"object": "green_cube", "to": [0.4, -0.3, 0.02]}));
    let first = Plan::complete([move_green], "moved").with_goals(vec![goal(0.4, -0.3)]);
    check(&rig, [Ok(first)], FinalReason::PlanComplete, 1, 1);
    let checked = lock(&rig.events);
    let last = checked.iter().rev().find_map(|e| match &e.event {
        Event::GoalChecked { goals } => Some(goals.clone()),
        _ => None,
    });
    let expected = "at(green_cube, 0.400, -0.300, 0.020)".to_owned();
    assert_eq!(last, Some(vec![(expected, GoalStatus::Met)]));
}

#[test]
fn a_phrase_whose_object_was_missed_is_grounded_later() {
    let rig = Rig::new();
    lock(&rig.scene).missed_once = vec!["red_cube".into()];
    let goals = vec![on("the red cube", "green_cube")];
    let first = Plan::complete([stack()], "stacked").with_goals(goals);
    check(&rig, [Ok(first)], FinalReason::PlanComplete, 1, 1);
}

#[test]
fn a_later_plan_cannot_lower_the_goal() {
    let goals = vec![on("green_cube", "green_cube")];
    let easier = Plan::complete([idle()], "nothing to it").with_goals(goals);
    let none = Plan {
        goals: vec![],
        ..easier.clone()
    };
    let answers = [plan([fails("grasp_missed")]), Ok(easier), Ok(none)];
    check(&Rig::new(), answers, FinalReason::GoalNotMet, 3, 3);
}

#[test]
fn a_later_plan_may_choose_another_alternative() {
    let of = |goal: Goal| Plan {
        chosen: vec![goal.clone()],
        ..Plan::complete([stack()], "stacked").with_goals(vec![goal])
    };
    let first = Plan {
        steps: plan([fails("unreachable")]).expect("a plan").steps,
        ..of(on("blue_cube", "green_cube"))
    };
    let answers = [Ok(first), Ok(of(on("red_cube", "green_cube")))];
    check(&Rig::new(), answers, FinalReason::PlanComplete, 2, 2);
}

#[test]
fn what_was_taken_has_to_be_in_the_hand_at_the_end() {
    let holding = Goal::Holding {
        object: "red_cube".into(),
    };
    let take = act(json!({"takes": true}));
    let taken = || Plan::complete(vec![take.clone()], "taken");
    for plan in [taken(), taken().with_goals(vec![holding])] {
        let mut rig = Rig::new();
        rig.options.budgets.max_replans = 0;
        rig.grips_until_secs = 100.0;
        check(&rig, [Ok(plan.clone())], FinalReason::PlanComplete, 1, 1);
        // The object falls out right after the step.
        rig.grips_until_secs = 1.55;
        let result = check(&rig, [Ok(plan)], FinalReason::GoalNotMet, 1, 1);
        let why = "holding(red_cube): red_cube is not in the hand any more: the fingers are \
                   0.0800 m apart and touch nothing";
        says(&result.final_detail, &[why]);
    }
}

#[test]
fn a_goal_holds_when_all_has_come_to_rest_and_not_before() {
    let mut rig = Rig::new();
    rig.options.budgets.max_replans = 0;
    lock(&rig.scene).objects[1].shape = regrasp_testkit::cuboid([0.2, 0.2, 0.02]);
    lock(&rig.scene).rolls = Some(("red_cube".into(), 0.01, 3.5));
    let answers = || vec![plan([stack()])];
    let result = check(&rig, answers(), FinalReason::PlanComplete, 1, 1);
    assert!(result.sim_s >= 2.0, "the cube rolls until then: {result:?}");
    lock(&rig.scene).objects[0] = cube("red_cube", 0.4, -0.1, 0.02);
    lock(&rig.scene).rolls = Some(("red_cube".into(), 0.01, 20.0));
    let result = check(&rig, answers(), FinalReason::GoalNotMet, 1, 1);
    let told = "on(red_cube, green_cube): red_cube is still moving at 0.010 m/s";
    says(&result.final_detail, &[told]);
}
