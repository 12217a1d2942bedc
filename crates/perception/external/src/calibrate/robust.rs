//! Which samples fit together.

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use super::sample::{Kind, Model, Sample};
use super::{closed_form, spread};

/// So many subsets are tried. With a quarter of the samples wrong, one of five of them is right
/// with a chance of 1 - (1 - 0.75^5)^60, all but one in ten million.
const N_SUBSETS: usize = 60;
/// A sample is left out if it is so many standard deviations off …
const OUTSIDE_STDS: f64 = 4.0;
/// … and further than this, m.
const OUTSIDE_M: f64 = 0.001;
/// The standard deviation of normal noise for its median distance.
const STD_PER_MEDIAN: f64 = 1.4826;

/// A model that most samples agree with.
pub(super) struct Robust {
    pub(super) model: Model,
    /// Indices of those that do.
    pub(super) kept: Vec<usize>,
    /// Their median misfit, m.
    pub(super) median_m: f64,
}

/// The least median of misfits over small subsets, and over all at once. The subsets are the same
/// at every call.
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
