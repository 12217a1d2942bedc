//! Persistent data in one SQLite file: checkpoints of runs, failures with their fixes, and
//! approvals. This is the only crate that knows SQLite.
//!
//! Entry points: [`SqliteStore::open`], then the interfaces of `regrasp-api`:
//! [`RunStore`](regrasp_api::RunStore), [`FailureMemory`](regrasp_api::FailureMemory) and
//! [`ApprovalLog`](regrasp_api::ApprovalLog). The command line reads through [`SqliteStore::runs`],
//! [`SqliteStore::state`] and [`SqliteStore::cases`].
//!
//! This crate does not interpret the state, the world or the result that it stores, and judges no
//! failure. It deletes only the world of a finished run. Machines cannot share a file, because
//! SQLite's write-ahead log needs shared memory.
//!
//! | table | a row is | written by |
//! |---|---|---|
//! | `runs` | a run: key, owner, revision, result, last checkpoint | `claim`, `save`, `finish` |
//! | `cases` | a failure, its fix, and whether that helped | `FailureMemory::record` |
//! | `case_text` | the words of a case (FTS5 index over `cases`) | with its case |
//! | `approvals` | a kind of step: how often approved, incidents, clean streak | `ApprovalLog::record` |
//!
//! # Invariants
//!
//! - A run has one owner, and each opened store is one owner. Every write to a run compares the
//!   owner in the same statement or transaction, so one of two writers is rejected with
//!   [`ConcurrentRun`](regrasp_api::StoreError::ConcurrentRun). The store cannot tell whether an
//!   owner is alive: only `resume` takes a run from its owner.
//! - A change is one transaction: it is stored completely or not at all.
//! - A change that returned `Ok` survives the death of the process at any instant. [`Durability`]
//!   decides whether it also survives a power cut. The file stays valid in both cases.
//! - [`similar`](regrasp_api::FailureMemory::similar) depends on the stored cases, not on their
//!   order. It puts the same skill first, then sorts by similarity of the text (BM25 over task,
//!   scene and skill), by the success rate and the number of tries of the fix, and by its text, so
//!   that the order is total.
//! - No text breaks a query: words are quoted one by one, and texts of cases are truncated to 4096
//!   bytes.
//! - A file that is not a store, or of a newer version, is rejected and left unchanged.
//!
//! # Why rusqlite
//!
//! SQLite provides atomic, durable changes that several processes share, and a text index.
//! `rusqlite` is its usual binding and is maintained. SQLite is built in (`bundled`), so that its
//! version is the same everywhere and has FTS5.

mod approvals;
mod error;
mod log;
mod memory;
mod runs;
mod schema;
mod store;
mod words;

pub use runs::RunEntry;
pub use store::{Durability, SqliteStore, StoreOptions};
