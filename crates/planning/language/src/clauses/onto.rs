//! Steps that put objects at a place: for each of several, or for any of them.

use regrasp_api::{Fact, Goal, ObjectJoint, PerceivedObject, Relation, Zone};
use regrasp_relations::no_space;

use crate::ast::{Location, LocationNode, Modified, Modifier};
use crate::formula::{Formula, Intent, alone_or, placed};
use crate::properties::size_of;
use crate::reader::Reader;
use crate::referent::{Destination, How, Meant, ReadingError, Referent, Resolved, list, those};
use crate::related::{side_of, side_word};
use crate::task::{Step, Steps, ways};
use crate::tree::Tree;

/// Largest number of ways to distribute objects over places, since all are enumerated.
const MOST_ORDERS: usize = 60;
/// Largest height difference of two objects that together carry a third, m.
const LEVEL_M: f64 = 0.01;

impl Reader<'_> {
    pub(crate) fn put(&mut self, moved: &Meant, place: &LocationNode) -> Steps {
        let tree = &place.tree;
        if moved.things.iter().any(|t| t.zone().is_some()) {
            return Err(self.nonsense(tree, "_: a place cannot be moved"));
        }
        match &place.is {
            Location::Places { all } => return self.put_apart(tree, moved, all, false),
            Location::Both { on, beside } => return self.put_at_both(tree, moved, [on, beside]),
            _ => {}
        }
        self.context.current = Some(moved.clone());
        self.context.wants_inside = place.is.relation() == "in";
        let to = self.place(place, moved);
        self.context.current = None;
        (self.context.at_place, self.context.wants_inside) = (false, false);
        let to = to?;
        self.context.center = None;
        let Destination::At(relation, target) = &to else {
            return self.put_at(moved, tree, to);
        };
        let is_it = tree.parts.iter().any(|part| part.name() == "Pronoun");
        self.context.center = is_it.then(|| target.clone());
        if let (Some(one), Some(target)) = (moved.single(), target.single()) {
            let stack = self.context.stacked.as_ref();
            let is_top = stack.is_some_and(|stack| stack.things.last() == Some(target));
            if is_top || relation == "on" && self.is_small(target) {
                self.stack_up(target, one);
            }
        }
        let is_there = |thing: &Referent| {
            let mut targets = target.things.iter();
            targets.any(|t| self.is_there(relation, thing, t) || self.is_over(thing, t))
        };
        if moved.is_more {
            let others = those(&moved.things, |thing| !is_there(thing));
            if others.is_empty() {
                let all = list(&moved.things);
                let why = format!("there is no other one: {all} is there already");
                return Err(ReadingError::Impossible(why));
            }
            let moved = self.so_many(tree, moved.clone().with(others), (1, false))?;
            return self.put_at(&moved, tree, to);
        }
        let shut = self.shut_again(place, target);
        let mut steps = self.put_at(moved, tree, to)?;
        if let [Step::Goal(some)] = &mut steps[..] {
            self.keep_there(some);
        }
        if let ([Step::Goal(some)], How::Any(n), true) = (&mut steps[..], moved.how, moved.is_exact)
        {
            let none = some.atoms().into_iter().cloned().map(Formula::Not);
            let most = Formula::some(moved.things.len() - n, none.collect());
            *some = Formula::All(vec![some.clone(), most]);
        }
        Ok([steps, shut].concat())
    }

    /// Keeps those of several objects that are at the place: "there should be two cubes in it".
    fn keep_there(&self, some: &mut Formula) {
        let stays = |thing: Referent| !self.context.placed.contains(thing.id());
        let is_so = |own: &Intent| own.thing().is_some_and(stays) && self.is_so(own);
        if let Formula::Some { n, of } = some {
            let there = of.iter().filter(|one| one.intent().is_some_and(is_so));
            let there: Vec<_> = there.cloned().collect();
            if (1..*n).contains(&there.len()) {
                of.retain(|one| !there.contains(one));
                let others = Formula::some(*n - there.len(), std::mem::take(of));
                *some = Formula::All([there, vec![others]].concat());
            }
        }
    }

    /// Steps that close the destination again if the text calls it closed: "in the closed drawer".
    fn shut_again(&self, place: &LocationNode, target: &Meant) -> Vec<Step> {
        let is_closed = |own: &Modified| match own.is.plain() {
            Modifier::State { word } => word.means == "closed",
            _ => false,
        };
        let is_shut = match &place.is {
            Location::At { np, .. } => np.is.modifiers().into_iter().flatten().any(is_closed),
            _ => false,
        };
        let whole = target.single().filter(|_| is_shut);
        let parts = whole.map_or_else(Vec::new, |whole| self.moving(whole, ObjectJoint::opens));
        let shut = parts.iter().map(|part| goal("closed", [part]).into());
        shut.collect()
    }

    /// Puts objects on or in another, and in a relation to something there.
    fn put_at_both(&mut self, tree: &Tree, moved: &Meant, places: [&LocationNode; 2]) -> Steps {
        let [on, beside] = places.map(|place| (self.put(moved, place), self.context.place.clone()));
        let is_there = match (on.1, beside.1) {
            (Some(Destination::At(_, on)), Some(Destination::At(_, others))) => {
                let mut then = self.clone();
                then.context.is_after = true;
                let is_there = |thing| on.single().is_some_and(|on| then.is_over(thing, on));
                others.things.iter().all(is_there)
            }
            _ => false,
        };
        let each = vec![on.0?, beside.0?];
        match is_there {
            true => self.all_at_once(tree, each),
            false => Err(self.nonsense(&places[1].tree, "_: what is there?")),
        }
    }

    /// Joins steps that bring the same objects to one place: "on the table, left of the plate".
    pub(crate) fn at_once(
        &self,
        tree: &Tree,
        [first, second]: [&[Step]; 2],
    ) -> Resolved<Vec<Step>> {
        let mut both = vec![];
        let [first, second] = [first, second].map(|steps| ways(steps).unwrap_or_default());
        for (a, b) in first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (a, b)))
        {
            let [own, other] = [a, b].map(|way| placed(way.iter().flat_map(Formula::atoms)));
            if own.is_some() && own == other {
                let goals = [&a[..], b].concat();
                let all = goals.iter().flat_map(Formula::atoms);
                let all: Vec<_> = all.filter_map(Intent::goal).collect();
                let conflicts = |a: &&Goal| all.iter().any(|b| a.is_carried_elsewhere(b));
                if all.iter().any(conflicts) {
                    let why = "_: several places for one object: say `then` if it goes from one to \
                               the next";
                    return Err(self.impossible(tree, why));
                }
                both.push(Formula::All(goals));
            }
        }
        match both.is_empty() {
            true => Err(self.unclear(tree, "_: where does each object go?")),
            false => Ok(vec![Step::Goal(alone_or(both, Formula::Any))]),
        }
    }

    fn all_at_once(&self, tree: &Tree, each: Vec<Vec<Step>>) -> Steps {
        let mut each = each.into_iter();
        let first = each.next().unwrap_or_default();
        each.try_fold(first, |own, next| self.at_once(tree, [&own, &next]))
    }

    /// Puts each object at a place of its own: listed objects in the order of the places, others in
    /// any order.
    pub(super) fn put_apart(
        &mut self,
        tree: &Tree,
        moved: &Meant,
        places: &[LocationNode],
        is_list: bool,
    ) -> Steps {
        let n = match moved.how {
            // As in "a cube on each plate".
            How::Any(1) => places.len(),
            How::Any(n) => n,
            How::The | How::All => moved.things.len(),
        };
        if n == 1 {
            let steps = places.iter().map(|place| self.put(moved, place));
            let steps = steps.collect::<Resolved<_>>()?;
            return self.all_at_once(tree, steps);
        }
        let n_known = moved.things.len();
        if n != places.len() || n > n_known || too_many(&moved.things, n) {
            let question = format!("_: where does each of {} go?", list(&moved.things));
            return Err(self.unclear(tree, question));
        }
        let orders = match is_list {
            true => vec![moved.things.clone()],
            false => orders(&moved.things, n),
        };
        self.in_any(orders, |own, i, thing| own.put(thing, &places[i]))
    }

    /// Puts objects at a place each, in any of several orders.
    fn in_any(
        &mut self,
        orders: Vec<Vec<Referent>>,
        put: impl Fn(&mut Self, usize, &Meant) -> Steps,
    ) -> Steps {
        let before = self.clone();
        let (mut ways, mut wrong) = (vec![], None);
        for order in orders {
            *self = before.clone();
            let mut each = order.into_iter().enumerate();
            let goals = each.try_fold(vec![], |mut goals, (i, thing)| {
                let steps = put(self, i, &Meant::one(thing))?;
                goals.extend(steps.iter().filter_map(Step::formula).cloned());
                Ok(goals)
            });
            match goals {
                Ok(goals) => ways.push(alone_or(goals, Formula::All)),
                Err(error) => drop(wrong.get_or_insert(error)),
            }
        }
        match wrong {
            Some(wrong) if ways.is_empty() => Err(wrong),
            _ => Ok(vec![Step::Goal(alone_or(ways, Formula::Any))]),
        }
    }

    /// Puts a different object at each target: "a cube on each plate".
    fn one_for_each(&self, tree: &Tree, moved: &Meant, relation: &str, target: &Meant) -> Steps {
        let n = target.things.len();
        let n_moved = moved.things.len();
        let all = list(&moved.things);
        if n_moved < n {
            let why = format!("_: for {n} places there are only {n_moved}: {all}");
            return Err(self.none(tree, why));
        }
        if moved.how == How::All && n_moved > n || too_many(&moved.things, n) {
            let question = format!("_: where does each of {all} go?");
            return Err(self.unclear(tree, question));
        }
        let mut own = self.clone();
        own.in_any(orders(&moved.things, n), |own, i, thing| {
            let target = Meant::one(target.things[i].clone());
            own.put_at(thing, tree, Destination::at(relation, target))
        })
    }

    pub(super) fn put_at(&self, moved: &Meant, tree: &Tree, to: Destination) -> Steps {
        let (relation, target) = match to {
            Destination::At(relation, target) => (relation, target),
            Destination::Point(..) if moved.things.len() > 1 && moved.how == How::All => {
                return Err(self.nonsense(tree, "_: several objects cannot be at one point"));
            }
            Destination::Point(point, length_m) => {
                let z = point.get(2).copied();
                return self.each(moved, |thing| {
                    let goal = Goal::put_at(thing.id().clone(), [point[0], point[1]], z);
                    Ok(goal.computed_from(length_m.unwrap_or(f64::INFINITY)))
                });
            }
        };
        let are_several = target.how == How::All && target.things.len() > 1;
        let needs_all = matches!(relation.as_str(), "between" | "across");
        if !matches!(relation.as_str(), "on" | "in" | "to") {
            self.check_whole(&relation, &target)?;
        }
        let side = side_of(&relation);
        let is_for_each = target.is_each || side.is_none() && moved.how == How::Any(1);
        if are_several && !needs_all && is_for_each {
            return self.one_for_each(tree, moved, &relation, &target);
        }
        match (relation.as_str(), side) {
            ("on", _) => self.on(tree, moved, &target),
            ("in", _) => self.put_in(moved, &target),
            ("to", _) => self.to(tree, moved, &target),
            ("between" | "across", _) => {
                let pair: Vec<_> = target.things.iter().collect();
                self.each_is(moved, &relation, &pair)
            }
            (_, Some(side)) if target.single().is_some_and(|t| self.is_table(t)) => {
                let zone =
                    |t: &Referent| Referent::Zone(t.id().clone(), Zone::new(side_word(side)));
                let zones = target.things.iter().map(zone).collect();
                self.on(tree, moved, &target.with(zones))
            }
            (_, Some(_)) if are_several => {
                // "To the left of both mugs" is to the left of each.
                let to = |one: &Referent| Destination::at(&*relation, Meant::one(one.clone()));
                let steps = target
                    .things
                    .iter()
                    .map(|one| self.put_at(moved, tree, to(one)));
                self.all_at_once(tree, steps.collect::<Resolved<_>>()?)
            }
            _ => self.with_target(tree, moved, &target, |thing, target| {
                self.check_space(&relation, thing, target)?;
                let target = Referent::Object(target.id().clone());
                Ok(goal(&relation, [thing, &target]))
            }),
        }
    }

    /// Rejects a relation to a zone, for which there is no goal. "Under" means the whole object.
    fn check_whole(&self, relation: &str, target: &Meant) -> Resolved<()> {
        let zone = target.things.iter().find(|thing| thing.zone().is_some());
        let zone = zone.filter(|_| relation != "under");
        zone.map_or(Ok(()), |zone| {
            let why = format!("{zone} is a place, and no goal means `{relation}` of a place");
            let instead = "name an object, or say that it goes to the place";
            Err(ReadingError::Impossible(format!("{why}: {instead}")))
        })
    }

    /// Rejects a relation that the present positions rule out.
    fn check_space(&self, relation: &str, thing: &Referent, target: &Referent) -> Resolved<()> {
        let (whole, object) = (self.see(target)?, self.object(thing));
        // A fixed object is left out, since another error says that it cannot be moved.
        let object = object.filter(|o| o.movable);
        let why = Relation::named(relation).zip(object);
        let why = why.and_then(|(r, object)| no_space(r, self.scene.percept, object, whole));
        why.map_or(Ok(()), |why| Err(ReadingError::Impossible(why)))
    }

    pub(super) fn on(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        if let ([a, b], How::All) = (target.things.as_slice(), target.how) {
            // Only objects of equal height can carry another together. "on the plate and the cube"
            // does not mean across both.
            let (one, other) = (self.see(a)?, self.see(b)?);
            let height_m = |o: &PerceivedObject| o.aabb_in_world().size().z;
            let differ =
                one.movable != other.movable || (height_m(one) - height_m(other)).abs() > LEVEL_M;
            if a.id() == b.id() || differ {
                let why = "_: only two objects of equal height carry another across them";
                return Err(self.nonsense(tree, why));
            }
            return self.each_is(moved, "across", &[a, b]);
        }
        self.with_target(tree, moved, target, |thing, target| {
            let lid = self.lid_over(self.see(target)?);
            let lid = lid.filter(|lid| target.zone().is_none() && lid.id() != thing.id());
            Ok(match self.goes_over(thing.id(), target) {
                true => goal("inserted", [thing, target]),
                false => goal("on", [thing, lid.as_ref().unwrap_or(target)]),
            })
        })
    }

    /// Returns the lid that closes an object which is open at the top.
    fn lid_over(&self, whole: &PerceivedObject) -> Option<Referent> {
        whole.shape.cavity()?;
        let top_m = whole.aabb_in_world().max[2] - LEVEL_M;
        let joints = self.scene.percept.joints.iter();
        let mut over = joints.filter(|joint| {
            let lid = self.scene.percept.object(&joint.child);
            let is_over = lid.is_some_and(|lid| lid.aabb_in_world().min[2] > top_m);
            is_over && joint.parent == whole.id && joint.opens() && self.is_closed_by_then(joint)
        });
        over.next()
            .map(|joint| Referent::Object(joint.child.clone()))
    }

    pub(super) fn put_in(&self, moved: &Meant, target: &Meant) -> Steps {
        if let (things @ [_, _, ..], How::All) = (target.things.as_slice(), target.how) {
            let question = format!("in which of {}?", list(things));
            return Err(ReadingError::Unclear(question));
        }
        let insides = target.single().map(|one| self.insides(one));
        let zones = insides.filter(|zones| zones.len() > 1).map(|things| Meant {
            things,
            how: How::Any(1),
            ..target.clone()
        });
        let target = zones.as_ref().unwrap_or(target);
        self.with_target(&Tree::default(), moved, target, |thing, target| {
            self.inside(thing, target)
        })
    }

    /// Returns what the inside of an object means that is not open at the top: its declared zones
    /// behind walls, else its drawers.
    fn insides(&self, whole: &Referent) -> Vec<Referent> {
        let percept = self.scene.percept;
        let is_hollow = |id| Some(percept.object(id)?.shape.cavity().is_some());
        if whole.zone().is_some() || is_hollow(whole.id()) == Some(true) {
            return vec![];
        }
        let zones = self.scene.insides_of(whole.id()).into_iter();
        let zones: Vec<_> = zones
            .map(|zone| Referent::Zone(whole.id().clone(), zone))
            .collect();
        if !zones.is_empty() {
            return zones;
        }
        let joints = percept.joints.iter();
        let own = joints.filter(|joint| joint.parent == *whole.id() && joint.opens());
        let drawers = own.filter(|joint| is_hollow(&joint.child) == Some(true));
        drawers
            .map(|joint| Referent::Object(joint.child.clone()))
            .collect()
    }

    /// Creates the goal that an object is in another, or on it if it is flat.
    pub(crate) fn inside(&self, thing: &Referent, target: &Referent) -> Resolved<Goal> {
        let whole = self.see(target)?;
        let zone = target.zone().cloned();
        let is_open = whole.shape.cavity().is_some();
        let connection = self.scene.percept.connection(thing.id(), &whole.id);
        let is_plugged = connection.is_some() && !is_open;
        if zone.is_none() && !is_plugged && !self.fits_into(thing, whole) {
            let why = format!("{thing} does not fit into {target}");
            return Err(ReadingError::Impossible(why));
        }
        if zone.is_some() {
            return Ok(goal("on", [thing, target]));
        }
        let predicate = match self.insides(target).as_slice() {
            [one] => return self.inside(thing, one),
            several @ [_, _, ..] => {
                let question = format!("in which of {}?", list(several));
                return Err(ReadingError::Unclear(question));
            }
            _ if is_plugged => "inserted",
            _ if is_open || self.is_called_any(whole, "hollow") => "in",
            _ if self.is_flat(whole) && whole.movable => "on",
            _ => {
                let why = format!("{target} is not a container");
                return Err(ReadingError::Impossible(why));
            }
        };
        Ok(goal(predicate, [thing, target]))
    }

    /// Returns true if an object is small enough to lie in another, in any orientation.
    fn fits_into(&self, thing: &Referent, whole: &PerceivedObject) -> bool {
        self.object(thing).is_none_or(|o| {
            let size = size_of(o);
            let mut own = [size.x, size.y, size.z];
            own.sort_by(f64::total_cmp);
            let room = size_of(whole);
            own[1] <= room.x.max(room.y) && own[0] <= room.x.min(room.y)
        })
    }

    /// Puts objects "to" a target: on a plate, in a bowl. "to the cube" is ambiguous.
    pub(super) fn to(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        let Some(one) = target.single() else {
            return self.on(tree, moved, target);
        };
        let whole = self.see(one)?;
        let goes_over = |thing: &Referent| self.goes_over(thing.id(), one);
        if one.zone().is_none() && whole.shape.cavity().is_some() {
            self.put_in(moved, target)
        } else if self.is_flat(whole) || one.zone().is_some() || moved.things.iter().all(goes_over)
        {
            self.on(tree, moved, target)
        } else {
            Err(self.unclear(tree, format!("_: on {one}, or beside it?")))
        }
    }

    /// Returns the two objects of a phrase that must mean two.
    pub(super) fn two(&self, tree: &Tree, meant: &Meant) -> Resolved<[Referent; 2]> {
        <[Referent; 2]>::try_from(meant.things.clone()).map_err(|things| {
            let (n, all) = (things.len(), list(&things));
            let why = format!("_: two objects are needed, but these are {n}: {all}");
            self.impossible(tree, why)
        })
    }

    /// Creates a goal for each object; alternatives, if any `n` of the objects are meant.
    pub(super) fn each<I: Into<Intent>>(
        &self,
        meant: &Meant,
        goal: impl Fn(&Referent) -> Resolved<I>,
    ) -> Steps {
        let ways = meant.things.iter();
        let ways = ways.map(|thing| Ok(vec![Formula::Is(goal(thing)?.into())]));
        Ok(quantified(meant.how, ways.collect::<Resolved<_>>()?))
    }

    /// Creates a goal for each object from a predicate and the other arguments.
    pub(super) fn each_is(&self, meant: &Meant, predicate: &str, others: &[&Referent]) -> Steps {
        self.each(meant, |thing| {
            let of = std::iter::once(thing).chain(others.iter().copied());
            Ok(goal(predicate, of))
        })
    }

    /// Creates a goal for each object and its target. If any one of several targets is meant, any
    /// one of the goals suffices.
    pub(super) fn with_target<I: Into<Intent>>(
        &self,
        tree: &Tree,
        moved: &Meant,
        target: &Meant,
        goal: impl Fn(&Referent, &Referent) -> Resolved<I>,
    ) -> Steps {
        let to = |thing: &Referent, target: &Referent| match thing.id() == target.id() {
            true => Err(ReadingError::itself(thing)),
            false => goal(thing, target).map(|goal| Formula::Is(goal.into())),
        };
        let targets = target.things.as_slice();
        if targets.len() > 1 && target.how != How::Any(1) {
            let question = format!("_: on which of {}?", list(targets));
            return Err(self.unclear(tree, &question));
        }
        let is_target = |thing: &Referent| targets.iter().any(|t| t.id() == thing.id());
        let mut things = moved.things.clone();
        if targets.len() == 1 {
            // "put everything in the tray" does not mean the tray itself.
            let others = those(&things, |thing| !is_target(thing));
            let n_needed = match moved.how {
                How::The => things.len(),
                How::All => 1,
                How::Any(n) => n,
            };
            if others.len() >= n_needed {
                things = others;
            }
        }
        let ways = things.iter().map(|thing| {
            let others = those(targets, |t| targets.len() == 1 || t.id() != thing.id());
            let goals = others.iter().map(|target| to(thing, target));
            goals.collect::<Resolved<Vec<_>>>()
        });
        let ways = ways.collect::<Resolved<_>>()?;
        if targets.len() != 1 && matches!(moved.how, How::Any(2..)) {
            return Err(self.nonsense(tree, "_: it is not clear which of them goes where"));
        }
        Ok(quantified(moved.how, ways))
    }
}

