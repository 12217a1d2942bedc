//! Skills and agent on a Franka in a third-party simulator, through the arm's own protocol. Ignored
//! by default; `sh scripts/franka.sh` starts the simulator, names its host in `REGRASP_FRANKA`, and
//! runs the test.
//!
//! The episodes are judged by the cubes' poses in that simulator.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "its table is a result")]

mod cell;
mod proxy;
mod robot_errors;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::franka_sim::{CUBES, Objects, host, is_stacked};
use crate::common::{self, agent};
use cell::{Arm, Eyes, TABLE};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp::LoadedRobot;
use regrasp::agent::Agent;
use regrasp::api::{Event, EventSink, Knot, ObjectId, Pose, StampedEvent, Trajectory, World};
use regrasp::record::Comparison;
use regrasp::robot::Robot;
use regrasp::sim::{Disturbance, SimFaults, When};
use regrasp_franka::{Approval, ArmOptions, FrankaArm, Safety};
use serde_json::json;

const TASK: &str = "put the red cube on the green cube";

fn n_episodes() -> usize {
    let given = std::env::var("REGRASP_FRANKA_EPISODES").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(20)
}

/// Safety limits with tolerance for states that come in bursts, because the simulator runs in
/// Python on the same machine.
fn safety() -> Safety {
    Safety {
        stale_secs: 0.5,
        lost_controller_secs: 0.5,
        ..Safety::default()
    }
}

fn connect(loaded: &LoadedRobot, host: &str) -> Arm {
    let options = ArmOptions {
        safety: safety(),
        ..ArmOptions::new(host)
    };
    let file = loaded.file();
    let chain = loaded.model().chain(&file.base_link, &file.tool_link);
    let approval: Approval = Box::new(|motion| {
        println!("approved: {motion}");
        true
    });
    let arm = FrankaArm::connect(options, chain.unwrap(), approval).unwrap();
    println!("{:#?}", arm.report());
    Arm(Arc::new(Mutex::new(arm)))
}

fn robot(loaded: &LoadedRobot, arm: &Arm, host: &str) -> (Robot, Arc<Mutex<Vec<StampedEvent>>>) {
    let eyes = Eyes(Objects::connect(host));
    let mut robot = common::elsewhere(loaded, arm.clone(), eyes);
    let events = common::recorded(&mut robot);
    (robot, events)
}

/// Draws random poses of both cubes at which they do not touch.
fn places(rng: &mut ChaCha8Rng) -> [[f64; 4]; 2] {
    let mut place = |low: f64, high: f64, half_m: f64| {
        let (x, y) = (rng.random_range(0.38..0.52), rng.random_range(low..high));
        [x, y, half_m, rng.random_range(-0.7..0.7)]
    };
    [place(-0.2, -0.06, CUBES[0].1), place(0.06, 0.2, CUBES[1].1)]
}

/// Number of motions since the last call, their total duration, s, and the largest joint error,
/// rad.
fn motions(events: &Mutex<Vec<StampedEvent>>) -> (usize, f64, f64) {
    let events = std::mem::take(&mut *events.lock().unwrap());
    let mut sum = (0, 0.0_f64, 0.0_f64);
    for stamped in &events {
        if let Event::MotionFinished {
            duration_secs,
            peak_tracking_error,
            ..
        } = &stamped.event
        {
            sum.0 += 1;
            sum.1 += duration_secs;
            sum.2 = sum.2.max(*peak_tracking_error);
        }
    }
    sum
}

#[test]
#[ignore = "needs a third-party simulator of a Franka: scripts/franka.sh"]
fn the_skills_drive_an_arm_that_somebody_else_simulates() {
    let host = host();
    // The arm rejects motions within this margin of its limits, so that plans keep a larger one.
    let margin_rad = safety().joint_margin_rad + 0.01;
    let loaded = LoadedRobot::panda().unwrap();
    let loaded = loaded.with_joint_margin(margin_rad).unwrap();
    let arm = connect(&loaded, &host);
    let (robot, events) = robot(&loaded, &arm, &host);
    let mut truth = Objects::connect(&host);
    let mut agent = agent(robot);
    let went_home = agent.run("go home");
    assert!(went_home.success, "{}", went_home.final_detail);
    episodes(&mut agent, &arm, &events, &mut truth);
    planted_failure(&mut agent, &events, &host, &mut truth);
    drop(agent);
    side_by_side(&loaded, &arm, &host, &mut truth);
    println!("| injected failure | reason | the arm was at rest after |\n|---|---|---|");
    robot_errors::of_the_hand(&loaded, &arm, &host, &mut truth);
    // The simulator accepts only one connection.
    drop(arm);
    robot_errors::of_the_link(&loaded, &host);
}

