//! Motions that go well.

use std::sync::atomic::Ordering;

use regrasp_api::{
    GripperCommand, GripperEnd, MotionEnd, RobotErrorKind, Trajectory, Watch, World,
};
use regrasp_franka::{ArmKind, ArmMode};

use crate::bench::{HOME, bench, bench_with, knot, moved, safety, swing};

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
fn a_motion_begins_at_what_the_arm_takes_for_commanded_unless_that_is_elsewhere() {
    let mut bench = bench();
    bench.fake.arm().sagged = 0.004;
    let report = bench
        .arm
        .follow(&swing(0.3, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
    let mut arm = bench.fake.arm();
    assert!((arm.q[6] - HOME[6]).abs() < 1e-9);
    assert!(
        arm.peak_use.iter().all(|part| *part < 0.4),
        "{:?}",
        arm.peak_use
    );
    let n_cycles = arm.n_cycles;
    arm.sagged = 0.03;
    let now = arm.q;
    drop(arm);
    let on = Trajectory::new(vec![knot(0.0, now), knot(1.0, moved(now, 0, 0.1))]);
    let error = bench.arm.follow(&on, &Watch::default()).unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::StartMismatch, "{error}");
    assert_eq!(bench.fake.arm().n_cycles, n_cycles);
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
