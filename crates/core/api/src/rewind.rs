//! Snapshots of a world, which simulators can take and restore.

use serde::{Deserialize, Serialize};

/// Frozen copy of a world. Opaque; a restored world continues bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Encoded state.
    pub bytes: Vec<u8>,
}

/// Failure to take or restore a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this world.
    #[error("decode the snapshot: {0}")]
    Corrupt(String),
    /// The snapshot was taken of another scene or robot.
    #[error("restore the snapshot: it belongs to another world ({0})")]
    OtherWorld(String),
}

/// World whose whole state can be saved and restored. A real arm does not have this.
pub trait Rewind {
    /// Saves the whole state, including random state.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;

    /// Restores a saved state. The continuation is bit-identical to that after the snapshot.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;

    /// Returns a 64-bit hash of the exact bits of the state.
    fn state_digest(&self) -> u64;
}
