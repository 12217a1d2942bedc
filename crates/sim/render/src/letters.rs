//! Numbers and lines of text on pictures.

use std::collections::BTreeMap;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use regrasp_api::visible;

/// Draws numbers and lines of text in the built-in font.
pub struct Letters(FontRef<'static>);

/// Font size as a share of the picture's height: 15 pixels of 480, of which a digit takes 9.
const SIZE_PART: f32 = 1.0 / 32.0;
/// Smallest font size, pixels.
const LEAST_SIZE: f32 = 13.0;
/// Height of a digit as a share of the font size.
const DIGIT_PART: f32 = 0.62;
/// Width of the dark outline, pixels.
const EDGE: f32 = 2.0;
/// Contrast factor: strokes of a small font cover no pixel fully, and would be grey instead of
/// white.
const DIGITS_BOLDER: f32 = 1.8;
const DARK: [f32; 3] = [10.0; 3];
const WHITE: [f32; 3] = [255.0; 3];

/// Covered share of each pixel (column, row), 0 to 1.
type Coverage = BTreeMap<(i64, i64), f32>;

struct Canvas<'a> {
    rgb: &'a mut [u8],
    size: [u32; 2],
}

impl Letters {
    /// Loads the built-in font.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if the font cannot be read.
    pub fn new() -> Result<Self, LabelError> {
        let font = FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR);
        font.map(Self).map_err(|_| LabelError)
    }

    /// Draws a number centred at a pixel (column, row) of a picture of `size` columns and rows,
    /// with red, green, blue per pixel. Parts outside the picture are clipped.
    ///
    /// It is white with a dark outline, readable on every background. There is no box behind it,
    /// so that small objects stay visible.
    pub fn number(&self, rgb: &mut [u8], size: [u32; 2], at: [u32; 2], number: u32) {
        let scale = (SIZE_PART * size[1] as f32).max(LEAST_SIZE);
        let digits = number.to_string();
        let width: f32 = digits.chars().map(|c| self.advance(c, scale)).sum();
        let [x, y] = at.map(|pixel| pixel as f32 + 0.5);
        let start = [x - 0.5 * width, y + 0.5 * DIGIT_PART * scale];
        let mut white = Coverage::new();
        self.draw(&digits, scale, start, |[x, y], part| {
            let most = white.entry((x, y)).or_default();
            *most = most.max((DIGITS_BOLDER * part).min(1.0));
        });
        let mut canvas = Canvas { rgb, size };
        canvas.paint(&edge(&white), DARK);
        canvas.paint(&white, WHITE);
    }
}

/// Returns the coverage of the outline: the given one, widened on all sides.
fn edge(coverage: &Coverage) -> Coverage {
    let reach = EDGE.ceil() as i64;
    let mut wider = Coverage::new();
    for ((x, y), part) in coverage {
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let away = (dx as f32).hypot(dy as f32);
                let here = part * (EDGE + 0.5 - away).clamp(0.0, 1.0);
                let most = wider.entry((x + dx, y + dy)).or_default();
                *most = most.max(here);
            }
        }
    }
    wider
}

impl Canvas<'_> {
    fn paint(&mut self, coverage: &Coverage, colour: [f32; 3]) {
        for ((x, y), part) in coverage {
            self.blend(*x, *y, colour, *part);
        }
    }

    fn blend(&mut self, x: i64, y: i64, colour: [f32; 3], weight: f32) {
        let [width, height] = self.size.map(i64::from);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return;
        }
        let at = 3 * (y * width + x) as usize;
        let Some(pixel) = self.rgb.get_mut(at..at + 3) else {
            return;
        };
        for (value, target) in pixel.iter_mut().zip(colour) {
            *value = (f32::from(*value) * (1.0 - weight) + target * weight).round() as u8;
        }
    }
}

/// Error of reading the built-in font.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("draw labels: the built-in font cannot be read")]
pub struct LabelError;

impl Letters {
    /// Advance width of a letter, pixels.
    fn advance(&self, letter: char, size: f32) -> f32 {
        let font = self.0.as_scaled(PxScale::from(size));
        font.h_advance(font.glyph_id(letter))
    }

