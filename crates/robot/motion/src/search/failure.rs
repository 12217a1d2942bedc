//! Why a search found no path.

use regrasp_api::{CollisionPair, ObjectId};

use super::problem::RanOut;

/// Why the search has no path. An outcome, not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchFailure {
    /// The start is outside the limits of a joint.
    #[error("joint {joint_idx} is outside its limits at the start")]
    StartOutsideLimits {
        /// Which joint, counted from 0.
        joint_idx: usize,
    },
    /// The arm touches something at the start.
    #[error("{} touches {} at the start", pair.link, pair.other)]
    StartInCollision {
        /// Who touches whom.
        pair: CollisionPair,
    },
    /// No goal is within the limits.
    #[error("every goal is outside the limits of a joint")]
    GoalOutsideLimits,
    /// The arm touches something at every goal.
    #[error("the arm touches something at every goal ({})", list(pairs))]
    GoalInCollision {
        /// One pair for each goal within the limits.
        pairs: Vec<CollisionPair>,
    },
    /// No path was found within the budget, and these objects are in the way: without
    /// them the arm could go straight to a goal.
    #[error("no path around {} within {ran_out}", names(objects))]
    PathBlocked {
        /// The objects, for the goal that fewest stand before.
        objects: Vec<ObjectId>,
        /// What ran out.
        ran_out: RanOut,
    },
    /// No path was found within the budget, and the arm itself is in the way of a
    /// straight line to any goal.
    #[error("no path within {ran_out}")]
    Budget {
        /// What ran out.
        ran_out: RanOut,
    },
}

impl SearchFailure {
    /// The reason as a slug, for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::StartOutsideLimits { .. } => "start_outside_limits",
            Self::StartInCollision { .. } => "start_in_collision",
            Self::GoalOutsideLimits => "goal_outside_limits",
            Self::GoalInCollision { .. } => "goal_in_collision",
            Self::PathBlocked { .. } => "path_blocked",
            Self::Budget { .. } => "no_path_found",
        }
    }

    /// What the search ran out of, if that is why it failed.
    pub fn ran_out(&self) -> Option<RanOut> {
        match self {
            Self::PathBlocked { ran_out, .. } | Self::Budget { ran_out } => Some(*ran_out),
            Self::StartOutsideLimits { .. }
            | Self::StartInCollision { .. }
            | Self::GoalOutsideLimits
            | Self::GoalInCollision { .. } => None,
        }
    }

    /// What stands in the way by name: obstacles, or links that the arm itself touches.
    pub fn objects(&self) -> Vec<&str> {
        match self {
            Self::StartInCollision { pair } => vec![&pair.other],
            Self::GoalInCollision { pairs } => pairs.iter().map(|p| p.other.as_str()).collect(),
            Self::PathBlocked { objects, .. } => objects.iter().map(ObjectId::as_str).collect(),
            Self::StartOutsideLimits { .. } | Self::GoalOutsideLimits | Self::Budget { .. } => {
                vec![]
            }
        }
    }
}

fn list(pairs: &[CollisionPair]) -> String {
    let texts = pairs
        .iter()
        .map(|p| format!("{} against {}", p.link, p.other));
    texts.collect::<Vec<_>>().join(", ")
}

fn names(objects: &[ObjectId]) -> String {
    let texts = objects.iter().map(ToString::to_string);
    texts.collect::<Vec<_>>().join(", ")
}
