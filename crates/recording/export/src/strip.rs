//! Film strips: the key moments of a run in one picture.

use regrasp_record::{Moment, Recording, key_moments};
use regrasp_render::{Caption, Detail, Ink, Letters, SoftwareRenderer};

use crate::sheet::{PLAIN, Sheet, n_chars, wrapped};
use crate::{ExportError, RecordedScene};

/// Options of a film strip.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct StripOptions {
    /// Name of the camera. Default `scene`.
    #[default("scene".into())]
    pub camera: String,
    /// Width and height of each picture in pixels. Default 400 x 300.
    #[default([400, 300])]
    pub size: [u32; 2],
    /// Maximum number of pictures per row. Default 4.
    #[default(4)]
    pub columns: usize,
    /// Maximum number of pictures; moments in the middle are left out. Default 24.
    #[default(24)]
    pub max_moments: usize,
    /// Rendering quality. Default fine.
    #[default(Detail::Fine)]
    pub detail: Detail,
}

/// Captioned pictures, arranged in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmStrip {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// RGB values, row by row.
    pub rgb: Vec<u8>,
    /// Moments that are shown.
    pub moments: Vec<Moment>,
    /// Number of moments that were left out.
    pub n_left_out: usize,
}

/// Font size of captions as a fraction of a picture's width.
const FONT_PART: f32 = 1.0 / 30.0;
/// Number of lines of a caption: the time, and the events.
const CAPTION_LINES: usize = 5;
const FAILED: Ink = Ink {
    letters: [255, 190, 170],
    band: [82, 28, 24],
    opacity: 255,
};

/// Renders the key moments of a recording: the start, each plan, each failure, the end.
///
/// # Errors
///
/// [`ExportError`] if the recording cannot be read or drawn, or has no such camera.
pub fn film_strip(
    recording: &mut Recording,
    options: &StripOptions,
) -> Result<FilmStrip, ExportError> {
    let scene = RecordedScene::of(recording)?;
    let events = recording.events()?;
    let mut moments = key_moments(&events);
    let n_left_out = leave_out(&mut moments, options.max_moments.max(2));
    let captions = Letters::new()?;
    let mut renderer = SoftwareRenderer::new(options.detail);
    let [width, _] = options.size;
    let font_size = (FONT_PART * width as f32).max(11.0);
    let text_rows = Letters::height(CAPTION_LINES, font_size);
    let mut sheet = Sheet::new(options.size, text_rows, options.columns, moments.len(), 0);
    for (idx, moment) in moments.iter().enumerate() {
        let frame = recording
            .frame_at(moment.at_secs)?
            .ok_or(ExportError::Empty)?;
        let view = scene.camera(&options.camera, &frame, options.size)?;
        let stage = scene.view.stage_from_frame(&frame);
        for picture in renderer.render(&stage, &[view]) {
            let caption = caption(&captions, moment, width, font_size);
            sheet.put(idx, &picture.rgb, &[(caption, ink(moment))]);
        }
    }
    if moments.is_empty() {
        return Err(ExportError::Empty);
    }
    Ok(FilmStrip {
        width: sheet.width as u32,
        height: sheet.height as u32,
        rgb: sheet.rgb,
        moments,
        n_left_out,
    })
}

/// Removes moments from the middle if there are more than `max`. Returns how many it removed.
fn leave_out(moments: &mut Vec<Moment>, max: usize) -> usize {
    let n_more = moments.len().saturating_sub(max);
    if n_more > 0 {
        let first = max / 2;
        moments.drain(first..first + n_more);
    }
    n_more
}

fn ink(moment: &Moment) -> Ink {
    let is_failure = moment.lines.iter().any(|line| line.starts_with("FAILED"));
    if is_failure { FAILED } else { PLAIN }
}

fn caption(captions: &Letters, moment: &Moment, width: u32, font_size: f32) -> Caption {
    let n_chars = n_chars(width, font_size);
    let mut lines = vec![format!("{:.2} s", moment.at_secs)];
    for line in &moment.lines {
        lines.extend(wrapped(line, n_chars));
    }
    if lines.len() > CAPTION_LINES {
        lines.truncate(CAPTION_LINES);
        // The padding makes the last line too long, so that it is cut with an ellipsis.
        let last = &mut lines[CAPTION_LINES - 1];
        last.push_str(&" ".repeat(n_chars));
    }
    lines.resize(CAPTION_LINES, String::new());
    captions.caption(&lines, width as usize, font_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_moments_the_middle_ones_go() {
        let moment = |k: usize| Moment {
            at_secs: k as f64,
            lines: vec![],
        };
        let mut moments: Vec<_> = (0..10).map(moment).collect();
        assert_eq!(leave_out(&mut moments, 4), 6);
        let left: Vec<_> = moments.iter().map(|m| m.at_secs).collect();
        assert_eq!(left, [0.0, 1.0, 8.0, 9.0]);
        assert_eq!(leave_out(&mut moments, 4), 0);
        moments.truncate(1);
        assert_eq!(
            leave_out(&mut moments, 24),
            0,
            "one moment is within the limit"
        );
    }
}
