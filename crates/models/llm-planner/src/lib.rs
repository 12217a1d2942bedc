//! A planner and a perception that ask a vision-language model. The only crate that knows
//! prompts.
//!
//! Where to enter: [`VlmPlanner`], a [`Planner`](regrasp_api::Planner) like the offline
//! ones, and [`VlmPointer`], a [`Perception`](regrasp_api::Perception) like the others, both
//! over any [`ChatModel`](regrasp_chat::ChatModel).
//!
//! [`GoalReader`] asks for less: a goal in the notation for a text that the grammar does not read;
//! the task planner finds the calls.
//!
//! The pointer asks for one thing at a time: where in these pictures is it? What is there
//! in three dimensions is found by `regrasp-rgbd-perception`, which knows nothing of models.
//!
//! A planner's question is one turn: rules, and everything that is known now: the task, the goal so
//! far, objects with positions and relations, pictures, what was done and what failed, with
//! reason and figures. Skills are tools, with the schemas of their argument types, beside
//! `done`, `infeasible` and `ask_user`. An answer is a list of calls, by whichever of the
//! ways the model knows ([`AnswerMode`](regrasp_chat::AnswerMode)), and all ways are read
//! by the same code.
//!
//! It speaks no HTTP (that is `regrasp-chat`), and it judges
//! no outcome: what becomes of calls is the agent's business.
//!
//! # Invariants
//!
//! - No call reaches the agent whose arguments do not fit its skill's schema, or that
//!   names an object that is not known. Nothing is guessed or mended: what is wrong goes
//!   back to the model once, in words, and then the plan fails.
//! - Text that comes from the scene is data in a request: it stands in one block of JSON
//!   that it cannot close, capped, with control characters spelt out; names that are no
//!   plain words are replaced by names of our own.
//! - A thing is where depth was measured, never where a model says: a pixel is only a hint
//!   at what is meant.
//! - The same requests and answers give the same plans; nothing depends on a clock.
//!
//! Schemas are checked by `jsonschema`, without its default features, which would fetch
//! references from the network.

mod answer;
mod data;
mod goal_reader;
mod names;
mod options;
mod planner;
mod pointer;
mod prompt;
mod schema;
mod text;
mod toolbox;

pub use goal_reader::GoalReader;
pub use options::{PlanningStyle, VlmOptions};
pub use planner::VlmPlanner;
pub use pointer::{PointerOptions, VlmPointer};
