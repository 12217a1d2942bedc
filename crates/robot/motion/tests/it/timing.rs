//! Limits and durations of a thousand random motions of the Panda.

use crate::common::{limits, panda, random_q};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::Trajectory;
use regrasp_motion::JointLimits;
use rsruckig::prelude::*;

/// The simulation's time step, and a finer one that falls between its steps and between knots, s.
const STEPS_SECS: [f64; 2] = [0.0025, 0.0013];

/// Counts the samples at which the commanded motion exceeds a limit.
///
/// A difference over a time step is the mean over that step of a velocity, an acceleration or
/// (second difference of the velocity) a jerk. No mean may exceed a limit by more than rounding.
fn violations(trajectory: &Trajectory, limits: &[JointLimits], scale: f64, dt: f64) -> usize {
    let n = (trajectory.duration_secs() / dt).ceil() as usize + 2;
    let sample = |i: usize| {
        let (mut q, mut v) = ([0.0; 7], [0.0; 7]);
        // One sample before the start and two after the end are at rest.
        let time_secs = i as f64 * dt - dt;
        trajectory.sample(time_secs, &mut q, &mut v);
        (q, v)
    };
    let samples: Vec<_> = (0..=n).map(sample).collect();
    let slack = 1.0 + 1e-6;
    let mut count = 0;
    for w in samples.windows(3) {
        for (j, limit) in limits.iter().enumerate() {
            let [before, now, after] = [0, 1, 2].map(|i| (w[i].0[j], w[i].1[j]));
            let speed = now.1.abs().max(((now.0 - before.0) / dt).abs());
            let acceleration = ((now.1 - before.1) / dt).abs();
            let jerk = ((after.1 - 2.0 * now.1 + before.1) / (dt * dt)).abs();
            let is_within = speed <= slack * scale * limit.velocity
                && acceleration <= slack * scale.powi(2) * limit.acceleration
                && jerk <= slack * scale.powi(3) * limit.jerk;
            count += usize::from(!is_within);
        }
    }
    count
}

/// The shortest time in which all joints reach the goal and come to rest together.
fn ruckig_secs(start: &[f64], goal: &[f64], limits: &[JointLimits], scale: f64) -> f64 {
    let mut input = InputParameter::<7>::new(None);
    for (i, limit) in limits.iter().enumerate() {
        input.current_position[i] = start[i];
        input.target_position[i] = goal[i];
        input.max_velocity[i] = scale * limit.velocity;
        input.max_acceleration[i] = scale.powi(2) * limit.acceleration;
        input.max_jerk[i] = scale.powi(3) * limit.jerk;
    }
    let mut motion = rsruckig::prelude::Trajectory::<7>::new(None);
    Ruckig::<7, ThrowErrorHandler>::new(None, 0.01)
        .calculate(&input, &mut motion)
        .unwrap();
    motion.get_duration()
}

#[test]
fn a_thousand_moves_keep_every_limit_and_direct_ones_are_time_optimal() {
    let arm = panda();
    let limits = limits();
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    let (mut n_violations, mut worst_ratio) = (0, 0.0_f64);
    for case in 0..1000 {
        let n_points = if case % 2 == 0 {
            2
        } else {
            rng.random_range(3..=8)
        };
        // Half of the moves are short, like those over a table.
        let size = if case % 4 < 2 { 1.0 } else { 0.15 };
        let first = random_q(&limits, &mut rng);
        let near = |rng: &mut ChaCha8Rng| -> Vec<f64> {
            let far = random_q(&limits, rng);
            let pairs = first.iter().zip(far);
            pairs.map(|(a, b)| a + size * (b - a)).collect()
        };
        let others: Vec<_> = (1..n_points).map(|_| near(&mut rng)).collect();
        let points: Vec<Vec<f64>> = std::iter::once(first.clone()).chain(others).collect();
        let scale = [1.0, 0.6, 0.25][case % 3];
        let trajectory = arm.time_through(&points, scale);
        let found = |dt: &f64| violations(&trajectory, &limits, scale, *dt);
        n_violations += STEPS_SECS.iter().map(found).sum::<usize>();
        if n_points == 2 {
            let least = ruckig_secs(&points[0], &points[1], &limits, scale);
            worst_ratio = worst_ratio.max(trajectory.duration_secs() / least);
        }
    }
    assert_eq!(n_violations, 0, "samples beyond a limit");
    assert!(worst_ratio < 1.011, "{worst_ratio} times Ruckig's optimum");
}
