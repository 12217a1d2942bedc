//! Interpretation of a text in a scene, without executing it.

use regrasp_api::Viewpoint;
use regrasp_language::{Misunderstanding, ParseContext, Understood, understand};
use regrasp_scene::Scene;

use crate::{EpisodeError, LoadedRobot, SetupError};

impl LoadedRobot {
    /// Interprets a text in a scene that has come to rest, with ground-truth perception. Nothing
    /// moves.
    ///
    /// # Errors
    ///
    /// [`EpisodeError`] if the scene cannot be simulated; a text that is not understood is an error
    /// of the inner result.
    pub fn understand(
        &self,
        scene: &Scene,
        text: &str,
        viewpoint: Viewpoint,
    ) -> Result<Result<Understood, Misunderstanding>, EpisodeError> {
        let mut cell = self.cell(scene, Default::default(), Default::default())?;
        let observation = cell.robot.world.observe().map_err(SetupError::from)?;
        let percept = cell.robot.perception.perceive(&observation);
        let percept = percept.map_err(SetupError::from)?;
        let viewpoint = match viewpoint {
            Viewpoint::Robot => scene.viewpoint,
            other => other,
        };
        let world_from_base = &observation.world_from_base;
        Ok(understand(
            text,
            &ParseContext {
                percept: &percept,
                held: None,
                base: world_from_base.translation.vector.xy().into(),
                robot: Viewpoint::of_robot(world_from_base),
                viewpoint: viewpoint.or_of_robot(world_from_base),
                answers: &[],
            },
        ))
    }
}
