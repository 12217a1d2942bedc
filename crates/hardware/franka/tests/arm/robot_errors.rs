//! Errors of the arm and the robot errors that they lead to.

use std::sync::atomic::Ordering;
use std::time::Duration;

use regrasp_api::{MotionEnd, RobotErrorKind, Trajectory, Watch, World};
use regrasp_franka::{FrankaArm, Safety};

use crate::bench::{HOME, bench, bench_with, figure, knot, moved, options, safety, swing};
use crate::fake::{FakeArm, FakeHand, Mishap, chain};

#[test]
fn a_reflex_is_reported_with_figures_and_cleared_without_a_motion() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        bench.fake.plan(100, Mishap::Reflex);
        let error = bench.fails(RobotErrorKind::Reflex);
        assert!(error.detail.contains("cartesian_reflex"), "{error}");
        assert!(figure(&error, "external_torque") > 30.0);
        assert!(bench.arm.observe().is_ok(), "a standing arm still answers");
        bench.refused(&swing(0.1, 1.0), RobotErrorKind::Reflex);
        let before = bench.fake.arm().q;
        bench.arm.recover().unwrap();
        assert_eq!(bench.fake.arm().q, before);
        assert_eq!(bench.fake.arm().n_recoveries, 1);
        bench.arm.recover().unwrap();
        assert_eq!(bench.fake.arm().n_recoveries, 1, "nothing to clear");
        bench.complete(&bench.on());
    }
}

#[test]
fn an_emergency_stop_stays_until_a_person_releases_it() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        bench.fake.plan(100, Mishap::EmergencyStop);
        bench.fails(RobotErrorKind::EmergencyStop);
        let error = bench.arm.recover().unwrap_err();
        assert_eq!(error.kind, RobotErrorKind::EmergencyStop);
        assert_eq!(bench.fake.arm().n_recoveries, 0, "no recovery is tried");
        bench.fake.arm().mode = 1;
        std::thread::sleep(Duration::from_millis(20));
        bench.arm.recover().unwrap();
    }
}

#[test]
fn a_dead_controller_is_a_lost_link_and_comes_back() {
    let mut bench = bench();
    bench.fake.plan(100, Mishap::Die);
    let error = bench.follow(&swing(0.4, 1.0)).unwrap_err();
    let expected = [RobotErrorKind::LinkLost, RobotErrorKind::StaleState];
    assert!(expected.contains(&error.kind), "{error}");
    std::thread::sleep(Duration::from_millis(1100));
    let error = bench.arm.observe().unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::LinkLost, "{error}");
    let clock = bench.arm.time_secs();
    assert!(
        bench.arm.recover().is_err(),
        "a dead controller does not answer"
    );
    bench.fake.revive();
    std::thread::sleep(Duration::from_millis(50));
    bench.arm.recover().unwrap();
    assert!(bench.arm.time_secs() >= clock, "the clock goes on");
    bench.follow(&bench.on()).unwrap();
    assert_eq!(
        bench.asked.load(Ordering::Relaxed),
        2,
        "approval is asked again"
    );
}

#[test]
fn twenty_lost_commands_stop_the_arm_and_fewer_do_not() {
    let mut bench = bench();
    for cycle in (50..600).step_by(40) {
        bench.fake.plan(cycle, Mishap::LoseCommands(1));
    }
    bench.complete(&swing(0.4, 1.0));
    assert!(bench.fake.arm().n_lost >= 10);

    let back = Trajectory::new(vec![knot(0.0, moved(HOME, 0, 0.4)), knot(1.0, HOME)]);
    bench.fake.plan(300, Mishap::LoseCommands(25));
    let error = bench.refused(&back, RobotErrorKind::StaleState);
    let name = "communication_constraints_violation";
    assert!(error.detail.contains(name), "{error}");
    assert!(figure(&error, "command_success_rate") < 0.9);
    bench.arm.recover().unwrap();
}

#[test]
fn states_that_come_late_are_caught_up_with_without_a_jump() {
    let mut bench = bench();
    for (k, cycle) in (60..700).step_by(80).enumerate() {
        bench.fake.plan(cycle, Mishap::LoseStates(1 + k as u32));
    }
    bench.complete(&swing(0.4, 1.0));
    assert!((bench.fake.arm().q[0] - 0.4).abs() < 1e-9);
    bench.used_at_most(1.0);
    let counts = bench.arm.cycle_counts();
    assert!(counts.missed >= 20 && counts.longest_gap >= 8, "{counts:?}");
}

#[test]
fn silence_is_a_stale_state_long_before_the_link_is_lost() {
    let safety = Safety {
        stale_secs: 0.15,
        ..safety()
    };
    let mut bench = bench_with(10, safety);
    let silence = Mishap::Silence(Duration::from_millis(600));
    bench.fake.plan(100, silence);
    let error = bench.fails(RobotErrorKind::StaleState);
    let age_secs = figure(&error, "state_age");
    assert!((0.15..0.6).contains(&age_secs), "{error}");
    let error = bench.arm.observe().unwrap_err();
    assert_eq!(error.kind, RobotErrorKind::StaleState, "{error}");
}

#[test]
fn an_arm_found_in_a_reflex_takes_its_thresholds_at_recovery_and_not_before() {
    let (fake, hand) = (FakeArm::start(10, HOME), FakeHand::start());
    fake.arm().mode = 4;
    let options = options(&fake, &hand, safety());
    let mut arm = FrankaArm::connect(options, chain(), Box::new(|_| true)).unwrap();
    assert!(!arm.report().thresholds_confirmed);
    let notices = &arm.report().notices;
    assert!(notices.iter().any(|said| said.contains("thresholds")));
    assert!(arm.follow(&swing(0.1, 1.0), &Watch::default()).is_err());
    arm.recover().unwrap();
    assert!(fake.arm().thresholds.is_some());
    let report = arm.follow(&swing(0.1, 1.0), &Watch::default()).unwrap();
    assert_eq!(report.end, MotionEnd::Completed);
}
