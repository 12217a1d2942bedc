//! Film strips: the key moments of a run on one picture.

use regrasp_api::{CameraView, Intrinsics};
use regrasp_record::{Moment, key_moments};
use regrasp_recording::{Recording, RecordingError};
use regrasp_render::{Caption, Captions, Detail, Ink, LabelError, Renderer, SoftwareRenderer};

use crate::NoSuchCamera;
use crate::recorded::{RecordedScene, RecordedSceneError};

/// How a film strip is made.
#[derive(Clone, Debug, PartialEq)]
pub struct StripOptions {
    /// The camera. Default `scene`.
    pub camera: String,
    /// Columns and rows of each picture. Default 400 x 300.
    pub size: [u32; 2],
    /// Pictures beside each other at most. Default 4.
    pub columns: usize,
    /// Pictures at most; of more moments the middle ones are left out. Default 24.
    pub max_moments: usize,
    /// How much work is put into them. Default fine.
    pub detail: Detail,
}

impl Default for StripOptions {
    fn default() -> Self {
        Self {
            camera: "scene".into(),
            size: [400, 300],
            columns: 4,
            max_moments: 24,
            detail: Detail::Fine,
        }
    }
}

/// Pictures with captions, on one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmStrip {
    /// Columns of pixels.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Red, green, blue of each pixel, row by row.
    pub rgb: Vec<u8>,
    /// Which moments are on it.
    pub moments: Vec<Moment>,
    /// Moments that were left out in the middle.
    pub n_left_out: usize,
}

/// A film strip that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum StripError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Its scene cannot be drawn.
    #[error(transparent)]
    Scene(#[from] RecordedSceneError),
    /// The scene has no camera of that name.
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    /// Nothing can be written on it.
    #[error(transparent)]
    Font(#[from] LabelError),
    /// There is nothing to draw.
    #[error("draw a film strip: the recording holds no frame; it was killed too early")]
    Empty,
}

/// Size of the captions' font as a part of a picture's width.
const FONT_PART: f32 = 1.0 / 30.0;
/// Lines of a caption: the time, and what happens.
const CAPTION_LINES: usize = 5;
/// Pixels between pictures.
const GAP: usize = 4;
const PAPER: [u8; 3] = [24, 27, 33];
const PLAIN: Ink = Ink {
    letters: [235, 238, 242],
    band: PAPER,
    opacity: 255,
};
const FAILED: Ink = Ink {
    letters: [255, 190, 170],
    band: [82, 28, 24],
    opacity: 255,
};

/// Draws the key moments of a recording: the start, each plan, each failure, the end.
///
/// # Errors
///
/// [`StripError`] if the recording cannot be read or drawn, or has no such camera.
pub fn film_strip(
    recording: &mut Recording,
    options: &StripOptions,
) -> Result<FilmStrip, StripError> {
    let scene = RecordedScene::of(recording)?;
    let events = recording.events()?;
    let mut moments = key_moments(&events);
    let n_left_out = leave_out(&mut moments, options.max_moments.max(2));
    let captions = Captions::new()?;
    let mut renderer = SoftwareRenderer::new(options.detail);
    let mut sheet = Sheet::new(options, moments.len());
    for (idx, moment) in moments.iter().enumerate() {
        let frame = recording
            .frame_at(moment.at_secs)?
            .ok_or(StripError::Empty)?;
        let mut view = scene.view.view_from_frame(&options.camera, &frame)?;
        view.intrinsics = fitted(&view.intrinsics, options.size);
        let stage = scene.view.stage_from_frame(&frame);
        let views: [CameraView; 1] = [view];
        for picture in renderer.render(&stage, &views) {
            sheet.put(
                idx,
                &picture.rgb,
                &sheet.caption(&captions, moment),
                ink(moment),
            );
        }
    }
    if moments.is_empty() {
        return Err(StripError::Empty);
    }
    Ok(FilmStrip {
        width: sheet.width as u32,
        height: sheet.height as u32,
        rgb: sheet.rgb,
        moments,
        n_left_out,
    })
}

fn fitted(intrinsics: &Intrinsics, [width, height]: [u32; 2]) -> Intrinsics {
    intrinsics.resized(width, height)
}

/// Of too many moments the first and the last ones are kept.
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

/// The picture that the others are put on.
struct Sheet {
    width: usize,
    height: usize,
    tile: [usize; 2],
    columns: usize,
    font_size: f32,
    rgb: Vec<u8>,
}

impl Sheet {
    fn new(options: &StripOptions, n_tiles: usize) -> Self {
        let [width, height] = options.size.map(|n| n as usize);
        let font_size = (FONT_PART * width as f32).max(11.0);
        let tile = [width, height + Captions::height(CAPTION_LINES, font_size)];
        let columns = options.columns.clamp(1, n_tiles.max(1));
        let rows = n_tiles.max(1).div_ceil(columns);
        let (width, height) = (
            columns * (tile[0] + GAP) + GAP,
            rows * (tile[1] + GAP) + GAP,
        );
        Self {
            width,
            height,
            tile,
            columns,
            font_size,
            rgb: PAPER.repeat(width * height),
        }
    }

    /// The time and what happens, broken into lines.
    fn caption(&self, captions: &Captions, moment: &Moment) -> Caption {
        let n_chars = (self.tile[0] as f32 / (0.61 * self.font_size)) as usize - 2;
        let mut lines = vec![format!("{:.2} s", moment.at_secs)];
        for line in &moment.lines {
            lines.extend(wrapped(line, n_chars));
        }
        if lines.len() > CAPTION_LINES {
            lines.truncate(CAPTION_LINES);
            // It does not fit, which shows as an ellipsis.
            let last = &mut lines[CAPTION_LINES - 1];
            last.push_str(&" ".repeat(n_chars));
        }
        lines.resize(CAPTION_LINES, String::new());
        captions.caption(&lines, self.tile[0], self.font_size)
    }

    fn put(&mut self, idx: usize, picture: &[u8], caption: &Caption, ink: Ink) {
        let [width, height] = self.tile;
        let left = GAP + idx % self.columns * (width + GAP);
        let top = GAP + idx / self.columns * (height + GAP);
        let n_rows = height - caption.rows();
        for (y, row) in picture.chunks_exact(3 * width).take(n_rows).enumerate() {
            let start = 3 * ((top + y) * self.width + left);
            self.rgb[start..start + row.len()].copy_from_slice(row);
        }
        caption.put(&mut self.rgb, self.width, [left, top + n_rows], ink);
    }
}

/// A text in lines of so many characters at most, broken between words where it can be.
fn wrapped(text: &str, n_chars: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let n_before = lines.last().map_or(0, |line| line.chars().count());
        let n_word = word.chars().count();
        if n_before > 0 && n_before + 1 + n_word > n_chars {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("take it off first", 8), ["take it", "off", "first"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrapped("", 4), [""]);
    }

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
        assert_eq!(leave_out(&mut moments, 24), 0, "there are far fewer");
    }
}
