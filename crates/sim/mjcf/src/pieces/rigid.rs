//! A rigid object collected from several bodies.

use regrasp_api::{ObjectId, Part, Pose, Shape};
use regrasp_scene::SceneObject;

use super::naming::{category_of, colour_in};
use crate::SourceLine;
use crate::draw::VisualSource;
use crate::mass::Mass;

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
    /// Makes an empty, fixed object that is not part of another.
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
