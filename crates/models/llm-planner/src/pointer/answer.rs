//! Reads where a model points.

use regrasp_chat::{ChatAnswer, Tool, ToolCall};
use regrasp_rgbd_perception::Region;

use super::question::{BOX, NOT_THERE, POINT};
use crate::answer::{calls_of, opened, text_of};
use crate::schema::errors;
use crate::{MAX_SENTENCE, clean};

pub(super) enum Pointed {
    /// The object is in this region of a camera's picture.
    At { camera: String, region: Region },
    /// The object is in none of the pictures.
    NotThere { why: String },
}

/// Returns where the single call of an answer points, or the error of the answer.
pub(super) fn read(answer: &ChatAnswer, tools: &[Tool]) -> Result<Pointed, String> {
    let calls = calls_of(answer, |name| tools.iter().any(|tool| tool.name == name))?;
    let n = calls.len();
    let [call] = <[ToolCall; 1]>::try_from(calls).map_err(|_| match n {
        0 => format!("it makes no call. Call `{POINT}`, `{BOX}` or `{NOT_THERE}`."),
        _ => format!("it makes {n} calls, and exactly one is wanted."),
    })?;
    let name = call.name.clone();
    let tool = tools.iter().find(|tool| tool.name == name);
    let known = format!("{POINT}, {BOX}, {NOT_THERE}");
    let (schema, arguments) = opened(call, tool.map(|tool| &tool.schema), &known)?;
    let wrong = errors(schema, &arguments);
    if !wrong.is_empty() {
        let wrong: Vec<_> = wrong.iter().map(|w| clean(w, MAX_SENTENCE)).collect();
        return Err(format!("{name}: {}", wrong.join("; ")));
    }
    let figures = |names: [&str; 2]| names.map(|it| arguments[it].as_f64().unwrap_or_default());
    let region = match name.as_str() {
        POINT => Region::Point(figures(["x", "y"])),
        BOX => {
            let [min, max] = [["x_min", "y_min"], ["x_max", "y_max"]].map(figures);
            if (0..2).any(|i| min[i] >= max[i]) {
                return Err(format!("{name}: it has no area: {min:?} to {max:?}"));
            }
            Region::Box { min, max }
        }
        _ => {
            let why = clean(text_of(&arguments, "why").trim(), MAX_SENTENCE);
            return Ok(Pointed::NotThere { why });
        }
    };
    let camera = text_of(&arguments, "camera").to_owned();
    Ok(Pointed::At { camera, region })
}
