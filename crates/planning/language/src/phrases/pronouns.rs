//! Pronouns and their antecedents.

use crate::ast::Word;
use crate::reader::{Meaning, Reader};
use crate::referent::{How, Meant, Referent};
use crate::tree::Tree;

impl Reader<'_> {
    pub(super) fn pronoun(&self, tree: &Tree, word: &Word) -> Meaning {
        let last = |fits: &dyn Fn(&Meant) -> bool| {
            let mut earlier = self.context.earlier();
            earlier.find(|m| !m.things.is_empty() && fits(m)).cloned()
        };
        let held = || Some(Meant::one(Referent::Object(self.scene.held?.clone())));
        let found = match word.means.as_str() {
            "self" => {
                let moved = self.context.moved.last().cloned();
                self.context.current.clone().or(moved)
            }
            "it" | "either" if self.context.at_place => {
                return self.it_there(tree, self.context.wants_inside);
            }
            "it" => last(&|m| m.things.len() == 1 || m.how == How::Any(1)).or_else(held),
            // It is ambiguous: the container, or the object in it.
            "either" if self.context.went_into_it => None,
            "either" => last(&|_| true),
            // "the cookies" may be one pack.
            "them" => last(&|m| m.things.len() > 1 || m.how == How::All)
                .or_else(|| self.context.stacked.clone())
                .or_else(|| self.context.moved_two()),
            "both" => last(&|m| m.things.len() == 2).or_else(|| self.context.last_two()),
            _ => None,
        };
        found.ok_or_else(|| self.unclear(tree, "what is _?"))
    }

    /// Resolves "it" as a place: the object that was moved before, its destination, or what was
    /// opened. After "in", only a container can be meant.
    pub(super) fn it_there(&self, tree: &Tree, wants_inside: bool) -> Meaning {
        let current = self.context.current.as_ref();
        let is_free = |t: &Referent| current.is_none_or(|c| !c.things.contains(t));
        let can_be = |t: &Referent| !wants_inside || self.has_inside(t);
        // A pronoun stands for the last moved object that fits, and after that for the last
        // mentioned one: after "put a can in the basket", "next to it" is next to the can.
        for meant in self.context.earlier().filter(|m| Some(*m) != current) {
            let thing = match (meant.single(), &self.context.stacked) {
                (Some(thing), _) => thing,
                (None, Some(stack)) if stack.things == meant.things => {
                    stack.things.last().unwrap_or(&meant.things[0])
                }
                // Which one it is depends on the choice before.
                (None, _) if meant.how == How::Any(1) && meant.things.iter().any(&can_be) => break,
                _ => continue,
            };
            let inner = if wants_inside {
                self.inner_of(thing)
            } else {
                thing.clone()
            };
            if is_free(thing) && can_be(&inner) {
                return Ok(Meant::one(inner));
            }
        }
        Err(self.unclear(tree, "what is _?"))
    }
}
