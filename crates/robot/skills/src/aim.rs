//! Where something is to be pushed or pulled along what it stands on.

use nalgebra::{Vector2, Vector3};
use regrasp_api::{Failure, Heading, ObjectId, PerceivedObject, Percept, Reason};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by};
use regrasp_robot::Robot;

use crate::bodies::{bodies, body_of};
use crate::sight;

/// What a call says about the way: one of heading, other object and point.
pub(crate) struct Asked<'a> {
    pub(crate) object: &'a str,
    pub(crate) heading: Option<Heading>,
    pub(crate) towards: Option<&'a str>,
    pub(crate) point: [Option<f64>; 2],
    pub(crate) distance_m: Option<f64>,
}

/// An object and where it should come.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    /// As it was seen last.
    pub(crate) object: PerceivedObject,
    /// Where its origin should be, along x and y of World, m.
    pub(crate) goal: Vector2<f64>,
    /// What it stands on, if that is seen.
    pub(crate) support: Option<ObjectId>,
}

/// How far something goes if nobody says so, m.
pub(crate) const USUAL_DISTANCE_M: f64 = 0.1;
/// Space that is left to what something is moved towards, m.
const STOPS_BEFORE_M: f64 = 0.01;
/// Space that what is moved keeps from what it passes, m.
const PASSING_M: f64 = 0.002;
/// Distance from its place at which something may end, m; the planner's goals allow as much.
const TOLERANCE_M: f64 = 0.01;

impl Aim {
    /// What is left of the way.
    pub(crate) fn way(&self) -> Vector2<f64> {
        self.goal - self.object.position().xy()
    }

    /// The level direction of the way, in World.
    pub(crate) fn direction(&self) -> Vector3<f64> {
        let way = self.way();
        let length_m = way.norm();
        if length_m < 1e-9 {
            return Vector3::x();
        }
        Vector3::new(way.x / length_m, way.y / length_m, 0.0)
    }

    /// How far it is from its goal, and how far it may be, m.
    pub(crate) fn off_m(&self) -> [f64; 2] {
        [
            self.way().norm(),
            TOLERANCE_M + 3.0 * self.object.position_std_m,
        ]
    }

    /// Whether it is where it should be.
    pub(crate) fn is_there(&self) -> bool {
        let [off_m, limit_m] = self.off_m();
        off_m <= limit_m
    }
}

/// Reads what is asked for and checks whether it makes sense for what is seen.
///
/// # Errors
///
/// `gripper_occupied`, `object_not_found`, `object_covered` and the like; `bad_arguments` for a
/// way that says nothing, says too much, or ends beside what the object stands on;
/// `goal_in_collision` names what the object would run into.
pub(crate) fn aim(robot: &mut Robot, asked: &Asked<'_>) -> Result<Aim, Failure> {
    sight::check_free(robot)?;
    let (percept, object) = sight::find(robot, asked.object)?;
    check_object(robot, &percept, &object)?;
    let goal = goal(robot, &percept, &object, asked)?;
    let support = percept
        .objects
        .iter()
        .find(|other| is_supported_by(&object, other));
    if let Some(support) = support {
        stays_on(&object, support, &goal)?;
    }
    let aim = Aim {
        goal,
        support: support.map(|s| s.id.clone()),
        object,
    };
    check_way(&percept, &aim)?;
    Ok(aim)
}

