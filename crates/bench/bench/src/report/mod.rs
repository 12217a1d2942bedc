//! Reports for people, out of templates.

mod command;
mod fill;
pub(crate) mod view;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{BenchConfig, Key, Summary, Timing};

pub use command::{quoted, repeat_command};
pub(crate) use fill::filled;

/// A drawing for the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The drawing, as an SVG element. It is put in as it is.
    pub svg: String,
}

/// Everything that reports tell.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What was asked for, with the flags that repeat an episode.
    pub config: &'a BenchConfig,
    /// What was found.
    pub summary: &'a Summary,
    /// How long it took.
    pub timing: &'a Timing,
    /// Drawings, for the page only.
    pub charts: Vec<Chart>,
    /// Pictures of episodes as PNG, for the page only.
    pub pictures: BTreeMap<Key, Vec<u8>>,
}
