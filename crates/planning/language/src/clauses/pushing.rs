//! Clauses that push, pull, lift, or move by a distance.

use std::rc::Rc;

use nalgebra::Vector3;
use regrasp_api::Goal;
use regrasp_relations::{Region, box_gap_m};

use super::hinges::Amount;
use super::places::{LEAST_MOVE_M, LEAST_PUSH_M};
use crate::ast::{Far, Heading as Move, HeadingNode, Location, LocationNode, Np, Word};
use crate::formula::{Course, Formula, Intent};
use crate::reader::Reader;
use crate::referent::{Destination, Meant, ReadingError, Referent, Resolved};
use crate::task::{Step, Steps};
use crate::tree::Tree;

/// Distance of a motion if the text gives none, m.
const USUAL_DISTANCE_M: f64 = 0.1;

fn shift(thing: &Referent, how: &str, to: Course) -> Intent {
    let (object, pull) = (thing.id().clone(), how == "pull");
    Intent::Shift { object, pull, to }
}

fn held_at(thing: &Referent, position: [f64; 3]) -> Goal {
    let object = thing.id().clone();
    Goal::HeldAt { object, position }
}

impl Reader<'_> {
    /// Pushes, pulls or moves objects in a direction, towards an object or away from it, or to a
    /// point.
    pub(super) fn push(
        &mut self,
        how: &Word,
        np: &Np,
        length: Option<&Far>,
        heading: &HeadingNode,
    ) -> Steps {
        let metres = self.metres(length)?;
        if let Some((length, metres)) = length.zip(metres) {
            let least_m = match how.means.as_str() {
                "move" => LEAST_MOVE_M,
                _ => LEAST_PUSH_M,
            };
            self.check_exact(&length.tree, metres, least_m)?;
        }
        let meant = self.moved(np)?;
        match &heading.is {
            Move::Along { direction, other } => {
                let mut direction = self.heading(direction)?.direction();
                if let Some(other) = other {
                    let across = self.heading(other)?.direction();
                    if direction.dot(&across).abs() > 1e-6 {
                        let why = "_: these are not two perpendicular directions";
                        return Err(self.nonsense(&heading.tree, why));
                    }
                    direction = (direction + across).normalize();
                }
                self.go(&meant, how, direction, metres)
            }
            Move::Nearer { how: near, np } => {
                let target = self.one(np)?;
                let is_near = |thing| self.is_there("beside", thing, &target);
                let is_near = target.zone().is_none() && meant.things.iter().any(is_near);
                match (metres, near.means.as_str()) {
                    (None, "up") if is_near => self.each_is(&meant, "against", &[&target]),
                    (None, "up" | "toward") if !is_near => self.go_up_to(&meant, how, np, &target),
                    (metres, near) => {
                        self.check_reference(&heading.tree, &meant, &target)?;
                        let some = || self.nearer_by(&heading.tree, &meant, near, &target);
                        let metres = metres.map_or_else(some, Ok)?;
                        self.go_along_line(&meant, how, &target, metres)
                    }
                }
            }
            Move::Farther { np } => {
                let target = self.one(np)?;
                self.check_reference(&heading.tree, &meant, &target)?;
                let metres = metres.unwrap_or(USUAL_DISTANCE_M);
                self.go_along_line(&meant, how, &target, -metres)
            }
            Move::AsFarAs { point } => {
                let point = self.point(point)?;
                let point = Vector3::new(point[0], point[1], 0.0);
                self.go_to(&meant, how, Some(f64::INFINITY), |_| Ok(point))
            }
        }
    }

    /// Rejects a part of an object, or a moved object, as the reference of a motion.
    fn check_reference(&self, tree: &Tree, meant: &Meant, target: &Referent) -> Resolved<()> {
        if meant.things.contains(target) {
            return Err(ReadingError::itself(target));
        }
        let why = "_: with a length, name a whole object, not a part of it";
        let not_whole = |_| Err(self.nonsense(tree, why));
        target.zone().map_or(Ok(()), not_whole)
    }

    /// Pushes or pulls without a direction: "push it" means away from the robot.
    pub(super) fn push_plainly(
        &mut self,
        tree: &Rc<Tree>,
        how: &Word,
        np: &Np,
        length: Option<&Far>,
    ) -> Steps {
        let meant = self.moved(np)?;
        let pull = how.means == "pull";
        let joint = meant.things.first().and_then(|first| self.joint(first));
        if joint.is_some_and(|j| j.presses.is_none()) {
            let more = if pull { "more" } else { "" };
            return match self.metres(length)?.map(Amount::Metres) {
                Some(amount) => self.slid_by(tree, &meant, pull, (amount, more)),
                None => self.slid(&meant, pull),
            };
        }
        if self.are_buttons(&meant) {
            return Err(self.nonsense(tree, "_: a button is pressed, not pushed or pulled"));
        }
        if length.is_some() {
            return Err(self.unclear(tree, "_: in which direction?"));
        }
        // Without a direction, a push moves away and a pull moves nearer. A reading with a
        // direction in the text is preferred.
        self.context.n_idle += 1;
        let way = self.scene.robot.forward() * if pull { -1.0 } else { 1.0 };
        self.go(&meant, how, way.push(0.0), None)
    }

    fn go(&self, meant: &Meant, how: &Word, direction: Vector3<f64>, metres: Option<f64>) -> Steps {
        let shift = direction * metres.unwrap_or(USUAL_DISTANCE_M);
        let to = |thing: &Referent| Ok(self.position(thing)? + shift);
        self.go_to(meant, how, metres, to)
    }

    /// Moves towards an object until just before it.
    fn go_up_to(&self, meant: &Meant, how: &Word, np: &Np, target: &Referent) -> Steps {
        self.see(target)?;
        if target.zone().is_some() {
            let place = self.on_or_beside("on", np, Meant::one(target.clone()));
            return self.put_at(meant, &np.tree, place);
        }
        self.each(meant, |thing| {
            self.position(thing)?;
            let target = target.id().clone();
            Ok(shift(thing, &how.means, Course::Towards { target }))
        })
    }

    /// Default length of a motion nearer to an object, m: half of the least gap, a quarter for a
    /// "little", but no more than usual.
    fn nearer_by(
        &self,
        tree: &Tree,
        meant: &Meant,
        near: &str,
        target: &Referent,
    ) -> Resolved<f64> {
        let part = if near == "little" { 0.25 } else { 0.5 };
        let is_moved = |thing: &Referent| self.context.expected.contains_key(thing.id());
        let mut least_m = USUAL_DISTANCE_M;
        for thing in &meant.things {
            let [own, other] = [self.see(thing)?, self.see(target)?];
            if is_moved(thing) || is_moved(target) {
                return Err(self.unclear(tree, "_: by how much?"));
            }
            least_m = least_m.min(part * box_gap_m(own, other));
        }
        match least_m < LEAST_PUSH_M {
            true => Err(self.impossible(tree, "_: it is near already; say by how much")),
            false => Ok(least_m),
        }
    }

    /// Moves along the line to the middle of an object, or away from it by a negative distance.
    fn go_along_line(
        &mut self,
        meant: &Meant,
        how: &Word,
        target: &Referent,
        metres: f64,
    ) -> Steps {
        let middle = self.expected_at(target)?;
        let steps = self.go_to(meant, how, Some(metres.abs()), |thing| {
            let from = self.position(thing)?;
            let mut direction = middle - from;
            direction.z = 0.0;
            Ok(from + direction.try_normalize(1e-9).unwrap_or_default() * metres)
        })?;
        let intents = steps.iter().flat_map(Step::intents);
        for point in intents.filter_map(Intent::point) {
            self.relate(target, point);
        }
        Ok(steps)
    }

    /// Moves objects to a point: pushes or pulls them along their support, or moves them in any
    /// way. If the text names no length, a push or a pull goes as far as there is room.
    fn go_to(
        &self,
        meant: &Meant,
        how: &Word,
        length_m: Option<f64>,
        to: impl Fn(&Referent) -> Resolved<Vector3<f64>>,
    ) -> Steps {
        self.each(meant, |thing| {
            let to: [f64; 2] = to(thing)?.xy().into();
            Ok(match how.means.as_str() {
                "move" => {
                    let length_m = length_m.unwrap_or(USUAL_DISTANCE_M);
                    let goal = Goal::put_at(thing.id().clone(), to, None);
                    goal.computed_from(length_m).into()
                }
                how if length_m.is_some() => shift(thing, how, Course::Point(to)),
                how => {
                    let from = self.position(thing)?.xy().into();
                    shift(thing, how, Course::UpTo { from, to })
                }
            })
        })
    }

    /// Reads a push to a place, with the same goals as for putting. Rejects a place on or in a
    /// movable object, since a pushed object stays on its support.
    pub(super) fn push_to_place(
        &mut self,
        tree: &Rc<Tree>,
        np: &Np,
        place: &LocationNode,
    ) -> Steps {
        let meant = self.moved(np)?;
        if let Location::At { relation, np } = &place.is
            && matches!(relation.means.as_str(), "in" | "on" | "on_top" | "to")
        {
            let target = self.np(np)?;
            let goes_over = |t: &Referent| meant.things.iter().all(|m| self.goes_over(m.id(), t));
            let is_loose = |t: &Referent| self.object(t).is_some_and(|o| o.movable);
            let mut whole = target.things.iter().filter(|t| t.zone().is_none());
            if whole.any(|t| is_loose(t) && !goes_over(t)) {
                return Err(self.impossible(tree, "_: a pushed object stays on its support"));
            }
        }
        self.put(&meant, place)
    }

    pub(super) fn lift(&mut self, np: &Np, length: Option<&Far>) -> Steps {
        let meant = self.moved(np)?;
        let metres = self.metres(length)?.unwrap_or(USUAL_DISTANCE_M);
        self.each(&meant, |thing| {
            let at = self.expected_at(thing)?;
            Ok(held_at(thing, [at.x, at.y, at.z + metres]))
        })
    }

    pub(super) fn hold_at(&mut self, np: &Np, point: &Word) -> Steps {
        let meant = self.moved(np)?;
        let why = "_: a point to hold something at needs x, y and z";
        let said = <[f64; 3]>::try_from(self.point(point)?);
        let point = said.map_err(|_| self.nonsense(&point.tree, why))?;
        self.each(&meant, |thing| Ok(held_at(thing, point)))
    }

    /// Holds an object with its lowest point at a height above the highest point of another.
    pub(super) fn hold_over(&mut self, np: &Np, length: Option<&Far>, target: &Np) -> Steps {
        let meant = self.moved(np)?;
        let place = self.one(target)?;
        let metres = self.metres(length)?.unwrap_or(USUAL_DISTANCE_M);
        if place.zone().is_some() {
            let why = "_: an object can only be held above a whole object, not a part";
            return Err(self.nonsense(&target.tree, why));
        }
        self.context.place = Some(Destination::to(place.clone()));
        let below = self.see(&place)?.aabb_in_world();
        for thing in &meant.things {
            let over = place.id().clone();
            self.context.carried_by.insert(thing.id().clone(), over);
        }
        let middle = self.middle_of(&place)?;
        self.each(&meant, |thing| {
            let object = self.see(thing)?;
            if thing.id() == place.id() {
                return Err(ReadingError::itself(thing));
            }
            // Above the table, the object keeps its position.
            let over = match self.is_table(&place) {
                true => self.expected_at(thing)?,
                false => middle,
            };
            let below_origin_m = object.position().z - object.aabb_in_world().min[2];
            let z = below.max[2] + metres + below_origin_m;
            Ok(held_at(thing, [over.x, over.y, z]))
        })
    }

    /// Returns the position of an object or a zone after the previous steps. Rejects an object for
    /// which these leave the position open.
    pub(super) fn expected_at(&self, thing: &Referent) -> Resolved<Vector3<f64>> {
        let seen = self.see(thing)?;
        let zone = thing.zone();
        let region = zone.and_then(|zone| Region::of(self.scene.percept, &seen.id, zone));
        let seen = region.map_or(seen.position(), |r| r.aabb().center().coords);
        let expected = self.context.expected.get(thing.id());
        expected.copied().unwrap_or(Some(seen)).ok_or_else(|| {
            let why = "is not known before the previous steps are done";
            let instead = "say what follows as a command of its own";
            ReadingError::Impossible(format!("where {thing} will be {why}: {instead}"))
        })
    }

    /// Returns the middle of an object after the previous steps.
    pub(super) fn middle_of(&self, thing: &Referent) -> Resolved<Vector3<f64>> {
        match self.context.expected.contains_key(thing.id()) {
            true => self.expected_at(thing),
            false => Ok(self.see(thing)?.aabb_in_world().center().coords),
        }
    }

    /// Returns the position of a movable object after the previous steps.
    fn position(&self, thing: &Referent) -> Resolved<Vector3<f64>> {
        match self.see(thing)?.movable {
            true => self.expected_at(thing),
            false => Err(ReadingError::fixed(thing)),
        }
    }

    /// Updates the expected positions, supports and openings after these steps.
    pub(crate) fn expect(&mut self, steps: &[Step]) {
        self.context.went_into_it = false;
        for step in steps {
            // The first of several facts about an object says on or in what it is.
            let facts = step.formula().map_or_else(Vec::new, Formula::certain);
            if !facts.is_empty() {
                facts
                    .into_iter()
                    .rev()
                    .for_each(|fact| self.expect_of(fact));
                continue;
            }
            let moved = self.objects().filter(|o| step.moves(o.id.as_str()));
            let moved = moved.map(|o| (o.id.clone(), None));
            self.context.expected.extend(moved);
        }
    }

    fn expect_of(&mut self, intent: &Intent) {
        use Goal::{HeldAt, In, Inserted, On, OpenBy, Slid, Within};
        let Some(Referent::Object(object)) = intent.thing() else {
            return;
        };
        let (percept, goal) = (self.scene.percept, intent.goal());
        let moves = |goal: &Goal| goal.constrains_pose() && !goal.keeps_hold();
        if goal.is_none_or(moves) {
            self.context.carried_by.remove(&object);
            self.context.placed.insert(object.clone());
        }
        let context = &mut self.context;
        let at = match goal {
            Some(Slid { open, .. }) => {
                let opening = (!open).then_some(0.0);
                context.openings.insert(object.clone(), opening);
                None
            }
            Some(OpenBy { opening, .. }) => {
                let joint = percept.joints.iter().find(|joint| joint.child == object);
                let opening = joint.map(|joint| opening * joint.per_unit());
                context.openings.insert(object.clone(), opening);
                None
            }
            Some(HeldAt { position, .. }) => Some((*position).into()),
            Some(goal @ (On { .. } | In { .. } | Inserted { .. } | Within { .. })) => {
                let target = goal.objects()[1];
                let is_loose = percept.object(target).is_some_and(|whole| whole.movable);
                context.went_into_it |= is_loose && matches!(goal, In { .. });
                context.carried_by.insert(object.clone(), target.clone());
                None
            }
            Some(goal) if !moves(goal) => return,
            None if matches!(intent, Intent::Turn { .. }) => return,
            _ => {
                let z = percept.object(&object).map_or(0.0, |o| o.position().z);
                intent.furthest().map(|[x, y]| Vector3::new(x, y, z))
            }
        };
        // What lies on an object moves with it.
        let whole = Referent::Object(object.clone());
        let on_it = self
            .loose()
            .filter(|o| self.is_over(&Referent::of(o), &whole));
        let on_it = on_it.map(|o| (o.id.clone(), None));
        self.context.expected.extend(on_it.collect::<Vec<_>>());
        self.context.expected.insert(object, at);
    }
}
