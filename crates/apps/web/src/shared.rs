//! State that all connections share.

use std::sync::Arc;
use std::time::Duration;

use regrasp_session::Session;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::control::Control;
use crate::meshes::Meshes;

pub(crate) struct Shared {
    pub(crate) session: Arc<Session>,
    pub(crate) control: Control,
    pub(crate) meshes: Meshes,
    /// Permit for one picture at a time.
    pub(crate) easel: Arc<Semaphore>,
    /// Permit for one export at a time.
    pub(crate) studio: Arc<Semaphore>,
    pub(crate) exports: ExportLimits,
    pub(crate) closing: CancellationToken,
}

/// Limits of a file made from a run's recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct ExportLimits {
    /// Maximum size, bytes. Default 256 MiB, because the file is sent from memory.
    #[default(256 << 20)]
    pub bytes: u64,
    /// Maximum real time to make the file. Default 3 min, many times what a one-minute run takes.
    #[default(Duration::from_secs(180))]
    pub time: Duration,
}
