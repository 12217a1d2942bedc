//! The arm behind the seam, against a fake of its protocol: motions, faults, stops, the hand.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

mod fake;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fake::{FakeArm, FakeHand, Mishap, chain};
use regrasp_api::{
    Aabb, CancelToken, FaultKind, GripperCommand, GripperEnd, Knot, Monitor, MotionEnd, Trajectory,
    Watch, World, WorldFault,
};
use regrasp_franka::{Approval, ArmKind, ArmMode, ArmOptions, ConnectError, FrankaArm, Safety};

const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
/// A gap that a busy machine does not make; the tests of stale states set their own.
const PATIENT_SECS: f64 = 0.9;

struct Bench {
    arm: FrankaArm,
    fake: FakeArm,
    hand: FakeHand,
    asked: Arc<AtomicUsize>,
}

fn safety() -> Safety {
    Safety {
        stale_secs: PATIENT_SECS,
        lost_controller_secs: PATIENT_SECS,
        ..Safety::default()
    }
}

fn options(fake: &FakeArm, hand: &FakeHand, safety: Safety) -> ArmOptions {
    ArmOptions {
        hand_host: Some(hand.host.clone()),
        safety,
        ..ArmOptions::new(fake.host.clone())
    }
}

fn bench_with(version: u16, safety: Safety) -> Bench {
    let (fake, hand) = (FakeArm::start(version, HOME), FakeHand::start());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let approval = Approval::Ask(Box::new(move |motion| {
        assert!(motion.duration_secs > 0.0 && motion.to_string().contains("rad/s"));
        counter.fetch_add(1, Ordering::Relaxed);
        true
    }));
    let arm = FrankaArm::connect(options(&fake, &hand, safety), chain(), approval).unwrap();
    Bench {
        arm,
        fake,
        hand,
        asked,
    }
}

fn bench() -> Bench {
    bench_with(10, safety())
}

fn knot(time_secs: f64, position: [f64; 7]) -> Knot {
    Knot {
        time_secs,
        position: position.to_vec(),
        velocity: vec![0.0; 7],
        acceleration: vec![0.0; 7],
    }
}

fn moved(from: [f64; 7], joint: usize, by: f64) -> [f64; 7] {
    let mut to = from;
    to[joint] += by;
    to
}

/// Joint 1 turns by so much in so long.
fn swing(by: f64, secs: f64) -> Trajectory {
    Trajectory::new(vec![knot(0.0, HOME), knot(secs, moved(HOME, 0, by))])
}

fn fault_of(bench: &mut Bench) -> WorldFault {
    let followed = bench.arm.follow(&swing(0.4, 1.0), &Watch::default());
    followed.expect_err("something went wrong")
}

fn figure(fault: &WorldFault, name: &str) -> f64 {
    let figure = fault.measured.iter().find(|figure| figure.name == name);
    figure
        .unwrap_or_else(|| panic!("no {name} in {fault:?}"))
        .value
}

#[test]
fn both_arms_follow_a_motion_within_their_limits_and_nothing_moves_before() {
    for (version, kind) in [(10, ArmKind::Fr3), (5, ArmKind::Panda)] {
        let mut bench = bench_with(version, safety());
        assert_eq!(bench.arm.report().kind, kind);
        assert!(bench.arm.report().thresholds_confirmed);
        assert_eq!(bench.fake.arm().n_motions, 0);
        assert_eq!(bench.arm.status().mode, ArmMode::Idle);
        let report = bench
            .arm
            .follow(&swing(0.5, 0.8), &Watch::default())
            .unwrap();
        assert_eq!(report.end, MotionEnd::Completed);
        assert!(
            report.duration_secs > 1.0,
            "stretched: {} s",
            report.duration_secs
        );
        assert!((report.after.joint_positions[0] - 0.5).abs() < 1e-6);
        let arm = bench.fake.arm();
        assert!((arm.q[0] - 0.5).abs() < 1e-9, "{}", arm.q[0]);
        assert!(
            arm.peak_use.iter().all(|part| *part < 0.32),
            "{:?}",
            arm.peak_use
        );
        assert!(
            arm.peak_use[0] > 0.05,
            "it used what it may: {:?}",
            arm.peak_use
        );
        let thresholds = arm.thresholds.clone().unwrap();
        assert_eq!(thresholds.len(), 4 * 7 + 4 * 6);
        assert_eq!((thresholds[0], thresholds[7]), (10.0, 20.0));
        drop(arm);
        assert_eq!(bench.asked.load(Ordering::Relaxed), 1);
        let back = Trajectory::new(vec![knot(0.0, moved(HOME, 0, 0.5)), knot(1.0, HOME)]);
        bench.arm.follow(&back, &Watch::default()).unwrap();
        assert_eq!(
            bench.asked.load(Ordering::Relaxed),
            1,
            "asked for the first motion alone"
        );
        let counts = bench.arm.cycle_counts();
        assert!(
            counts.cycles > 1000 && counts.missed < counts.cycles / 10,
            "{counts:?}"
        );
    }
}