/// Creates the steps for as many objects as are meant. The goals of each are alternatives.
fn quantified(how: How, ways: Vec<Vec<Formula>>) -> Vec<Step> {
    let one_of = |of| Step::Goal(alone_or(of, Formula::Any));
    match how {
        How::Any(n) => vec![Step::Goal(Formula::some(n, ways.concat()))],
        How::The | How::All => ways.into_iter().map(one_of).collect(),
    }
}

pub(crate) fn goal<'t>(predicate: &str, of: impl IntoIterator<Item = &'t Referent>) -> Goal {
    let (predicate, of) = (predicate.to_owned(), of.into_iter());
    let of = of.map(Referent::to_string).collect();
    Fact { predicate, of }.into()
}

/// All ordered selections of `n` items, in the order of the items.
pub(super) fn orders(things: &[Referent], n: usize) -> Vec<Vec<Referent>> {
    if n == 0 {
        return vec![vec![]];
    }
    let with_first = |first: &Referent| {
        let others = orders(&those(things, |thing| thing != first), n - 1);
        let first = [first.clone()];
        let others = others.into_iter();
        others.map(move |others| [&first[..], &others].concat())
    };
    things.iter().flat_map(with_first).collect()
}

fn too_many(things: &[Referent], n: usize) -> bool {
    let choices = (0..n).map(|taken| things.len().saturating_sub(taken));
    choices.fold(1, usize::saturating_mul) > MOST_ORDERS
}
