//! LIBERO's tasks.
//!
//! **What it does.** [`Problem`] reads a problem file (BDDL). [`LiberoTask`] finds its classes
//! among LIBERO's assets. With a seed it draws the start poses, or takes them from LIBERO's files
//! of initial states ([`Starts`]). The instance is judged by LIBERO's predicates exactly as LIBERO
//! tests them (`regrasp_ground_truth::success::Predicates`), and by a stricter condition of our
//! own. Facts about LIBERO come from its code or were measured: rooms in `arenas.yaml`,
//! orientations and joint limits of classes in `class.rs`.
//!
//! **What it does not do.** It ships none of LIBERO's files and simulates nothing. Objects that
//! LIBERO lets fall at the start, or pushes out of the floor, begin at rest where they would end.
//!
//! **Where to enter.** [`Assets::find`], [`LiberoTask::load`], [`LiberoTask::instantiate`]; for
//! many tasks [`LiberoTask::open`], which reads no model yet.
//!
//! # Invariants
//!
//! - The code does not depend on the set of problems: classes are looked up by name.
//! - The same file and seed give the same instance.
//! - Reading any problem file returns a value, or an error with line and column.

mod arena;
mod assets;
mod class;
mod draw;
mod error;
mod expression;
mod goal;
mod problem;
mod room;
mod starts;
mod task;
mod terms;

pub use arena::{Arena, Surface};
pub use assets::{Assets, ROOT_VARIABLE};
pub use error::{At, LiberoError};
pub use problem::{Atom, Instance, Problem, Region, problems_in};
pub use starts::Starts;
pub use task::{LiberoTask, START_RAD, classes_in, prompt_of};
pub use terms::terms;
