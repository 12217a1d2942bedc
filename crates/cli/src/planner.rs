//! The planner that the command line asks for.

use regrasp::PlannerKind;
use regrasp::api::Planner;
use regrasp::planner::{Telling, ToldPlanner};

/// Makes planners, one an episode.
pub(super) enum PlannerSource {
    /// One that needs no model.
    Offline(PlannerKind),
    /// One that asks a model.
    #[cfg(feature = "models")]
    Model(super::models::ModelSource),
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