/// The first thing that an object would run into along a level direction, and after how far, m.
/// What is near already is passed as near.
pub(crate) fn first_met<'p>(
    percept: &'p Percept,
    object: &PerceivedObject,
    support: Option<&ObjectId>,
    (direction, length_m): (&Vector3<f64>, f64),
) -> Option<(f64, &'p PerceivedObject)> {
    let body = body_of(object)?;
    let meets = |other: &Body| {
        let gap_m = body.gap_m(other, PASSING_M).unwrap_or(2.0 * PASSING_M);
        let room_m = (0.5 * gap_m).max(0.0);
        let meeting = body.meets(direction, length_m, room_m, other)?;
        Some(meeting.distance_m)
    };
    let others = bodies(percept, |o| o.id != object.id && Some(&o.id) != support);
    let others = others.filter(|(o, _)| !is_inside(o, object) && !is_supported_by(object, o));
    let met = others.filter_map(|(other, body)| Some((meets(&body)?, other)));
    met.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Nothing may stand where the object is to be moved along.
fn check_way(percept: &Percept, aim: &Aim) -> Result<(), Failure> {
    let object = &aim.object;
    let (direction, length_m) = (aim.direction(), aim.way().norm());
    let met = first_met(
        percept,
        object,
        aim.support.as_ref(),
        (&direction, length_m),
    );
    let Some((free_m, other)) = met else {
        return Ok(());
    };
    let text = format!(
        "{} stands where {} is to be moved along: they would meet after {free_m:.3} m of \
         {length_m:.3} m",
        other.id, object.id
    );
    Err(Failure::new(Reason::GoalInCollision, text)
        .about([other.id.clone()])
        .measured("free_way", free_m, Some(length_m), "m"))
}

fn check_object(robot: &Robot, percept: &Percept, object: &PerceivedObject) -> Result<(), Failure> {
    let id = &object.id;
    let bad = |text: String| Failure::new(Reason::BadArguments, text).about([id.clone()]);
    if !object.movable {
        return Err(bad(format!("argument `object`: {id} is fixed")));
    }
    if let Some(joint) = percept.joint_of(id) {
        let text = format!(
            "argument `object`: {id} moves on a joint of {} only",
            joint.parent
        );
        return Err(bad(text));
    }
    sight::check_at_hand(robot, percept, object)
}

fn goal(
    robot: &Robot,
    percept: &Percept,
    object: &PerceivedObject,
    asked: &Asked<'_>,
) -> Result<Vector2<f64>, Failure> {
    let from = object.position().xy();
    let usable = |m: &f64| m.is_finite() && *m > 0.0;
    if let Some(distance_m) = asked.distance_m.filter(|m| !usable(m)) {
        let text = format!("argument `distance_m`: {distance_m}, expected a length above 0 m");
        return Err(Failure::new(Reason::BadArguments, text));
    }
    match (asked.heading, asked.towards, asked.point) {
        (None, None, [Some(x), Some(y)]) if x.is_finite() && y.is_finite() => {
            let way = Vector2::new(x, y) - from;
            let length_m = way.norm();
            let part = asked.distance_m.map_or(1.0, |m| m / length_m.max(1e-9));
            Ok(from + way * part)
        }
        (Some(heading), None, [None, None]) => {
            let distance_m = asked.distance_m.unwrap_or(USUAL_DISTANCE_M);
            Ok(from + heading.direction().xy() * distance_m)
        }
        (None, Some(phrase), [None, None]) => {
            let target = robot.find(percept, phrase)?;
            Ok(from + towards(object, target, asked.distance_m))
        }
        _ => {
            let text = "expected exactly one of `direction`, `towards`, and `x` with `y`";
            Err(Failure::new(Reason::BadArguments, text).about([object.id.clone()]))
        }
    }
}

/// The way to another object: until just before it, unless a distance is given.
fn towards(
    object: &PerceivedObject,
    target: &PerceivedObject,
    distance_m: Option<f64>,
) -> Vector2<f64> {
    let way = (target.position() - object.position()).xy();
    let apart_m = way.norm();
    if apart_m < 1e-9 {
        return Vector2::zeros();
    }
    let direction = Vector3::new(way.x / apart_m, way.y / apart_m, 0.0);
    let gap_m = apart_m - extent(object, &direction) - extent(target, &-direction);
    direction.xy() * distance_m.unwrap_or((gap_m - STOPS_BEFORE_M).max(0.0))
}

/// How far an object reaches from its origin along a direction in World, m.
pub(crate) fn extent(object: &PerceivedObject, direction: &Vector3<f64>) -> f64 {
    let in_object = object.world_from_object.rotation.inverse() * direction;
    object.shape.support(&in_object)
}

/// A goal beside the table is no place to push something to.
fn stays_on(
    object: &PerceivedObject,
    support: &PerceivedObject,
    goal: &Vector2<f64>,
) -> Result<(), Failure> {
    let on = support.aabb_in_world();
    let is_on = (0..2).all(|i| (on.min[i]..=on.max[i]).contains(&goal[i]));
    if is_on {
        return Ok(());
    }
    let text = format!(
        "{} would leave {}: it should come to x={:.3} y={:.3}, and {} ends at x={:.3} to {:.3}, \
         y={:.3} to {:.3}",
        object.id,
        support.id,
        goal.x,
        goal.y,
        support.id,
        on.min[0],
        on.max[0],
        on.min[1],
        on.max[1]
    );
    Err(Failure::new(Reason::BadArguments, text).about([object.id.clone(), support.id.clone()]))
}

/// Looks again at what is moved.
pub(crate) fn see(robot: &mut Robot, aim: &mut Aim) -> Result<(), Failure> {
    aim.object = sight::see_again(robot, &aim.object.id)?;
    Ok(())
}
