//! The agent with scripted planners and skills, in a world of three lines.

mod common;
mod engine;
mod episodes;
