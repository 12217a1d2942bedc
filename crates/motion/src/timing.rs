//! When the arm is where on its path.
//!
//! The path parameter s runs from 0 to its length as a jerk-limited motion of one
//! degree of freedom. With q(s) the path,
//!
//! ```text
//! q'   = q_s s'
//! q''  = q_ss s'^2 + q_s s''
//! q''' = q_sss s'^3 + 3 q_ss s' s'' + q_s s'''
//! ```
//!
//! so limits on s', s'' and s''' that keep each term within its share of a joint's
//! limit keep the sum within the limit. What the shares leave unused is given back
//! by stretching time: over a stretch by c, velocity falls with c, acceleration with
//! c^2 and jerk with c^3.

use regrasp_api::{Knot, Trajectory};
use rsruckig::prelude::*;

use crate::JointLimits;
use crate::path::{Path, PathPoint};

/// Distance of knots in time, s: short enough that quintics between them stay
/// within a part in a thousand of the curve's own derivatives.
const KNOT_SECS: f64 = 0.01;
/// Samples along the path at which limits are evaluated.
const N_SAMPLES: usize = 128;

/// Times a path with rest at both ends, using `scale` of the limits (velocity by
/// `scale`, acceleration by its square, jerk by its cube).
pub(crate) fn time(path: &Path, limits: &[JointLimits], scale: f64) -> Trajectory {
    let (profile, stretch) = fastest_profile(path, limits);
    let stretch = stretch / scale;
    let duration_secs = profile.get_duration() * stretch;
    let times = knot_times(&profile, stretch, duration_secs);
    let knots = times
        .into_iter()
        .map(|time_secs| knot(path, &profile, stretch, time_secs));
    Trajectory::new(knots.collect())
}

/// Even times, and those at which the jerk changes: between two knots it is then
/// constant, which a quintic follows exactly on a straight path.
fn knot_times(
    profile: &rsruckig::prelude::Trajectory<1>,
    stretch: f64,
    duration_secs: f64,
) -> Vec<f64> {
    /// Knots closer than this add nothing but rounding.
    const CLOSEST_SECS: f64 = 1e-5;
    let n = (duration_secs / KNOT_SECS).ceil().max(2.0) as usize;
    let changes = profile.profiles.iter().flat_map(|section| section[0].t_sum);
    let mut times: Vec<f64> = changes.map(|t| t * stretch).collect();
    times.extend((0..n).map(|i| duration_secs * i as f64 / n as f64));
    times.retain(|t| (0.0..duration_secs - CLOSEST_SECS).contains(t));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier < CLOSEST_SECS);
    times.push(duration_secs);
    times
}

/// The arm stays where it is for an instant: a trajectory for a path of no length.
pub(crate) fn stay(position: &[f64]) -> Trajectory {
    let still = |time_secs| Knot {
        time_secs,
        position: position.to_vec(),
        velocity: vec![0.0; position.len()],
        acceleration: vec![0.0; position.len()],
    };
    Trajectory::new(vec![still(0.0), still(KNOT_SECS)])
}

/// A profile for s, and the factor on time that just uses up the limits.
fn fastest_profile(path: &Path, limits: &[JointLimits]) -> (rsruckig::prelude::Trajectory<1>, f64) {
    let samples: Vec<_> = (0..=N_SAMPLES)
        .map(|i| path.at(path.length() * i as f64 / N_SAMPLES as f64))
        .collect();
    let worst = |derivative: &dyn Fn(&PathPoint, usize) -> f64,
                 limit: &dyn Fn(&JointLimits) -> f64| {
        samples
            .iter()
            .flat_map(|p| limits.iter().enumerate().map(move |(j, l)| (p, j, l)))
            .map(|(p, j, l)| derivative(p, j).abs() / limit(l))
            .fold(0.0, f64::max)
    };
    let slope_per_velocity = worst(&|p, j| p.first[j], &|l| l.velocity);
    let slope_per_acceleration = worst(&|p, j| p.first[j], &|l| l.acceleration);
    let bend_per_acceleration = worst(&|p, j| p.second[j], &|l| l.acceleration);
    let slope_per_jerk = worst(&|p, j| p.first[j], &|l| l.jerk);

    let mut velocity = 1.0 / slope_per_velocity;
    let mut acceleration = 1.0 / slope_per_acceleration;
    let mut jerk = 1.0 / slope_per_jerk;
    if !path.is_straight() {
        velocity = velocity.min((0.5 / bend_per_acceleration.max(1e-12)).sqrt());
        acceleration *= 0.5;
        jerk *= 0.5;
    }
    let profile = rest_to_rest(path.length(), velocity, acceleration, jerk);
    let stretch = overload(path, &profile, limits);
    (profile, stretch)
}

