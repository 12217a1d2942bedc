//! What outlives a process, in one SQLite file: checkpoints of runs, failures with what
//! was done about them, and approvals. The only crate that knows SQLite.
//!
//! Where to enter: [`SqliteStore::open`], then the seams of `regrasp-api`:
//! [`RunStore`](regrasp_api::RunStore), [`FailureMemory`](regrasp_api::FailureMemory) and
//! [`ApprovalLog`](regrasp_api::ApprovalLog). The command line reads through
//! [`SqliteStore::runs`], [`SqliteStore::state`] and [`SqliteStore::cases`].
//!
//! What this crate does not do: it does not look into the state, the world or the result
//! that it keeps; it judges no failure; it deletes nothing but the world of a finished
//! run; and it does not share a file between machines, because SQLite's write-ahead log
//! needs the memory of one.
//!
//! | table | a row is | written by |
//! |---|---|---|
//! | `runs` | a run: key, owner, revision, result, last checkpoint | `claim`, `save`, `finish` |
//! | `cases` | a failure, what was done about it, and whether it helped | `FailureMemory::record` |
//! | `case_text` | the words of a case (FTS5 index over `cases`) | with its case |
//! | `approvals` | a kind of step: how often approved, incidents, clean streak | `ApprovalLog::record` |
//!
//! # Invariants
//!
//! - A run has one owner, and an opened store is one owner. Every write to a run compares
//!   the owner in the same statement or transaction, so of two writers one is refused with
//!   [`ConcurrentRun`](regrasp_api::StoreError::ConcurrentRun). Nothing else tells whether
//!   an owner is alive: only `resume` takes a run away from it.
//! - A change is one transaction: it is kept whole, or what was there before is.
//! - What returned `Ok` survives the death of the process at any instant. Whether it also
//!   survives a power cut is [`Durability`]'s choice; the file stays sound either way.
//! - [`similar`](regrasp_api::FailureMemory::similar) depends on which cases are kept, not
//!   on the order in which they came. Its order is: same skill first; then likeness of the
//!   text (BM25 over task, scene and skill); then how often the fix helped; then the text
//!   of the fix, so that it is total.
//! - No text breaks a query: words are quoted one by one, and texts of cases are cut at
//!   4096 bytes.
//! - A file that is not a store, or of a newer version, is refused and left as it is.
//!
//! # Why rusqlite
//!
//! Atomic, durable changes that several processes share, and a text index, are what
//! SQLite has done for decades; `rusqlite` is its usual binding and is maintained. It is
//! built in (`bundled`), so that the version is the same everywhere and FTS5 is there.

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
