//! Reports rendered from templates.

mod fill;
pub(crate) mod view;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{BenchConfig, Key, Summary, Timing};

pub(crate) use fill::filled;
pub use view::{quoted, repeat_command};

/// Chart on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chart {
    /// Caption of the chart.
    pub title: String,
    /// Chart as an SVG element, inserted without escaping.
    pub svg: String,
}

/// Content of a report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Configuration of the run, with the flags that repeat an episode.
    pub config: &'a BenchConfig,
    /// Results.
    pub summary: &'a Summary,
    /// Times of the run.
    pub timing: &'a Timing,
    /// Charts, shown only in the HTML page.
    pub charts: Vec<Chart>,
    /// Pictures of episodes as PNG, shown only in the HTML page.
    pub pictures: BTreeMap<Key, Vec<u8>>,
}
