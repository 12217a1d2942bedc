//! Judgement of goals by perception and sensors.

use regrasp_api::{
    Goal, GoalStatus, JointKind, ObjectId, ObjectJoint, PerceivedObject, Percept, Point, Presses,
    Relation, Side,
};

use crate::inside::is_on_rim;
use crate::under::{no_space_under, not_under};
use crate::{
    Corridor, Evidence, box_gap_m, carrier_between, connections, count_in, is_carried_by,
    is_inside, is_supported_by, members_in, not_within, objects_in,
};

/// Largest gap between objects that are beside each other, m: enough for a hand.
const BESIDE_M: f64 = 0.12;
/// Tangent of the largest angle between a side's direction and an object on that side: 30 degrees.
/// At a much larger angle, the object is as much on the next side.
const SIDE_SLOPE: f64 = 0.577;
/// Largest height of a held object's lowest point above a surface on which it still stands, m.
/// Smaller than [`SUPPORT_GAP_M`](crate::SUPPORT_GAP_M), since an object may be held that low.
const TOUCHES_M: f64 = 0.001;
/// Tolerance of the home configuration, rad.
const HOME_TOL_RAD: f64 = 0.02;
/// Tolerance of the position of a held object, m.
const HELD_AT_M: f64 = 0.02;

impl Evidence<'_> {
    /// Judges a goal by perception and sensors at one moment, not by beliefs. The objects that it
    /// names have to be at rest, and one with a goal for its place released, unless the goal says
    /// otherwise.
    pub fn judge(&self, goal: &Goal) -> GoalStatus {
        if let Some(why) = goal.check().err().or_else(|| not_released(goal, self)) {
            return GoalStatus::Unmet(why);
        }
        let named = match goal {
            // A button springs back after its press, so it may move.
            Goal::Pressed { .. } => vec![],
            goal => goal.objects(),
        };
        let observed = match goal {
            // The joint has to be perceived, not the object.
            Goal::Slid { .. } | Goal::OpenBy { .. } => &[][..],
            _ => &named,
        };
        let why = match seen(self.percept, observed) {
            Err(unseen) => Some(unseen),
            Ok(objects) => conflict(goal, self, &objects),
        };
        let moves = || self.not_at_rest(&named);
        from(why.or_else(moves))
    }
}

fn not_released(goal: &Goal, evidence: &Evidence<'_>) -> Option<String> {
    let object = match (goal, goal.objects().first()) {
        (
            Goal::At {
                released: false, ..
            },
            _,
        ) => return None,
        // Only the drawer's own handle has to be released; the fingers may touch anything else.
        (Goal::Slid { object, .. } | Goal::OpenBy { object, .. }, _) => {
            let holds = evidence.hand.may_hold(object);
            return holds.then(|| format!("{object} is still in the hand"));
        }
        (goal, Some(object)) if goal.constrains_pose() && !goal.keeps_hold() => *object,
        _ => return None,
    };
    if evidence.hand.may_hold(object) {
        return Some(format!("{object} is still in the hand"));
    }
    evidence
        .fingers_touch()
        .then(|| "the fingers still touch something".to_owned())
}

/// Explains why perception contradicts a goal, if it does. `objects` are those that the goal names.
fn conflict(goal: &Goal, evidence: &Evidence<'_>, objects: &[&PerceivedObject]) -> Option<String> {
    let percept = evidence.percept;
    match (goal, objects) {
        (Goal::Holding { object }, [held]) => {
            let hand = evidence.hand.not_held(object);
            hand.or_else(|| not_off_the_ground(percept, held))
        }
        (Goal::HeldAt { object, position }, [held]) => {
            let hand = evidence.hand.not_held(object);
            hand.or_else(|| not_at(held, &(*position).into(), HELD_AT_M))
        }
        (Goal::Slid { object, open: true }, _) => not_slid(percept, object, ObjectJoint::is_open),
        (Goal::Slid { object, .. }, _) => not_slid(percept, object, ObjectJoint::is_closed),
        (
            Goal::OpenBy {
                object,
                opening,
                tolerance,
            },
            _,
        ) => not_slid(percept, object, |joint| {
            let off = (joint.opening - opening * joint.per_unit()).abs();
            off <= tolerance.unwrap_or(joint.tolerance())
        }),
        (Goal::Pressed { object, times }, _) => not_pressed(percept, object, *times),
        (Goal::Home, _) => not_home(evidence),
        _ => misplaced(goal, percept, objects),
    }
}

