//! Conditions on the current scene: "if the bowl is empty".

use crate::ast::{Condition, Modified, Modifier, Node, NounPhrase, Np};
use crate::reader::Reader;
use crate::referent::{Destination, Meant, ReadingError, Referent, Resolved};

impl Reader<'_> {
    /// Returns true if a condition holds in the current scene.
    pub(crate) fn condition(&mut self, condition: &Node<Condition>) -> Resolved<bool> {
        let (holds, not) = match &condition.is {
            Condition::Is { np, not, quality } => (self.is_so_now(np, quality)?, not),
            Condition::Exists { np, not } => (self.exists(np)?, not),
            Condition::Carries { relation, np, not } => {
                (self.carries_any(np, &relation.means)?, not)
            }
        };
        Ok(holds != not.is_some())
    }

    fn is_so_now(&mut self, np: &Np, quality: &Modified) -> Resolved<bool> {
        match &quality.is {
            Modifier::State { word } => self.is_in_state(np, &word.means),
            Modifier::Related {
                relation,
                np: other,
            } => self.is_at(np, &relation.means, other),
            _ => {
                let thing = self.one(np)?;
                self.context.refer_to(&thing);
                self.is_such(&thing, quality)
            }
        }
    }

    fn is_in_state(&mut self, np: &Np, state: &str) -> Resolved<bool> {
        // In "put it into the box if it is empty", "it" must be hollow.
        let is_filled = matches!(state, "empty" | "full");
        let thing = self.one_there(np, [is_filled; 2]);
        if let Err(ReadingError::Nonsense(_)) = thing
            && let Ok(all) = self.np(np)
        {
            let is_so = all.things.iter().all(|t| self.is_state(t, state));
            self.context.moved.push(all);
            return Ok(is_so);
        }
        let thing = thing?;
        self.context.place = Some(Destination::to(thing.clone()));
        self.context.refer_to(&thing);
        Ok(self.is_state(&thing, state))
    }

    /// Returns true if "the cube is on the plate" holds.
    fn is_at(&mut self, np: &Np, relation: &str, other: &Np) -> Resolved<bool> {
        let thing = self.one(np)?;
        let others = self.whole_or(other)?;
        self.context.refer_to(&thing);
        if matches!(relation, "on" | "in") {
            self.context.place = Some(Destination::at(relation, others.clone()));
        }
        let is_there = |other: &Referent| self.is_there(relation, &thing, other);
        Ok(match others.is_any() {
            true => others.things.iter().any(is_there),
            false => others.things.iter().all(is_there),
        })
    }

    fn exists(&mut self, np: &Np) -> Resolved<bool> {
        match self.np(np) {
            Ok(meant) => {
                self.context.moved.push(meant);
                Ok(true)
            }
            Err(ReadingError::None(_) | ReadingError::Unseen { .. }) => Ok(false),
            Err(ReadingError::Several { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Returns true if "there is something on the plate" holds.
    fn carries_any(&mut self, np: &Np, relation: &str) -> Resolved<bool> {
        let other = self.one_there(np, [true, relation == "in"])?;
        let any = self.lying(relation, &other).next().is_some();
        if !matches!(np.is, NounPhrase::Pronoun { .. }) {
            self.context.place = Some(Destination::to(other.clone()));
        }
        self.context.refer_to(&other);
        Ok(any)
    }

    /// Returns the place in the description of an object.
    pub(crate) fn place_in(&self, posts: &[Modified]) -> Option<Meant> {
        let mut others = posts.iter().rev().filter_map(|post| match post.is.plain() {
            Modifier::Related { np, .. } => Some(np),
            _ => None,
        });
        self.clone().np(others.next()?).ok()
    }
}
