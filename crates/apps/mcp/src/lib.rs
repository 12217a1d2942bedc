//! A robot's skills as tools of the Model Context Protocol (MCP), for any agent.
//!
//! **What it does.** [`McpServer`] offers each skill of a [`regrasp_session::Session`] as a tool
//! with its schema, and a few more tools: `observe`, `status`, `plan_check`, `run`, `stop`,
//! `reset`, and with [`Unasked::Wait`] `answer`. A failed skill is a result with `isError` and the
//! structured reason, so that the client's model can react; only a call that cannot be routed (an
//! unknown tool) is a protocol error. Clients connect over standard input and output ([`stdio`])
//! or HTTP ([`http`]).
//!
//! **What it does not do.** It moves nothing itself and keeps no state of the robot: the session
//! does.
//!
//! **Where to enter.** [`McpServer::new`]; inside, `tools` (the offered tools) and `call` (handling
//! of calls).
//!
//! # Invariants
//!
//! - There is one robot: calls that use it wait for each other, in order of arrival. At most
//!   [`Limits::waiting`] of them run or wait.
//! - When a client cancels its running call, the arm stops at the world's next step and holds its
//!   position; a cancelled call that still waits never begins.
//! - A step that the policy calls critical waits for a person, whom the client asks by the
//!   protocol's elicitation; only an explicit yes approves. For a client without elicitation
//!   [`Unasked`] decides. A refusal is a result with `isError` and the reason `approval_denied`.
//! - `plan_check` rehearses in a copy of the world and changes nothing else.
//! - The number of calls in a protocol session is limited ([`Limits::calls`]), and so is the length
//!   of their arguments.
//!
//! # The libraries behind it
//!
//! - `rmcp` is the protocol's official SDK for Rust: framing, versions, cancellation, progress,
//!   and HTTP with checks of Host and Origin.
//! - `axum` serves HTTP, as it does for the live page.
//! - `parking_lot` has locks without poisoning, as in the session.
//! - `strum` derives the names of tools.
//! - `subtle` compares tokens in constant time.

mod arguments;
mod call;
mod http;
mod job;
mod parked;
mod question;
mod server;
mod tools;

pub use http::{HttpOptions, http};
pub use question::Unasked;
pub use server::{Limits, McpError, McpServer, stdio};