#[test]
fn a_motion_begins_at_what_is_commanded_even_if_it_was_planned_a_little_beside() {
    let mut bench = bench();
    let beside = Trajectory::new(vec![
        knot(0.0, moved(HOME, 0, 0.012)),
        knot(1.0, moved(HOME, 0, 0.3)),
    ]);
    let report = bench.arm.follow(&beside, &Watch::default()).unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
    let arm = bench.fake.arm();
    assert!((arm.q[0] - 0.3).abs() < 1e-9);
    assert!(
        arm.peak_use.iter().all(|part| *part < 0.32),
        "{:?}",
        arm.peak_use
    );
}

#[test]
fn without_approval_nothing_moves() {
    let (fake, hand) = (FakeArm::start(10, HOME), FakeHand::start());
    let approval = Approval::Nobody;
    let mut arm = FrankaArm::connect(options(&fake, &hand, safety()), chain(), approval).unwrap();
    let fault = arm.follow(&swing(0.2, 1.0), &Watch::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::NotApproved);
    assert!(fault.detail.contains("rad/s"), "{fault}");
    assert_eq!(fake.arm().n_motions, 0);
    assert_eq!(fake.arm().n_cycles, 0);
}

#[test]
fn motions_that_are_not_allowed_are_refused_with_figures_before_anything_moves() {
    let mut bench = bench();
    let elsewhere = Trajectory::new(vec![knot(0.0, moved(HOME, 2, 0.05)), knot(1.0, HOME)]);
    let fault = bench.arm.follow(&elsewhere, &Watch::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::StartMismatch);
    assert!((figure(&fault, "start_offset") - 0.05).abs() < 1e-6);
    assert!(fault.detail.contains("joint 3"), "{fault}");

    // The FR3's joint 6 ends at 0.54 rad, where a Panda's goes on to zero.
    let to_its_end = Trajectory::new(vec![knot(0.0, HOME), knot(3.0, moved(HOME, 5, -1.02))]);
    let fault = bench
        .arm
        .follow(&to_its_end, &Watch::default())
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::LimitViolated, "{fault}");
    assert!(fault.detail.contains("joint 6"), "{fault}");

    let low = [0.0, 1.2, 0.0, -1.2, 0.0, 2.4, 0.785];
    let into_the_table = Trajectory::new(vec![knot(0.0, HOME), knot(4.0, low)]);
    let fault = bench
        .arm
        .follow(&into_the_table, &Watch::default())
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::LimitViolated, "{fault}");
    assert!(figure(&fault, "tool_z") < 0.0, "{fault}");
    assert_eq!(bench.fake.arm().n_cycles, 0);
}

#[test]
fn an_arm_outside_its_workspace_may_come_back_but_not_go_on() {
    let outside = Safety {
        workspace_in_base_m: Aabb {
            min: [-0.5, 0.05, 0.0],
            max: [0.85, 0.8, 1.2],
        },
        ..safety()
    };
    let mut bench = bench_with(10, outside);
    let fault = bench
        .arm
        .follow(&swing(-0.2, 1.0), &Watch::default())
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::LimitViolated, "{fault}");
    let report = bench
        .arm
        .follow(&swing(0.3, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
}

#[test]
fn a_reflex_is_told_with_figures_and_cleared_without_a_motion() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        bench.fake.plan(100, Mishap::Reflex);
        let fault = fault_of(&mut bench);
        assert_eq!(fault.kind, FaultKind::Reflex, "{fault}");
        assert!(fault.detail.contains("cartesian_reflex"), "{fault}");
        assert!(figure(&fault, "external_torque") > 30.0);
        assert!(bench.arm.observe().is_ok(), "a standing arm still answers");
        let again = bench
            .arm
            .follow(&swing(0.1, 1.0), &Watch::default())
            .unwrap_err();
        assert_eq!(again.kind, FaultKind::Reflex);
        let before = bench.fake.arm().q;
        bench.arm.recover().unwrap();
        assert_eq!(bench.fake.arm().q, before);
        assert_eq!(bench.fake.arm().n_recoveries, 1);
        bench.arm.recover().unwrap();
        assert_eq!(bench.fake.arm().n_recoveries, 1, "nothing to clear");
        let on = Trajectory::new(vec![knot(0.0, before), knot(1.0, moved(before, 0, 0.1))]);
        let report = bench.arm.follow(&on, &Watch::default()).unwrap();
        assert_eq!(report.end, MotionEnd::Completed);
    }
}

