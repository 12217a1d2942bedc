//! Frames of a recording at a constant rate.

use regrasp_ground_truth::Frame;
use regrasp_record::Recording;

use crate::ExportError;

/// Allowed delay of a recorded frame, in intervals of the rate.
pub(crate) const SLACK: f64 = 0.25;

/// Calls `take` at each time k / `fps` after the first frame with the latest frame recorded by
/// then, and with the time, s. The first frame is not at time 0 in later runs of a session, because
/// the world keeps running between runs. The last time is at most `beyond` intervals after the last
/// frame, or before it if negative.
pub(crate) fn at_rate(
    recording: &mut Recording,
    fps: u32,
    beyond: f64,
    mut take: impl FnMut(&Frame, f64) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut frames = recording.frames();
    let Some(mut last) = frames.next().transpose()? else {
        return Ok(());
    };
    let (first_secs, fps) = (last.time_secs, f64::from(fps));
    let mut times = (0_u32..)
        .map(|k| first_secs + f64::from(k) / fps)
        .peekable();
    for frame in frames {
        let frame = frame?;
        while let Some(now_secs) = times.next_if(|t| t + SLACK / fps < frame.time_secs) {
            take(&last, now_secs)?;
        }
        last = frame;
    }
    while let Some(now_secs) = times.next_if(|t| t - beyond / fps <= last.time_secs) {
        take(&last, now_secs)?;
    }
    Ok(())
}
