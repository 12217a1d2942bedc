//! Candidates for catalogue objects at poses, and the choice among them.

use nalgebra::Point3;
use regrasp_api::Pose;

use crate::group::LEAST_PIXELS;
use crate::refine::Freedom;
use crate::scan::Evidence;

/// Smallest fraction of the visible surface that must be seen at its place.
pub(crate) const THERE: f32 = 0.8;
/// Smallest value of an object for each pixel that shows it; see [`Evidence::value`].
const WORTH: f32 = 0.45;

/// A candidate: a catalogue object at a pose.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    /// Index in the catalogue's templates.
    pub(crate) model: usize,
    pub(crate) world_from_base: Pose,
    pub(crate) openings: Vec<f64>,
    /// Standard deviation of each opening, m or rad.
    pub(crate) opening_stds: Vec<f64>,
    pub(crate) evidence: Evidence,
    pub(crate) freedom: Freedom,
    /// Middle of the object in World, m.
    pub(crate) middle: Point3<f64>,
    /// Set if the openings are known, so that the moving parts count.
    pub(crate) is_fitted: bool,
    /// Index of the track, if the object was found before.
    pub(crate) track: Option<usize>,
    /// Pixels of each picture with the object's depth, even if another object explains them.
    pub(crate) shown: Vec<Vec<usize>>,
}

impl Detection {
    /// Makes a candidate for an object that was found before, at its expected pose.
    pub(crate) fn again(
        model: usize,
        pose: Pose,
        openings: &[f64],
        track: usize,
        is_held: bool,
    ) -> Self {
        Self {
            freedom: match is_held {
                true => Freedom::Any,
                false => Freedom::Upright,
            },
            is_fitted: true,
            track: Some(track),
            ..Self::new(model, pose, openings.to_vec())
        }
    }

    pub(crate) fn new(model: usize, world_from_base: Pose, openings: Vec<f64>) -> Self {
        Self {
            model,
            world_from_base,
            opening_stds: vec![0.0; openings.len()],
            openings,
            evidence: Evidence::default(),
            freedom: Freedom::Upright,
            middle: Point3::origin(),
            is_fitted: false,
            track: None,
            shown: vec![],
        }
    }

    /// Standard deviation of the position, m: the fewer pixels show the object, the larger.
    pub(crate) fn position_std_m(&self) -> f64 {
        const BEST_M: f64 = 0.0005;
        const OF_ONE_PIXEL_M: f64 = 0.015;
        BEST_M + OF_ONE_PIXEL_M / f64::from(self.evidence.there.max(1.0)).sqrt()
    }
}

/// True if the evidence supports the object.
pub(crate) fn is_likely(evidence: &Evidence) -> bool {
    evidence.there >= LEAST_PIXELS as f32
        && evidence.part() >= THERE
        && evidence.value() >= WORTH * evidence.there
}

/// Keeps the `n` best candidates of positive worth, the first among equals. Of those with nearly
/// the same pose, it keeps only the best.
pub(crate) fn best_of(
    found: &mut Vec<Detection>,
    n: usize,
    same_rad: f64,
    worth: fn(&Evidence) -> f32,
) {
    const SAME_M: f64 = 0.008;
    found.retain(|f| worth(&f.evidence) > 0.0);
    found.sort_by(|a, b| worth(&b.evidence).total_cmp(&worth(&a.evidence)));
    let mut kept: Vec<Detection> = Vec::new();
    for candidate in found.drain(..) {
        let is_same = |other: &Detection| {
            let off = other.world_from_base.inverse() * candidate.world_from_base;
            other.model == candidate.model
                && (other.middle - candidate.middle).norm() < SAME_M
                && off.rotation.angle() < same_rad
        };
        if kept.len() < n && !kept.iter().any(is_same) {
            kept.push(candidate);
        }
    }
    *found = kept;
}

/// Index of the candidate with the highest value.
pub(crate) fn best(candidates: &[Detection]) -> Option<usize> {
    let values = candidates.iter().map(|f| f.evidence.value()).enumerate();
    // The first of equal candidates counts.
    let best = values.reduce(|a, b| if b.1 > a.1 { b } else { a });
    best.map(|(idx, _)| idx)
}
