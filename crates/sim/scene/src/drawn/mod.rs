//! Visuals of an object: surfaces that may be open, with an image on them.
//!
//! Visuals take no part in contact: an object collides with its shape. A visual carries its own
//! texture coordinates, so that a renderer needs only the surface and the image.

mod keys;
mod packed;
mod texture;

use std::sync::Arc;

use regrasp_api::Pose;
use regrasp_mesh::Surface;
use serde::{Deserialize, Serialize};

pub(crate) use keys::{scenery, visuals};
pub use texture::{Texture, read_texture};

/// A surface that is drawn but has no collision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visual {
    /// Pose in the frame of its object, or in World for scenery.
    pub frame_from_visual: Pose,
    /// Triangles.
    #[serde(with = "packed")]
    pub surface: Arc<Surface>,
    /// Colour: red, green, blue, opacity in 0..1; an image is tinted with it.
    pub rgba: [f32; 4],
    /// Image on the surface, at the surface's texture coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<Arc<Texture>>,
    /// Brightness of highlights, 0 to 1.
    pub gloss: f32,
}

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
