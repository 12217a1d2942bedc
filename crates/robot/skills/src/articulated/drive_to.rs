//! Driving a joint to its goal: by its handle or by pushing, in several strokes if necessary.

use regrasp_api::{Failure, JointRole, ObjectId, PerceivedObject, Percept, Phase, Reason};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by};
use regrasp_robot::{Result, Robot};

use super::verify::{look, stuck};
use super::{JointTask, Planner, compliant_follow, is_level};
use crate::arm::Arm;
use crate::bodies::{bodies, body_of, near};
use crate::grasp::Hand;
use crate::params::{N_STROKES, NEAR_M, REST_SECS, SEEN_EXACT_M};
use crate::sight;
use crate::stroke::{Scenes, Stroke};

/// Number of grasps tried on a hinge before it counts as stuck.
const N_HOLDS: usize = 3;
/// Opening from which the inner side of a door is within reach, rad.
const INNER_RAD: f64 = 0.3;
/// Failures after which another stroke may succeed, because something has moved.
const GOES_ON: [Reason; 3] = [
    Reason::HandleSlipped,
    Reason::GraspMissed,
    Reason::VerificationFailed,
];

/// Step in which the travel is checked for collisions, m.
const LOOK_M: f64 = 0.02;

impl JointTask {
    /// Moves the joint to its goal, in several strokes if necessary.
    pub(super) fn drive(&mut self, robot: &mut Robot) -> Result<()> {
        let task = self;
        let mut last = Ok(());
        for _ in 0..N_STROKES {
            if task.is_there() {
                return Ok(());
            }
            let before = task.joint.opening;
            let outcome = once(robot, task);
            if let (Err(failure), Err(_)) = (&outcome, &last)
                && failure.phase == Some(Phase::Plan)
            {
                // The failure of the previous stroke says more than the lack of another plan.
                break;
            }
            last = outcome;
            if is_level(&task.joint) {
                // A released lid or flap may fall.
                robot.settle(REST_SECS)?;
            }
            look(robot, task)?;
            // Checked before the displacement, because the last bit of the travel may be less than
            // what counts as motion.
            if task.is_there() {
                return Ok(());
            }
            let moved = (task.joint.opening - before).abs();
            if moved < task.path().stuck {
                // The hinge may be stuck, or the hand may have met an obstacle beside the handle,
                // which another grasp may avoid.
                let held = task.stuck_grasps.len();
                if task.path().turns && (1..N_HOLDS).contains(&held) {
                    continue;
                }
                return last.and_then(|()| Err(stuck(task, before)));
            }
            if let Err(failure) = &last
                && !GOES_ON.contains(&failure.reason)
            {
                break;
            }
        }
        if task.is_there() { Ok(()) } else { last }
    }
}

/// Makes one stroke: the better of grasping and pushing.
fn once(robot: &mut Robot, task: &mut JointTask) -> Result<()> {
    robot.begin("approach");
    let (percept, object) = sight::see_with(robot, task.id())?;
    task.object = object;
    if let Some(joint) = percept.joint_of(task.id()) {
        task.joint = joint.clone();
    }
    check_free(&percept, task)?;
    let scenes = scenes(robot, &percept, task);
    let go = select(robot, &percept, task, &scenes).map_err(|f| f.in_phase(Phase::Plan))?;
    compliant_follow::make(robot, task, &scenes, &go)
}

/// Plans the preferred stroke, by pushing or by the handle. If it does not lead far enough, plans
/// the other, too, and returns the one that leads further. A button is only pushed.
fn select(
    robot: &mut Robot,
    percept: &Percept,
    task: &JointTask,
    scenes: &Scenes,
) -> Result<Stroke> {
    let now = robot.observe()?;
    let planner = Planner {
        arm: Arm::new(robot, &now),
        task,
        percept,
        scenes,
        hand: Hand::new(&robot.info.gripper),
    };
    if task.press.is_some() {
        return planner.push();
    }
    let (joint, closes) = (&task.joint, task.sign() < 0.0);
    let hinged = task.path().turns && joint.role == JointRole::Opens;
    let from_behind = hinged && (closes || joint.opening > INNER_RAD);
    let push_first = from_behind || task.falls_back(joint.opening);
    let far = |go: &Stroke| (go.reach() - joint.opening).abs();
    // A push, or a part that falls when released, such as a lid, should need only one stroke.
    let needs_whole = push_first || hinged && is_level(joint);
    let whole = (task.target - joint.opening).abs();
    let plan = |pushes: bool| {
        if pushes {
            planner.push()
        } else {
            planner.grip()
        }
    };
    let first = plan(push_first);
    if let Ok(go) = &first
        && (!needs_whole || far(go) >= whole)
    {
        return first;
    }
    let go = match (first, plan(!push_first)) {
        (Ok(first), Ok(second)) if far(&second) > far(&first) => second,
        (Ok(go), _) | (Err(_), Ok(go)) => go,
        (Err(first), Err(second)) => {
            let how = ["pushed", "moved by its handle"][usize::from(push_first)];
            let text = format!("{}; if {how}: {}", first.detail, second.detail);
            return Err(Failure {
                detail: text.into_boxed_str(),
                ..first
            });
        }
    };
    if !task.falls_back(go.reach()) || task.counts.contains(&go.reach()) {
        return Ok(go);
    }
    let (id, unit) = (task.id(), task.path().unit);
    let (reach, least) = (go.reach(), *task.counts.start());
    let text = format!(
        "{id} falls back when released, and the arm can move it only to {reach:.3} {unit} of the \
         required {least:.3} {unit}"
    );
    Err(Failure::new(Reason::Unreachable, text)
        .about([id.clone()])
        .measured("travel", reach, Some(least), unit))
}

