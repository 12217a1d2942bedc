//! Injected failures: their reported reasons, and the time until the arm is at rest.

use std::time::{Duration, Instant};

use regrasp::LoadedRobot;
use regrasp::api::{
    GripperCommand, GripperEnd, MotionEnd, MotionReport, Observation, RobotError, RobotErrorKind,
    Trajectory, Watch, World,
};
use serde_json::json;

use super::cell::Arm;
use super::proxy::Proxy;
use super::{connect, robot, swing};
use crate::common::franka_sim::Objects;
use crate::common::within;

/// Change of a joint position below which the joint counts as at rest, rad. With the simulator's
/// controller, joints creep by less than this for another second.
const STANDS_RAD: f64 = 1e-3;
/// Joint speed from which the arm counts as moving, rad/s.
const MOVES_RAD_PER_S: f64 = 0.1;

/// Follows a motion and injects a failure while the arm moves. Returns the result of the motion,
/// and the time that the arm moved after the failure, by the arm's clock, s.
fn planted(
    arm: &Arm,
    motion: &Trajectory,
    plant: impl FnOnce() + Send,
) -> (Result<MotionReport, RobotError>, f64) {
    /// Time after the failure for which the arm is observed.
    const WATCH: Duration = Duration::from_millis(1500);
    let glance = arm.inside().glance();
    let look = move || glance.look().0.observation;
    std::thread::scope(|scope| {
        let planter = scope.spawn(move || {
            let began = moving(&look);
            plant();
            let (mut ways, watching) = (vec![began], Instant::now());
            while watching.elapsed() < WATCH {
                ways.push(look());
                std::thread::sleep(Duration::from_micros(500));
            }
            let end = &ways[ways.len() - 1].joint_positions;
            let is_off = |now: &&Observation| {
                let joints = now.joint_positions.iter().zip(end);
                joints.into_iter().any(|(a, b)| (a - b).abs() > STANDS_RAD)
            };
            let last = ways.iter().rev().find(is_off);
            last.map_or(0.0, |last| last.time_secs - ways[0].time_secs)
        });
        let report = arm.inside().follow(motion, &Watch::default());
        (report, planter.join().unwrap())
    })
}

/// Waits until the arm moves, because the motion may begin late.
fn moving(look: &impl Fn() -> Observation) -> Observation {
    const PATIENCE: Duration = Duration::from_secs(10);
    let waiting = Instant::now();
    loop {
        let seen = look();
        if seen.joint_velocities[0].abs() > MOVES_RAD_PER_S {
            // The failure is injected well after the start of the motion.
            std::thread::sleep(Duration::from_millis(300));
            return look();
        }
        assert!(waiting.elapsed() < PATIENCE, "the arm does not move");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn row(what: &str, reason: &str, stood: &str) {
    println!("| {what} | `{reason}` | {stood} |");
}

fn ms(secs: f64) -> String {
    format!("{:.0} ms", 1e3 * secs)
}

pub(crate) fn of_the_hand(loaded: &LoadedRobot, arm: &Arm, host: &str, truth: &mut Objects) {
    truth.put_cubes();
    let (mut robot, _) = robot(loaded, arm, host);
    let result = crate::common::call(&mut robot, "pick", json!({"object": "red cube"}));
    assert!(result.success, "{}", result.reason_detail);
    let close = GripperCommand::move_to(0.0, 0.05);
    let report = arm.inside().command_gripper(close, &Watch::default());
    let report = report.unwrap();
    let width_m = report.after.gripper.width_m;
    assert_eq!(report.end, GripperEnd::Stalled, "{width_m}");
    let what = "the fingers cannot close, a cube is between them";
    row(what, "stalled", "did not move");
    // The arm swings in the next cases and must not hold an object.
    let result = crate::common::call(&mut robot, "place_on", json!({"target": "table"}));
    let detail = result.reason_detail;
    println!("the cube was put down: {} {detail}", result.success);
}

/// Injects failures of the connection and of the controller. The last one kills the controller.
pub(crate) fn of_the_link(loaded: &LoadedRobot, host: &str) {
    let proxy = Proxy::start((host, 1337));
    let arm = connect(loaded, &proxy.host);
    stopped(&arm);
    elsewhere(&arm);
    let mut side = 1.0;
    let mut ends = |what: &str, kind: RobotErrorKind, plant: &mut (dyn FnMut() + Send)| {
        side = -side;
        let motion = swing(&arm, -0.6 * side);
        let (report, secs) = planted(&arm, &motion, plant);
        proxy.calm();
        let error = report.expect_err(what);
        row(what, error.kind.reason().slug(), &ms(secs));
        println!("    {}", error.detail);
        assert_eq!(error.kind, kind, "{what}: {error}");
        let recovered = (0..5).find_map(|_| {
            std::thread::sleep(Duration::from_millis(500));
            arm.inside().recover().ok()
        });
        assert!(recovered.is_some(), "{what}: the arm did not recover");
    };
    let (reflex, stale) = (RobotErrorKind::Reflex, RobotErrorKind::StaleState);
    ends("a reflex (that simulator's own abort)", reflex, &mut || {
        Objects::connect(host).order(&json!({ "reflex": true }));
    });
    ends("20 commands in a row are lost", stale, &mut || {
        proxy.lose_commands(20);
    });
    ends("40 commands come 40 ms late", stale, &mut || {
        proxy.delay_commands(40, Duration::from_millis(40));
    });
    ends("no state comes for 0.7 s", stale, &mut || {
        proxy.lose_states(700);
    });
    killed(&arm, host);
}

fn stopped(arm: &Arm) {
    let stop = arm.inside().stop_handle();
    let pressed = stop.clone();
    let motion = swing(arm, 0.6);
    let (report, secs) = planted(arm, &motion, move || pressed.stop());
    let report = report.unwrap();
    let is_cancelled = matches!(report.end, MotionEnd::Cancelled { .. });
    assert!(is_cancelled, "{report:?}");
    let commanded = arm.inside().last_stop_secs().unwrap();
    let stood = format!("{} ({} by the commands)", ms(secs), ms(commanded));
    row("a stop from another thread", "cancelled", &stood);
    within("time to stop, by the commands, s", commanded, ..=0.05);
    stop.release();
}

fn elsewhere(arm: &Arm) {
    let mut elsewhere = swing(arm, 0.3).knots().to_vec();
    elsewhere[0].position[1] += 0.1;
    let elsewhere = Trajectory::new(elsewhere);
    let followed = arm.inside().follow(&elsewhere, &Watch::default());
    let error = followed.unwrap_err();
    let reason = error.kind.reason();
    let what = "a motion that begins elsewhere";
    row(what, reason.slug(), "did not move");
    assert_eq!(error.kind, RobotErrorKind::StartMismatch);
}

fn killed(arm: &Arm, host: &str) {
    let motion = swing(arm, -0.4);
    let (report, _) = planted(arm, &motion, || {
        Objects::connect(host).order(&json!({ "die": true }));
    });
    let error = report.unwrap_err();
    let reason = error.kind.reason();
    row("the controller is killed", reason.slug(), "unknown");
    let expected = [RobotErrorKind::LinkLost, RobotErrorKind::StaleState];
    assert!(expected.contains(&error.kind), "{error}");
    std::thread::sleep(Duration::from_millis(1500));
    let error = arm.inside().recover().unwrap_err();
    row("nobody answers", error.kind.reason().slug(), "unknown");
    assert_eq!(error.kind, RobotErrorKind::LinkLost);
}
