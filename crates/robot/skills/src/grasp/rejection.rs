//! Reasons why a candidate is rejected as a grasp.

use regrasp_api::{MotionFailure, ObjectId};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rejection {
    /// The gripper does not open that far.
    TooWide {
        width_m: f64,
    },
    /// Too little of the object would be between the pads.
    TooFlat {
        overlap_m: f64,
    },
    /// The pads would not meet opposite surfaces squarely.
    Slanted,
    /// The hand collides with these objects in the grasp.
    InCollision(Vec<ObjectId>),
    /// The hand collides with these objects on its straight approach.
    BlockedApproach(Vec<ObjectId>),
    Unreachable(MotionFailure),
}

impl Rejection {
    /// Keyword for messages and measurements.
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

    pub(crate) fn blockers(&self) -> &[ObjectId] {
        match self {
            Self::InCollision(ids) | Self::BlockedApproach(ids) => ids,
            _ => &[],
        }
    }
}
