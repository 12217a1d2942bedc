//! What is read from a scene file before anything is laid out.

use std::sync::Arc;

use nalgebra::UnitQuaternion;
use regrasp_api::{KnownZone, ObjectId, ObjectPort, Pose, Shape, Upright, Viewpoint};
use regrasp_faults::Fault;
use regrasp_mesh::{MeshBody, MeshReport};

use crate::fields::Located;
use crate::keys::Mass;
use crate::{Inertial, SceneCamera, SceneJoint, Visual};

/// A scene file, checked, before anything random is drawn.
#[derive(Debug, Clone)]
pub(crate) struct SceneDef {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) stand: Stand,
    pub(crate) start_joints: Option<Vec<f64>>,
    pub(crate) start_width_m: f64,
    pub(crate) pad_friction: Option<f64>,
    pub(crate) objects: Vec<ObjectDef>,
    pub(crate) joints: Vec<SceneJoint>,
    pub(crate) ports: Vec<ObjectPort>,
    pub(crate) viewpoint: Viewpoint,
    pub(crate) faults: Vec<Fault>,
    pub(crate) cameras: Vec<SceneCamera>,
    pub(crate) scenery: Vec<Visual>,
    pub(crate) not_kept: Vec<String>,
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
    pub(crate) id: ObjectId,
    pub(crate) line: usize,
    pub(crate) category: String,
    pub(crate) color: Option<String>,
    pub(crate) rgba: [f32; 4],
    pub(crate) shape: Shape,
    /// Its surface, if it was read from a mesh.
    pub(crate) mesh: Option<Arc<MeshBody>>,
    /// What became of its mesh file, if it has one.
    pub(crate) mesh_report: Option<Arc<MeshReport>>,
    pub(crate) mass: Mass,
    /// Where its mass is, if the file says so.
    pub(crate) inertial: Option<Inertial>,
    /// What is drawn of it instead of its shape.
    pub(crate) visuals: Vec<Visual>,
    pub(crate) friction: f64,
    pub(crate) place: PlacementSpec,
    /// Which way up it stands, if the file or the kind says so.
    pub(crate) upright: Option<Upright>,
    /// Places of it that have a name.
    pub(crate) zones: Vec<KnownZone>,
    /// Of what it is a part, if it is.
    pub(crate) part_of: Option<ObjectId>,
    /// Of what many small things it is one, if it is.
    pub(crate) group: Option<ObjectId>,
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
