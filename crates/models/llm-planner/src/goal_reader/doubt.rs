//! Doubt about a goal that a model derived from a text, and what two such goals agree on.

use std::collections::BTreeSet;

use regrasp_api::{Fact, Goal, PerceivedObject, PlanRequest};
use regrasp_language::{ParseContext, speaks_of_sides, understand};

use super::facts::{agreed, facts};
use super::words::{Text, Words, singular, wholes, wholes_of};
use crate::Names;

/// Returns a question if the goal cannot hold as a whole, if the text has no word for an object of
/// the goal, if its words fit another object as well or better, or if it names an object or a side
/// that the goal leaves out. Supports and neighbours also identify an object, unless they are in
/// the goal.
pub(super) fn doubt(request: &PlanRequest<'_>, goal: &str, names: &Names) -> Option<String> {
    let text = Text::new(request, names, goal);
    let ids = ids(goal);
    let objects = request.percept.objects.iter();
    let (of, others): (Vec<_>, Vec<_>) = objects.partition(|o| ids.contains(&o.id.as_str()));
    if let Some(doubted) = cannot_end_so(goal, request) {
        return Some(format!("is `{goal}` meant? {doubted}"));
    }
    if let Some(side) = text.unused_side() {
        return Some(format!("is `{goal}` meant? The command says `{side}`"));
    }
    let mut each = of.iter();
    let doubted = each.find_map(|object| text.doubt_about(object, &of, &others));
    doubted.or_else(|| {
        let told = of
            .iter()
            .flat_map(|object| [text.own(object), text.around(object)]);
        let told: Words = told.flatten().collect();
        let is_left_out = |other: &&&PerceivedObject| {
            // A word for a side, as in "the right one", names no object.
            let words = text.fitting(other).into_iter();
            words
                .filter(|word| !speaks_of_sides(word))
                .any(|word| !told.contains(&word))
        };
        let left_out = others.iter().find(is_left_out)?;
        Some(format!(
            "is `{goal}` all of it? The command names {}, too",
            left_out.id
        ))
    })
}

/// Returns the goal on which two readings agree: all of it if they are equal; else the facts of
/// both, if there is no doubt about these; else, if only objects differ, the reading without doubt.
pub(super) fn agreement(
    request: &PlanRequest<'_>,
    goal: &str,
    other: &str,
    names: &Names,
) -> Option<String> {
    let sorted = |goal| facts(goal).map(str::to_owned).collect::<BTreeSet<_>>();
    if sorted(goal) == sorted(other) {
        return Some(goal.to_owned());
    }
    let undoubted = |goal: &String| doubt(request, goal, names).is_none();
    let agreed = agreed(goal, other, request).filter(undoubted);
    agreed.or_else(|| {
        let predicates = |goal| facts(goal).filter_map(|fact| Some(fact.split_once('(')?.0));
        let differ_in_objects = predicates(goal).eq(predicates(other));
        let [goal, other] = [goal, other].map(|goal| Some(goal.to_owned()).filter(undoubted));
        goal.xor(other).filter(|_| differ_in_objects)
    })
}

/// Returns true if the text has words for each object of a step, and names no other object by all
/// of these words and more.
pub(super) fn is_founded(request: &PlanRequest<'_>, step: &str, names: &Names) -> bool {
    let text = Text::new(request, names, step);
    let (ids, objects) = (ids(step), &request.percept.objects);
    let mut of = objects.iter().filter(|o| ids.contains(&o.id.as_str()));
    of.all(|object| {
        let own = text.own(object);
        let is_better = |other: &PerceivedObject| {
            let fitting = text.fitting(other);
            fitting.len() > own.len() && fitting.is_superset(&own) && !text.are_one(object, other)
        };
        !own.is_empty() && !objects.iter().any(is_better)
    })
}

/// Returns the words of a goal, among which are the ids of its objects.
fn ids(goal: &str) -> Vec<&str> {
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
    goal.split(is_between).collect()
}

