//! Robust fit that rejects outliers.

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use super::sample::{Kind, Model, Sample};
use super::{closed_form, spread};

/// Number of subsets. Even with a quarter of the samples wrong, at least one subset of five is free
/// of wrong samples with a probability of 1 - (1 - 0.75^5)^60, about 1 - 1e-7.
const N_SUBSETS: usize = 60;
/// Smallest error of an outlier, in standard deviations.
const OUTSIDE_STDS: f64 = 4.0;
/// Smallest error of an outlier, m.
const OUTSIDE_M: f64 = 0.001;
/// Ratio of the standard deviation of normal noise to its median absolute value.
const STD_PER_MEDIAN: f64 = 1.4826;

pub(super) struct Robust {
    pub(super) model: Model,
    pub(super) kept: Vec<usize>,
    /// Median error of all samples, m.
    pub(super) median_m: f64,
}

/// Returns the model with the smallest median error, fitted to small subsets or to all samples. The
/// subsets are the same at every call.
pub(super) fn fit(kind: Kind, samples: &[Sample]) -> Robust {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let n = samples.len();
    let all = closed_form::fit(kind, samples);
    let subsets = (0..N_SUBSETS).filter_map(|_| {
        let chosen = index::sample(&mut rng, n, kind.least());
        let subset: Vec<Sample> = chosen.iter().map(|idx| samples[idx]).collect();
        spread::check(kind, &subset).ok()?;
        closed_form::fit(kind, &subset)
    });
    let identity = Model {
        x: regrasp_api::Pose::identity(),
        y: regrasp_api::Pose::identity(),
    };
    let candidates = all.into_iter().chain(subsets);
    let judged = candidates.map(|model| (median(samples, &model), model));
    let best = judged.min_by(|a, b| a.0.total_cmp(&b.0));
    let (median_m, model) = best.unwrap_or((f64::INFINITY, identity));
    let limit_m = (OUTSIDE_STDS * STD_PER_MEDIAN * median_m).max(OUTSIDE_M);
    let kept = (0..n).filter(|idx| samples[*idx].misfit(&model) <= limit_m);
    Robust {
        kept: kept.collect(),
        model,
        median_m,
    }
}

fn median(samples: &[Sample], model: &Model) -> f64 {
    let mut misfits: Vec<f64> = samples.iter().map(|s| s.misfit(model)).collect();
    misfits.sort_by(f64::total_cmp);
    misfits[misfits.len() / 2]
}
