//! The planner that the command line asks for.

use regrasp::PlannerKind;
use regrasp::api::{CancelToken, Planner};
use regrasp::planner::{Telling, ToldPlanner};

use super::error::CliError;
use super::{AgentArguments, PlannerArgument};

/// Makes planners, one an episode.
pub(super) enum PlannerSource {
    /// One that needs no model.
    Offline(PlannerKind),
    /// One that asks a model.
    #[cfg(feature = "models")]
    Model(super::models::ModelSource),
}

impl AgentArguments {
    /// The planner that was asked for. A model is not asked any more once `cancel` is
    /// cancelled.
    #[cfg_attr(
        not(feature = "models"),
        expect(unused_variables, reason = "offline planners answer at once")
    )]
    pub(super) fn planner(&self, cancel: &CancelToken) -> Result<PlannerSource, CliError> {
        #[cfg(feature = "models")]
        if let Some(provider) = super::models::provider(self.planner) {
            let source = self.model.source(provider, cancel)?;
            return Ok(PlannerSource::Model(source));
        }
        let kind = if self.planner == PlannerArgument::Stub {
            PlannerKind::Stub
        } else {
            PlannerKind::Feedback
        };
        #[cfg(feature = "models")]
        self.refuse(kind)?;
        Ok(PlannerSource::Offline(kind))
    }
}

impl AgentArguments {
    /// The same for somebody who watches one run: a line says how far a model has come.
    #[cfg(feature = "models")]
    pub(super) fn watched(&self) -> Self {
        let mut watched = self.clone();
        watched.model.shows_thinking = true;
        watched
    }

    /// The same; no planner takes its time.
    #[cfg(not(feature = "models"))]
    pub(super) fn watched(&self) -> Self {
        self.clone()
    }
}

#[cfg(feature = "models")]
impl AgentArguments {
    /// Arguments for a model are a mistake where none is asked.
    fn refuse(&self, kind: PlannerKind) -> Result<(), CliError> {
        // A model that only points has no plan to make.
        let points = self.pointing.pointer.is_some();
        let given = self.model.first_given().filter(|_| !points);
        match given.or_else(|| self.pictures.first_given(points)) {
            None => Ok(()),
            Some(argument) => Err(CliError::NoModelAsked {
                argument,
                planner: kind.name(),
            }),
        }
    }
}

impl PlannerSource {
    /// The name that reports use.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Offline(kind) => kind.name().into(),
            #[cfg(feature = "models")]
            Self::Model(source) => source.name(),
        }
    }

    /// A planner that remembers nothing yet.
    pub(super) fn build(&self) -> Box<dyn Planner> {
        match self.telling() {
            Telling::Remedies => Box::new(ToldPlanner::new(self.plain(), Telling::Remedies)),
            _ => self.plain(),
        }
    }

    /// The same, told no remedies.
    pub(super) fn plain(&self) -> Box<dyn Planner> {
        match self {
            Self::Offline(kind) => kind.build(),
            #[cfg(feature = "models")]
            Self::Model(source) => source.build(),
        }
    }

    /// Whether it asks nobody.
    pub(super) fn is_offline(&self) -> bool {
        matches!(self, Self::Offline(_))
    }

    /// How much it is told of failures: a model gets the remedies that the task planner finds,
    /// the task planner finds its own.
    pub(super) fn telling(&self) -> Telling {
        match self {
            Self::Offline(_) => Telling::Detail,
            #[cfg(feature = "models")]
            Self::Model(source) => source.telling(),
        }
    }
}
