//! Timing of paths.
//!
//! A motion from one configuration straight to another is timed by Ruckig, either as the straight
//! line or as its synchronised motion of all joints ([`Synchronised`]). The latter is faster if
//! joints with different limits take turns in setting the pace.
//!
//! A curved path is traversed as fast as velocities and accelerations allow at every point of it
//! ([`stations`]). A moving average of that motion over time bounds the jerk ([`profile`]).
//! Averaging shifts speed a little along the path, so the result is measured ([`peaks`]), and the
//! stations where a limit is exceeded are traversed more slowly in the next round. The excess that
//! remains after a few rounds, a few parts in a thousand, is removed by stretching time.
//!
//! If time is stretched by c, velocity falls with c, acceleration with c^2 and jerk with c^3. A
//! speed scale of 1/c does the same.

mod peaks;
mod profile;
mod ruckig;
mod stations;
mod steer;

use regrasp_api::{Knot, Trajectory};

use crate::JointLimits;
use crate::path::Path;
use peaks::overload;
use profile::{Averaged, Profile};
use ruckig::OneDof;
pub(crate) use ruckig::Synchronised;
use stations::Stations;
pub(crate) use steer::steer;

/// Largest time between knots, s.
const KNOT_SECS: f64 = 0.02;
/// Smallest time between knots of a curved path, s: closer knots add only rounding.
const CLOSEST_SECS: f64 = 2e-4;
/// Smallest time between knots of a straight or synchronised motion, s: its jerk jumps by the full
/// limit, and each jump needs a knot.
const CLOSEST_OF_STEPS_SECS: f64 = 2e-5;
/// Number of rounds in which stations that exceed a limit are slowed down.
const ROUNDS: usize = 4;
/// Overload below which the rounds end and time is stretched instead.
const SLIGHT: f64 = 1.003;
/// Window of the moving average, relative to the time in which the jerk limit reverses the full
/// acceleration. The excess over 1 leaves room for the jerk of the path's curvature.
const WINDOW: f64 = 1.1;

/// Times a path with rest at both ends, using `scale` of the limits (velocity by `scale`,
/// acceleration by its square, jerk by its cube).
pub(crate) fn time(path: &Path, limits: &[JointLimits], scale: f64) -> Trajectory {
    let bends = (!path.is_straight()).then(|| along_bends(path, limits));
    let knots = bends.flatten().unwrap_or_else(|| along_line(path, limits));
    Trajectory::new(stretched(knots, 1.0 / scale))
}

/// Times a synchronised motion, using `scale` of the limits as in [`time`].
pub(crate) fn time_synchronised(
    motion: &Synchronised,
    limits: &[JointLimits],
    scale: f64,
) -> Trajectory {
    let changes = motion.jerk_changes();
    let times = knot_times(changes, motion.duration_secs(), CLOSEST_OF_STEPS_SECS);
    let knots = times.into_iter().map(|time_secs| motion.knot(time_secs));
    let knots: Vec<Knot> = knots.collect();
    let worst = overloads(&knots, limits).fold(0.0, f64::max);
    Trajectory::new(stretched(knots, worst / scale))
}

/// A short trajectory that stays at a configuration, for a path of no length.
pub(crate) fn stay(position: &[f64]) -> Trajectory {
    let still = [0.0, KNOT_SECS].map(|secs| Knot::at_rest(secs, position));
    Trajectory::new(still.to_vec())
}

/// Times the path as fast as velocity and acceleration allow everywhere, with bounded jerk. If the
/// rounds do not converge (the jerk limits are reached long before the acceleration limits), the
/// single profile of [`along_line`] may be faster.
fn along_bends(path: &Path, limits: &[JointLimits]) -> Option<Vec<Knot>> {
    let stations = Stations::along(path);
    let turn_round = limits.iter().map(|l| 2.0 * l.acceleration / l.jerk);
    let window_secs = WINDOW * turn_round.fold(0.0, f64::max);
    let mut shares = vec![1.0; stations.s.len()];
    let mut best: Option<Vec<Knot>> = None;
    for _ in 0..ROUNDS {
        let squared = stations.squared_speeds(limits, &shares)?;
        let profile = Averaged::new(&stations, &squared, window_secs);
        let knots = knots(path, &profile);
        let overloads: Vec<f64> = overloads(&knots, limits).collect();
        let worst = overloads.iter().copied().fold(0.0, f64::max);
        slow_down(&mut shares, &stations, &profile, &knots, &overloads);
        if best
            .as_ref()
            .is_none_or(|best| worst * end(&knots) < end(best))
        {
            best = Some(stretched(knots, worst));
        }
        if worst < SLIGHT {
            return best;
        }
    }
    let single = along_line(path, limits);
    best.filter(|best| end(best) < end(&single))
        .or(Some(single))
}

