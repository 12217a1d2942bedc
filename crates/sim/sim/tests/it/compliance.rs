//! Tests of the contact force of compliant motions.

use crate::common::{Lab, at, down, fixed, table};
use regrasp_api::{Compliance, Monitor, MotionEnd, MotionReport, Watch};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_testkit::within;

/// Positions of the closed hand in front of the wall, and 4 cm behind the face of the wall, m.
const BEFORE_X: f64 = 0.40;
const BEHIND_X: f64 = 0.49;
/// Position of the hand at which its fingers, which reach 1 cm ahead of it, are 5 mm deep in the
/// wall.
const TOUCHING_X: f64 = 0.445;
const WALL_X: f64 = 0.45;

fn soft(stiffness: f64, max_force_n: Option<f64>) -> Compliance {
    Compliance {
        stiffness,
        max_force_n,
    }
}

/// Drives the hand towards `behind_x` in `secs`, against a wall in between.
fn against_wall(
    compliance: Option<Compliance>,
    behind_x: f64,
    secs: f64,
    watch: &Watch,
) -> (Lab, MotionReport) {
    // The wall is lower than the palm and the thick part of the fingers, so only the tips meet it.
    let half_extents = [0.05, 0.3, 0.032];
    let wall = fixed("wall", half_extents, at(WALL_X + 0.05, 0.0, 0.032, 0.0));
    let mut lab = Lab::new(vec![table(), wall]);
    lab.open(0.0);
    lab.reach(&down(BEFORE_X, 0.0, 0.06, 0.0), 2.0);
    let mut line = lab.straight(&down(behind_x, 0.0, 0.06, 0.0), secs);
    if let Some(compliance) = compliance {
        line = line.compliant(compliance);
    }
    let report = lab.follow(&line, watch);
    (lab, report)
}

/// Total contact force of the robot at the end, N.
fn pressing_n(report: &MotionReport) -> f64 {
    report.after.contacts.iter().map(|c| c.force_n).sum()
}

/// Largest force on the wall in a single step, N.
fn peak_n(lab: &Lab) -> f64 {
    let contacts = lab.truth.truth().contacts;
    let wall = contacts.iter().filter(|c| c.with.as_str() == "wall");
    wall.map(|c| c.peak_force_n).fold(0.0, f64::max)
}

#[test]
fn a_push_against_a_wall_stays_at_its_limit() {
    for limit_n in [5.0, 10.0, 20.0, 40.0] {
        let most_n = 1.1 * limit_n + 1.0;
        let watch = Watch::of([Monitor::PressesTooHard {
            max_force_n: most_n,
            for_secs: 0.01,
        }]);
        let soft = soft(0.5, Some(limit_n));
        let (_, report) = against_wall(Some(soft), BEHIND_X, 2.0, &watch);
        assert_eq!(report.end, MotionEnd::Completed, "limit {limit_n} N");
        let pressed_n = pressing_n(&report);
        within("it presses, N", pressed_n, 0.5 * limit_n..most_n);
    }
}

#[test]
fn an_impact_is_shorter_the_slower_the_hand() {
    let soft = soft(0.5, Some(10.0));
    // 0.08 and 0.02 m/s at the wall: a few steps absorb the momentum of the arm.
    let [fast, slow] = [2.0, 8.0].map(|secs| {
        let (lab, _) = against_wall(Some(soft), BEHIND_X, secs, &Watch::default());
        peak_n(&lab)
    });
    assert!(fast < 100.0, "{fast:.1} N at 0.08 m/s");
    assert!(slow < 0.5 * fast, "{slow:.1} N at 0.02 m/s");
}

#[test]
fn a_soft_arm_presses_less_than_a_stiff_one() {
    let [half, tenth] = [0.5, 0.1].map(|stiffness| Some(soft(stiffness, None)));
    let [stiff, half, tenth] = [None, half, tenth].map(|compliance| {
        pressing_n(&against_wall(compliance, TOUCHING_X, 2.0, &Watch::default()).1)
    });
    assert!(stiff > 10.0, "a stiff arm presses with {stiff:.0} N");
    let (a, b) = (half / stiff, tenth / stiff);
    within("half as stiff", a, 0.35..0.75);
    within("a tenth as stiff", b, 0.05..0.2);
}

#[test]
fn nothing_is_left_of_it_after_the_motion() {
    let soft = soft(0.1, Some(10.0));
    let (mut lab, _) = against_wall(Some(soft), BEHIND_X, 2.0, &Watch::default());
    let goal = down(BEFORE_X, 0.0, 0.06, 0.0);
    lab.go(&goal, 2.0);
    let off = (lab.tool().translation.vector - goal.translation.vector).norm();
    within("stiff again, the tool is off, m", off, ..1e-3);
}

#[test]
fn in_free_space_a_limit_changes_little() {
    let mut lab = Lab::new(vec![table()]);
    lab.reach(&down(BEFORE_X, 0.0, 0.2, 0.0), 2.0);
    let goal = down(BEHIND_X, 0.1, 0.2, 0.3);
    let line = lab.straight(&goal, 1.0).compliant(soft(0.5, Some(20.0)));
    let report = lab.follow(&line, &Watch::default());
    let off = (lab.tool().translation.vector - goal.translation.vector).norm();
    assert!(off < 2e-3, "the tool is {:.2} mm off", 1e3 * off);
    within("lag, rad", report.peak_tracking_error, ..0.02);
}
