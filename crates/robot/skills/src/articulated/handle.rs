//! Handles: parts of a movable object that protrude from it.

use nalgebra::Vector3;
use regrasp_api::{JointRole, Part, PerceivedObject, Pose, Shape};

use super::JointTask;
use crate::bodies::reach_m;

/// Length in two directions from which a part is a face rather than a bar, m.
const FACE_M: f64 = 0.05;
/// Least distance of a part's middle from the face to count as protruding, m.
const OUT_M: f64 = 0.001;

/// Returns the handle as an object of its own, with the id of its owner; the whole object if
/// nothing protrudes.
pub(super) fn of(task: &JointTask) -> PerceivedObject {
    let object = &task.object;
    if let Some(handle) = &task.joint.handle {
        return PerceivedObject {
            shape: handle.shape.clone(),
            world_from_object: object.world_from_object * handle.object_from_part,
            ..object.clone()
        };
    }
    let parts = match (&object.shape, task.joint.role) {
        (Shape::Compound { parts }, JointRole::Opens) => standing_out(parts, &outward(task)),
        _ => vec![],
    };
    if parts.is_empty() {
        return object.clone();
    }
    PerceivedObject {
        shape: Shape::Compound { parts },
        ..object.clone()
    }
}

/// Opening direction at the middle of the object, in its own frame.
fn outward(task: &JointTask) -> Vector3<f64> {
    let (object, joint) = (&task.object, &task.joint);
    let middle = object.aabb_in_world().center().coords;
    let in_world = task.path().tangent(joint, &middle);
    let in_object = object.world_from_object.rotation.inverse() * in_world;
    in_object.try_normalize(1e-9).unwrap_or_else(Vector3::z)
}

fn standing_out(parts: &[Part], outward: &Vector3<f64>) -> Vec<Part> {
    let is_face = |part: &&Part| {
        let size = part.shape.aabb(&Pose::identity()).size();
        size.iter().filter(|s| **s >= FACE_M).count() >= 2
    };
    let origin = Vector3::zeros();
    let reach = |part: &Part| reach_m(&part.shape, &part.object_from_part, &origin, outward);
    let front = parts.iter().filter(is_face).map(reach);
    let Some(front) = front.reduce(f64::max) else {
        return vec![];
    };
    let middle = |part: &Part| {
        let center = part.shape.aabb(&part.object_from_part).center().coords;
        center.dot(outward)
    };
    let out = parts.iter().filter(|part| middle(part) > front + OUT_M);
    out.cloned().collect()
}

#[cfg(test)]
mod tests {
    use regrasp_api::solids::boxed;

    use super::*;

    #[test]
    fn bars_in_front_of_a_face_stand_out_and_its_walls_do_not() {
        let slab = boxed([0.0, 0.0, 0.0], [0.008, 0.15, 0.09], 0.0);
        let wall = boxed([0.08, 0.14, 0.0], [0.08, 0.004, 0.03], 0.0);
        let post = boxed([-0.03, 0.1, 0.04], [0.02, 0.006, 0.006], 0.0);
        let bar = boxed([-0.05, 0.1, 0.0], [0.006, 0.006, 0.05], 0.0);
        let all = [slab, wall, post.clone(), bar.clone()];
        let found = standing_out(&all, &-Vector3::x());
        assert_eq!(found, [post, bar]);
        assert!(standing_out(&all[..2], &-Vector3::x()).is_empty());
    }
}
