//! Camera calibration from arm poses and sightings of a marker.

mod closed_form;
mod file;
mod refine;
mod robust;
mod sample;
mod spread;

pub use file::{Calibration, Mounting, SightingEntry, SightingsFile};
pub use sample::CalibrateError;
use sample::{Kind, Sample, WORST_M};

/// Computes the pose of a camera. A closed form is fitted to small subsets of the sightings, and
/// the fit with the smallest median error is selected, so that outliers do no harm. Least squares
/// over all inliers then refine it.
///
/// The closed forms are F. C. Park and B. J. Martin, "Robot sensor calibration: solving AX = XB on
/// the Euclidean group" (1994) for poses, and S. Umeyama, "Least-squares estimation of
/// transformation parameters between two point patterns" (1991), without scale, for points.
///
/// # Errors
///
/// [`CalibrateError`] if there are too few poses, or if they are too similar or inconsistent.
pub fn calibrate(file: &SightingsFile) -> Result<Calibration, CalibrateError> {
    let (kind, samples) = file.samples()?;
    let (n, least) = (samples.len(), kind.least());
    if n < least {
        return Err(CalibrateError(format!(
            "the file has {n} poses, but at least {least} are needed; 12 to 20 give a good average"
        )));
    }
    spread::check(kind, &samples)?;
    let robust = robust::fit(kind, &samples);
    let kept: Vec<Sample> = robust.kept.iter().map(|idx| samples[*idx]).collect();
    let contradictory = |residual_m: f64| {
        let which = match n - kept.len() {
            0 => "the poses contradict each other".to_owned(),
            n_left => format!("{n_left} of {n} poses are inconsistent with the rest"),
        };
        CalibrateError(format!(
            "{which} (residual {residual_m:.4} m, limit {WORST_M} m); check `mounting`, the frames of the poses (base \
             to tool, camera to marker) and their unit, metres"
        ))
    };
    if kept.len() < least || 3 * kept.len() < 2 * n {
        return Err(contradictory(robust.median_m));
    }
    spread::check(kind, &kept)?;
    let refined = refine::refine(kind, &kept, robust.model);
    let errors: Vec<(f64, f64)> = kept.iter().map(|s| s.error(&refined.model)).collect();
    let rms = |of: fn(&(f64, f64)) -> f64| {
        let sum: f64 = errors.iter().map(|e| of(e).powi(2)).sum();
        (sum / errors.len() as f64).sqrt()
    };
    let rms_position_m = rms(|e| e.0);
    if rms_position_m > WORST_M {
        return Err(contradictory(rms_position_m));
    }
    let at = refined.model.x.into();
    let in_hand = file.mounting == Mounting::EyeInHand;
    Ok(Calibration {
        camera: file.camera.clone(),
        base_from_camera: (!in_hand).then_some(at),
        tool_from_camera: in_hand.then_some(at),
        n_seen: n,
        dropped: (0..n).filter(|idx| !robust.kept.contains(idx)).collect(),
        rms_position_m,
        max_position_m: errors.iter().map(|e| e.0).fold(0.0, f64::max),
        rms_rotation_rad: (kind == Kind::Poses).then(|| rms(|e| e.1)),
        std_position_m: refined.std_position_m,
        std_rotation_rad: refined.std_rotation_rad,
    })
}
