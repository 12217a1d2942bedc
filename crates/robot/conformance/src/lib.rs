//! Conformance check for skills.
//!
//! **What it does.** [`check`] calls a skill many times on fresh robots: with calls that its author
//! declares good, with hostile arguments from its schema, with a stop before some of its
//! actions, and twice with the same arguments. It returns a [`Report`] of all violated [`Rule`]s.
//!
//! **What it does not do.** It does not know the purpose of the skill: whether "pushed" means that
//! the object was pushed is for the author's own tests. It judges simulated time and commands only,
//! so a slow machine changes nothing; the wall time of a stop is reported, not judged.
//!
//! # Writing a skill
//!
//! `regrasp new skill NAME` creates a crate with a working skill and a test that runs this check. A
//! skill is one `impl` of [`regrasp_robot::Skill`]:
//!
//! 1. `Args`: a struct with `#[serde(deny_unknown_fields)]`, since a misspelt argument that is
//!    ignored moves an arm to the wrong place. Planners read the doc comments of its fields; a
//!    field that names an object is marked with [`regrasp_api::NAMES_OBJECT`].
//! 2. `precondition` looks and rejects; it moves nothing. Its results (the object, the place) are
//!    passed in `Task` to the other two functions.
//! 3. `run` moves only through [`regrasp_robot::Robot`] (`go`, `follow`, `grip`, `wait`). These
//!    plan around obstacles, monitor the motion, and turn an early end into a failure. Pass
//!    failures on with `?`: a swallowed failure hides a stop.
//! 4. `verify` looks at the world again, after it came to rest ([`regrasp_robot::Robot::settle`]),
//!    and compares it with the goal.
//! 5. `OPERATORS` declares preconditions and effects of a call ([`regrasp_api::Operator`]). The
//!    search-based planner knows the skill only by them; the check compares them with what is
//!    perceived after a good call.
//! 6. Every failure has a [`regrasp_api::Reason`] (its own with `Reason::Custom`) and one sentence
//!    with figures.
//!
//! ```no_run
//! # fn demo<S: regrasp_robot::Skill>(my_skill: &S, robot: impl Fn() -> regrasp_robot::Robot) {
//! let calls = [serde_json::json!({"object": "red cube"})];
//! let report = regrasp_conformance::check(my_skill, &robot, &calls);
//! assert!(report.is_conformant(), "{report}");
//! # }
//! ```
//!
//! Schemas are checked against their meta-schema by `jsonschema`, which the LLM planner uses for
//! arguments.

mod check;
mod hostile;
mod probe;
mod report;

pub use check::check;
pub use hostile::hostile_arguments;
pub use report::{Finding, Report, Rule};
