//! Goals of pushes and pulls: where an object is to be moved along its support.

use nalgebra::{Vector2, Vector3};
use regrasp_api::{Failure, Heading, Held, ObjectId, PerceivedObject, Percept, Pose, Reason, Side};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by, support_of};
use regrasp_robot::{Result, Robot};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bodies::{bodies, body_of, extent_m};
use crate::params::{MOST_FORCE_N, OBJECT_ROOM_M, TOLERANCE_M, USUAL_FORCE_N};
use crate::placement::{Placement, PlacementRequest};
use crate::sight;

/// Arguments of [`Push`](crate::Push) and [`Pull`](crate::Pull): exactly one of `direction`,
/// `towards`, `beside`, `aside`, and `x` with `y`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlideArgs {
    /// Object to move, by id or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Direction, as the robot sees it: forward is away from it, left is its left.
    pub direction: Option<Heading>,
    /// Object to move it towards; without `distance_m`, until just before that.
    #[schemars(extend("x-names-object" = true))]
    pub towards: Option<String>,
    /// Object to move it beside.
    #[schemars(extend("x-names-object" = true, "x-rarely" = true))]
    pub beside: Option<String>,
    /// Side of that object, as the robot sees it; the nearest if left out.
    #[schemars(extend("x-rarely" = true))]
    pub side: Option<Side>,
    /// True to move it out of the way, to a free place nearby.
    #[serde(default)]
    #[schemars(extend("x-rarely" = true))]
    pub aside: bool,
    /// Target x of its origin in World (forward), m; needs `y`.
    pub x: Option<f64>,
    /// Target y of its origin in World (left), m; needs `x`.
    pub y: Option<f64>,
    /// Distance, m; 0.1 with a direction if left out.
    #[schemars(range(min = 0.001))]
    pub distance_m: Option<f64>,
    /// Least distance, m, where there is no room for all of it; if left out, 0.03 with a direction
    /// alone, else all of it.
    #[schemars(range(min = 0.001), extend("x-rarely" = true))]
    pub least_m: Option<f64>,
    /// Largest force, N; 20 if left out.
    #[schemars(range(min = 1.0, max = 60.0), extend("x-rarely" = true))]
    pub max_force_n: Option<f64>,
}

impl SlideArgs {
    /// Force limit, N: at least 1 N, and at most the largest force with which the hand may press.
    pub(crate) fn force_n(&self) -> f64 {
        let asked_n = self.max_force_n.filter(|n| n.is_finite());
        asked_n.map_or(USUAL_FORCE_N, |n| n.clamp(1.0, MOST_FORCE_N))
    }

    fn least_m(&self) -> Option<f64> {
        let is_open = self.direction.is_some() && self.distance_m.is_none();
        self.least_m.or(is_open.then_some(LEAST_DISTANCE_M))
    }
}

/// Object to be pushed or pulled, and its goal.
#[derive(Clone, Debug)]
pub struct Aim {
    pub(crate) object: PerceivedObject,
    /// Goal of the object's origin, x and y in World, m.
    pub(crate) goal: Vector2<f64>,
    pub(crate) support: Option<ObjectId>,
    /// Least length of the move, m; `None` if it is not to be shortened.
    pub(crate) least_m: Option<f64>,
}

/// Least distance of a move in a direction without a given distance, m.
const LEAST_DISTANCE_M: f64 = 0.03;
/// Step by which a move is shortened, m.
const SHORTER_M: f64 = 0.025;
/// Default distance of a move, m.
const USUAL_DISTANCE_M: f64 = 0.1;
/// Gap left to the object towards which another is moved, m.
const STOPS_BEFORE_M: f64 = 0.01;
/// Largest number of places beside an object that are searched for a free path.
const MOST_BESIDE: usize = 32;

impl Aim {
    /// Remaining displacement to the goal, m.
    pub(crate) fn displacement(&self) -> Vector2<f64> {
        self.goal - self.object.position().xy()
    }

    /// Horizontal unit vector towards the goal, in World; +x if the object is there.
    pub(crate) fn direction(&self) -> Vector3<f64> {
        let displacement = self.displacement().push(0.0);
        let length_m = displacement.norm();
        match length_m < 1e-9 {
            true => Vector3::x(),
            false => displacement / length_m,
        }
    }

    /// Returns true if the object is at its goal. As in the evaluation of the goal, noise does not
    /// widen the tolerance.
    pub(crate) fn is_there(&self) -> bool {
        self.displacement().norm() <= TOLERANCE_M
    }

    /// Shortens the move by a step. Returns false if it has its least length already.
    pub(crate) fn shorten(&mut self) -> bool {
        let length_m = self.displacement().norm();
        self.shorten_to(length_m - SHORTER_M);
        self.displacement().norm() < length_m
    }

