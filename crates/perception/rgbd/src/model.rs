//! Models of the objects that may be in a scene, for recognition.

use std::sync::Arc;

use regrasp_api::{Known, ObjectJoint, ObjectPort, PerceivedObject, Pose};
use regrasp_render::{Look, Mesh};

/// Template for the report of one instance of the model in a percept. "World" in its poses, axes
/// and points is the frame of the base.
#[derive(Clone, Debug)]
pub struct Model {
    /// Basis of the ids of instances: `milk`, then `milk_2`.
    pub name: String,
    /// The base, then its parts. The base has its pose in its own frame (usually the identity); the
    /// parts have their poses at the openings of [`Self::joints`]. In an instance, its id replaces
    /// the base's, also at the beginning of the parts' ids.
    pub objects: Vec<PerceivedObject>,
    /// Joints between the objects.
    pub joints: Vec<ModelJoint>,
    /// Prior knowledge about the objects, by the ids of the template.
    pub known: Vec<Known>,
    /// Plugs and holes of the objects, by the ids of the template.
    pub ports: Vec<ObjectPort>,
    /// Visible surfaces of each object, in the order of [`Self::objects`].
    pub surfaces: Vec<Vec<ModelSurface>>,
}

/// Joint of a model, in the state in which the model's objects are placed.
#[derive(Clone, Debug)]
pub struct ModelJoint {
    /// The joint.
    pub joint: ObjectJoint,
    /// Smallest and largest opening, m or rad.
    pub openings: [f64; 2],
    /// Change of the declared joint position per unit of opening: 1 or -1.
    pub position_per_opening: f64,
}

/// Visible surface of an object, as the renderer takes it.
#[derive(Clone, Debug)]
pub struct ModelSurface {
    /// Pose of the surface on its object.
    pub object_from_surface: Pose,
    /// Triangles, and the image on them.
    pub mesh: Arc<Mesh>,
    /// Look of the surface where it has no image.
    pub look: Look,
}
