//! Why a search found no path.

use regrasp_api::{CollisionPair, ObjectId};

use super::problem::RanOut;

/// Why the search has no path. An outcome, not an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchFailure {
    /// The start is outside the limits of a joint.
    #[error("the start is outside the limits of a joint: {0}")]
    StartOutsideLimits(Excess),
    /// The arm touches something at the start.
    #[error("{} touches {} at the start{}", pair.link, pair.other, deep(*depth_m))]
    StartInCollision {
        /// Who touches whom.
        pair: CollisionPair,
        /// Depth of the overlap, m; `None` if that is not known.
        depth_m: Option<f64>,
    },
    /// No goal is within the limits: one joint for each of them.
    #[error("every goal is outside the limits of a joint: {}", joined(of))]
    GoalOutsideLimits {
        /// In the order of the goals.
        of: Vec<Excess>,
    },
    /// The arm touches something at every goal.
    #[error("the arm touches something at every goal ({})", list(pairs, depths_m))]
    GoalInCollision {
        /// One pair for each goal within the limits.
        pairs: Vec<CollisionPair>,
        /// Depth of each overlap, m; `None` if that is not known.
        depths_m: Vec<Option<f64>>,
    },
    /// No path was found within the budget, and these objects are in the way: without
    /// them the arm could go straight to a goal.
    #[error("no path around {} within {ran_out}", joined(objects))]
    PathBlocked {
        /// The objects, for the goal that fewest stand before.
        objects: Vec<ObjectId>,
        /// The exhausted part of the budget.
        ran_out: RanOut,
    },
    /// No path was found within the budget, and the arm itself is in the way of a
    /// straight line to any goal.
    #[error("no path within {ran_out}")]
    Budget {
        /// The exhausted part of the budget.
        ran_out: RanOut,
    },
}

/// A joint that is outside its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// Its name.
    pub joint: String,
    /// Its position, rad or m.
    pub position: f64,
    /// The limit that it is beyond, rad or m.
    pub limit: f64,
}

impl std::fmt::Display for Excess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            joint,
            position,
            limit,
        } = self;
        let by = (position - limit).abs();
        write!(f, "{joint} at {position:.4} is {by:.4} beyond {limit:.4}")
    }
}

impl SearchFailure {
    /// The reason as a slug, for programs.
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

    /// The exhausted part of the budget, if that is why it failed.
    pub fn ran_out(&self) -> Option<RanOut> {
        match self {
            Self::PathBlocked { ran_out, .. } | Self::Budget { ran_out } => Some(*ran_out),
            Self::StartOutsideLimits(_)
            | Self::StartInCollision { .. }
            | Self::GoalOutsideLimits { .. }
            | Self::GoalInCollision { .. } => None,
        }
    }

    /// Names of what stands in the way: obstacles, or links that the arm itself touches.
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
