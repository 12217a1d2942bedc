//! Tests of the timing: limits hold everywhere, and no time is wasted on corners.

use proptest::prelude::*;

use super::*;

fn limits(jerk_per_acceleration: f64) -> Vec<JointLimits> {
    [(2.0, 15.0), (1.0, 7.5), (2.6, 20.0)]
        .map(|(velocity, acceleration)| JointLimits {
            lower: -3.0,
            upper: 3.0,
            velocity,
            acceleration,
            jerk: jerk_per_acceleration * acceleration,
        })
        .to_vec()
}

/// The largest [`overload`] of a trajectory.
fn hardest(trajectory: &Trajectory, limits: &[JointLimits], scale: f64) -> f64 {
    let pairs = trajectory.knots().windows(2);
    let overloads = pairs.map(|w| scale.recip() * overload(&w[0], &w[1], limits, 0.0));
    overloads.fold(0.0, f64::max)
}

#[test]
fn a_straight_line_takes_what_its_slowest_joint_needs() {
    let path =
        Path::through(&[vec![0.1, -0.2, 0.0], vec![0.9, 0.7, 0.1]]).expect("the points differ");
    let secs = time(&path, &limits(500.0), 1.0).duration_secs();
    // Joint 2 sets the pace: 0.9 rad at 1 rad/s, speeding up in 1/7.5 s, with ramps of 1/500 s.
    let expected = 0.9 + 1.0 / 7.5 + 0.002;
    assert!((secs - expected).abs() < 1e-9, "took {secs} s");
    let slow = time(&path, &limits(500.0), 0.4).duration_secs();
    assert!((slow - secs / 0.4).abs() < 1e-9, "took {slow} s");
}

#[test]
fn bends_are_passed_nearly_as_fast_as_velocity_and_acceleration_allow() {
    let points = [
        vec![0.0, 0.0, 0.3],
        vec![0.4, 0.5, 0.1],
        vec![0.9, 0.4, -0.5],
        vec![1.0, -0.3, -0.6],
    ];
    let path = Path::through(&points).expect("the points differ");
    let limits = limits(500.0);
    let stations = Stations::along(&path);
    let shares = vec![1.0; stations.s.len()];
    let squared = stations.squared_speeds(&limits, &shares);
    let squared = squared.expect("the path can be followed");
    // With almost no window, this is the optimum without jerk limits.
    let bound = Averaged::new(&stations, &squared, 1e-9).duration_secs();
    let secs = time(&path, &limits, 1.0).duration_secs();
    assert!(secs > bound, "{secs} s, without jerk limits {bound} s");
    assert!(secs < 1.01 * bound, "{secs} s against {bound} s");
    let single = end(&along_line(&path, &limits));
    let with_one = "s with one speed limit for the whole path";
    assert!(secs < 0.9 * single, "{secs} s, but {single} {with_one}");
}

#[test]
fn a_motion_reaches_its_corners_without_stopping_in_them() {
    let points = [vec![0.0; 3], vec![0.5, 0.1, 0.0], vec![0.6, 0.6, 0.2]];
    let path = Path::through(&points).expect("the points differ");
    let trajectory = time(&path, &limits(500.0), 1.0);
    let (mut q, mut v) = ([0.0; 3], [0.0; 3]);
    let mut nearest = (f64::INFINITY, 0.0);
    for i in 0..=10_000 {
        let time_secs = trajectory.duration_secs() * f64::from(i) / 1e4;
        trajectory.sample(time_secs, &mut q, &mut v);
        let away = crate::path::distance(&q, &points[1]);
        if away < nearest.0 {
            nearest = (away, v.iter().map(|v| v.abs()).fold(0.0, f64::max));
        }
    }
    assert!(nearest.0 < 1e-3, "rad from the corner: {nearest:?}");
    assert!(nearest.1 > 0.3, "rad/s at the corner: {nearest:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: prop::test_runner::RngSeed::Fixed(5), ..ProptestConfig::default() })]

    /// Any path, any ratio of jerk to acceleration, any speed.
    #[test]
    fn no_limit_is_exceeded_anywhere(
        points in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 3), 2..9),
        jerk_per_acceleration in 3.0..1000.0f64,
        scale in 0.05..=1.0f64,
    ) {
        let limits = limits(jerk_per_acceleration);
        prop_assume!(points.iter().any(|p| crate::path::distance(p, &points[0]) > 1e-3));
        let path = Path::through(&points).expect("the points differ");
        let trajectory = time(&path, &limits, scale);
        let hardest = hardest(&trajectory, &limits, scale);
        // Positions are rounded to 2e-16 rad. Between knots 2e-5 s apart that reads as a jerk whose
        // cube root is a few parts in a million of the limit.
        prop_assert!(hardest <= 1.0 + 1e-5, "a limit is exceeded by a factor of {hardest}");
        let [first, last] = [0, trajectory.knots().len() - 1].map(|i| &trajectory.knots()[i]);
        for (knot, point) in [(first, &points[0]), (last, &points[points.len() - 1])] {
            prop_assert!(crate::path::distance(&knot.position, point) < 1e-9);
            let is_at_rest = knot.velocity.iter().all(|v| v.abs() < 1e-9);
            prop_assert!(is_at_rest, "the motion is not at rest at an end");
        }
    }

    /// The computed peak velocity of a quintic is at least the sampled one, and at most slightly
    /// more.
    #[test]
    fn peaks_are_those_of_the_curve(
        ends in prop::collection::vec(-2.0..2.0f64, 6),
        secs in 0.2..2.0f64,
        known in 0.0..4.0f64,
    ) {
        let knot = |time_secs: f64, of: &[f64]| Knot {
            time_secs,
            position: vec![of[0]],
            velocity: vec![of[1]],
            acceleration: vec![of[2]],
        };
        let (from, to) = (knot(0.3, &ends[..3]), knot(0.3 + secs, &ends[3..]));
        let limits = [JointLimits {
            velocity: 1.0,
            acceleration: f64::INFINITY,
            jerk: f64::INFINITY,
            ..limits(1.0)[0]
        }];
        let found = overload(&from, &to, &limits, 0.0);
        prop_assert_eq!(overload(&from, &to, &limits, known), known.max(found));
        let trajectory = Trajectory::new(vec![from, to]);
        let sampled = (0..=2000).map(|i| {
            let (mut q, mut v) = ([0.0], [0.0]);
            trajectory.sample(secs * f64::from(i) / 2000.0, &mut q, &mut v);
            v[0].abs()
        });
        let sampled = sampled.fold(0.0, f64::max);
        prop_assert!(found >= sampled - 1e-9 && found <= sampled + 1e-3, "{found}, not {sampled}");
    }
}
