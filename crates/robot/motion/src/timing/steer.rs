//! Next piece of a motion whose target may change at any time.

use regrasp_api::{Knot, MotionFailure, Trajectory};

use super::ruckig::Synchronised;
use crate::JointLimits;

/// Largest time between knots of a piece, s: between them the jerk is not exact.
const KNOT_SECS: f64 = 0.005;

/// Implements [`regrasp_api::MotionPlanner::steer`].
pub(crate) fn steer(
    from: &Knot,
    toward: &[f64],
    for_secs: f64,
    speed_scale: f64,
    limits: &[JointLimits],
) -> Result<Trajectory, MotionFailure> {
    check(from, toward, limits)?;
    // A target beyond a limit is clamped to it.
    let within = toward.iter().zip(limits);
    let target: Vec<f64> = within.map(|(q, l)| q.clamp(l.lower, l.upper)).collect();
    let scaled: Vec<_> = limits.iter().map(|l| slower(l, speed_scale)).collect();
    let motion = Synchronised::from_state(&cleaned(from), &target, &scaled);
    let motion = motion.ok_or_else(|| no_motion("none keeps within the joint limits".into()))?;
    let n = (for_secs / KNOT_SECS).ceil().max(1.0) as usize;
    let knot = |i: usize| {
        let time_secs = for_secs * i as f64 / n as f64;
        if i == 0 {
            let mut first = from.clone();
            first.time_secs = 0.0;
            return first;
        }
        motion.knot(time_secs)
    };
    Ok(Trajectory::new((0..=n).map(knot).collect()).going_on())
}

/// Removes the rounding residue of a motion that has ended: Ruckig finds no motion from such a
/// state.
fn cleaned(from: &Knot) -> Knot {
    const NO_SPEED: f64 = 1e-9;
    const NO_ACCELERATION: f64 = 1e-6;
    let without = |values: &[f64], least: f64| -> Vec<f64> {
        let values = values.iter();
        let cleaned = values.map(|v| if v.abs() < least { 0.0 } else { *v });
        cleaned.collect()
    };
    Knot {
        time_secs: from.time_secs,
        position: from.position.clone(),
        velocity: without(&from.velocity, NO_SPEED),
        acceleration: without(&from.acceleration, NO_ACCELERATION),
    }
}

fn check(from: &Knot, toward: &[f64], limits: &[JointLimits]) -> Result<(), MotionFailure> {
    let n = limits.len();
    for (what, values) in [
        ("target positions", toward),
        ("present positions", &from.position),
        ("present velocities", &from.velocity),
        ("present accelerations", &from.acceleration),
    ] {
        if values.len() != n {
            let got = values.len();
            return Err(no_motion(format!("{got} {what} for {n} joints")));
        }
        if let Some(i) = values.iter().position(|value| !value.is_finite()) {
            let value = values[i];
            return Err(no_motion(format!("{what}: {value} at index {i}")));
        }
    }
    Ok(())
}

fn no_motion(why: String) -> MotionFailure {
    MotionFailure::BadTarget {
        detail: format!("no motion to the joint positions: {why}"),
    }
}

fn slower(limit: &JointLimits, scale: f64) -> JointLimits {
    JointLimits {
        velocity: limit.velocity * scale,
        acceleration: limit.acceleration * scale.powi(2),
        jerk: limit.jerk * scale.powi(3),
        ..*limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: [JointLimits; 2] = [JointLimits {
        lower: -2.0,
        upper: 2.0,
        velocity: 2.0,
        acceleration: 10.0,
        jerk: 1000.0,
    }; 2];

    fn at_rest(position: [f64; 2]) -> Knot {
        Knot::at_rest(0.0, position)
    }

    #[test]
    fn a_target_that_jumps_about_never_exceeds_a_limit() {
        let mut state = at_rest([0.0, 0.0]);
        let mut previous: Option<Knot> = None;
        for k in 0..200_u32 {
            let target = [1.9 * f64::from(k).sin(), if k % 7 < 3 { 5.0 } else { -5.0 }];
            let piece = steer(&state, &target, 0.05, 1.0, &LIMITS).expect("a motion");
            for knot in piece.knots() {
                for i in 0..2 {
                    assert!(knot.velocity[i].abs() < 2.0 + 1e-6, "{knot:?}");
                    assert!(knot.acceleration[i].abs() < 10.0 + 1e-6, "{knot:?}");
                    assert!(knot.position[i].abs() < 2.0 + 1e-6, "{knot:?}");
                }
            }
            let knots = piece.knots();
            if let Some(end) = previous {
                assert_eq!(end.position, knots[0].position);
                assert_eq!(end.velocity, knots[0].velocity);
            }
            state = knots[knots.len() - 1].clone();
            previous = Some(state.clone());
        }
    }

    #[test]
    fn a_target_that_stays_is_reached_and_held() {
        let mut state = at_rest([0.0, 1.0]);
        for _ in 0..40 {
            let piece = steer(&state, &[1.0, -1.0], 0.05, 1.0, &LIMITS).expect("a motion");
            state = piece.knots()[piece.knots().len() - 1].clone();
        }
        for (got, wanted) in state.position.iter().zip([1.0, -1.0]) {
            assert!((got - wanted).abs() < 1e-9, "{state:?}");
        }
        assert!(state.velocity.iter().all(|v| v.abs() < 1e-9), "{state:?}");
    }

    #[test]
    fn nonsense_is_refused_with_what_is_wrong() {
        let from = at_rest([0.0, 0.0]);
        for (target, says) in [
            (vec![0.0; 3], "3 target positions for 2 joints"),
            (vec![0.0, f64::NAN], "NaN at index 1"),
        ] {
            let failure = steer(&from, &target, 0.05, 1.0, &LIMITS)
                .expect_err("an invalid target must be refused");
            assert!(failure.to_string().contains(says), "{failure}");
        }
    }
}
