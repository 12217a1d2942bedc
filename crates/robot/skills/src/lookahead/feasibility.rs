//! Feasibility of a grasp: whether the motions of the next call are possible with it.

use nalgebra::Vector3;
use regrasp_api::{Held, KeepUp, MotionGoal, PlanningScene, Pose, Trajectory};
use regrasp_robot::Robot;

use crate::arm::{Arm, is_roundabout};
use crate::grasp::{Grasp, is_from_side, retreat};
use crate::hold::attachment;
use crate::params::MAX_PLANNED;
use crate::placement::Placement;
use crate::pour::{PLANNED_OFF_M, plan_to_path};
use crate::put_down;

use super::destination::{Destination, Lookahead};

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

impl Lookahead<'_> {
    /// Feasibility of the next call with a grasp. Motions are planned for rehearsed placements,
    /// insertions and pours; other calls count as feasible.
    pub(crate) fn feasibility(
        &self,
        robot: &Robot,
        scene: &PlanningScene,
        grasp: &Grasp,
        lifted: &Lifted,
    ) -> Feasibility {
        let held = self.held_with(grasp);
        let mut scene = scene.clone();
        scene.obstacles.retain(|o| o.id != held.id);
        scene.attached = Some(attachment(&held));
        let lifting = Arm {
            start: &lifted.joints,
            width_m: held.width_m,
            ..Arm::new(robot, &self.now)
        };
        // A pick from the side retreats after the lift, if possible.
        let from = &lifted.world_from_tool;
        let out = is_from_side(from).then(|| MotionGoal::Line(retreat(from)));
        let out = out.and_then(|out| lifting.travel(out, &scene).ok());
        let start = out
            .as_ref()
            .map_or(lifting.start, Trajectory::last_position);
        let arm = Arm { start, ..lifting };
        let is_possible = match &self.place {
            Destination::Any(any) if any.rehearsed => {
                return self.put_down(&arm, &scene, &held, &any.placements);
            }
            Destination::In(fit) => {
                let touching = fit.touching(scene.clone());
                let paths = fit.paths(&self.hand, &held, held.width_m);
                let mut approaches = paths.iter().map(|path| &path.approach);
                approaches.any(|approach| arm.approach(approach, [&scene, &touching]).is_ok())
            }
            Destination::Tilted(scenery, paths) => {
                // The contents must not run out during the travel.
                let up_in_tool = grasp.world_from_tool.rotation.inverse() * Vector3::z();
                let mut upright = scene.clone();
                upright.keep_up = Some(KeepUp::carried(up_in_tool.into()));
                scenery
                    .clear_paths(paths, &self.hand, &held, PLANNED_OFF_M)
                    .map(|path| path.tool_poses(&held.tool_from_object))
                    .filter(|poses| self.reaches_all(robot, poses))
                    .any(|poses| plan_to_path(&arm, &poses, [&upright, &scene]).is_ok())
            }
            Destination::Any(_) | Destination::InAir(_) => true,
        };
        match is_possible {
            true => Feasibility::Good,
            false => Feasibility::Blocked,
        }
    }

    /// Returns the best feasibility of entering, lowering and dropping. Each is judged by the
    /// approach that is reached soonest and can be completed, as the call itself plans it.
    fn put_down(
        &self,
        arm: &Arm<'_>,
        scene: &PlanningScene,
        held: &Held,
        placements: &[Placement],
    ) -> Feasibility {
        let serves = |at: &usize| self.puts_on(arm.robot, *at, held);
        let served = (0..placements.len()).filter(serves);
        let served: Vec<Placement> = served.map(|at| placements[at].clone()).collect();
        let Some(first) = served.first() else {
            return Feasibility::Blocked;
        };
        let touching = scene.clone().touching(first.support.clone());
        let reaches = |pose: &Pose| self.reaches(arm.robot, pose);
        let [entered, lowered, dropped] = put_down::by_kind(&self.hand, scene, held, &served);
        let mut best = Feasibility::Blocked;
        for (placements, feasibility) in [
            (entered, Feasibility::Good),
            (lowered, Feasibility::Good),
            (dropped, Feasibility::Barely),
        ] {
            let paths = placements.iter().map(|to| put_down::approach_to(held, to));
            let paths: Vec<_> = paths.filter(|path| path.is_reachable(reaches)).collect();
            let soonest = arm.soonest(&paths, [scene, &touching], MAX_PLANNED, |_| true);
            best = best.max(match soonest {
                None => Feasibility::Blocked,
                Some((_, travel)) if is_roundabout(&*arm.robot.motion, &travel) => {
                    Feasibility::Barely
                }
                Some(_) => feasibility,
            });
            if best == Feasibility::Good {
                break;
            }
        }
        best
    }
}
