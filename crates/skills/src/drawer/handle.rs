//! Choosing how to take hold of a handle: what the shape offers, where the hand fits, and
//! from where the arm can move it all the way.

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, MotionRequest, Observation, PerceivedObject, Percept,
    PlanningScene, Pose, ToolTarget, Trajectory,
};
use regrasp_robot::Robot;

use super::DrawerWork;
use crate::choose::dropped;
use crate::grasp::{
    Candidates, Dropped, Grasp, Hand, N_GROUPS, Neighbours, SIDE_SPACE_M, Tally, clearance_cost,
    limits, tool_yaw,
};

/// A grasp of the handle from which the whole way can be made.
pub(super) struct Hold {
    pub(super) grasp: Grasp,
    /// Finger distance on the way there, m.
    pub(super) opening_m: f64,
    /// From where the arm is to the beginning of the straight approach.
    pub(super) travel: Trajectory,
}

/// Space beside the handle for each finger, m, the first with which the hand fits.
const SPACES_M: [f64; 3] = [SIDE_SPACE_M, 0.007, 0.004];
/// Grasps for which motions are planned before the skill gives up.
const MAX_PLANNED: usize = 24;

/// What is in the way on which part of the work.
pub(super) struct Scenes {
    /// On the way there: everything.
    pub(super) free: PlanningScene,
    /// At the handle: everything, the drawer may be touched.
    pub(super) touching: PlanningScene,
    /// While it slides: everything but the drawer and what lies in it, which come along.
    pub(super) sliding: PlanningScene,
}

/// The best grasp of the handle.
///
/// # Errors
///
/// `no_grasp_found` with why candidates were dropped, or `unreachable`.
pub(super) fn choose(
    robot: &mut Robot,
    percept: &Percept,
    work: &DrawerWork,
    scenes: &Scenes,
) -> Result<Hold, Failure> {
    let handle = handle_of(work)?;
    let now = robot.observe()?;
    let gripper = robot.info.gripper.clone();
    let hand = Hand::new(&gripper);
    let yaw = tool_yaw(&robot.world_from_tool()?);
    let candidates = Candidates::new(&handle, &gripper, &hand, yaw);
    let chooser = Chooser {
        robot,
        now,
        hand: &hand,
        neighbours: Neighbours::new(percept, &work.drawer),
        scenes,
        way: work.joint.axis() * (work.goal_m - work.joint.opening),
    };
    let mut tally = Tally::default();
    let mut n_planned = 0;
    for group in 0..N_GROUPS {
        let (grasps, left_out) = candidates.group(group);
        left_out.into_iter().for_each(|d| tally.add(d));
        let mut fitting = vec![];
        for grasp in grasps {
            match chooser.fit(&grasp) {
                Ok((opening_m, clearance_m)) => {
                    fitting.push((grasp.cost() + clearance_cost(clearance_m), opening_m, grasp));
                }
                Err(why) => tally.add(why),
            }
        }
        fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, opening_m, grasp) in fitting {
            if n_planned == MAX_PLANNED {
                tally.n_untried += 1;
                continue;
            }
            n_planned += 1;
            match chooser.plan(&grasp, opening_m) {
                Ok(travel) => {
                    return Ok(Hold {
                        grasp,
                        opening_m,
                        travel,
                    });
                }
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
                Err(failure) => tally.add(dropped(failure)),
            }
        }
    }
    let supports = chooser.neighbours.supports();
    let movable = percept.movable_ids();
    Err(tally.failure(&handle, &movable, &supports, &limits(&gripper)))
}

/// The handle as a thing of its own, under the drawer's name.
fn handle_of(work: &DrawerWork) -> Result<PerceivedObject, Failure> {
    let drawer = &work.drawer;
    let Some(handle) = &work.joint.handle else {
        let text = format!("{} has no handle that is known", drawer.id);
        let reason = regrasp_api::Reason::NoGraspFound;
        return Err(Failure::new(reason, text).about([drawer.id.clone()]));
    };
    Ok(PerceivedObject {
        shape: handle.shape.clone(),
        world_from_object: drawer.world_from_object * handle.object_from_part,
        ..drawer.clone()
    })
}

struct Chooser<'a> {
    robot: &'a Robot,
    now: Observation,
    hand: &'a Hand,
    neighbours: Neighbours,
    scenes: &'a Scenes,
    /// By how much the drawer should move, in World.
    way: nalgebra::Vector3<f64>,
}

impl Chooser<'_> {
    /// The finger distance with which the hand fits, and its clearance, if the arm
    /// reaches all three places.
    fn fit(&self, grasp: &Grasp) -> Result<(f64, f64), Dropped> {
        let max_m = self.robot.info.gripper.max_width_m;
        let mut fitting = Err(Dropped::Slanted);
        for space_m in SPACES_M {
            let opening_m = (grasp.width_m + 2.0 * space_m).min(max_m);
            let clearance = self.neighbours.clearance_m(self.hand, grasp, opening_m);
            fitting = clearance.map(|clearance_m| (opening_m, clearance_m));
            if fitting.is_ok() {
                break;
            }
        }
        let there = moved(&grasp.world_from_tool, &self.way);
        for pose in [grasp.world_from_before, grasp.world_from_tool, there] {
            let target = ToolTarget::Pose(pose);
            let start = &self.now.joint_positions;
            let inverse = self
                .robot
                .motion
                .inverse(&self.now.world_from_base, &target, start);
            inverse.map_err(Dropped::Unreachable)?;
        }
        fitting
    }

    /// The way there, if from its end the approach, the slide and the retreat are possible.
    fn plan(&self, grasp: &Grasp, opening_m: f64) -> Result<Trajectory, MotionFailure> {
        let there = MotionGoal::AnyPose(vec![grasp.world_from_before]);
        let start = &self.now.joint_positions;
        let travel = self.motion(start, opening_m, there, &self.scenes.free)?;
        let to_handle = MotionGoal::Line(grasp.world_from_tool);
        let start = travel.last_position();
        let approach = self.motion(start, opening_m, to_handle, &self.scenes.touching)?;
        let end = moved(&grasp.world_from_tool, &self.way);
        let start = approach.last_position();
        let sliding = &self.scenes.sliding;
        self.motion(start, grasp.width_m, MotionGoal::Line(end), sliding)?;
        Ok(travel)
    }

    fn motion(
        &self,
        start: &[f64],
        gripper_width_m: f64,
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<Trajectory, MotionFailure> {
        let request = MotionRequest {
            world_from_base: self.now.world_from_base,
            start,
            gripper_width_m,
            goal,
            scene,
            speed_scale: self.robot.usual_speed(),
            keep_up: None,
        };
        self.robot
            .motion
            .plan(&request)
            .map(|planned| planned.trajectory)
    }
}

/// The same orientation, `way` further in World.
pub(super) fn moved(world_from_tool: &Pose, way: &nalgebra::Vector3<f64>) -> Pose {
    nalgebra::Translation3::from(*way) * world_from_tool
}
