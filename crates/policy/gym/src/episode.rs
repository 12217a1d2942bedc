//! A running episode.

use std::sync::Arc;

use regrasp::ground_truth::{GroundTruth, GroundTruthSource};
use regrasp::policy::{PolicyTerms, ServoGoal, Steering};
use regrasp::render::SoftwareRenderer;
use regrasp::scene::TaskInstance;
use regrasp::{Cell, SceneView};

pub(crate) struct Episode {
    pub(crate) instance: TaskInstance,
    pub(crate) cell: Cell,
    pub(crate) truth: Arc<dyn GroundTruthSource>,
    pub(crate) steering: Steering,
    /// Replaces the steering if the terms of another benchmark apply.
    pub(crate) servo_goal: Option<(ServoGoal, PolicyTerms)>,
    pub(crate) first: GroundTruth,
    /// Ground truths since the condition first held, for conditions that must hold for some time.
    pub(crate) since: Vec<GroundTruth>,
    pub(crate) n_steps: u64,
    pub(crate) max_steps: u64,
    pub(crate) is_over: bool,
    pub(crate) view: Option<SceneView>,
    pub(crate) renderer: SoftwareRenderer,
}
