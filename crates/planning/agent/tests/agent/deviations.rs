//! Steps that succeed with another result than the plan expects.

use crate::common::{Answer, Rig, check, idle, lock, on, plan, stack};
use regrasp_agent::{Assessment, Criteria, DeviationMode, Evaluator, StepOutcome};
use regrasp_api::{Expectation, FinalReason, PlanStep};

/// A plan whose first step has an expectation and does nothing.
fn expecting(expect: Expectation) -> Answer {
    let first = PlanStep {
        expect: Some(expect),
        ..idle().into()
    };
    plan([first, stack().into()])
}

fn too_early() -> Answer {
    expecting(Expectation {
        goals: vec![on("red_cube", "green_cube")],
        ..Expectation::default()
    })
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
        let answers = [too_early(), plan([stack()])];
        let result = check(&rig, answers, FinalReason::PlanComplete);
        assert_eq!(result.planner_calls, calls, "{mode:?}");
    }
    let mut rig = Rig::new();
    rig.options.replan_on_deviation = DeviationMode::Triggered;
    rig.options.criteria = Criteria {
        threshold: 1.0,
        ..Criteria::default()
    };
    let result = check(&rig, [too_early()], FinalReason::PlanComplete);
    assert_eq!(result.planner_calls, 1, "below the threshold");
}

/// Evaluator of expectations in words, which always reports a deviation.
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
        expecting(Expectation {
            text: Some("a melody".into()),
            ..Expectation::default()
        })
    };
    let mut rig = Rig::new();
    rig.options.replan_on_deviation = DeviationMode::Reactive;
    let result = check(&rig, [wordy()], FinalReason::PlanComplete);
    assert_eq!(
        result.planner_calls, 1,
        "no evaluator can read words, so the plan continues"
    );
    let agent = rig.agent([wordy(), plan([stack()])]);
    let mut agent = agent.with_evaluator(Box::new(Critic));
    lock(&rig.scene).objects[0] = crate::common::cube("red_cube", 0.4, -0.1, 0.02);
    assert_eq!(agent.run("stack").planner_calls, 2);
}
