//! Choosing how to take hold of a handle: what the shape offers, where the hand fits, and
//! from where the arm can move it furthest.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Failure, JointRole, MotionFailure, PerceivedObject, Percept, Pose};
use regrasp_robot::Robot;

use super::way::{Go, Scenes, Site};
use super::{JointWork, handle, is_level};
use crate::candidates::Approach;
use crate::choose::dropped;
use crate::grasp::{
    Candidates, Dropped, Grasp, Hand, N_GROUPS, Neighbours, SIDE_SPACE_M, Tally, clearance_cost,
    limits, tool_yaw,
};

/// Space beside the handle for each finger, m, the first with which the hand fits.
const SPACES_M: [f64; 3] = [SIDE_SPACE_M, 0.007, 0.004];
/// Grasps for which motions are planned before the skill gives up.
const MAX_PLANNED: usize = 24;
/// Tilts of a hand that pinches from above and below, rad: within the friction cone of the pads.
const TILTS_RAD: [f64; 4] = [0.12, -0.12, 0.24, -0.24];
/// What a tilt costs, in radians of leaning.
const TILT_COST: f64 = 0.2;
/// The closing direction of such a hand is steeper than this, as a cosine.
const LEVEL: f64 = 0.95;
/// Grasps that differ by less than this are the same, m and rad.
const SAME_M: f64 = 0.004;
const SAME_RAD: f64 = 0.1;
/// A door is not held nearer to its hinge than this part of its furthest handle.
const LEVER: f64 = 0.4;

