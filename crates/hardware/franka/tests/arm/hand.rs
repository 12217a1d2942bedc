//! The hand.

use regrasp_api::{GripperCommand, GripperEnd, Monitor, MotionEnd, RobotErrorKind, Watch, World};

use crate::bench::{bench, swing};

#[test]
fn fingers_that_do_not_move_have_stalled_and_a_silent_hand_is_lost() {
    let mut bench = bench();
    let narrow = GripperCommand::MoveTo {
        width_m: 0.02,
        speed_m_per_s: 0.1,
    };
    let homed = bench.arm.home_hand(&Watch::default()).unwrap();
    assert_eq!(homed.end, GripperEnd::Reached);
    bench.hand.hand().stuck = true;
    let report = bench
        .arm
        .command_gripper(narrow, &Watch::default())
        .unwrap();
    assert_eq!(report.end, GripperEnd::Stalled);
    bench.hand.hand().stuck = false;
    bench.hand.hand().mute = true;
    let error = bench
        .arm
        .command_gripper(narrow, &Watch::default())
        .unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LinkLost, "{error}");
    assert!(error.detail.contains("hand"), "{error}");
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
    // The fake arm's time passes faster than the hand's.
    let report = bench.arm.follow(&swing(0.6, 20.0), &watch).unwrap();
    let MotionEnd::Stopped(stop) = report.end else {
        panic!("{:?}", report.end);
    };
    assert!(stop.measured < 0.035);
}
