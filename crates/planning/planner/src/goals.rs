//! What should hold after a command, with tolerances.

use regrasp_api::{Goal, ObjectId, PerceivedObject, Percept, PlanRequest};
use regrasp_relations::{Evidence, InHand};

use regrasp_language::{Command, Course, Untouched};

/// How far from its point a held object may be, m.
const HOLD_TOLERANCE_M: f64 = 0.02;
/// How far something that may not be touched may move, m, for what perception is off.
const STAYS_M: f64 = 0.005;
/// Which part of what is poured has to arrive, as the skill has it.
const ENOUGH_POURED: f64 = 0.8;
/// How far from its point an object that was put down may be, m: the skill's own
/// tolerance, and as much again for settling and noise.
const PUT_TOLERANCE_M: f64 = 0.03;
/// The same for what is pushed or pulled, m: as far as the skills let it.
const SHIFT_TOLERANCE_M: f64 = 0.01;

/// Whether a later command undoes what this one brings about, so that it is a step
/// on the way and no goal: the same object goes elsewhere, the hand is needed for
/// something else, the arm leaves its home.
pub(crate) fn is_superseded(commands: &[Command], idx: usize) -> bool {
    let Some(command) = commands.get(idx) else {
        return false;
    };
    commands[idx + 1..].iter().any(|later| match command {
        Command::Home => true,
        // What was poured stays, wherever the container goes.
        Command::Pour { .. } => false,
        _ if later.object() == command.object() => true,
        _ => command.keeps_hold() && later.object().is_some(),
    })
}

/// What must hold when all commands were carried out.
pub(crate) fn goals(commands: &[Command], percept: &Percept) -> Vec<Goal> {
    let lasting = (0..commands.len()).filter(|idx| !is_superseded(commands, *idx));
    lasting
        .flat_map(|idx| goals_of(&commands[idx], percept))
        .collect()
}

/// What must hold of everything that may not be touched: it stays where it is now.
pub(crate) fn untouched(task: &Untouched, commands: &[Command], percept: &Percept) -> Vec<Goal> {
    let others = percept
        .objects
        .iter()
        .filter(|o| o.movable && may_not_be_touched(task, commands, o.id.as_str()));
    let stays = others.map(|o| Goal::At {
        object: o.id.clone(),
        position: o.position().into(),
        tolerance_m: STAYS_M + 3.0 * o.position_std_m,
        released: false,
    });
    stays.collect()
}

/// Whether a task forbids to touch something.
pub(crate) fn may_not_be_touched(task: &Untouched, commands: &[Command], name: &str) -> bool {
    match task {
        Untouched::Free => false,
        Untouched::These(ids) => ids.iter().any(|id| id == name),
        Untouched::Rest => !commands.iter().any(|c| c.object() == Some(name)),
    }
}

/// Whether a command is fulfilled as things are seen; `None` where perception cannot tell.
pub(crate) fn is_met(command: &Command, request: &PlanRequest<'_>) -> Option<bool> {
    // The agent looked before it asked.
    let evidence = Evidence {
        percept: request.percept,
        observation: request.observation,
        hand: &InHand::as_found(request.held),
        moving: &[],
        robot: request.robot,
    };
    let goals = goals_of(command, request.percept);
    let met = |goal: &Goal| evidence.judge(goal).is_met();
    (!goals.is_empty()).then(|| goals.iter().all(met))
}

/// What must hold when one command was carried out. Empty where perception cannot
/// tell what that would be (a point on a surface that is not seen).
pub(crate) fn goals_of(command: &Command, percept: &Percept) -> Vec<Goal> {
    match command {
        Command::PutAt { object, xy, z } => {
            let object = ObjectId::new(object);
            let z = z.or_else(|| resting_height(percept, &object, *xy));
            let goal = z.map(|z| Goal::At {
                object,
                position: [xy[0], xy[1], z],
                tolerance_m: PUT_TOLERANCE_M,
                released: true,
            });
            goal.into_iter().collect()
        }
        Command::HoldAt { object, point } => {
            let object = ObjectId::new(object);
            let at = Goal::At {
                object: object.clone(),
                position: *point,
                tolerance_m: HOLD_TOLERANCE_M,
                released: false,
            };
            vec![Goal::Holding { object }, at]
        }
        Command::Press { object } => {
            let object = ObjectId::new(object);
            let joint = percept.joints.iter().find(|j| j.child == object);
            let pressed = joint.and_then(|j| j.presses).map(|presses| Goal::Pressed {
                times: presses.count + 1,
                object,
            });
            pressed.into_iter().collect()
        }
        Command::Shift { object, to, .. } => shifted(percept, ObjectId::new(object), to),
        _ => relation(command, percept).into_iter().collect(),
    }
}

