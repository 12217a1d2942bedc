//! Reads where a model points.

use regrasp_chat::{ChatAnswer, Tool, ToolCall};
use regrasp_rgbd_perception::Region;
use serde::Deserialize;
use serde_json::Value;

use super::question::{BOX, NOT_THERE, POINT};
use crate::answer::calls_of;
use crate::schema::errors;
use crate::text::{MAX_SENTENCE, clean};

#[derive(Debug, PartialEq)]
pub(super) enum Pointed {
    /// The object is in this region of a camera's picture.
    At { camera: String, region: Region },
    /// The object is in none of the pictures.
    NotThere { why: String },
}

#[derive(Deserialize)]
struct PointArgs {
    camera: String,
    x: f64,
    y: f64,
}

#[derive(Deserialize)]
struct BoxArgs {
    camera: String,
    x_min: f64,
    y_min: f64,
    x_max: f64,
    y_max: f64,
}

#[derive(Deserialize)]
struct NotThereArgs {
    why: String,
}

/// Returns where the single call of an answer points, or the error of the answer.
pub(super) fn read(answer: &ChatAnswer, tools: &[Tool]) -> Result<Pointed, String> {
    let calls = calls_of(answer, |name| tools.iter().any(|tool| tool.name == name))?;
    let n = calls.len();
    let [call] = <[ToolCall; 1]>::try_from(calls).map_err(|_| match n {
        0 => format!("it makes no call. Call `{POINT}`, `{BOX}` or `{NOT_THERE}`."),
        _ => format!("it makes {n} calls, and exactly one is wanted."),
    })?;
    let name = clean(&call.name, 80);
    let tool = tools.iter().find(|tool| tool.name == call.name);
    let known = format!("what can be called: {POINT}, {BOX}, {NOT_THERE}");
    let tool = tool.ok_or_else(|| format!("there is nothing called `{name}` ({known})"))?;
    let arguments = call.arguments.map_err(|broken| {
        let error = clean(&broken.error, MAX_SENTENCE);
        format!("the arguments of `{name}` are no JSON: {error}")
    })?;
    let wrong = errors(&tool.schema, &arguments);
    if !wrong.is_empty() {
        let wrong: Vec<_> = wrong.iter().map(|w| clean(w, MAX_SENTENCE)).collect();
        return Err(format!("{name}: {}", wrong.join("; ")));
    }
    pointed(&name, arguments)
}

fn pointed(name: &str, arguments: Value) -> Result<Pointed, String> {
    Ok(match name {
        POINT => {
            let PointArgs { camera, x, y } = parsed(name, arguments)?;
            let region = Region::Point([x, y]);
            Pointed::At { camera, region }
        }
        BOX => {
            let args: BoxArgs = parsed(name, arguments)?;
            let (min, max) = ([args.x_min, args.y_min], [args.x_max, args.y_max]);
            if (0..2).any(|i| min[i] >= max[i]) {
                return Err(format!("{name}: it has no area: {min:?} to {max:?}"));
            }
            Pointed::At {
                camera: args.camera,
                region: Region::Box { min, max },
            }
        }
        _ => {
            let NotThereArgs { why } = parsed(name, arguments)?;
            let why = clean(why.trim(), MAX_SENTENCE);
            Pointed::NotThere { why }
        }
    })
}

fn parsed<T: serde::de::DeserializeOwned>(name: &str, arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("{name}: {error}"))
}
