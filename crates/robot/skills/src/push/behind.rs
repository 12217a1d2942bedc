//! Where the closed hand is when it begins to push, and how it gets there.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{
    Attachment, Failure, MotionFailure, MotionGoal, MotionRequest, Observation, Percept,
    PlanningScene, Pose, ToolTarget, Trajectory,
};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use super::atop;
use super::contact::{At, GAP_M, Scenes, Stand};
use crate::aim::{Aim, extent};
use crate::grasp::{Hand, leaning, mass_in_object};
use crate::moved::no_way;

/// Distance between hand and what the object stands on, m: as low as it is safe, since what is
/// pushed high up falls over.
const ABOVE_GROUND_M: f64 = 0.004;
/// Distance that a palm over the object keeps from it, m: a little more than motion planning keeps.
const PALM_ROOM_M: f64 = 0.006;
/// From the place behind the object up to where the straight way down begins, m; more beside
/// what is high.
const APPROACH_M: f64 = 0.08;
const OVER_OBJECT_M: f64 = 0.03;
/// How far the hand leans back from upright, rad, the first with which the arm can do it: the
/// upright one has its whole fingers at the object, a leaning one reaches further.
const LEANS_RAD: [f64; 4] = [0.0, 0.35, 0.7, 1.0];

/// How far the hand bends over what it pushes, rad.
const OVER_RAD: [f64; 3] = [0.35, 0.7, 1.0];
/// From where the front of the fingers would touch, how far ahead and back a bent hand is looked
/// for, and in which steps, m: the front is then higher up than what is pushed.
const MOST_AHEAD_M: f64 = 0.12;
const MOST_BACK_M: f64 = 0.16;
const STEP_M: f64 = 0.002;

