//! Result of a renderer.
//!
//! Crate `png` writes pictures: it needs 11 crates, `image` by the same authors would need 20.
//! Pictures from outside are read by `image`, in `regrasp-external-perception`.

use std::path::Path;
use std::{fs, io};

use png::{BitDepth, ColorType, Compression, Encoder};
use regrasp_api::{CameraView, Intrinsics, RgbdFrame};
use xxhash_rust::xxh3::Xxh3;

/// Colour, depth and instances, row by row from the upper left.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Camera of the picture.
    pub view: CameraView,
    /// Red, green, blue of each pixel.
    pub rgb: Vec<u8>,
    /// Depth along the optical axis, m; 0 where nothing was hit.
    pub depth_m: Vec<f32>,
    /// Visible instance: an index into [`crate::Stage::instances`] plus one, or 0.
    pub instances: Vec<u16>,
}

/// A picture that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file cannot be created or written.
    #[error("write the picture `{path}`: {source}")]
    Write {
        /// Path of the file.
        path: String,
        /// Cause.
        source: io::Error,
    },
    /// The encoder rejects a picture in memory.
    #[error("encode a picture: {0}")]
    Bytes(#[from] png::EncodingError),
    /// The encoder rejects the picture of a file.
    #[error("encode the picture `{path}`: {source}")]
    Encode {
        /// Path of the file.
        path: String,
        /// Cause.
        source: png::EncodingError,
    },
}

impl Picture {
    /// Returns a picture to draw on, with undefined pixels, in the memory of an old one if given.
    pub(crate) fn canvas(view: &CameraView, old: Option<Self>) -> Self {
        let (mut rgb, mut depth_m, mut instances) = old.map_or_else(Default::default, |old| {
            (old.rgb, old.depth_m, old.instances)
        });
        let n = view.intrinsics.n_pixels();
        resize(&mut rgb, 3 * n);
        resize(&mut depth_m, n);
        resize(&mut instances, n);
        Self {
            view: view.clone(),
            rgb,
            depth_m,
            instances,
        }
    }

    /// Converts the picture to the frame of a depth camera, which knows no instances.
    pub fn into_frame(self) -> RgbdFrame {
        RgbdFrame {
            view: self.view,
            rgb: self.rgb,
            depth_m: self.depth_m,
        }
    }

    /// Hash of every bit of colour, depth and instances.
    pub fn digest(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.rgb);
        for depth in &self.depth_m {
            hash.update(&depth.to_bits().to_le_bytes());
        }
        for instance in &self.instances {
            hash.update(&instance.to_le_bytes());
        }
        hash.digest()
    }

    /// Writes the colours as a PNG.
    ///
    /// # Errors
    ///
    /// [`PictureError`] if the file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), PictureError> {
        self.write(path, COLOR, &self.rgb)
    }

    /// Writes the depth as a 16-bit PNG in millimetres, 0 for none, like most depth cameras.
    ///
    /// # Errors
    ///
    /// [`PictureError`] if the file cannot be written.
    pub fn write_depth_png(&self, path: &Path) -> Result<(), PictureError> {
        let millimetres = self.depth_m.iter().map(|d| (d * 1000.0).round() as u16);
        let bytes: Vec<u8> = millimetres.flat_map(u16::to_be_bytes).collect();
        self.write(path, (ColorType::Grayscale, BitDepth::Sixteen), &bytes)
    }

    fn write(&self, path: &Path, pixel: Pixel, bytes: &[u8]) -> Result<(), PictureError> {
        let path_name = || path.display().to_string();
        let Intrinsics { width, height, .. } = self.view.intrinsics;
        let png = encoded([width, height], pixel, Compression::High, bytes);
        let png = png.map_err(|source| PictureError::Encode {
            path: path_name(),
            source,
        })?;
        fs::write(path, png).map_err(|source| PictureError::Write {
            path: path_name(),
            source,
        })
    }
}

/// Encodes colours as a PNG in memory: red, green, blue of each pixel, row by row.
///
/// # Errors
///
/// [`PictureError::Bytes`] if the number of colours does not match the size.
pub fn png_bytes(width: u32, height: u32, rgb: &[u8]) -> Result<Vec<u8>, PictureError> {
    Ok(encoded([width, height], COLOR, Compression::Balanced, rgb)?)
}

/// Channels of a PNG pixel, and bits per channel.
type Pixel = (ColorType, BitDepth);

const COLOR: Pixel = (ColorType::Rgb, BitDepth::Eight);

fn encoded(
    [width, height]: [u32; 2],
    (color, depth): Pixel,
    compression: Compression,
    bytes: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(png)
}

/// Resizes a list whose content is not needed. A new list costs no clearing, since the system
/// provides cleared memory.
fn resize<T: Clone + Default>(list: &mut Vec<T>, n: usize) {
    if list.len() != n {
        *list = vec![T::default(); n];
    }
}