/// Returns the reason why the objects of a goal cannot all end where its steps bring them; `None`
/// if they can. That a later step undoes an earlier one is more likely a mistake than intended,
/// except for drawers and doors.
fn cannot_end_so(goal: &str, request: &PlanRequest<'_>) -> Option<String> {
    let moves = |fact: &Fact| {
        let goal = Goal::from(fact.clone());
        goal.constrains_pose() || matches!(goal, Goal::Poured { .. })
    };
    let moved = facts(goal).filter_map(|fact| fact.parse().ok());
    let moved: Vec<Fact> = moved.filter(moves).collect();
    let pairs = moved.iter().enumerate();
    let mut pairs = pairs.flat_map(|(i, fact)| moved[..i].iter().map(move |other| (other, fact)));
    let clash = pairs.find_map(|(a, b)| {
        let [(first, by), (second, to)] = [a.of.split_first()?, b.of.split_first()?];
        if first == second {
            return Some(format!("It brings {first} to two places"));
        }
        let is_mutual = by.contains(second) && to.contains(first);
        is_mutual.then(|| format!("It puts both {first} and {second} relative to each other"))
    });
    clash.or_else(|| {
        let together: Vec<_> = moved.iter().map(ToString::to_string).collect();
        let together = format!("goal: {}", together.join(" and "));
        let fails = moved.len() > 1 && understand(&together, &ParseContext::from(request)).is_err();
        fails.then(|| "Not all of it can hold at the end".to_owned())
    })
}

impl Text<'_> {
    /// Returns a word of the text for a side, such as "left", if no fact and no name in the goal is
    /// about a side.
    fn unused_side(&self) -> Option<&String> {
        const SIDED: [&str; 5] = ["left_of", "right_of", "in_front_of", "behind", "at"];
        let is_sided = |fact: &str| {
            let predicate = fact.split_once('(').map(|(predicate, _)| predicate);
            predicate.is_some_and(|predicate| SIDED.contains(&predicate))
        };
        let names = self.goal.split(|c: char| !c.is_alphanumeric());
        let names: Vec<&str> = names.collect();
        let mut sides = self.words().filter(|word| speaks_of_sides(word));
        let unused = sides.find(|word| !names.contains(&word.as_str()));
        unused.filter(|_| !facts(self.goal).any(is_sided))
    }

    fn doubt_about(
        &self,
        object: &PerceivedObject,
        of: &[&PerceivedObject],
        others: &[&PerceivedObject],
    ) -> Option<String> {
        let own = self.own(object);
        if own.is_empty() {
            let (goal, id) = (self.goal, &object.id);
            return Some(format!(
                "is `{goal}` meant? No word of the command means {id}"
            ));
        }
        // Words for another object of the goal do not identify this one.
        let of_goal = of.iter().filter(|thing| thing.id != object.id);
        // Small models add objects. In a goal of several facts, each object therefore needs a word
        // that does not also stand for another, or a plural.
        let is_one = |word: &String| singular(word) == word;
        if facts(self.goal).count() > 1 && own.iter().all(is_one) {
            let has_all = |thing: &&&PerceivedObject| {
                self.own(thing).is_superset(&own) && !self.are_one(object, thing)
            };
            if let Some(twin) = of_goal.clone().find(has_all) {
                return Some(format!("is {} meant, or {}?", object.id, twin.id));
            }
        }
        let spoken_for: Words = of_goal.flat_map(|thing| self.own(thing)).collect();
        // Neighbours distinguish an object from similar ones, unless they belong to the goal.
        let told = |words: Words, object: &PerceivedObject| -> Words {
            let is_free = |word: &String| !spoken_for.contains(word);
            let around = self
                .around(object)
                .into_iter()
                .filter(|word| !own.contains(word));
            let words = words
                .into_iter()
                .filter(|word| own.contains(word) || is_free(word));
            words.chain(around.filter(is_free)).collect()
        };
        let mine = told(own.clone(), object);
        let fits = |other: &&&PerceivedObject| {
            let fitting = self.fitting(other);
            let is_like = !fitting.is_disjoint(&own) && !self.are_one(object, other);
            is_like && told(fitting, other).is_superset(&mine)
        };
        let rivals = others.iter().filter(fits);
        let rather = rivals.rev().max_by_key(|other| self.fitting(other).len())?;
        Some(format!("is {} meant, or {}?", object.id, rather.id))
    }

    /// Returns true if the other object is a part of this one, or is the whole of this one and the
    /// goal opens or closes this one.
    fn are_one(&self, object: &PerceivedObject, other: &PerceivedObject) -> bool {
        let wholes = wholes(object, self.goal, self.request);
        wholes.iter().any(|whole| whole.id == other.id)
            || wholes_of(other, self.request).contains(&&object.id)
    }
}