    /// Draws a line of text whose baseline begins at a pixel (column, row). Calls back for each
    /// pixel with the share that a letter covers, 0 to 1.
    fn draw(
        &self,
        text: &str,
        size: f32,
        [left, baseline]: [f32; 2],
        mut cover: impl FnMut([i64; 2], f32),
    ) {
        let mut x = 0.0;
        for letter in text.chars() {
            let glyph = self.0.glyph_id(letter);
            let at = point(x + left, baseline);
            x += self.advance(letter, size);
            let glyph = glyph.with_scale_and_position(PxScale::from(size), at);
            if let Some(outline) = self.0.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                let corner = [corner.x as i64, corner.y as i64];
                outline.draw(|x, y, part| {
                    cover([corner[0] + i64::from(x), corner[1] + i64::from(y)], part);
                });
            }
        }
    }
}

/// Line spacing, as a multiple of the font size.
const LINE_PART: f32 = 1.25;
/// Margin around the text, as a multiple of the font size.
const MARGIN_PART: f32 = 0.4;
/// Contrast factor: see `DIGITS_BOLDER`.
const BOLDER: f32 = 1.5;

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

impl Letters {
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
            self.draw(&text, size, [margin, baseline], |[x, y], part| {
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
        let advance = |c: char| self.advance(c, size);
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

    /// A grey picture of 120 x 90 with a number in its middle.
    fn drawn(number: u32) -> Vec<u8> {
        let mut rgb = vec![128; 3 * 120 * 90];
        let letters = Letters::new().expect("the font is built in");
        letters.number(&mut rgb, [120, 90], [60, 45], number);
        rgb
    }

    fn count(rgb: &[u8], is: impl Fn(u8) -> bool) -> usize {
        rgb.chunks(3).filter(|p| is(p[0])).count()
    }

    #[test]
    fn numbers_are_light_on_dark_and_differ() {
        for number in [1, 8, 23] {
            let rgb = drawn(number);
            let (dark, light) = (count(&rgb, |v| v < 40), count(&rgb, |v| v > 220));
            let is_drawn = dark > 15 && light > 5;
            assert!(is_drawn, "{number}: {dark} dark, {light} light");
            let untouched = count(&rgb, |v| v == 128);
            assert!(untouched > 120 * 90 - 400, "too large: {untouched} left");
        }
        assert_ne!(drawn(1), drawn(7));
        assert_ne!(drawn(12), drawn(21));
        assert_eq!(drawn(5), drawn(5));
    }

    #[test]
    fn a_number_at_the_edge_is_cut_off() {
        let mut rgb = vec![128; 3 * 120 * 90];
        let letters = Letters::new().expect("the font is built in");
        letters.number(&mut rgb, [120, 90], [0, 89], 7);
        assert!(count(&rgb, |v| v != 128) > 10);
    }

    const INK: Ink = Ink {
        letters: [255; 3],
        band: [0; 3],
        opacity: 128,
    };

    fn written(lines: &[&str], width: usize) -> Caption {
        let letters = Letters::new().expect("the font is built in");
        letters.caption(lines, width, 14.0)
    }

    #[test]
    fn texts_differ_and_fit_into_their_lines() {
        assert_ne!(written(&["pick"], 200), written(&["place"], 200));
        assert_eq!(written(&["pick"], 200), written(&["pick"], 200));
        let long = "put the red cube on the plate that stands beside the green one";
        let cut = written(&[long], 120);
        let margin = (MARGIN_PART * 14.0) as usize;
        for row in cut.coverage.chunks(120) {
            let margins = [&row[..margin], &row[120 - margin + 1..]].concat();
            assert!(margins.iter().all(|c| *c == 0), "letters in the margin");
        }
        // An ellipsis marks the cut.
        assert_ne!(cut, written(&[&long[..12]], 120));
    }

    #[test]
    fn a_band_darkens_what_is_behind_it_and_letters_are_light() {
        let caption = written(&["pick(red_cube)"], 160);
        let mut rgb = vec![200; 3 * 160 * 60];
        caption.put(&mut rgb, 160, [0, 20], INK);
        let row = |y: usize| &rgb[3 * 160 * y..3 * 160 * (y + 1)];
        assert!(row(0).iter().all(|v| *v == 200), "changed above the band");
        assert!(row(20).iter().all(|v| *v == 100), "empty row not dark");
        let light = rgb.iter().filter(|v| **v > 230).count();
        assert!(light > 100, "only {light} light values");
    }

    #[test]
    fn what_is_outside_of_the_picture_is_left_out() {
        let caption = written(&["pick"], 160);
        let mut rgb = vec![200; 3 * 100 * 30];
        caption.put(&mut rgb, 100, [40, 20], INK);
        assert!(rgb[3 * 100 * 19..3 * 100 * 20].iter().all(|v| *v == 200));
        assert_eq!(rgb[3 * (100 * 20 + 99)], 100);
    }
}
