//! Choosing how to take hold of a handle: what the shape offers, where the hand fits, and
//! from where the arm can move it furthest.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Failure, JointRole, MotionFailure, PerceivedObject, Percept, Pose};
use regrasp_robot::Robot;

use super::{JointTask, handle, is_level};
use crate::candidates::Approach;
use crate::grasp::{
    Candidates, Grasp, Hand, Neighbours, Rejection, Rejections, SPACES_M, clearance_cost,
    group_order, limits, tool_yaw,
};
use crate::grasp_selection::dropped;
use crate::params::SAME_TURN_RAD;
use crate::stroke::{Arm, Scenes, Stroke, Tries, best_first};

/// Tilts of a hand that pinches from above and below, rad: within the friction cone of the pads.
const TILTS_RAD: [f64; 4] = [0.12, -0.12, 0.24, -0.24];
/// Cost of a tilt, in radians of leaning.
const TILT_COST: f64 = 0.2;
/// The closing direction of such a hand is steeper than this, as a cosine.
const LEVEL: f64 = 0.95;
/// Grasps at places that differ by less than this are the same, m.
const SAME_M: f64 = 0.004;
/// A door is not held nearer to its hinge than this part of its furthest handle.
const LEVER: f64 = 0.4;

/// The best grasp of the handle.
///
/// # Errors
///
/// `no_grasp_found` with why candidates were dropped, or `unreachable`.
pub(super) fn select(
    robot: &mut Robot,
    percept: &Percept,
    task: &JointTask,
    scenes: &Scenes,
) -> Result<Stroke, Failure> {
    let handle = handle::of(task);
    let now = robot.observe()?;
    let gripper = robot.info.gripper.clone();
    let hand = Hand::new(&gripper);
    let yaw = tool_yaw(&robot.world_from_tool()?);
    let ground_m = ground_m(percept, &task.thing);
    let candidates = Candidates::new(&handle, &gripper, &hand, yaw).above_ground(ground_m);
    let selector = GripSelector {
        arm: Arm {
            robot,
            now: &now,
            start: &now.joint_positions,
        },
        task,
        scenes,
        hand: &hand,
        neighbours: Neighbours::new(percept, &task.thing),
        way: task.path().openings(task.joint.opening, task.aim.target),
    };
    let mut rejections = Rejections::default();
    let mut best: Option<Stroke> = None;
    let (ends, mut tries) = ([task.joint.opening, task.aim.target], Tries::default());
    for group in group_order(&[]) {
        let (grasps, left_out) = candidates.group(group);
        left_out.into_iter().for_each(|d| rejections.add(d));
        let closer = |grasp: &Grasp| match selector.fit(grasp) {
            Ok((_, clearance_m)) => Some(clearance_cost(clearance_m)),
            Err(why) => {
                rejections.add(why);
                None
            }
        };
        let grasps = best_first(selector.ranked(grasps), closer);
        let turn = |grasp: &Grasp| grasp.world_from_tool.rotation;
        let plan = |grasp: &Grasp| selector.plan(grasp);
        let found = tries.first_whole(grasps, turn, plan, ends)?;
        let failures = tries.failures.drain(..);
        failures.for_each(|failure| rejections.add(dropped(failure)));
        if let Some((_, stroke)) = found {
            if stroke.reach() == task.aim.target {
                return Ok(stroke);
            }
            best = Some(stroke.further(best, task.joint.opening));
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let supports = selector.neighbours.supports();
    let movable = percept.movable_ids();
    Err(rejections.failure(&handle, &movable, &supports, &limits(&gripper)))
}

/// Height in World of what a thing stands on, or what it is a part of, m.
fn ground_m(percept: &Percept, thing: &PerceivedObject) -> f64 {
    let whole = percept.whole_of(&thing.id);
    let whole = whole.and_then(|id| percept.object(id)).into_iter();
    let bottoms = whole.chain([thing]).map(|o| o.aabb_in_world().min[2]);
    bottoms.fold(f64::INFINITY, f64::min)
}

/// The same pinch from above and below by a hand that comes a little from above, or from below,
/// which has more room over a table; and of a bar along a level hinge by a hand that leans, which
/// has less to turn with it.
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

struct GripSelector<'a> {
    arm: Arm<'a>,
    task: &'a JointTask,
    scenes: &'a Scenes,
    hand: &'a Hand,
    neighbours: Neighbours,
    /// Openings on the way.
    way: Vec<f64>,
}

impl GripSelector<'_> {
    /// Grasps as they are or tilted, with what speaks against each: none so near to a hinge that
    /// it would have no lever, or as one that was in vain.
    fn ranked(&self, grasps: Vec<Grasp>) -> Vec<(f64, Grasp)> {
        let task = self.task;
        let levers_m = grasps.iter().map(|g| self.lever_m(g));
        let least_m = LEVER * levers_m.fold(0.0, f64::max);
        let tilted: Vec<Grasp> = grasps.iter().flat_map(|g| tilted(g, task)).collect();
        let straight = grasps.into_iter().map(|g| (g.cost(), g));
        let tilted = tilted.into_iter().map(|g| (TILT_COST + g.cost(), g));
        let is_of_use = |(_, grasp): &(f64, Grasp)| {
            let is_weak = task.joint.role == JointRole::Opens && self.lever_m(grasp) < least_m;
            !is_weak && !self.was_in_vain(grasp)
        };
        straight.chain(tilted).filter(is_of_use).collect()
    }

    /// Distance from the axis at which it holds, m; the same for all if there is none.
    fn lever_m(&self, grasp: &Grasp) -> f64 {
        let at = &grasp.world_from_tool.translation.vector;
        self.task.path().lever_m(&self.task.joint, at)
    }

    fn was_in_vain(&self, grasp: &Grasp) -> bool {
        let same = |held: &Pose| {
            let off = held.inverse() * grasp.world_from_tool;
            off.translation.vector.norm() < SAME_M && off.rotation.angle() < SAME_TURN_RAD
        };
        self.task.in_vain.iter().any(same)
    }

    fn moved(&self, grasp: &Grasp, opening: f64) -> Pose {
        let joint = &self.task.joint;
        joint.carried(&grasp.world_from_tool, opening)
    }

    /// The finger distance with which the hand fits, and its clearance, if the arm
    /// reaches the handle and enough of the way.
    fn fit(&self, grasp: &Grasp) -> Result<(f64, f64), Rejection> {
        let fitting = self.opening(grasp);
        let inverse = |pose: &Pose| self.arm.robot.inverse(self.arm.now, pose);
        for pose in [grasp.world_from_before, grasp.world_from_tool] {
            inverse(&pose).map_err(Rejection::Unreachable)?;
        }
        for (n, opening) in self.way.iter().enumerate() {
            match inverse(&self.moved(grasp, *opening)) {
                Ok(_) => {}
                Err(_) if n > 0 && self.task.is_worth(self.way[n - 1]) => break,
                Err(why) => return Err(Rejection::Unreachable(why)),
            }
        }
        fitting
    }

    /// The first finger distance with which the hand fits, and its clearance, m.
    fn opening(&self, grasp: &Grasp) -> Result<(f64, f64), Rejection> {
        let max_m = self.arm.robot.info.gripper.max_width_m;
        let openings = SPACES_M.map(|space_m| (grasp.width_m + 2.0 * space_m).min(max_m));
        self.neighbours.first_clear(self.hand, grasp, &openings)
    }

    /// The stroke by a grasp that fits, as far as the arm can follow.
    fn plan(&self, grasp: &Grasp) -> Result<Stroke, MotionFailure> {
        let opening_m = self.opening(grasp).map_or(grasp.width_m, |(m, _)| m);
        let approach = Approach {
            world_from_before: grasp.world_from_before,
            world_from_tool: grasp.world_from_tool,
        };
        let way = self.way.iter().map(|o| (*o, self.moved(grasp, *o)));
        let way: Vec<_> = way.collect();
        let hold = (Some(grasp.clone()), opening_m);
        let is_worth = |o| self.task.is_worth(o);
        self.arm
            .stroke(self.scenes, &approach, hold, &way, is_worth)
    }
}
