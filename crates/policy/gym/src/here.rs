//! An episode on its way.

use std::sync::Arc;

use regrasp::ground_truth::{GroundTruth, GroundTruthSource};
use regrasp::policy::{PolicyTerms, Pull, Steering};
use regrasp::render::SoftwareRenderer;
use regrasp::scene::TaskInstance;
use regrasp::{Cell, SceneView};

/// An episode on its way.
pub(crate) struct Here {
    pub(crate) instance: TaskInstance,
    pub(crate) cell: Cell,
    pub(crate) truth: Arc<dyn GroundTruthSource>,
    pub(crate) steering: Steering,
    /// In place of the steering, on the terms of another benchmark.
    pub(crate) pull: Option<(Pull, PolicyTerms)>,
    pub(crate) first: GroundTruth,
    /// What came after the condition held, for one that has to go on holding.
    pub(crate) since: Vec<GroundTruth>,
    pub(crate) n_steps: u64,
    pub(crate) max_steps: u64,
    pub(crate) is_over: bool,
    pub(crate) view: Option<SceneView>,
    pub(crate) renderer: SoftwareRenderer,
}
