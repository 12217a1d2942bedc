//! Planners of the commands: the choice of `--planner`, or the program's own planner.

use std::sync::OnceLock;

use regrasp::PlannerKind;
use regrasp::api::Planner;
use regrasp::planner::{AblatedPlanner, FeedbackLevel};

/// Planner of the program. Every command that plans uses it, and rejects `--planner`.
pub struct OwnPlanner {
    /// Name in reports.
    pub name: String,
    /// Version: a benchmark cannot be resumed with another one.
    pub version: Option<String>,
    /// Makes a planner without memory, for an episode.
    pub build: Box<dyn Fn() -> Box<dyn Planner> + Send + Sync>,
}

/// Planner that [`set_own_planner`] has set, before the command line is read.
static OWN: OnceLock<OwnPlanner> = OnceLock::new();

/// Sets the program's own planner. Only the first call counts.
pub(crate) fn set_own_planner(planner: OwnPlanner) {
    let _ = OWN.set(planner);
}

pub(crate) fn own_planner() -> Option<&'static OwnPlanner> {
    OWN.get()
}

/// Makes planners, one per episode.
pub(super) enum PlannerSource {
    Offline(PlannerKind),
    Own(&'static OwnPlanner),
    Model(crate::models::ModelSource),
}

impl PlannerSource {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Offline(kind) => kind.name().into(),
            Self::Own(own) => own.name.clone(),
            Self::Model(source) => source.name(),
        }
    }

    pub(super) fn version(&self) -> Option<String> {
        match self {
            Self::Own(own) => own.version.clone(),
            _ => None,
        }
    }

    /// Makes a planner without memory.
    pub(super) fn build(&self) -> Box<dyn Planner> {
        let planner = match self.feedback() {
            FeedbackLevel::Remedies => {
                let planner = AblatedPlanner::new(self.plain(), FeedbackLevel::Remedies);
                Box::new(planner.handing_over(self.hands_over()))
            }
            _ => self.plain(),
        };
        match self {
            Self::Offline(_) | Self::Own(_) => planner,
            // The reader comes first, because remedies are found for the goal that it reads.
            Self::Model(source) => source.reading_for(planner),
        }
    }

    fn hands_over(&self) -> bool {
        match self {
            Self::Offline(_) | Self::Own(_) => false,
            Self::Model(source) => source.hands_over,
        }
    }

    /// Makes a planner that gets no remedies.
    pub(super) fn plain(&self) -> Box<dyn Planner> {
        match self {
            Self::Offline(kind) => kind.build(),
            Self::Own(own) => (own.build)(),
            Self::Model(source) => source.build(),
        }
    }

    pub(super) fn is_offline(&self) -> bool {
        matches!(self, Self::Offline(_))
    }

    /// Detail of the failure reports. Only models need remedies from the task planner.
    pub(super) fn feedback(&self) -> FeedbackLevel {
        match self {
            Self::Offline(_) | Self::Own(_) => FeedbackLevel::Detail,
            Self::Model(source) => source.feedback,
        }
    }
}
