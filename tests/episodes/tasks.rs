//! Episodes of the built-in tasks of the suite `all`, judged by the ground truth. Each task has a
//! few seeds; `regrasp bench` measures success rates.

use crate::common::{instance, judged, says};
use regrasp::agent::AgentOptions;
use regrasp::api::{FinalReason, Reason};
use regrasp::bench::{Suite, Verdict};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::scene::builtin_task_names;
use regrasp::{Episode, EpisodeOptions, PlannerKind};

fn run(task: &str, seed: u64, planner: PlannerKind, noise: NoiseOptions) -> (Episode, Verdict) {
    let options = EpisodeOptions {
        planner: planner.build(),
        agent: AgentOptions::default().with_max_replans(2),
        noise,
        ..EpisodeOptions::default()
    };
    judged(&instance(task, seed), options)
}

#[track_caller]
fn are_done<'a>(tasks: impl IntoIterator<Item = &'a str>, noise: NoiseOptions) {
    for task in tasks {
        for seed in 0..4 {
            let (episode, verdict) = run(task, seed, PlannerKind::Feedback, noise);
            let why = &episode.result.final_detail;
            assert_eq!(verdict, Verdict::Success, "{task} seed {seed}: {why}");
        }
    }
}

#[test]
fn every_built_in_task_is_done() {
    let tasks = builtin_task_names();
    are_done(Suite::All.tasks(&tasks), NoiseOptions::default());
}

#[test]
fn tasks_survive_a_noisy_forgetful_and_slow_perception() {
    let noise = NoiseOptions {
        position_std_m: 0.001,
        yaw_std_rad: 0.02,
        miss_probability: 0.05,
        latency_secs: 0.05,
        ..NoiseOptions::default()
    };
    let tasks = ["pick_cube_scrambled", "pick_from_three", "stack_two"];
    are_done(tasks, noise);
}

#[test]
fn a_planner_that_repeats_itself_is_stopped_and_one_that_reads_stops_by_itself() {
    let exact = NoiseOptions::default();
    let (stub, _) = run("pick_unreachable_cube", 0, PlannerKind::Stub, exact);
    assert_eq!(stub.result.final_reason, FinalReason::Infeasible);
    assert_eq!((stub.result.replans, stub.result.steps), (1, 1));
    says(&stub.result.final_detail, &["unreachable", "pos_err="]);

    let (feedback, verdict) = run("pick_unreachable_cube", 0, PlannerKind::Feedback, exact);
    assert_eq!(feedback.result.final_reason, FinalReason::Infeasible);
    let refused = (feedback.result.steps, verdict);
    assert_eq!(refused, (1, Verdict::Success), "steps and verdict");
}

#[test]
fn a_covered_cube_is_uncovered_by_whoever_reads_the_reason() {
    let exact = NoiseOptions::default();
    let (feedback, verdict) = run("unstack_to_plate", 0, PlannerKind::Feedback, exact);
    assert_eq!(verdict, Verdict::Success);
    assert_eq!(feedback.result.replans, 1, "plans after the failure");
    assert_eq!(feedback.last_failure.unwrap().reason, Reason::ObjectCovered);

    let (stub, verdict) = run("unstack_to_plate", 0, PlannerKind::Stub, exact);
    assert!(!stub.result.success, "success without feedback");
    let Verdict::Failure { false_success, .. } = verdict else {
        panic!("an episode was judged a success, although the cube is still covered");
    };
    assert!(!false_success);
}
