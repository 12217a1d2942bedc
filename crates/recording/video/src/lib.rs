//! Videos: H.264 in MP4 files.
//!
//! **Purpose.** A `VideoWriter` takes pictures of one size at a constant rate and writes a file
//! that browsers and players open, with its index at the front. It consists of `H264Encoder` and
//! `Mp4File`.
//!
//! **Out of scope.** Rendering, and anything about robots.
//!
//! **Entry points.** [`VideoOptions`], `VideoWriter::create`. The writer needs the feature
//! `encode`, because the encoder is built from source with a C++ compiler, which builds without
//! videos should not require.
//!
//! # Invariants
//!
//! - The file has exactly as many frames as were pushed; frame k is shown at time k / rate. No
//!   frame is dropped to save bits.
//! - The file gets its final name when it is complete; before that, and after an error, there is at
//!   most a file that ends in `.part`.
//!
//! # Dependencies
//!
//! - `openh264`, Cisco's encoder (BSD), is the only H.264 encoder that cargo builds from source
//!   alone: 1 to 4 ms for a picture of 640x480. (`rav1e` takes a hundred times as long, and other
//!   encoders need system libraries.)
//! - `muxide` writes MP4: pure Rust, without dependencies if its command line is disabled.

mod options;
#[cfg(feature = "encode")]
mod writer;

pub use options::{VideoError, VideoOptions};
#[cfg(feature = "encode")]
pub use writer::{Encoded, H264Encoder, Mp4File, VideoWriter};
