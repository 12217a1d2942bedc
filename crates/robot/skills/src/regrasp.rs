//! Regrasping: puts the held object down and grasps it again, if one grasp does not serve both the
//! start and the goal.
//!
//! A grasp fixes the object in the hand: a hand that came from above is below an object that it
//! turns over. So the object is put down in one of its resting poses, and grasped again in a way
//! that this pose allows. Its shape gives the resting poses. Before anything moves, geometry and
//! inverse kinematics decide whether a sequence of one or two of them exists: the current grasp can
//! put the object down in the first, and in each there is a grasp that can put it in the next, or
//! at the goal. Sequences that pass are rehearsed with planned motions.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use regrasp_api::{Failure, Held, PerceivedObject, Percept, Phase, Pose, Reason};
use regrasp_robot::{Result, Robot};

use crate::arm::Arm;
use crate::faces::resting_rotations;
use crate::grasp::{leaning, mass_in_object};
use crate::grasp_selection::has_grasp;
use crate::hold::seen_at;
use crate::lookahead::{Lookahead, Purpose};
use crate::pick::{PickTask, grip, lift, verify_held};
use crate::placement::{Placement, PlacementRequest};
use crate::poses::eighths;
use crate::put_down::{self, PlaceTask, any_of, verify_placed};
use crate::sight;

/// Number of places that are tried for each resting pose.
const N_PLACES: usize = 3;
/// Largest number of rehearsals of intermediate grasps, each of which plans motions.
const MOST_REHEARSALS: usize = 8;
/// Angles of the hand from straight down with which the reachability of a place is tested, rad.
const LEANS_RAD: [f64; 3] = [0.0, FRAC_PI_4, FRAC_PI_2];

/// Puts the held object down like [`put_down::put_down`]. If the grasp does not serve, regrasps the
/// object first. If no grasp brings it to its place in a container, drops it there.
pub(crate) fn put_down_or_regrasp(robot: &mut Robot, task: &mut PlaceTask) -> Result<()> {
    let outcome = put_down::put_down(robot, task);
    let outcome = if_grip_fails(robot, outcome, |robot, why| {
        task.held = regrasp_for(robot, task, why).map_err(|failure| lost(robot, failure))?;
        put_down::put_down(robot, task)
    });
    if_grip_fails(robot, outcome, |robot, why| drop_into(robot, task, why))
}

/// Continues with an alternative if the object is held but cannot be put down with this grasp.
fn if_grip_fails(
    robot: &mut Robot,
    outcome: Result<()>,
    otherwise: impl FnOnce(&mut Robot, Failure) -> Result<()>,
) -> Result<()> {
    let may_be_the_grip = |why: &Failure| {
        let about = [Reason::Unreachable, Reason::GoalInCollision];
        why.phase == Some(Phase::Plan) && about.contains(&why.reason)
    };
    match outcome {
        Err(why) if may_be_the_grip(&why) && robot.held.is_some() => otherwise(robot, why),
        outcome => outcome,
    }
}

/// Drops the object into its support, if that is a container. Otherwise returns `why`, the failure
/// that made this necessary.
fn drop_into(robot: &mut Robot, task: &mut PlaceTask, why: Failure) -> Result<()> {
    let percept = robot.perceive()?;
    let Some(container) = percept.object(&task.placement().support) else {
        return Err(why);
    };
    let world_from_held = robot.world_from_tool()? * task.held.tool_from_object;
    let request = PlacementRequest::new(robot, &percept, &task.held, world_from_held);
    let places = request.drops_into(container)?;
    if places.is_empty() {
        return Err(why);
    }
    task.placements = places;
    let outcome = put_down::put_down(robot, task);
    outcome.map_err(|failure| match failure.phase {
        Some(Phase::Plan) => why,
        _ => failure,
    })
}

/// Reports a slip that lost the object in a regrasp as a drop: it has to be picked up first.
fn lost(robot: &Robot, mut failure: Failure) -> Failure {
    if robot.held.is_none() && failure.reason == Reason::GraspSlipped {
        failure.reason = Reason::ObjectDropped;
        failure.detail = format!("during a regrasp, {}", failure.detail).into();
    }
    failure
}

/// Puts the object down and grasps it again until the grasp allows the goal. `why` is the failure
/// of the current grasp.
fn regrasp_for(robot: &mut Robot, task: &PlaceTask, why: Failure) -> Result<Held> {
    robot.begin("regrasp");
    let percept = robot.perceive()?;
    let goals = task.placements.clone();
    let mut held = task.held.clone();
    let now = robot.world_from_tool()? * held.tool_from_object;
    let mut search = Search {
        robot,
        percept: &percept,
        held: &held,
        object: seen_at(&held, now),
        goals: &goals,
        n_rehearsals: 0,
    };
    let stops = search.stops(why)?;
    for (i, stop) in stops.iter().enumerate() {
        let next = stops.get(i + 1).unwrap_or(&goals);
        let mut half = any_of(held, stop.clone());
        put_down::put_down(robot, &mut half)?;
        verify_placed(robot, &half)?;
        // The new grasp has to allow one of the next places.
        let (percept, target) = sight::see_with(robot, &half.held.id)?;
        let mut pick = PickTask::new(&percept, target);
        grip(robot, &mut pick, &Purpose::Places(next))?;
        lift(robot, &mut pick)?;
        verify_held(robot, &pick)?;
        held = sight::held(robot)?;
    }
    Ok(held)
}

struct Search<'a> {
    robot: &'a mut Robot,
    percept: &'a Percept,
    held: &'a Held,
    /// The held object as perception would see it.
    object: PerceivedObject,
    goals: &'a [Placement],
    n_rehearsals: usize,
}

