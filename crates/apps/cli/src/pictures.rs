//! Options of the pictures for a model.

use clap::Args;
use regrasp::PictureOptions;

use crate::PlannerSource;
use crate::scope;

#[derive(Args, Clone, Debug)]
pub(super) struct PictureArguments {
    /// Cameras whose pictures the model gets: `scene`, `top`, `wrist`, or one that the scene file
    /// declares. Default: `scene`.
    #[arg(long = "camera", value_name = "NAME", value_delimiter = ',', group = scope::CAMERAS)]
    pub(super) cameras: Vec<String>,
    /// Send no pictures to the planning model.
    #[arg(long, conflicts_with = "marks", group = scope::SHOWN)]
    no_pictures: bool,
    /// Number the known objects in the pictures for the planning model, and list the numbers
    /// beside the objects' names.
    #[arg(long, group = scope::SHOWN)]
    marks: bool,
}

impl PictureArguments {
    pub(super) fn cameras(&self) -> Vec<String> {
        match self.cameras.as_slice() {
            [] => PictureOptions::default().cameras,
            named => named.to_vec(),
        }
    }

    /// Pictures for a planner; `None` if it uses no model or no pictures.
    pub(super) fn options(&self, planner: &PlannerSource) -> Option<PictureOptions> {
        let is_model = matches!(planner, PlannerSource::Model(_));
        (is_model && !self.no_pictures).then(|| PictureOptions {
            cameras: self.cameras(),
            marks: self.marks,
        })
    }
}
