//! Numbers on pictures.

use std::collections::BTreeMap;

use crate::font::{BuiltInFont, LabelError};

/// Draws numbers in white with a dark outline, readable on every background. There is no box behind
/// them, so that small objects stay visible.
pub struct Labels {
    font: BuiltInFont,
}

/// Font size as a share of the picture's height: 15 pixels of 480, of which a digit takes 11.
const SIZE_PART: f32 = 1.0 / 32.0;
/// Smallest font size, pixels.
const LEAST_SIZE: f32 = 13.0;
/// Height of a digit as a share of the font size.
const DIGIT_PART: f32 = 0.62;
/// Width of the dark outline, pixels.
const EDGE: f32 = 2.0;
/// Contrast factor: strokes of a small font cover no pixel fully, and would be grey instead of
/// white.
const BOLDER: f32 = 1.8;
const DARK: [f32; 3] = [10.0; 3];
const WHITE: [f32; 3] = [255.0; 3];

/// Covered share of each pixel (column, row), 0 to 1.
type Coverage = BTreeMap<(i64, i64), f32>;

struct Canvas<'a> {
    rgb: &'a mut [u8],
    size: [u32; 2],
}

impl Labels {
    /// Loads the built-in font.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if the font cannot be read.
    pub fn new() -> Result<Self, LabelError> {
        let font = BuiltInFont::new()?;
        Ok(Self { font })
    }

    /// Draws a number centred at a pixel (column, row) of a picture of `size` columns and rows,
    /// with red, green, blue per pixel. Parts outside the picture are clipped.
    pub fn draw(&self, rgb: &mut [u8], size: [u32; 2], at: [u32; 2], number: u32) {
        let scale = (SIZE_PART * size[1] as f32).max(LEAST_SIZE);
        let digits = number.to_string();
        let width: f32 = digits.chars().map(|c| self.font.advance(c, scale)).sum();
        let [x, y] = at.map(|pixel| pixel as f32 + 0.5);
        let start = [x - 0.5 * width, y + 0.5 * DIGIT_PART * scale];
        let mut white = Coverage::new();
        self.font.draw(&digits, scale, start, |[x, y], part| {
            let most = white.entry((x, y)).or_default();
            *most = most.max((BOLDER * part).min(1.0));
        });
        let mut canvas = Canvas { rgb, size };
        canvas.paint(&edge(&white), DARK);
        canvas.paint(&white, WHITE);
    }
}

/// The coverage, wider by the outline on all sides.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey picture of 120 x 90 with a number in its middle.
    fn drawn(number: u32) -> Vec<u8> {
        let mut rgb = vec![128; 3 * 120 * 90];
        let labels = Labels::new().expect("the font is built in");
        labels.draw(&mut rgb, [120, 90], [60, 45], number);
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
            assert!(untouched > 120 * 90 - 400, "a label is small: {untouched}");
        }
        assert_ne!(drawn(1), drawn(7));
        assert_ne!(drawn(12), drawn(21));
        assert_eq!(drawn(5), drawn(5));
    }

    #[test]
    fn a_number_at_the_edge_is_cut_off() {
        let mut rgb = vec![128; 3 * 120 * 90];
        let labels = Labels::new().expect("the font is built in");
        labels.draw(&mut rgb, [120, 90], [0, 89], 7);
        assert!(count(&rgb, |v| v != 128) > 10);
    }
}
