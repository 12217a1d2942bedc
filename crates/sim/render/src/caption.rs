//! Lines of text on pictures.

use regrasp_api::visible;

use crate::font::{BuiltInFont, LabelError};

/// Line spacing, as a multiple of the font size.
const LINE_PART: f32 = 1.25;
/// Margin around the text, as a multiple of the font size.
const MARGIN_PART: f32 = 0.4;
/// Contrast factor: strokes of a small font cover no pixel fully; see `label`.
const BOLDER: f32 = 1.5;

/// Renders lines of text on a band.
pub struct Captions {
    font: BuiltInFont,
}

/// Rendered lines of text that can be put on any number of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    width: usize,
    height: usize,
    /// Share of each pixel that a letter covers, 0 to 255.
    coverage: Vec<u8>,
}

/// Colours of a caption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Red, green, blue of the letters.
    pub letters: [u8; 3],
    /// Red, green, blue of the band behind them.
    pub band: [u8; 3],
    /// Opacity of the band, 0 to 255.
    pub opacity: u8,
}

impl Captions {
    /// Loads the built-in font.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if the font cannot be read.
    pub fn new() -> Result<Self, LabelError> {
        let font = BuiltInFont::new()?;
        Ok(Self { font })
    }

    /// Height of `n_lines` lines of a font size, with margins, pixels.
    pub fn height(n_lines: usize, size: f32) -> usize {
        let lines = n_lines as f32 * LINE_PART + 2.0 * MARGIN_PART;
        (lines * size).ceil() as usize
    }

    /// Renders lines of text for a band of `width` pixels; `size` is the font size in pixels. A
    /// line that is too long is cut, with an ellipsis.
    pub fn caption<S: AsRef<str>>(&self, lines: &[S], width: usize, size: f32) -> Caption {
        let height = Self::height(lines.len(), size);
        let mut coverage = vec![0; width * height];
        let margin = MARGIN_PART * size;
        for (idx, line) in lines.iter().enumerate() {
            let baseline = margin + (idx as f32 + 0.9) * LINE_PART * size - 0.15 * size;
            let text = self.fitting(&visible(line.as_ref()), width as f32 - 2.0 * margin, size);
            self.font
                .draw(&text, size, [margin, baseline], |[x, y], part| {
                    if (0..width as i64).contains(&x) && (0..height as i64).contains(&y) {
                        let covered: &mut u8 = &mut coverage[y as usize * width + x as usize];
                        *covered = (*covered).max((255.0 * BOLDER * part).min(255.0) as u8);
                    }
                });
        }
        Caption {
            width,
            height,
            coverage,
        }
    }

    fn fitting(&self, text: &str, width: f32, size: f32) -> String {
        let advance = |c: char| self.font.advance(c, size);
        let all: f32 = text.chars().map(advance).sum();
        let mut left = width - if all > width { advance('…') } else { 0.0 };
        let fitting = text.chars().take_while(|c| {
            left -= advance(*c);
            left >= -0.01
        });
        let ellipsis = (all > width).then_some('…');
        fitting.chain(ellipsis).collect()
    }
}

impl Caption {
    /// Height of the caption, pixels.
    pub fn rows(&self) -> usize {
        self.height
    }

    /// Puts the caption on a picture of `columns` pixels per row (red, green, blue), its upper left
    /// corner at (column, row). Parts outside the picture are clipped.
    pub fn put(&self, rgb: &mut [u8], columns: usize, [left, top]: [usize; 2], ink: Ink) {
        for (y, row) in self.coverage.chunks_exact(self.width.max(1)).enumerate() {
            let n = row.len().min(columns.saturating_sub(left));
            let start = 3 * ((top + y) * columns + left);
            let Some(pixels) = rgb.get_mut(start..start + 3 * n) else {
                return;
            };
            for (pixel, part) in pixels.chunks_exact_mut(3).zip(row) {
                for (i, value) in pixel.iter_mut().enumerate() {
                    let band = mix(*value, ink.band[i], ink.opacity);
                    *value = mix(band, ink.letters[i], *part);
                }
            }
        }
    }
}

/// Mixes two values; `part` is the share of `to`, 0 to 255.
fn mix(from: u8, to: u8, part: u8) -> u8 {
    let [from, to, part] = [from, to, part].map(u32::from);
    ((from * (255 - part) + to * part + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const INK: Ink = Ink {
        letters: [255; 3],
        band: [0; 3],
        opacity: 128,
    };

    fn drawn(lines: &[&str], width: usize) -> Caption {
        let captions = Captions::new().expect("the font is built in");
        captions.caption(lines, width, 14.0)
    }

    #[test]
    fn texts_differ_and_fit_into_their_lines() {
        assert_ne!(drawn(&["pick"], 200), drawn(&["place"], 200));
        assert_eq!(drawn(&["pick"], 200), drawn(&["pick"], 200));
        let long = "put the red cube on the plate that stands beside the green one";
        let cut = drawn(&[long], 120);
        let margin = (MARGIN_PART * 14.0) as usize;
        for row in cut.coverage.chunks(120) {
            assert!(
                row[..margin].iter().all(|c| *c == 0),
                "letters in the margin"
            );
            assert!(
                row[120 - margin + 1..].iter().all(|c| *c == 0),
                "letters in the margin"
            );
        }
        // An ellipsis marks the cut.
        assert_ne!(cut, drawn(&[&long[..12]], 120));
    }

    #[test]
    fn a_band_darkens_what_is_behind_it_and_letters_are_light() {
        let caption = drawn(&["pick(red_cube)"], 160);
        let mut rgb = vec![200; 3 * 160 * 60];
        caption.put(&mut rgb, 160, [0, 20], INK);
        let row = |y: usize| &rgb[3 * 160 * y..3 * 160 * (y + 1)];
        assert!(row(0).iter().all(|v| *v == 200), "above the band");
        assert!(row(20).iter().all(|v| *v == 100), "an empty row");
        let light = rgb.iter().filter(|v| **v > 230).count();
        assert!(light > 100, "{light} light values");
    }

    #[test]
    fn what_is_outside_of_the_picture_is_left_out() {
        let caption = drawn(&["pick"], 160);
        let mut rgb = vec![200; 3 * 100 * 30];
        caption.put(&mut rgb, 100, [40, 20], INK);
        assert!(rgb[3 * 100 * 19..3 * 100 * 20].iter().all(|v| *v == 200));
        assert_eq!(rgb[3 * (100 * 20 + 99)], 100);
    }
}