/// Stacks the cubes repeatedly from different positions and prints the results.
fn episodes(agent: &mut Agent, arm: &Arm, events: &Mutex<Vec<StampedEvent>>, truth: &mut Objects) {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut table = String::from(
        "| episode | stacked | beside, mm | calls | motions | moving, s | lag, mrad | failures |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let (n, mut n_passed) = (n_episodes(), 0);
    let before = arm.inside().cycle_counts();
    let began = Instant::now();
    for episode in 0..n {
        for ((name, ..), place) in CUBES.iter().zip(places(&mut rng)) {
            truth.put(name, place);
        }
        std::thread::sleep(Duration::from_millis(500));
        events.lock().unwrap().clear();
        let result = agent.run(TASK);
        let (beside, above) = truth.red_over_green();
        let passed = result.success && is_stacked((beside, above));
        n_passed += usize::from(passed);
        let troubles = troubles(events);
        let (n_motions, secs, error) = motions(events);
        let row = format!(
            "| {episode} | {passed} | {:.1} | {} | {n_motions} | {secs:.1} | {:.2} | {troubles} |",
            1e3 * beside,
            result.steps,
            1e3 * error
        );
        println!("{row}");
        let _ = writeln!(table, "{row}");
    }
    let after = arm.inside().cycle_counts();
    println!("{table}");
    println!(
        "{n_passed} of {n} stacked in {:.0} s; {} cycles, {} missed, at most {} in a row",
        began.elapsed().as_secs_f64(),
        after.cycles - before.cycles,
        after.missed - before.missed,
        after.longest_gap
    );
    assert_eq!(n_passed, n);
}

fn troubles(events: &Mutex<Vec<StampedEvent>>) -> String {
    let events = events.lock().unwrap();
    let failed = events.iter().filter_map(|stamped| match &stamped.event {
        Event::StepFinished { result, .. } if !result.success => Some(&result.reason_detail),
        _ => None,
    });
    failed.cloned().collect::<Vec<_>>().join("; ")
}

/// Checks that the agent replans if the cube is taken out of the hand during transport.
fn planted_failure(
    agent: &mut Agent,
    events: &Arc<Mutex<Vec<StampedEvent>>>,
    host: &str,
    truth: &mut Objects,
) {
    truth.put_cubes();
    motions(events);
    let thief = steal(host, events);
    let result = agent.run(TASK);
    thief.join().unwrap();
    for stamped in events.lock().unwrap().iter() {
        match &stamped.event {
            Event::StepFinished { result, .. } if !result.success => {
                println!("failed: {:?} {}", result.reason, result.reason_detail);
            }
            Event::Decided { decision, .. } => println!("decided: {:?}", decision.route),
            Event::PlanRevised { version } => println!("new plan: {:?}", version.trigger),
            _ => {}
        }
    }
    let (beside, above) = truth.red_over_green();
    println!(
        "injected failure: success {}, {} steps, {} replans, red cube {:.1} mm beside and {:.1} mm \
         above the green one",
        result.success,
        result.steps,
        result.replans,
        1e3 * beside,
        1e3 * above
    );
    assert!(result.success, "{}", result.final_detail);
    assert!(result.replans > 0, "the agent did not replan");
    assert!(is_stacked((beside, above)));
}

/// Compares an episode in both simulators: undisturbed, and with the cube taken during transport.
fn side_by_side(loaded: &LoadedRobot, arm: &Arm, host: &str, truth: &mut Objects) {
    for is_robbed in [false, true] {
        let events_here = here(is_robbed);
        truth.put_cubes();
        let (mut there, events_there) = robot(loaded, arm, host);
        let home = common::call(&mut there, "home", json!({}));
        assert!(home.success, "{}", home.reason_detail);
        events_there.lock().unwrap().clear();
        let thief = is_robbed.then(|| steal(host, &events_there));
        let result = agent(there).run(TASK);
        thief.into_iter().for_each(|thief| thief.join().unwrap());
        assert!(result.success, "{}", result.final_detail);
        let comparison = Comparison::of(&events_here, &events_there.lock().unwrap());
        let what = match is_robbed {
            true => "the cube is taken out of the hand",
            false => "undisturbed",
        };
        println!("{what}: first our simulator, second the third-party one\n{comparison}");
        let reasons = comparison.steps.each_ref().map(|steps| {
            let reasons = steps.iter().filter_map(|step| step.reason());
            reasons.map(str::to_owned).collect::<Vec<_>>()
        });
        println!(
            "reasons: {reasons:?}; first differing step: {:?}",
            comparison.parted()
        );
        if is_robbed {
            let noticed = reasons.iter().all(|reasons| !reasons.is_empty());
            assert!(noticed, "{reasons:?}");
        } else {
            assert_eq!(comparison.parted(), None);
        }
    }
}

/// Pose to which the taken cube is moved (x, y, z in m, yaw in rad), and delay after the start of
/// the transport, s.
const STOLEN: [f64; 4] = [0.40, -0.02, 0.02, 0.3];
const AFTER_SECS: f64 = 0.7;

fn carries(stamped: &StampedEvent) -> bool {
    matches!(&stamped.event, Event::PhaseStarted { name } if name == "transport")
}

/// Starts a thread that takes the red cube out of the hand during transport in the third-party
/// simulator.
fn steal(host: &str, seen: &Arc<Mutex<Vec<StampedEvent>>>) -> JoinHandle<()> {
    let (mut other, seen) = (Objects::connect(host), Arc::clone(seen));
    std::thread::spawn(move || {
        while !seen.lock().unwrap().iter().any(carries) {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_secs_f64(AFTER_SECS));
        other.put("red_cube", STOLEN);
    })
}

/// Takes the cube out of the hand in our simulator, once. The disturbance is scheduled at a
/// simulated time, because simulated time passes faster than real time.
fn thief(faults: SimFaults, mut is_done: bool) -> impl FnMut(&StampedEvent) + Send {
    move |stamped: &StampedEvent| {
        if carries(stamped) && !is_done {
            is_done = true;
            let [x, y, z, yaw] = STOLEN;
            let turn = Pose::rotation(nalgebra::Vector3::z() * yaw);
            let disturbance = Disturbance::MoveObject {
                object: ObjectId::new("red_cube"),
                world_from_object: Pose::translation(x, y, z) * turn,
            };
            let time_secs = stamped.sim_secs + AFTER_SECS;
            faults.post(When::At { time_secs }, disturbance);
        }
    }
}

fn here(is_robbed: bool) -> Vec<StampedEvent> {
    let mut scene = common::scene([]);
    scene.world_from_base = Pose::identity();
    let (centre, half_extents) = TABLE;
    let table = common::object("table", common::cuboid(half_extents), centre, None);
    let cubes = CUBES.map(|(name, half_m, [x, y])| {
        let shape = common::cuboid([half_m; 3]);
        common::object(name, shape, [x, y, half_m], Some(0.05))
    });
    scene.objects = [table].into_iter().chain(cubes).collect();
    let mut cell = common::cell(&scene);
    let events = Arc::new(Mutex::new(Vec::<StampedEvent>::new()));
    let thief = thief(cell.sim().unwrap().faults.clone(), !is_robbed);
    let sinks: Vec<Box<dyn EventSink>> = vec![Box::new(thief), Box::new(Arc::clone(&events))];
    cell.robot.set_sink(Box::new(sinks));
    let result = agent(cell.robot).run(TASK);
    assert!(result.success, "{}", result.final_detail);
    let events = events.lock().unwrap();
    events.clone()
}

/// A motion of joint 1 by `by`, rad.
fn swing(arm: &Arm, by: f64) -> Trajectory {
    let now = arm.inside().observe().unwrap().joint_positions;
    let mut to = now.clone();
    to[0] += by;
    Trajectory::new(vec![Knot::at_rest(0.0, now), Knot::at_rest(0.5, to)])
}
