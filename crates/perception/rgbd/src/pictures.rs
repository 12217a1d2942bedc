//! Pictures for planners that look for themselves.

use std::collections::BTreeMap;

use regrasp_api::{
    Cameras, ImageSource, ObjectId, Observation, Percept, PerceptionError, RgbdFrame, SceneImage,
};
use regrasp_render::{LabelError, Labels, png_bytes};

use crate::marks::spots;

/// What cameras show, as PNG, with a number on each known object if that is wanted.
pub struct CameraPictures {
    cameras: Box<dyn Cameras>,
    labels: Option<Labels>,
}

impl CameraPictures {
    /// Shows what these cameras show, as it is.
    pub fn new(cameras: Box<dyn Cameras>) -> Self {
        Self {
            cameras,
            labels: None,
        }
    }

    /// Draws numbers on what is known: 1 for the first object that was perceived, and so
    /// on, the same in every picture.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if there is no font.
    pub fn with_marks(mut self) -> Result<Self, LabelError> {
        self.labels = Some(Labels::new()?);
        Ok(self)
    }

    fn image(
        &self,
        mut frame: RgbdFrame,
        percept: &Percept,
    ) -> Result<SceneImage, PerceptionError> {
        let size = [frame.view.intrinsics.width, frame.view.intrinsics.height];
        let mut marks = BTreeMap::<u32, ObjectId>::new();
        if let Some(labels) = &self.labels {
            for (idx, pixel) in spots(&frame, &percept.objects) {
                let number = idx as u32 + 1;
                labels.draw(&mut frame.rgb, size, pixel, number);
                marks.insert(number, percept.objects[idx].id.clone());
            }
        }
        let png = png_bytes(size[0], size[1], &frame.rgb);
        let png = png.map_err(|error| PerceptionError::Blind {
            detail: format!("failed to {error}"),
        })?;
        Ok(SceneImage {
            view: frame.view,
            png,
            marks,
        })
    }
}

impl ImageSource for CameraPictures {
    fn images(
        &mut self,
        observation: &Observation,
        percept: &Percept,
    ) -> Result<Vec<SceneImage>, PerceptionError> {
        let frames = self.cameras.look(observation)?;
        let images = frames.into_iter().map(|frame| self.image(frame, percept));
        images.collect()
    }
}
