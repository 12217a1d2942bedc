use regrasp_api::CollisionPair;

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
    /// No path was found within the budget.
    #[error("no path within {max_iterations} samples")]
    Budget {
        /// The budget.
        max_iterations: usize,
    },
}

fn list(pairs: &[CollisionPair]) -> String {
    let texts = pairs
        .iter()
        .map(|p| format!("{} against {}", p.link, p.other));
    texts.collect::<Vec<_>>().join(", ")
}
