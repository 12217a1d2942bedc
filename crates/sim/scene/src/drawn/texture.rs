//! Images on surfaces, from PNG files.

use std::io::Cursor;
use std::path::Path;

use png::{
    BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, Reader, Transformations,
};
use regrasp_mesh::file_bytes;

/// Longest edge of an image, pixels; rendered views are much smaller.
const LONGEST: u32 = 8192;

/// An image as the bytes of a PNG file. Only a renderer decodes its pixels: most users of a scene
/// never draw it, and pixels take many times the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    png: Vec<u8>,
}

/// Reads a PNG file of any kind; opacity is dropped.
///
/// # Errors
///
/// A sentence that describes the mistake in the file.
pub fn read_texture(path: &Path) -> Result<Texture, String> {
    Texture::from_png(file_bytes(path).map_err(|error| error.to_string())?)
}

impl Texture {
    /// Makes an image from red, green and blue (sRGB) of each pixel, row by row from the top.
    /// Pixels that do not fill a row are dropped.
    ///
    /// # Errors
    ///
    /// One sentence if it has no pixel, or too many for a PNG file.
    pub fn of_pixels(columns: u32, pixels: &[[u8; 3]]) -> Result<Self, String> {
        let rows = pixels.chunks_exact(columns.max(1) as usize).len();
        let height = u32::try_from(rows).unwrap_or(u32::MAX);
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, columns, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(pixels[..rows * columns as usize].as_flattened())?;
            writer.finish()
        });
        written.map_err(|error| format!("it cannot be converted to PNG: {error}"))?;
        Ok(Self {
            width: columns,
            height,
            png,
        })
    }

    /// Reads the bytes of a PNG file; opacity is dropped.
    ///
    /// # Errors
    ///
    /// A sentence that describes the mistake: another kind of file, a truncated one, wrong
    /// checksums, too many pixels.
    pub fn from_png(png: Vec<u8>) -> Result<Self, String> {
        let mut reader = reader(&png).map_err(broken)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width.max(height) > LONGEST {
            return Err(format!(
                "it has {width} x {height} pixels; at most {LONGEST} are allowed along each edge"
            ));
        }
        reader.output_buffer_size().ok_or("it is too large")?;
        reader.finish().map_err(broken)?;
        Ok(Self { width, height, png })
    }

    /// Bytes of the PNG file.
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Returns red, green and blue (sRGB) of each pixel, row by row from the top.
    ///
    /// # Errors
    ///
    /// A sentence that describes the mistake in the pixels.
    pub fn rgb(&self) -> Result<Vec<u8>, String> {
        let mut reader = reader(&self.png).map_err(broken)?;
        let size = reader.output_buffer_size();
        let mut pixels = vec![0; size.ok_or("it is too large")?];
        let frame = reader.next_frame(&mut pixels).map_err(broken)?;
        pixels.truncate(frame.buffer_size());
        Ok(match frame.color_type {
            ColorType::Rgb => pixels,
            ColorType::Rgba => {
                let pixels = pixels.chunks_exact(4);
                pixels.flat_map(|p| [p[0], p[1], p[2]]).collect()
            }
            ColorType::Grayscale => pixels.iter().flat_map(|p| [*p; 3]).collect(),
            ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
            ColorType::Indexed => return Err("its palette cannot be read".to_owned()),
        })
    }
}

fn reader(png: &[u8]) -> Result<Reader<Cursor<&[u8]>>, DecodingError> {
    let mut decoder = Decoder::new(Cursor::new(png));
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.read_info()
}

fn broken(error: DecodingError) -> String {
    format!("it is not a readable PNG: {error}")
}

#[cfg(test)]
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
        let read = Texture::from_png(bytes.clone()).unwrap();
        assert_eq!((read.width, read.height), (2, 1));
        assert_eq!(read.rgb().unwrap(), [10, 20, 30, 200, 100, 50]);
        let again = Texture::of_pixels(2, &[[10, 20, 30], [200, 100, 50]]).unwrap();
        assert_eq!(again.rgb(), read.rgb());
        assert_eq!(Texture::from_png(again.png().to_vec()).unwrap(), again);
        for n in 0..bytes.len() - 12 {
            assert!(Texture::from_png(bytes[..n].to_vec()).is_err(), "{n} bytes");
        }
    }
}
