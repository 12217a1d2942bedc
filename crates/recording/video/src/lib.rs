//! Videos: H.264 in MP4 files.
//!
//! **Purpose.** A `VideoWriter` takes pictures of one size at a constant rate and writes a file
//! that browsers and video players open. The index is at the front, so that a browser can play the
//! file while it loads. The writer consists of an `H264Encoder` and an `Mp4File`.
//!
//! **Out of scope.** Rendering, and anything about robots.
//!
//! **Entry points.** [`VideoOptions`], `VideoWriter::create`. The writer is behind the feature
//! `encode`, because its encoder is built from source and needs a C++ compiler.
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
//!   without system libraries. It takes 1 to 4 ms for a picture of 640x480; the AV1 encoder `rav1e`
//!   takes a hundred times as long.
//! - `muxide` writes MP4. It is pure Rust, and without its command line it has no dependencies.

mod options;
#[cfg(feature = "encode")]
mod writer;

pub use options::{VideoError, VideoOptions};
#[cfg(feature = "encode")]
pub use writer::{Encoded, H264Encoder, Mp4File, VideoWriter};
