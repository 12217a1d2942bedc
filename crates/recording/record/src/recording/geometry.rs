//! Geometry of the recorded world, for 3D viewers.

use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::{Frame, LinkPose};

/// Geometry that frames do not contain. A recorder writes the surfaces when the set of objects
/// changes, and the poses of the links with each frame.
pub trait Geometry: Send {
    /// Names of the arm's joints, in the order of the frames.
    fn joint_names(&self) -> Vec<String>;

    /// All surfaces. Surfaces of one body are consecutive.
    fn surfaces(&self) -> Vec<BodySurface>;

    /// Poses of the robot's links in a frame, parents first.
    fn links(&self, frame: &Frame) -> Vec<LinkPose>;
}

/// Body to which surfaces are attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedBody {
    /// Everything that never moves and is not an object.
    Scenery,
    /// A link of the robot.
    Link(String),
    /// An object of the scene.
    Object(ObjectId),
}

/// Coloured triangles on a body.
#[derive(Clone, Debug)]
pub struct BodySurface {
    /// Body to which the surface is attached.
    pub body: RecordedBody,
    /// Pose of the surface in the body's frame.
    pub body_from_surface: Pose,
    /// Vertices in the frame of the surface, m.
    pub positions: Vec<[f32; 3]>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Red, green, blue, 0 to 1.
    pub rgb: [f32; 3],
}

/// Empty geometry. Joints are numbered instead of named.
impl Geometry for () {
    fn joint_names(&self) -> Vec<String> {
        vec![]
    }

    fn surfaces(&self) -> Vec<BodySurface> {
        vec![]
    }

    fn links(&self, _: &Frame) -> Vec<LinkPose> {
        vec![]
    }
}
