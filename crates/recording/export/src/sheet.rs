//! Arrangement of captioned pictures in a grid.

use regrasp_render::{Caption, Ink};

pub(crate) const GAP: usize = 4;
pub(crate) const PAPER: [u8; 3] = [24, 27, 33];
pub(crate) const PLAIN: Ink = Ink {
    letters: [235, 238, 242],
    band: PAPER,
    opacity: 255,
};

pub(crate) struct Sheet {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
    picture: [usize; 2],
    /// Height of the text below a picture, in pixels.
    text_rows: usize,
    columns: usize,
    /// Height of the space above all pictures, in pixels.
    top: usize,
}

impl Sheet {
    /// Creates a sheet for `n` pictures of a size, at most `columns` per row, with `text_rows`
    /// pixel rows of text below each and `top` pixel rows above all.
    pub(crate) fn new(
        picture: [u32; 2],
        text_rows: usize,
        columns: usize,
        n_pictures: usize,
        top: usize,
    ) -> Self {
        let picture = picture.map(|n| n as usize);
        let columns = columns.clamp(1, n_pictures.max(1));
        let rows = n_pictures.max(1).div_ceil(columns);
        let width = columns * (picture[0] + GAP) + GAP;
        let height = top + rows * (picture[1] + text_rows + GAP) + GAP;
        Self {
            width,
            height,
            rgb: PAPER.repeat(width * height),
            picture,
            text_rows,
            columns,
            top,
        }
    }

    /// Height of stacked captions, in pixels, from the height of each.
    pub(crate) fn rows_of(captions: &[usize]) -> usize {
        let all: usize = captions.iter().map(|rows| rows - overlap(*rows)).sum();
        all + captions.last().map_or(0, |rows| overlap(*rows))
    }

    pub(crate) fn put(&mut self, idx: usize, picture: &[u8], texts: &[(Caption, Ink)]) {
        let [width, height] = self.picture;
        let left = GAP + idx % self.columns * (width + GAP);
        let top = self.top + GAP + idx / self.columns * (height + self.text_rows + GAP);
        for (y, row) in picture.chunks_exact(3 * width).take(height).enumerate() {
            let start = 3 * ((top + y) * self.width + left);
            self.rgb[start..start + row.len()].copy_from_slice(row);
        }
        let mut below = top + height;
        for (caption, ink) in texts {
            caption.put(&mut self.rgb, self.width, [left, below], *ink);
            below += caption.rows() - overlap(caption.rows());
        }
    }
}

/// Empty pixel rows at the bottom of a caption, shared with the next caption.
fn overlap(rows: usize) -> usize {
    rows / 5
}

/// Wraps a text at spaces to lines of at most `n_chars` characters. A longer word is not broken.
pub(crate) fn wrapped(text: &str, n_chars: usize) -> Vec<String> {
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

pub(crate) fn n_chars(width: u32, font_size: f32) -> usize {
    ((width as f32 / (0.61 * font_size)) as usize).saturating_sub(2)
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
    fn pictures_fill_rows_and_do_not_cover_each_other() {
        let mut sheet = Sheet::new([10, 6], 3, 2, 3, 5);
        assert_eq!([sheet.width, sheet.height], [2 * 14 + 4, 5 + 2 * 13 + 4]);
        for idx in 0..3 {
            sheet.put(idx, &[100 + idx as u8; 3 * 10 * 6], &[]);
        }
        for idx in 0..3 {
            let n = sheet.rgb.iter().filter(|v| **v == 100 + idx).count();
            assert_eq!(n, 3 * 10 * 6, "picture {idx}");
        }
        // With two columns, the third picture starts the second row.
        let at = |x: usize, y: usize| sheet.rgb[3 * (y * sheet.width + x)];
        assert_eq!([at(4, 9), at(18, 9), at(4, 22)], [100, 101, 102]);
    }
}
