//! What is refused before anything moves.

use regrasp_api::{Aabb, MotionEnd, RobotErrorKind, Trajectory, Watch, World};
use regrasp_franka::{Approval, ArmKind, ArmOptions, ConnectError, FrankaArm, Safety};

use crate::bench::{HOME, bench, bench_with, figure, knot, moved, options, safety, swing};
use crate::fake::{FakeArm, FakeHand, chain};

#[test]
fn without_approval_nothing_moves() {
    let (fake, hand) = (FakeArm::start(10, HOME), FakeHand::start());
    let approval = Approval::Nobody;
    let mut arm = FrankaArm::connect(options(&fake, &hand, safety()), chain(), approval).unwrap();
    let error = arm.follow(&swing(0.2, 1.0), &Watch::default()).unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::NotApproved);
    assert!(error.detail.contains("rad/s"), "{error}");
    assert_eq!(fake.arm().n_motions, 0);
    assert_eq!(fake.arm().n_cycles, 0);
}

#[test]
fn motions_that_are_not_allowed_are_refused_with_figures_before_anything_moves() {
    let mut bench = bench();
    let elsewhere = Trajectory::new(vec![knot(0.0, moved(HOME, 2, 0.05)), knot(1.0, HOME)]);
    let error = bench.arm.follow(&elsewhere, &Watch::default()).unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::StartMismatch);
    assert!((figure(&error, "start_offset") - 0.05).abs() < 1e-6);
    assert!(error.detail.contains("joint 3"), "{error}");

    // The FR3's joint 6 ends at 0.54 rad, where a Panda's goes on to zero.
    let to_its_end = Trajectory::new(vec![knot(0.0, HOME), knot(3.0, moved(HOME, 5, -1.02))]);
    let error = bench
        .arm
        .follow(&to_its_end, &Watch::default())
        .unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LimitViolated, "{error}");
    assert!(error.detail.contains("joint 6"), "{error}");

    let low = [0.0, 1.2, 0.0, -1.2, 0.0, 2.4, 0.785];
    let into_the_table = Trajectory::new(vec![knot(0.0, HOME), knot(4.0, low)]);
    let error = bench
        .arm
        .follow(&into_the_table, &Watch::default())
        .unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LimitViolated, "{error}");
    assert!(figure(&error, "tool_z") < 0.0, "{error}");
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
    let error = bench
        .arm
        .follow(&swing(-0.2, 1.0), &Watch::default())
        .unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LimitViolated, "{error}");
    let report = bench
        .arm
        .follow(&swing(0.3, 1.0), &Watch::default())
        .unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
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
