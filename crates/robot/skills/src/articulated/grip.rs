//! Handles of objects on joints, and the selection of their grasp: by shape, by room for the hand,
//! and by the travel through which the arm can move them.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{JointRole, Part, PerceivedObject, Percept, Pose, Shape};
use regrasp_robot::Result;

use super::{JointTask, Planner, is_level};
use crate::arm::{Approach, Arm};
use crate::bodies::{body_of, keep_off, reach_m};
use crate::grasp::{
    Candidates, Grasp, Neighbours, Rejection, Rejections, SPACES_M, clearance_cost, group_order,
};
use crate::grasp_selection::dropped;
use crate::params::SAME_TURN_RAD;
use crate::stroke::{Search, Steps, Stroke};

/// Tilts of a hand that pinches from above and below, rad: within the friction cone of the pads.
const TILTS_RAD: [f64; 4] = [0.12, -0.12, 0.24, -0.24];
/// Cost of a tilted hand, in the unit of [`Grasp::cost`].
const TILT_COST: f64 = 0.2;
/// Cosine from which two directions count as parallel.
const LEVEL: f64 = 0.95;
/// Distance below which two grasps count as the same, m.
const SAME_M: f64 = 0.004;
/// Slant beyond the least one at which pads still meet a handle squarely, rad.
const SQUARE_RAD: f64 = 0.05;
/// Least distance of a door's grasp from the hinge, as a fraction of the largest one.
const LEVER: f64 = 0.4;

/// Length in two directions from which a part is a face rather than a bar, m.
const FACE_M: f64 = 0.05;
/// Least distance of a part's middle from the face to count as protruding, m.
const OUT_M: f64 = 0.001;

/// Returns the handle as an object with the id of its owner; the whole object if nothing protrudes.
fn handle_of(task: &JointTask) -> PerceivedObject {
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

/// Height in World of the support of an object, m; for a part, that of the whole object's support.
fn ground_m(percept: &Percept, object: &PerceivedObject) -> f64 {
    let whole = percept.whole_of(&object.id);
    let whole = whole.and_then(|id| percept.object(id)).into_iter();
    let bottoms = whole.chain([object]).map(|o| o.aabb_in_world().min[2]);
    bottoms.fold(f64::INFINITY, f64::min)
}

/// Variants of a grasp: a pinch from above and below by a hand tilted slightly up or down, which
/// has more room over a table; and a pinch of a bar along a horizontal hinge by a leaning hand,
/// which has to rotate less.
fn tilted(grasp: &Grasp, task: &JointTask) -> Vec<Grasp> {
    let tool = grasp.world_from_tool;
    let closing = tool.rotation * Vector3::y();
    let axis = task.joint.axis();
    let turns_about =
        is_level(&task.joint) && (tool.rotation * Vector3::x()).dot(&axis).abs() > LEVEL;
    if closing.z.abs() < LEVEL && !turns_about {
        return vec![];
    }
    let back_m = (grasp.world_from_before.translation.vector - tool.translation.vector).norm();
    let tilt = |angle: f64| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
        let world_from_tool = tool * turn;
        let back = world_from_tool * Pose::translation(0.0, 0.0, -back_m);
        Grasp {
            world_from_tool,
            world_from_before: back,
            ..grasp.clone()
        }
    };
    TILTS_RAD.map(tilt).to_vec()
}

