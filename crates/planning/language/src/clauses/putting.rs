//! Clauses that put, insert, or put down.

use std::rc::Rc;

use crate::ast::{Location, LocationNode, NounPhrase, Np};
use crate::clauses::each::goal;
use crate::reader::Reader;
use crate::referent::{How, Meant, ReadingError, Referent};
use crate::related::ground_of;
use crate::task::Steps;
use crate::tree::Tree;

impl Reader<'_> {
    /// Reads "put it there", or "the apple on the plate" without a verb.
    pub(super) fn put_somewhere(&mut self, np: &Np, place: &LocationNode, has_verb: bool) -> Steps {
        // Rejects "put the one closest" with the place "to the bowl".
        let last = np.tree.to.saturating_sub(1);
        let near = self.lexicon.ends("nearest", self.tokens, last);
        if place.is.relation() == "to" && near.contains(&np.tree.to) {
            return Err(self.nonsense(&np.tree, "closest to what?"));
        }
        let is_bare = matches!(np.is, NounPhrase::Bare { .. } | NounPhrase::Part { .. });
        if !has_verb && is_bare && matches!(place.is, Location::There) {
            return Err(self.senseless(&np.tree, "_ is not an object"));
        }
        match (self.clone().moved(np), &np.is) {
            // "one of the cans and one of the boxes" cannot be one set.
            (Err(ReadingError::Unclear(_)), NounPhrase::And { first, second }) => {
                let first = self.put_somewhere(first, place, has_verb)?;
                Ok([first, self.put_somewhere(second, place, has_verb)?].concat())
            }
            _ => {
                let meant = self.moved(np)?;
                self.put(&meant, place)
            }
        }
    }

    /// Reads "take the cubes and put them there". The pronoun must agree in number.
    pub(super) fn take_put(
        &mut self,
        tree: &Rc<Tree>,
        [np, pronoun]: [&Np; 2],
        place: &LocationNode,
    ) -> Steps {
        let meant = self.moved(np)?;
        let is_one = meant.things.len() == 1 || meant.how == How::Any(1);
        let agrees = match &pronoun.is {
            NounPhrase::Pronoun { word } if word.means == "either" => true,
            NounPhrase::Pronoun { word } if word.means == "it" => is_one,
            _ => !is_one || meant.how == How::All,
        };
        match agrees {
            true => self.put(&meant, place),
            false => Err(self.nonsense(
                tree,
                "it is not clear whether one object is meant or several",
            )),
        }
    }

    /// Puts objects down where they are expected to be: on their support, below the place where they
    /// are held, or on the table.
    pub(super) fn put_down(&mut self, np: &Np) -> Steps {
        let meant = self.moved(np)?;
        self.down(np, &meant)
    }

    fn down(&self, np: &Np, meant: &Meant) -> Steps {
        let expected = meant
            .single()
            .and_then(|t| self.context.carried_by.get(t.id()));
        if let Some(target) = expected {
            return self.to(
                &np.tree,
                meant,
                &Meant::one(Referent::Object(target.clone())),
            );
        }
        self.each(meant, |thing| {
            let ground = ground_of(self.scene.percept, self.see(thing)?)
                .or_else(|| self.scene.percept.table());
            let ground = ground.ok_or_else(|| self.nonsense(&np.tree, "on what?"))?;
            Ok(goal("on", [thing, &Referent::of(ground)]))
        })
    }

    /// Puts an object down, unless it was put down before: "put it on the plate and let go of it".
    pub(super) fn let_go(&mut self, np: &Np) -> Steps {
        let meant = self.moved(np)?;
        let is_down = |id| self.context.expected.contains_key(id);
        match meant.single().is_some_and(|t| is_down(t.id())) {
            true => Ok(vec![]),
            false => self.down(np, &meant),
        }
    }

    pub(super) fn insert(&mut self, np: &Np, into: &Np) -> Steps {
        let meant = self.moved(np)?;
        let target = self.one(into)?;
        let mut ports = self.scene.percept.ports.iter();
        let has_port = ports.any(|p| &p.object == target.id());
        if !has_port && self.is_hollow(&target) {
            return self.put_in(&meant, &Meant::one(target));
        }
        self.each_is(&meant, "inserted", &[&target])
    }
}
