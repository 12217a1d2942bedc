//! Sides of objects, and the spatial relations by which phrases distinguish objects.

use nalgebra::Vector2;
use regrasp_api::{Goal, ObjectId, PerceivedObject, Relation, Shape, Side, Zone};
use regrasp_relations::{
    Region, box_gap_m, is_inside, is_supported_by, is_through, misplaced, not_related, not_within,
};

use crate::formula::Intent;
use crate::reader::Reader;
use crate::referent::Referent;

/// Largest gap between objects that are next to each other, m.
const NEXT_M: f64 = 0.12;
/// Largest gap between objects that are next to each other if nothing else is nearer, m.
const LOOSELY_M: f64 = 0.25;
/// Largest gap between objects that touch, m.
const TOUCH_M: f64 = 0.008;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Straight to one side, if the relation has a side.
    Exact,
    Strict,
    /// Tolerant, and indirect: an object that stands on another one on the tray is "on the tray".
    Loose,
}

impl<'a> Reader<'a> {
    /// Returns true if `thing` is in a relation (on, in, beside, …) to `other`.
    pub(crate) fn related(
        &self,
        relation: &str,
        thing: &PerceivedObject,
        other: &Referent,
        sense: Sense,
    ) -> bool {
        let (percept, viewpoint) = (self.scene.percept, &self.scene.viewpoint);
        let Some(mut whole) = percept.object(other.id()) else {
            return false;
        };
        let is_side = viewpoint.direction(relation).is_some();
        if is_side || matches!(relation, "beside" | "against") {
            // An object that was put on another is where that one is.
            let carrier = self.context.carried_by.get(&whole.id);
            whole = carrier.and_then(|id| percept.object(id)).unwrap_or(whole);
        }
        if thing.id == whole.id {
            return false;
        }
        if relation == "in" && self.is_in_drawer(thing, other, sense) {
            return true;
        }
        if self.context.is_after && self.context.placed.contains(&thing.id) {
            return self.context.carried_by.get(&thing.id) == Some(&whole.id);
        }
        let is_apart = !matches!(relation, "on" | "in" | "off");
        let zone = other
            .zone()
            .filter(|_| is_apart && Relation::named(relation).is_none());
        let region = zone.and_then(|zone| Region::of(percept, &whole.id, zone));
        let region = region.map(|region| as_object(&region, &whole.id));
        // What is in a zone is not beside it.
        if zone.is_some_and(|zone| not_within(percept, thing, whole, zone).is_none()) {
            return false;
        }
        let whole = region.as_ref().unwrap_or(whole);
        match relation {
            "on" | "off" if self.is_held_by_another(thing, whole) => false,
            "on" | "in" | "off" => {
                let own = other.zone();
                let is_declared = |zone: &Zone| percept.declared_zone(&whole.id, zone).is_some();
                let insides = || match relation {
                    "in" => self.scene.insides_of(&whole.id),
                    _ => vec![],
                };
                let is_there = |zone: &Zone| not_within(percept, thing, whole, zone).is_none();
                let rests = || self.rests(relation, thing, whole);
                match own {
                    Some(zone) => is_there(zone) && (is_declared(zone) || rests()),
                    None if let zones @ [_, ..] = insides().as_slice() => {
                        zones.iter().any(is_there)
                    }
                    None => rests() || sense == Sense::Loose && self.stands_over(thing, other),
                }
            }
            "under" if is_supported_by(whole, thing) || is_inside(whole, thing) => true,
            "beside" | "against" => {
                let most_m = match (relation, sense) {
                    ("against", _) => TOUCH_M,
                    (_, Sense::Loose) => LOOSELY_M,
                    _ => NEXT_M,
                };
                !stacked(thing, whole) && box_gap_m(thing, whole) <= most_m
            }
            name if let Some(relation) = Relation::named(name) => {
                not_related(relation, percept, thing, whole).is_none()
            }
            side if zone.is_none() && self.is_table(other) => {
                let zone = viewpoint.side(side).map(|side| Zone::new(side_word(side)));
                let region = zone.and_then(|zone| Region::of(percept, &whole.id, &zone));
                region.is_some_and(|r| r.covers(&thing.aabb_in_world().center().coords))
            }
            side => {
                let direction = viewpoint.direction(side);
                direction.is_some_and(|direction| is_towards(&direction, thing, whole, sense))
            }
        }
    }

    /// Returns true if an object is in a relation to another, in the strict sense.
    pub(crate) fn lies(&self, relation: &str, object: &PerceivedObject, other: &Referent) -> bool {
        self.related(relation, object, other, Sense::Strict)
    }

    /// Returns [`Self::lies`], or false for an object that is not perceived.
    pub(crate) fn is_there(&self, relation: &str, thing: &Referent, other: &Referent) -> bool {
        let object = self.object(thing);
        object.is_some_and(|o| self.lies(relation, o, other))
    }

    /// Returns true if an intent to put an object somewhere already holds.
    pub(crate) fn is_so(&self, intent: &Intent) -> bool {
        let percept = self.scene.percept;
        match intent.goal() {
            Some(Goal::On { object, target } | Goal::In { object, target }) => {
                let [object, target] = [object, target].map(|id| Referent::Object(id.clone()));
                self.is_there("off", &object, &target)
            }
            Some(goal) if goal.constrains_pose() => {
                let objects = goal.objects().into_iter().map(|id| percept.object(id));
                let objects: Option<Vec<_>> = objects.collect();
                objects.is_some_and(|objects| misplaced(goal, percept, &objects).is_none())
            }
            _ => false,
        }
    }

