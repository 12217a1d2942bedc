//! Options of the agent: planner, budgets, approval.

use std::path::PathBuf;

use clap::Args;
use regrasp::agent::AgentOptions;
use regrasp::api::{CancelToken, Viewpoint};
use regrasp::faults::Fault;
use regrasp::{EpisodeOptions, PlannerKind, SightOptions};

use crate::planner::own_planner;
use crate::policy::PolicyArguments;
use crate::scope;
use crate::values::{ApproveArgument, PlannerArgument, SenseArguments, viewpoint};
use crate::{
    FaultArguments, LiberoArguments, PerceptionArgument, PlannerSource, Result, RobotArguments,
    models, pictures, pointing,
};

#[derive(Args, Clone, Debug)]
pub(super) struct AgentArguments {
    /// Planner that turns the command into steps.
    #[arg(long, value_enum, default_value_t = PlannerArgument::Feedback, group = scope::PLANNER)]
    pub(super) planner: PlannerArgument,
    #[command(flatten)]
    pub(super) model: models::ModelArguments,
    #[command(flatten)]
    pub(super) pictures: pictures::PictureArguments,
    #[command(flatten)]
    pub(super) pointing: pointing::PointingArguments,
    /// Maximum number of replans after failures. Default: that of the settings, else 3.
    #[arg(long, group = scope::REPLANNING)]
    pub(super) max_replans: Option<usize>,
    /// Steps that wait for approval. Default: those of the settings, else critical steps.
    #[arg(long, value_enum, group = scope::REPLANNING)]
    pub(super) approve: Option<ApproveArgument>,
    /// Viewpoint for left and right: `robot`, or the position X,Y (World, metres) of a person or
    /// camera that looks at (0.5, 0), or X,Y,LOOK_X,LOOK_Y. Default: the scene's, else the robot's.
    #[arg(long, value_parser = viewpoint, allow_hyphen_values = true, group = scope::VIEWPOINT)]
    pub(super) viewpoint: Option<Viewpoint>,
    /// Allow the planner to repeat a failed call although the world has not changed since.
    #[arg(long, group = scope::REPLANNING)]
    pub(super) repeat_calls: bool,
    /// A file with agent settings; `regrasp config` lists them.
    #[arg(long, value_name = "FILE", group = scope::ALWAYS)]
    pub(super) config: Option<PathBuf>,
}

impl AgentArguments {
    /// Source of the program's own planner, else of the chosen one. A model gets no more requests
    /// once `cancel` is cancelled.
    pub(super) fn planner(&self, cancel: &CancelToken) -> Result<PlannerSource> {
        if let Some(own) = own_planner() {
            return Ok(PlannerSource::Own(own));
        }
        if let Some(provider) = models::provider(self.planner) {
            let source = self.model.source(provider, cancel)?;
            return Ok(PlannerSource::Model(source));
        }
        let kind = if self.planner == PlannerArgument::Stub {
            PlannerKind::Stub
        } else {
            PlannerKind::Feedback
        };
        Ok(PlannerSource::Offline(kind))
    }

    /// Arguments for a run with a person watching: a status line shows a model's progress.
    pub(super) fn watched(&self) -> Self {
        Self {
            model: self.model.watched(),
            ..self.clone()
        }
    }
}

/// Arguments that choose the robot, its perception, and its planner or policy.
#[derive(Args, Debug)]
pub(super) struct EpisodeArguments {
    #[command(flatten)]
    pub(super) senses: SenseArguments,
    #[command(flatten)]
    pub(super) agent: AgentArguments,
    #[command(flatten)]
    pub(super) policy: PolicyArguments,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
    #[command(flatten)]
    pub(super) libero: LiberoArguments,
}

impl EpisodeArguments {
    /// Settings that all episodes of a command share.
    pub(super) fn setup(
        &self,
        agent: AgentOptions,
        faults: &FaultArguments,
        planner: PlannerSource,
        cancel: &CancelToken,
    ) -> Result<EpisodeSetup> {
        let (perception, given) = (self.senses.perception, &self.agent);
        let models = (&given.model, &given.pictures);
        Ok(EpisodeSetup {
            sight: self.senses.sight(&self.libero)?,
            pointing: (given.pointing).source(perception, &planner, models, cancel)?,
            pictures: given.pictures.clone(),
            planner,
            perception,
            agent,
            faults: faults.fault.clone(),
        })
    }
}

pub(super) struct EpisodeSetup {
    pub(super) planner: PlannerSource,
    pub(super) agent: AgentOptions,
    perception: PerceptionArgument,
    sight: SightOptions,
    pointing: Option<pointing::Pointing>,
    pictures: pictures::PictureArguments,
    faults: Vec<Fault>,
}

impl EpisodeSetup {
    /// Options of an episode with the command `text`.
    pub(super) fn options(&self, text: &str, seed: u64) -> EpisodeOptions {
        let pointing = self.pointing.as_ref();
        EpisodeOptions {
            sight: self.sight.clone(),
            prepare: pointing.map(|pointing| pointing.prepare(text, &self.sight, seed)),
            pictures: self.pictures.options(&self.planner),
            planner: self.planner.build(),
            perception: self.perception.into(),
            agent: self.agent.clone(),
            seed,
            faults: self.faults.clone(),
            skills: crate::skills::skills(),
            ..EpisodeOptions::default()
        }
    }
}
