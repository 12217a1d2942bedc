//! A planner and a perception that query a vision-language model. This is the only crate with
//! prompts.
//!
//! Entry points, all for any [`ChatModel`](regrasp_chat::ChatModel):
//!
//! - [`VlmPlanner`] is a [`Planner`](regrasp_api::Planner) that asks a model for skill calls.
//! - [`VlmPointer`] is a [`Perception`](regrasp_api::Perception) that asks a model where an object
//!   is in the pictures, one object at a time. `regrasp-rgbd-perception`, which does not depend on
//!   models, finds the object's 3D shape.
//! - [`GoalReader`] asks a model only for a goal in the goal notation, for texts that the grammar
//!   does not understand. The task planner, or the planner for which it reads, finds the calls.
//!
//! A planner's question is one turn. It contains the rules and everything that is known now: the
//! task, the goal so far, objects with positions and relations, pictures, completed steps, and
//! failures with reason and figures. Skills are tools with the schemas of their argument types,
//! beside `done`, `achieve`, `infeasible` and `ask_user`. An answer is a list of calls in any of
//! the modes that the model supports ([`AnswerMode`](regrasp_chat::AnswerMode)); the same code
//! reads all modes.
//!
//! HTTP is left to `regrasp-chat`, and the judgement of outcomes to the agent.
//!
//! # Invariants
//!
//! - Each call of a model that reaches the agent fits the schema of its skill and names only known
//!   objects. Nothing is guessed or repaired: errors go back to the model once, in words, and then
//!   the plan fails.
//! - Text from the scene is data. It stands in one JSON block that it cannot close, with limited
//!   length and with control characters escaped. Object names that are not plain words are replaced
//!   by generated names.
//! - An object's position comes from measured depth. A pixel from the model only selects the
//!   object.
//! - The same requests and answers give the same plans; only the deadline of a plan depends on a
//!   clock.
//!
//! Schemas are checked by `jsonschema`, without its default features, which would fetch references
//! from the network.

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
pub(crate) use names::Names;
pub use options::{PlanningStyle, VlmOptions};
pub use planner::VlmPlanner;
pub use pointer::{PointerOptions, VlmPointer};
pub(crate) use prompt::Objection;
pub(crate) use text::{MAX_LABEL, MAX_SENTENCE, clean, json_line};
pub(crate) use toolbox::Toolbox;
