//! Judgement of episodes with faults: wasted steps, first signs, and episodes beyond the budgets.

use regrasp_api::{
    EpisodeResult, Event, EventSink, Failure, FinalReason, Pose, Reason, SkillCall, SkillResult,
    StampedEvent, StateAfter,
};
use regrasp_bench::recovery::{ClassInfo, RecoveryRecord, Story, Totals, judge_recovery};
use regrasp_ground_truth::Episode;
use regrasp_scene::builtin_task;
use regrasp_testkit::says;
use serde_json::json;

fn emit(story: &mut Story, event: Event) {
    story.emit(&StampedEvent::new(0, 0.0, event));
}

/// A pick with a given force that leaves the cube at `x` and fails unless `reason` is empty.
fn step(story: &mut Story, force_n: f64, reason: &str, x: f64) {
    let args = json!({"object": "red_cube", "force_n": force_n});
    let pick = SkillCall::new("pick", args);
    emit(story, Event::step_started(0, &pick));
    let failure = Failure::new(Reason::from_slug(reason), "as measured");
    let mut result = SkillResult::from(failure);
    result.state_after = StateAfter {
        held: None,
        objects: Some([("red_cube".into(), Pose::translation(x, 0.0, 0.02))].into()),
    };
    if reason.is_empty() {
        (result.success, result.reason) = (true, None);
    }
    emit(story, Event::step_finished(0, result));
}

fn story(steps: &[(f64, &str, f64)]) -> Story {
    let mut story = Story::default();
    for (force_n, reason, x) in steps {
        step(&mut story, *force_n, reason, *x);
    }
    story
}

#[test]
fn wasted_is_the_same_call_for_the_same_reason_with_everything_where_it_was() {
    let wasted = |steps: &[_]| story(steps).wasted;
    let slipped = (20.0, "grasp_slipped", 0.4);
    for (second, n) in [
        ((20.0, "grasp_slipped", 0.403), 1),
        ((70.0, "grasp_slipped", 0.4), 0),
        ((20.0, "grasp_missed", 0.4), 0),
        ((20.0, "grasp_slipped", 0.41), 0),
    ] {
        assert_eq!(wasted(&[slipped, second]), n, "{second:?}");
    }
    let thrice = [(20.0, "grasp_missed", 0.4); 3];
    assert_eq!(wasted(&thrice), 2);
    let once = story(&thrice[..1]);
    assert_eq!(once.first_sign.unwrap().0, "grasp_missed");
    assert_eq!(once.trail.len(), 1);
    let last = &once.trail[0];
    assert!(last.ends_with(": grasp_missed"), "{last}");
}

/// Judges a recoverable class whose correct end beyond the budgets is to ask a person.
fn judged(end: FinalReason, story: &Story) -> RecoveryRecord {
    let class = ClassInfo {
        name: "now and then".into(),
        recoverable: true,
        signs: vec!["grasp_missed".into()],
        ends: vec![FinalReason::NeedsHuman],
    };
    let instance = builtin_task("pick_cube").unwrap().instantiate(0).unwrap();
    let result = EpisodeResult {
        success: false,
        goal_met: false,
        ..regrasp_testkit::episode_result(end)
    };
    let outcome = Episode {
        result,
        ..crate::common::outcome(&instance, false, end)
    };
    judge_recovery(&class, "feedback", &instance, &outcome, story, 3)
}

#[test]
fn only_as_many_failures_in_a_row_as_the_budget_has_are_beyond_it() {
    let miss = (20.0, "grasp_missed", 0.4);
    let three = story(&[miss, miss, miss]);
    let apart = story(&[miss, miss, (20.0, "", 0.4), miss, miss]);
    assert_eq!((three.failed_in_a_row, apart.failed_in_a_row), (3, 2));
    use FinalReason::{NeedsHuman, ReplanExhausted};
    let asked = [&three, &apart].map(|story| judged(NeedsHuman, story));
    let records = [&asked[..], &[judged(ReplanExhausted, &three)]].concat();
    let beyond: Vec<_> = records.iter().map(|r| r.beyond).collect();
    assert_eq!(beyond, [true, false, false]);
    let totals = Totals::of("feedback", &records);
    let counts = (totals.beyond, totals.episodes, totals.right_ends);
    assert_eq!(counts, (1, 2, 0));
}

#[test]
fn trouble_of_the_machinery_that_the_class_did_not_plan_is_counted_apart() {
    use FinalReason::{
        GaveUp, PerceptionUnavailable, PlannerCrashed, PolicyUnavailable, VlmTransport,
    };
    let miss = story(&[(20.0, "grasp_missed", 0.4)]);
    for end in [
        VlmTransport,
        PlannerCrashed,
        PolicyUnavailable,
        PerceptionUnavailable,
    ] {
        let spoilt = judged(end, &Story::default());
        assert!(spoilt.infrastructure, "{end:?}");
        // The class injects this failure, so the agent should have recovered.
        assert!(!judged(end, &miss).infrastructure, "{end:?}");
        let totals = Totals::of("feedback", &[spoilt, judged(GaveUp, &miss)]);
        assert_eq!((totals.infrastructure, totals.episodes), (1, 1));
    }
    assert!(!judged(GaveUp, &Story::default()).infrastructure);
}

#[test]
fn the_page_lists_what_went_wrong_with_its_command_and_escapes_it() {
    use regrasp_bench::recovery::{RecoveryPage, RecoveryReport, SuiteInfo};
    use regrasp_bench::{BenchConfig, Machine, RecordKind};
    let miss = (20.0, "grasp_missed", 0.4);
    let odd = RecoveryRecord {
        detail: "a <script> in a name".into(),
        sign: Some("tracking_error".into()),
        right_sign: Some(false),
        right_end: false,
        ..judged(FinalReason::NeedsHuman, &story(&[miss]))
    };
    let other = RecoveryRecord {
        strategy: "stub".into(),
        right_end: true,
        ..odd.clone()
    };
    let class = ClassInfo {
        name: "now and then".into(),
        recoverable: true,
        signs: vec!["grasp_missed".into()],
        ends: vec![],
    };
    let info = SuiteInfo {
        version: "0.0.0".into(),
        planner: "feedback".into(),
        max_replans: 5,
    };
    let strategies = ["feedback", "stub"].map(str::to_owned);
    let report = RecoveryReport::new(info, 1, &strategies, &[class], &[odd, other]);
    let config = BenchConfig {
        records: RecordKind::Recovery,
        planner: "feedback".into(),
        agent: json!({}),
        groups: vec![],
        repeat: vec!["--max-replans".into(), "5".into()],
        ..crate::common::config(1, None)
    };
    let page = RecoveryPage {
        config: &config,
        report: &report,
        missing: 3,
        machine: &Machine::this(),
        charts: vec![],
    };
    let html = page.html().unwrap();
    let command = "regrasp bench --suite recovery --no-baselines --classes &#x27;now and \
                   then&#x27; --seed 0 --max-replans 5";
    for word in [
        command,
        "3 episodes have not run yet",
        "Wrong outcome: 1",
        "Wrong reasons",
        "a &lt;script&gt; in a name",
    ] {
        assert!(html.contains(word), "`{word}` is not in {html}");
    }
    // Both strategies are in one row.
    says(&html, &[">0/1</td>", ">1/1</td>"]);
}
