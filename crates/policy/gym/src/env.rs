//! A task as an environment.

use std::sync::Arc;

use regrasp::bench::DrawnTask;
use regrasp::{LoadedRobot, SceneView, SetupError};

use crate::episode::Episode;
use crate::{ControlMode, EnvError, EnvOptions, Layout, ObsMode, Observed, Picture, Result, Space};

/// A task as an environment with `reset` and `step`.
pub struct Env {
    pub(crate) loaded: Arc<LoadedRobot>,
    pub(crate) task: Arc<dyn DrawnTask>,
    pub(crate) options: EnvOptions,
    pub(crate) layout: Layout,
    pub(crate) space: Space,
    /// Seed of the sequence of instances.
    pub(crate) seed: u64,
    /// Instances drawn since the seed was set.
    pub(crate) n_drawn: u64,
    pub(crate) episode: Option<Episode>,
}

impl Env {
    /// Creates an environment that has not been reset.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if the options are invalid or the task has no baseline.
    pub fn new(
        loaded: Arc<LoadedRobot>,
        task: Arc<dyn DrawnTask>,
        options: EnvOptions,
    ) -> Result<Self, EnvError> {
        options.check()?;
        let baseline = task.draw(0).map_err(EnvError::Other)?;
        if options.control == ControlMode::Osc && task.terms(&baseline).is_none() {
            let why = format!(
                "the task `{}` does not define the controller that `osc` needs",
                task.name()
            );
            return Err(EnvError::BadOption("control_mode", why));
        }
        let info = loaded.info(&baseline.scene.world_from_base);
        if options.obs != ObsMode::State {
            let view = SceneView::new(&loaded, &baseline.scene)?;
            let known = view.check_camera_names(&options.cameras);
            known.map_err(SetupError::from)?;
        }
        let (base, tool) = (&loaded.file().base_link, &loaded.file().tool_link);
        let chain = loaded.model().chain(base, tool).map_err(SetupError::from)?;
        let limits = chain.limits().iter();
        let limits = limits.map(|joint| [joint.lower, joint.upper]);
        let limits: Vec<_> = limits.collect();
        let space = Space::of(options.control, &limits, &info);
        Ok(Self {
            layout: Layout::new(&info, &baseline, options.control == ControlMode::Osc),
            loaded,
            task,
            options,
            space,
            seed: 0,
            n_drawn: 0,
            episode: None,
        })
    }

    /// Layout of the observations.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Action space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Options of the environment.
    pub fn options(&self) -> &EnvOptions {
        &self.options
    }

    /// Task of the environment.
    pub fn task(&self) -> &dyn DrawnTask {
        self.task.as_ref()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.episode.as_ref().is_some_and(|episode| episode.is_over)
    }

    /// Hash of the exact bits of the world's state; `None` before the first reset.
    pub fn state_digest(&mut self) -> Option<u64> {
        self.episode.as_mut()?.cell.robot.state_digest()
    }

    /// Returns the current observation.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if `reset` has not been called or the robot does not respond.
    pub fn observe(&mut self) -> Result<Observed, EnvError> {
        let episode = self.episode.as_mut().ok_or(EnvError::NOT_RESET)?;
        episode.observed(&self.layout, &self.options)
    }

    /// Renders a picture from any camera of the scene, including those that are not observed.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if `reset` has not been called or the camera does not exist.
    pub fn render(&mut self, camera: &str, size: [u32; 2]) -> Result<Picture> {
        let episode = self.episode.as_mut().ok_or(EnvError::NOT_RESET)?;
        let truth = episode.truth.truth();
        episode.picture(&self.loaded, &truth, camera, size)
    }
}
