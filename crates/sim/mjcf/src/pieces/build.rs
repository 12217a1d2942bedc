//! Objects of a body, or of a whole model.

use regrasp_api::Pose;

use super::builder::Builder;
use super::{Options, Pieces};
use crate::MjcfError;
use crate::ledger::Fate;
use crate::model::{Body, Model};

/// One body of a model with all that hangs on it. The first object's frame is that of the body,
/// and it is at the origin of World.
///
/// # Errors
///
/// [`MjcfError`] with the line of what cannot be an object: what moves and has no mass, or
/// nothing to touch.
pub fn object(model: &Model, body: &Body, options: &Options) -> Result<Pieces, MjcfError> {
    let mut builder = Builder::new(model, options);
    builder.tree(body, &Pose::identity(), false)?;
    Ok(builder.pieces)
}

/// A whole model. What is fixed in it is one object for each body of the world; what hangs
/// together with joints is told apart.
///
/// # Errors
///
/// As [`object`].
pub fn scene(model: &Model, options: &Options) -> Result<Pieces, MjcfError> {
    let mut builder = Builder::new(model, options);
    let world = Body {
        name: Some("world".to_owned()),
        bodies: vec![],
        ..model.world.clone()
    };
    builder.tree(&world, &Pose::identity(), true)?;
    for body in &model.world.bodies {
        if is_driven(body, &model.driven) {
            let name = body.name.as_deref().unwrap_or("without a name");
            let what = format!("robot `{name}`");
            let why = "the arm is that of the robot file";
            builder
                .pieces
                .ledger
                .note(Fate::Ignored, &what, why, &body.place);
            continue;
        }
        builder.tree(body, &body.parent_from_body, false)?;
    }
    Ok(builder.pieces)
}

/// Whether something drives a joint of it.
fn is_driven(body: &Body, driven: &[String]) -> bool {
    let own = body.joints.iter().filter_map(|j| j.name.as_ref());
    own.into_iter().any(|name| driven.contains(name))
        || body.bodies.iter().any(|inner| is_driven(inner, driven))
}
