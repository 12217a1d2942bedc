//! Images for planners with vision.

use std::collections::BTreeMap;

use regrasp_api::{
    Cameras, ImageSource, ObjectId, Observation, Percept, PerceptionError, RgbdFrame, SceneImage,
};
use regrasp_render::{LabelError, Letters, png_bytes};

use crate::marks::spots;

/// Camera images as PNG, with an optional number on each visible object of the percept.
pub struct CameraPictures {
    cameras: Box<dyn Cameras>,
    labels: Option<Letters>,
}

impl CameraPictures {
    /// Provides the images of these cameras without marks.
    pub fn new(cameras: Box<dyn Cameras>) -> Self {
        Self {
            cameras,
            labels: None,
        }
    }

    /// Numbers the known objects from 1 in the order of the percept, the same in every image.
    ///
    /// # Errors
    ///
    /// [`LabelError`] if the built-in font cannot be read.
    pub fn with_marks(mut self) -> Result<Self, LabelError> {
        self.labels = Some(Letters::new()?);
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
                labels.number(&mut frame.rgb, size, pixel, number);
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
