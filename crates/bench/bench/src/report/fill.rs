//! Templates, filled in.
//!
//! `minijinja` fills them in: maintained, without dependencies but `serde`, and it escapes
//! whatever is put into a page whose name ends in `.html`, so that a text from a scene stays
//! text; pages share their frame with `extends`. (`askama` would check templates while compiling, for a tree of its own of macros
//! and parsers; here a test fills in every part.)

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
    /// One page with everything in it: no other file and no network is needed to read it.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if it cannot be filled in.
    pub fn html(&self) -> Result<String, BenchError> {
        filled("report.html", HTML, view(self))
    }

    /// The same without drawings and pictures, as Markdown.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if it cannot be filled in.
    pub fn markdown(&self) -> Result<String, BenchError> {
        filled("report.md", MARKDOWN, view(self))
    }
}

/// A template with all that it shows.
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
    // Names and sentences come from models, scenes and files.
    Ok(visible(&filled).into_owned())
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
