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
    let ledger = &mut builder.pieces.ledger;
    let own = model
        .couplings
        .iter()
        .filter(|coupling| coupling.touches(body));
    own.for_each(|coupling| coupling.note(&[], &[body], ledger));
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
    let is_driven = |body: &&Body| model.couplings.iter().any(|c| c.drives && c.touches(body));
    let (robots, things): (Vec<&Body>, Vec<&Body>) = model.world.bodies.iter().partition(is_driven);
    for robot in &robots {
        let name = robot.name.as_deref().unwrap_or("without a name");
        let why = "the arm is that of the robot file";
        let ledger = &mut builder.pieces.ledger;
        ledger.note(Fate::Ignored, &format!("robot `{name}`"), why, &robot.place);
    }
    for coupling in &model.couplings {
        coupling.note(&robots, &things, &mut builder.pieces.ledger);
    }
    for body in things {
        builder.tree(body, &body.parent_from_body, false)?;
    }
    let all = [&model.ledger, &builder.pieces.ledger];
    let all = all
        .into_iter()
        .flat_map(|ledger| ledger.entries(Fate::Unsupported));
    builder.pieces.not_kept = all.map(|entry| entry.line()).collect();
    Ok(builder.pieces)
}
