//! Skills and agent in a world that is not the simulator: it has no tactile pads, cannot be
//! rewound, and reports its own errors. Some tests use the simulator without tactile pads.

mod arm;
mod lines;
mod masked;
mod pictures;
mod rehearsal;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::common::{self, agent};
use crate::resume::dies;
use arm::{Cell, Eyes, Hardware, Mishap, block};
use regrasp::LoadedRobot;
use regrasp::api::{
    Claim, EpisodeResult, Event, FinalReason, Reason, RobotErrorKind, Route, RunStore, Sense,
    StampedEvent, Trigger,
};
use regrasp::robot::Robot;
use regrasp_store::SqliteStore;
use regrasp_testkit::says;
use serde_json::json;

const TASK: &str = "put the red cube on the green cube";

fn hardware(loaded: &LoadedRobot, script: &[(usize, Mishap)]) -> Hardware {
    let top = regrasp_testkit::cuboid([0.6, 0.8, 0.2]);
    let table = regrasp_testkit::fixed("table", "table", top, [0.4, 0.0, 0.2]);
    let red = block("red_cube", "red", 0.02, 0.4, -0.12, 0.4);
    let green = block("green_cube", "green", 0.025, 0.42, 0.15, 0.4);
    let objects = vec![table, red, green];
    let home = &loaded.file().home;
    let mut cell = Cell::new(loaded.arm_planner().clone(), home, objects);
    cell.script = VecDeque::from(script.to_vec());
    Hardware(Arc::new(Mutex::new(cell)))
}

fn robot(loaded: &LoadedRobot, hardware: &Hardware) -> (Robot, Arc<Mutex<Vec<StampedEvent>>>) {
    let mut robot = common::elsewhere(loaded, hardware.clone(), Eyes(hardware.clone()));
    let events = common::recorded(&mut robot);
    (robot, events)
}

fn is_stacked(hardware: &Hardware) -> bool {
    let cell = hardware.cell();
    let off = cell.position("red_cube") - cell.position("green_cube");
    off.xy().norm() < 0.02 && (off.z - 0.045).abs() < 0.005
}

#[test]
fn the_ordinary_skills_pick_and_place_without_pads() {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded, &[]);
    let (mut robot, _) = robot(&loaded, &hardware);
    for (skill, args) in [
        ("pick", json!({ "object": "red cube" })),
        ("place_on", json!({ "target": "green cube" })),
    ] {
        let result = common::call(&mut robot, skill, args);
        assert!(result.success, "{skill}: {}", result.reason_detail);
        assert!(result.verified_by.contains(&Sense::Sight), "{result:?}");
        assert!(!result.verified_by.contains(&Sense::FingerContacts));
        let by_width = result.verified_by.contains(&Sense::FingerWidth);
        assert!(by_width || skill != "pick", "{:?}", result.verified_by);
    }
    assert!(is_stacked(&hardware));
    assert_eq!(robot.state_digest(), None);
}

#[test]
fn a_look_is_waited_for_once_on_a_clock_that_runs() {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded, &[]);
    let (mut robot, _) = robot(&loaded, &hardware);
    let before_secs = robot.time_secs();
    robot.perceive().unwrap();
    let took_secs = robot.time_secs() - before_secs;
    assert!((took_secs - arm::LOOK_SECS).abs() < 1e-9, "{took_secs} s");
}

#[test]
fn a_call_that_fails_before_anything_moves_looks_once_more_at_most() {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded, &[]);
    let (mut robot, _) = robot(&loaded, &hardware);
    let args = json!({ "object": "table" });
    let result = common::call(&mut robot, "pick", args);
    assert_eq!(result.reason, Some(Reason::NoGraspFound), "{result:?}");
    let n_looks = hardware.cell().n_looks;
    assert_eq!(n_looks, 1, "looks of a call that fails in its precondition");
}

/// Runs the task with a script of faults. Returns reason and detail of the first failed step, the
/// route that the agent decided on, the result, and the cell.
fn run(script: &[(usize, Mishap)]) -> (Reason, String, Route, EpisodeResult, Hardware) {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded, script);
    let (robot, events) = robot(&loaded, &hardware);
    let result = agent(robot).run(TASK);
    let events = events.lock().unwrap();
    let failed = events.iter().find_map(|stamped| match &stamped.event {
        Event::StepFinished { result, .. } if !result.success => Some(result.clone()),
        _ => None,
    });
    let route = events.iter().find_map(|stamped| match &stamped.event {
        Event::Decided { decision, .. } => Some(decision.route),
        _ => None,
    });
    let (failed, route) = (failed.unwrap(), route.unwrap());
    let (reason, detail) = (failed.reason.unwrap(), failed.reason_detail);
    (reason, detail, route, result, hardware)
}