    fn shorten_to(&mut self, room_m: f64) {
        let length_m = self.displacement().norm();
        let least_m = self.least_m.unwrap_or(length_m);
        let length_m = room_m.max(least_m).min(length_m);
        self.goal = self.object.position().xy() + self.direction().xy() * length_m;
    }

    /// Distance that the object can move towards its goal, m: to the edge of its support, or up to
    /// [`STOPS_BEFORE_M`] before another object.
    fn room_m(&self, percept: &Percept) -> f64 {
        let own = self.object.aabb_in_world();
        let direction = self.direction();
        let under = self.support.as_ref().and_then(|id| percept.object(id));
        let to_edge_m = under.map(|under| {
            let on = under.aabb_in_world();
            let along = (0..2).map(|i| match direction[i] {
                d if d > 0.0 => (on.max[i] - own.max[i]) / d,
                d if d < 0.0 => (on.min[i] - own.min[i]) / d,
                _ => f64::INFINITY,
            });
            along.fold(f64::INFINITY, f64::min)
        });
        let met = self.met(percept).map(|(free_m, _)| free_m - STOPS_BEFORE_M);
        to_edge_m
            .into_iter()
            .chain(met)
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns the distance to the first object in the path, m, and that object.
    fn met<'p>(&self, percept: &'p Percept) -> Option<(f64, &'p PerceivedObject)> {
        let way = (&self.direction(), self.displacement().norm());
        first_met(percept, &self.object, self.support.as_ref(), way)
    }
}

/// Resolves the arguments to an object and a goal, and checks them against what is perceived.
///
/// # Errors
///
/// `gripper_occupied`, `object_not_found`, `object_covered` and the like; `bad_arguments` if the
/// goal is missing, given twice, or off the object's support; `goal_in_collision` names the object
/// in the path, unless a `lasting` failure would remain without it.
pub(crate) fn aim(
    robot: &mut Robot,
    asked: &SlideArgs,
    lasting: impl FnOnce(&mut Robot, &Percept, &Aim) -> Option<Failure>,
) -> Result<Aim> {
    sight::check_free(robot)?;
    let (percept, object) = sight::find(robot, &asked.object)?;
    check_moves(&percept, &object)?;
    let support = support_of(&percept, &object);
    let goal = goal(robot, &percept, (&object, support), asked)?;
    let mut aim = Aim {
        goal,
        support: support.map(|s| s.id.clone()),
        object,
        least_m: asked.least_m(),
    };
    aim.shorten_to(aim.room_m(&percept));
    if let Some(under) = support {
        let on = under.aabb_in_world();
        let ([from_x, from_y, _], [to_x, to_y, _]) = (on.min, on.max);
        let (id, [x, y]) = (&aim.object.id, [aim.goal.x, aim.goal.y]);
        if !((from_x..=to_x).contains(&x) && (from_y..=to_y).contains(&y)) {
            let text = format!(
                "{id} would leave {0}: its goal is x={x:.3} y={y:.3}, and {0} extends over \
                 x={from_x:.3} to {to_x:.3}, y={from_y:.3} to {to_y:.3}",
                under.id
            );
            let failure = Failure::new(Reason::BadArguments, text);
            return Err(failure.about([id.clone(), under.id.clone()]));
        }
    }
    sight::check_at_hand(robot, &percept, &aim.object)?;
    let Some((free_m, other)) = aim.met(&percept) else {
        return Ok(aim);
    };
    let (object, length_m) = (&aim.object.id, aim.displacement().norm());
    let text = format!(
        "{} is in the path of {object}: they would meet after {free_m:.3} m of {length_m:.3} m",
        other.id
    );
    let blocked = Failure::new(Reason::GoalInCollision, text)
        .about([other.id.clone()])
        .measured("free_way", free_m, Some(length_m), "m");
    let lasting = other.movable.then(|| lasting(robot, &percept, &aim));
    Err(lasting.flatten().unwrap_or(blocked))
}

/// Returns the first object that another would meet along a horizontal direction, and the distance
/// to it, m. The moving object may halve its present gap to objects that are near already.
pub(crate) fn first_met<'p>(
    percept: &'p Percept,
    object: &PerceivedObject,
    support: Option<&ObjectId>,
    (direction, length_m): (&Vector3<f64>, f64),
) -> Option<(f64, &'p PerceivedObject)> {
    let body = body_of(object)?;
    let meets = |other: &Body| {
        let gap_m = body.gap_m(other, OBJECT_ROOM_M);
        let room_m = (0.5 * gap_m.unwrap_or(2.0 * OBJECT_ROOM_M)).max(0.0);
        let meeting = body.meets(direction, length_m, room_m, other)?;
        Some(meeting.distance_m)
    };
    let others = bodies(percept, |o| o.id != object.id && Some(&o.id) != support);
    let others = others.filter(|(o, _)| !is_inside(o, object) && !is_supported_by(object, o));
    let met = others.filter_map(|(other, body)| Some((meets(&body)?, other)));
    met.min_by(|a, b| a.0.total_cmp(&b.0))
}

