//! Failures of motion planning.

use serde::{Deserialize, Serialize};

use crate::{Failure, ObjectId, Phase, Pose, Reason};

/// Pair of bodies that would touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionPair {
    /// Link of the arm, or the id of the held object.
    pub link: String,
    /// Obstacle or another link.
    pub other: String,
}

/// Grasp candidate with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeighedGrasp {
    /// Tool pose in World when the fingers close.
    pub world_from_tool: Pose,
    /// [`WeighedGrasp::TAKEN`], [`WeighedGrasp::SPARE`], or the cause of the rejection
    /// (`in_collision`).
    pub verdict: String,
    /// Objects that hand or arm would touch.
    pub touches: Vec<ObjectId>,
}

impl WeighedGrasp {
    /// Verdict on the selected grasp.
    pub const TAKEN: &str = "taken";
    /// Verdict on a feasible grasp that was not selected, since it suits the next step less well.
    pub const SPARE: &str = "spare";
}

/// Failure of motion planning. An outcome, not an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionFailure {
    /// No configuration reaches any of the goals, even without obstacles.
    #[error("{detail}")]
    Unreachable {
        /// One sentence with the remaining distance and the reach.
        detail: String,
        /// Distance between the tool and the nearest goal, m.
        pos_err_m: f64,
        /// Largest distance at which the goal counts as reached, m.
        tol_m: f64,
    },
    /// The arm is in collision at the start.
    #[error("{} touches {} at the start", pair.link, pair.other)]
    StartInCollision {
        /// Pair in contact.
        pair: CollisionPair,
    },
    /// Every reachable goal is in collision.
    #[error("every configuration at the goal collides ({})", list_pairs(pairs))]
    GoalInCollision {
        /// One pair for each goal that was tried.
        pairs: Vec<CollisionPair>,
    },
    /// The direction to keep upright leans too far at the start, or at the goal in every
    /// configuration that was found.
    #[error(
        "the object that has to stay upright leans by {:.1} degrees at the {end} (limit {:.1})",
        lean_rad.to_degrees(),
        within_rad.to_degrees()
    )]
    Leaning {
        /// `start` or `goal`.
        end: &'static str,
        /// Angle between the direction to keep upright and World's up, rad.
        lean_rad: f64,
        /// Largest permitted angle, rad.
        within_rad: f64,
    },
    /// The joint positions are invalid.
    #[error("{detail}")]
    BadTarget {
        /// Fault in one sentence.
        detail: String,
    },
    /// The goal is free but no collision-free path was found.
    #[error("no collision-free path was found ({})", list_pairs(blockers))]
    PathBlocked {
        /// Pairs that blocked the paths that were tried.
        blockers: Vec<CollisionPair>,
    },
}

fn list_pairs(pairs: &[CollisionPair]) -> String {
    let texts = pairs
        .iter()
        .map(|p| format!("{} against {}", p.link, p.other));
    texts.collect::<Vec<_>>().join(", ")
}

impl MotionFailure {
    /// Returns the reason for the skill's result.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unreachable { .. } | Self::Leaning { .. } => Reason::Unreachable,
            Self::BadTarget { .. } => Reason::BadArguments,
            Self::StartInCollision { .. } => Reason::StartInCollision,
            Self::GoalInCollision { .. } => Reason::GoalInCollision,
            Self::PathBlocked { .. } => Reason::PathBlocked,
        }
    }

    /// Returns the pairs that would touch.
    pub fn pairs(&self) -> &[CollisionPair] {
        match self {
            Self::Unreachable { .. } | Self::Leaning { .. } | Self::BadTarget { .. } => &[],
            Self::StartInCollision { pair } => std::slice::from_ref(pair),
            Self::GoalInCollision { pairs } => pairs,
            Self::PathBlocked { blockers } => blockers,
        }
    }

    /// Returns the obstacles or links that the arm would touch.
    pub fn blockers(&self) -> Vec<ObjectId> {
        let pairs = self.pairs();
        let mut ids: Vec<_> = pairs.iter().map(|p| ObjectId::new(&p.other)).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

impl From<MotionFailure> for Failure {
    fn from(failure: MotionFailure) -> Self {
        let base = Self::new(failure.reason(), failure.to_string())
            .in_phase(Phase::Plan)
            .about(failure.blockers());
        match failure {
            MotionFailure::Unreachable {
                pos_err_m, tol_m, ..
            } => base.measured("pos_err", pos_err_m, Some(tol_m), "m"),
            _ => base,
        }
    }
}
