//! Videos: pictures in, H.264 in an MP4 file out.
//!
//! **What it does.** A `VideoWriter` takes pictures of one size at a constant rate and
//! writes a file that browsers and players open, with its index in front. `H264Encoder`
//! and `Mp4File` are its two halves.
//!
//! **What it does not do.** It draws nothing and knows nothing of robots.
//!
//! **Where to enter.** [`VideoOptions`], `VideoWriter::create`. Without the feature
//! `encode` there is only the former: the encoder is built from source by a C++ compiler,
//! which whoever builds Regrasp without videos need not have.
//!
//! # Invariants
//!
//! - The file has exactly as many frames as were pushed; frame k is shown at k over the
//!   rate. No frame is dropped to save bits.
//! - The file gets its name when it is whole; before, and after an error, there is at most
//!   a neighbour that ends in `.part`.
//!
//! # The libraries behind it
//!
//! - `openh264`, Cisco's encoder (BSD), is the one H.264 encoder that cargo builds from
//!   source alone: 1 to 4 ms a picture of 640x480. (`rav1e` takes a hundred times that, and
//!   other encoders want system libraries.)
//! - `muxide` puts it into MP4: pure Rust, without dependencies when its command line is
//!   left out.

mod options;
#[cfg(feature = "encode")]
mod writer;

pub use options::{VideoError, VideoOptions};
#[cfg(feature = "encode")]
pub use writer::{Encoded, H264Encoder, Mp4File, VideoWriter};
