//! Policies behind a WebSocket with the protocol of openpi's servers and clients, which others have
//! adopted.
//!
//! **Purpose.** [`OpenpiPolicies`] creates policies of a server: observations are sent as
//! MessagePack with NumPy arrays, chunks of actions are received. A [`Mapping`] defines the keys
//! and layouts that a server expects. [`PolicyServer`] is the server side: it serves previously
//! played episodes ([`Track`]) as a policy for any control loop.
//!
//! **Out of scope.** Running models, and simulation. The server side has no TLS.
//!
//! **Entry points.** [`OpenpiPolicies`], [`PolicyServer`] and [`Mapping`]. Internally: `connection`
//! (the client's messages and their timing), `chunk` (meaning of rows), `sense` (state of the robot
//! as vectors), `picture`, `track` (position of an arm in an episode), `pack` and `array` (wire
//! format).
//!
//! # Invariants
//!
//! - Every operation has a time limit, whatever the peer does.
//! - Claimed lengths are checked against the received bytes before anything is allocated: memory is
//!   bounded.
//! - A message is used completely or not at all. Errors state what was received.
//!
//! # Dependencies
//!
//! - `tokio-tungstenite` is the client's WebSocket, `axum` the server's. Each policy drives its own
//!   socket on a runtime of one thread, so that all of its time limits are in one place.
//! - `rmp` writes MessagePack; the reader is our own, because available readers do not limit the
//!   number of values.
//! - `parking_lot` provides locks without poisoning.
//! - `subtle` compares keys in constant time.
//! - `half` reads NumPy's `<f2`, `image` decodes and resizes pictures.

mod address;
mod array;
mod chunk;
mod connection;
mod error;
mod mapping;
mod pack;
mod picture;
mod policy;
mod sense;
mod serve;
mod text;
mod track;
mod value;

pub use address::Address;
pub use array::NdArray;
pub use connection::MAX_MESSAGE;
pub use error::OpenpiError;
pub use mapping::{
    ActionLayout, ArmAction, Between, Dialect, Fit, Flip, Frame, GripperLayout, ImageEntry,
    Mapping, Numbers, SCHEMA, SCHEMA_NAME, StateEntry, StatePart,
};
pub use pack::{PackError, decode, encode};
pub use policy::{OpenpiPolicies, OpenpiPolicy};
pub use sense::{Body, Sensed};
pub use serve::{PolicyServer, Scripts, ServeOptions};
pub use track::{Follower, Tick, Track};
pub use value::Value;
