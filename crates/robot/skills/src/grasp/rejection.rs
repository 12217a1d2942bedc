//! Why a candidate is no grasp.

use regrasp_api::{MotionFailure, ObjectId};

/// Why one candidate is no grasp.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rejection {
    /// The gripper does not open that far.
    TooWide {
        /// Width of the object there, m.
        width_m: f64,
    },
    /// Too little of the object would be between the pads.
    TooFlat {
        /// Height that would be between them, m.
        overlap_m: f64,
    },
    /// The pads would not meet opposite surfaces squarely.
    Slanted,
    /// In the grasp the hand touches these.
    InCollision(Vec<ObjectId>),
    /// On its straight way there it touches these.
    BlockedApproach(Vec<ObjectId>),
    /// The arm does not get there.
    Unreachable(MotionFailure),
}

impl Rejection {
    /// The word that messages and figures use.
    pub(crate) fn cause(&self) -> &'static str {
        match self {
            Self::TooWide { .. } => "too_wide",
            Self::TooFlat { .. } => "too_flat",
            Self::Slanted => "slanted",
            Self::InCollision(_) => "in_collision",
            Self::BlockedApproach(_) => "blocked_approach",
            Self::Unreachable(_) => "unreachable",
        }
    }

    /// The things that it touches.
    pub(crate) fn blockers(&self) -> &[ObjectId] {
        match self {
            Self::InCollision(ids) | Self::BlockedApproach(ids) => ids,
            _ => &[],
        }
    }
}
