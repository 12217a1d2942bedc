//! A rigid object collected from several bodies: its parts, and what follows from its name.

use nalgebra::Point3;
use regrasp_api::{ObjectId, Part, Pose, Shape};
use regrasp_scene::{SceneObject, Visual};

use crate::draw::VisualSource;
use crate::model::Mass;
use crate::model::{Geom, GeomForm};
use crate::{Result, SourceLine};

pub(super) struct Rigid {
    /// The object without shape and mass, which follow from the parts.
    pub(super) object: SceneObject,
    pub(super) name: String,
    pub(super) is_fixed: bool,
    pub(super) is_world: bool,
    pub(super) parts: Vec<Part>,
    pub(super) sources: Vec<VisualSource>,
    pub(super) mass: Mass,
    /// Mass of the collision geoms of all groups.
    pub(super) solid_mass: Mass,
    pub(super) place: SourceLine,
}

impl Rigid {
    /// Makes an empty, fixed object that is not part of another object.
    pub(super) fn new(id: &str, name: &str, world_from_object: Pose, place: &SourceLine) -> Self {
        let nothing = Shape::Compound { parts: vec![] };
        let category = category_of(name);
        Self {
            object: SceneObject {
                color: colour_in(name),
                friction: 0.0,
                ..SceneObject::new(ObjectId::new(id), category, nothing, world_from_object)
            },
            name: name.to_owned(),
            is_fixed: true,
            is_world: false,
            parts: vec![],
            sources: vec![],
            mass: Mass::default(),
            solid_mass: Mass::default(),
            place: place.clone(),
        }
    }
}

pub(super) fn part(geom: &Geom, object_from_geom: &Pose) -> Result<Part> {
    /// Half edge and thickness of the box that replaces an infinite plane, m.
    const PLANE_M: [f64; 2] = [10.0, 0.1];
    let mut object_from_part = *object_from_geom;
    let shape = match &geom.form {
        GeomForm::Plane { .. } => {
            object_from_part *= Pose::translation(0.0, 0.0, -0.5 * PLANE_M[1]);
            Shape::cuboid([PLANE_M[0], PLANE_M[0], 0.5 * PLANE_M[1]])
        }
        GeomForm::Solid(shape) => shape.clone(),
        GeomForm::Ellipsoid { radii } => hull(geom, &regrasp_mesh::ellipsoid(*radii).positions)?,
        GeomForm::Mesh(mesh) => hull(geom, &mesh.surface.positions)?,
    };
    Ok(Part::new(object_from_part, shape))
}

fn hull(geom: &Geom, positions: &[[f32; 3]]) -> Result<Shape> {
    let points: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
    regrasp_mesh::convex_hull(&points).map_err(|message| {
        geom.place.error(format!(
            "the convex hull of the geom, used for collisions: {message}"
        ))
    })
}

pub(super) fn hull_of(visuals: &[Visual]) -> Option<Part> {
    let points = visuals.iter().flat_map(|visual| {
        let corners = visual.surface.positions.iter();
        corners.map(|p| {
            (visual.frame_from_visual * Point3::from(p.map(f64::from)))
                .coords
                .into()
        })
    });
    let points: Vec<[f64; 3]> = points.collect();
    let shape = regrasp_mesh::convex_hull(&points).ok()?;
    Some(Part::new(Pose::identity(), shape))
}

/// Last word of a name that is not a number: an `akita_black_bowl_1` is a bowl.
pub(super) fn category_of(name: &str) -> String {
    let is_word = |word: &&str| !word.chars().all(|c| c.is_ascii_digit());
    let last = name.rsplit(['_', '-', ' ']).find(is_word);
    id_of(last.unwrap_or(name))
}

/// First colour in a name.
pub(super) fn colour_in(name: &str) -> Option<String> {
    let unknown = regrasp_scene::rgba(None);
    let words = name.split(['_', '-', ' ']).map(str::to_ascii_lowercase);
    let mut known = words.filter(|word| regrasp_scene::rgba(Some(word)) != unknown);
    known.next()
}

/// Replaces characters that an id may not have by `_`.
pub(super) fn id_of(name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let letters = name.chars();
    letters.map(|c| if is_word(c) { c } else { '_' }).collect()
}