/// Lowers the share of the speed at stations around which a limit is exceeded.
fn slow_down(
    shares: &mut [f64],
    stations: &Stations,
    profile: &impl Profile,
    knots: &[Knot],
    overloads: &[f64],
) {
    let mut factors = vec![1.0_f64; shares.len()];
    for (ends, overload) in knots.windows(2).zip(overloads) {
        if *overload <= 1.0 {
            continue;
        }
        let [from, to] = [&ends[0], &ends[1]].map(|knot| profile.state(knot.time_secs)[0]);
        let first = stations.s.partition_point(|s| *s < from).saturating_sub(1);
        let last = (stations.s.partition_point(|s| *s <= to) + 1).min(shares.len());
        for factor in &mut factors[first..last] {
            *factor = factor.min(1.0 / overload);
        }
    }
    for (share, factor) in shares.iter_mut().zip(factors) {
        *share *= factor;
    }
}

/// Times the path as one jerk-limited motion of its parameter, with the same limits from end to
/// end: time-optimal on a straight line, slow on a curved one.
///
/// With q(s) the path,
///
/// ```text
/// q'   = q_s s'
/// q''  = q_ss s'^2 + q_s s''
/// q''' = q_sss s'^3 + 3 q_ss s' s'' + q_s s'''
/// ```
///
/// so limits on s', s'' and s''' that keep each term within its share of a joint's limit keep the
/// sum near the limit.
fn along_line(path: &Path, limits: &[JointLimits]) -> Vec<Knot> {
    const N_SAMPLES: usize = 128;
    let n = if path.is_straight() { 1 } else { N_SAMPLES };
    let samples = (0..=n).map(|i| path.at(path.length() * i as f64 / n as f64));
    let samples: Vec<_> = samples.collect();
    let worst = |of: &dyn Fn(usize, &JointLimits, &crate::path::PathPoint) -> f64| {
        let at = |p| limits.iter().enumerate().map(move |(j, l)| of(j, l, p));
        samples.iter().flat_map(at).fold(0.0, f64::max)
    };
    let mut velocity = 1.0 / worst(&|j, l, p| p.first[j].abs() / l.velocity);
    let mut acceleration = 1.0 / worst(&|j, l, p| p.first[j].abs() / l.acceleration);
    let mut jerk = 1.0 / worst(&|j, l, p| p.first[j].abs() / l.jerk);
    if !path.is_straight() {
        let bend = worst(&|j, l, p| p.second[j].abs() / l.acceleration);
        velocity = velocity.min((0.5 / bend.max(1e-12)).sqrt());
        acceleration *= 0.5;
        jerk *= 0.5;
    }
    let profile = OneDof::rest_to_rest(path.length(), velocity, acceleration, jerk);
    let knots = knots(path, &profile);
    let worst = overloads(&knots, limits).fold(0.0, f64::max);
    stretched(knots, worst)
}

/// Evenly spaced times, and the times at which the jerk changes. Between two knots the jerk is then
/// constant, which a quintic reproduces exactly on a straight path.
fn knot_times(mut times: Vec<f64>, duration_secs: f64, closest_secs: f64) -> Vec<f64> {
    let n = (duration_secs / KNOT_SECS).ceil().max(2.0) as usize;
    times.extend((0..n).map(|i| duration_secs * i as f64 / n as f64));
    times.retain(|t| (0.0..duration_secs - closest_secs).contains(t));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier < closest_secs);
    times.push(duration_secs);
    times
}

fn knots(path: &Path, profile: &impl Profile) -> Vec<Knot> {
    let closest_secs = if path.is_straight() {
        CLOSEST_OF_STEPS_SECS
    } else {
        CLOSEST_SECS
    };
    let (changes, secs) = (profile.jerk_changes(), profile.duration_secs());
    let times = knot_times(changes, secs, closest_secs);
    let knot = |time_secs| knot(path, profile, time_secs);
    times.into_iter().map(knot).collect()
}

fn knot(path: &Path, profile: &impl Profile, time_secs: f64) -> Knot {
    let [s, v, a] = profile.state(time_secs);
    let p = path.at(s.clamp(0.0, path.length()));
    let velocity = p.first.iter().map(|slope| slope * v).collect();
    let parts = p.first.iter().zip(&p.second);
    let acceleration = parts.map(|(slope, bend)| bend * v * v + slope * a);
    Knot {
        time_secs,
        position: p.position,
        velocity,
        acceleration: acceleration.collect(),
    }
}

/// The [`overload`] between each pair of knots. A value below 1 may be replaced by the largest such
/// value before it, which saves most of the work.
fn overloads(knots: &[Knot], limits: &[JointLimits]) -> impl Iterator<Item = f64> {
    let pairs = knots.windows(2);
    pairs.scan(0.0_f64, |known, pair| {
        let overload = overload(&pair[0], &pair[1], limits, *known);
        *known = overload.clamp(*known, 1.0);
        Some(overload)
    })
}

fn stretched(mut knots: Vec<Knot>, factor: f64) -> Vec<Knot> {
    for knot in &mut knots {
        knot.time_secs *= factor;
        knot.velocity.iter_mut().for_each(|v| *v /= factor);
        let squared = factor * factor;
        knot.acceleration.iter_mut().for_each(|a| *a /= squared);
    }
    knots
}

fn end(knots: &[Knot]) -> f64 {
    knots[knots.len() - 1].time_secs
}

#[cfg(test)]
mod tests;
