//! Numbers on pictures.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

/// Draws numbers: white on a dark plate with a white edge, readable on every ground.
pub struct Labels {
    font: FontRef<'static>,
}

/// The font cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("draw labels: the font cannot be read")]
pub struct LabelError;

/// Height of a plate as a part of the picture's height: 20 pixels of 480.
const PLATE_PART: f32 = 1.0 / 24.0;
/// No plate is lower, pixels.
const LEAST_PLATE: f32 = 13.0;
/// Height of the digits as a part of the plate's.
const DIGIT_PART: f32 = 0.85;
/// Width of the white edge, pixels.
const EDGE: f32 = 1.2;
const DARK: [f32; 3] = [18.0; 3];
const WHITE: [f32; 3] = [255.0; 3];

/// A picture that is drawn on.
struct Canvas<'a> {
    rgb: &'a mut [u8],
    size: [u32; 2],
}

impl Labels {
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

    /// Draws a number with its middle at a pixel (column, row) of a picture of `size`
    /// columns and rows: red, green, blue of each pixel. What is outside is left out.
    pub fn draw(&self, rgb: &mut [u8], size: [u32; 2], at: [u32; 2], number: u32) {
        let plate = (PLATE_PART * size[1] as f32).max(LEAST_PLATE);
        let scale = PxScale::from(DIGIT_PART * plate);
        let (glyphs, width) = self.digits(number, scale);
        let middle = at.map(|x| x as f32);
        let mut canvas = Canvas { rgb, size };
        // A circle that is drawn out along the row: as wide as the digits need.
        let half_line = (0.5 * width - 0.28 * plate).max(0.0);
        canvas.plate(middle, half_line, 0.5 * plate);
        let scaled = self.font.as_scaled(scale);
        let baseline = middle[1] + 0.5 * (scaled.ascent() + scaled.descent());
        for mut glyph in glyphs {
            glyph.position.x += middle[0] - 0.5 * width + 0.5;
            glyph.position.y = baseline;
            let Some(outline) = self.font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, coverage| {
                let (x, y) = (
                    corner.x as i64 + i64::from(x),
                    corner.y as i64 + i64::from(y),
                );
                canvas.blend(x, y, WHITE, coverage.min(1.0));
            });
        }
    }

    /// The digits side by side from x = 0, and how wide they are together, pixels.
    fn digits(&self, number: u32, scale: PxScale) -> (Vec<Glyph>, f32) {
        let font = self.font.as_scaled(scale);
        let mut x = 0.0;
        let mut glyphs = Vec::new();
        for digit in number.to_string().chars() {
            let id = self.font.glyph_id(digit);
            glyphs.push(id.with_scale_and_position(scale, point(x, 0.0)));
            x += font.h_advance(id);
        }
        (glyphs, x)
    }
}

impl Canvas<'_> {
    /// All points no further than `radius` from a line of twice `half_line` along the row.
    fn plate(&mut self, middle: [f32; 2], half_line: f32, radius: f32) {
        let reach = [half_line + radius + 1.0, radius + 1.0];
        let range = |i: usize| {
            let low = (middle[i] - reach[i]).floor() as i64;
            low..=(middle[i] + reach[i]).ceil() as i64
        };
        for y in range(1) {
            for x in range(0) {
                let along = ((x as f32 - middle[0]).abs() - half_line).max(0.0);
                let from_line = along.hypot(y as f32 - middle[1]);
                self.blend(x, y, WHITE, radius - from_line + 0.5);
                self.blend(x, y, DARK, radius - EDGE - from_line + 0.5);
            }
        }
    }

    fn blend(&mut self, x: i64, y: i64, colour: [f32; 3], weight: f32) {
        let weight = weight.clamp(0.0, 1.0);
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
            assert!(
                dark > 30 && light > 20,
                "{number}: {dark} dark, {light} light"
            );
            let untouched = count(&rgb, |v| v == 128);
            assert!(untouched > 120 * 90 - 600, "a label is small: {untouched}");
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
        assert!(count(&rgb, |v| v != 128) > 20);
    }
}
