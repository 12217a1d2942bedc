//! Feasibility of a grasp: whether the motions of the next call are possible with it.

use nalgebra::Vector3;
use regrasp_api::{Held, KeepUp, MotionGoal, PlanningScene, Pose};
use regrasp_robot::Robot;

use crate::arm::{Arm, is_roundabout};
use crate::grasp::{Grasp, is_from_side, retreat};
use crate::hold::attachment;
use crate::insert::Fit;
use crate::params::MAX_PLANNED;
use crate::placement::Placement;
use crate::pour::{PLANNED_OFF_M, PourPath, Scenery, plan_to_path};
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
    /// Feasibility of the next call with a grasp. It is computed only where it is worth the effort
    /// before the pick: if the arm has to come close to the target of the call.
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
        let mut rehearsal = Rehearsal {
            next: self,
            robot,
            scene,
            up_in_tool: grasp.world_from_tool.rotation.inverse() * Vector3::z(),
            held,
            start: lifted.joints.clone(),
        };
        // A pick from the side retreats after the lift, if possible.
        let (from, scene) = (&lifted.world_from_tool, &rehearsal.scene);
        let out = MotionGoal::Line(retreat(from));
        if is_from_side(from)
            && let Ok(out) = rehearsal.arm().travel(out, scene)
        {
            rehearsal.start = out.last_position().to_vec();
        }
        let is_possible = match &self.place {
            Destination::Any(any) if any.rehearsed => return rehearsal.put_down(&any.placements),
            Destination::In(fit) => rehearsal.can_insert(fit),
            Destination::Tilted(scenery, paths) => rehearsal.can_tilt(scenery, paths),
            Destination::Any(_) | Destination::InAir(_) | Destination::Unknown => true,
        };
        match is_possible {
            true => Feasibility::Good,
            false => Feasibility::Blocked,
        }
    }
}

struct Rehearsal<'a> {
    next: &'a Lookahead<'a>,
    robot: &'a Robot,
    scene: PlanningScene,
    up_in_tool: Vector3<f64>,
    held: Held,
    start: Vec<f64>,
}

impl Rehearsal<'_> {
    /// Returns the feasibility of the approach that is reached soonest and can be completed, of the
    /// best kind, as the call itself plans them.
    fn put_down(&self, placements: &[Placement]) -> Feasibility {
        let held = &self.held;
        let serves = |at: &usize| self.next.puts_on(self.robot, *at, held);
        let served = (0..placements.len()).filter(serves);
        let served: Vec<Placement> = served.map(|at| placements[at].clone()).collect();
        let Some(first) = served.first() else {
            return Feasibility::Blocked;
        };
        let touching = self.scene.clone().touching(first.support.clone());
        let (arm, scenes) = (self.arm(), [&self.scene, &touching]);
        let reaches = |pose: &Pose| self.next.reaches(self.robot, pose);
        let [entered, lowered, dropped] =
            put_down::by_kind(&self.next.hand, &self.scene, held, &served);
        let mut best = Feasibility::Blocked;
        for (placements, feasibility) in [
            (entered, Feasibility::Good),
            (lowered, Feasibility::Good),
            (dropped, Feasibility::Barely),
        ] {
            let paths = placements.iter().map(|to| put_down::approach_to(held, to));
            let paths: Vec<_> = paths.filter(|path| path.is_reachable(reaches)).collect();
            if let Some((_, travel)) = arm.soonest(&paths, scenes, MAX_PLANNED, |_| true)
                && best < feasibility
            {
                best = match is_roundabout(&*self.robot.motion, &travel) {
                    true => Feasibility::Barely,
                    false => feasibility,
                };
            }
            if best == Feasibility::Good {
                break;
            }
        }
        best
    }

    fn can_insert(&self, fit: &Fit) -> bool {
        let touching = fit.touching(self.scene.clone());
        let (arm, scenes) = (self.arm(), [&self.scene, &touching]);
        let paths = fit.paths(&self.next.hand, &self.held, self.held.width_m);
        let mut paths = paths.iter().map(|path| &path.approach);
        paths.any(|approach| arm.approach(approach, scenes).is_ok())
    }

    fn can_tilt(&self, scenery: &Scenery, paths: &[PourPath]) -> bool {
        // The contents must not run out during the travel.
        let mut upright = self.scene.clone();
        upright.keep_up = Some(KeepUp::carried(self.up_in_tool.into()));
        let (arm, scenes) = (self.arm(), [&upright, &self.scene]);
        scenery
            .clear_paths(paths, &self.next.hand, &self.held, PLANNED_OFF_M)
            .map(|path| path.tool_poses(&self.held.tool_from_object))
            .filter(|poses| self.next.reaches_all(self.robot, poses))
            .any(|poses| plan_to_path(&arm, &poses, scenes).is_ok())
    }

    fn arm(&self) -> Arm<'_> {
        Arm {
            start: &self.start,
            width_m: self.held.width_m,
            ..Arm::new(self.robot, &self.next.now)
        }
    }
}