impl Planner<'_> {
    /// Returns the best stroke with a grasp of the handle.
    ///
    /// # Errors
    ///
    /// `no_grasp_found` with the reasons for rejection, `unreachable`, or `start_in_collision`.
    pub(super) fn grip(&self) -> Result<Stroke> {
        let (arm, task) = (self.arm, self.task);
        let handle = handle_of(task);
        let mut candidates = Candidates::of(&arm, self.percept, &handle);
        candidates.ground_m = ground_m(self.percept, &task.object);
        let neighbours = Neighbours::new(self.percept, &task.object);
        let openings = task.path().openings(task.joint.opening, task.target);
        // The first finger distance with which the hand has room, and its clearance, m.
        let opening = |grasp: &Grasp| {
            let max_m = arm.robot.info.gripper.max_width_m;
            let openings = SPACES_M.map(|space_m| (grasp.width_m + 2.0 * space_m).min(max_m));
            neighbours.first_clear(&self.hand, grasp, &openings)
        };
        // What the part moves on may be near the fingers, but not between them and the target.
        let whole = self.percept.object(&task.joint.parent).and_then(body_of);
        let is_clear = |grasp: &Grasp, world_from_tool: &Pose| {
            let held = self.hand.at(world_from_tool, grasp.width_m);
            keep_off(&held.fingers, &whole, 0.0)
        };
        let path = |grasp: &Grasp| -> Steps {
            let moved = |o: &f64| (*o, task.joint.carried(&grasp.world_from_tool, *o));
            let steps = openings.iter().map(moved).enumerate();
            let until_blocked = steps.take_while(|(n, (_, at))| *n == 0 || is_clear(grasp, at));
            until_blocked.map(|(_, step)| step).collect()
        };
        let plan = |grasp: &Grasp| {
            let width_m = opening(grasp).map_or(grasp.width_m, |(m, _)| m);
            let approach = Approach::new(grasp.world_from_before, grasp.world_from_tool);
            let (opened, held) = (Arm { width_m, ..arm }, Some(grasp.clone()));
            let is_worth = |o| task.is_worth(o);
            opened.stroke(self.scenes, &approach, held, path(grasp), is_worth)
        };
        let mut rejections = Rejections::default();
        let mut search = Search::new([task.joint.opening, task.target]);
        for group in group_order(&[]) {
            let grasps = self.ranked(candidates.group(group, &mut rejections));
            let closer = |grasp: &Grasp| {
                let fitting = opening(grasp);
                let reached = self.reaches_enough(grasp, &path(grasp));
                let (_, clearance_m) = rejections.kept(reached.and(fitting))?;
                Some(clearance_cost(clearance_m))
            };
            let turn = |grasp: &Grasp| grasp.world_from_tool.rotation;
            if search.is_found(grasps, closer, turn, plan)? {
                break;
            }
            let failures = search.failures.drain(..);
            failures.for_each(|failure| rejections.add(dropped(failure)));
        }
        search.best.map(|(_, stroke)| stroke).ok_or_else(|| {
            let (movable, supports) = (self.percept.movable_ids(), neighbours.supports());
            rejections.failure(&handle, &movable, &supports, &candidates.gripper)
        })
    }

    /// Returns plain and tilted grasps with their costs, without those near the hinge, those that
    /// got stuck before, and those that do not meet the handle squarely: a loose object turns to
    /// fit the pads, but on a joint the pads would turn on it.
    fn ranked(&self, mut grasps: Vec<Grasp>) -> Vec<(f64, Grasp)> {
        let task = self.task;
        let least_rad = grasps
            .iter()
            .map(|g| g.slant_rad)
            .fold(f64::INFINITY, f64::min);
        grasps.retain(|g| g.slant_rad < least_rad + SQUARE_RAD);
        // Distance from the joint's axis; constant for a slide.
        let lever_m = |grasp: &Grasp| {
            let at = &grasp.world_from_tool.translation.vector;
            task.path().lever_m(&task.joint, at)
        };
        let least_m = LEVER * grasps.iter().map(lever_m).fold(0.0, f64::max);
        let tilted: Vec<Grasp> = grasps.iter().flat_map(|g| tilted(g, task)).collect();
        let straight = grasps.into_iter().map(|g| (g.cost(), g));
        let tilted = tilted.into_iter().map(|g| (TILT_COST + g.cost(), g));
        let is_of_use = |(_, grasp): &(f64, Grasp)| {
            let is_weak = task.joint.role == JointRole::Opens && lever_m(grasp) < least_m;
            let was_stuck = |held: &Pose| {
                let off = held.inverse() * grasp.world_from_tool;
                off.translation.vector.norm() < SAME_M && off.rotation.angle() < SAME_TURN_RAD
            };
            !is_weak && !task.stuck_grasps.iter().any(was_stuck)
        };
        straight.chain(tilted).filter(is_of_use).collect()
    }

    /// Checks that the arm reaches the handle and enough of the path.
    fn reaches_enough(&self, grasp: &Grasp, path: &Steps) -> Result<(), Rejection> {
        let inverse = |pose: &Pose| self.arm.inverse(pose).map_err(Rejection::Unreachable);
        inverse(&grasp.world_from_before)?;
        inverse(&grasp.world_from_tool)?;
        for (n, (_, pose)) in path.iter().enumerate() {
            match inverse(pose) {
                Err(_) if n > 0 && self.task.is_worth(path[n - 1].0) => break,
                reached => drop(reached?),
            }
        }
        Ok(())
    }
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
