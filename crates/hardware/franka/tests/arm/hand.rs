//! Tests of the hand.

use regrasp_api::{GripperEnd, Monitor, MotionEnd, RobotErrorKind, Watch, World};

use crate::bench::{Bench, bench, close, open, swing};

#[test]
fn fingers_that_do_not_move_have_stalled_and_a_silent_hand_is_lost() {
    let mut bench = bench();
    let homed = bench.arm.home_hand(&Watch::default()).unwrap();
    assert_eq!(homed.end, GripperEnd::Reached);
    bench.hand.hand().stuck = true;
    let report = bench.grip(open(0.02)).unwrap();
    assert_eq!(report.end, GripperEnd::Stalled);
    bench.hand.hand().stuck = false;
    bench.hand.hand().mute = true;
    let error = bench.grip(open(0.02)).unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LinkLost, "{error}");
    assert!(error.detail.contains("hand"), "{error}");
    bench.hand.hand().mute = false;
}

/// Finger distance at which a monitor of the grip ended a motion, m.
fn grip_lost(bench: &mut Bench, min_width_m: f64) -> f64 {
    let watch = Watch::of([Monitor::GripLost {
        min_width_m,
        max_width_m: Some(0.044),
    }]);
    // The fake arm's clock runs faster than the hand's.
    match bench.arm.follow(&swing(0.6, 20.0), &watch).unwrap().end {
        MotionEnd::Stopped(stop) => stop.measured,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_grip_ends_the_motion_in_which_it_is_noticed() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.04);
    bench.grip(close(20.0)).unwrap();
    // The object is gone, and the hand still presses.
    bench.hand.hand().thing = None;
    bench.arm.start_gripper(close(20.0)).unwrap();
    assert!(grip_lost(&mut bench, 0.035) < 0.035);
}

/// Grasps with this force; returns the result and the reported force.
fn grasp(bench: &mut Bench, force_n: f64) -> (GripperEnd, f64) {
    let report = bench.grip(close(force_n)).unwrap();
    (report.end, report.after.gripper.grip_force_n)
}

#[test]
fn a_grasp_that_the_hand_denies_is_not_held() {
    // Rejected (2); failed twice (1), because a failed grasp is tried once more; aborted (3).
    for (answers, n_commands) in [(vec![2], 1), (vec![1, 1], 2), (vec![3], 1)] {
        let mut bench = bench();
        bench.hand.hand().thing = Some(0.04);
        bench.hand.hand().answers.clone_from(&answers);
        let (end, force_n) = grasp(&mut bench, 20.0);
        assert_eq!((end, force_n), (GripperEnd::Stalled, 0.0), "{answers:?}");
        assert_eq!(bench.hand.hand().n_commands, n_commands, "{answers:?}");
        assert!(!bench.arm.observe().unwrap().gripper.holds(0.03));
    }
}

#[test]
fn a_failed_grasp_is_repeated_at_the_width_of_the_object() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.079);
    bench.hand.hand().answers = vec![1];
    assert_eq!(grasp(&mut bench, 20.0), (GripperEnd::Stalled, 20.0));
    assert_eq!(bench.hand.hand().n_commands, 2);
}

#[test]
fn a_second_grasp_that_is_denied_leaves_the_force_of_the_first() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.04);
    assert_eq!(grasp(&mut bench, 20.0), (GripperEnd::Stalled, 20.0));
    bench.hand.hand().answers = vec![2];
    assert_eq!(grasp(&mut bench, 40.0), (GripperEnd::Stalled, 20.0));
    // The hand stops reporting a grip without any command.
    bench.hand.hand().grips = false;
    let began = std::time::Instant::now();
    while bench.arm.observe().unwrap().gripper.grip_force_n > 0.0 {
        assert!(began.elapsed().as_secs() < 20, "a force is still reported");
    }
}

#[test]
fn fingers_that_open_by_themselves_end_the_motion() {
    let mut bench = bench();
    bench.hand.hand().thing = Some(0.04);
    assert_eq!(grasp(&mut bench, 20.0), (GripperEnd::Stalled, 20.0));
    bench.hand.hand().width = 0.05;
    let measured = grip_lost(&mut bench, 0.028);
    assert!((measured - 0.05).abs() < 1e-6, "{measured}");
}

#[test]
fn a_hand_that_was_never_homed_names_the_command() {
    let mut bench = bench();
    bench.hand.hand().max_width = 0.0;
    // The state that reports it has to arrive first.
    let began = std::time::Instant::now();
    let error = loop {
        match bench.grip(open(0.08)) {
            Err(error) => break error,
            Ok(_) => assert!(began.elapsed().as_secs() < 20, "no error is reported"),
        }
    };
    assert!(error.to_string().contains("arm home-hand"), "{error}");
    assert!(error.kind.is_lasting(), "{error}");
    let homed = bench.arm.home_hand(&Watch::default()).unwrap();
    assert_eq!(homed.end, GripperEnd::Reached);
}
