//! Pictures of a world: colour, metric depth and instances, on the CPU.
//!
//! **What it does.** A [`Stage`] holds the bodies of a world at one instant, each a mesh
//! with a pose and a look; a [`Renderer`] turns it into [`Picture`]s, one for each
//! [`regrasp_api::CameraView`]. [`SoftwareRenderer`] is the one renderer: it rasterises
//! into a depth buffer, then shades each pixel that is left once, with a sun that throws
//! shadows, a sky and a highlight. [`RobotLooks`] gives the bodies of a robot from its
//! URDF, with the primitives of each link melted into one smooth surface.
//!
//! **What it does not do.** It reads no file and no world: whoever renders builds the
//! stage, and nothing is rendered unless somebody asks for a picture.
//!
//! **Where to enter.** [`Stage`], [`SoftwareRenderer`], [`Picture`]; inside, `raster`
//! (bodies to what is seen at each pixel), `shade` (that to colours), `before` (what is kept
//! of the last picture), `smooth` (links to surfaces), `image` (images on surfaces).
//!
//! **Why it is fast enough.** A link is drawn with as few triangles as its size in the
//! picture allows: its outline is at most half a pixel off. A pixel is shaded once, after
//! all triangles are drawn, together with its neighbours, so that the compiler can compute
//! several at once, and this code exists twice, for processors with AVX2 and without. The
//! shadow map knows for each of its tiles what is nearest to the sun, so that most pixels
//! need no look at it. Patterns are small enough for a core's own cache. Only pixels at edges
//! get several samples. In a sequence of pictures of one camera, as for a video, what shows
//! the same as in the picture before is kept ([`SequenceRenderer`]).
//!
//! # Conventions
//!
//! Cameras follow OpenCV (see [`regrasp_api::Intrinsics`]). Depth is along the optical
//! axis in metres, 0 where nothing was hit. Instances are indices into
//! [`Stage::instances`] plus one; 0 is the floor and the background.
//!
//! # Invariants
//!
//! - A picture is a function of stage, view and options, to the last bit, on one machine;
//!   how wide its vectors are makes no difference.
//! - What is nearer than 2 cm or further than 30 m is not seen.
//!
//! # The libraries behind it
//!
//! - `retrofire-core` clips triangles that cross the near or the far plane: the one
//!   maintained software rasteriser with near-plane clipping (`euc` loses what crosses the
//!   plane), four small crates or none. What it does with the others cost a third of a
//!   picture's time (it copies every triangle with its varyings), so that rows of pixels
//!   are found here (`fill`).
//! - `parry` computes convex hulls, as the simulator does.
//! - `png` writes pictures.
//! - `pulp` chooses at run time between code for AVX2 and for any processor, without `unsafe`.
//!   It only compiles the same Rust twice: nothing is fused or reordered.
//! - `ab_glyph` draws the digits of labels and the letters of captions (feature `labels`), with a font of
//!   `epaint_default_fonts`, as the plots of the command line do.

mod before;
#[cfg(feature = "labels")]
mod caption;
#[cfg(test)]
mod covered_tests;
mod edges;
mod encode;
mod fill;
#[cfg(feature = "labels")]
mod font;
mod image;
#[cfg(feature = "labels")]
mod label;
mod lens;
mod looks;
mod mesh;
mod picture;
mod primitives;
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

#[cfg(feature = "labels")]
pub use caption::{Caption, Captions, Ink};
#[cfg(feature = "labels")]
pub use font::LabelError;
pub use image::Image;
#[cfg(feature = "labels")]
pub use label::Labels;
pub use looks::{LooksError, RobotLooks};
pub use mesh::Mesh;
pub use picture::{Picture, PictureError, png_bytes};
pub use sequence::SequenceRenderer;
pub use software::{Detail, Renderer, SoftwareRenderer};
pub use stage::{Body, Finish, Look, Stage};
