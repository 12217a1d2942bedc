//! One rigid thing of several bodies.

use regrasp_api::{KnownZone, ObjectId, Part, Pose};
use regrasp_scene::Visual;

use crate::SourceLine;
use crate::draw::VisualSource;
use crate::mass::Mass;

/// One rigid thing, as far as it was gathered.
pub(super) struct Rigid {
    pub(super) id: ObjectId,
    /// The first object of those that hang together.
    pub(super) part_of: Option<ObjectId>,
    pub(super) name: String,
    pub(super) world_from_object: Pose,
    pub(super) is_fixed: bool,
    /// The world's own geoms.
    pub(super) is_world: bool,
    pub(super) parts: Vec<Part>,
    pub(super) visuals: Vec<Visual>,
    pub(super) sources: Vec<VisualSource>,
    pub(super) zones: Vec<KnownZone>,
    pub(super) mass: Mass,
    /// Of what can be touched, whatever its groups.
    pub(super) solid_mass: Mass,
    pub(super) friction: f64,
    pub(super) place: SourceLine,
}

impl Rigid {
    /// Nothing yet, fixed and a part of nothing.
    pub(super) fn new(id: &str, name: &str, world_from_object: Pose, place: &SourceLine) -> Self {
        Self {
            id: ObjectId::new(id),
            part_of: None,
            name: name.to_owned(),
            world_from_object,
            is_fixed: true,
            is_world: false,
            parts: vec![],
            visuals: vec![],
            sources: vec![],
            zones: vec![],
            mass: Mass::default(),
            solid_mass: Mass::default(),
            friction: 0.0,
            place: place.clone(),
        }
    }
}
