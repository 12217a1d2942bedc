//! Rendering of templates.
//!
//! Uses `minijinja`: it is maintained, depends only on `serde`, lets pages share a frame with
//! `extends`, and escapes values in templates whose name ends in `.html`, so that text from a scene
//! cannot become markup. `askama` would check templates at compile time, but adds many dependencies
//! for macros and parsers; here a test renders every part.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use regrasp_api::visible;
use serde::Serialize;

use super::Report;
use super::view::view;
use crate::BenchError;

const PAGE: &str = include_str!("../../templates/page.html");
const HTML: &str = include_str!("../../templates/report.html");
const MARKDOWN: &str = include_str!("../../templates/report.md");

impl Report<'_> {
    /// Renders one self-contained page, readable without other files or a network.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the template cannot be rendered.
    pub fn html(&self) -> Result<String, BenchError> {
        filled("report.html", HTML, view(self))
    }

    /// Renders the report as Markdown, without charts and pictures.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the template cannot be rendered.
    pub fn markdown(&self) -> Result<String, BenchError> {
        filled("report.md", MARKDOWN, view(self))
    }
}

pub(crate) fn filled(
    name: &str,
    template: &str,
    view: impl Serialize,
) -> Result<String, BenchError> {
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::None,
    });
    templates.add_filter("cell", cell);
    templates.add_template("page.html", PAGE)?;
    templates.add_template(name, template)?;
    let filled = templates.get_template(name)?.render(Serde(view))?;
    // Names and sentences from models, scenes and files may hold control or invisible characters.
    Ok(visible(&filled).into_owned())
}

/// Escapes a text for a cell of a Markdown table.
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
