//! Sentences that are more than one clause, or say something before it.

use std::rc::Rc;

use regrasp_api::Viewpoint;

use crate::sentences::{Done, TaskBuilder};
use crate::task::{Manner, Step};
use crate::thing::{Meant, Thing, Trouble};
use crate::tree::Tree;

impl TaskBuilder<'_> {
    pub(super) fn sentence(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "said" | "said_so" => self.said(tree),
            "before" | "after" | "after_that" => self.in_order(tree),
            "statement" => self.statement(tree),
            "statement_has" => {
                self.reader.np(&tree.parts[0], &mut self.context)?;
                let meant = self.reader.np(&tree.parts[1], &mut self.context)?;
                self.context.moved.push(meant);
                Ok(())
            }
            "statement_that" => self.statement_that(tree),
            "statement_name" => Err(self.reader.senseless(tree, "_ says nothing to do")),
            "topic" => self.topic(tree),
            "of_these" => self.of_these(tree),
            "but_for_first" => {
                let mut said = tree.unlisted();
                let np = said.next().unwrap_or(tree);
                self.asides(tree.listed())?;
                self.clause(said.next().unwrap_or(tree))?;
                self.but_for(np)
            }
            _ => self.clause(tree),
        }
    }

    /// A clause, and what stands around it.
    fn said(&mut self, tree: &Tree) -> Done {
        for part in &tree.parts {
            match part.label.as_str() {
                "list" => self.asides(&part.parts)?,
                "" | "polite" => {}
                "adverb" | "forbid" if part.to < tree.to && tree.label == "said_so" => {
                    self.aside(part)?;
                }
                _ => self.clause(part)?,
            }
        }
        Ok(())
    }

    /// Two clauses that say in which order things are done.
    fn in_order(&mut self, tree: &Tree) -> Done {
        let clauses = tree.parts.iter().filter(|p| !p.is(&["list", ""]));
        let clauses: Vec<_> = clauses.collect();
        self.asides(tree.listed())?;
        let n = self.steps.len();
        self.clause(clauses[0])?;
        let first: Vec<_> = self.steps.drain(n..).collect();
        self.clause(clauses[1])?;
        match tree.label.as_str() {
            "before" => self.at_last.extend(first),
            "after_that" => self.steps.extend(first),
            _ => drop(self.steps.splice(n..n, first)),
        }
        Ok(())
    }

    /// "See the plate? The cube belongs there."
    fn statement(&mut self, tree: &Rc<Tree>) -> Done {
        let np = tree.np();
        let meant = self.reader.np(np, &mut self.context)?;
        let is_small = meant.single().is_some_and(|t| self.reader.is_small(t));
        if meant.things.len() == 1 {
            self.context.moved.push(meant);
        }
        // "The lemon in the basket? … put it there": where it is.
        let is_where = |t: &Tree| t.is(&["rel", "lies", "that_is"]);
        let posts = np.slots(&is_where);
        let other = posts.last().and_then(|post| post.parts.last());
        let place = other.filter(|_| is_small).unwrap_or(np);
        self.context.place = Some(place.as_place());
        Ok(())
    }

    /// "the cube that is on the plate."
    fn statement_that(&mut self, tree: &Rc<Tree>) -> Done {
        let np = &tree.parts[0];
        let place = tree.parts.last();
        if np.label == "pronoun" && !self.steps.is_empty() {
            return Err(self.reader.senseless(tree, "_ is what should be?"));
        }
        let meant = match self.reader.np(np, &mut self.context) {
            Ok(Meant { things, .. })
            | Err(Trouble::Several {
                candidates: things, ..
            }) => self.those_there(things, place)?,
            Err(trouble) => return Err(trouble),
        };
        let noun = self.reader.noun_of(np);
        self.context.mentioned.pop();
        self.context.moved.push(Meant { noun, ..meant });
        self.context.place = place.cloned();
        Ok(())
    }

    /// Those of some things that are where a statement says that they are.
    fn those_there(
        &mut self,
        mut things: Vec<Thing>,
        place: Option<&Rc<Tree>>,
    ) -> Result<Meant, Trouble> {
        let other = place.filter(|p| p.is(&["in", "on"]));
        let other = other.and_then(|place| place.parts.last());
        if let Some(other) = other.filter(|_| things.len() > 1) {
            let other = self.reader.one(other, &mut self.context)?;
            let is_there = |t: &Thing| self.reader.is_there("off", t, &other);
            if things.iter().any(is_there) {
                things.retain(is_there);
            }
        }
        Ok(match things.len() {
            1 => Meant::default().with(things),
            _ => Meant::all(things),
        })
    }

    /// "the red cube: put it on the plate", also with "it" left out.
    fn topic(&mut self, tree: &Rc<Tree>) -> Done {
        let mut said = tree.unlisted();
        let np = said.next().unwrap_or(tree);
        let clause = said.next().unwrap_or(np);
        let verbs = ["open", "close", "clear", "unload"];
        let is_verb = |class: &&str| !self.reader.ends(class, np.from).is_empty();
        if verbs.iter().any(is_verb) {
            return Err(self.reader.senseless(np, "_ is no thing"));
        }
        let takes_it_up = |t: &Tree| t.is(&["gap", "pronoun", "there"]);
        if clause.slots(&takes_it_up).is_empty() {
            return Err(self.reader.nonsense(np, "what of it?"));
        }
        self.asides(tree.listed())?;
        let meant = self.reader.np(np, &mut self.context)?;
        self.context.moved.push(meant);
        self.context.place = Some(np.as_place());
        self.clause(clause)
    }

    /// "of the two cups, pick up the taller one".
    fn of_these(&mut self, tree: &Rc<Tree>) -> Done {
        let clause = tree.unlisted().nth(1).unwrap_or(tree);
        self.asides(tree.listed())?;
        let np = &tree.parts[0];
        let set = self.reader.np(np, &mut self.context)?;
        if set.things.len() < 2 {
            return Err(self.reader.senseless(np, "_ is one thing"));
        }
        let n = self.steps.len();
        self.context.heads.push(set.noun.clone());
        self.context.within = Some(set.things.clone());
        let done = self.clause(clause);
        self.context.within = None;
        self.context.heads.clear();
        done?;
        let steps = self.steps[n..].iter().flatten();
        let mut commands = steps.flat_map(Step::intents);
        let is_one = |name: &str| set.things.iter().any(|t| t.id().as_str() == name);
        match commands.any(|c| c.object().is_some_and(is_one)) {
            true => Ok(()),
            false => Err(Trouble::Nonsense("none of these is meant".into())),
        }
    }

    pub(super) fn asides<'t>(&mut self, asides: impl IntoIterator<Item = &'t Rc<Tree>>) -> Done {
        let mut asides = asides.into_iter();
        asides.try_for_each(|aside| self.aside(aside))
    }

    fn aside(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "adverb" => {
                self.manner = Some(match self.reader.word(tree).as_str() {
                    "slowly" => Manner::Slowly,
                    "gently" => Manner::Gently,
                    _ => Manner::Quickly,
                });
            }
            "forbid" => self.clause(tree)?,
            "list" => self.asides(tree.parts.as_slice())?,
            "robots_view" => self.reader.viewpoint = &Viewpoint::Robot,
            "my_view" if self.reader.viewpoint.position().is_none() => {
                let question = "_: where are you? (a viewpoint says so)";
                return Err(self.reader.unclear(tree, question));
            }
            _ => {}
        }
        Ok(())
    }
}
