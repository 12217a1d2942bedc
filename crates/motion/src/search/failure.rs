use regrasp_api::{CollisionPair, ObjectId};

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
    #[error("no path around {} within {max_iterations} samples", names(objects))]
    PathBlocked {
        /// The objects, for the goal that fewest stand before.
        objects: Vec<ObjectId>,
        /// The budget.
        max_iterations: usize,
    },
    /// No path was found within the budget, and the arm itself is in the way of a
    /// straight line to any goal.
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

fn names(objects: &[ObjectId]) -> String {
    let texts = objects.iter().map(ToString::to_string);
    texts.collect::<Vec<_>>().join(", ")
}
