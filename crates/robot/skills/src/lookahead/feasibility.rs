//! Feasibility of a grasp: whether the motions of the next call are possible with it.

use nalgebra::Vector3;
use regrasp_api::{
    Attachment, Held, KeepUp, MotionFailure, MotionGoal, MotionRequest, PlannedMotion,
    PlanningScene, Pose, Trajectory,
};
use regrasp_robot::Robot;

use crate::candidates::{Approach, is_roundabout};
use crate::grasp::{Grasp, is_from_side, retreat};
use crate::insert::Fit;
use crate::placement::{Placement, Rest};
use crate::pour::{PLANNED_OFF_M, PourPath, Scenery, plan_to_path};
use crate::put_down;

use super::destination::{Destination, Lookahead};

/// State of the arm after the lift.
pub(crate) struct Lifted {
    pub(crate) world_from_tool: Pose,
    pub(crate) joints: Vec<f64>,
}

/// Suitability of a grasp for the next call, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feasibility {
    Blocked,
    /// Possible with a long detour, or only by dropping the object.
    Barely,
    Good,
}

impl Feasibility {
    fn or_blocked(is_possible: bool) -> Self {
        if is_possible {
            Self::Good
        } else {
            Self::Blocked
        }
    }
}

impl Lookahead<'_> {
    /// Feasibility of the next call with a grasp. It is computed only where it is worth the effort
    /// before the pick: if the arm has to come close to the target of the call.
    pub(crate) fn feasibility(
        &self,
        robot: &Robot,
        scene: &PlanningScene,
        grasp: &Grasp,
        lifted: &Lifted,
    ) -> Feasibility {
        let rehearsal = Rehearsal::new(self, robot, scene, grasp, lifted);
        match &self.place {
            Destination::Any(any) if any.rehearsed => rehearsal.put_down(&any.placements),
            Destination::In(fit) => Feasibility::or_blocked(rehearsal.can_insert(fit)),
            Destination::Tilted(scenery, paths) => {
                Feasibility::or_blocked(rehearsal.can_tilt(scenery, paths))
            }
            Destination::Any(_) | Destination::InAir(_) | Destination::Unknown => Feasibility::Good,
        }
    }
}

struct Rehearsal<'a> {
    next: &'a Lookahead<'a>,
    robot: &'a Robot,
    scene: PlanningScene,
    world_from_tool: Pose,
    held: Held,
    start: Vec<f64>,
}

impl<'a> Rehearsal<'a> {
    fn new(
        next: &'a Lookahead<'a>,
        robot: &'a Robot,
        scene: &PlanningScene,
        grasp: &Grasp,
        lifted: &Lifted,
    ) -> Self {
        let held = next.held_with(grasp);
        let mut scene = scene.clone();
        scene.obstacles.retain(|o| o.id != held.id);
        scene.attached = Some(Attachment {
            id: held.id.clone(),
            shape: held.shape.clone(),
            tool_from_object: held.tool_from_object,
        });
        let mut rehearsal = Self {
            next,
            robot,
            scene,
            world_from_tool: grasp.world_from_tool,
            held,
            start: lifted.joints.clone(),
        };
        rehearsal.withdraw(&lifted.world_from_tool);
        rehearsal
    }

    /// Retreats after the lift like a pick from the side, if possible.
    fn withdraw(&mut self, from: &Pose) {
        if is_from_side(from)
            && let Ok(out) = self.plan(&self.start, MotionGoal::Line(retreat(from)), &self.scene)
        {
            self.start = out.trajectory.last_position().to_vec();
        }
    }

