//! From a noun and what stands beside it to the things that are called so.

use regrasp_relations::{members_in, not_within};
use std::rc::Rc;

use regrasp_api::{ObjectId, Zone};

use crate::choose::{Chooser, choose};
use crate::context::{Context, all_mentioned, nouns_before, used};
use crate::parse::Tree;
use crate::refer::{Meaning, Reader, list};
use crate::related::named_zones;
use crate::thing::{How, Meant, Thing, Trouble};
use crate::words::{Fit, Names};

/// What a noun phrase says, apart from its noun.
#[derive(Default)]
pub(crate) struct Noun<'t> {
    pub(crate) det: Option<&'t Tree>,
    pub(crate) quals: Vec<&'t Tree>,
    pub(crate) posts: Vec<&'t Tree>,
    pub(crate) words: Vec<String>,
    /// Colours that it has because what it takes up has them.
    pub(crate) colors: Vec<String>,
    pub(crate) plural: bool,
}

/// Whether a node is a quality, not something behind the noun.
pub(crate) fn is_qual(tree: &Tree) -> bool {
    const QUALS: [&str; 17] = [
        "shape",
        "color",
        "colors",
        "material",
        "most",
        "very",
        "some_most",
        "side",
        "side_most",
        "nth",
        "nth_most",
        "state",
        "count_qual",
        "size",
        "non",
        "color_after",
        "count",
    ];
    QUALS.contains(&tree.label.as_str())
}

