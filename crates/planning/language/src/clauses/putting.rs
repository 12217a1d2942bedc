//! Clauses that put, pour, insert or set upright.

use std::rc::Rc;

use regrasp_api::Goal;

use crate::context::Context;
use crate::reader::Reader;
use crate::related::{ground_of, table};
use crate::task::{Step, Steps};
use crate::thing::{How, Meant};
use crate::tree::Tree;

impl Reader<'_> {
    /// "put it there", also with more of the sort, and as a wish.
    pub(super) fn put_somewhere(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let (np, place) = (tree.np(), tree.place());
        let kind = tree.label.as_str();
        // "the one closest" "to the bowl" is not how it is meant.
        let ends_near = || np.to > np.from && !self.ends("nearest", np.to - 1).is_empty();
        if kind == "put" && place.label == "to" && ends_near() {
            return Err(self.nonsense(tree, "closest to what?"));
        }
        let is_said = |part: &Rc<Tree>| part.label.is_empty() && part.to > part.from;
        if kind == "wish" && tree.parts.iter().any(is_said) {
            return Err(self.nonsense(tree, "not clear"));
        }
        let meant = self.moved(np, context)?;
        if kind == "take_put" && !self.agrees(tree, &meant) {
            return Err(self.nonsense(tree, "one thing and several"));
        }
        self.put(&meant, place, context)
    }

    /// Returns true if a pronoun in a clause takes up what is meant: "take the cubes and put them".
    fn agrees(&self, tree: &Tree, meant: &Meant) -> bool {
        let pronoun = tree.part("pronoun");
        let said = pronoun.map_or_else(String::new, |p| self.pronoun_word(p));
        let is_one = meant.things.len() == 1 || meant.how == How::Any(1);
        match said.as_str() {
            "either" => true,
            "it" => is_one,
            _ => !is_one || meant.how == How::All,
        }
    }

    pub(super) fn put_from(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [np, from_np] = self.two_nps(tree)?;
        let from = self.source(np, from_np, context)?;
        let meant = self.taken_from(np, from.single(), context)?;
        self.put(&meant, tree.last(), context)
    }

    pub(super) fn put_where(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        self.moved(tree.np(), context)?;
        Err(self.unclear(tree, "where to, with _?"))
    }

    pub(super) fn put_place_first(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let meant = self.moved(tree.last(), context)?;
        self.put(&meant, &tree.parts[1], context)
    }

    /// On what it stands on, or on the table.
    pub(super) fn put_down(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let meant = self.moved(tree.last(), context)?;
        // "put it on the plate and let go of it" is one thing.
        let single = meant.single();
        let is_down = single.is_some_and(|t| context.expected.contains_key(t.id()));
        if is_down && ["release", "let"].contains(&self.first_word(tree)) {
            return Ok(vec![]);
        }
        self.each(&meant, |thing| {
            let ground = ground_of(self.percept, self.see(thing)?).or_else(|| table(self.percept));
            let ground = ground.ok_or_else(|| self.nonsense(tree, "on what?"))?;
            Ok(Goal::On {
                object: thing.id().clone(),
                target: ground.id.clone(),
            })
        })
    }

    /// "the plate gets the apple", "fill the bowl with the cubes".
    pub(super) fn put_on_first(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [target, np] = self.two_nps(tree)?;
        let target = self.np(target, context)?;
        let meant = self.moved(np, context)?;
        match tree.label.as_str() {
            "gets" => self.to(np, &meant, &target),
            "filled" => self.put_in(&meant, &target),
            _ => self.on(tree, &meant, &target),
        }
    }

    pub(super) fn bridge(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [over, np] = self.two_nps(tree)?;
        let over = self.np(over, context)?;
        let piers = self.two(tree, &over)?;
        let meant = self.moved(np, context)?;
        self.across(&meant, &piers)
    }

    pub(super) fn side_by_side(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = &tree.parts[0];
        let pair = self.moved(np, context)?;
        let [object, target] = self.two(np, &pair)?.map(|thing| thing.id().clone());
        Ok(vec![Step::Do(Goal::Against { object, target }.into())])
    }

    pub(super) fn pour(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [from, into] = self.two_nps(tree)?;
        let meant = self.moved(from, context)?;
        let target = self.one(into, context)?.id().clone();
        self.each_id(&meant, |object| Goal::poured(object, target.clone()))
    }

    pub(super) fn insert(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [np, into] = self.two_nps(tree)?;
        let meant = self.moved(np, context)?;
        let target = self.one(into, context)?;
        let has_port = self.percept.ports.iter().any(|p| &p.object == target.id());
        if !has_port && self.see(&target)?.shape.cavity().is_some() {
            return self.put_in(&meant, &Meant::one(target));
        }
        self.each_id(&meant, |object| Goal::Inserted {
            object,
            target: target.id().clone(),
        })
    }

    pub(super) fn stand_up(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let meant = self.moved(tree.np(), context)?;
        self.each_id(&meant, |object| Goal::Upright { object })
    }
}
