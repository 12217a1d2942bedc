//! Reports for people, out of templates.
//!
//! `minijinja` fills them in: maintained, without dependencies but `serde`, and it escapes
//! whatever is put into a page whose name ends in `.html`, so that a text from a scene stays
//! text. (`askama` would check templates while compiling, for a tree of its own of macros
//! and parsers; here a test fills in every part.)

mod command;
mod view;

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};

pub use command::{quoted, repeat_command};
use view::View;

use crate::{BenchConfig, BenchError, Key, Summary, Timing};

const HTML: &str = include_str!("../../templates/report.html");
const MARKDOWN: &str = include_str!("../../templates/report.md");

/// A drawing for the page.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Report<'_> {
    /// One page with everything in it: no other file and no network is needed to read it.
    ///
    /// # Errors
    ///
    /// [`BenchError::Template`] if it cannot be filled in.
    pub fn html(&self) -> Result<String, BenchError> {
        self.fill("report.html", HTML)
    }

    /// The same without drawings and pictures, as Markdown.
    ///
    /// # Errors
    ///
    /// [`BenchError::Template`] if it cannot be filled in.
    pub fn markdown(&self) -> Result<String, BenchError> {
        self.fill("report.md", MARKDOWN)
    }

    fn fill(&self, name: &str, template: &str) -> Result<String, BenchError> {
        let mut templates = Environment::new();
        templates.set_auto_escape_callback(|name| match name.ends_with(".html") {
            true => AutoEscape::Html,
            false => AutoEscape::None,
        });
        templates.add_filter("cell", cell);
        templates.add_template(name, template)?;
        Ok(templates
            .get_template(name)?
            .render(Serde(View::new(self)))?)
    }
}

/// A text as it can stand in a cell of a Markdown table.
fn cell(text: String) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '|' => cell.push_str("\\|"),
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            '\n' | '\r' => cell.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' => {
                cell.push('\\');
                cell.push(c);
            }
            other => cell.push(other),
        }
    }
    cell
}
