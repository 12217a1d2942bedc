//! Conversion of a camera's picture to the form that a policy expects.

use image::imageops::{self, FilterType};
use image::{ImageFormat, RgbImage};

use crate::{Fit, Flip, ImageEntry, NdArray};

/// Decodes, resizes and flips a PNG; the array has rows x columns x 3 bytes.
///
/// # Errors
///
/// A message that names the camera if its PNG is invalid.
pub(crate) fn array(png: &[u8], entry: &ImageEntry) -> Result<NdArray, String> {
    let image = image::load_from_memory_with_format(png, ImageFormat::Png);
    let image = image.map_err(|e| format!("the picture of `{}`: {e}", entry.camera))?;
    let fitted = fitted(&image.to_rgb8(), entry.size, entry.fit);
    let turned = match entry.flip {
        Flip::None => fitted,
        Flip::Horizontal => imageops::flip_horizontal(&fitted),
        Flip::Vertical => imageops::flip_vertical(&fitted),
        Flip::Both => imageops::rotate180(&fitted),
    };
    let [columns, rows] = entry.size.map(|n| n as usize);
    Ok(NdArray::u8(&[rows, columns, 3], turned.into_raw()))
}

/// Resizes with bilinear interpolation: `Fit::Pad` adds black borders, as `resize_with_pad` of
/// `openpi-client` does; `Fit::Stretch` changes the aspect ratio.
fn fitted(image: &RgbImage, [columns, rows]: [u32; 2], fit: Fit) -> RgbImage {
    if image.dimensions() == (columns, rows) {
        return image.clone();
    }
    let resize = |columns: u32, rows: u32| {
        imageops::resize(image, columns.max(1), rows.max(1), FilterType::Triangle)
    };
    if fit == Fit::Stretch {
        return resize(columns, rows);
    }
    let (width, height) = image.dimensions();
    let ratio = (f64::from(width) / f64::from(columns)).max(f64::from(height) / f64::from(rows));
    let part = |side: u32| (f64::from(side) / ratio) as u32;
    let small = resize(part(width), part(height));
    let mut padded = RgbImage::new(columns, rows);
    let (left, above) = ((columns - small.width()) / 2, (rows - small.height()) / 2);
    imageops::replace(&mut padded, &small, left.into(), above.into());
    padded
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn entry(size: [u32; 2], fit: Fit, flip: Flip) -> ImageEntry {
        ImageEntry {
            key: "image".into(),
            camera: "scene".into(),
            size,
            fit,
            flip,
        }
    }

    /// Red above, green below, and blue at the left end.
    fn png() -> Vec<u8> {
        let image = RgbImage::from_fn(64, 32, |x, y| match (x, y) {
            (0..8, _) => image::Rgb([0, 0, 255]),
            (_, 0..16) => image::Rgb([255, 0, 0]),
            _ => image::Rgb([0, 255, 0]),
        });
        let mut png = Cursor::new(vec![]);
        image.write_to(&mut png, ImageFormat::Png).expect("a PNG");
        png.into_inner()
    }

    fn pixel(array: &NdArray, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * array.shape()[1] + x);
        let data = &array.data()[at..at + 3];
        [data[0], data[1], data[2]]
    }

    #[test]
    fn a_picture_is_padded_stretched_and_turned_over() {
        let padded = array(&png(), &entry([32, 32], Fit::Pad, Flip::None)).expect("a PNG");
        assert_eq!(padded.shape(), [32, 32, 3]);
        assert_eq!(pixel(&padded, 16, 3), [0, 0, 0], "black above");
        assert_eq!(pixel(&padded, 16, 28), [0, 0, 0], "black below");
        assert_eq!(pixel(&padded, 1, 12), [0, 0, 255]);
        assert_eq!(pixel(&padded, 20, 11), [255, 0, 0]);
        assert_eq!(pixel(&padded, 20, 20), [0, 255, 0]);
        let stretched = array(&png(), &entry([32, 16], Fit::Stretch, Flip::Both)).expect("a PNG");
        assert_eq!(stretched.shape(), [16, 32, 3]);
        assert_eq!(pixel(&stretched, 30, 3), [0, 0, 255]);
        assert_eq!(pixel(&stretched, 10, 3), [0, 255, 0]);
        let mirrored = array(&png(), &entry([64, 32], Fit::Pad, Flip::Horizontal)).expect("a PNG");
        assert_eq!(pixel(&mirrored, 63, 0), [0, 0, 255]);
        let hung = array(&png(), &entry([64, 32], Fit::Pad, Flip::Vertical)).expect("a PNG");
        assert_eq!(pixel(&hung, 40, 0), [0, 255, 0]);
        let no_png = array(b"GIF", &entry([8, 8], Fit::Pad, Flip::None)).expect_err("no PNG");
        assert!(no_png.contains("scene"), "{no_png}");
    }
}
