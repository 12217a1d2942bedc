//! Faults have the intended effects, and episodes with them end correctly, for a few seeds.
//! `regrasp bench --suite recovery` runs many.

use std::sync::{Arc, Mutex};

use crate::common::*;
use regrasp::api::{EventSink, FinalReason};
use regrasp::bench::recovery::{RecoveryReport, Story};
use regrasp::faults::Fault;
use regrasp::recovery::{Measured, Strategy};
use regrasp::scene::{Scene, TaskInstance, fault_from_text, find_task, load_task};
use regrasp::{Episode, EpisodeOptions, FaultError, LoadedRobot};

fn suite(names: &[&str], strategies: &[Strategy], jobs: usize) -> RecoveryReport {
    recovery_suite(names, &Measured::feedback(), strategies, 2, jobs)
}

#[track_caller]
fn ends_right(names: &[&str]) {
    let report = suite(names, &[Strategy::Full], 2);
    for class in &report.classes {
        let totals = &class.totals[0];
        let name = &class.info.name;
        let odd = format!("{name}: {:?}", class.odd);
        assert_eq!(totals.right_ends, totals.episodes, "{odd}");
        assert_eq!(totals.right_signs, totals.signs, "{odd}");
        assert_eq!(totals.false_successes, 0, "{odd}");
        assert!(totals.most_wasted <= 1, "{odd}");
    }
}

/// Runs a command with faults. Also returns its steps and failures as text.
fn run(scene: &Scene, command: &str, seed: u64, faults: Vec<Fault>) -> (Episode, Story) {
    let story = Arc::new(Mutex::new(Story::default()));
    let options = EpisodeOptions {
        seed,
        sink: Box::new(Arc::clone(&story)) as Box<dyn EventSink>,
        faults,
        ..EpisodeOptions::default()
    };
    let episode = played(scene, command, options);
    let story = std::mem::take(&mut *story.lock().unwrap());
    (episode, story)
}

/// Runs a task with a fault. Also returns the reason of the first failure that it caused, if any.
fn run_task(task: &str, fault: &str) -> (Episode, Option<String>) {
    let TaskInstance { scene, prompt, .. } = instance(task, 0);
    let (episode, story) = run(&scene, &prompt, 0, vec![fault_from_text(fault).unwrap()]);
    (episode, story.first_sign.map(|(slug, _)| slug))
}

/// Checks each fault: task, fault, reason of the first failure, and end of the episode.
#[track_caller]
fn check(faults: &[(&str, &str, &str, FinalReason)]) {
    for (task, fault, sign, end) in faults {
        let (episode, first) = run_task(task, fault);
        let result = episode.result;
        let why = format!("{fault}: {}", result.final_detail);
        assert_eq!(first.as_deref(), Some(*sign), "{why}");
        assert_eq!(result.final_reason, *end, "{why}");
    }
}

#[test]
fn passing_faults_are_recovered_from() {
    let end = FinalReason::PlanComplete;
    let blocked = "joint_blocked: {joint: panda_joint2, at_secs: 0.2, for_secs: 0.5}";
    let garbage = "planner: {trouble: garbage, first: 1}";
    let moved = "moved: {object: red_cube, by_m: [0.05, -0.1]}";
    let slip = "slip_at_lift: {for_secs: 0.5}";
    let stuck = "gripper_stuck: {for_secs: 0.5}";
    check(&[
        ("stack_two", slip, "grasp_slipped", end),
        ("pick_cube", stuck, "tracking_error", end),
        ("pick_cube", blocked, "tracking_error", end),
        ("pick_cube", garbage, "unknown_skill", end),
        ("pick_cube", moved, "grasp_missed", end),
    ]);
}

#[test]
fn lasting_faults_end_with_the_right_reason() {
    use FinalReason::{Infeasible, SimDiverged};
    let removed = "removed: {object: red_cube, at_secs: 0.1}";
    let jams = "drawer_jams: {object: drawer}";
    let diverges = "diverges: {object: red_cube, at_secs: 0.2}";
    check(&[
        ("pick_cube", removed, "object_not_found", Infeasible),
        ("pick_cube", "gripper_stuck", "tracking_error", Infeasible),
        ("pick_cube", "slip_at_lift", "grasp_slipped", Infeasible),
        ("open_drawer", jams, "joint_not_moved", Infeasible),
        ("pick_cube", diverges, "sim_diverged", SimDiverged),
    ]);
}

#[test]
fn a_weak_gripper_gets_a_greater_force() {
    let (episode, sign) = run_task("pick_cube", "gripper_weak: {factor: 0.009}");
    assert!(episode.result.success, "{}", episode.result.final_detail);
    assert!(sign.is_some(), "the default force was enough");
}

#[test]
fn classes_of_the_suite_end_right() {
    ends_right(&[
        "covered twice",
        "place occupied",
        "hemmed in",
        "slips in transport",
        "not seen for a while",
        "planner: nothing at first",
        "planner: done at first",
        "too wide",
        "covered for good",
        "planner: the same",
        "store full",
        "store locked",
    ]);
}

