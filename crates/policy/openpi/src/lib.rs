//! Policies behind a WebSocket, as openpi's servers and clients speak, and others that took it up.
//!
//! **What it does.** [`OpenpiPolicies`] makes policies of a server: observations go out as
//! MessagePack with NumPy arrays, chunks of actions come back. A [`Mapping`] says what the server
//! calls things and how it lays them out. [`PolicyServer`] is the other side: episodes that were
//! played before ([`Track`]), as a policy for anybody's loop.
//!
//! **What it does not do.** It runs no model, and it knows no simulator. The server side has no TLS.
//!
//! **Where to enter.** [`OpenpiPolicies`], [`PolicyServer`] and [`Mapping`]; inside, `connection`
//! (what a client says, and when), `chunk` (what a row of numbers means), `sense` (what the robot
//! senses, as vectors), `picture`, `track` (where an arm is on an episode), `pack` and `array`
//! (what stands on the wire).
//!
//! # Invariants
//!
//! - Nothing waits longer than it may, whatever the other side does.
//! - What the other side sends is compared with what is there before anything is made of it:
//!   memory is bounded.
//! - A message is used as a whole or not at all. What is wrong is said with what there was.
//!
//! # The libraries behind it
//!
//! - `tokio-tungstenite` is the client's WebSocket, `axum` the server's. Each policy drives its
//!   own socket on a runtime of one thread, so that all of its time limits are in one place.
//! - `rmp` knows MessagePack's markers; reading is our own, since no reader of values bounds
//!   their number.
//! - `parking_lot` has locks without poison.
//! - `subtle` compares keys in a time that tells nothing about them.
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
pub use policy::{OpenpiOptions, OpenpiPolicies, OpenpiPolicy};
pub use sense::{Body, Sensed};
pub use serve::{PolicyServer, Scripts, ServeOptions};
pub use track::{Follower, Tick, Track};
pub use value::Value;
