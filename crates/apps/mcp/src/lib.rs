//! Any agent at the controls: a robot's skills as tools of the Model Context Protocol (MCP).
//!
//! **What it does.** [`McpServer`] offers each skill of a [`regrasp_session::Session`] as a tool
//! with its schema, and a few tools more: `observe`, `status`, `plan_check`, `run`, `stop`
//! and `reset`. A skill that fails is a result with `isError` and the structured reason,
//! so that the model behind the client can do better; only what cannot be routed at all (an
//! unknown tool) is an error of the protocol. Over standard input and output ([`stdio`]) or
//! HTTP ([`http`]).
//!
//! **What it does not do.** It moves nothing itself and keeps no state of the robot: the
//! session does.
//!
//! **Where to enter.** [`McpServer::new`]; inside, `tools` (what is offered) and `call` (what
//! becomes of a call).
//!
//! # Invariants
//!
//! - There is one robot: calls that use it wait for each other, in the order they came, and at
//!   most [`Limits::waiting`] of them.
//! - A call that its client cancels stops the arm at the world's next step and holds; one that
//!   still waits never begins.
//! - A step that the policy calls critical waits for a person, whom the client asks by the
//!   protocol's elicitation; only a plain yes is one. Where a client has no elicitation,
//!   [`Unasked`] decides. A no is a result with `isError` and the reason `approval_denied`.
//! - `plan_check` rehearses in a copy of the world: nothing that anybody can see changes.
//! - The calls of a session of the protocol are limited in number ([`Limits::calls`]), and so is
//!   the length of their arguments.
//!
//! # The libraries behind it
//!
//! - `rmcp` is the protocol's official SDK for Rust: framing, versions, cancellation, progress,
//!   and HTTP with checks of Host and Origin.
//! - `axum` serves HTTP, as it does for the live page.
//! - `parking_lot` has locks without poison, as in the session.
//! - `subtle` compares tokens in a time that tells nothing about them.

mod call;
mod http;
mod job;
mod own;
mod parked;
mod question;
mod robot;
mod server;
mod tools;

pub use http::{HttpOptions, http};
pub use question::Unasked;
pub use server::{Limits, McpError, McpServer, stdio};
