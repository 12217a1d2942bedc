//! Motions that succeed.

use std::sync::atomic::Ordering;

use regrasp_api::{GripperEnd, RobotErrorKind, Trajectory, World};
use regrasp_franka::{ArmKind, ArmMode};

use crate::bench::{HOME, bench, bench_with, close, knot, moved, open, safety, swing};

#[test]
fn both_arms_follow_a_motion_within_their_limits_and_nothing_moves_before() {
    for (version, kind) in [(10, ArmKind::Fr3), (5, ArmKind::Panda)] {
        let mut bench = bench_with(version, safety());
        assert_eq!(bench.arm.report().kind, kind);
        assert!(bench.arm.report().thresholds_confirmed);
        assert_eq!(bench.fake.arm().n_motions, 0);
        assert_eq!(bench.arm.status().mode, ArmMode::Idle);
        let report = bench.complete(&swing(0.5, 0.8));
        let secs = report.duration_secs;
        assert!(secs > 1.0, "stretched: {secs} s");
        assert!((report.after.joint_positions[0] - 0.5).abs() < 1e-6);
        bench.used_at_most(0.32);
        let arm = bench.fake.arm();
        assert!((arm.q[0] - 0.5).abs() < 1e-9, "{}", arm.q[0]);
        let used = arm.peak_use;
        assert!(used[0] > 0.05, "the motion is too slow: {used:?}");
        let thresholds = arm.thresholds.clone().unwrap();
        assert_eq!(thresholds.len(), 4 * 7 + 4 * 6);
        assert_eq!((thresholds[0], thresholds[7]), (10.0, 20.0));
        drop(arm);
        assert_eq!(bench.asked.load(Ordering::Relaxed), 1);
        let back = Trajectory::new(vec![knot(0.0, moved(HOME, 0, 0.5)), knot(1.0, HOME)]);
        bench.follow(&back).unwrap();
        let n_asked = bench.asked.load(Ordering::Relaxed);
        assert_eq!(n_asked, 1, "only the first motion is approved");
        let counts = bench.arm.cycle_counts();
        let is_most = counts.missed < counts.cycles / 10;
        assert!(counts.cycles > 1000 && is_most, "{counts:?}");
    }
}

#[test]
fn a_motion_begins_at_what_is_commanded_even_if_it_was_planned_a_little_beside() {
    let mut bench = bench();
    let [from, to] = [0.012, 0.3].map(|by| moved(HOME, 0, by));
    let beside = Trajectory::new(vec![knot(0.0, from), knot(1.0, to)]);
    bench.complete(&beside);
    bench.used_at_most(0.32);
    assert!((bench.fake.arm().q[0] - 0.3).abs() < 1e-9);
}

#[test]
fn a_motion_begins_at_what_the_arm_takes_for_commanded_unless_that_is_elsewhere() {
    let mut bench = bench();
    bench.fake.arm().sagged = 0.004;
    bench.complete(&swing(0.3, 1.0));
    bench.used_at_most(0.4);
    let mut arm = bench.fake.arm();
    assert!((arm.q[6] - HOME[6]).abs() < 1e-9);
    let n_cycles = arm.n_cycles;
    arm.sagged = 0.03;
    drop(arm);
    let on = bench.on();
    bench.refused(&on, RobotErrorKind::StartMismatch);
    assert_eq!(bench.fake.arm().n_cycles, n_cycles);
}

#[test]
fn fingers_move_alone_and_while_the_arm_does() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.04);
    let report = bench.grip(close(20.0)).unwrap();
    assert_eq!(report.end, GripperEnd::Stalled);
    let felt = report.after.gripper;
    assert!((felt.width_m - 0.04).abs() < 1e-6);
    assert!(felt.holds(0.03), "{felt:?}");
    assert_eq!(bench.hand.hand().force, 20.0);
    let report = bench.grip(open(0.07)).unwrap();
    assert_eq!(report.end, GripperEnd::Reached);
    assert_eq!(report.after.gripper.grip_force_n, 0.0);
    bench.hand.hand().thing = None;
    let report = bench.grip(close(20.0)).unwrap();
    assert_eq!(report.end, GripperEnd::Reached, "closed on nothing");

    bench.arm.start_gripper(open(0.07)).unwrap();
    let width_m = bench.hand.hand().width;
    assert!(width_m < 0.06, "the call waited for the fingers: {width_m}");
    bench.complete(&swing(0.3, 1.0));
    // A command to the hand waits for the previous one or stops it; the connection survives both.
    let report = bench.grip(open(0.07)).unwrap();
    assert!((report.after.gripper.width_m - 0.07).abs() < 1e-6);
}
