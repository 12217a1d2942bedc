//! Makes the objects of a body, or of a whole model.

use regrasp_api::Pose;

use super::builder::Builder;
use super::{Options, Pieces};
use crate::SceneError;
use crate::ledger::Fate;
use crate::model::{Body, Geom, Model};

/// Makes the objects of a body and its descendants. The first has the body's frame, at World's
/// origin.
///
/// # Errors
///
/// [`SceneError`] with the line of a moving body without mass or geoms, or of a flat geom.
pub fn object(model: &Model, body: &Body, options: &Options) -> Result<Pieces, SceneError> {
    let mut builder = Builder::new(model, options);
    builder.tree(body, &Pose::identity(), false)?;
    let own = model.couplings.iter();
    for coupling in own.filter(|coupling| coupling.touches(body)) {
        builder.couple(coupling, &[], &[body]);
    }
    builder.start_in_range();
    Ok(builder.pieces)
}

/// Makes a model's objects: one of the world's own geoms, and one or more of each child of the
/// world with its descendants. Robots are left out.
///
/// # Errors
///
/// The errors of [`object`].
pub fn scene(model: &Model, options: &Options) -> Result<Pieces, SceneError> {
    let mut builder = Builder::new(model, options);
    let world = Body {
        name: Some("world".to_owned()),
        bodies: vec![],
        ..model.world.clone()
    };
    builder.tree(&world, &Pose::identity(), true)?;
    let is_driven = |body: &&Body| model.couplings.iter().any(|c| c.drives && c.touches(body));
    let (robots, objects): (Vec<&Body>, Vec<&Body>) =
        model.world.bodies.iter().partition(is_driven);
    for robot in &robots {
        let name = robot.name.as_deref().unwrap_or("without a name");
        let why = "the robot file gives the arm";
        let ledger = &mut builder.pieces.ledger;
        ledger.note(Fate::Ignored, &format!("robot `{name}`"), why, &robot.place);
    }
    for body in &objects {
        builder.tree(body, &body.parent_from_body, false)?;
    }
    for coupling in &model.couplings {
        builder.couple(coupling, &robots, &objects);
    }
    builder.start_in_range();
    if let Some([geom, other]) = pass_through(&world, &objects) {
        let place = &other.place;
        let why = format!("all solid geoms collide: it also collides with the geom in {place}");
        let ledger = &mut builder.pieces.ledger;
        ledger.note(Fate::Unsupported, "geom contype", &why, &geom.place);
    }
    let all = [&model.ledger, &builder.pieces.ledger];
    let all = all.into_iter();
    let all = all.flat_map(|ledger| ledger.entries(Fate::Unsupported));
    builder.pieces.not_kept = all.map(|entry| entry.line()).collect();
    Ok(builder.pieces)
}

/// Returns two solid geoms of bodies that move relative to each other, if they do not collide in
/// MuJoCo.
fn pass_through<'a>(world: &'a Body, objects: &[&'a Body]) -> Option<[&'a Geom; 2]> {
    let of_thing = |(i, body): (usize, &&'a Body)| {
        let geoms = body.all().flat_map(|body| &body.geoms);
        let mut geoms: Vec<_> = geoms.filter(|geom| geom.is_solid()).collect();
        // One geom for each combination of `contype` and `conaffinity` is enough.
        geoms.sort_by_key(|geom| geom.touches);
        geoms.dedup_by_key(|geom| geom.touches);
        geoms.into_iter().map(move |geom| (i, geom))
    };
    let all = [&[world][..], objects].concat();
    let all: Vec<_> = all.iter().enumerate().flat_map(of_thing).collect();
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let moves = |i: &usize| *i > 0 && objects[i - 1].moves();
    let mut pairs = pairs.filter(|((i, a), (k, b))| i < k && !a.meets(b) && (moves(i) || moves(k)));
    pairs.next().map(|((_, a), (_, b))| [*b, *a])
}
