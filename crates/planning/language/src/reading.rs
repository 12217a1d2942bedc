//! The readings of a text, with what is told besides set aside.

use std::cell::Cell;
use std::rc::Rc;

use crate::asides::without_asides;
use crate::context::{Context, Said};
use crate::lexicon::Lexicon;
use crate::parse::{Mode, Parser, Tree};
use crate::refer::Reader;
use crate::related::named_zones;
use crate::sentences::Told;
use crate::thing::Trouble;
use crate::tokens::{Token, tokens};
use crate::trees::place_of;
use crate::understand::Hearing;
use crate::words::Names;

/// The tokens, with what is short for several words spelt out.
pub(crate) fn expanded(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = vec![];
    for token in tokens(text) {
        let word = token.word().map(str::to_owned);
        let mut before = out.iter().rev().filter_map(Token::word);
        let before = before.find(|word| !lexicon.is_filler(word));
        let follows = before.is_none_or(|w| lexicon.gerunds_after.contains(w));
        let verb = word
            .as_ref()
            .and_then(|w| lexicon.gerunds.get(w))
            .filter(|_| follows);
        match verb.cloned().or(word) {
            Some(word) => out.extend(spelt_out(&word, lexicon)),
            None => out.push(token),
        }
    }
    out
}

pub(crate) fn spelt_out(word: &str, lexicon: &Lexicon) -> Vec<Token> {
    if let Some(words) = lexicon.short.get(word) {
        return words.iter().cloned().map(Token::Word).collect();
    }
    // "somebody'd": an ending that is short for a word.
    let endings = lexicon
        .short
        .iter()
        .filter(|(end, _)| end.starts_with('\''));
    for (end, words) in endings {
        if let Some(stem) = word.strip_suffix(end.as_str()).filter(|s| !s.is_empty()) {
            let stem = std::iter::once(Token::Word(stem.to_owned()));
            return stem.chain(words.iter().cloned().map(Token::Word)).collect();
        }
    }
    if let Some(owner) = word
        .strip_suffix("'s")
        .or_else(|| word.strip_suffix("s'").filter(|w| !w.is_empty()))
    {
        return vec![Token::Word(owner.to_owned()), Token::Word("'s".into())];
    }
    vec![Token::Word(word.to_owned())]
}

/// Whether no reading makes sense, and none is only unclear or names what is not there.
pub(crate) fn is_nonsense(trees: &[Rc<Tree>], reader: Reader<'_>) -> bool {
    trees.iter().all(|tree| {
        let task = Told::new(reader, &[]).task(tree);
        matches!(task, Err(Trouble::Nonsense(_)))
    })
}

/// A text without what is told besides.
pub(crate) struct Plainly {
    pub(crate) tokens: Vec<Token>,
    /// How it can be read.
    pub(crate) trees: Vec<Rc<Tree>>,
    /// What was mentioned besides.
    pub(crate) before: Context,
    /// How far any reading got.
    pub(crate) furthest: usize,
}

/// The text without what is told besides, how it can be read, and what was mentioned there.
pub(crate) fn plain(
    tokens: &[Token],
    hearing: &Hearing<'_>,
    lexicon: &Lexicon,
    patience: &Cell<usize>,
) -> Option<Plainly> {
    let plain = without_asides(tokens, lexicon, &|word| is_seen(word, hearing, lexicon))?;
    let modes = [Mode::STRICT, Mode::LOOSE].into_iter();
    let mut trees = vec![];
    let mut furthest = 0;
    for mode in modes {
        if trees.is_empty() {
            (trees, furthest) = read(&plain.tokens, hearing, lexicon, mode);
        }
    }
    let mut before = Context::default();
    let reader = hearing.reader(lexicon, tokens, patience);
    let names = |word: &str| is_name(word, hearing, lexicon);
    let mut parser = Parser::new(lexicon, tokens, &names, Mode::STRICT);
    for (from, to) in plain.asides {
        let mut at = from;
        while at < to {
            let mut trees = parser.at("one_np", at);
            trees.retain(|tree| tree.to <= to && tree.label != "pronoun");
            trees.sort_by_key(|tree| std::cmp::Reverse(tree.to));
            let mut own = before.clone();
            let found = trees
                .iter()
                .find_map(|tree| Some((tree.to, tree.clone(), reader.np(tree, &mut own).ok()?)));
            at = match found {
                Some((end, tree, meant)) => {
                    // "The tin is empty, so put it in there."
                    let is_small = meant.single().is_none_or(|t| reader.is_small(t));
                    if !is_small {
                        before.fixed.push((tree.clone(), meant.clone()));
                        before.place = Some(place_of(&tree));
                    }
                    before.moved.push(meant.clone());
                    before.mentioned.push(meant);
                    end
                }
                None => at + 1,
            };
        }
        let words = tokens[from..to].iter().map(Token::shown);
        before.said.push(Said {
            phrase: words.collect::<Vec<_>>().join(" "),
            means: vec![],
            why: "said besides: it asks for nothing".into(),
        });
    }
    Some(Plainly {
        tokens: plain.tokens,
        trees,
        before,
        furthest,
    })
}

/// Whether something that is seen may be called by a word.
pub(crate) fn is_seen(word: &str, hearing: &Hearing<'_>, lexicon: &Lexicon) -> bool {
    let noun = [word.to_owned()];
    let fits = |names: Names| names.fit(&noun, lexicon).is_some();
    let mut zones = named_zones(hearing.percept).map(|(_, name)| Names::from_texts(name, ""));
    let groups = hearing.percept.groups.iter();
    let mut groups = groups.map(|group| Names::of(&group.as_object()));
    let mut objects = hearing.percept.objects.iter().map(Names::of);
    objects.any(fits) || zones.any(fits) || groups.any(fits)
}

pub(crate) fn read(
    tokens: &[Token],
    hearing: &Hearing<'_>,
    lexicon: &Lexicon,
    mode: Mode,
) -> (Vec<Rc<Tree>>, usize) {
    let names = |word: &str| is_name(word, hearing, lexicon);
    Parser::new(lexicon, tokens, &names, mode).whole("task")
}

/// Whether a word may name something.
pub(crate) fn is_name(word: &str, hearing: &Hearing<'_>, lexicon: &Lexicon) -> bool {
    let one = lexicon.singular(word);
    let words = lexicon.scene_words(word);
    let fits =
        |names: &Names| names.has(word) || names.has(&one) || words.iter().all(|w| names.has(w));
    let seen = hearing.percept.objects.iter().any(|o| fits(&Names::of(o)));
    let zone = |(_, name): (&regrasp_api::ObjectId, &str)| fits(&Names::from_texts(name, ""));
    let groups = &hearing.percept.groups;
    let group = |g: &regrasp_api::PerceivedGroup| fits(&Names::of(&g.as_object()));
    let own = seen || groups.iter().any(group) || named_zones(hearing.percept).any(zone);
    // "black" tells of things, even where it is a part of a name.
    let tells = lexicon.tells(word) && !lexicon.is_noun(word);
    lexicon.is_noun(word) || (own && !tells)
}
