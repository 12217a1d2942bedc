//! What a video is like, and why one cannot be made.

use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What a video is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VideoOptions {
    /// Columns of pixels, even.
    pub width: u32,
    /// Rows of pixels, even.
    pub height: u32,
    /// Pictures a second. Default 30.
    pub fps: u32,
    /// Every so many pictures one stands for itself, so that a player can jump there.
    /// Default 60.
    pub keyframe_every: u32,
    /// How coarse the picture is, 0 (perfect) to 51. Default 24: the grain of the table can
    /// be seen, and 10 s of 640x480 take about a megabyte.
    pub coarseness: u8,
}

impl Default for VideoOptions {
    fn default() -> Self {
        Self {
            width: 640,
            height: 480,
            fps: 30,
            keyframe_every: 60,
            coarseness: 24,
        }
    }
}

/// A video that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// The rate is none of a video.
    #[error("make a video of {0} pictures a second: expected 1 to 240")]
    BadRate(u32),
    /// There is no picture in it.
    #[error("write the video `{}`: it has no picture", .0.display())]
    Empty(PathBuf),
    /// Anything else: a size that is none, a file that cannot be written, a refusal of the encoder
    /// or of the container.
    #[error("{0}")]
    Other(String),
}

impl VideoOptions {
    /// Makes sure that such a video can be.
    ///
    /// # Errors
    ///
    /// [`VideoError`] for a size or a rate that is none.
    pub fn check(&self) -> Result<(), VideoError> {
        const WIDTHS: RangeInclusive<u32> = 16..=3840;
        const HEIGHTS: RangeInclusive<u32> = 16..=2160;
        let Self {
            width, height, fps, ..
        } = *self;
        let is_size = WIDTHS.contains(&width) && HEIGHTS.contains(&height);
        if !is_size || width % 2 == 1 || height % 2 == 1 {
            return Err(VideoError::Other(format!(
                "make a video of {width}x{height} pixels: H.264 needs even numbers from 16 to 3840 \
                 columns and 2160 rows"
            )));
        }
        if !(1..=240).contains(&fps) {
            return Err(VideoError::BadRate(fps));
        }
        Ok(())
    }

    /// Bytes of one picture: red, green, blue of each pixel.
    pub fn n_bytes(&self) -> usize {
        3 * self.width as usize * self.height as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sizes_and_rates_are_refused() {
        let usual = VideoOptions::default();
        assert!(usual.check().is_ok());
        for (width, height) in [(641, 480), (640, 0), (640, 2162), (8, 480)] {
            let odd = VideoOptions {
                width,
                height,
                ..usual
            };
            let error = odd.check().expect_err("an odd size").to_string();
            assert!(error.contains("even numbers"), "{width}x{height}");
        }
        let still = VideoOptions { fps: 0, ..usual };
        assert!(matches!(still.check(), Err(VideoError::BadRate(0))));
    }
}