#[test]
fn an_emergency_stop_stays_until_a_person_releases_it() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        bench.fake.plan(100, Mishap::EmergencyStop);
        let fault = fault_of(&mut bench);
        assert_eq!(fault.kind, FaultKind::EmergencyStop, "{fault}");
        let fault = bench.arm.recover().unwrap_err();
        assert_eq!(fault.kind, FaultKind::EmergencyStop);
        assert_eq!(bench.fake.arm().n_recoveries, 0, "not even tried");
        bench.fake.arm().mode = 1;
        std::thread::sleep(Duration::from_millis(20));
        bench.arm.recover().unwrap();
    }
}

#[test]
fn a_dead_controller_is_a_lost_link_and_comes_back() {
    let mut bench = bench();
    bench.fake.plan(100, Mishap::Die);
    let fault = fault_of(&mut bench);
    assert!(
        matches!(fault.kind, FaultKind::LinkLost | FaultKind::StaleState),
        "{fault}"
    );
    std::thread::sleep(Duration::from_millis(1100));
    let fault = bench.arm.observe().unwrap_err();
    assert_eq!(fault.kind, FaultKind::LinkLost, "{fault}");
    let clock = bench.arm.time_secs();
    assert!(bench.arm.recover().is_err(), "nobody is there");
    bench.fake.revive();
    std::thread::sleep(Duration::from_millis(50));
    bench.arm.recover().unwrap();
    assert!(bench.arm.time_secs() >= clock, "the clock goes on");
    let now = bench.fake.arm().q;
    let on = Trajectory::new(vec![knot(0.0, now), knot(1.0, moved(now, 0, 0.1))]);
    bench.arm.follow(&on, &Watch::default()).unwrap();
    assert_eq!(bench.asked.load(Ordering::Relaxed), 2, "approved anew");
}

