//! Phrases made of others, such as "all cubes but the red one", and pronouns.

use std::rc::Rc;

use crate::ast::{Determiner, Node, NounPhrase, Np, Word};
use crate::reader::{Meaning, Reader};
use crate::referent::{Destination, How, Meant, Referent, join, those};
use crate::tokens::Token;
use crate::tree::Tree;

impl Reader<'_> {
    pub(super) fn both(&mut self, a: &Np, b: &Np) -> Meaning {
        let is_plural = |w: &str| self.lexicon.is_noun(w) && self.lexicon.is_plural(w);
        if a.is.is_bare() && b.is.is_noun_alone() && !self.words(&b.tree).any(is_plural) {
            return Err(self.nonsense(&b.tree, "_ names only one object"));
        }
        // "all red and white socks"
        let is_set = |np: &Np| matches!(np.is, NounPhrase::Everything { rest: None, .. });
        let is_quality = |part: &Tree| matches!(part.name(), "Color" | "Shape" | "Material");
        if is_set(b) || is_set(a) && b.is.is_noun_alone() && a.tree.has(&is_quality) {
            return Err(self.nonsense(&b.tree, "_ cannot be part of a list; name its objects"));
        }
        let is_clear = self.clone().np(a).is_ok();
        let second = self.under_head(self.noun_of(a), |own| own.np(b))?;
        // In "the red and the blue cube", only the last phrase has the noun.
        let first = self.np_of(a, &second.noun)?;
        // "the plate, the white dish" is an apposition; "and" joins two. "One" names something new.
        let is_apposed = self.tokens[..b.tree.from].last() == Some(&Token::Comma);
        let is_same = second.things.iter().all(|t| first.things.contains(t));
        let is_one = b.is.is_without_noun();
        if is_same && (!is_apposed || is_one && is_clear) {
            return Err(self.none(&b.tree, "_: it was already named"));
        }
        // A list ends with "and".
        let is_list = !is_apposed || matches!(b.is, NounPhrase::And { .. });
        self.context.n_idle += usize::from(is_same || !is_list);
        let is_some = |m: &Meant| matches!(m.how, How::Any(n) if n < m.things.len());
        if is_some(&first) || is_some(&second) {
            let question = format!("which of them are _ and `{}`?", self.phrase(&b.tree));
            return Err(self.unclear(&a.tree, question));
        }
        Ok(Meant {
            noun: second.noun,
            is_rest: first.is_rest || second.is_rest,
            ..Meant::all(join(first.things, second.things))
        })
    }

    pub(super) fn either(&mut self, a: &Np, b: &Np) -> Meaning {
        let second = self.under_head(self.noun_of(a), |own| own.np(b))?;
        // In "the red or the blue cube", only the last phrase has the noun.
        let first = self.np_of(a, &second.noun)?;
        let begins = match &b.is {
            NounPhrase::Or { first, .. } => &first.is,
            other => other,
        };
        // "all red or blue cubes" and "that is not red or blue" are descriptions of one set.
        let is_set = a.is.is_bare() || matches!(a.is, NounPhrase::Everything { .. });
        let describes = match is_set && begins.is_noun_alone() {
            true => [first.how, second.how].contains(&How::All),
            false => !a.is.is_bare() && begins.is_bare() && begins.det().is_none(),
        };
        if describes {
            return Err(self.nonsense(&b.tree, "_ names the same objects as the words before"));
        }
        let is_of_all = matches!(a.is.det(), Some(Determiner::All { .. }));
        let is_choice = |m: &Meant| m.things.len() == 1 || m.how == How::Any(1);
        let how = match is_choice(&first) && is_choice(&second) {
            // "all cubes or mugs"
            _ if is_of_all && begins.is_noun_alone() => How::All,
            true => How::Any(1),
            false => {
                let question = format!("_ or `{}`: one of them, or which?", self.phrase(&b.tree));
                return Err(self.unclear(&a.tree, question));
            }
        };
        let things = join(first.things, second.things);
        Ok(Meant {
            things,
            how,
            ..first
        })
    }

    pub(super) fn all_but(&mut self, tree: &Tree, all: &Np, but: &Np) -> Meaning {
        let but = &without_choice(but);
        // The exception may be what distinguishes the objects.
        let meant = self.np_or_all(all, How::The)?;
        // In "the steel bar", "bar" is a part of the name.
        let joint = self.tokens.get(all.tree.to..but.tree.from);
        let mut joint = joint.into_iter().flatten().filter_map(Token::word);
        if meant.how != How::All && joint.any(|word| self.scene.is_seen(word, self.lexicon)) {
            return Err(self.nonsense(tree, "_ is the name of an object, without an exception"));
        }
        let is_all = matches!(all.is, NounPhrase::Everything { .. });
        let is_any = is_all || self.means(&meant.noun, "thing");
        // "every cube but the middle one" excludes the middle one of these.
        let without =
            self.within_or_beyond(meant.things.clone(), |own| own.np_of(but, &meant.noun))?;
        self.left_over(tree, (but, without), meant, is_any)
    }

    /// Resolves "all but the left can", which may mean the other cans.
    pub(super) fn all_others(&mut self, tree: &Tree, but: &Np) -> Meaning {
        let without = self.np(but)?;
        let noun = without.noun.clone();
        let all = match without.how {
            How::Any(_) => without.things.clone(),
            _ => self.called(&noun)?,
        };
        let all = Meant::all(all);
        self.left_over(tree, (but, without), Meant { noun, ..all }, false)
    }

    fn left_over(
        &self,
        tree: &Tree,
        (but, without): (&Np, Meant),
        mut meant: Meant,
        is_any: bool,
    ) -> Meaning {
        let n_before = meant.things.len();
        // "all cans but one"
        if let How::Any(n) = without.how
            && n < those(&without.things, |thing| meant.things.contains(thing)).len()
        {
            if is_any && !without.noun.is_empty() {
                return Err(self.nonsense(tree, "_: which object is excluded?"));
            }
            return self.so_many(tree, meant, (n_before - n, false));
        }
        meant.things.retain(|thing| !without.things.contains(thing));
        // "everything but the table" leaves out what is not moved anyway.
        if meant.things.len() == n_before && !is_any {
            let why = "_: it is not one of the objects, so it cannot be excluded";
            return Err(self.none(&but.tree, why));
        }
        if meant.things.is_empty() {
            return Err(self.none(tree, "_: nothing is left"));
        }
        self.count(tree, meant)
    }

    /// Resolves "the red cube, no, the blue one", and "the blue cube, not the red one".
    pub(super) fn corrected(&mut self, tree: &Tree, wrong: &Np, right: &Np) -> Meaning {
        let first = self.np_or_all(wrong, How::All);
        let noun = match &first {
            Ok(meant) => meant.noun.clone(),
            Err(_) => self.noun_of(wrong),
        };
        let second = self.np_of(right, &noun)?;
        let first = first.ok();
        // "on the shelf, no, the blue book" corrects another phrase.
        let like = |first: &Meant| self.likeness(first, &second);
        let likeness = first.as_ref().map_or(2, like);
        // In "all cubes, not the red one", the red one is an exception.
        let is_contrast = wrong.tree.from > right.tree.from;
        if is_contrast && right.is.is_bare() && right.is.det().is_none() {
            return Err(self.nonsense(tree, "_: this is an exception, not a correction"));
        }
        let is_in = |first: &Meant| first.things.iter().any(|t| second.things.contains(t));
        let is_same = first
            .as_ref()
            .is_some_and(|first| first.things == second.things);
        if likeness == 0 || is_same || is_contrast && first.as_ref().is_none_or(is_in) {
            return Err(self.nonsense(tree, "_: the second cannot replace the first"));
        }
        self.context.n_idle += usize::from(2 - likeness);
        Ok(second)
    }

    /// Resolves "of the two mugs, the left one".
    pub(super) fn among(&mut self, set: &Np, np: &Np) -> Meaning {
        let meant = self.np_or_all(set, How::The)?;
        self.check_side(&np.tree, [np.tree.from.saturating_sub(1), set.tree.from])?;
        let is_one = matches!(meant.how, How::The | How::Any(1));
        if is_one || self.stack_called(set).is_some() {
            return Err(self.nonsense(&set.tree, "_ names only one object"));
        }
        let one = self.within(&meant, |own| own.np(np))?;
        let colors = meant.colors;
        Ok(Meant { colors, ..one })
    }

    pub(super) fn pronoun(&self, tree: &Tree, word: &Word) -> Meaning {
        let last = |fits: &dyn Fn(&Meant) -> bool| {
            let mut earlier = self.context.earlier();
            earlier.find(|m| !m.things.is_empty() && fits(m)).cloned()
        };
        let held = || Some(Meant::one(Referent::Object(self.scene.held?.clone())));
        let context = &self.context;
        let found = match word.means.as_str() {
            "self" => context.current.as_ref().or(context.moved.last()).cloned(),
            "it" | "either" if context.at_place => {
                return self.it_there(tree, context.wants_inside);
            }
            "it" if context.center.is_some() => context.center.clone(),
            "it" if context.has_moved_stack() => context.stacked.clone(),
            // "One of the boxes … that one" is this one of them.
            "that"
                if let Some(Destination::At(_, place)) = &context.place
                    && (place.is_any() || place.is_new) =>
            {
                Some(place.clone())
            }
            "it" | "that" => last(&|m| m.things.len() == 1 || m.how == How::Any(1)).or_else(held),
            // The pronoun is ambiguous: it may mean the container, or the object in it.
            "either" if context.went_into_it => None,
            "either" => last(&|_| true),
            // "the cookies" may be one pack.
            "them" => {
                let many = last(&|m| m.things.len() > 1 || m.how == How::All);
                many.or_else(|| context.stacked.clone().or_else(|| context.moved_two()))
            }
            "both" => {
                let pair = last(&|m| m.things.len() == 2 && !m.is_any());
                pair.or_else(|| context.last_two(|_| true))
            }
            _ => None,
        };
        let found = found.ok_or_else(|| self.unclear(tree, "what is _?"))?;
        // "Put the cube on the box and both on the plate" moves them as a stack.
        let stack = context.stacked.as_ref();
        let stack = stack.filter(|stack| {
            let is_in = |thing| stack.things.contains(thing);
            found.things.len() == stack.things.len() && found.things.iter().all(is_in)
        });
        Ok(Meant {
            is_new: false,
            is_each: false,
            ..stack.cloned().unwrap_or(found)
        })
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
                // Which object is meant depends on an earlier choice.
                (None, _) if meant.how == How::Any(1) && meant.things.iter().any(&can_be) => break,
                _ => continue,
            };
            let whole = match wants_inside {
                true => self.inner_of(thing),
                false => self.outer_of(thing),
            };
            if is_free(thing) && can_be(&whole) && !self.is_shut_in(thing) {
                return Ok(Meant::one(whole));
            }
        }
        Err(self.unclear(tree, "what is _?"))
    }
}

/// Reads "or" as "and": "all but the red or the blue one" excludes both.
fn without_choice(np: &Np) -> Np {
    let NounPhrase::Or { first, second } = &np.is else {
        return np.clone();
    };
    let [first, second] = [first, second].map(without_choice);
    Rc::new(Node {
        tree: np.tree.clone(),
        is: NounPhrase::And { first, second },
    })
}
