//! Lines of text on pictures.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use regrasp_api::visible;

use crate::label::LabelError;

/// Distance of two lines as a part of the font's size.
const LINE_PART: f32 = 1.25;
/// Space around the text as a part of the font's size.
const MARGIN_PART: f32 = 0.4;
/// Strokes of a small font cover no pixel wholly; see `label`.
const BOLDER: f32 = 1.5;

/// Draws lines of text on a band.
pub struct Captions {
    font: FontRef<'static>,
}

/// Lines of text, drawn once, to be put on any number of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    width: usize,
    height: usize,
    /// How much of each pixel is covered by a letter, 0 to 255.
    coverage: Vec<u8>,
}

/// How a caption is put on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Red, green, blue of the letters.
    pub letters: [u8; 3],
    /// Red, green, blue of the band behind them.
    pub band: [u8; 3],
    /// How much of the picture the band hides, 0 to 255.
    pub opacity: u8,
}

impl Captions {
    /// Reads the font.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if it cannot be read.
    pub fn new() -> Result<Self, LabelError> {
        let font = FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR);
        Ok(Self {
            font: font.map_err(|_| LabelError)?,
        })
    }

    /// Height of so many lines of a size, with the space around them, pixels.
    pub fn height(n_lines: usize, size: f32) -> usize {
        let lines = n_lines as f32 * LINE_PART + 2.0 * MARGIN_PART;
        (lines * size).ceil() as usize
    }

    /// Draws lines of text for a band of some width; `size` is that of the font in pixels.
    /// What does not fit into a line is cut, with an ellipsis.
    pub fn caption<S: AsRef<str>>(&self, lines: &[S], width: usize, size: f32) -> Caption {
        let height = Self::height(lines.len(), size);
        let mut caption = Caption {
            width,
            height,
            coverage: vec![0; width * height],
        };
        let margin = MARGIN_PART * size;
        for (idx, line) in lines.iter().enumerate() {
            let baseline = margin + (idx as f32 + 0.9) * LINE_PART * size;
            for glyph in self.glyphs(&visible(line.as_ref()), width as f32 - 2.0 * margin, size) {
                let mut glyph = glyph;
                glyph.position.x += margin;
                glyph.position.y = baseline - 0.15 * size;
                caption.cover(&self.font, glyph);
            }
        }
        caption
    }

    /// The letters of a line, as many as fit.
    fn glyphs(&self, text: &str, width: f32, size: f32) -> Vec<Glyph> {
        let font = self.font.as_scaled(PxScale::from(size));
        let advance = |c: char| font.h_advance(self.font.glyph_id(c));
        let all: f32 = text.chars().map(advance).sum();
        let mut left = width - if all > width { advance('…') } else { 0.0 };
        let fitting = text.chars().take_while(|c| {
            left -= advance(*c);
            left >= -0.01
        });
        let mut fitting: String = fitting.collect();
        if all > width {
            fitting.push('…');
        }
        let mut x = 0.0;
        let glyph = |c: char| {
            let id = self.font.glyph_id(c);
            let glyph = id.with_scale_and_position(PxScale::from(size), point(x, 0.0));
            x += font.h_advance(id);
            glyph
        };
        fitting.chars().map(glyph).collect()
    }
}

impl Caption {
    /// Its height, pixels.
    pub fn rows(&self) -> usize {
        self.height
    }

    fn cover(&mut self, font: &FontRef<'_>, glyph: Glyph) {
        let Some(outline) = font.outline_glyph(glyph) else {
            return;
        };
        let corner = outline.px_bounds().min;
        outline.draw(|x, y, part| {
            let x = corner.x as i64 + i64::from(x);
            let y = corner.y as i64 + i64::from(y);
            let inside =
                (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
            if inside {
                let at = y as usize * self.width + x as usize;
                let part = (255.0 * BOLDER * part).min(255.0) as u8;
                self.coverage[at] = self.coverage[at].max(part);
            }
        });
    }

    /// Puts the caption on a picture of `columns` pixels a row (red, green, blue), its upper
    /// left corner at (column, row). What is outside is left out.
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

/// So many 255ths of `to` in `from`.
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
        // An ellipsis stands where it was cut.
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