fn scenes(robot: &Robot, percept: &Percept, task: &JointTask) -> Scenes {
    let id = task.id();
    let free = robot.planning_scene(percept);
    let mut moving = free.clone().touching(task.joint.parent.clone());
    if task.path().turns {
        // Objects that touch the moving object already may stay in contact with it.
        moving.may_touch.extend(near(percept, &task.object, NEAR_M));
    }
    moving
        .obstacles
        .retain(|o| !comes_along(percept, task, &o.id));
    Scenes {
        touching: free.clone().touching(id.clone()),
        free,
        moving,
    }
}

/// Returns true for the moving part, loose objects in or on it, and parts whose joint is on it, but
/// not for a drawer right above it.
fn comes_along(percept: &Percept, task: &JointTask, id: &ObjectId) -> bool {
    if id == task.id() {
        return true;
    }
    if let Some(joint) = percept.joints.iter().find(|joint| &joint.child == id) {
        return &joint.parent == task.id();
    }
    percept.object(id).is_some_and(|o| {
        o.movable && (is_supported_by(o, &task.object) || is_inside(o, &task.object))
    })
}

/// Checks that the travel is free; the failure names the obstacle and the free part of the travel.
fn check_free(percept: &Percept, task: &JointTask) -> Result<()> {
    let (object, joint) = (&task.object, &task.joint);
    let Some(body) = body_of(object) else {
        return Ok(());
    };
    let whole = percept.whole_of(task.id()).unwrap_or(&joint.parent);
    let mut own = vec![whole.clone(), joint.parent.clone(), object.id.clone()];
    own.extend(percept.parts_of(whole).cloned());
    own.extend(near(percept, object, NEAR_M));
    let stays = |o: &PerceivedObject| !own.contains(&o.id) && !comes_along(percept, task, &o.id);
    let others: Vec<_> = bodies(percept, stays).collect();
    // A tall object in a drawer hits the frame as the drawer closes.
    let rides =
        |o: &PerceivedObject| o.movable && o.id != object.id && comes_along(percept, task, &o.id);
    let is_frame = |o: &PerceivedObject| !o.movable && own.contains(&o.id) && o.id != object.id;
    let frame: Vec<_> = bodies(percept, is_frame).collect();
    let load = bodies(percept, rides).map(|(o, body)| (o, body, &frame[..]));
    let movers: Vec<_> = std::iter::once((object, body, &[][..]))
        .chain(load)
        .collect();
    // The travel is checked up to the threshold of the goal, not to its end.
    let (least, most) = (task.counts.start().min(1e3), task.counts.end().max(-1e3));
    let travel = joint.opening.clamp(least, most) - joint.opening;
    if is_level(joint) {
        // Objects on a lid or flap would slide off as it tilts.
        sight::check_uncovered(percept, object, None).map_err(|f| f.in_phase(Phase::Plan))?;
    }
    let size_m = object.aabb_in_world().size().norm();
    let reach_m = if task.path().turns { size_m } else { 1.0 };
    let n = (travel.abs() * reach_m / LOOK_M).ceil() as usize;
    for k in 1..=n {
        let opening = joint.opening + travel * k as f64 / n as f64;
        let met = movers.iter().find_map(|(mover, body, frame)| {
            let there = body.at(&joint.carried(&mover.world_from_object, opening));
            let meets = |(_, other): &&(_, Body)| {
                let gap_m = there.gap_m(other, 0.0);
                gap_m.is_some_and(|gap_m| gap_m < -SEEN_EXACT_M)
            };
            let (other, _) = others.iter().chain(*frame).find(meets)?;
            Some((*mover, *other))
        });
        if let Some((mover, other)) = met {
            // An object that rides along can be taken out; the frame that it hits cannot.
            let blocker = if mover.id == object.id { other } else { mover };
            let reach = travel * (k - 1) as f64 / n as f64;
            let unit = task.path().unit;
            let text = format!(
                "{} would hit {} after {:.3} {unit} of {:.3} {unit}",
                mover.id,
                other.id,
                reach.abs(),
                travel.abs()
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([blocker.id.clone()])
                .measured("travel", reach.abs(), Some(travel.abs()), unit));
        }
    }
    Ok(())
}
