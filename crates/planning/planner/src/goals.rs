//! Goals of intents, with tolerances.

use nalgebra::Vector2;
use regrasp_api::{Goal, ObjectId, ObjectJoint, PerceivedObject, Percept, PlanRequest, Point};
use regrasp_relations::{
    Evidence, InHand, SUPPORT_GAP_M, is_inside, is_supported_by, is_surface_at, resting_z,
};

use crate::calls::LEAST_SHIFT_M;
use regrasp_language::{Course, Formula, Intent, Reference, Task, Untouched};

/// Position tolerance of a held object, m.
const HOLD_TOLERANCE_M: f64 = 0.02;
/// Distance that an untouchable object may seem to move because of perception errors, m.
const STAYS_M: f64 = 0.005;
/// Position tolerance of a push or a pull, m: the same as in the skills.
const SHIFT_TOLERANCE_M: f64 = 0.01;

/// Returns for each intent true if its effect must hold after all of them.
pub(crate) fn lasting(intents: &[Intent]) -> Vec<bool> {
    let stages: Vec<Formula> = intents.iter().cloned().map(Formula::Is).collect();
    regrasp_language::lasting(&stages)
}

/// Goals that must hold after all intents, carried out in the given order.
pub(crate) fn goals(intents: &[Intent], percept: &Percept) -> Vec<Goal> {
    let own = intents.iter().zip(lasting(intents));
    let own = own.filter_map(|(intent, lasts)| lasts.then_some(intent));
    let goals = own.flat_map(|intent| goals_of(intent, percept));
    after_changes(goals.collect(), intents, percept)
}

/// Goals of intents that must hold at the same time.
pub(crate) fn together(intents: &[Intent], percept: &Percept) -> Vec<Goal> {
    let own = intents.iter().flat_map(|intent| goals_of(intent, percept));
    after_changes(own.collect(), intents, percept)
}

/// Adds goals for the openings after all turns, and adds up the presses of each button.
fn after_changes(mut goals: Vec<Goal>, intents: &[Intent], percept: &Percept) -> Vec<Goal> {
    for goal in &mut goals {
        if let Goal::Pressed { object, times } = goal {
            let own = intents.iter().filter_map(Intent::goal);
            let is_own =
                |goal: &&Goal| matches!(goal, Goal::Pressed { object: of, .. } if of == object);
            *times += (own.filter(is_own).count() as u32).saturating_sub(1);
        }
    }
    goals.extend(
        percept
            .joints
            .iter()
            .filter_map(|joint| turned(joint, intents)),
    );
    goals
}

/// Goal for the opening of a joint after all intents, computed from the present opening. `None` if
/// the last intent about the joint is not a turn, or if an earlier one does not say how far to move
/// it.
fn turned(joint: &ObjectJoint, intents: &[Intent]) -> Option<Goal> {
    let own = intents
        .iter()
        .filter(|i| i.object() == Some(joint.child.as_str()));
    let mut at = Some(joint.opening);
    let mut last = None;
    for intent in own {
        last = None;
        at = match intent {
            Intent::Turn { degrees, .. } => {
                last = Some(degrees.to_radians());
                at.map(|at| at + degrees.to_radians())
            }
            Intent::Achieve(Goal::Slid { open, .. }) if joint.is_open() == *open => at,
            Intent::Achieve(Goal::Slid { open: false, .. }) => Some(0.0),
            Intent::Achieve(Goal::OpenBy { opening, .. }) => Some(opening * joint.per_unit()),
            _ => None,
        };
    }
    Some(Goal::OpenBy {
        object: joint.child.clone(),
        opening: at?.to_degrees(),
        tolerance: Some(joint.tolerance_after(last?)),
    })
}

/// Goals that hold at some time during the intents, but need not hold at the end.
pub(crate) fn on_the_way(intents: &[Intent], percept: &Percept) -> Vec<Goal> {
    let own = intents.iter().enumerate().zip(lasting(intents));
    let own = own.filter(|(_, lasts)| !*lasts);
    let goals = own.flat_map(|((idx, intent), _)| match intent {
        Intent::Turn { object, .. } => {
            let mut joints = percept.joints.iter().filter(|joint| joint.child == *object);
            let turned = joints.find_map(|joint| turned(joint, &intents[..=idx]));
            turned.into_iter().collect()
        }
        _ => passing_of(intent, percept),
    });
    goals.collect()
}

/// Goals of an intent, as skills declare their effects.
pub(crate) fn passing_of(intent: &Intent, percept: &Percept) -> Vec<Goal> {
    match intent {
        Intent::Achieve(goal) => vec![goal.clone()],
        other => goals_of(other, percept),
    }
}