/// Returns the reason why objects violate a goal, by shapes and poses alone, without the hand;
/// `None` if they do not. `objects` are those that the goal names, at any pose.
pub fn misplaced(goal: &Goal, percept: &Percept, objects: &[&PerceivedObject]) -> Option<String> {
    match (goal, objects) {
        (Goal::On { .. }, [top, below]) => match is_supported_by(top, below) {
            false => Some(away(top, "does not rest on", below, "top")),
            // On other contents of a tray, an object is on the tray all the same.
            true if is_inside(top, below) => None,
            true => carrier_between(percept, top, below)
                .map(|carrier| format!("{} rests on {}, not on {}", top.id, carrier.id, below.id)),
        },
        (Goal::Beside { side, .. }, [placed, by]) => not_beside(percept, placed, by, *side),
        (
            Goal::At {
                position,
                tolerance_m,
                ..
            },
            [object],
        ) => not_at(object, position, *tolerance_m),
        (Goal::Related { relation, .. }, [object, target]) => {
            not_related(*relation, percept, object, target)
        }
        (Goal::Across { .. }, [object, a, b]) => connections::not_across(object, [a, b]),
        (Goal::Inserted { .. }, [object, target]) => {
            connections::not_inserted(percept, object, target)
        }
        (Goal::In { .. }, [inner, outer]) if is_inside(inner, outer) => None,
        (Goal::In { .. }, [inner, outer]) => Some(match is_on_rim(inner, outer) {
            true => format!("{} is wider than the opening of {}", inner.id, outer.id),
            false => away(inner, "is not in", outer, "rim"),
        }),
        (Goal::Poured { at_least, .. }, [from, into]) => not_poured(percept, from, into, *at_least),
        (Goal::Within { zone, .. }, [object, target]) => not_within(percept, object, target, zone),
        (Goal::Between { .. }, [object, a, b]) => not_between(percept, object, a, b),
        (Goal::Off { .. }, [object, target]) => is_carried_by(percept, object, target)
            .then(|| format!("{} still rests on {}", object.id, target.id)),
        (Goal::Upright { .. }, [object]) => connections::not_upright(percept, object),
        (Goal::Declared { fact }, _) => Some(format!(
            "only the skill that achieves `{fact}` can verify it"
        )),
        // Goals about the hand, the arm or a joint.
        (goal, _) => Some(format!("`{goal}` cannot be judged by poses alone")),
    }
}

/// Returns the reason why a relation does not hold, by shapes and poses alone; `None` if it does.
pub fn not_related(
    relation: Relation,
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    match relation {
        Relation::Against => connections::not_against(percept, object, target),
        Relation::Under => not_under(percept, object, target),
    }
}

/// Returns the reason why a relation is impossible at the target's present pose; `None` if it is
/// possible.
pub fn no_space(
    relation: Relation,
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    match relation {
        Relation::Against => None,
        Relation::Under => no_space_under(percept, object, target),
    }
}

/// Returns the perceived objects, or an error that names the missing one.
fn seen<'p>(percept: &'p Percept, ids: &[&ObjectId]) -> Result<Vec<&'p PerceivedObject>, String> {
    let unseen = |id: &ObjectId| match percept.hidden.contains(id) {
        true => format!("{id} is hidden, so its pose is not certain"),
        false => format!("{id} is not seen"),
    };
    let find = |id: &&ObjectId| percept.seen(id).ok_or_else(|| unseen(id));
    ids.iter().map(find).collect()
}

fn from(why_not: Option<String>) -> GoalStatus {
    why_not.map_or(GoalStatus::Met, GoalStatus::Unmet)
}

/// Names the support of an object between the fingers, if there is one.
fn not_off_the_ground(percept: &Percept, held: &PerceivedObject) -> Option<String> {
    let lowest_m = held.aabb_in_world().min[2] - TOUCHES_M - 3.0 * held.position_std_m;
    let mut below = percept.objects.iter().filter(|o| is_supported_by(held, o));
    let below = below.find(|o| o.shape.is_hollow() || lowest_m < o.aabb_in_world().max[2])?;
    Some(format!(
        "{} is between the fingers but still stands on {}",
        held.id, below.id
    ))
}

fn not_between(
    percept: &Percept,
    object: &PerceivedObject,
    a: &PerceivedObject,
    b: &PerceivedObject,
) -> Option<String> {
    let not_in = match Corridor::of(a, b) {
        Some(corridor) => corridor.not_in(object),
        None => Some("their centres coincide".to_owned()),
    };
    let apart = || connections::not_in_one_container(percept, a, b);
    let not_level = || connections::not_level(object, a, b);
    let why = not_in.or_else(apart).or_else(not_level)?;
    let (id, a, b) = (&object.id, &a.id, &b.id);
    Some(format!("{id} is not between {a} and {b}: {why}"))
}