#[test]
fn the_suite_gives_the_same_whoever_runs_what_when() {
    let of = |jobs| {
        let mut report = suite(&["covered", "nudged"], &[Strategy::Full], jobs);
        let classes = report.classes.iter_mut();
        let classes = classes.flat_map(|class| &mut class.totals);
        let sums = report.recoverable.iter_mut().chain(&mut report.all);
        for totals in classes.chain(sums).chain(&mut report.unrecoverable) {
            // Wall time depends on the machine.
            totals.mean_wall_secs = 0.0;
        }
        report
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn a_planner_without_reasons_does_worse() {
    let report = suite(&["covered", "place occupied"], &Strategy::ALL, 2);
    let shares: Vec<_> = report.recoverable.iter().map(|t| t.right_ends).collect();
    assert_eq!(report.recoverable[0].strategy, "feedback");
    assert_eq!(shares[0], report.recoverable[0].episodes);
    assert!(shares[1..].iter().all(|n| *n == 0), "{shares:?}");
}

#[test]
fn an_obstacle_appears_where_and_when_it_should() {
    let block = cube("block", 0.02, 0.6, 0.3);
    let scene = scene([cube("red_cube", 0.015, 0.4, -0.1), block]);
    let fault = "obstacle_appears: {object: block, xy: [0.4, 0.1], at_secs: 0.2}";
    let fault = fault_from_text(fault).unwrap();
    let options = EpisodeOptions::default().with_faults(&[fault]).unwrap();
    let loaded = LoadedRobot::panda().unwrap();
    let mut cell = (options.prepare.unwrap())(&loaded, &scene, cell(&scene)).unwrap();
    assert!(cell.truth().object(&id("block")).is_none());
    cell.robot.wait(0.3).unwrap();
    let there = cell.position("block");
    near("x", there.x, 0.4, 0.005);
    near("y", there.y, 0.1, 0.005);
}

#[test]
fn faults_in_a_task_file_strike_like_those_of_a_command_line() {
    let loaded = LoadedRobot::panda().unwrap();
    let file = regrasp_assets::workspace_root().join("examples/faulty_task.yaml");
    let task = load_task(file, loaded.file()).unwrap();
    let task = task.instantiate(5).unwrap();
    let digest = |scene: &Scene, faults: Vec<Fault>| {
        let (episode, story) = run(scene, &task.prompt, 5, faults);
        assert!(episode.result.success, "{}", episode.result.final_detail);
        (episode.result.state_digest, story.trail.join(" "))
    };
    let of_file = digest(&task.scene, vec![]);
    let mut picks = of_file.1.split(" pick");
    let failed = picks.any(|step| step.contains(": ") && !step.ends_with(": ok"));
    let story = &of_file.1;
    assert!(failed, "no pick failed after the shift: {story}");
    let mut bare = task.scene.clone();
    let faults = std::mem::take(&mut bare.faults);
    assert_eq!(faults.len(), 2);
    assert_eq!(digest(&bare, faults), of_file);
    let without = digest(&bare, vec![]);
    assert_ne!(without, of_file, "the faults changed nothing");
}

#[test]
fn fingers_that_start_off_the_middle_are_not_blocked() {
    // An obstacle tilts the placed cube. When the fingers start to open, one is therefore behind
    // its command and the other ahead of it.
    let fault = "obstacle_appears: {object: grey_block, xy: [0.4, 0.03], at_secs: 3.0}";
    let loaded = LoadedRobot::panda().unwrap();
    let task = find_task("recovery/blocked_way", loaded.file()).unwrap();
    let instance = task.instantiate(7).unwrap();
    let faults = vec![fault_from_text(fault).unwrap()];
    let (episode, _) = run(&instance.scene, &instance.prompt, 7, faults);
    assert!(episode.result.success, "{}", episode.result.final_detail);
    assert!(episode.last_failure.is_none(), "{:?}", episode.last_failure);
}

#[test]
fn a_fault_that_has_nothing_to_act_on_is_an_error() {
    let with = |spec: &str| {
        let fault = fault_from_text(spec).unwrap();
        EpisodeOptions::default().with_faults(&[fault])
    };
    let dance = with("skill_fails: {skill: dance, probability: 1}");
    let error = dance.err().unwrap().to_string();
    says(&error, &["`dance`", "carry_to"]);
    let error = with("store: {trouble: full}").err().unwrap();
    assert_eq!(error, FaultError::NothingKept);
    let scene = scene([cube("red_cube", 0.015, 0.4, -0.1)]);
    let loaded = LoadedRobot::panda().unwrap();
    let options = with("sight_misses: {object: teapot}").unwrap();
    let prepared = (options.prepare.unwrap())(&loaded, &scene, cell(&scene));
    let error = prepared.err().unwrap().to_string();
    says(&error, &["teapot", "red_cube"]);
}