fn check_moves(percept: &Percept, object: &PerceivedObject) -> Result<()> {
    let id = &object.id;
    let bad = |text: String| Failure::new(Reason::BadArguments, text).about([id.clone()]);
    if !object.movable {
        return Err(bad(format!(
            "argument `object`: {id} is fixed and cannot be moved"
        )));
    }
    if let Some(joint) = percept.joint_of(id) {
        let parent = &joint.parent;
        return Err(bad(format!(
            "argument `object`: {id} moves only on a joint of {parent}"
        )));
    }
    Ok(())
}

fn goal(
    robot: &Robot,
    percept: &Percept,
    (object, support): (&PerceivedObject, Option<&PerceivedObject>),
    asked: &SlideArgs,
) -> Result<Vector2<f64>> {
    let from = object.position().xy();
    let bad = |text: String| Failure::new(Reason::BadArguments, text).about([object.id.clone()]);
    let usable = |m: &f64| m.is_finite() && *m > 0.0;
    if let Some(distance_m) = asked.distance_m.filter(|m| !usable(m)) {
        let text = format!("argument `distance_m`: {distance_m}, expected more than 0 m");
        return Err(bad(text));
    }
    if asked.side.is_some() && asked.beside.is_none() {
        return Err(bad("argument `side`: expected only with `beside`".into()));
    }
    let see = |phrase: &str| robot.find(percept, phrase);
    let held = Held::of(object, Pose::identity(), 0.0);
    let request = PlacementRequest::new(robot, percept, &held, object.world_from_object);
    let nearest = |places: Vec<Placement>| nearest_free(percept, (object, support), &places);
    let (towards_it, beside_it) = (asked.towards.as_deref(), asked.beside.as_deref());
    match (asked.direction, towards_it, beside_it, [asked.x, asked.y]) {
        (None, None, None, [None, None]) if asked.aside && asked.distance_m.is_none() => {
            let places = request.aside(from.into(), &[], &robot.info.workspace, |_| true)?;
            Ok(nearest(places))
        }
        _ if asked.aside => Err(bad(
            "argument `aside`: not expected with another goal, `side` or `distance_m`".into(),
        )),
        (None, None, None, [Some(x), Some(y)]) if x.is_finite() && y.is_finite() => {
            let displacement = Vector2::new(x, y) - from;
            let length_m = displacement.norm();
            let part = asked.distance_m.map_or(1.0, |m| m / length_m.max(1e-9));
            Ok(from + displacement * part)
        }
        (Some(heading), None, None, [None, None]) => {
            let distance_m = asked.distance_m.unwrap_or(USUAL_DISTANCE_M);
            Ok(from + heading.direction().xy() * distance_m)
        }
        (None, Some(phrase), None, [None, None]) => {
            Ok(from + towards(object, see(phrase)?, asked.distance_m))
        }
        (None, None, Some(_), _) if asked.distance_m.is_some() => Err(bad(
            "argument `distance_m`: not expected with `beside`".into(),
        )),
        (None, None, Some(phrase), [None, None]) => {
            let places = request.beside(see(phrase)?, asked.side, MOST_BESIDE)?;
            Ok(nearest(places))
        }
        _ => Err(bad(
            "expected exactly one of `direction`, `towards`, `beside`, `aside`, and `x` with `y`"
                .into(),
        )),
    }
}

/// Returns the nearest place with a free straight path, or the nearest place if no path is free, so
/// that the error names the obstacle. `places` is not empty.
fn nearest_free(
    percept: &Percept,
    (object, support): (&PerceivedObject, Option<&PerceivedObject>),
    places: &[Placement],
) -> Vector2<f64> {
    let goals = places.iter().map(|place| place.position().xy());
    let is_free = |goal: &Vector2<f64>| {
        let aim = Aim {
            object: object.clone(),
            goal: *goal,
            support: support.map(|support| support.id.clone()),
            least_m: None,
        };
        aim.met(percept).is_none()
    };
    let first_free = goals.clone().find(is_free);
    let nearest = first_free.or_else(|| goals.clone().next());
    nearest.unwrap_or_else(|| object.position().xy())
}

/// Displacement towards another object: up to just before it, unless a distance is given.
fn towards(
    object: &PerceivedObject,
    target: &PerceivedObject,
    distance_m: Option<f64>,
) -> Vector2<f64> {
    let displacement = (target.position() - object.position()).xy().push(0.0);
    let apart_m = displacement.norm();
    if apart_m < 1e-9 {
        return Vector2::zeros();
    }
    let direction = displacement / apart_m;
    let gap_m = apart_m
        - extent_m(object, &object.position(), &direction)
        - extent_m(target, &target.position(), &-direction);
    direction.xy() * distance_m.unwrap_or((gap_m - STOPS_BEFORE_M).max(0.0))
}
