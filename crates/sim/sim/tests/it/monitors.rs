//! Tests that every monitor ends a motion at the right time and for the right reason.

use crate::common::{Lab, at, blocked, down, fixed, push_link, removed, table};
use regrasp_api::{Monitor, MonitorStop, MotionEnd, MotionReport, Watch};
use regrasp_sim::When;
use regrasp_testkit::{near, within};

fn stopped_at(report: &MotionReport) -> (f64, f64) {
    match &report.end {
        MotionEnd::Stopped(stop) => (stop.at_secs, stop.measured),
        end => panic!("the motion must be stopped, but ended as {end:?}"),
    }
}

#[test]
fn a_held_object_that_vanishes_is_noticed() {
    let mut lab = Lab::with_cube();
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    let start = lab.observe();
    assert!(start.gripper.finger_contact == Some([true; 2]) && start.gripper.grip_force_n == 20.0);
    lab.disturb_in(0.5, removed("cube"));
    let up = lab.straight(&down(0.42, -0.12, 0.2, 0.3), 1.5);
    let limit = Monitor::GripLost {
        min_width_m: 0.028,
        max_width_m: None,
    };
    let report = lab.follow(&up, &Watch::of([limit]));
    let (at_secs, width) = stopped_at(&report);
    // Closing 12 mm at 0.1 m/s, and the time that the fingers take to start.
    within("gone after 0.5 s, missed after, s", at_secs, 0.6..0.75);
    assert!(width < 0.028 && width > 0.02);
    assert_eq!(report.after.gripper.finger_contact, Some([false; 2]));
}

#[test]
fn a_wall_in_the_way_is_felt() {
    let wall = fixed("wall", [0.02, 0.3, 0.4], at(0.1, 0.6, 0.4, 0.0));
    let mut lab = Lab::new(vec![table(), wall]);
    let turn = lab.swing(0, 1.6, 2.0);
    let limit = Monitor::UnexpectedContact {
        max_force_n: 20.0,
        allowed_links: lab.panda.file.gripper.finger_links.clone(),
    };
    let report = lab.follow(&turn, &Watch::of([limit]));
    let (at_secs, force) = stopped_at(&report);
    assert!((0.5..2.0).contains(&at_secs), "felt after {at_secs:.3} s");
    assert!(force > 20.0, "the wall pushed with {force:.1} N");
    let MotionEnd::Stopped(MonitorStop {
        contact: Some(contact),
        ..
    }) = &report.end
    else {
        panic!("the stop must contain the contact");
    };
    let x = contact.point_in_world[0];
    within("the wall is touched at x, m", x, 0.07..0.13);
    let speed = report.after.joint_velocities[0].abs();
    within("joint 1 turns, rad/s", speed, ..0.05);
}

#[test]
fn an_arm_that_is_pressed_as_a_motion_begins_may_get_away_but_not_stay() {
    let push_secs = |duration_secs: f64| {
        let mut lab = Lab::new(vec![table()]);
        let push = push_link("panda_link5", [0.0, 30.0, 0.0], duration_secs);
        lab.disturb(When::Now, push);
        lab.wait(0.05);
        let turn = lab.swing(0, 0.4, 1.0);
        let limit = Monitor::UnexpectedContact {
            max_force_n: 20.0,
            allowed_links: vec![],
        };
        lab.follow(&turn, &Watch::of([limit]))
    };
    let leaves = push_secs(0.2);
    assert_eq!(leaves.end, MotionEnd::Completed);
    let (at_secs, force) = stopped_at(&push_secs(0.6));
    within("ended after, s", at_secs, 0.25..0.26);
    assert!((29.0..31.0).contains(&force), "{force} N");
}

#[test]
fn a_blocked_joint_is_a_tracking_error() {
    let mut lab = Lab::new(vec![table()]);
    lab.disturb(When::Now, blocked("panda_joint1"));
    let turn = lab.swing(0, 1.0, 2.0);
    let limit = Monitor::TrackingError {
        max_error: 0.05,
        for_secs: 0.05,
    };
    let report = lab.follow(&turn, &Watch::of([limit]));
    let (at_secs, error) = stopped_at(&report);
    // A minimum-jerk motion covers 0.05 of its way at u = 0.189, which is 0.378 s.
    let expected = 0.378 + 0.05;
    near("noticed after, s", at_secs, expected, 0.006);
    assert!(error > 0.05 && error < 0.15);
    let moved = report.after.joint_positions[0].abs();
    assert!(moved < 1e-3, "the blocked joint moved {moved:.4} rad");
}

#[test]
fn cancelling_stops_the_arm_within_50_ms() {
    let mut lab = Lab::new(vec![table()]);
    let turn = lab.swing(0, 1.5, 1.5);
    let watch = Watch::default();
    let cancel = watch.cancel.clone();
    cancel.cancel();
    let before = lab.observe();
    let report = lab.follow(&turn, &watch);
    assert_eq!(report.end, MotionEnd::Cancelled { at_secs: 0.0 });
    let took = report.after.time_secs - before.time_secs;
    assert!(took <= 0.05 + 1e-9, "a cancelled motion took {took:.3} s");
}

/// A monitor brakes like a cancellation, here in the middle of a fast motion.
#[test]
fn a_stop_at_full_speed_takes_less_than_50_ms() {
    let mut lab = Lab::new(vec![table()]);
    let turn = lab.swing(0, 1.6, 1.5);
    // A servo always lags slightly, so this monitor stops the motion after 0.7 s.
    let limit = Monitor::TrackingError {
        max_error: 1e-6,
        for_secs: 0.7,
    };
    let report = lab.follow(&turn, &Watch::of([limit]));
    let (at_secs, _) = stopped_at(&report);
    within("it fired after, s", at_secs, 0.7..0.8);
    within("stopping took, s", report.duration_secs - at_secs, ..=0.05);
    let speed = report.after.joint_velocities[0].abs();
    assert!(speed < 0.05, "joint 1 still turns at {speed:.3} rad/s");
    let later = lab.wait(0.5);
    let crept = (later.joint_positions[0] - report.after.joint_positions[0]).abs();
    assert!(crept < 5e-3, "the stopped arm went on for {crept:.4} rad");
}
