//! Openings of an object's joints: render-and-compare over the range of each, then finer steps.

use crate::scan::{Evidence, Sampling, Scan};
use crate::template::Template;

/// Number of openings that are compared over the whole range, and around the best one.
const N_COARSE: usize = 25;
const N_FINE: usize = 7;
/// Number of finer rounds.
const N_ROUNDS: usize = 3;
/// Number of samples of the moving part to compare with.
const N_SAMPLES: usize = 400;
/// Smallest number of pixels of the moving part for its opening to count as seen.
const LEAST_PIXELS: f32 = 10.0;
/// Standard deviation of an opening that is seen, in steps of the finest round.
const STD_STEPS: f64 = 2.0;
/// Standard deviation of an opening that is not seen, as a fraction of the travel.
const STD_UNSEEN: f64 = 0.5;

/// Fits the openings of an object whose base is at a pose; returns their standard deviations. An
/// opening that is not visible keeps its value.
pub(crate) fn fit_openings(
    scan: &Scan<'_>,
    template: &Template,
    world_from_base: &regrasp_api::Pose,
    openings: &mut [f64],
) -> Vec<f64> {
    let joints = 0..template.model.joints.len();
    let stds = joints.map(|joint| {
        let moves = |object: usize| template.moved_by[object].contains(&joint);
        let moving = (0..template.samples.len()).filter(|o| moves(*o));
        let n: usize = moving.map(|o| template.samples[o].len()).sum();
        let every = n.div_ceil(N_SAMPLES).max(1);
        let mut tried = openings.to_vec();
        let mut evidence = |opening: f64| {
            tried[joint] = opening;
            let poses = template.placed(world_from_base, &tried);
            let how = Sampling { every, slack: 1.0 };
            scan.evidence(template, &poses, how, moves)
        };
        let [low, high] = template.model.joints[joint].openings;
        let mut step = (high - low) / (N_COARSE - 1) as f64;
        let mut best = best(&mut evidence, low, step, N_COARSE, openings[joint]);
        for _ in 0..N_ROUNDS {
            let start = best.0 - step;
            step *= 2.0 / (N_FINE - 1) as f64;
            best = self::best(&mut evidence, start, step, N_FINE, best.0);
        }
        if best.1.there < LEAST_PIXELS {
            return STD_UNSEEN * (high - low);
        }
        openings[joint] = best.0.clamp(low, high);
        (STD_STEPS * step).max(0.002)
    });
    stds.collect()
}

/// The best of equally spaced openings; among equal values, the nearest to `now`.
fn best(
    evidence: &mut impl FnMut(f64) -> Evidence,
    start: f64,
    step: f64,
    n: usize,
    now: f64,
) -> (f64, Evidence) {
    let tried = (0..n).map(|i| {
        let opening = start + i as f64 * step;
        (opening, evidence(opening))
    });
    let better = |a: &(f64, Evidence), b: &(f64, Evidence)| {
        let by_value = a.1.value().total_cmp(&b.1.value());
        by_value.then((b.0 - now).abs().total_cmp(&(a.0 - now).abs()))
    };
    let best = tried.max_by(better);
    best.unwrap_or((now, Evidence::default()))
}
