//! Pictures of the scene.

use std::collections::BTreeMap;

use crate::{CameraView, ObjectId, Observation, Percept, PerceptionError};

/// Picture of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneImage {
    /// Camera that took the picture: name (`scene`, `top`, `wrist`), projection and pose.
    pub view: CameraView,
    /// Picture encoded as PNG.
    pub png: Vec<u8>,
    /// Object for each number drawn in the picture, the same in all pictures of one call.
    pub marks: BTreeMap<u32, ObjectId>,
}

/// Source of pictures of the scene. Pictures are taken on request only.
pub trait ImageSource: Send {
    /// Takes pictures of the present scene, in a stable order, with the perceived objects marked.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if no picture could be taken.
    fn images(
        &mut self,
        observation: &Observation,
        percept: &Percept,
    ) -> Result<Vec<SceneImage>, PerceptionError>;
}