/// By how much time must be stretched (or may be compressed) so that the hardest
/// instant just meets its limit.
fn overload(
    path: &Path,
    profile: &rsruckig::prelude::Trajectory<1>,
    limits: &[JointLimits],
) -> f64 {
    let n = 2 * N_SAMPLES;
    let mut worst: f64 = 1e-3;
    for i in 0..=n {
        let [s, v, a, j] = state(profile, profile.get_duration() * i as f64 / n as f64);
        let p = path.at(s.clamp(0.0, path.length()));
        for (k, limit) in limits.iter().enumerate() {
            let velocity = p.first[k] * v;
            let acceleration = p.second[k] * v * v + p.first[k] * a;
            let jerk = p.third[k] * v.powi(3) + 3.0 * p.second[k] * v * a + p.first[k] * j;
            worst = worst
                .max(velocity.abs() / limit.velocity)
                .max((acceleration.abs() / limit.acceleration).sqrt())
                .max((jerk.abs() / limit.jerk).cbrt());
        }
    }
    worst
}

fn knot(
    path: &Path,
    profile: &rsruckig::prelude::Trajectory<1>,
    stretch: f64,
    time_secs: f64,
) -> Knot {
    let [s, v, a, _] = state(profile, time_secs / stretch);
    let (v, a) = (v / stretch, a / (stretch * stretch));
    let p = path.at(s.clamp(0.0, path.length()));
    let velocity = p.first.iter().map(|slope| slope * v).collect();
    let acceleration = p
        .first
        .iter()
        .zip(&p.second)
        .map(|(slope, bend)| bend * v * v + slope * a)
        .collect();
    Knot {
        time_secs,
        position: p.position,
        velocity,
        acceleration,
    }
}

/// Position, velocity, acceleration and jerk of the profile.
fn state(profile: &rsruckig::prelude::Trajectory<1>, time_secs: f64) -> [f64; 4] {
    let zero = || DataArrayOrVec::<f64, 1>::new(None, 0.0);
    let (mut p, mut v, mut a, mut j) = (zero(), zero(), zero(), zero());
    profile.at_time(
        time_secs,
        &mut Some(&mut p),
        &mut Some(&mut v),
        &mut Some(&mut a),
        &mut Some(&mut j),
        &mut None,
    );
    [p[0], v[0], a[0], j[0]]
}

fn rest_to_rest(
    length: f64,
    velocity: f64,
    acceleration: f64,
    jerk: f64,
) -> rsruckig::prelude::Trajectory<1> {
    let mut input = InputParameter::<1>::new(None);
    input.target_position[0] = length;
    input.max_velocity[0] = velocity;
    input.max_acceleration[0] = acceleration;
    input.max_jerk[0] = jerk;
    let mut profile = rsruckig::prelude::Trajectory::<1>::new(None);
    let outcome =
        Ruckig::<1, ThrowErrorHandler>::new(None, KNOT_SECS).calculate(&input, &mut profile);
    assert!(
        outcome.is_ok(),
        "a rest-to-rest motion within positive limits exists: {outcome:?}"
    );
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Vec<JointLimits> {
        [(2.0, 15.0, 7500.0), (1.0, 7.5, 3750.0)]
            .map(|(velocity, acceleration, jerk)| JointLimits {
                lower: -3.0,
                upper: 3.0,
                velocity,
                acceleration,
                jerk,
            })
            .to_vec()
    }

    /// Measures a trajectory by differences and holds it against the limits.
    fn check(points: &[Vec<f64>], scale: f64) -> f64 {
        let path = Path::through(points).expect("it moves");
        let trajectory = time(&path, &limits(), scale);
        let dt = 1e-4;
        let n = (trajectory.duration_secs() / dt) as usize;
        let (mut q, mut v, mut v_before) = (vec![0.0; 2], vec![0.0; 2], vec![0.0; 2]);
        for i in 0..=n {
            trajectory.sample(i as f64 * dt, &mut q, &mut v);
            for (j, limit) in limits().iter().enumerate() {
                assert!(
                    v[j].abs() <= limit.velocity * scale * 1.01,
                    "velocity of joint {j}"
                );
                let a = (v[j] - v_before[j]) / dt;
                let most = limit.acceleration * scale * scale;
                assert!(
                    i == 0 || a.abs() <= most * 1.03,
                    "acceleration of joint {j}: {a} > {most}"
                );
            }
            v_before.copy_from_slice(&v);
        }
        assert!(
            crate::path::distance(trajectory.last_position(), &points[points.len() - 1]) < 1e-9
        );
        trajectory.duration_secs()
    }

    #[test]
    fn straight_and_bent_paths_stay_within_limits() {
        let straight = check(&[vec![0.1, -0.2], vec![0.9, 0.7]], 1.0);
        // Joint 2 decides: 0.9 rad at 1 rad/s with ramps of 1/7.5 s and jerk ramps.
        assert!(
            (straight - (0.9 + 1.0 / 7.5)).abs() < 0.01,
            "took {straight} s"
        );
        check(&[vec![0.1, -0.2], vec![0.9, 0.7]], 0.4);
        check(
            &[
                vec![0.0, 0.0],
                vec![0.4, 0.5],
                vec![0.9, 0.4],
                vec![1.0, -0.3],
            ],
            0.8,
        );
    }
}
