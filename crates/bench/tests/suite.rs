//! A suite with a pretended robot: what is counted as what.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use regrasp_api::{EpisodeResult, FinalReason, ObjectId, Reason, WorldTruth};
use regrasp_bench::{
    BenchReport, EpisodeOutcome, EpisodeRecord, InfrastructureFailure, LastFailure, SuiteInfo,
    Verdict, judge, run_suite,
};
use regrasp_scene::{TaskInstance, builtin_robot, builtin_task};

/// An outcome in which nothing moved and the agent claims `claimed`.
fn outcome(instance: &TaskInstance, claimed: bool, reason: FinalReason) -> EpisodeOutcome {
    let truth = instance.scene.initial_truth(&builtin_robot().unwrap());
    EpisodeOutcome {
        result: EpisodeResult {
            success: claimed,
            goal_met: claimed,
            replans: 0,
            steps: 1,
            planner_calls: 1,
            final_reason: reason,
            final_answer: None,
            tokens: 0,
            final_detail: String::new(),
            wall_s: 0.1,
            sim_s: 4.0,
            seed: instance.seed,
            state_digest: "0000000000000000".to_owned(),
            version: "0.0.0".to_owned(),
        },
        last_failure: None,
        first: truth.clone(),
        last: truth,
    }
}

fn raise(truth: &mut WorldTruth, id: &str, by_m: f64) {
    let object = truth.objects.iter_mut().find(|o| o.id == ObjectId::new(id));
    object
        .expect("the object is there")
        .world_from_object
        .translation
        .vector
        .z += by_m;
}

fn failed(outcome: EpisodeOutcome, reason: Reason, detail: &str) -> EpisodeOutcome {
    let detail = detail.to_owned();
    EpisodeOutcome {
        last_failure: Some(LastFailure { reason, detail }),
        ..outcome
    }
}

/// Lifts the cube in most seeds, and goes wrong in four ways in the others.
fn pretend(instance: &TaskInstance) -> Result<EpisodeOutcome, InfrastructureFailure> {
    let claim = |claimed, reason| outcome(instance, claimed, reason);
    match instance.seed {
        2 => Ok(claim(true, FinalReason::PlanComplete)),
        4 => {
            let outcome = claim(false, FinalReason::ReplanExhausted);
            Ok(failed(
                outcome,
                Reason::GraspMissed,
                "the fingers closed on nothing",
            ))
        }
        6 => Ok(claim(false, FinalReason::SimDiverged)),
        8 => Err(InfrastructureFailure {
            detail: "no world".to_owned(),
        }),
        _ => {
            let mut done = claim(true, FinalReason::PlanComplete);
            raise(&mut done.last, "red_cube", 0.06);
            Ok(done)
        }
    }
}

fn suite(seeds: std::ops::Range<u64>) -> (BenchReport, Vec<EpisodeRecord>) {
    let mut seen = Vec::new();
    let info = SuiteInfo {
        version: "0.0.0".to_owned(),
        planner: "pretend".to_owned(),
        max_replans: 3,
    };
    let tasks = [builtin_task("pick_cube_scrambled").unwrap()];
    let mut progress = |record: &EpisodeRecord| seen.push(record.clone());
    let report = run_suite(&tasks, seeds, info, &pretend, &mut progress).unwrap();
    (report, seen)
}

#[test]
fn every_way_to_end_is_counted_once_and_in_its_place() {
    let (report, seen) = suite(0..10);
    let task = &report.tasks[0];
    assert_eq!(seen.len(), 10);
    assert_eq!((task.episodes, task.successes), (10, 6));
    assert_eq!(
        task.false_successes, 1,
        "seed 2 claims what the judge denies"
    );
    assert_eq!(
        task.infrastructure, 2,
        "seeds 6 and 8 say nothing about the robot"
    );
    let failures: Vec<_> = task
        .failures
        .iter()
        .map(|f| (f.seed, f.reason.as_str()))
        .collect();
    assert_eq!(failures, [(2, "false_success"), (4, "grasp_missed")]);
    let spoilt: Vec<_> = task
        .infrastructure_failures
        .iter()
        .map(|f| f.seed)
        .collect();
    assert_eq!(spoilt, [6, 8]);
    assert_eq!(task.success_rate(), Some(6.0 / 8.0));
    assert!(report.reaches(0.75) && !report.reaches(0.76));
}

#[test]
fn a_suite_that_could_not_be_judged_reaches_nothing() {
    let (report, _) = suite(6..7);
    assert_eq!(report.tasks[0].success_rate(), None);
    assert!(!report.reaches(0.0));
}

#[test]
fn the_report_holds_what_the_file_format_promises() {
    let (mut report, _) = suite(0..10);
    report.tasks[0].median_wall_s = Some(0.125);
    report.tasks[0].p95_wall_s = Some(0.25);
    insta::assert_snapshot!("report", report.to_json().unwrap());
    insta::assert_snapshot!("table", report.table());
    let back: BenchReport = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    assert_eq!(
        back.to_json().unwrap().len(),
        report.to_json().unwrap().len()
    );
    assert_eq!(
        (back.info, &back.tasks[0].failures),
        (report.info.clone(), &report.tasks[0].failures)
    );
    let folder = tempfile::tempdir().unwrap();
    report.write(&folder.path().join("report.json")).unwrap();
    let error = report
        .write(&folder.path().join("gone").join("x.json"))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("write the report to"),
        "{error}"
    );
}

#[test]
fn refusing_the_impossible_for_the_right_reason_is_a_success() {
    let instance = builtin_task("pick_unreachable_cube")
        .unwrap()
        .instantiate(1)
        .unwrap();
    let refused = outcome(&instance, false, FinalReason::Infeasible);
    let verdict = |outcome: EpisodeOutcome| judge(&instance, &outcome);
    let with = |reason| verdict(failed(refused.clone(), reason, "d"));
    assert_eq!(with(Reason::Unreachable), Verdict::Success);
    assert!(matches!(
        with(Reason::PathBlocked),
        Verdict::Failure {
            false_success: false,
            ..
        }
    ));
    assert!(matches!(
        verdict(refused.clone()),
        Verdict::Failure {
            false_success: false,
            ..
        }
    ));
    let claimed = failed(
        outcome(&instance, true, FinalReason::PlanComplete),
        Reason::Unreachable,
        "d",
    );
    assert!(matches!(
        verdict(claimed),
        Verdict::Failure {
            false_success: true,
            ..
        }
    ));
}
