//! The content of a scene file before layout.

use std::sync::Arc;

use nalgebra::UnitQuaternion;
use regrasp_api::{ObjectId, ObjectPort, Pose, Shape};
use regrasp_mesh::{MeshBody, MeshReport};

use crate::fields::Located;
use crate::keys::Mass;
use crate::{Problem, Result, Scene, SceneJoint, SceneObject};

/// Definitions from one entry of `objects:`.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) objects: Vec<ObjectDef>,
    pub(crate) joints: Vec<SceneJoint>,
    pub(crate) ports: Vec<ObjectPort>,
}

/// A checked scene file, before random values are drawn.
#[derive(Debug, Clone)]
pub(crate) struct SceneDef {
    pub(crate) file: String,
    pub(crate) stand: Stand,
    pub(crate) objects: Vec<ObjectDef>,
    /// Everything but the objects and the arm's base pose, which layout adds.
    pub(crate) rest: Scene,
}

impl SceneDef {
    pub(crate) fn index_of(&self, file: &str, id: &Located<String>) -> Result<usize> {
        index_of(file, &self.objects, id)
    }
}

/// Finds a definition by its id. The error leaves out beads, which would flood its list.
pub(crate) fn index_of(file: &str, objects: &[ObjectDef], id: &Located<String>) -> Result<usize> {
    let found = objects.iter().position(|o| o.body.id.as_str() == id.value);
    found.ok_or_else(|| {
        let known = objects.iter().filter(|o| o.body.group.is_none());
        let known = known.map(|o| o.body.id.as_str());
        Problem::unknown_word("object", &id.value, known).at(file, id.line)
    })
}

/// The arm's base pose before layout.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stand {
    /// Pose of the base; its height is 0 if `below_top_m` determines it.
    pub(crate) world_from_base: Pose,
    pub(crate) mount: Option<Located<String>>,
    /// Depth of the base below the top of its mount, m.
    pub(crate) below_top_m: Option<f64>,
}

/// A body whose size, mass, colour and pose may still be varied.
#[derive(Debug, Clone)]
pub(crate) struct ObjectDef {
    /// The body as in the file; layout sets its pose and its mass.
    pub(crate) body: SceneObject,
    pub(crate) line: usize,
    pub(crate) mass: Mass,
    pub(crate) place: PlacementSpec,
}

/// Initial placement of a body.
#[derive(Debug, Clone)]
pub(crate) enum PlacementSpec {
    /// Pose in World.
    At { world_from_object: Pose },
    /// On top of another object: in one of its zones, at `xy`, or above its origin.
    On {
        support: Located<String>,
        xy: Option<[f64; 2]>,
        zone: Option<Located<String>>,
        rotation: UnitQuaternion<f64>,
    },
    /// One of several small balls in a container.
    Within {
        container: Located<String>,
        idx: usize,
        n: usize,
    },
    /// At a given pose in the frame of another body of the same object.
    Attached {
        parent: ObjectId,
        parent_from_object: Pose,
    },
}

/// Changes that one seed makes to one object.
#[derive(Debug, Clone, Copy, smart_default::SmartDefault)]
pub(crate) struct Variation {
    /// World position in the plane, m; replaces that of the file.
    pub(crate) xy: Option<[f64; 2]>,
    /// Replaces the position by one in the heading frame of another object, given by its index.
    pub(crate) relative: Option<(usize, [f64; 2])>,
    /// Index of a zone of the support, and the position in it, 0 to 1 along the zone's x and y.
    pub(crate) zone: Option<(usize, [f64; 2])>,
    /// Offset that is added to the position in the plane, m.
    pub(crate) offset: [f64; 2],
    /// Rotation about World's z axis, rad, applied after the rotation of the file.
    pub(crate) yaw: f64,
    #[default(1.0)]
    pub(crate) size: f64,
    #[default(1.0)]
    pub(crate) mass: f64,
    #[default(1.0)]
    pub(crate) friction: f64,
    /// Offsets that are added to red, green and blue.
    pub(crate) color: [f32; 3],
}

/// A rigid body: its shape, and the mesh that it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Solid {
    pub(crate) shape: Shape,
    pub(crate) mesh: Option<Arc<MeshBody>>,
    pub(crate) report: Option<Arc<MeshReport>>,
}

impl From<Shape> for Solid {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            mesh: None,
            report: None,
        }
    }
}
