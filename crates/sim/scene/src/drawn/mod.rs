//! What is drawn of an object, and what does nothing else: surfaces that may be open, with an
//! image on them.
//!
//! None of it is touched: what an object collides with is its shape. A drawn surface carries its
//! own texture coordinates, so that whoever draws it needs no more than them and the image.

mod keys;
mod packed;
mod texture;

use std::sync::Arc;

use regrasp_api::Pose;
use regrasp_mesh::Surface;
use serde::{Deserialize, Serialize};

pub(crate) use keys::{scenery, visuals};
pub use texture::{Texture, read_texture};

/// A surface that is drawn of something and not touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visual {
    /// Where it is in the frame of what it belongs to.
    pub frame_from_visual: Pose,
    /// Its triangles.
    #[serde(with = "packed")]
    pub surface: Arc<Surface>,
    /// Its colour, red, green, blue, opacity in 0..1; an image is tinted with it.
    pub rgba: [f32; 4],
    /// The image on it, at the surface's texture coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<Arc<Texture>>,
    /// How bright its highlight is, 0 to 1.
    pub gloss: f32,
}

/// What is drawn of an object that is larger by a factor.
pub(crate) fn scaled(visuals: &[Visual], size: f64) -> Vec<Visual> {
    let scaled = |visual: &Visual| {
        if size == 1.0 {
            return visual.clone();
        }
        let mut scaled = visual.clone();
        scaled.surface = Arc::new(Surface::clone(&visual.surface).scaled([size; 3]));
        scaled.frame_from_visual.translation.vector *= size;
        scaled
    };
    visuals.iter().map(scaled).collect()
}
