//! An arm connected to fakes of itself and of its hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use regrasp_api::{
    GripperCommand, GripperReport, Knot, MotionEnd, MotionReport, RobotError, RobotErrorKind,
    Trajectory, Watch, World,
};
use regrasp_franka::{Approval, ArmOptions, FrankaArm, Safety};

use crate::fake::{FakeArm, FakeHand, chain};

pub(crate) const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
/// Timeout for a fresh state, s: longer than any gap on a busy machine. Tests of stale states set
/// their own.
pub(crate) const PATIENT_SECS: f64 = 0.9;

pub(crate) struct Bench {
    pub(crate) arm: FrankaArm,
    pub(crate) fake: FakeArm,
    pub(crate) hand: FakeHand,
    pub(crate) asked: Arc<AtomicUsize>,
}

pub(crate) fn safety() -> Safety {
    Safety {
        stale_secs: PATIENT_SECS,
        lost_controller_secs: PATIENT_SECS,
        ..Safety::default()
    }
}

pub(crate) fn options(fake: &FakeArm, hand: &FakeHand, safety: Safety) -> ArmOptions {
    ArmOptions {
        hand_host: Some(hand.host.clone()),
        safety,
        ..ArmOptions::new(fake.host.clone())
    }
}

pub(crate) fn bench_with(version: u16, safety: Safety) -> Bench {
    let (fake, hand) = (FakeArm::start(version, HOME), FakeHand::start());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let approval: Approval = Box::new(move |motion| {
        assert!(motion.duration_secs > 0.0 && motion.to_string().contains("rad/s"));
        counter.fetch_add(1, Ordering::Relaxed);
        true
    });
    let arm = FrankaArm::connect(options(&fake, &hand, safety), chain(), approval).unwrap();
    Bench {
        arm,
        fake,
        hand,
        asked,
    }
}

pub(crate) fn bench() -> Bench {
    bench_with(10, safety())
}

pub(crate) fn knot(time_secs: f64, position: [f64; 7]) -> Knot {
    Knot::at_rest(time_secs, position)
}

pub(crate) fn moved(from: [f64; 7], joint: usize, by: f64) -> [f64; 7] {
    let mut to = from;
    to[joint] += by;
    to
}

/// Turns joint 1 by `by` rad in `secs`.
pub(crate) fn swing(by: f64, secs: f64) -> Trajectory {
    Trajectory::new(vec![knot(0.0, HOME), knot(secs, moved(HOME, 0, by))])
}

pub(crate) fn open(width_m: f64) -> GripperCommand {
    GripperCommand::move_to(width_m, 0.1)
}

pub(crate) fn close(force_n: f64) -> GripperCommand {
    GripperCommand::grasp(force_n, 0.1)
}

impl Bench {
    pub(crate) fn follow(&mut self, motion: &Trajectory) -> Result<MotionReport, RobotError> {
        self.arm.follow(motion, &Watch::default())
    }

    #[track_caller]
    pub(crate) fn complete(&mut self, motion: &Trajectory) -> MotionReport {
        let report = self.follow(motion).unwrap();
        assert_eq!(report.end, MotionEnd::Completed);
        report
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, motion: &Trajectory, kind: RobotErrorKind) -> RobotError {
        let error = self.follow(motion).expect_err("the motion fails");
        assert_eq!(error.kind, kind, "{error}");
        error
    }

    /// Follows a motion in which a fault was scheduled, and expects an error of this kind.
    #[track_caller]
    pub(crate) fn fails(&mut self, kind: RobotErrorKind) -> RobotError {
        self.refused(&swing(0.4, 1.0), kind)
    }

    pub(crate) fn on(&self) -> Trajectory {
        let now = self.fake.arm().q;
        Trajectory::new(vec![knot(0.0, now), knot(1.0, moved(now, 0, 0.1))])
    }

    pub(crate) fn grip(&mut self, command: GripperCommand) -> Result<GripperReport, RobotError> {
        self.arm.command_gripper(command, &Watch::default())
    }

    /// Asserts that no command used more than this part of the arm's limits.
    #[track_caller]
    pub(crate) fn used_at_most(&self, most: f64) {
        let used = self.fake.arm().peak_use;
        assert!(used.iter().all(|part| *part < most), "{used:?}");
    }
}

pub(crate) fn figure(error: &RobotError, name: &str) -> f64 {
    let figure = error.measured.iter().find(|figure| figure.name == name);
    figure
        .unwrap_or_else(|| panic!("no {name} in {error:?}"))
        .value
}