    /// Returns the best feasibility over all places. Places with a fixed rotation or an approach
    /// from the side are equally good and are planned together.
    fn put_down(&self, placements: &[Placement]) -> Feasibility {
        let (held, motion) = (&self.held, &*self.robot.motion);
        let serves = |at: usize| self.next.puts_on(motion, at, held);
        let served = placements.iter().enumerate().filter(|(at, _)| serves(*at));
        let served: Vec<&Placement> = served.map(|(_, placement)| placement).collect();
        let is_one_way = |s: &&Placement| s.retreat.is_some() || s.rest == Rest::Laid;
        let n_together = if served.iter().any(is_one_way) {
            served.len()
        } else {
            1
        };
        let mut best = Feasibility::Blocked;
        for placements in served.chunks(n_together.max(1)) {
            let drops = |placement: &&Placement| {
                put_down::drop_approaches(&self.next.hand, held, &self.scene, placement)
            };
            let drops: Vec<Approach> = placements.iter().flat_map(drops).collect();
            let (paths, feasibility) = match drops.is_empty() {
                true => {
                    let paths = placements
                        .iter()
                        .flat_map(|placement| put_down::approaches(held, placement));
                    (paths.collect(), Feasibility::Good)
                }
                false => (drops, Feasibility::Barely),
            };
            best = best.max(match self.first_of(&paths, placements[0]) {
                None => Feasibility::Blocked,
                Some(travel) if is_roundabout(motion, &travel) => Feasibility::Barely,
                Some(_) => feasibility,
            });
            if best == Feasibility::Good {
                break;
            }
        }
        best
    }

    /// Plans the travel to the approach that is reached soonest and can be completed.
    fn first_of(&self, paths: &[Approach], placement: &Placement) -> Option<Trajectory> {
        let touching = self.scene.clone().touching(placement.support.clone());
        let reaches = |pose: &Pose| self.next.reaches(&*self.robot.motion, pose);
        let in_reach = paths.iter().filter(|path| path.is_reachable(reaches));
        let mut paths: Vec<&Approach> = in_reach.collect();
        // A single query covers all of them, so a search has several goals.
        while !paths.is_empty() {
            let befores = paths.iter().map(|path| path.world_from_before).collect();
            let there = self.plan(&self.start, MotionGoal::AnyPose(befores), &self.scene);
            let there = there.ok()?;
            let path = paths.remove(there.goal_idx);
            if self.goes_in(&there, path, &touching) {
                return Some(there.trajectory);
            }
        }
        None
    }

    fn can_insert(&self, fit: &Fit) -> bool {
        let touching = fit.touching(self.scene.clone());
        let paths = fit.paths(&self.next.hand, &self.held, self.held.width_m);
        paths.iter().any(|path| {
            let before = MotionGoal::AnyPose(vec![path.approach.world_from_before]);
            let there = self.plan(&self.start, before, &self.scene);
            there.is_ok_and(|there| self.goes_in(&there, &path.approach, &touching))
        })
    }

    /// Returns true if the straight line of an approach is possible from the end of a motion.
    fn goes_in(&self, there: &PlannedMotion, path: &Approach, touching: &PlanningScene) -> bool {
        let goal = MotionGoal::Line(path.world_from_tool);
        let start = there.trajectory.last_position();
        self.plan(start, goal, touching).is_ok()
    }

    fn can_tilt(&self, scenery: &Scenery, paths: &[PourPath]) -> bool {
        // The contents must not run out during the travel.
        let mut upright = self.scene.clone();
        let up = self.world_from_tool.rotation.inverse() * Vector3::z();
        upright.keep_up = Some(KeepUp::carried(up.into()));
        let motion = &*self.robot.motion;
        let plan = |start: &[f64], goal: MotionGoal, scene: &PlanningScene| {
            self.plan(start, goal, scene)
                .map(|planned| planned.trajectory)
        };
        let base = &self.next.world_from_base;
        let scenes = [&upright, &self.scene];
        scenery
            .clear_paths(paths, &self.next.hand, &self.held, PLANNED_OFF_M)
            .map(|path| path.tool_poses(&self.held.tool_from_object))
            .filter(|poses| self.next.reaches_all(motion, poses))
            .any(|poses| plan_to_path(motion, base, &plan, &self.start, &poses, scenes).is_ok())
    }

    fn plan(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<PlannedMotion, MotionFailure> {
        self.robot.motion.plan(&MotionRequest {
            world_from_base: self.next.world_from_base,
            start,
            gripper_width_m: self.held.width_m,
            goal,
            scene,
            speed_scale: self.robot.usual_speed(),
            keep_up: scene.keep_up,
        })
    }
}
