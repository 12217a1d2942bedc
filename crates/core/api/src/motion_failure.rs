//! Reasons why there is no motion.

use serde::{Deserialize, Serialize};

use crate::{Failure, ObjectId, Phase, Pose, Reason};

/// Two things that would touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionPair {
    /// A link of the arm, or the id of what it holds.
    pub link: String,
    /// The obstacle, or another link.
    pub other: String,
}

/// A way to take hold of something, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeighedGrasp {
    /// Where the tool would be when the fingers close.
    pub world_from_tool: Pose,
    /// [`WeighedGrasp::TAKEN`], [`WeighedGrasp::SPARE`], or why it was dropped, as a word
    /// such as `in_collision`.
    pub verdict: String,
    /// What hand or arm would touch.
    pub touches: Vec<ObjectId>,
}

impl WeighedGrasp {
    /// The verdict on the grasp that is made.
    pub const TAKEN: &str = "taken";
    /// The verdict on one that works, but does not suit what comes next.
    pub const SPARE: &str = "spare";
}

/// Why there is no motion. An outcome, not an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionFailure {
    /// No configuration reaches any of the goals, obstacles or not.
    #[error("{detail}")]
    Unreachable {
        /// One sentence with the distance left and the reach.
        detail: String,
        /// Distance left between tool and the nearest goal, m.
        pos_err_m: f64,
        /// Tolerance, m.
        tol_m: f64,
    },
    /// The arm already touches something.
    #[error("{} touches {} at the start", pair.link, pair.other)]
    StartInCollision {
        /// Who touches whom.
        pair: CollisionPair,
    },
    /// Goals can be reached, but each touches something.
    #[error(
        "every way to reach the goal touches something ({})",
        list_pairs(pairs)
    )]
    GoalInCollision {
        /// One pair per goal that was tried.
        pairs: Vec<CollisionPair>,
    },
    /// What has to stay upright leans too far at the start or, there in every
    /// configuration that was found, at the goal.
    #[error(
        "what has to stay upright leans by {:.1} degrees at the {end}, more than the {:.1} that \
         are allowed",
        lean_rad.to_degrees(),
        within_rad.to_degrees()
    )]
    Leaning {
        /// `start` or `goal`.
        end: &'static str,
        /// How far it leans, rad.
        lean_rad: f64,
        /// How far it may, rad.
        within_rad: f64,
    },
    /// Joint positions that mean nothing.
    #[error("{detail}")]
    BadTarget {
        /// One sentence with what is wrong.
        detail: String,
    },
    /// The goal is free but no free path was found.
    #[error("no free path was found ({})", list_pairs(blockers))]
    PathBlocked {
        /// What the tried paths ran into.
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
    /// The reason slug a skill answers with.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unreachable { .. } | Self::Leaning { .. } => Reason::Unreachable,
            Self::BadTarget { .. } => Reason::BadArguments,
            Self::StartInCollision { .. } => Reason::StartInCollision,
            Self::GoalInCollision { .. } => Reason::GoalInCollision,
            Self::PathBlocked { .. } => Reason::PathBlocked,
        }
    }

    /// What would touch.
    pub fn pairs(&self) -> &[CollisionPair] {
        match self {
            Self::Unreachable { .. } | Self::Leaning { .. } | Self::BadTarget { .. } => &[],
            Self::StartInCollision { pair } => std::slice::from_ref(pair),
            Self::GoalInCollision { pairs } => pairs,
            Self::PathBlocked { blockers } => blockers,
        }
    }

    /// What the arm would touch: names of obstacles or links.
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
