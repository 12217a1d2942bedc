//! Turns a model into the contents of a scene.

mod build;
mod builder;
mod rigid;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use regrasp_api::{JointKind, ObjectId, Pose};
use regrasp_scene::{SceneCamera, SceneJoint, SceneObject, Visual};

use crate::draw::VisualSource;
use crate::ledger::Ledger;

pub use build::{object, scene};

/// Options for turning bodies into objects.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Id of the first object, and prefix (with `_`) of all other names; `None` keeps the model's.
    pub instance: Option<String>,
    /// Makes the first body free (true) or fixed (false); `None` keeps it as in the model.
    pub free: Option<bool>,
    /// First and last group of geoms that contribute to masses, instead of the model's own.
    pub inertia_groups: Option<[i64; 2]>,
}

/// Contents of a scene, in the types of [`regrasp_scene::Scene`].
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Objects, parents before their children. The first is that of the first body.
    pub objects: Vec<SceneObject>,
    /// Joints between the objects, at the positions of the model.
    pub joints: Vec<SceneJoint>,
    /// Sites on the objects.
    pub sites: Vec<PieceSite>,
    /// Cameras fixed in World.
    pub cameras: Vec<SceneCamera>,
    /// Visuals in World without collision.
    pub scenery: Vec<Visual>,
    /// Source of every visual, in the order of the objects and their visuals, then the scenery.
    pub sources: Sources,
    /// Treatment of elements by this conversion, in addition to the ledger of the model.
    pub ledger: Ledger,
    /// Unsupported elements with an effect, one line each.
    pub not_kept: Vec<String>,
}

/// Sources of the visuals.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Sources of the visuals of each object, one per visual.
    pub objects: Vec<Vec<VisualSource>>,
    /// Sources of the scenery, one per visual.
    pub scenery: Vec<VisualSource>,
}

/// A site on an object.
#[derive(Clone, Debug)]
pub struct PieceSite {
    /// Name in the model.
    pub name: String,
    /// Object that carries the site.
    pub object: ObjectId,
    /// Pose in the object's frame.
    pub object_from_site: Pose,
    /// MuJoCo's three sizes; see [`Site::size`](crate::model::Site::size).
    pub size: [f64; 3],
}

impl Pieces {
    /// Moves the first object, and all others with it, to a new pose.
    pub fn place(&mut self, world_from_first: &Pose) {
        let Some(first) = self.objects.first() else {
            return;
        };
        let moved = world_from_first * first.world_from_object.inverse();
        for object in &mut self.objects {
            object.world_from_object = moved * object.world_from_object;
        }
    }

    /// Sets a joint's start position and moves its child with descendants; false if it is missing.
    pub fn start_at(&mut self, joint: &ObjectId, position: f64) -> bool {
        let Some(found) = self.joints.iter_mut().find(|j| j.id == *joint) else {
            return false;
        };
        let by = position - found.start;
        found.start = position;
        let joint = found.clone();
        let pose_of = |id: &ObjectId| {
            let object = self.objects.iter().find(|o| o.id == *id);
            object.map_or_else(Pose::identity, |o| o.world_from_object)
        };
        let (world_from_parent, world_from_child) = (pose_of(&joint.parent), pose_of(&joint.child));
        let axis = world_from_parent.rotation * Vector3::from(joint.axis_in_parent);
        let moved = match joint.kind {
            JointKind::Prismatic => {
                let along = axis * by;
                Pose::translation(along.x, along.y, along.z)
            }
            JointKind::Revolute => {
                let turn = UnitQuaternion::from_scaled_axis(axis * by);
                let center = match joint.point_in_parent {
                    Some(point) => (world_from_parent * Point3::from(point)).coords,
                    None => world_from_child.translation.vector,
                };
                Pose::from_parts((center - turn * center).into(), turn)
            }
        };
        let mut hanging = vec![joint.child.clone()];
        while let Some(id) = hanging.pop() {
            for object in self.objects.iter_mut().filter(|o| o.id == id) {
                object.world_from_object = moved * object.world_from_object;
            }
            let below = self.joints.iter().filter(|j| j.parent == id);
            hanging.extend(below.map(|j| j.child.clone()));
        }
        true
    }
}
