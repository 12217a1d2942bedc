//! One motion for the arm's thread, and how it ended.

use std::time::Duration;

use franka::FrankaError;
use regrasp_api::CancelToken;

use crate::brake::Brakes;
use crate::checks::{Checks, Fired};
use crate::limits::Joints;

/// Everything that a motion needs. It is made and dropped by whoever orders it, so that the arm's
/// thread need not.
pub(crate) struct Job {
    pub(crate) id: u64,
    /// Positions, cycle by cycle; the first is what the arm is commanded now.
    pub(crate) commands: Vec<Joints>,
    /// True if the last command is not at rest.
    pub(crate) ends_moving: bool,
    pub(crate) checks: Checks,
    pub(crate) cancel: CancelToken,
    pub(crate) brakes: Brakes,
    pub(crate) stale: Duration,
    pub(crate) lost_controller: Duration,
    /// How far the arm may be commanded from the first position, rad.
    pub(crate) start_tolerance: f64,
    pub(crate) outcome: Outcome,
}

/// How a motion ended.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) end: Option<End>,
    pub(crate) duration_ms: u64,
    /// From when a stop was noticed until the arm was commanded to stand, ms.
    pub(crate) stopped_within_ms: Option<u64>,
    /// Largest distance of a joint from its command, rad.
    pub(crate) peak_lag: f64,
}

#[derive(Debug)]
pub(crate) enum End {
    Completed,
    Cancelled { at_ms: u64 },
    Fired { fired: Fired, at_ms: u64 },
    Aborted(Abort),
    Failed(FrankaError),
}

/// Why a motion was ended from this side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Abort {
    /// No state came for so long, ms.
    Stale { gap_ms: u64 },
    /// Whoever ordered it was not heard of for so long, ms.
    LostController { silent_ms: u64 },
    /// Another position was commanded than the motion begins with: joint and distance, rad.
    Elsewhere { joint: usize, off: f64 },
    /// Nobody needs the arm any more.
    ShutDown,
}
