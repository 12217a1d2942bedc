//! From noun phrases to the things that they mean.

mod counting;
mod layers;
mod names;
mod narrowing;
mod noun;
mod nouns;
mod parts;
mod pronouns;
mod sets;

use std::rc::Rc;

use crate::context::Context;
use crate::reader::{Meaning, Reader};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tree::Tree;

impl Reader<'_> {
    /// The meaning of a noun phrase.
    pub(crate) fn np(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let mut fixed = context.fixed.iter().rev();
        if let Some((_, meant)) = fixed.find(|(t, _)| Rc::ptr_eq(t, tree)) {
            return Ok(meant.clone());
        }
        match self.patience.get().checked_sub(1) {
            Some(left) => self.patience.set(left),
            None => return Err(Trouble::Nonsense("it is too involved".into())),
        }
        let phrase = self.phrase(tree);
        let answer = context.answered.iter().find(|(asked, _)| *asked == phrase);
        let meant = match answer {
            Some((_, thing)) => Meant::one(thing.clone()),
            None => self.np_quietly(tree, context)?,
        };
        if tree.label != "pronoun" {
            context.mentioned.push(meant.clone());
        }
        Ok(meant)
    }

    /// The same, without taking it for mentioned.
    pub(crate) fn np_quietly(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let mut first = |how: How| Ok(self.np(&tree.parts[0], context)?.so_many(how));
        match tree.label.as_str() {
            "all_of" => first(How::All),
            "one_of" => first(How::Any(1)),
            "both_of" => self.exactly(tree, self.np(&tree.parts[0], context)?, 2),
            "some_of" => Err(self.unclear(tree, "how many are _?")),
            "and" => self.both(&tree.parts[0], &tree.parts[1], context),
            "or" => self.either(tree, context),
            "except" => self.all_but(tree, context),
            "pronoun" | "gap" => self.pronoun(tree, context),
            "apposed" => self.apposed(tree, context),
            "from_set" => self.one_of_these(tree, context),
            "noun" | "one" | "owned" | "bare" => self.noun_in(tree, None, context),
            "everything" | "everything_that" | "something" | "rest" => {
                self.everything(tree, context)
            }
            "corrected" => self.corrected(tree, context),
            "other_one" => self.other_one(tree, context),
            "count_of" => self.count_of(tree, context),
            "half_of" => self.half_of(tree, context),
            "rest_of" => self.rest_of(tree, context),
            "of_set" => self.of_set(tree, context),
            "contents" => self.contents(tree, "in", context),
            "things_on" => self.contents(tree, "on", context),
            "part" | "part_of" | "part_alone" | "part_near_robot" | "part_near_me" => {
                self.part_in(tree, None, context)
            }
            _ => Err(self.senseless(tree, "_ is no thing")),
        }
    }

    /// The meaning of a phrase that means one thing.
    pub(crate) fn one(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let meant = self.np(tree, context)?;
        match (meant.single(), meant.how) {
            (Some(one), _) => Ok(one.clone()),
            (None, How::Any(1)) => Err(self.several(tree, &meant.things)),
            _ => Err(self.senseless(tree, "_ are several, where one thing is expected")),
        }
    }

    /// The same for a phrase about things whose words are known: "the red cube … the blue one".
    pub(crate) fn one_after(
        &self,
        tree: &Rc<Tree>,
        noun: Vec<String>,
        context: &mut Context,
    ) -> Result<Thing, Trouble> {
        context.heads.push(noun);
        let one = self.one(tree, context);
        context.heads.pop();
        one
    }

    /// The meaning of a phrase that tells where something is, if `wants_inside` in what is hollow.
    pub(crate) fn one_there(
        &self,
        tree: &Rc<Tree>,
        [at_place, wants_inside]: [bool; 2],
        context: &mut Context,
    ) -> Result<Thing, Trouble> {
        (context.at_place, context.wants_inside) = (at_place, wants_inside);
        let one = self.one(tree, context);
        (context.at_place, context.wants_inside) = (false, false);
        one
    }

    /// The meaning of a phrase; every candidate, if it does not say which.
    pub(crate) fn np_or_all(&self, tree: &Rc<Tree>, how: How, context: &mut Context) -> Meaning {
        match self.np(tree, context) {
            Err(Trouble::Several { candidates, .. }) => Ok(Meant {
                how,
                noun: self.noun_of(tree),
                ..Meant::all(candidates)
            }),
            meant => meant,
        }
    }

    /// All that a phrase may mean, which may be nothing.
    pub(crate) fn any_there(
        &self,
        tree: &Rc<Tree>,
        context: &mut Context,
    ) -> Result<Vec<Thing>, Trouble> {
        let meant = unless_none(self.np_or_all(tree, How::All, context))?;
        Ok(meant.map_or_else(Vec::new, |meant| meant.things))
    }

    /// The meaning of a phrase, where a whole is meant rather than its parts: "on the shelf" is
    /// anywhere on it.
    pub(crate) fn whole_or(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let meant = self.np(tree, context);
        meant.or_else(|trouble| trouble.settled(|thing| thing.zone().is_none()))
    }

    /// A phrase whose noun may be left out, because another one said it.
    pub(crate) fn np_of(&self, tree: &Rc<Tree>, noun: &[String], context: &mut Context) -> Meaning {
        if !tree.is(&["bare", "one"]) || noun.is_empty() {
            return self.np(tree, context);
        }
        let mut own = context.clone();
        own.mentioned.push(Meant::called(noun.to_vec()));
        let meant = self.noun_in(tree, None, &mut own)?;
        context.mentioned.push(meant.clone());
        context.said = own.said;
        Ok(meant)
    }
}

/// The meaning of a phrase, unless nothing is as it says.
pub(crate) fn unless_none(meaning: Meaning) -> Result<Option<Meant>, Trouble> {
    match meaning {
        Ok(meant) => Ok(Some(meant)),
        Err(Trouble::None { .. } | Trouble::Unseen { .. }) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}