    /// Returns true if an object rests on or in another, or is around it.
    fn rests(&self, relation: &str, thing: &PerceivedObject, whole: &PerceivedObject) -> bool {
        let is_hollow = whole.shape.cavity().is_some();
        let (on, inside) = (|| is_supported_by(thing, whole), || is_inside(thing, whole));
        match relation {
            "in" if is_hollow => inside(),
            "in" => on(),
            "on" => on() || (is_hollow && inside()) || self.is_around(thing, whole),
            _ => on() || inside() || self.is_around(thing, whole),
        }
    }

    /// Returns true if an object is around another, as a ring around a peg.
    fn is_around(&self, thing: &PerceivedObject, whole: &PerceivedObject) -> bool {
        let connection = self.scene.percept.connection(&thing.id, &whole.id);
        connection.filter(|c| c.over).is_some_and(|c| {
            let mating = c.mating(&thing.world_from_object, &whole.world_from_object);
            is_through(&mating, c.hole, c.plug)
        })
    }

    /// Returns true if the object is inside a hollow object other than `whole`, even if it is near
    /// the surface of `whole`.
    fn is_held_by_another(&self, thing: &PerceivedObject, whole: &PerceivedObject) -> bool {
        let is_other = |o: &PerceivedObject| o.id != thing.id && o.id != whole.id;
        // Most objects are far away, which is cheap to see.
        let holds = |o: &PerceivedObject| is_inside(thing, o) && o.shape.cavity().is_some();
        !is_inside(thing, whole) && self.objects().any(|o| is_other(o) && holds(o))
    }

    /// Returns true if an object is in a drawer of another, and so in that one, too.
    fn is_in_drawer(&self, thing: &PerceivedObject, whole: &Referent, sense: Sense) -> bool {
        let joints = self.scene.percept.joints.iter();
        let own = joints.filter(|joint| joint.parent == *whole.id() && joint.opens());
        let mut drawers = own.map(|joint| Referent::Object(joint.child.clone()));
        whole.zone().is_none()
            && drawers
                .any(|drawer| self.related("in", thing, &drawer, sense) && self.is_hollow(&drawer))
    }

    /// Returns the highest fixed object under an object.
    pub(crate) fn ground_of(&self, thing: &PerceivedObject) -> Option<&'a PerceivedObject> {
        let center = thing.aabb_in_world().center();
        let below = self.objects().filter(|o| {
            let b = o.aabb_in_world();
            let covers = b.covers(center.x, center.y);
            !o.movable && o.id != thing.id && covers && b.max[2] <= center.z
        });
        let top_m = |o: &PerceivedObject| o.aabb_in_world().max[2];
        below.max_by(|a, b| top_m(a).total_cmp(&top_m(b)))
    }
}

/// Returns true if an object is on a side of another. It must be near unless the sense is loose.
fn is_towards(
    direction: &Vector2<f64>,
    thing: &PerceivedObject,
    whole: &PerceivedObject,
    sense: Sense,
) -> bool {
    let offset = (thing.aabb_in_world().center() - whole.aabb_in_world().center()).xy();
    let toward = offset.dot(direction);
    let across = (offset.norm_squared() - toward * toward).max(0.0).sqrt();
    let near = sense == Sense::Loose || box_gap_m(thing, whole) <= LOOSELY_M;
    let within_sight = match sense {
        Sense::Exact => 0.5 * toward > across,
        Sense::Strict => toward > across,
        Sense::Loose => toward > 0.5 * across,
    };
    near && within_sight && toward > 0.0 && !stacked(thing, whole)
}

/// Returns true if an object stands between two others. In the exact sense, the straight line
/// between them passes through it; in the strict sense, its centre is no further from the line than
/// half of the larger one's size, and in the loose sense 3 cm more.
pub(crate) fn is_between(
    thing: &PerceivedObject,
    [a, b]: [&PerceivedObject; 2],
    sense: Sense,
) -> bool {
    let [p, from, to] = [thing, a, b].map(|o| o.aabb_in_world().center().xy());
    let line = to - from;
    let along = (p - from).dot(&line) / line.norm_squared().max(1e-9);
    let aside_m = (p - from - along * line).norm();
    let half_m = |o: &PerceivedObject| 0.5 * o.aabb_in_world().size().xy().max();
    let most_m = match sense {
        Sense::Exact => half_m(thing),
        Sense::Strict => half_m(a).max(half_m(b)),
        Sense::Loose => half_m(a).max(half_m(b)) + 0.03,
    };
    (0.1..=0.9).contains(&along) && aside_m <= most_m
}

/// Returns a box that stands for a zone of an object.
fn as_object(region: &Region, whole: &ObjectId) -> PerceivedObject {
    PerceivedObject {
        id: whole.clone(),
        category: String::new(),
        color: None,
        shape: Shape::Box {
            half_extents: region.half_extents,
        },
        world_from_object: region.world_from_region,
        position_std_m: 0.0,
        movable: false,
    }
}

fn stacked(a: &PerceivedObject, b: &PerceivedObject) -> bool {
    is_supported_by(a, b) || is_supported_by(b, a) || is_inside(a, b) || is_inside(b, a)
}

/// Name of the zone on a side, as the robot sees it.
pub(crate) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
        Side::InFront => "front",
        Side::Behind => "back",
    }
}

/// Returns the side of a predicate such as `left_of`.
pub(crate) fn side_of(predicate: &str) -> Option<Side> {
    let is_it = |side: &Side| side.predicate() == predicate;
    Side::ALL.into_iter().find(is_it)
}
