//! Going back in time, which simulators can.

use serde::{Deserialize, Serialize};

/// A frozen copy of a world. Opaque; restoring it continues bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The encoded state.
    pub bytes: Vec<u8>,
}

/// A snapshot that cannot be taken or restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this world.
    #[error("decode the snapshot: {0}")]
    Corrupt(String),
    /// The snapshot was taken of another scene or robot.
    #[error("restore the snapshot: it was taken of another world ({0})")]
    OtherWorld(String),
}

/// A world whose whole state can be frozen and put back. A real arm has none of this.
pub trait Rewind {
    /// Freezes the whole state, random state included.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;

    /// Puts a frozen state back; what follows is bit-identical to what followed it
    /// the first time.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;

    /// A 64-bit hash over the exact bits of the state.
    fn state_digest(&self) -> u64;
}