/// Goals that keep every untouchable object, and every object relative to which a destination was
/// computed, at its present place.
pub(crate) fn staying(task: &Task, intents: &[Intent], percept: &Percept) -> Vec<Goal> {
    let stays = |o: &PerceivedObject, tolerance_m: f64| Goal::At {
        object: o.id.clone(),
        position: <[f64; 3]>::from(o.position()).into(),
        tolerance_m: tolerance_m + 3.0 * o.position_std_m,
        released: false,
    };
    let movable = percept.objects.iter().filter(|o| o.movable);
    let goals = movable.filter_map(|o| {
        if may_not_be_touched(&task.untouched, intents, o.id.as_str()) {
            return Some(stays(o, STAYS_M));
        }
        let own = task.references.iter().filter(|r| r.object == o.id);
        let computed =
            own.filter_map(|r| intents.iter().find(|i| i.point() == Some(r.destination)));
        let tolerances = computed.map(|intent| match intent.goal() {
            Some(Goal::At { tolerance_m, .. }) => *tolerance_m,
            Some(_) => HOLD_TOLERANCE_M,
            None => SHIFT_TOLERANCE_M,
        });
        let least_m = tolerances.min_by(f64::total_cmp)?;
        Some(stays(o, least_m))
    });
    goals.collect()
}

/// Returns the rule by which an object must stay where it is; `None` if it may be moved aside.
pub(crate) fn must_stay(
    task: &Task,
    intents: &[Intent],
    percept: &Percept,
    name: &str,
) -> Option<String> {
    if may_not_be_touched(&task.untouched, intents, name) {
        let rule = match task.untouched {
            Untouched::Rest => "to touch nothing else",
            _ => "not to touch it",
        };
        return Some(format!("the task says {rule}"));
    }
    let id = ObjectId::new(name);
    let is_held =
        |rule: &Intent| matches!(rule.goal(), Some(Goal::Holding { object }) if *object == id);
    if task.never.iter().any(is_held) {
        return Some("the task says never to pick it up".to_owned());
    }
    if intents.iter().any(|c| c.object() == Some(name)) {
        return None;
    }
    let mut references = task.references.iter().map(|reference| &reference.object);
    references.find_map(|object| match *object == id {
        true => Some("the destination was computed from its place".to_owned()),
        false => carries(percept, &id, object)
            .then(|| format!("it carries {object}, from whose place the destination was computed")),
    })
}

/// Returns true if an object carries another, directly or with others between them.
pub(crate) fn carries(percept: &Percept, lower: &ObjectId, upper: &ObjectId) -> bool {
    let mut stack = vec![upper];
    let mut idx = 0;
    while let Some(top) = stack.get(idx).and_then(|id| percept.object(id)) {
        let below = percept.objects.iter().filter(|o| {
            o.movable && !stack.contains(&&o.id) && (is_supported_by(top, o) || is_inside(top, o))
        });
        let below: Vec<&ObjectId> = below.map(|o| &o.id).collect();
        stack.extend(below);
        idx += 1;
    }
    lower != upper && stack.contains(&lower)
}

/// Returns true if a task forbids touching an object.
fn may_not_be_touched(task: &Untouched, intents: &[Intent], name: &str) -> bool {
    match task {
        Untouched::Free => false,
        Untouched::These(ids) => ids.iter().any(|id| id == name),
        Untouched::Rest => !intents.iter().any(|c| c.object() == Some(name)),
    }
}

/// Returns true if an intent is fulfilled in the percept; `None` if perception cannot tell.
pub(crate) fn is_met(intent: &Intent, request: &PlanRequest<'_>) -> Option<bool> {
    // The agent perceives the scene right before it asks for a plan, so no object has moved since.
    let evidence = Evidence {
        percept: request.percept,
        observation: request.observation,
        hand: &InHand::as_found(request.held),
        moving: &[],
        robot: request.robot,
    };
    let goals = goals_of(intent, request.percept);
    let met = |goal: &Goal| evidence.judge(goal).is_met();
    (!goals.is_empty()).then(|| goals.iter().all(met))
}

/// Goals that must hold after an intent. Empty for effects that only the skill itself judges, and
/// for turns, which count from the state before them.
pub(crate) fn goals_of(intent: &Intent, percept: &Percept) -> Vec<Goal> {
    let goal = match intent {
        Intent::Shift { object, to, .. } => return shifted(percept, object.clone(), to),
        Intent::Turn { .. } => return vec![],
        Intent::Achieve(goal) => goal.clone(),
    };
    let goal = match goal {
        Goal::At {
            object,
            position: Point { xy, z },
            tolerance_m,
            released,
        } => {
            let resting = || resting_z(percept, percept.object(&object)?, None, xy, |_| false);
            let z = z.or_else(resting);
            Some(Goal::At {
                object,
                position: Point { xy, z },
                tolerance_m,
                released,
            })
        }
        Goal::HeldAt { object, position } => {
            let at = Goal::At {
                object: object.clone(),
                position: position.into(),
                tolerance_m: HOLD_TOLERANCE_M,
                released: false,
            };
            return vec![Goal::Holding { object }, at];
        }
        Goal::Pressed { object, times } => {
            let joint = percept.joints.iter().find(|j| j.child == object);
            let before = joint.and_then(|j| j.presses);
            before.map(|before| Goal::Pressed {
                times: before.count + times,
                object,
            })
        }
        Goal::Declared { .. } => None,
        goal => Some(goal.on_if_flat(percept)),
    };
    goal.into_iter().collect()
}