#[derive(Default)]
struct Stops {
    resting: usize,
    with_this_grasp: usize,
    leading_on: usize,
}

impl Search<'_> {
    /// Returns the candidate places of each intermediate stop: near the current pose, near the
    /// goal, or elsewhere on fixed supports. In each area, one stop is tried before two.
    fn stops(&mut self, why: Failure) -> Result<Vec<Vec<Placement>>> {
        let goals = self.goals;
        let now = self.robot.observe();
        // If no hand pose reaches a place, no grasp will.
        let is_in_reach = |goal: &Placement| {
            let point = goal.world_from_object.translation;
            let hands = LEANS_RAD.iter().flat_map(|lean| {
                eighths().map(move |yaw| Pose::from_parts(point, leaning(yaw, *lean)))
            });
            let reaches =
                |pose: Pose| matches!(&now, Ok(now) if Arm::new(self.robot, now).reaches(&pose));
            hands.into_iter().any(reaches)
        };
        if !goals.iter().any(is_in_reach) {
            return Err(why);
        }
        let mut found = Stops::default();
        for near in self.areas() {
            if let Some(stops) = self.stops_near(&near, &mut found) {
                return Ok(stops);
            }
        }
        let text = format!(
            "{}; regrasping {} would not help: of {} resting places tried, this grasp reaches \
             {}, and {} allow a grasp that reaches the goal",
            why.detail, self.held.id, found.resting, found.with_this_grasp, found.leading_on
        );
        Err(Failure {
            detail: text.into_boxed_str(),
            ..why
        })
    }

    fn areas(&self) -> Vec<Pose> {
        let now = self.object.world_from_object;
        let fixed = self.percept.objects.iter().filter(|o| !o.movable);
        let over = |object: &PerceivedObject| {
            let mut at = object.aabb_in_world().center();
            at.z = now.translation.z;
            Pose::from_parts(at.into(), now.rotation)
        };
        let mut elsewhere: Vec<Pose> = fixed.map(over).collect();
        let away_m = |pose: &Pose| (pose.translation.vector - now.translation.vector).norm();
        elsewhere.sort_by(|a, b| away_m(a).total_cmp(&away_m(b)));
        let goals = self.goals.iter().take(1);
        let goals = goals.map(|goal| goal.world_from_object);
        std::iter::once(now).chain(goals).chain(elsewhere).collect()
    }

    fn stops_near(&mut self, near: &Pose, found: &mut Stops) -> Option<Vec<Vec<Placement>>> {
        let goals = self.goals;
        let resting = self.resting_near(near);
        let first = resting.iter().map(|places| self.with_this_grasp(places));
        let first: Vec<Vec<Placement>> = first.filter(|places| !places.is_empty()).collect();
        found.resting += resting.len();
        found.with_this_grasp += first.len();
        for stop in &first {
            if self.has_grasp(&stop[0], goals, false) && self.is_rehearsed(&stop[0]) {
                return Some(vec![stop.clone()]);
            }
        }
        let last = resting
            .iter()
            .filter(|places| self.has_grasp(&places[0], goals, false));
        let last: Vec<&Vec<Placement>> = last.collect();
        found.leading_on += last.len();
        for stop in &first {
            for last in &last {
                if self.has_grasp(&stop[0], last, false) && self.is_rehearsed(&last[0]) {
                    return Some(vec![stop.clone(), (*last).clone()]);
                }
            }
        }
        None
    }

    fn resting_near(&self, near: &Pose) -> Vec<Vec<Placement>> {
        let request = PlacementRequest::new(self.robot, self.percept, self.held, *near);
        let mass = mass_in_object(self.percept, &self.held.id, &self.held.shape);
        let rotation = &self.object.world_from_object.rotation;
        let resting = resting_rotations(&self.held.shape, &mass, rotation);
        let places = resting
            .iter()
            .filter_map(|rotation| request.standing_as(rotation).ok());
        places
            .map(|places| places.into_iter().take(N_PLACES).collect())
            .collect()
    }

    fn with_this_grasp(&mut self, places: &[Placement]) -> Vec<Placement> {
        let held = self.held;
        let next = Lookahead::to_places(self.robot, self.percept, &self.object, places);
        // If the robot does not answer, the next motion reports why.
        let Ok(next) = next else { return vec![] };
        let reaches = |at: &usize| next.puts_on(self.robot, *at, held);
        let reached = (0..places.len()).filter(reaches);
        reached.map(|at| places[at].clone()).collect()
    }

    /// Returns true if motions from a place to the goals are found within the rehearsal budget.
    fn is_rehearsed(&mut self, from: &Placement) -> bool {
        if self.n_rehearsals == MOST_REHEARSALS {
            return false;
        }
        self.n_rehearsals += 1;
        self.has_grasp(from, self.goals, true)
    }

    /// Returns true if a grasp at `from` exists with which the object can be put on one of `to`.
    fn has_grasp(&mut self, from: &Placement, to: &[Placement], with_motions: bool) -> bool {
        let object = PerceivedObject {
            world_from_object: from.world_from_object,
            ..self.object.clone()
        };
        let mut percept = self.percept.clone();
        percept.objects.retain(|o| o.id != object.id);
        percept.objects.push(object.clone());
        // In this hypothetical state the object stands there and the hand is empty.
        let held = self.robot.held.take();
        let next = Lookahead::to_places(self.robot, &percept, &object, to);
        let answer =
            next.and_then(|next| has_grasp(self.robot, &percept, &object, &next, with_motions));
        self.robot.held = held;
        answer.unwrap_or(false)
    }
}