/// The best grasp of the handle.
///
/// # Errors
///
/// `no_grasp_found` with why candidates were dropped, or `unreachable`.
pub(super) fn choose(
    robot: &mut Robot,
    percept: &Percept,
    work: &JointWork,
    scenes: &Scenes,
) -> Result<Go, Failure> {
    let handle = handle::of(work);
    let (now, from) = (robot.observe()?, work.joint.opening);
    let gripper = robot.info.gripper.clone();
    let hand = Hand::new(&gripper);
    let yaw = tool_yaw(&robot.world_from_tool()?);
    let ground_m = ground_m(percept, &work.thing);
    let candidates = Candidates::new(&handle, &gripper, &hand, yaw).above_ground(ground_m);
    let chooser = Chooser {
        site: Site {
            robot,
            now,
            work,
            scenes,
        },
        hand: &hand,
        neighbours: Neighbours::new(percept, &work.thing),
        way: work.path().openings(work.joint.opening, work.aim.target),
    };
    let mut tally = Tally::default();
    let mut n_planned = 0;
    let mut best: Option<Go> = None;
    for group in 0..N_GROUPS {
        let (grasps, left_out) = candidates.group(group);
        left_out.into_iter().for_each(|d| tally.add(d));
        let fitting = chooser.fitting(grasps, &mut tally);
        for (_, opening_m, grasp) in fitting {
            if n_planned == MAX_PLANNED {
                tally.n_untried += 1;
                continue;
            }
            n_planned += 1;
            match chooser.plan(grasp, opening_m) {
                Ok(go) if go.reach() == work.aim.target => return Ok(go),
                Ok(go) => best = Some(go.further(best, from)),
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
                Err(failure) => tally.add(dropped(failure)),
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let supports = chooser.neighbours.supports();
    let movable = percept.movable_ids();
    Err(tally.failure(&handle, &movable, &supports, &limits(&gripper)))
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
fn tilted(grasp: &Grasp, work: &JointWork) -> Vec<Grasp> {
    let tool = grasp.world_from_tool;
    let closing = tool.rotation * Vector3::y();
    let axis = work.joint.axis();
    let turns_about =
        is_level(&work.joint) && (tool.rotation * Vector3::x()).dot(&axis).abs() > LEVEL;
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

struct Chooser<'a> {
    site: Site<'a>,
    hand: &'a Hand,
    neighbours: Neighbours,
    /// Openings on the way.
    way: Vec<f64>,
}

impl Chooser<'_> {
    /// Grasps with which the hand fits, as they are or tilted, with their costs and finger
    /// distances, m; the best first.
    fn fitting(&self, grasps: Vec<Grasp>, tally: &mut Tally) -> Vec<(f64, f64, Grasp)> {
        let work = self.site.work;
        let levers_m = grasps.iter().map(|g| self.lever_m(g));
        let furthest_m = levers_m.fold(0.0, f64::max);
        let tilted = grasps.iter().flat_map(|grasp| tilted(grasp, work));
        let tilted: Vec<Grasp> = tilted.collect();
        let straight = grasps.into_iter().map(|g| (0.0, g));
        let mut fitting = vec![];
        for (extra, grasp) in straight.chain(tilted.into_iter().map(|g| (TILT_COST, g))) {
            let weak =
                work.joint.role == JointRole::Opens && self.lever_m(&grasp) < LEVER * furthest_m;
            match self.fit(&grasp) {
                Ok(_) if weak || self.was_in_vain(&grasp) => {}
                Ok((opening_m, clearance_m)) => {
                    let cost = extra + grasp.cost() + clearance_cost(clearance_m);
                    fitting.push((cost, opening_m, grasp));
                }
                Err(why) => tally.add(why),
            }
        }
        fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
        fitting
    }

    /// How far from the axis it holds, m; the same for all if there is none.
    fn lever_m(&self, grasp: &Grasp) -> f64 {
        let at = &grasp.world_from_tool.translation.vector;
        self.site.work.path().lever_m(&self.site.work.joint, at)
    }

    fn was_in_vain(&self, grasp: &Grasp) -> bool {
        let same = |held: &Pose| {
            let off = held.inverse() * grasp.world_from_tool;
            off.translation.vector.norm() < SAME_M && off.rotation.angle() < SAME_RAD
        };
        self.site.work.in_vain.iter().any(same)
    }

    fn moved(&self, grasp: &Grasp, opening: f64) -> Pose {
        self.site
            .work
            .joint
            .carried(&grasp.world_from_tool, opening)
    }

    /// The finger distance with which the hand fits, and its clearance, if the arm
    /// reaches the handle and enough of the way.
    fn fit(&self, grasp: &Grasp) -> Result<(f64, f64), Dropped> {
        let max_m = self.site.robot.info.gripper.max_width_m;
        let mut fitting = Err(Dropped::Slanted);
        for space_m in SPACES_M {
            let opening_m = (grasp.width_m + 2.0 * space_m).min(max_m);
            let clearance = self.neighbours.clearance_m(self.hand, grasp, opening_m);
            fitting = clearance.map(|clearance_m| (opening_m, clearance_m));
            if fitting.is_ok() {
                break;
            }
        }
        let inverse = |pose: &Pose| self.site.robot.inverse(&self.site.now, pose);
        for pose in [grasp.world_from_before, grasp.world_from_tool] {
            inverse(&pose).map_err(Dropped::Unreachable)?;
        }
        for (n, opening) in self.way.iter().enumerate() {
            match inverse(&self.moved(grasp, *opening)) {
                Ok(_) => {}
                Err(_) if n > 0 && self.site.work.is_worth(self.way[n - 1]) => break,
                Err(why) => return Err(Dropped::Unreachable(why)),
            }
        }
        fitting
    }

    /// The go by a grasp, as far as the arm can follow.
    fn plan(&self, grasp: Grasp, opening_m: f64) -> Result<Go, MotionFailure> {
        let approach = Approach {
            world_from_before: grasp.world_from_before,
            world_from_tool: grasp.world_from_tool,
        };
        let way = self.way.iter().map(|o| (*o, self.moved(&grasp, *o)));
        let way = way.collect();
        self.site.plan(&approach, (Some(grasp), opening_m), way)
    }
}