/// Describes the distance of an object from the upper end of a support or container.
fn away(object: &PerceivedObject, what: &str, target: &PerceivedObject, end: &str) -> String {
    let (a, b) = (object.aabb_in_world(), target.aabb_in_world());
    let (up_m, beside_m) = (a.min[2] - b.max[2], b.distance_xy(a.center().xy().into()));
    format!(
        "{} {what} {}: its lowest point is {up_m:.3} m above the {end}, its centre {beside_m:.3} m \
         outside",
        object.id, target.id
    )
}

fn not_at(object: &PerceivedObject, position: &Point, tolerance_m: f64) -> Option<String> {
    let (at, [x, y]) = (object.position(), position.xy);
    let off_m = (at - nalgebra::Vector3::new(x, y, position.z.unwrap_or(at.z))).norm();
    // NaN counts as outside.
    let is_there = off_m <= tolerance_m;
    (!is_there).then(|| {
        let id = &object.id;
        format!("{id} is {off_m:.3} m from its goal (limit {tolerance_m:.3} m)")
    })
}

fn not_slid(
    percept: &Percept,
    object: &ObjectId,
    is_there: impl Fn(&ObjectJoint) -> bool,
) -> Option<String> {
    let Some(joint) = percept.joints.iter().find(|j| &j.child == object) else {
        return Some(format!("no joint of {object} is seen"));
    };
    (!is_there(joint)).then(|| {
        let (opening, travel) = (joint.opening, joint.travel);
        let unit = match joint.kind {
            JointKind::Prismatic => "m",
            JointKind::Revolute => "rad",
        };
        format!("{object} is open by {opening:.3} {unit} of {travel:.3} {unit}")
    })
}

fn not_pressed(percept: &Percept, object: &ObjectId, times: u32) -> Option<String> {
    let joint = percept.joints.iter().find(|j| &j.child == object);
    match joint.and_then(|joint| joint.presses) {
        None => Some(format!("{object} is not seen as a button")),
        Some(presses) if presses.count >= times => None,
        Some(Presses { count, .. }) => Some(format!(
            "{object} has registered {count} of {times} presses"
        )),
    }
}

fn not_home(evidence: &Evidence<'_>) -> Option<String> {
    let joints = evidence.observation.joint_positions.iter();
    let mut pairs = (1..).zip(joints.zip(&evidence.robot.home));
    let off = pairs.find(|(_, (q, home))| (*q - *home).abs() > HOME_TOL_RAD);
    off.map(|(joint, (q, home))| format!("joint {joint} is {:.3} rad from home", (q - home).abs()))
}

fn not_poured(
    percept: &Percept,
    from: &PerceivedObject,
    into: &PerceivedObject,
    at_least: f64,
) -> Option<String> {
    let left = count_in(percept, from) + objects_in(percept, from).len();
    if left > 0 {
        return Some(format!("{left} objects are still in {}", from.id));
    }
    let arrived = percept.groups.iter().map(|group| {
        let (n, all) = (members_in(group, into).len(), group.positions.len());
        (n, all, n as f64 / all.max(1) as f64)
    });
    let Some((n, all, part)) = arrived.max_by(|a, b| a.2.total_cmp(&b.2)) else {
        return objects_in(percept, into)
            .is_empty()
            .then(|| format!("nothing is in {}", into.id));
    };
    (part < at_least).then(|| {
        format!(
            "{n} of {all} objects are in {} (needed: {:.0} %)",
            into.id,
            100.0 * at_least
        )
    })
}

fn not_beside(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
    side: Option<Side>,
) -> Option<String> {
    let (id, by) = (&object.id, &target.id);
    if let Some(why) = connections::not_on_one_support(percept, object, target) {
        return Some(why);
    }
    let gap_m = box_gap_m(object, target);
    if gap_m > BESIDE_M {
        return Some(format!(
            "{id} is {gap_m:.3} m from {by} (limit {BESIDE_M:.2} m)"
        ));
    }
    let side = side?;
    let line = object.aabb_in_world().center() - target.aabb_in_world().center();
    let toward = line.dot(&side.direction());
    let across = (line.xy().norm_squared() - toward * toward).max(0.0).sqrt();
    (toward * SIDE_SLOPE < across).then(|| {
        let limit_m = SIDE_SLOPE * toward.max(0.0);
        format!(
            "{id} is not {side} {by}: {toward:.3} m in that direction, but {across:.3} m to its side \
             (limit {limit_m:.3} m)"
        )
    })
}
