//! Options of a video, and errors.

use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Options of a video.
#[derive(Clone, Copy, Debug, PartialEq, smart_default::SmartDefault)]
pub struct VideoOptions {
    /// Width in pixels, an even number from 16 to 3840. Default 640.
    #[default(640)]
    pub width: u32,
    /// Height in pixels, an even number from 16 to 2160. Default 480.
    #[default(480)]
    pub height: u32,
    /// Pictures per second. Default 30.
    #[default(30)]
    pub fps: u32,
    /// Interval of key frames, to which a player can seek, in pictures. Default 60.
    #[default(60)]
    pub keyframe_every: u32,
    /// Quantization parameter of H.264, 0 (best) to 51. Default 24, which keeps fine texture such
    /// as the grain of a table; 10 s of 640x480 take about 1 MB.
    #[default(24)]
    pub quantization: u8,
}

/// Reason why a video cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// The rate is out of range.
    #[error("make a video of {0} pictures per second: expected 1 to 240")]
    BadRate(u32),
    /// The video has no pictures.
    #[error("write the video `{}`: it has no picture", .0.display())]
    Empty(PathBuf),
    /// Any other failure: an invalid size, or an error of the file, the encoder or the container.
    #[error("{0}")]
    Other(String),
}

impl VideoOptions {
    /// Validates the options.
    ///
    /// # Errors
    ///
    /// [`VideoError`] for an invalid size or rate.
    pub fn check(&self) -> Result<(), VideoError> {
        const WIDTHS: RangeInclusive<u32> = 16..=3840;
        const HEIGHTS: RangeInclusive<u32> = 16..=2160;
        let (width, height, fps) = (self.width, self.height, self.fps);
        let is_size = WIDTHS.contains(&width) && HEIGHTS.contains(&height);
        if !is_size || width % 2 == 1 || height % 2 == 1 {
            return Err(VideoError::Other(format!(
                "make a video of {width}x{height} pixels: expected even numbers from 16x16 to \
                 3840x2160"
            )));
        }
        if !(1..=240).contains(&fps) {
            return Err(VideoError::BadRate(fps));
        }
        Ok(())
    }

    /// Size of one picture as RGB values, bytes.
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
            let error = odd
                .check()
                .expect_err("an invalid size was accepted")
                .to_string();
            assert!(error.contains("even numbers"), "{width}x{height}");
        }
        let still = VideoOptions { fps: 0, ..usual };
        assert!(matches!(still.check(), Err(VideoError::BadRate(0))));
    }
}
