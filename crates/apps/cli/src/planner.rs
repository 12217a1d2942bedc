//! The planner that the command line asks for.

use std::sync::OnceLock;

use regrasp::PlannerKind;
use regrasp::api::Planner;
use regrasp::planner::{AblatedPlanner, FeedbackLevel};

/// A planner that a program brings. It plans in every command that asks one; `--planner` is
/// refused beside it.
pub struct OwnPlanner {
    /// The name that reports use.
    pub name: String,
    /// Its version: a benchmark is not resumed with another one.
    pub version: Option<String>,
    /// Makes one that remembers nothing yet, for an episode.
    pub build: Box<dyn Fn() -> Box<dyn Planner> + Send + Sync>,
}

/// A program has one command line, so that this is set once, before the command line is read.
static OWN: OnceLock<OwnPlanner> = OnceLock::new();

/// Sets the program's own planner. Only the first call counts.
pub(crate) fn bring_planner(planner: OwnPlanner) {
    let _ = OWN.set(planner);
}

/// The program's own planner, if it has one.
pub(crate) fn own_planner() -> Option<&'static OwnPlanner> {
    OWN.get()
}

/// Makes planners, one an episode.
pub(super) enum PlannerSource {
    /// One that needs no model.
    Offline(PlannerKind),
    /// The program's own.
    Own(&'static OwnPlanner),
    /// One that asks a model.
    #[cfg(feature = "models")]
    Model(crate::models::ModelSource),
}

impl PlannerSource {
    /// The name that reports use.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Offline(kind) => kind.name().into(),
            Self::Own(own) => own.name.clone(),
            #[cfg(feature = "models")]
            Self::Model(source) => source.name(),
        }
    }

    /// Its version, if it says one.
    pub(super) fn version(&self) -> Option<String> {
        match self {
            Self::Own(own) => own.version.clone(),
            _ => None,
        }
    }

    /// A planner that remembers nothing yet.
    pub(super) fn build(&self) -> Box<dyn Planner> {
        match self.feedback() {
            FeedbackLevel::Remedies => {
                let planner = AblatedPlanner::new(self.plain(), FeedbackLevel::Remedies);
                Box::new(planner.handing_over(self.hands_over()))
            }
            _ => self.plain(),
        }
    }

    fn hands_over(&self) -> bool {
        match self {
            Self::Offline(_) | Self::Own(_) => false,
            #[cfg(feature = "models")]
            Self::Model(source) => source.hands_over(),
        }
    }

    /// The same, told no remedies.
    pub(super) fn plain(&self) -> Box<dyn Planner> {
        match self {
            Self::Offline(kind) => kind.build(),
            Self::Own(own) => (own.build)(),
            #[cfg(feature = "models")]
            Self::Model(source) => source.build(),
        }
    }

    /// Returns true if it asks nobody.
    pub(super) fn is_offline(&self) -> bool {
        matches!(self, Self::Offline(_))
    }

    /// How much it is told of failures: a model gets the remedies that the task planner finds,
    /// the task planner finds its own.
    pub(super) fn feedback(&self) -> FeedbackLevel {
        match self {
            Self::Offline(_) | Self::Own(_) => FeedbackLevel::Detail,
            #[cfg(feature = "models")]
            Self::Model(source) => source.feedback(),
        }
    }
}