#[test]
fn twenty_lost_commands_stop_the_arm_and_fewer_do_not() {
    let mut bench = bench();
    for cycle in (50..600).step_by(40) {
        bench.fake.plan(cycle, Mishap::LoseCommands(1));
    }
    let report = bench
        .arm
        .follow(&swing(0.4, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
    assert!(bench.fake.arm().n_lost >= 10);

    let back = Trajectory::new(vec![knot(0.0, moved(HOME, 0, 0.4)), knot(1.0, HOME)]);
    bench.fake.plan(300, Mishap::LoseCommands(25));
    let fault = bench.arm.follow(&back, &Watch::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::StaleState, "{fault}");
    assert!(
        fault.detail.contains("communication_constraints_violation"),
        "{fault}"
    );
    assert!(figure(&fault, "command_success_rate") < 0.9);
    bench.arm.recover().unwrap();
}

#[test]
fn states_that_come_late_are_caught_up_with_without_a_jump() {
    let mut bench = bench();
    for (k, cycle) in (60..700).step_by(80).enumerate() {
        bench.fake.plan(cycle, Mishap::LoseStates(1 + k as u32));
    }
    let report = bench
        .arm
        .follow(&swing(0.4, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
    let arm = bench.fake.arm();
    assert!((arm.q[0] - 0.4).abs() < 1e-9);
    assert!(
        arm.peak_use.iter().all(|part| *part < 1.0),
        "{:?}",
        arm.peak_use
    );
    drop(arm);
    let counts = bench.arm.cycle_counts();
    assert!(counts.missed >= 20 && counts.longest_gap >= 8, "{counts:?}");
}

#[test]
fn silence_is_a_stale_state_long_before_the_link_is_lost() {
    let mut bench = bench_with(
        10,
        Safety {
            stale_secs: 0.15,
            ..safety()
        },
    );
    bench
        .fake
        .plan(100, Mishap::Silence(Duration::from_millis(600)));
    let fault = fault_of(&mut bench);
    assert_eq!(fault.kind, FaultKind::StaleState, "{fault}");
    let age_secs = figure(&fault, "state_age");
    assert!((0.15..0.6).contains(&age_secs), "{fault}");
    let fault = bench.arm.observe().unwrap_err();
    assert_eq!(fault.kind, FaultKind::StaleState, "{fault}");
}

/// Something asks for a stop at cycle 150; the cycles until the arm stood, and how it ended.
fn stopped(bench: &mut Bench, watch: &Watch, mishap: Mishap) -> (u64, MotionEnd) {
    bench.fake.plan(150, mishap);
    let report = bench.arm.follow(&swing(0.6, 0.8), watch).unwrap();
    let stood_after = bench.fake.arm().stood_after.expect("it stands");
    (stood_after, report.end)
}

#[test]
fn a_stop_from_another_thread_stands_within_50_ms_and_holds() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        let stop = bench.arm.stop_handle();
        let pressed = stop.clone();
        let press = Mishap::Call(Box::new(move || pressed.stop()));
        let (cycles, end) = stopped(&mut bench, &Watch::default(), press);
        assert!(matches!(end, MotionEnd::Cancelled { .. }), "{end:?}");
        assert!((2..=50).contains(&cycles), "{cycles} cycles");
        let own = bench.arm.last_stop_secs().unwrap();
        assert!(own <= 0.05, "{own} s");
        let arm = bench.fake.arm();
        assert!(
            arm.peak_use.iter().all(|part| *part < 1.0),
            "{:?}",
            arm.peak_use
        );
        let n_cycles = arm.n_cycles;
        drop(arm);
        let now = bench.fake.arm().q;
        let on = Trajectory::new(vec![knot(0.0, now), knot(1.0, moved(now, 0, 0.1))]);
        let report = bench.arm.follow(&on, &Watch::default()).unwrap();
        assert_eq!(report.end, MotionEnd::Cancelled { at_secs: 0.0 });
        assert_eq!(bench.fake.arm().n_cycles, n_cycles, "it was kept standing");
        stop.release();
        let report = bench.arm.follow(&on, &Watch::default()).unwrap();
        assert_eq!(report.end, MotionEnd::Completed);
    }
}

#[test]
fn cancelling_stops_and_monitors_fire_in_the_cycle() {
    let mut one = bench();
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let watch = Watch {
        monitors: vec![],
        cancel,
    };
    let (cycles, end) = stopped(
        &mut one,
        &watch,
        Mishap::Call(Box::new(move || token.cancel())),
    );
    assert!(
        matches!(end, MotionEnd::Cancelled { .. }) && cycles <= 50,
        "{cycles}: {end:?}"
    );

    let push = Monitor::ExternalTorque {
        max_torque_nm: 15.0,
        for_secs: 0.005,
    };
    let lag = Monitor::TrackingError {
        max_error: 0.01,
        for_secs: 0.01,
    };
    let watch = Watch {
        monitors: vec![lag, push],
        ..Watch::default()
    };
    let (cycles, end) = stopped(&mut bench(), &watch, Mishap::Push(4, -16.5));
    let MotionEnd::Stopped(stop) = end else {
        panic!("{end:?}");
    };
    assert_eq!(stop.joint.as_deref(), Some("panda_joint5"));
    assert!((stop.measured - 16.5).abs() < 1e-3);
    assert!((stop.at_secs - 0.155).abs() < 0.003, "{} s", stop.at_secs);
    assert!(cycles <= 56, "{cycles}");

    let (_, end) = stopped(&mut bench(), &watch, Mishap::Hold);
    let MotionEnd::Stopped(stop) = end else {
        panic!("{end:?}");
    };
    assert_eq!(stop.joint.as_deref(), Some("panda_joint1"));
    assert!(matches!(stop.monitor, Monitor::TrackingError { .. }));
}

#[test]
fn fingers_move_alone_and_while_the_arm_does() {
    let mut bench = bench();
    let close = GripperCommand::Grasp {
        force_n: 20.0,
        speed_m_per_s: 0.1,
    };
    let open = GripperCommand::MoveTo {
        width_m: 0.07,
        speed_m_per_s: 0.1,
    };
    bench.hand.hand().thing = Some(0.04);
    let report = bench.arm.command_gripper(close, &Watch::default()).unwrap();
    assert_eq!(report.end, GripperEnd::Stalled);
    assert!((report.after.gripper.width_m - 0.04).abs() < 1e-6);
    assert!(
        report.after.gripper.holds(0.03),
        "{:?}",
        report.after.gripper
    );
    assert_eq!(bench.hand.hand().force, 20.0);
    let report = bench.arm.command_gripper(open, &Watch::default()).unwrap();
    assert_eq!(report.end, GripperEnd::Reached);
    assert_eq!(report.after.gripper.grip_force_n, 0.0);
    bench.hand.hand().thing = None;
    let report = bench.arm.command_gripper(close, &Watch::default()).unwrap();
    assert_eq!(report.end, GripperEnd::Reached, "closed on nothing");

    bench.arm.start_gripper(open).unwrap();
    let width_m = bench.hand.hand().width;
    assert!(width_m < 0.06, "it does not wait: {width_m}");
    let report = bench
        .arm
        .follow(&swing(0.3, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
    // A command to the hand waits for the one before it, or stops it; nothing is lost either way.
    let report = bench.arm.command_gripper(open, &Watch::default()).unwrap();
    assert!((report.after.gripper.width_m - 0.07).abs() < 1e-6);
}

#[test]
fn fingers_that_do_not_move_have_stalled_and_a_silent_hand_is_lost() {
    let mut bench = bench();
    let narrow = GripperCommand::MoveTo {
        width_m: 0.02,
        speed_m_per_s: 0.1,
    };
    bench.hand.hand().stuck = true;
    let report = bench
        .arm
        .command_gripper(narrow, &Watch::default())
        .unwrap();
    assert_eq!(report.end, GripperEnd::Stalled);
    bench.hand.hand().stuck = false;
    bench.hand.hand().mute = true;
    let fault = bench
        .arm
        .command_gripper(narrow, &Watch::default())
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::LinkLost, "{fault}");
    assert!(fault.detail.contains("hand"), "{fault}");
    bench.hand.hand().mute = false;
}

#[test]
fn a_lost_grip_ends_the_motion_in_which_it_is_noticed() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.04);
    let close = GripperCommand::Grasp {
        force_n: 20.0,
        speed_m_per_s: 0.1,
    };
    bench.arm.command_gripper(close, &Watch::default()).unwrap();
    let watch = Watch {
        monitors: vec![Monitor::GripLost { min_width_m: 0.035 }],
        ..Watch::default()
    };
    // What was held is gone, and the hand still presses.
    bench.hand.hand().thing = None;
    bench.arm.start_gripper(close).unwrap();
    let report = bench.arm.follow(&swing(0.6, 1.0), &watch).unwrap();
    let MotionEnd::Stopped(stop) = report.end else {
        panic!("{:?}", report.end);
    };
    assert!(stop.measured < 0.035);
}

#[test]
fn what_does_not_speak_the_protocol_is_told_what_is_wrong() {
    let hand = FakeHand::start();
    let other = FakeArm::start(7, HOME);
    let error = FrankaArm::connect(options(&other, &hand, safety()), chain(), Approval::Nobody);
    let error = error.unwrap_err();
    assert!(
        matches!(error, ConnectError::Version { found: 7, .. }),
        "{error}"
    );

    let panda = FakeArm::start(5, HOME);
    let wanted = ArmOptions {
        kind: Some(ArmKind::Fr3),
        ..options(&panda, &hand, safety())
    };
    let error = FrankaArm::connect(wanted, chain(), Approval::Nobody).unwrap_err();
    assert!(
        matches!(error, ConnectError::Version { found: 5, .. }),
        "{error}"
    );

    let nobody = ArmOptions::new("127.0.0.1:9");
    let error = FrankaArm::connect(nobody, chain(), Approval::Nobody).unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
}

#[test]
fn an_arm_found_in_a_reflex_takes_its_thresholds_at_recovery_and_not_before() {
    let (fake, hand) = (FakeArm::start(10, HOME), FakeHand::start());
    fake.arm().mode = 4;
    let approval = Approval::Ask(Box::new(|_| true));
    let mut arm = FrankaArm::connect(options(&fake, &hand, safety()), chain(), approval).unwrap();
    assert!(!arm.report().thresholds_confirmed);
    assert!(
        arm.report()
            .notices
            .iter()
            .any(|notice| notice.contains("thresholds"))
    );
    assert!(arm.follow(&swing(0.1, 1.0), &Watch::default()).is_err());
    arm.recover().unwrap();
    assert!(fake.arm().thresholds.is_some());
    let report = arm.follow(&swing(0.1, 1.0), &Watch::default()).unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
}
