//! The live page's server over real sockets, with a real simulation behind it.

mod common;
mod control;
mod doors;
mod exports;
mod floods;
mod orders;
mod things;
mod verdicts;
