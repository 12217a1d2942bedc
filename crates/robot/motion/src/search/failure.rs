//! Reasons why a search finds no path.

use regrasp_api::{CollisionPair, ObjectId};

use super::problem::RanOut;

/// Reason why a search has no path. It is an outcome, not an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchFailure {
    /// The start is outside the limits of a joint.
    #[error("the start is outside the limits of a joint: {0}")]
    StartOutsideLimits(Excess),
    /// The arm touches something at the start.
    #[error("{} touches {} at the start{}", pair.link, pair.other, deep(*depth_m))]
    StartInCollision {
        /// The touching pair.
        pair: CollisionPair,
        /// Depth of the overlap, m; `None` if unknown.
        depth_m: Option<f64>,
    },
    /// Every goal is outside the joint limits.
    #[error("every goal is outside the limits of a joint: {}", joined(of))]
    GoalOutsideLimits {
        /// One joint per goal, in the order of the goals.
        of: Vec<Excess>,
    },
    /// The arm touches something at every goal.
    #[error("the arm touches something at every goal ({})", list(pairs, depths_m))]
    GoalInCollision {
        /// One pair for each goal within the limits.
        pairs: Vec<CollisionPair>,
        /// Depth of each overlap, m; `None` if unknown.
        depths_m: Vec<Option<f64>>,
    },
    /// No path was found within the budget, and these objects block the straight line to a goal.
    #[error("no path around {} was found within {ran_out}", joined(objects))]
    PathBlocked {
        /// Objects on the straight line to the goal with the fewest of them.
        objects: Vec<ObjectId>,
        /// Exhausted part of the budget.
        ran_out: RanOut,
    },
    /// No path was found within the budget, and no object is the cause: none is on the straight
    /// line to one of the goals, or the arm touches itself on the lines to all goals.
    #[error("no path was found within {ran_out}")]
    Budget {
        /// Exhausted part of the budget.
        ran_out: RanOut,
    },
}

/// A joint outside its limits.
#[derive(Clone, Debug, PartialEq, derive_more::Display)]
#[display("{joint} at {position:.4} is {:.4} past its limit {limit:.4}", (position - limit).abs())]
pub struct Excess {
    /// Name of the joint.
    pub joint: String,
    /// Position, rad or m.
    pub position: f64,
    /// Violated limit, rad or m.
    pub limit: f64,
}

impl SearchFailure {
    /// Machine-readable reason.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::StartOutsideLimits(_) => "start_outside_limits",
            Self::StartInCollision { .. } => "start_in_collision",
            Self::GoalOutsideLimits { .. } => "goal_outside_limits",
            Self::GoalInCollision { .. } => "goal_in_collision",
            Self::PathBlocked { .. } => "path_blocked",
            Self::Budget { .. } => "no_path_found",
        }
    }

    /// Exhausted part of the budget, if the budget is the reason.
    pub fn ran_out(&self) -> Option<RanOut> {
        match self {
            Self::PathBlocked { ran_out, .. } | Self::Budget { ran_out } => Some(*ran_out),
            Self::StartOutsideLimits(_)
            | Self::StartInCollision { .. }
            | Self::GoalOutsideLimits { .. }
            | Self::GoalInCollision { .. } => None,
        }
    }

    /// Names of the objects in the way: obstacles, or links that the arm itself touches.
    pub fn objects(&self) -> Vec<&str> {
        match self {
            Self::StartInCollision { pair, .. } => vec![&pair.other],
            Self::GoalInCollision { pairs, .. } => pairs.iter().map(|p| p.other.as_str()).collect(),
            Self::PathBlocked { objects, .. } => objects.iter().map(ObjectId::as_str).collect(),
            Self::StartOutsideLimits(_) | Self::GoalOutsideLimits { .. } | Self::Budget { .. } => {
                vec![]
            }
        }
    }
}

fn deep(depth_m: Option<f64>) -> String {
    depth_m.map_or_else(String::new, |depth| format!(", {depth:.4} m deep"))
}

fn list(pairs: &[CollisionPair], depths_m: &[Option<f64>]) -> String {
    let pairs = pairs.iter().zip(depths_m);
    let texts = pairs.map(|(p, depth)| format!("{} against {}{}", p.link, p.other, deep(*depth)));
    texts.collect::<Vec<_>>().join(", ")
}

fn joined(of: &[impl ToString]) -> String {
    let texts = of.iter().map(ToString::to_string);
    texts.collect::<Vec<_>>().join(", ")
}
