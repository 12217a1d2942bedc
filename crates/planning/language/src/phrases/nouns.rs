//! From a noun and what stands beside it to the things that are called so.

use std::rc::Rc;

use crate::context::Context;
use crate::phrases::noun::Noun;
use crate::reader::{Meaning, Reader};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tree::Tree;

impl Reader<'_> {
    pub(super) fn everything(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let is_rest = tree.label == "rest" || tree.has("else");
        let quals = tree.unlisted().filter(|part| !part.is(&["else", ""]));
        let noun = Noun {
            quals: quals.collect(),
            posts: tree.listed().collect(),
            plural: tree.label != "something",
            ..Noun::default()
        };
        let mut things: Vec<Thing> = self.loose().map(Thing::of).collect();
        if is_rest {
            let known = context.all_mentioned();
            things.retain(|thing| !known.contains(thing));
        }
        let said_more = !(noun.quals.is_empty() && noun.posts.is_empty());
        let (things, why) = self.narrowed(tree, things, &noun, context)?;
        let meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::Any(1) },
            is_rest: is_rest && !said_more,
            ..Meant::default()
        };
        let meant = self.nonempty(tree, meant)?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// "the leftmost of the front cubes".
    pub(super) fn of_set(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let [det, qual, quals] = [0, 1, 2].map(|i| &tree.parts[i]);
        let set = tree.last();
        let meant = self.np(set, context)?;
        if meant.how == How::The {
            return Err(self.senseless(set, "_ is one thing"));
        }
        let noun = Noun {
            det: Some(&**det).filter(|d| !d.label.is_empty()),
            quals: std::iter::once(qual).chain(&quals.parts).collect(),
            ..Noun::default()
        };
        let (things, why) = self.narrowed(tree, meant.things.clone(), &noun, context)?;
        let meant = self.count(tree, meant.with(things).so_many(How::The))?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// A noun phrase, of what belongs to something if that is known.
    pub(super) fn noun_in(
        &self,
        tree: &Rc<Tree>,
        whole: Option<Thing>,
        context: &mut Context,
    ) -> Meaning {
        let mut noun = Noun::of(tree);
        if tree.label == "bare" {
            self.check_bare(tree, &noun)?;
        }
        let owner = noun.owner.map(|owner| self.owner(owner, context));
        let whole = whole.or(owner.transpose()?);
        if tree.is(&["one", "bare"]) {
            return self.one_of_sort(tree, noun, whole.as_ref(), context);
        }
        noun.words = noun.name.map_or_else(Vec::new, |name| self.name(name));
        noun.plural = noun.words.last().is_some_and(|w| self.lexicon.is_plural(w));
        context.heads.push(noun.words.clone());
        let meant = self.called_so(tree, &noun, whole.as_ref(), context);
        context.heads.pop();
        meant
    }

    /// Refuses qualities that stand for no thing by themselves.
    fn check_bare(&self, tree: &Tree, noun: &Noun<'_>) -> Result<(), Trouble> {
        if noun.quals.last().is_some_and(|q| q.label == "count_qual") {
            return Err(self.senseless(tree, "_ of what?"));
        }
        let is_side = noun.quals.iter().all(|q| q.label == "side") && noun.posts.is_empty();
        let is_non = noun.quals.iter().any(|q| q.label == "non");
        match (is_side && noun.has_det(true)) || (is_non && noun.has_det(false)) {
            true => Err(self.senseless(tree, "_ is no thing")),
            false => Ok(()),
        }
    }

    /// "the blue one": of what was spoken of before.
    fn one_of_sort(
        &self,
        tree: &Rc<Tree>,
        mut noun: Noun<'_>,
        whole: Option<&Thing>,
        context: &mut Context,
    ) -> Meaning {
        // "ones" are meant, not "one".
        noun.plural = self.words(tree).any(|word| word == "ones");
        let mut first = None;
        let mut shallow = None;
        // "to the upper one" is rather a shelf than a towel.
        let chooses = |q: &Rc<Tree>| q.is(&["side", "most", "nth"]);
        let is_placed = context.current.is_some() && noun.quals.iter().all(|q| chooses(q));
        let colored = noun.quals.iter().any(|q| q.label.starts_with("color"));
        for (words, colors) in context.nouns_before() {
            noun.words = words;
            // "the smaller blue cube … the bigger one" is another blue cube, if there is one.
            noun.colors = if colored { vec![] } else { colors };
            let alike = self.called_so(tree, &noun, whole, context);
            noun.colors.clear();
            let meant = alike.or_else(|_| self.called_so(tree, &noun, whole, context));
            // What something is put on is not that itself.
            let moved = context.current.as_ref().filter(|_| whole.is_none());
            if let (Ok(meant), Some(moved)) = (&meant, moved)
                && meant.things == moved.things
            {
                continue;
            }
            match meant {
                Ok(meant)
                    if (!context.wants_inside || self.has_inside(&meant))
                        && (!is_placed || self.carries(&meant)) =>
                {
                    return Ok(meant);
                }
                Ok(meant) => shallow = shallow.or(Some(meant)),
                Err(why) => first = first.or(Some(why)),
            }
        }
        shallow.ok_or_else(|| first.unwrap_or_else(|| self.unclear(tree, "_ of what?")))
    }

    /// "the cabinet's", or "its" of what was named before what is moved.
    pub(super) fn owner(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let at_place = context.at_place;
        context.at_place = tree.label == "pronoun";
        let owner = self.one(tree, context);
        context.at_place = at_place;
        // "put it in its dish": of what is moved, if nothing else was named.
        let current = context.current.as_ref().and_then(Meant::single);
        match current.filter(|_| tree.label == "pronoun") {
            Some(current) => owner.or_else(|_| Ok(current.clone())),
            None => owner,
        }
    }

    /// The meaning of a noun phrase whose words are known.
    fn called_so(
        &self,
        tree: &Rc<Tree>,
        noun: &Noun<'_>,
        whole: Option<&Thing>,
        context: &mut Context,
    ) -> Meaning {
        let mut things = self.called(tree, &noun.words)?;
        if let Some(within) = context.within.take() {
            things.retain(|t| within.contains(t));
        }
        things.retain(|t| noun.colors.iter().all(|color| self.has_word(t, color)));
        things.retain(|t| whole.is_none_or(|whole| self.belongs(t, whole)));
        let (things, why) = self.narrowed(tree, things, noun, context)?;
        let mut meant = self.determined(tree, things, noun, context)?;
        let said = noun.quals.iter().filter(|q| q.label == "color");
        let said = said.map(|q| self.word(q));
        meant.colors = said.chain(noun.colors.iter().cloned()).collect();
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }
}
