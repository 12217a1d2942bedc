//! One motion for the arm's thread, and how it ended.

use std::time::Duration;

use franka::FrankaError;
use regrasp_api::{CancelToken, FiredMonitor, MonitorChecks};

use crate::{Brakes, Joints};

/// Data of one motion. Allocated and dropped by the ordering thread, not by the arm's.
pub(crate) struct Job {
    pub(crate) id: u64,
    /// Positions, cycle by cycle; the first is the one commanded now.
    pub(crate) commands: Vec<Joints>,
    /// True if the last command is not at rest.
    pub(crate) ends_moving: bool,
    pub(crate) checks: MonitorChecks,
    pub(crate) cancel: CancelToken,
    pub(crate) brakes: Brakes,
    pub(crate) stale: Duration,
    pub(crate) lost_controller: Duration,
    /// Maximum distance between the position that the arm is commanded at the start and the first
    /// of `commands`, rad.
    pub(crate) start_tolerance: f64,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) end: Option<End>,
    pub(crate) duration_ms: u64,
    /// Time from noticing a stop until the arm was commanded to stand still, ms.
    pub(crate) stopped_within_ms: Option<u64>,
    /// Largest distance of a joint from its command, rad.
    pub(crate) peak_lag: f64,
}

#[derive(Debug)]
pub(crate) enum End {
    Completed,
    Cancelled { at_ms: u64 },
    Fired { fired: FiredMonitor, at_ms: u64 },
    Aborted(Abort),
    Failed(FrankaError),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Abort {
    /// No state arrived for this time, ms.
    Stale { gap_ms: u64 },
    /// No sign of life from the ordering thread for this time, ms.
    LostController { silent_ms: u64 },
    /// The commanded position differs from the motion's first one: joint and distance, rad.
    Elsewhere { joint: usize, off: f64 },
    /// The arm is being closed.
    ShutDown,
}