/// Goals of a push or a pull: the object is at a point, at its present height, or beside a target.
fn shifted(percept: &Percept, object: ObjectId, to: &Course) -> Vec<Goal> {
    let (xy, within_m) = match to {
        Course::Point(xy) => (*xy, 0.0),
        Course::UpTo { from, to } => {
            // The goal region spans all lengths between the least and the whole one.
            let [from, to] = [from, to].map(|xy| Vector2::from(*xy));
            let length_m = (to - from).norm();
            let within_m = (0.5 * (length_m - LEAST_SHIFT_M)).max(0.0);
            (
                (to + (from - to) * (within_m / length_m.max(1e-9))).into(),
                within_m,
            )
        }
        Course::Towards { target } => {
            let (target, side) = (target.clone(), None);
            return vec![Goal::Beside {
                object,
                target,
                side,
            }];
        }
    };
    let at = percept.object(&object).map(|seen| Goal::At {
        position: Point {
            xy,
            z: Some(seen.position().z),
        },
        tolerance_m: SHIFT_TOLERANCE_M + within_m,
        released: true,
        object,
    });
    at.into_iter().collect()
}

/// Returns an intent whose point has the height at which the object would rest there, or an
/// explanation if there is no support. `all` are the intents of the task.
pub(crate) fn with_height(
    intent: &Intent,
    (task, all): (&Task, &[Intent]),
    percept: &Percept,
) -> Result<Intent, String> {
    let mut intent = intent.clone();
    if let Intent::Achieve(Goal::At {
        object, position, ..
    }) = &mut intent
        && position.z.is_none()
    {
        let is_own = |r: &&Reference| r.destination == position.xy;
        let beside = task.references.iter().find(is_own);
        let beside = beside.and_then(|reference| percept.object(&reference.object));
        let is_moved = |id: &ObjectId| all.iter().any(|i| i.object() == Some(id.as_str()));
        if let Some(seen) = percept.object(object) {
            let z = resting_z(percept, seen, beside, position.xy, is_moved);
            let [x, y] = position.xy;
            let nothing =
                format!("there is nothing at x={x:.3} y={y:.3} that {object} could stand on");
            position.z = Some(z.ok_or(nothing)?);
        }
    }
    Ok(intent)
}

/// Returns true if `other`, which is near `point` seen from above, takes up the height of object `id`
/// there. A surface that would carry the object does not, nor do its contents, which move with it.
/// True for any other object if the point has no height or object `id` is not seen.
pub(crate) fn occupies(percept: &Percept, other: &PerceivedObject, id: &str, point: Point) -> bool {
    let Some(object) = percept.object(&ObjectId::new(id)) else {
        return true;
    };
    if is_inside(other, object) {
        return false;
    }
    let (bounds, Some(z)) = (other.aabb_in_world(), point.z) else {
        return true;
    };
    let own = object.aabb_in_world();
    let bottom_z = z - (object.position().z - own.min[2]);
    let is_above = bounds.max[2] > bottom_z + SUPPORT_GAP_M;
    let overlaps = is_above && bounds.min[2] < bottom_z + own.size().z;
    // An object that stands on the same surface does not carry this one, even if it is hollow.
    let is_beside = other.movable && (bounds.min[2] - bottom_z).abs() < SAME_SURFACE_M;
    overlaps && (is_beside || !is_surface_at(other, point.xy, bottom_z))
}

/// Largest difference in height of two objects that stand on one surface, m: less than the floor of
/// a tray.
const SAME_SURFACE_M: f64 = 0.001;

/// Assumed radius of an object that is not seen, m: about what a hand can grasp.
const UNSEEN_RADIUS_M: f64 = 0.04;

/// Half the diagonal of an object's footprint, m. The footprint fits into this radius at every yaw.
pub(crate) fn radius_m(percept: &Percept, name: &str) -> f64 {
    let object = percept.object(&ObjectId::new(name));
    object.map_or(UNSEEN_RADIUS_M, |o| {
        0.5 * o.aabb_in_world().size().xy().norm()
    })
}
