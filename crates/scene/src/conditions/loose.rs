//! Reads the conditions on where small things are that are counted.

use regrasp_api::ObjectId;

use super::{Context, object};
use crate::fields::{Field, Fields, Sign};
use crate::{SceneError, Success};

/// `{container, what, at_least}`.
pub(super) fn contains(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["container", "what", "at_least"])?;
    Ok(Success::Contains {
        container: object(&fields.need("container")?, context)?,
        what: group(&fields, context)?,
        at_least: part(&fields, "at_least")?,
    })
}

/// `{what, at_most}`.
pub(super) fn spilled(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["what", "at_most"])?;
    Ok(Success::Spilled {
        what: group(&fields, context)?,
        at_most: part(&fields, "at_most")?,
    })
}

fn group(fields: &Fields<'_>, context: &Context<'_>) -> Result<ObjectId, SceneError> {
    let field = fields.need("what")?;
    let id = ObjectId::new(field.text()?);
    if context.groups.contains(&id) {
        return Ok(id);
    }
    let known: Vec<_> = context.groups.iter().map(ObjectId::as_str).collect();
    let right = match known.as_slice() {
        [] => "an object of the kind `beads`: this scene has none".to_owned(),
        known => format!("one of {}", known.join(", ")),
    };
    Err(field.not_allowed(format!("`{id}`"), right))
}

/// A part of all of them, from 0 to 1.
fn part<'a>(fields: &Fields<'a>, key: &'a str) -> Result<f64, SceneError> {
    let field = fields.need(key)?;
    let part = field.number(Sign::NotNegative)?;
    if part <= 1.0 {
        return Ok(part);
    }
    Err(field.not_allowed(part, "a part of all of them, from 0 to 1"))
}
