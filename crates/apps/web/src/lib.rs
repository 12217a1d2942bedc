//! The live page: a robot session in a browser.
//!
//! **What it does.** A [`Server`] serves one page and speaks to it over a WebSocket: orders come
//! in; status, events and positions go out ([`protocol`]). The page shows the scene in 3D, the
//! steps with their reasons, the versions of the plan, and a timeline of the run so far.
//!
//! **What it does not do.** It contains no simulator and no planner: [`regrasp_session::Session`]
//! has them. It has no accounts: anyone with the token may use the page.
//!
//! **Where to enter.** [`Server::bind`] and [`Server::run`]; inside, `guard` (admission), `control`
//! (the right to give orders), `socket` (one connection).
//!
//! # Access
//!
//! - It listens on loopback. On any other address it requires a token. A browser sends it once in
//!   the address (`/?token=…`) and then in a cookie, a program as `Authorization: Bearer`.
//! - `Host` must be a loopback name, an address, or an allowed name, so that a name that was
//!   rebound to this machine is rejected. `Origin`, if sent, must be the page's own.
//! - One connection is in control: the first, until it leaves or gives up control. Others watch;
//!   their orders are rejected, except a stop. When the controller disconnects, a real robot is
//!   stopped, and simulated time is paused until somebody resumes or stops.
//! - A video of a run and other files made from a recording ([`regrasp_session::Export`]) are made
//!   on request: one at a time, not on the threads that serve, and only while the client waits
//!   ([`ExportLimits`]).
//! - The size, rate and number of messages and connections are limited. An invalid message is
//!   answered with the reason and changes nothing.
//!
//! # The libraries behind it
//!
//! - `axum` for HTTP and WebSockets: the server of the Tokio project, on `hyper` and `tungstenite`,
//!   which other front ends of Regrasp can share. Only its features for HTTP/1, WebSockets, JSON
//!   and query strings are compiled.
//! - `three` (three.js) draws the 3D view in the browser. Rerun's web viewer was the other
//!   candidate: it shows recordings well, but takes no orders by a drag or a click, and needs 8 to
//!   10 s to its first picture. three.js is the only library that `build.rs` takes from npm;
//!   `esbuild` bundles it with the page's own module into one file (0.6 MB) that is embedded in the
//!   program: nothing is loaded from elsewhere. All other modules of the page need no library and
//!   no build.
//! - `parking_lot` has locks without poisoning, as in the session.
//! - `subtle` compares tokens in constant time.
//! - `tokio-util` has the token that ends connections and exports when the server closes.
//! - `tempfile` makes the folder of an export and always removes it.
//! - `zip` packs a run's folder, without compression: it is meant for this machine.
//! - `xxhash-rust` names meshes by their content, so that browsers cache them.

mod assets;
mod control;
mod download;
mod error;
mod export;
mod guard;
mod http;
mod meshes;
pub mod protocol;
mod rate;
mod server;
mod shared;
mod socket;

pub use assets::HAS_3D;
pub use error::ServeError;
pub use server::{Server, ServerOptions, Stopper, serve_blocking};
pub use shared::ExportLimits;
