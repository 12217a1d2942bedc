//! Perception in which a model resolves phrases, and the choice of that model.

use std::sync::Arc;

use clap::Args;
use regrasp::api::CancelToken;
use regrasp::ground_truth::GroundTruthSource;
use regrasp::language::phrases;
use regrasp::scene::Scene;
use regrasp::{LoadedRobot, NoSuchCamera, Prepare, SetupError, SightOptions};
use regrasp_chat::{ChatModel, Provider};
use regrasp_llm_planner::{PointerOptions, VlmPointer};

use crate::models::{ModelArguments, provider_name};
use crate::pictures::PictureArguments;
use crate::{CliError, PerceptionArgument, PlannerSource, Result};

#[derive(Args, Clone, Debug)]
pub(super) struct PointingArguments {
    /// With --perception pointer: provider of the model that points. Default: that of the planner.
    #[arg(long, value_parser = provider_name(), value_name = "PROVIDER")]
    pub(super) pointer: Option<Provider>,
    /// With --perception pointer: also look for this object, such as "the cracked mug"; may be
    /// given several times. Objects that the command mentions are always looked for if the grammar
    /// parses their phrases.
    #[arg(long, value_name = "PHRASE")]
    find: Vec<String>,
}

impl PointingArguments {
    /// Settings of the model that points, if perception needs one.
    pub(super) fn source(
        &self,
        perception: PerceptionArgument,
        planner: &PlannerSource,
        (model, pictures): (&ModelArguments, &PictureArguments),
        cancel: &CancelToken,
    ) -> Result<Option<Pointing>> {
        let Self { pointer, find } = self;
        if perception != PerceptionArgument::Pointer {
            return Ok(None);
        }
        let (model, mode) = match (pointer, planner) {
            (Some(provider), PlannerSource::Offline(_) | PlannerSource::Own(_)) => {
                model.source(*provider, cancel)?.model()
            }
            // There is only one --model, so the same model plans and points.
            (_, PlannerSource::Model(source)) => source.model(),
            (None, PlannerSource::Offline(_) | PlannerSource::Own(_)) => {
                return Err(CliError::usage(
                    "choose the model that points for --perception pointer: give --pointer, or a \
                     --planner with a model",
                ));
            }
        };
        let options = PointerOptions {
            phrases: find.clone(),
            cameras: pictures.cameras(),
            mode,
            ..PointerOptions::default()
        };
        Ok(Some(Pointing { model, options }))
    }
}

/// Model that points, and its options.
#[derive(Clone, derive_more::Debug)]
#[debug("Pointing({}, {options:?})", model.model())]
pub struct Pointing {
    /// Chat model that is shown the pictures.
    pub model: Arc<dyn ChatModel>,
    /// Options of the requests. The model looks for their phrases, and for the objects that an
    /// episode's command mentions if the grammar parses their phrases.
    pub options: PointerOptions,
}

impl Pointing {
    /// Adds the phrases of a command.
    fn for_command(&self, command: &str) -> Self {
        let mut pointing = self.clone();
        let known = &mut pointing.options.phrases;
        for phrase in phrases(command) {
            if !known.contains(&phrase) {
                known.push(phrase);
            }
        }
        pointing
    }

    /// Creates a perception that sees `truth` only through the scene's cameras and resolves phrases
    /// with the model.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the scene does not have the cameras for the model's pictures, or the robot
    /// file names something that the URDF does not have.
    pub fn eyes(
        &self,
        loaded: &LoadedRobot,
        scene: &Scene,
        truth: Arc<dyn GroundTruthSource>,
        sight: &SightOptions,
        seed: u64,
    ) -> Result<VlmPointer, SetupError> {
        let cameras = scene.all_cameras(loaded.file());
        let known: Vec<_> = cameras.into_iter().map(|camera| camera.name).collect();
        let mut wanted = self.options.cameras.iter();
        if let Some(name) = wanted.find(|name| !known.contains(name)) {
            let name = name.clone();
            return Err(NoSuchCamera { name, known }.into());
        }
        let eyes = loaded.rgbd(scene, truth, sight, seed)?;
        Ok(VlmPointer::new(
            eyes,
            Arc::clone(&self.model),
            self.options.clone(),
        ))
    }

    /// Returns a preparation that gives this perception to the robot of an episode.
    pub fn prepare(&self, command: &str, sight: &SightOptions, seed: u64) -> Box<Prepare> {
        let pointing = self.for_command(command);
        let sight = sight.seeded(seed);
        Box::new(move |loaded, scene, mut cell| {
            let truth = Arc::clone(&cell.sim()?.truth);
            let eyes = pointing.eyes(loaded, scene, truth, &sight, seed)?;
            cell.robot.perception = Box::new(eyes);
            Ok(cell)
        })
    }
}
