//! Eyes to which a model says what is what.

use std::fmt;
use std::sync::Arc;

use regrasp_model::ChatModel;
use regrasp_scene::Scene;
use regrasp_truth::TruthSource;
use regrasp_vlm::{PointerOptions, VlmPointer};

use crate::{DepthNoise, Kit, NoSuchCamera, SetupError};

/// The model that points, and how it is asked.
#[derive(Clone)]
pub struct Pointing {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// How it is asked. What it looks for are its phrases, and whatever else the command of
    /// an episode speaks of, as far as the planners' grammar understands it.
    pub options: PointerOptions,
}

impl fmt::Debug for Pointing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pointing")
            .field("model", &self.model.model())
            .field("options", &self.options)
            .finish()
    }
}

impl Pointing {
    /// The same, looking also for what a command speaks of.
    pub(crate) fn for_command(&self, command: &str) -> Self {
        let mut pointing = self.clone();
        let phrases = &mut pointing.options.phrases;
        for phrase in regrasp_language::phrases(command) {
            if !phrases.contains(&phrase) {
                phrases.push(phrase);
            }
        }
        pointing
    }
}

impl Kit {
    /// A perception that looks at `truth` through the scene's cameras, knows nothing else
    /// of it, and lets a model say what is meant by a phrase.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the scene has not the cameras whose pictures the model should see,
    /// or the robot file names what the URDF has not.
    pub fn pointer(
        &self,
        scene: &Scene,
        truth: Arc<dyn TruthSource>,
        pointing: &Pointing,
        noise: DepthNoise,
        seed: u64,
    ) -> Result<VlmPointer, SetupError> {
        let cameras = scene.all_cameras(self.file());
        let known: Vec<_> = cameras.into_iter().map(|camera| camera.name).collect();
        let mut wanted = pointing.options.cameras.iter();
        if let Some(name) = wanted.find(|name| !known.contains(name)) {
            let name = name.clone();
            return Err(NoSuchCamera { name, known }.into());
        }
        let eyes = self.rgbd(scene, truth, noise, seed)?;
        let model = Arc::clone(&pointing.model);
        Ok(VlmPointer::new(eyes, model, pointing.options.clone()))
    }
}