#[test]
fn each_fault_comes_back_as_its_reason_and_route() {
    use RobotErrorKind::{
        EmergencyStop, LimitViolated, LinkLost, Reflex, StaleState, StartMismatch,
    };
    for (kind, expected, passes) in [
        (Reflex, Route::Retry, true),
        (StartMismatch, Route::Retry, true),
        (StaleState, Route::Retry, true),
        (LimitViolated, Route::Retry, true),
        (EmergencyStop, Route::Abort, false),
        (LinkLost, Route::Abort, false),
    ] {
        let (reason, detail, route, result, hardware) = run(&[(1, Mishap::Error(kind))]);
        assert_eq!(reason, kind.reason(), "{detail}");
        says(&detail, &["31 N m"]);
        assert_eq!(route, expected, "{kind:?}");
        assert_eq!(result.success, passes, "{kind:?}: {}", result.final_detail);
        assert_eq!(is_stacked(&hardware), passes, "{kind:?}");
        if !passes {
            assert_eq!(result.final_reason, FinalReason::RobotUnavailable);
            says(&result.final_detail, &[kind.reason().slug()]);
        }
    }
}

#[test]
fn what_falls_is_noticed_by_width_and_a_push_by_torque() {
    // The fault occurs in the fourth motion, which carries the cube above the other one.
    let (reason, detail, _, result, hardware) = run(&[(3, Mishap::Drop)]);
    assert_eq!(reason, Reason::ObjectDropped, "{detail}");
    says(&detail, &["finger distance"]);
    assert!(result.success && is_stacked(&hardware), "{result:?}");

    let (reason, detail, route, result, _) = run(&[(0, Mishap::Push(22.0))]);
    let decided = (&reason, route);
    assert_eq!(decided, (&Reason::PathBlocked, Route::Retry), "{detail}");
    says(&detail, &["torque of about 22.0 N m"]);
    assert!(result.success, "{}", result.final_detail);
}

/// Breaks a run off after `n_saves` saves, changes the cell, and resumes the run.
fn killed(n_saves: usize, meanwhile: impl FnOnce(&Hardware)) -> (EpisodeResult, Vec<Event>) {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded, &[]);
    let dir = tempfile::tempdir().unwrap();
    let open = || SqliteStore::open(dir.path().join("store")).unwrap();
    let mut dies = dies(open(), n_saves);
    let broken = agent(robot(&loaded, &hardware).0).run_kept(TASK, &mut *dies, "a run", false);
    assert_eq!(broken.unwrap().final_reason, FinalReason::StoreUnavailable);
    let mut store = open();
    let Claim::Adopted(kept) = store.claim("a run", true).unwrap() else {
        panic!("the killed run has ended");
    };
    assert_eq!(kept.world, None);
    meanwhile(&hardware);
    let (robot, events) = robot(&loaded, &hardware);
    let resumed = agent(robot).run_kept(TASK, &mut store, "a run", true);
    let result = resumed.unwrap();
    assert!(is_stacked(&hardware), "{}", result.final_detail);
    let events = events.lock().unwrap();
    (result, events.iter().map(|e| e.event.clone()).collect())
}

fn plans(events: &[Event]) -> Vec<&Trigger> {
    let plans = events.iter().filter_map(|event| match event {
        Event::PlanRevised { version } => Some(&version.trigger),
        _ => None,
    });
    plans.collect()
}

#[test]
fn a_killed_run_goes_on_where_it_can_and_says_what_it_could_not_restore() {
    // The plan and the pick were saved; the placement was executed, but not saved.
    let (result, events) = killed(2, |_| {});
    assert!(result.success && result.goal_met, "{}", result.final_detail);
    let said = events.iter().find_map(|event| match event {
        Event::Resumed { not_restored, .. } => not_restored.clone(),
        _ => None,
    });
    says(&said.unwrap(), &["perceived again"]);
    assert!(plans(&events).is_empty(), "planned after the goal was met");

    // A person takes the cube out of the hand before the run is resumed.
    let (result, events) = killed(2, |hardware| hardware.cell().put(0.45, 0.0));
    assert!(result.success, "{}", result.final_detail);
    assert_eq!(plans(&events), [&Trigger::Resumed]);

    // The pick was executed, but not saved, so that the resumed run does not know the held object.
    let (result, events) = killed(1, |_| {});
    assert!(result.success, "{}", result.final_detail);
    assert_eq!(plans(&events), [&Trigger::Resumed]);

    // A person puts the cube back to its initial position, so that the plan is still valid.
    let (result, events) = killed(1, |hardware| hardware.cell().put(0.4, -0.12));
    assert!(result.success, "{}", result.final_detail);
    assert_eq!(plans(&events), Vec::<&Trigger>::new());
}
