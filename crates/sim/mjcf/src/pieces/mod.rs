//! A model → what a scene is made of.

mod build;
mod builder;
mod naming;
mod parts;
mod rigid;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use regrasp_api::{JointKind, ObjectId, Pose};
use regrasp_scene::{SceneCamera, SceneJoint, SceneObject, Visual};

use crate::draw::VisualSource;
use crate::ledger::Ledger;

pub use build::{object, scene};

/// How bodies become objects.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The id of the first object, and with `_` what all other names begin with. Without it,
    /// names are those of the model.
    pub instance: Option<String>,
    /// The first body moves as it likes, whatever the model says; left out, as the model says.
    pub free: Option<bool>,
    /// Of which groups geoms count for masses, instead of the model's own.
    pub inertia_groups: Option<[i64; 2]>,
}

/// What a scene is made of, as [`regrasp_scene::Scene`] has it.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Objects, parents before what hangs on them. The first is that of the first body.
    pub objects: Vec<SceneObject>,
    /// Joints between them; their positions are those of the model.
    pub joints: Vec<SceneJoint>,
    /// Places on them.
    pub sites: Vec<PieceSite>,
    /// Cameras that are fixed in World.
    pub cameras: Vec<SceneCamera>,
    /// What is drawn in World and touched by nothing.
    pub scenery: Vec<Visual>,
    /// From which files everything that is drawn is: in the order of the objects and of their
    /// visuals, then of the scenery.
    pub sources: Sources,
    /// What was not taken over, beyond what the model's own ledger says.
    pub ledger: Ledger,
    /// Everything that matters and was not taken over, one line each.
    pub not_kept: Vec<String>,
}

/// From which files what is drawn is.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// For each object, for each of its visuals.
    pub objects: Vec<Vec<VisualSource>>,
    /// For each visual of the scenery.
    pub scenery: Vec<VisualSource>,
}

/// A place on an object.
#[derive(Clone, Debug)]
pub struct PieceSite {
    /// Its name in the model.
    pub name: String,
    /// What it is on.
    pub object: ObjectId,
    /// Where, in the object's frame.
    pub object_from_site: Pose,
    /// As MuJoCo keeps it; see [`Site::size`](crate::model::Site::size).
    pub size: [f64; 3],
}

impl Pieces {
    /// Puts the first object, and with it all that hangs on it, somewhere else.
    pub fn place(&mut self, world_from_first: &Pose) {
        let Some(first) = self.objects.first() else {
            return;
        };
        let moved = world_from_first * first.world_from_object.inverse();
        for object in &mut self.objects {
            object.world_from_object = moved * object.world_from_object;
        }
    }

    /// Lets a joint begin at another position, and says whether there is such a
    /// joint. What hangs on the child moves with it.
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