impl<'a> Reader<'a> {
    pub(crate) fn everything(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let is_rest = tree.label == "rest" || tree.parts.iter().any(|p| p.label == "else");
        let mut noun = Noun::default();
        for part in &tree.parts {
            match part.label.as_str() {
                "list" => noun.posts.extend(part.parts.iter().map(|p| &**p)),
                "else" | "" => {}
                _ => noun.quals.push(part),
            }
        }
        let mut things: Vec<Thing> = self
            .loose()
            .into_iter()
            .map(|o| Thing::Object(o.id.clone()))
            .collect();
        if is_rest {
            let known = all_mentioned(context);
            things.retain(|thing| !known.contains(thing));
        }
        noun.plural = tree.label != "something";
        let said_more = !(noun.quals.is_empty() && noun.posts.is_empty());
        let (things, why) = self.narrowed(tree, things, &noun, context)?;
        let how = if noun.plural { How::All } else { How::Any(1) };
        let meant = Meant {
            things,
            how,
            noun: vec![],
            colors: vec![],
            is_rest: is_rest && !said_more,
        };
        let meant = self.nonempty(tree, meant)?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// "the leftmost of the front cubes".
    pub(crate) fn of_set(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let [det, qual, quals] = [0, 1, 2].map(|i| &tree.parts[i]);
        let set = tree.parts.last().unwrap_or(tree);
        let meant = self.np(set, context)?;
        if meant.how == How::The {
            return Err(Trouble::Nonsense(format!(
                "`{}` is one thing",
                self.phrase(set)
            )));
        }
        let mut noun = Noun {
            det: Some(det).filter(|d| !d.label.is_empty()).map(|d| &**d),
            quals: vec![&**qual],
            ..Noun::default()
        };
        noun.quals.extend(quals.parts.iter().map(|q| &**q));
        let (things, why) = self.narrowed(tree, meant.things, &noun, context)?;
        let meant = Meant {
            things,
            how: How::The,
            ..meant
        };
        let meant = self.count(tree, meant)?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    pub(crate) fn noun(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        self.noun_in(tree, None, context)
    }

    /// A noun phrase, of what belongs to something if that is known.
    pub(crate) fn noun_in(
        &self,
        tree: &Rc<Tree>,
        whole: Option<Thing>,
        context: &mut Context,
    ) -> Meaning {
        let mut noun = Noun::default();
        let mut owner = None;
        for (i, part) in tree.parts.iter().enumerate() {
            match part.label.as_str() {
                "" => {}
                "noun" | "pronoun" if i == 0 => owner = Some(part),
                "name" | "name_of" => noun.words = self.name(part),
                "list" => {
                    let posts = part.parts.iter().map(|p| &**p);
                    let (quals, rest): (Vec<_>, Vec<_>) = posts.partition(|p| is_qual(p));
                    noun.quals.extend(quals);
                    noun.posts.extend(rest);
                }
                _ if i == 0 => noun.det = Some(part),
                _ if is_qual(part) => noun.quals.push(part),
                _ => noun.posts.push(part),
            }
        }
        if tree.label == "bare" {
            // Its determiner is not optional, and one quality stands by itself.
            noun.det = tree.parts.first().map(|p| &**p);
        }
        if tree.label == "bare" && noun.quals.last().is_some_and(|q| q.label == "count_qual") {
            return Err(Trouble::Nonsense(format!(
                "`{}` of what?",
                self.phrase(tree)
            )));
        }
        if tree.label == "bare"
            && noun.quals.iter().all(|q| q.label == "side")
            && noun.posts.is_empty()
            && noun.det.is_some_and(|det| !det.label.is_empty())
        {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.phrase(tree)
            )));
        }
        let is_bare = tree.label == "bare" && noun.det.is_some_and(|d| d.label.is_empty());
        if is_bare && noun.quals.iter().any(|q| q.label == "non") {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.phrase(tree)
            )));
        }
        let owner = owner.map(|owner| self.owner(owner, context)).transpose()?;
        let whole = whole.or(owner);
        if !matches!(tree.label.as_str(), "one" | "bare") {
            noun.plural = noun.words.last().is_some_and(|w| self.lexicon.is_plural(w));
            context.heads.push(noun.words.clone());
            let meant = self.called_so(tree, &noun, whole.as_ref(), context);
            context.heads.pop();
            return meant;
        }
        noun.plural = self.says_ones(tree);
        let mut first = None;
        let mut shallow = None;
        // "to the upper one" is rather a shelf than a towel.
        let chooses = |q: &Tree| matches!(q.label.as_str(), "side" | "most" | "nth");
        let is_placed = context.current.is_some() && noun.quals.iter().all(|q| chooses(q));
        let colored = noun.quals.iter().any(|q| q.label.starts_with("color"));
        for (words, colors) in nouns_before(context) {
            noun.words = words;
            // "the smaller blue cube … the bigger one" is another blue cube, if there is one.
            noun.colors = if colored { vec![] } else { colors };
            let alike = self.called_so(tree, &noun, whole.as_ref(), context);
            noun.colors.clear();
            let meant = alike.or_else(|_| self.called_so(tree, &noun, whole.as_ref(), context));
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
        shallow.ok_or_else(|| {
            first.unwrap_or_else(|| Trouble::Unclear {
                question: format!("`{}` of what?", self.phrase(tree)),
            })
        })
    }

    /// "the cabinet's", or "its" of what was named before what is moved.
    pub(crate) fn owner(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let at_place = context.at_place;
        context.at_place = tree.label == "pronoun";
        let owner = self.one(tree, context);
        context.at_place = false;
        // "put it in its dish": of what is moved, if nothing else was named.
        let current = context.current.as_ref().and_then(Meant::single).cloned();
        let owner = match (owner, current) {
            (Err(_), Some(current)) if tree.label == "pronoun" => Ok(current),
            (owner, _) => owner,
        };
        context.at_place = at_place;
        owner
    }

    /// Whether things can be put on all that is meant.
    pub(crate) fn carries(&self, meant: &Meant) -> bool {
        let things = meant.things.iter();
        let mut things = things.map(|t| t.zone().is_some() || !self.is_small(t));
        things.all(|carries| carries)
    }

    /// Whether things can be put into all that is meant.
    pub(crate) fn has_inside(&self, meant: &Meant) -> bool {
        meant
            .things
            .iter()
            .all(|t| t.zone().is_some() || self.is_hollow(t))
    }

    /// Whether "ones" are meant, not "one".
    pub(crate) fn says_ones(&self, tree: &Tree) -> bool {
        let said = &self.tokens[tree.from..tree.to];
        said.iter().any(|token| token.word() == Some("ones"))
    }

    /// What a noun phrase means whose words are known.
    pub(crate) fn called_so(
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
        if let Some(whole) = whole {
            things.retain(|thing| self.belongs(thing, whole));
        }
        let (things, why) = self.narrowed(tree, things, noun, context)?;
        let mut meant = self.determined(tree, things, noun, context)?;
        let said = noun.quals.iter().filter(|q| q.label == "color");
        meant.colors = said
            .map(|q| self.word(q))
            .chain(noun.colors.iter().cloned())
            .collect();
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// Whether a colour is that of small things, which stand for what they are in: "the orange
    /// beads".
    pub(crate) fn is_of_group(&self, qual: &Tree, noun: &Noun<'_>) -> bool {
        let groups = self.percept.groups.iter();
        let mut named = groups.filter(|g| {
            Names::of(&g.as_object())
                .fit(&noun.words, self.lexicon)
                .is_some()
        });
        qual.label == "color" && named.any(|g| g.color.as_deref() == Some(self.word(qual).as_str()))
    }

    /// The words for what a phrase means, found or not.
    pub(crate) fn noun_of(&self, tree: &Tree) -> Vec<String> {
        let name = tree
            .parts
            .iter()
            .find(|p| matches!(p.label.as_str(), "name" | "name_of"));
        name.map_or_else(Vec::new, |name| self.name(name))
    }

    pub(crate) fn name(&self, tree: &Tree) -> Vec<String> {
        let name = |t: &Rc<Tree>| self.phrase(t);
        let mut words: Vec<String> = tree
            .parts
            .iter()
            .flat_map(|part| match part.label.as_str() {
                "list" => part.parts.iter().map(name).collect(),
                _ => vec![name(part)],
            })
            .collect();
        if tree.label == "name_of" {
            // "the box of biscuits" is a biscuit box.
            words.rotate_left(1);
        }
        words
    }

    /// The things, and declared places of things, that are called so.
    pub(crate) fn called(&self, tree: &Tree, words: &[String]) -> Result<Vec<Thing>, Trouble> {
        let said: Vec<String> = words
            .iter()
            .flat_map(|w| self.lexicon.scene_words(w))
            .collect();
        if said == ["thing"] {
            return Ok(self
                .loose()
                .into_iter()
                .map(|o| Thing::Object(o.id.clone()))
                .collect());
        }
        let objects = self
            .percept
            .objects
            .iter()
            .map(|o| (Names::of(o), Thing::Object(o.id.clone())));
        let zones = named_zones(self.percept).map(|(of, name)| {
            let thing = Thing::Zone(of.clone(), Zone::new(name));
            (Names::from_texts(name, name), thing)
        });
        let groups = self.percept.groups.iter().filter_map(|group| {
            let holder = self.holder(group)?;
            let object = group.as_object();
            Some((Names::of(&object), Thing::Object(holder)))
        });
        let fits: Vec<(Fit, Thing)> = objects
            .chain(zones)
            .chain(groups)
            .filter_map(|(names, thing)| Some((names.fit(words, self.lexicon)?, thing)))
            .collect();
        let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else {
            return Err(Trouble::Unseen {
                phrase: self.phrase(tree),
                name: words.join(" "),
                moved: false,
            });
        };
        let plural = words.last().is_some_and(|w| self.lexicon.is_plural(w));
        // Many are meant by the widest sense, one by the closest.
        let within = if plural { best.max(Fit::Same) } else { best };
        // A place is called so only where no whole thing is, if it is merely a kind of that.
        let is_whole = |(fit, thing): &(Fit, Thing)| thing.zone().is_none() && *fit <= within;
        let has_whole = fits.iter().any(is_whole);
        // A place called so may be meant beside the thing with that id: "the top shelf".
        let fits = fits.into_iter().filter(|(fit, thing)| {
            let own = if thing.zone().is_some() {
                Fit::Exact
            } else {
                Fit::Id
            };
            let is_rough = thing.zone().is_some() && *fit > Fit::Same && has_whole;
            *fit <= within.max(own) && !is_rough
        });
        Ok(fits.map(|(_, thing)| thing).collect())
    }

    /// What holds small things: to pour "the beads" is to pour what they are in.
    pub(crate) fn holder(&self, group: &regrasp_api::PerceivedGroup) -> Option<ObjectId> {
        let counts = self
            .loose()
            .into_iter()
            .map(|o| (members_in(group, o).len(), o));
        let (n, holder) = counts.max_by_key(|(n, _)| *n)?;
        (n > 0).then(|| holder.id.clone())
    }

    /// Whether a thing is a part of another: a drawer of its cabinet, a burner of a stove.
    pub(crate) fn belongs(&self, thing: &Thing, whole: &Thing) -> bool {
        match thing {
            Thing::Zone(of, _) => of == whole.id(),
            Thing::Object(id) => {
                let joint = self.percept.joints.iter().find(|j| &j.child == id);
                joint.is_some_and(|j| &j.parent == whole.id())
                    || id.as_str().starts_with(&format!("{}_", whole.id()))
            }
        }
    }

    /// Those of some things that are as a phrase says, and what it said.
    pub(crate) fn narrowed(
        &self,
        tree: &Rc<Tree>,
        mut things: Vec<Thing>,
        noun: &Noun<'_>,
        context: &mut Context,
    ) -> Result<(Vec<Thing>, String), Trouble> {
        let n_all = things.len();
        let mut told = vec![];
        let mut choosers = vec![];
        let known: Vec<Thing> = things.clone();
        // What chooses among places of a thing does not mean the whole.
        let is_other = noun
            .det
            .is_some_and(|det| matches!(det.label.as_str(), "other" | "another"));
        if !noun.quals.is_empty() || is_other {
            let wholes: Vec<ObjectId> = things
                .iter()
                .filter(|t| t.zone().is_some())
                .map(|t| t.id().clone())
                .collect();
            things.retain(|t| t.zone().is_some() || !wholes.contains(t.id()));
        }
        // Words that are a part of names come first: "the open middle drawer".
        for qual in noun.quals.iter().filter(|q| q.label == "side") {
            let side = self.word(qual);
            let has = |t: &Thing| side.split('_').all(|w| self.has_word(t, w));
            if things.iter().any(has) {
                things.retain(has);
            }
        }
        let told_of = noun.quals.iter().chain(&noun.posts);
        for tree in told_of.filter(|tree| !self.is_of_group(tree, noun)) {
            let before = things.clone();
            let is_relation = matches!(
                tree.label.as_str(),
                "rel" | "lies" | "that_lies" | "between" | "at_part"
            );
            context.n_idle += usize::from(is_relation && before.len() == 1);
            match self.told(tree, &mut things, noun.plural, context)? {
                None => {
                    told.push(self.phrase(tree));
                    if things.is_empty() {
                        let why = match before.as_slice() {
                            [one] => {
                                format!("{one} is the only one, and is not `{}`", self.phrase(tree))
                            }
                            _ => format!("none of {} is `{}`", list(&before), self.phrase(tree)),
                        };
                        return Err(self.none(tree, why));
                    }
                }
                Some(chooser) => choosers.push((chooser, self.phrase(tree))),
            }
        }
        if !noun.plural {
            self.without_more_colors(&mut things, noun);
        }
        if noun
            .det
            .is_some_and(|det| matches!(det.label.as_str(), "other" | "another"))
        {
            let used = used(context);
            let any = context.mentioned.iter().any(|m| {
                matches!(m.how, How::Any(_)) && m.things.iter().any(|t| things.contains(t))
            });
            if any {
                return Err(Trouble::Unclear {
                    question: format!("`{}`: other than which?", self.phrase(tree)),
                });
            }
            // Of places, one is where the thing is that is to be moved.
            let is_there = |thing: &Thing| {
                let (Some(zone), Some(whole)) = (thing.zone(), self.object(thing)) else {
                    return false;
                };
                let moved = context.current.iter().flat_map(|meant| &meant.things);
                let mut moved = moved.filter_map(|t| self.object(t));
                moved.any(|o| not_within(self.percept, o, whole, zone).is_none())
            };
            things.retain(|thing| !used.contains(thing) && !is_there(thing));
            told.push("other".into());
        }
        // "from the front of the table" counts nothing unless it is the second from there.
        let counts = |(chooser, _): &(Chooser, String)| matches!(chooser, Chooser::Nth(_));
        if !choosers.iter().any(counts) {
            for (chooser, said) in &mut choosers {
                let is_place = said.ends_with("table") || said.ends_with("desk");
                if let Chooser::CountedFrom(side) = chooser
                    && is_place
                    && side != "middle"
                {
                    *chooser = Chooser::Side(side.clone());
                }
            }
        }
        if !choosers.is_empty() {
            let wants_one = !noun.plural;
            let found = choose(self, &things, &choosers, wants_one).map_err(|why| match why {
                crate::choose::Undecided::Several(things) => self.several(tree, &things),
                crate::choose::Undecided::None(why) => self.none(tree, why),
            })?;
            things = found;
            told.extend(choosers.into_iter().map(|(_, said)| said));
        }
        let why = match (n_all, told.is_empty()) {
            (1, true) => "the only one that is called so".to_owned(),
            (_, true) => format!("{} of {n_all} that are called so", things.len()),
            (_, false) if things.len() == 1 => {
                format!(
                    "the only one of {} that is {}",
                    list(&known),
                    told.join(" and ")
                )
            }
            _ => format!("those of {} that are {}", list(&known), told.join(" and ")),
        };
        Ok((things, why))
    }

    /// So many of some things as the determiner and the noun say.
    pub(crate) fn determined(
        &self,
        tree: &Rc<Tree>,
        things: Vec<Thing>,
        noun: &Noun<'_>,
        context: &Context,
    ) -> Meaning {
        let label = noun.det.map_or("", |det| det.label.as_str());
        let number = noun.det.and_then(|det| {
            let count = det
                .parts
                .iter()
                .rev()
                .find(|p| matches!(p.label.as_str(), "count" | "number"));
            self.number(count?)
        });
        let n = number.map(|n| n as usize);
        let meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::The },
            noun: noun.words.clone(),
            colors: vec![],
            is_rest: false,
        };
        match (label, n) {
            ("a", _) if noun.plural => Ok(Meant {
                how: How::All,
                ..meant
            }),
            ("a" | "another" | "any_of", _) => self.some(tree, meant, 1),
            ("all", None) => self.nonempty(
                tree,
                Meant {
                    how: How::All,
                    ..meant
                },
            ),
            ("all" | "the_count", Some(n)) => self.exactly(tree, meant, n),
            ("both", _) => self.exactly(tree, meant, 2),
            ("number", Some(n)) => self.some(tree, meant, n),
            ("other", Some(n)) => self.exactly(tree, meant, n),
            ("none", _) => Err(Trouble::Nonsense(format!(
                "`{}` is nothing",
                self.phrase(tree)
            ))),
            ("same", _) => {
                let known = all_mentioned(context);
                let things = meant
                    .things
                    .iter()
                    .filter(|t| known.contains(t))
                    .cloned()
                    .collect();
                self.count(tree, Meant { things, ..meant })
            }
            _ => {
                // "the drawer" is the one that was spoken of.
                let known = all_mentioned(context);
                let spoken_of: Vec<Thing> = meant
                    .things
                    .iter()
                    .filter(|t| known.contains(t))
                    .cloned()
                    .collect();
                match (meant.how, meant.things.len(), spoken_of.len()) {
                    (How::The, 2.., 1) => Ok(Meant {
                        things: spoken_of,
                        ..meant
                    }),
                    _ => self.count(tree, meant),
                }
            }
        }
    }

    /// One, if one is meant.
    pub(crate) fn count(&self, tree: &Tree, meant: Meant) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        if meant.how != How::The || meant.things.len() == 1 {
            return Ok(meant);
        }
        let movable = |t: &&Thing| self.object(t).is_some_and(|o| o.movable);
        let loose: Vec<Thing> = meant.things.iter().filter(movable).cloned().collect();
        let slides = |t: &&Thing| self.percept.joints.iter().any(|j| &j.child == t.id());
        let sliding: Vec<Thing> = meant.things.iter().filter(slides).cloned().collect();
        match (loose.as_slice(), sliding.as_slice()) {
            ([one], _) if meant.things.len() == 2 => Ok(Meant {
                things: vec![one.clone()],
                ..meant
            }),
            (_, [one]) if loose.is_empty() => Ok(Meant {
                things: vec![one.clone()],
                ..meant
            }),
            _ => Err(self.several(tree, &meant.things)),
        }
    }

    pub(crate) fn nonempty(&self, tree: &Tree, meant: Meant) -> Meaning {
        match meant.things.is_empty() {
            true => Err(self.none(tree, "there is no such thing")),
            false => Ok(meant),
        }
    }

    pub(crate) fn exactly(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        match meant.things.len() == n {
            true => Ok(Meant {
                how: How::All,
                ..meant
            }),
            false if meant.things.len() > n => Err(self.several(tree, &meant.things)),
            false => Err(self.none(
                tree,
                format!("there are {}: {}", meant.things.len(), list(&meant.things)),
            )),
        }
    }

    pub(crate) fn some(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        let there = meant.things.len();
        if there < n {
            return Err(self.none(tree, format!("there are {there}: {}", list(&meant.things))));
        }
        let how = match (there == n, n) {
            (true, 1) => How::The,
            (true, _) => How::All,
            (false, _) => How::Any(n),
        };
        Ok(Meant { how, ..meant })
    }
}
