//! Decodes images.

use image::DynamicImage;

/// Decodes red, green, blue of each pixel, row by row.
pub(crate) fn color(bytes: &[u8], [width, height]: [u32; 2]) -> Result<Vec<u8>, String> {
    let picture = decoded(bytes, [width, height])?;
    Ok(picture.into_rgb8().into_raw())
}

/// Decodes the depth of each pixel, m; 0 where none was measured.
pub(crate) fn depth(bytes: &[u8], size: [u32; 2], scale_m: f64) -> Result<Vec<f32>, String> {
    match decoded(bytes, size)? {
        DynamicImage::ImageLuma16(counts) => {
            let counts = counts.into_raw();
            let metres = counts.iter().map(|c| (f64::from(*c) * scale_m) as f32);
            Ok(metres.collect())
        }
        _ => Err("it is not a PNG with 16 bits of gray, which depth needs".to_owned()),
    }
}

fn decoded(bytes: &[u8], [width, height]: [u32; 2]) -> Result<DynamicImage, String> {
    let picture = image::load_from_memory(bytes).map_err(|error| error.to_string())?;
    match (picture.width(), picture.height()) == (width, height) {
        true => Ok(picture),
        false => Err(format!(
            "it is {} x {} pixels, but the intrinsics are for {width} x {height}",
            picture.width(),
            picture.height()
        )),
    }
}
