//! Rendering of a world on the CPU: colour, metric depth and instances.
//!
//! **What it does.** A [`Stage`] holds the bodies of a world at one instant, each a mesh with a
//! pose and a look. A [`SoftwareRenderer`] turns it into [`Picture`]s, one for each
//! [`regrasp_api::CameraView`]. It rasterises into a
//! depth buffer, then shades each visible pixel once, with a sun that casts shadows, a sky and a
//! highlight. [`RobotLooks`] builds the bodies of a robot from its URDF; the primitives of large
//! links are blended into smooth surfaces.
//!
//! **What it does not do.** It reads neither files nor worlds: the caller builds the stage. Nothing
//! is rendered until a picture is requested.
//!
//! **Where to enter.** [`Stage`], [`SoftwareRenderer`], [`Picture`]; inside, `raster` (visible
//! triangle at each pixel), `shade` (colours), `previous` (reuse of the last picture), `smooth`
//! (surfaces of links), `image` (images on surfaces).
//!
//! **Why it is fast enough.** A body is drawn with as few triangles as its distance allows: with an
//! error of at most half a pixel. A pixel is shaded once, after all triangles are drawn. Neighbours
//! are shaded together, so that the compiler can vectorise; this code exists twice, for processors
//! with and without AVX2. The shadow map stores for each of its tiles how near to the sun it gets,
//! so that most pixels need not read it. Patterns fit into a core's own cache. Only pixels at edges
//! get several samples. In a sequence of pictures of one camera, as for a video, unchanged pixels
//! are kept ([`SequenceRenderer`]). For perception, only the colours that it needs are drawn
//! ([`MeasuringRenderer`]).
//!
//! # Conventions
//!
//! Cameras follow OpenCV (see [`regrasp_api::Intrinsics`]). Depth is along the optical axis in
//! metres, 0 where nothing was hit. Instances are indices into [`Stage::instances`] plus one; 0 is
//! the floor and the background.
//!
//! # Invariants
//!
//! - A picture is a function of stage, view and options, to the last bit, on one machine; the width
//!   of its vectors makes no difference.
//! - Points nearer than 2 cm or farther than 30 m are not visible.
//!
//! # The libraries behind it
//!
//! - `retrofire-core` clips triangles that cross the near or the far plane. It is the only
//!   maintained software rasteriser with near-plane clipping (`euc` loses triangles that cross the
//!   plane); four small crates. Its rasterisation of the other triangles took a third of a
//!   picture's time (it copies every triangle with its varyings), so rows of pixels are found here
//!   (`fill`).
//! - `parry` computes convex hulls, as it does in the simulator.
//! - `png` writes pictures.
//! - `pulp` selects at run time between code for AVX2 and for any processor, without `unsafe`. It
//!   only compiles the same Rust twice: nothing is fused or reordered.
//! - `ab_glyph` draws the digits of labels and the letters of captions (feature `labels`), with a
//!   font of `epaint_default_fonts`, like the plots of the command line.

#[cfg(test)]
mod covered_tests;
mod edges;
mod encode;
mod fill;
mod image;
mod lens;
#[cfg(feature = "labels")]
mod letters;
mod looks;
mod measuring;
mod mesh;
mod picture;
mod previous;
mod raster;
mod samples;
mod sequence;
mod shade;
mod shadow;
mod shadow_map;
mod smooth;
mod software;
mod stage;
mod texture;

pub use image::Image;
#[cfg(feature = "labels")]
pub use letters::{Caption, Ink, LabelError, Letters};
pub use looks::{LooksError, RobotLooks};
pub use measuring::MeasuringRenderer;
pub use mesh::Mesh;
pub use picture::{Picture, PictureError, png_bytes};
pub use sequence::SequenceRenderer;
pub use software::{Detail, SoftwareRenderer};
pub use stage::{Body, Finish, Look, Stage};