/// The first place from which the whole push is possible.
///
/// # Errors
///
/// As [`crate::candidates::first_possible`].
pub(super) fn choose(robot: &mut Robot, percept: &Percept, aim: &Aim) -> Result<Stand, Failure> {
    let hand = Hand::new(&robot.info.gripper);
    let now = robot.observe()?;
    let mut failures = vec![];
    let behind = places(&hand, aim)
        .into_iter()
        .map(|place| (At::Back, place));
    // A stiff arm cannot press with a force that it keeps, and one that feels no contact does not
    // know when it presses.
    let can = robot.can();
    let on_top = match can.compliance && can.contact_forces {
        true => atop::places(&hand, aim),
        false => vec![],
    };
    for (at, world_from_tool) in behind.chain(on_top.into_iter().map(|place| (At::Top, place))) {
        let planner = Planner {
            robot,
            now: &now,
            aim,
        };
        match planner.plan(percept, at, &world_from_tool) {
            Ok(stand) => return Ok(stand),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    Err(no_way("push", aim, failures))
}

/// Tool poses behind the object, best first.
fn places(hand: &Hand, aim: &Aim) -> Vec<Pose> {
    let direction = aim.direction();
    let yaw = direction.y.atan2(direction.x);
    let across = std::f64::consts::FRAC_PI_2;
    let level = LEANS_RAD.iter().flat_map(|lean| {
        [yaw + across, yaw - across].map(|yaw| {
            let (one, other) = (leaning(yaw, *lean), leaning(yaw, -lean));
            // The fingers point forward, the hand stays back.
            let points_forward =
                |turn: &UnitQuaternion<f64>| (turn * Vector3::z()).dot(&direction) >= 0.0;
            if points_forward(&one) { one } else { other }
        })
    });
    // With the narrow side of the fingers, where there is no room for the broad one.
    let narrow = [yaw, yaw + 2.0 * across].map(|yaw| leaning(yaw, 0.0));
    // Bent over what is low, where there is no room for the arm behind it.
    let over = OVER_RAD.iter().flat_map(|lean| {
        let turns = [yaw + across, yaw - across].map(|yaw| {
            let (one, other) = (leaning(yaw, *lean), leaning(yaw, -lean));
            let points_back =
                |turn: &UnitQuaternion<f64>| (turn * Vector3::z()).dot(&direction) <= 0.0;
            if points_back(&one) { one } else { other }
        });
        turns
            .into_iter()
            .filter_map(|turn| bent_over(hand, aim, &turn))
    });
    // With the palm over what is higher than the fingers are long.
    let upright = [yaw + across, yaw - across].map(|yaw| leaning(yaw, 0.0));
    let raised = upright
        .into_iter()
        .filter_map(|turn| raised(hand, aim, &turn));
    level
        .chain(narrow)
        .map(|turn| place(hand, aim, &turn))
        .chain(over)
        .chain(raised)
        .collect()
}

/// The tool behind the object, no higher than its palm needs to be above it. `None` if that needs
/// nothing, or if the fingers would be above the middle of its mass, so that it would fall over.
fn raised(hand: &Hand, aim: &Aim, turn: &UnitQuaternion<f64>) -> Option<Pose> {
    let object = &aim.object;
    let body = Body::new(&object.shape, &object.world_from_object)?;
    let mass_m = (object.world_from_object.rotation * mass_in_object(&object.shape)).z
        + object.position().z
        - object.aabb_in_world().min[2];
    let lowest = place(hand, aim, turn);
    let has_room = |stand: &Pose| {
        let placed = hand.at(stand, 0.0);
        placed
            .hand
            .iter()
            .all(|solid| solid.gap_m(&body, PALM_ROOM_M).is_none())
    };
    let n_steps = ((mass_m - ABOVE_GROUND_M) / STEP_M) as usize;
    let mut stands = (1..=n_steps).map(|i| Translation3::new(0.0, 0.0, STEP_M * i as f64) * lowest);
    stands.find(has_room).filter(|_| !has_room(&lowest))
}

/// The tool behind the object with the hand above it, as near as the fingers get. `None` if the
/// hand does not fit above it.
fn bent_over(hand: &Hand, aim: &Aim, turn: &UnitQuaternion<f64>) -> Option<Pose> {
    let direction = aim.direction();
    let object = &aim.object;
    let body = Body::new(&object.shape, &object.world_from_object)?;
    let nearest = place(hand, aim, turn);
    let gap_m = |solids: &[Body]| {
        let gaps = solids.iter().filter_map(|solid| solid.gap_m(&body, GAP_M));
        gaps.reduce(f64::min)
    };
    // At most as far back as the fingers are long: further, they would not bend over it.
    let n_steps = (MOST_BACK_M / STEP_M) as usize;
    let stands = (0..=n_steps).map(|i| {
        let back = Translation3::from(-direction * (i as f64 * STEP_M - MOST_AHEAD_M));
        back * nearest
    });
    stands.into_iter().find(|stand| {
        let placed = hand.at(stand, 0.0);
        gap_m(&placed.fingers).is_none() && gap_m(&placed.hand).is_none()
    })
}

fn place(hand: &Hand, aim: &Aim, turn: &UnitQuaternion<f64>) -> Pose {
    let direction = aim.direction();
    let object = &aim.object;
    let bounds = object.aabb_in_world();
    // Through the middle of the object, wherever its origin is.
    let off = bounds.center().coords - object.position();
    let middle = object.position() + off - direction * off.dot(&direction);
    let back_m = extent(object, &-direction) + GAP_M + hand.front_m(turn, &direction);
    let mut at = middle - direction * back_m;
    at.z = bounds.min[2] + ABOVE_GROUND_M + hand.depth_m(turn);
    Pose::from_parts(at.into(), *turn)
}

struct Planner<'a> {
    robot: &'a Robot,
    now: &'a Observation,
    aim: &'a Aim,
}

impl Planner<'_> {
    /// All motions of a push from there.
    fn plan(
        &self,
        percept: &Percept,
        at: At,
        world_from_tool: &Pose,
    ) -> Result<Stand, MotionFailure> {
        let gap_m = if at == At::Back { GAP_M } else { 0.0 };
        let way = self.aim.direction() * (self.aim.way().norm() + gap_m);
        let end = Translation3::from(way) * world_from_tool;
        let bounds = self.aim.object.aabb_in_world();
        let rise_m = APPROACH_M.max(bounds.max[2] - bounds.min[2] + OVER_OBJECT_M);
        let before = Translation3::new(0.0, 0.0, rise_m) * world_from_tool;
        let start = &self.now.joint_positions;
        for pose in [before, *world_from_tool, end] {
            let target = ToolTarget::Pose(pose);
            let base = &self.now.world_from_base;
            self.robot.motion.inverse(base, &target, start)?;
        }
        let scenes = self.scenes(percept, &end);
        let travel = self.motion(start, MotionGoal::AnyPose(vec![before]), &scenes.free)?;
        let down = MotionGoal::Line(*world_from_tool);
        let down = self.motion(travel.last_position(), down, &scenes.touching)?;
        let push = MotionGoal::Line(end);
        self.motion(down.last_position(), push, &scenes.pushing)?;
        Ok(Stand {
            travel,
            at,
            world_from_tool: *world_from_tool,
            way,
            scenes,
        })
    }

    fn scenes(&self, percept: &Percept, world_from_end: &Pose) -> Scenes {
        let id = &self.aim.object.id;
        let free = self.robot.planning_scene(percept);
        let on_support = self
            .aim
            .support
            .iter()
            .fold(free.clone(), |scene, support| {
                scene.touching(support.clone())
            });
        let mut pushing = on_support.clone();
        pushing.obstacles.retain(|o| &o.id != id);
        pushing.attached = Some(Attachment {
            id: id.clone(),
            shape: self.aim.object.shape.clone(),
            tool_from_object: world_from_end.inverse() * self.aim.world_from_goal(),
        });
        Scenes {
            free,
            touching: on_support.touching(id.clone()),
            pushing,
        }
    }

    fn motion(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<Trajectory, MotionFailure> {
        let request = MotionRequest {
            world_from_base: self.now.world_from_base,
            start,
            gripper_width_m: self.now.gripper.width_m,
            goal,
            scene,
            speed_scale: self.robot.usual_speed(),
            keep_up: None,
        };
        let planned = self.robot.motion.plan(&request)?;
        Ok(planned.trajectory)
    }
}
