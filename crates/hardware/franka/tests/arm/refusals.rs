//! Motions that are rejected before anything moves.

use regrasp_api::{Aabb, RobotErrorKind, Trajectory, Watch, World};
use regrasp_franka::{ArmKind, ArmOptions, ConnectError, FirstMotion, FrankaArm, Safety};

use crate::bench::{HOME, bench, bench_with, figure, knot, moved, options, safety, swing};
use crate::fake::{FakeArm, FakeHand, chain};

#[test]
fn without_approval_nothing_moves() {
    let (fake, hand) = (FakeArm::start(10, HOME), FakeHand::start());
    let options = options(&fake, &hand, safety());
    let mut arm = FrankaArm::connect(options, chain(), Box::new(|_| false)).unwrap();
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
    let error = bench.refused(&elsewhere, RobotErrorKind::StartMismatch);
    assert!((figure(&error, "start_offset") - 0.05).abs() < 1e-6);
    assert!(error.detail.contains("joint 3"), "{error}");

    // The FR3's joint 6 ends at 0.54 rad, where a Panda's goes on to zero.
    let to_its_end = Trajectory::new(vec![knot(0.0, HOME), knot(3.0, moved(HOME, 5, -1.02))]);
    let error = bench.refused(&to_its_end, RobotErrorKind::LimitViolated);
    assert!(error.detail.contains("joint 6"), "{error}");

    let low = [0.0, 1.2, 0.0, -1.2, 0.0, 2.4, 0.785];
    let into_the_table = Trajectory::new(vec![knot(0.0, HOME), knot(4.0, low)]);
    let error = bench.refused(&into_the_table, RobotErrorKind::LimitViolated);
    assert!(figure(&error, "tool_z") < 0.0, "{error}");
    assert_eq!(bench.fake.arm().n_cycles, 0);
}

#[test]
fn an_arm_outside_its_workspace_may_come_back_but_not_go_on() {
    let outside = Safety {
        workspace_in_base_m: Aabb::new([-0.5, 0.05, 0.0], [0.85, 0.8, 1.2]),
        ..safety()
    };
    let mut bench = bench_with(10, outside);
    bench.refused(&swing(-0.2, 1.0), RobotErrorKind::LimitViolated);
    bench.complete(&swing(0.3, 1.0));
}

#[test]
fn a_server_with_another_protocol_is_rejected_with_the_reason() {
    let hand = FakeHand::start();
    let nobody = || Box::new(|_: &FirstMotion| false);
    let refused = |options| FrankaArm::connect(options, chain(), nobody()).unwrap_err();
    for (version, kind) in [(7, None), (5, Some(ArmKind::Fr3))] {
        let other = FakeArm::start(version, HOME);
        let error = refused(ArmOptions {
            kind,
            ..options(&other, &hand, safety())
        });
        let is_told = matches!(error, ConnectError::Version { found, .. } if found == version);
        assert!(is_told, "{version}: {error}");
    }
    let error = refused(ArmOptions::new("127.0.0.1:9"));
    assert!(error.to_string().contains("refused"), "{error}");
}
