//! Pictures of the scene for whoever can look at them.

use std::collections::BTreeMap;

use crate::{CameraView, ObjectId, Observation, Percept, PerceptionError};

/// A picture of the scene, for whoever can look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneImage {
    /// The camera that took it: its name (`scene`, `top`, `wrist`), how it projects and
    /// where it was.
    pub view: CameraView,
    /// The encoded picture, PNG.
    pub png: Vec<u8>,
    /// Numbers that are drawn on objects, with the objects. A number is the same object in
    /// every picture of one call.
    pub marks: BTreeMap<u32, ObjectId>,
}

/// Takes pictures of the scene. Nothing is taken unless somebody looks.
pub trait ImageSource: Send {
    /// Pictures of what is to be seen now, in a stable order. What was perceived is given
    /// so that it can be marked in them.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if no picture could be had.
    fn images(
        &mut self,
        observation: &Observation,
        percept: &Percept,
    ) -> Result<Vec<SceneImage>, PerceptionError>;
}
