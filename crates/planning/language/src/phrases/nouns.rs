//! Resolves a noun and its modifiers.

use crate::ast::{Modified, Modifier, NounPhrase, Np};
use crate::phrases::noun::Noun;
use crate::reader::{Meaning, Reader};
use crate::referent::{How, Meant, Referent, Resolved};
use crate::tree::Tree;

impl Reader<'_> {
    /// Resolves "everything on the plate", "something red" or "the rest", of some objects.
    pub(crate) fn everything(
        &mut self,
        tree: &Tree,
        mut things: Vec<Referent>,
        [plural, is_rest]: [bool; 2],
        posts: &[Modified],
    ) -> Meaning {
        let noun = Noun {
            posts,
            plural,
            ..Noun::default()
        };
        if is_rest {
            let known = self.context.all_mentioned();
            things.retain(|thing| !known.contains(thing));
        }
        let (things, why) = self.narrowed(tree, things, &noun)?;
        let meant = Meant {
            things,
            how: if plural { How::All } else { How::Any(1) },
            is_rest: is_rest && posts.is_empty(),
            ..Meant::default()
        };
        let meant = self.nonempty(tree, meant)?;
        self.note(tree, &meant, &why);
        Ok(meant)
    }

    /// Resolves "the leftmost of the front cubes".
    pub(super) fn of_set(&mut self, np: &Np, set: &Np) -> Meaning {
        let tree = &np.tree;
        let meant = self.np(set)?;
        if meant.how == How::The {
            return Err(self.senseless(&set.tree, "_ names only one object"));
        }
        let (things, why) = self.narrowed(tree, meant.things.clone(), &Noun::of(&np.is))?;
        let meant = self.count(tree, meant.with(things).so_many(How::The))?;
        self.note(tree, &meant, &why);
        Ok(meant)
    }

    pub(super) fn noun_in(&mut self, np: &Np) -> Meaning {
        let mut noun = Noun::of(&np.is);
        let owner = match &np.is {
            NounPhrase::Owned { owner, .. } => Some(self.owner(owner)?),
            _ => None,
        };
        noun.words = self.noun_of(np);
        noun.plural = noun.words.last().is_some_and(|w| self.lexicon.is_plural(w));
        if let Some(stack) = self.stack_called(np) {
            self.note(&np.tree, &stack, "the stack that was made before");
            return Ok(stack);
        }
        self.under_head(noun.words.clone(), |own| {
            own.called_so(&np.tree, &noun, owner.as_ref())
        })
    }

    /// Resolves "the blue one" or "the blue", whose noun was mentioned before.
    pub(super) fn one_in(&mut self, np: &Np) -> Meaning {
        let tree = &np.tree;
        let mut noun = Noun::of(&np.is);
        match &np.is {
            // Only "ones" is a plural.
            NounPhrase::One { one, .. } => noun.plural = self.lexicon.is_plural(&one.means),
            _ => self.check_bare(tree, &noun)?,
        }
        let mut first = None;
        let mut shallow = None;
        // "to the upper one" means a shelf rather than a towel.
        let chooses = |q: &Modified| {
            matches!(
                q.is,
                Modifier::AtSide { .. } | Modifier::Most { .. } | Modifier::Nth { .. }
            )
        };
        let is_placed = self.context.current.is_some() && noun.quals.iter().all(chooses);
        let is_color =
            |q: &Modified| matches!(q.is, Modifier::Color { .. } | Modifier::Colors { .. });
        let colored = noun.quals.iter().any(is_color);
        let wants_inside = self.context.wants_inside;
        let can_be = |own: &Self, thing: &Referent| {
            (!wants_inside || own.has_inside(thing))
                && (!is_placed || thing.zone().is_some() || !own.is_small(thing))
        };
        let mut nouns = self.context.nouns_before();
        // "The red one" or "red", before which there is no noun, is any red object. A word that is a
        // noun, too, may mean an object that is not there.
        let is_hue = |q: &Modified| match &q.is {
            Modifier::Color { word } => !self.lexicon.is_noun(&self.phrase(&word.tree)),
            _ => false,
        };
        let is_described = match np.is {
            NounPhrase::One { .. } => !(noun.quals.is_empty() && noun.posts.is_empty()),
            _ => noun.quals.iter().all(is_hue),
        };
        if nouns.is_empty() && is_described {
            nouns.push((vec!["thing".into()], vec![]));
        }
        for (words, colors) in nouns {
            noun.words = words;
            // In "the smaller blue cube … the bigger one", the second is blue, too, if there is
            // such a cube.
            noun.colors = if colored { vec![] } else { colors };
            let alike = self.called_so(tree, &noun, None);
            noun.colors.clear();
            let meant = alike.or_else(|_| self.called_so(tree, &noun, None));
            // An object is not put on itself.
            if let (Ok(meant), Some(moved)) = (&meant, &self.context.current)
                && meant.things == moved.things
            {
                continue;
            }
            match meant {
                Ok(meant) if meant.things.iter().all(|t| can_be(self, t)) => return Ok(meant),
                Ok(meant) => shallow = shallow.or(Some(meant)),
                Err(why) => first = first.or(Some(why)),
            }
        }
        shallow.ok_or_else(|| first.unwrap_or_else(|| self.unclear(tree, "_ of what?")))
    }

    /// Rejects qualities that cannot stand for an object by themselves.
    fn check_bare(&self, tree: &Tree, noun: &Noun<'_>) -> Resolved<()> {
        let is_count = |q: &Modified| matches!(q.is, Modifier::Count { .. });
        let is_side = |q: &Modified| matches!(q.is, Modifier::AtSide { .. });
        let is_not = |q: &Modified| matches!(q.is, Modifier::Such { .. });
        if noun.quals.last().is_some_and(is_count) {
            return Err(self.senseless(tree, "_ of what?"));
        }
        let sides = noun.quals.iter().all(is_side) && noun.posts.is_empty();
        match (sides && noun.det.is_some()) || (noun.quals.iter().any(is_not) && noun.det.is_none())
        {
            true => Err(self.senseless(tree, "_ is not an object")),
            false => Ok(()),
        }
    }

    /// Resolves "the cabinet's", or "its", which means an object that was mentioned before the
    /// moved one.
    pub(super) fn owner(&mut self, np: &Np) -> Resolved<Referent> {
        let is_pronoun = matches!(np.is, NounPhrase::Pronoun { .. });
        let at_place = std::mem::replace(&mut self.context.at_place, is_pronoun);
        let owner = self.one(np);
        self.context.at_place = at_place;
        // "put it in its dish" means the dish of the moved object, if nothing else was mentioned.
        let current = self.context.current.as_ref().and_then(Meant::single);
        match current.filter(|_| is_pronoun) {
            Some(current) => owner.or_else(|_| Ok(current.clone())),
            None => owner,
        }
    }

    fn called_so(&mut self, tree: &Tree, noun: &Noun<'_>, whole: Option<&Referent>) -> Meaning {
        let mut things = self.called(&noun.words)?;
        if let Some(within) = self.context.within.take() {
            things.retain(|t| within.contains(t));
        }
        things.retain(|t| noun.colors.iter().all(|color| self.has_word(t, color)));
        things.retain(|t| whole.is_none_or(|whole| self.belongs(t, whole)));
        let (things, why) = self.narrowed(tree, things, noun)?;
        let mut meant = self.determined(tree, things, noun)?;
        let own = noun.quals.iter().filter_map(|q| match &q.is {
            Modifier::Color { word } => Some(word.means.clone()),
            _ => None,
        });
        meant.colors = own.chain(noun.colors.iter().cloned()).collect();
        self.note(tree, &meant, &why);
        Ok(meant)
    }
}