/// The one goal of a command that names no point. `None` for what only the skill that brings it
/// about can judge, and does.
fn relation(command: &Command, percept: &Percept) -> Option<Goal> {
    use Command as C;
    let object = ObjectId::new(command.object().unwrap_or_default());
    let id = |name: &String| ObjectId::new(name);
    let pair = |[a, b]: &[String; 2]| [id(a), id(b)];
    Some(match command {
        C::Pick { .. } => Goal::Holding { object },
        C::PutIn { target, .. } => put_in(percept, object, id(target)),
        C::PutOn { target, .. } => Goal::On {
            object,
            target: id(target),
        },
        C::TakeOff { target, .. } => Goal::Off {
            object,
            target: id(target),
        },
        C::PutAgainst { target, .. } => Goal::Against {
            object,
            target: id(target),
        },
        C::Insert { target, .. } => Goal::Inserted {
            object,
            target: id(target),
        },
        C::PutWithin { target, zone, .. } => Goal::Within {
            object,
            target: id(target),
            zone: zone.clone(),
        },
        C::PutBeside { target, side, .. } => Goal::Beside {
            object,
            target: id(target),
            side: *side,
        },
        C::Pour { target, .. } => Goal::Poured {
            object,
            target: id(target),
            at_least: ENOUGH_POURED,
        },
        C::PutBetween { targets, .. } => Goal::Between {
            object,
            targets: pair(targets),
        },
        C::PutAcross { targets, .. } => Goal::Across {
            object,
            targets: pair(targets),
        },
        C::Slide { open, .. } => Goal::Slid {
            object,
            open: *open,
        },
        C::Home => Goal::Home,
        C::StandUp { .. } => Goal::Upright { object },
        C::Have { .. } | C::Turn { .. } => return None,
        C::PutAt { .. } | C::HoldAt { .. } | C::Press { .. } | C::Shift { .. } => return None,
    })
}

/// In what is hollow, on what is not: "in" a plate is on it.
fn put_in(percept: &Percept, object: ObjectId, target: ObjectId) -> Goal {
    let container = percept.object(&target);
    if container.is_some_and(|o| o.shape.cavity().is_some()) {
        Goal::In { object, target }
    } else {
        Goal::On { object, target }
    }
}

/// What was pushed or pulled rests where it should, as high as it does now.
fn shifted(percept: &Percept, object: ObjectId, to: &Course) -> Vec<Goal> {
    let goal = match to {
        Course::Point([x, y]) => percept.object(&object).map(|seen| Goal::At {
            position: [*x, *y, seen.position().z],
            tolerance_m: SHIFT_TOLERANCE_M,
            released: true,
            object,
        }),
        Course::Towards {
            target,
            distance_m: None,
        } => Some(Goal::Beside {
            object,
            target: ObjectId::new(target),
            side: None,
        }),
        Course::Towards { .. } | Course::Heading { .. } => None,
    };
    goal.into_iter().collect()
}

/// Height of an object's origin when it stands on the fixed surface at a point, as
/// it is oriented now.
fn resting_height(percept: &Percept, id: &ObjectId, [x, y]: [f64; 2]) -> Option<f64> {
    let object = percept.object(id)?;
    let below_origin_m = object.position().z - object.aabb_in_world().min[2];
    let covers = |o: &&PerceivedObject| {
        let b = o.aabb_in_world();
        (b.min[0]..=b.max[0]).contains(&x) && (b.min[1]..=b.max[1]).contains(&y)
    };
    let fixed = percept.objects.iter().filter(|o| !o.movable);
    let heights = fixed.filter(covers).map(|o| o.aabb_in_world().max[2]);
    heights
        .max_by(f64::total_cmp)
        .map(|surface_z| surface_z + below_origin_m)
}
