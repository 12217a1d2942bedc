//! Font of labels and captions.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

/// Error of reading the built-in font.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("draw labels: the font cannot be read")]
pub struct LabelError;

pub(crate) struct BuiltInFont(FontRef<'static>);

impl BuiltInFont {
    pub(crate) fn new() -> Result<Self, LabelError> {
        let font = FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR);
        font.map(Self).map_err(|_| LabelError)
    }

    /// Advance width of a letter, pixels.
    pub(crate) fn advance(&self, letter: char, size: f32) -> f32 {
        let font = self.0.as_scaled(PxScale::from(size));
        font.h_advance(font.glyph_id(letter))
    }

    /// Draws a line of text whose baseline begins at a pixel (column, row). Calls back for each
    /// pixel with the share that a letter covers, 0 to 1.
    pub(crate) fn draw(
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
