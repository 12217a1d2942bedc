//! The live page: a robot session in a browser.
//!
//! **What it does.** A [`Server`] serves one page and speaks to it over a WebSocket: orders
//! come in, status, events and positions go out ([`protocol`]). The page shows the scene in
//! 3D, the steps with their reasons, the versions of the plan, and a timeline of the run so
//! far.
//!
//! **What it does not do.** It knows no simulator and no planner: all that is
//! [`regrasp_session::Session`]. It has no accounts: who has the token may use the page.
//!
//! **Where to enter.** [`Server::bind`] and [`Server::run`]; inside, `guard` (who may speak to
//! it at all), `control` (who may give orders), `socket` (one connection).
//!
//! # Who may do what
//!
//! - It listens on loopback. Anywhere else it demands a token, which a browser brings once in
//!   the address (`/?token=…`) and then in a cookie, and a program as `Authorization: Bearer`.
//! - `Host` must be a loopback name, an address, or a name that was allowed, so that no name
//!   that was rebound to this machine gets through. `Origin`, where a browser sends it, must
//!   be the page's own.
//! - One connection is in control: the first, until it leaves or gives control up. Others
//!   watch; what they order is refused, except a stop, which anybody may ask for. When the
//!   controller is gone, time stands still until somebody resumes or stops.
//! - A video of a run, and whatever else the program knows to make of a recording
//!   ([`regrasp_session::Export`]), is made when somebody asks for it: one file at a time, apart
//!   from the threads that serve, and no longer than somebody waits ([`ExportLimits`]).
//! - Messages are limited in size, number a second and number of connections. A message that
//!   is not understood is answered with what is wrong and changes nothing.
//!
//! # The libraries behind it
//!
//! - `axum` for HTTP and WebSockets: the server of the Tokio project, on `hyper` and
//!   `tungstenite`, and what other front ends of Regrasp can share. Only its features for
//!   HTTP/1, WebSockets, JSON and query strings are compiled.
//! - `three` (three.js) draws the 3D view in the browser. Rerun's web viewer was the other
//!   candidate: it shows recordings well, but takes no orders by a drag or a click, and
//!   needs 8 to 10 s to its first picture. three.js is the one
//!   library that `build.rs` takes from npm; `esbuild` bundles it with the page's own module
//!   into one file (0.6 MB), which becomes a part of the program: nothing is loaded from
//!   elsewhere. All other modules of the page need no library and no build.
//! - `parking_lot` has locks without poison, as in the session.
//! - `subtle` compares tokens in a time that tells nothing about them.
//! - `tokio-util` has the token that ends connections and exports when the server closes.
//! - `tempfile` makes the folder in which an export grows, and removes it whatever happens.
//! - `zip` packs a run's folder, without compression: it is meant for this machine.
//! - `xxhash-rust` names meshes by their content, so that browsers keep them.

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
