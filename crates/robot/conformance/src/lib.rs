//! What every skill owes its callers, as a check that any skill can be run through.
//!
//! **What it does.** [`check`] calls a skill over and over on fresh robots: with the calls
//! its author says are good, with hostile arguments made from its schema, with a stop in
//! the middle of each motion, and twice alike. It answers with a [`Report`] of everything
//! that breaks one of the [`Rule`]s.
//!
//! **What it does not do.** It cannot know what the skill is for: whether "pushed" means
//! that the object was pushed is for the author's own tests. It looks at simulated time
//! and commands only, so a slow machine changes nothing; how long a stop took on the wall
//! clock is reported and not judged.
//!
//! # Writing a skill
//!
//! `regrasp new skill NAME` makes a crate with a skill that works and a test that runs it
//! through here. A skill is one `impl` of [`regrasp_robot::Skill`]:
//!
//! 1. `Args`: a struct with `#[serde(deny_unknown_fields)]`, since a misspelt argument that
//!    is ignored moves an arm to the wrong place. Doc comments of its fields are what
//!    planners read; a field that names an object is marked with
//!    [`regrasp_api::NAMES_OBJECT`].
//! 2. `precondition` looks and refuses; it moves nothing. What it found (the object, the
//!    place) travels in `Task` to the other two.
//! 3. `run` moves only through [`regrasp_robot::Robot`] (`go`, `follow`, `grip`, `wait`),
//!    which plan around the world, watch, and turn whatever ends a motion early into a
//!    failure. Pass failures on with `?`: a failure that is swallowed hides a stop.
//! 4. `verify` looks at the world again, after it came to rest
//!    ([`regrasp_robot::Robot::settle`]), and compares with what was promised.
//! 5. `OPERATORS` says what a call needs and brings about ([`regrasp_api::Operator`]): the
//!    planner that searches uses the skill by that alone, and it is held against what is seen
//!    after a good call.
//! 6. Every failure has a [`regrasp_api::Reason`] (its own with `Reason::Custom`) and one
//!    sentence with figures.
//!
//! ```no_run
//! # fn demo<S: regrasp_robot::Skill>(my_skill: &S, robot: impl Fn() -> regrasp_robot::Robot) {
//! let calls = [serde_json::json!({"object": "red cube"})];
//! let report = regrasp_conformance::check(my_skill, &robot, &calls);
//! assert!(report.is_conformant(), "{report}");
//! # }
//! ```
//!
//! Schemas are checked against their meta-schema by `jsonschema`, which the planner that
//! asks models uses for arguments.

mod check;
mod hostile;
mod probe;
mod report;

pub use check::check;
pub use hostile::hostile_arguments;
pub use report::{Finding, Report, Rule};
