//! What is read from a scene file before anything is laid out.

use nalgebra::UnitQuaternion;
use regrasp_api::{ObjectId, Pose};

use crate::fields::Located;
use crate::keys::Mass;
use crate::{Problem, Scene, SceneError, SceneObject};

/// A scene file, checked, before anything random is drawn.
#[derive(Debug, Clone)]
pub(crate) struct SceneDef {
    pub(crate) file: String,
    pub(crate) stand: Stand,
    pub(crate) objects: Vec<ObjectDef>,
    /// What is not laid out: all but the objects and the place of the arm.
    pub(crate) rest: Scene,
}

impl SceneDef {
    /// The definition that a word names.
    pub(crate) fn index_of(&self, file: &str, id: &Located<String>) -> Result<usize, SceneError> {
        index_of(file, &self.objects, id)
    }
}

/// The definition that a word names; small things that are counted go unmentioned.
pub(crate) fn index_of(
    file: &str,
    objects: &[ObjectDef],
    id: &Located<String>,
) -> Result<usize, SceneError> {
    let found = objects.iter().position(|o| o.body.id.as_str() == id.value);
    found.ok_or_else(|| {
        let known = objects.iter().filter(|o| o.body.group.is_none());
        let known = known.map(|o| o.body.id.as_str());
        Problem::unknown_word("object", &id.value, known).at(file, id.line)
    })
}

/// Where the arm stands, before what it stands on is in its place.
#[derive(Debug, Clone)]
pub(crate) struct Stand {
    /// The base, at height 0 if it follows from what it stands on.
    pub(crate) world_from_base: Pose,
    /// What it is fixed to.
    pub(crate) mount: Option<Located<String>>,
    /// How far below the top of that the base is, m, if it follows from it.
    pub(crate) below_top_m: Option<f64>,
}

/// A body whose size, mass, colour and place may still be varied.
#[derive(Debug, Clone)]
pub(crate) struct ObjectDef {
    /// As the file says; its pose and its mass in kg are laid out.
    pub(crate) body: SceneObject,
    pub(crate) line: usize,
    pub(crate) mass: Mass,
    pub(crate) place: PlacementSpec,
}

/// Where a body starts.
#[derive(Debug, Clone)]
pub(crate) enum PlacementSpec {
    /// In the world.
    At { world_from_object: Pose },
    /// On top of another object, above its origin if `xy` is absent, or in one of its zones.
    On {
        support: Located<String>,
        xy: Option<[f64; 2]>,
        zone: Option<Located<String>>,
        rotation: UnitQuaternion<f64>,
    },
    /// One of several small balls in a container.
    Within {
        container: Located<String>,
        /// Which of them.
        idx: usize,
        /// How many they are.
        n: usize,
    },
    /// Fixed to another body of the same kind at the start.
    Attached {
        parent: ObjectId,
        parent_from_object: Pose,
    },
}

/// What one seed changes about one object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variation {
    /// Replaces the place in the plane.
    pub(crate) xy: Option<[f64; 2]>,
    /// Replaces the place in the plane by one in the heading frame of another object, by
    /// its index.
    pub(crate) relative: Option<(usize, [f64; 2])>,
    /// In a zone of what it stands on, by its index: from 0 to 1 along its x and its y axis.
    pub(crate) zone: Option<(usize, [f64; 2])>,
    /// Added to the place in the plane, m.
    pub(crate) offset: [f64; 2],
    /// Turned by this about the vertical, rad, before anything else.
    pub(crate) yaw: f64,
    /// All lengths times this.
    pub(crate) size: f64,
    /// The mass times this.
    pub(crate) mass: f64,
    /// The friction times this.
    pub(crate) friction: f64,
    /// Added to red, green and blue.
    pub(crate) color: [f32; 3],
}
