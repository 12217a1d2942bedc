//! What can be looked at now: "if the bowl is empty".

use std::rc::Rc;

use crate::context::Context;
use crate::phrases::unless_none;
use crate::reader::Reader;
use crate::thing::{Meant, Thing, Trouble};
use crate::tree::Tree;

/// Truth of a condition, or why it cannot be told.
type Holds = Result<bool, Trouble>;

impl Reader<'_> {
    /// Tells whether something that can be looked at now is so.
    pub(crate) fn condition(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let label = tree.label.as_str();
        let holds = match label {
            "is_state" => self.is_in_state(tree, context)?,
            "is_state_asked" => {
                let thing = self.taken_up(&tree.parts[1], context)?;
                self.is_state(&thing, &self.word(tree.last()))
            }
            "is_full" | "is_empty" => {
                let whole = self.taken_up(&tree.parts[0], context)?;
                context.place = Some(tree.parts[0].as_place());
                self.is_state(&whole, "full") != (label == "is_empty")
            }
            "is_what" => {
                let thing = self.taken_up(&tree.parts[0], context)?;
                self.is_such(&thing, tree.last(), context)?
            }
            "is_there" => self.is_at(tree, context)?,
            "is_there_too" => {
                let thing = self.one(&tree.parts[0], context)?;
                let other = self.place_before(tree, context)?;
                context.take_up(&thing);
                self.is_there("off", &thing, &other)
            }
            "is_near_robot" | "is_near_me" | "is_far_robot" | "is_far_me" => {
                self.is_nearer(tree, context)?
            }
            "is_more" => {
                let [thing, other] = self.compared(tree, context)?;
                context.take_up(&thing);
                self.is_more(&thing, &other, &self.word_of(tree, "most"))
            }
            "none_there" => self.is_none_there(tree, context)?,
            "counted" => self.is_counted(tree, context)?,
            "exists" | "lacks" => self.exists(tree, context)? != (label == "lacks"),
            "exists_there" => {
                let other = self.place_before(tree, context)?;
                let things = self.any_there(tree.np(), context)?;
                things
                    .iter()
                    .any(|thing| self.is_there("off", thing, &other))
            }
            "lacks_there" | "has_there" => {
                let other = self.place_before(tree, context)?;
                let any = self.lying("off", &other).next().is_some();
                any != (label == "lacks_there")
            }
            "lacks_on" | "has_on" => self.carries_any(tree, context)? != (label == "lacks_on"),
            "contains" => {
                let whole = self.one(&tree.parts[0], context)?;
                let inside = self.np(tree.last(), context)?;
                let mut inside = inside.things.iter();
                inside.any(|thing| self.is_there("off", thing, &whole))
            }
            _ => return Err(self.senseless(tree, "whether _ cannot be told")),
        };
        Ok(holds != tree.has("not"))
    }

    /// The one thing that a phrase means, which is what was spoken of last from now on.
    fn taken_up(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let thing = self.one(tree, context)?;
        context.take_up(&thing);
        Ok(thing)
    }

    /// The thing where "there" is.
    fn place_before(&self, tree: &Tree, context: &mut Context) -> Result<Thing, Trouble> {
        let lost = || self.unclear(tree, "where is _?");
        let place = context.place.clone().ok_or_else(lost)?;
        self.one(place.parts.last().ok_or_else(lost)?, context)
    }

    /// Both things that are compared: "the red cube … the blue one".
    fn compared(&self, tree: &Tree, context: &mut Context) -> Result<[Thing; 2], Trouble> {
        let nps: Vec<_> = tree.nps().collect();
        let thing = self.one(nps[0], context)?;
        let other = self.one_after(nps[1], self.noun_of(nps[0]), context)?;
        Ok([thing, other])
    }

    fn is_in_state(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let np = &tree.parts[0];
        let word = self.word(tree.last());
        // "put it into the box if it is empty": what is hollow is empty.
        let is_filled = matches!(word.as_str(), "empty" | "full");
        let thing = self.one_there(np, [is_filled; 2], context);
        if let Err(Trouble::Nonsense(_)) = thing
            && let Ok(all) = self.np(np, context)
        {
            let is_so = all.things.iter().all(|t| self.is_state(t, &word));
            context.moved.push(all);
            return Ok(is_so);
        }
        let thing = thing?;
        context.place = Some(np.as_place());
        context.take_up(&thing);
        Ok(self.is_state(&thing, &word))
    }

    /// "the cube is on the plate".
    fn is_at(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let thing = self.one(&tree.parts[0], context)?;
        let n = tree.parts.len();
        let relation = self.relation(&tree.parts[n - 2]);
        let last = tree.parts.iter().rposition(|p| p.is_np()).unwrap_or(n - 1);
        let others = self.whole_or(&tree.parts[last], context)?;
        context.take_up(&thing);
        if matches!(relation.as_str(), "on" | "in") {
            let parts = tree.parts[last - 1..=last].to_vec();
            context.place = Some(tree.with(&relation, parts));
        }
        let is_there = |other: &Thing| self.is_there(&relation, &thing, other);
        Ok(match others.is_any() {
            true => others.things.iter().any(is_there),
            false => others.things.iter().all(is_there),
        })
    }

    /// "the cube is nearer to you than the ball".
    fn is_nearer(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let [thing, other] = self.compared(tree, context)?;
        let from = match tree.label.ends_with("_me") {
            true => self.viewpoint.position(),
            false => Some(self.base),
        };
        let from = from.ok_or_else(|| self.unclear(tree, "_: where are you?"))?;
        let distance = |t: &Thing| self.object(t).map(|o| (o.position().xy() - from).norm());
        let (a, b) = (distance(&thing), distance(&other));
        context.take_up(&thing);
        Ok(match tree.label.starts_with("is_near") {
            true => a < b,
            false => a > b,
        })
    }

    /// "there is no cube on the plate".
    fn is_none_there(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let relation = self.relation(&tree.parts[tree.parts.len() - 2]);
        let np = tree.np();
        let others = self.whole_or(tree.last(), context)?;
        let things = self.any_there(np, context)?;
        let is_there = |thing: &Thing| {
            let mut others = others.things.iter();
            others.any(|other| self.is_there(&relation, thing, other))
        };
        let any = things.iter().any(is_there);
        context.mentioned.push(Meant {
            noun: self.noun_of(np),
            ..others.with(vec![])
        });
        Ok(!any)
    }

    /// "there are more than two cubes".
    fn is_counted(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let meant = unless_none(self.np(tree.np(), context))?;
        let there = meant.as_ref().map_or(0, |m| m.things.len()) as f64;
        let n = self.number(&tree.parts[1]).unwrap_or(0.0);
        context.moved.extend(meant);
        Ok(match self.word(&tree.parts[0]).as_str() {
            "more" => there > n,
            "at_least" => there >= n,
            "fewer" => there < n,
            "at_most" => there <= n,
            _ => there == n,
        })
    }

    fn exists(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        match unless_none(self.np(tree.np(), context)) {
            Ok(meant) => {
                let any = meant.is_some();
                context.moved.extend(meant);
                Ok(any)
            }
            Err(Trouble::Several { .. }) => Ok(true),
            Err(trouble) => Err(trouble),
        }
    }

    /// "there is something on the plate".
    fn carries_any(&self, tree: &Rc<Tree>, context: &mut Context) -> Holds {
        let relation = self.relation(&tree.parts[tree.parts.len() - 2]);
        let np = tree.last();
        let other = self.one_there(np, [true, relation == "in"], context)?;
        let any = self.lying(&relation, &other).next().is_some();
        if np.label != "pronoun" {
            context.place = Some(np.as_place());
        }
        context.take_up(&other);
        Ok(any)
    }
}
