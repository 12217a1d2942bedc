//! Images on surfaces, from PNG files.

use std::io::Cursor;
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};

/// The longest edge of an image, pixels: more than any picture of a robot's table shows.
const LONGEST: u32 = 8192;
/// The largest file that is read, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// An image: red, green and blue of each pixel as a screen shows them, from the upper row on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Three bytes for each pixel.
    pub rgb: Vec<u8>,
}

/// Reads a PNG file of any kind; opacity is left out.
///
/// # Errors
///
/// What is wrong with it, in one sentence.
pub fn read_texture(path: &Path) -> Result<Texture, String> {
    let size = match std::fs::metadata(path) {
        Ok(found) => found.len(),
        Err(_) => return Err("there is no such file".to_owned()),
    };
    if size > MAX_BYTES {
        let (mb, most) = (size >> 20, MAX_BYTES >> 20);
        return Err(format!("it has {mb} MB, more than {most} MB"));
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    Texture::from_png(&bytes)
}

impl Texture {
    /// One colour.
    pub fn flat(rgb: [u8; 3]) -> Self {
        Self {
            width: 1,
            height: 1,
            rgb: rgb.to_vec(),
        }
    }

    /// Reads a PNG file's bytes; opacity is left out.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in one sentence.
    pub fn from_png(bytes: &[u8]) -> Result<Self, String> {
        let broken = |error: png::DecodingError| format!("it is no PNG that can be read: {error}");
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(broken)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width.max(height) > LONGEST {
            return Err(format!(
                "it has {width} x {height} pixels, more than {LONGEST} along an edge"
            ));
        }
        let size = reader.output_buffer_size();
        let mut pixels = vec![0; size.ok_or("it is too large")?];
        let frame = reader.next_frame(&mut pixels).map_err(broken)?;
        pixels.truncate(frame.buffer_size());
        let rgb = match frame.color_type {
            ColorType::Rgb => pixels,
            ColorType::Rgba => pixels
                .chunks_exact(4)
                .flat_map(|p| [p[0], p[1], p[2]])
                .collect(),
            ColorType::Grayscale => pixels.iter().flat_map(|p| [*p; 3]).collect(),
            ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
            ColorType::Indexed => return Err("its palette cannot be read".to_owned()),
        };
        Ok(Self { width, height, rgb })
    }

    /// The image as a PNG file's bytes; nothing if it cannot be one.
    pub fn to_png(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(&self.rgb).ok()?;
        writer.finish().ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn an_indexed_image_with_alpha_is_read_as_its_colours() {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::One);
        encoder.set_palette(vec![10, 20, 30, 200, 100, 50]);
        encoder.set_trns(vec![0, 255]);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0b0100_0000]).unwrap();
        writer.finish().unwrap();
        let read = Texture::from_png(&bytes).unwrap();
        assert_eq!((read.width, read.height), (2, 1));
        assert_eq!(read.rgb, [10, 20, 30, 200, 100, 50]);
        assert_eq!(Texture::from_png(&read.to_png().unwrap()).unwrap(), read);
        for n in 0..bytes.len() - 12 {
            assert!(Texture::from_png(&bytes[..n]).is_err(), "{n} bytes");
        }
    }
}
