//! Words and rules of a language, and the kinds of things, from files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules::{Item, Rules};
use crate::tokens::{Token, begins_with};

/// A language that commands may be in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// All of them; where none is said, each is tried in this order.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    pub(crate) fn lexicon(self) -> &'static Lexicon {
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        }
    }
}

static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| {
    Lexicon::built_in(
        include_str!("../grammar/en.yaml"),
        include_str!("../grammar/en.rules"),
    )
});
static GERMAN: LazyLock<Lexicon> = LazyLock::new(|| {
    Lexicon::built_in(
        include_str!("../grammar/de.yaml"),
        include_str!("../grammar/de.rules"),
    )
});
static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let file = serde_saphyr::from_str(include_str!("../grammar/kinds.yaml"));
    Kinds::of(&file.expect("the built-in file of kinds can be read"))
});

/// The kinds of things that are known whatever the language.
pub(crate) fn kinds() -> &'static Kinds {
    &KINDS
}

/// What is the same, and what is a kind of what, as a file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindsFile {
    /// Words that mean the same.
    same: Vec<BTreeSet<String>>,
    /// A word for several kinds, and their words.
    kinds: BTreeMap<String, BTreeSet<String>>,
    /// Words with something in common that the code has to know of.
    traits: BTreeMap<String, BTreeSet<String>>,
}

/// What is the same, and what is a kind of what, by the words that scenes use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    /// By word: itself and what means the same.
    same: BTreeMap<String, BTreeSet<String>>,
    /// By word: what it is a kind of.
    wider: BTreeMap<String, BTreeSet<String>>,
    traits: BTreeMap<String, BTreeSet<String>>,
}

/// How many kinds may be kinds of each other: a file that goes round in circles ends, too.
const MAX_LEVELS: usize = 5;

impl Kinds {
    fn of(file: &KindsFile) -> Self {
        let mut kinds = Self {
            traits: file.traits.clone(),
            ..Self::default()
        };
        let names = file
            .kinds
            .iter()
            .flat_map(|(name, of)| of.iter().chain([name]));
        for word in file.same.iter().flatten().chain(names) {
            kinds
                .same
                .entry(word.clone())
                .or_default()
                .insert(word.clone());
        }
        for group in &file.same {
            for word in group {
                let same = kinds.same.entry(word.clone()).or_default();
                same.extend(group.iter().cloned());
            }
        }
        for (word, same) in &kinds.same {
            let mut wider: BTreeSet<String> = BTreeSet::new();
            let mut reached = same.clone();
            for _ in 0..MAX_LEVELS {
                let names = file.kinds.iter().filter(|(_, of)| {
                    of.iter().any(|own| {
                        reached.contains(own) || kinds.same[own].iter().any(|w| reached.contains(w))
                    })
                });
                let found: BTreeSet<String> = names
                    .flat_map(|(name, _)| kinds.same[name].iter().cloned())
                    .collect();
                let n = wider.len();
                wider.extend(found.iter().cloned());
                reached = found;
                if wider.len() == n {
                    break;
                }
            }
            kinds.wider.insert(word.clone(), wider);
        }
        kinds
    }

    /// Whether two words mean the same.
    pub(crate) fn same(&self, a: &str, b: &str) -> bool {
        a == b || self.same.get(a).is_some_and(|same| same.contains(b))
    }

    /// Whether `word` is a kind of what `wider` means.
    pub(crate) fn is_a(&self, word: &str, wider: &str) -> bool {
        self.wider
            .get(word)
            .is_some_and(|kinds| kinds.contains(wider))
    }

    /// The words with a trait.
    pub(crate) fn with(&self, name: &str) -> &BTreeSet<String> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.traits.get(name).unwrap_or(&NONE)
    }

    /// Whether a word names a kind.
    fn has(&self, word: &str) -> bool {
        self.same.contains_key(word)
    }
}

/// As a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    /// What is short for what.
    short: BTreeMap<String, String>,
    /// By class: words (or several in a row) and what they mean, themselves if nothing is said.
    classes: BTreeMap<String, Entries>,
    /// Politeness and fillers: they are left out wherever they stand.
    polite: Vec<String>,
    /// Words that begin a reason.
    reasons: Vec<String>,
    /// Signs that are typed for words.
    #[serde(default)]
    signs: Vec<(String, String)>,
    /// Sentences of the usual kinds, for messages; X and Y stand for things.
    examples: Vec<String>,
    /// Words that tell nothing of a thing: they are no part of its id.
    untelling: BTreeSet<String>,
    /// Words for sides: whose left it is matters then.
    sides: BTreeSet<String>,
    /// Things, and by which words scenes call them.
    #[serde(default)]
    nouns: BTreeMap<String, String>,
    /// Forms of verbs that stand for others, behind certain words.
    #[serde(default)]
    gerunds: BTreeMap<String, String>,
    #[serde(default)]
    gerunds_after: BTreeSet<String>,
    /// Plurals that no ending makes.
    plurals: BTreeMap<String, String>,
    /// Endings of plurals, the likeliest first, and what stands for them in the singular.
    plural_endings: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Entries {
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

/// Words of one class: sequences of words by the first of them, and what they mean.
type Class = BTreeMap<String, Vec<(Vec<String>, String)>>;

/// The words and rules of one language.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub(crate) rules: Rules,
    pub(crate) short: BTreeMap<String, Vec<String>>,
    classes: BTreeMap<String, Class>,
    /// Politeness and fillers, the longest first.
    pub(crate) polite: Vec<Vec<String>>,
    pub(crate) reasons: Vec<Vec<String>>,
    pub(crate) signs: Vec<(String, String)>,
    pub(crate) examples: Vec<String>,
    pub(crate) untelling: BTreeSet<String>,
    /// Words for sides, whatever part of a sentence they are.
    pub(crate) sides: BTreeSet<String>,
    pub(crate) gerunds: BTreeMap<String, String>,
    pub(crate) gerunds_after: BTreeSet<String>,
    nouns: BTreeMap<String, Vec<String>>,
    plurals: BTreeMap<String, String>,
    plural_endings: Vec<(String, String)>,
    known: BTreeSet<String>,
}

impl Lexicon {
    /// Files of this crate: one that cannot be read is a bug.
    fn built_in(words: &str, rules: &str) -> Self {
        Self::read(words, rules).expect("the built-in grammar can be read")
    }

    pub(crate) fn read(words: &str, rules: &str) -> Result<Self, String> {
        let words: Words = serde_saphyr::from_str(words).map_err(|e| e.to_string())?;
        let rules = Rules::read(rules)?;
        let split = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let entries = |entries: Entries| -> Class {
            let entries: Vec<(Vec<String>, String)> = match entries {
                Entries::List(list) => list.into_iter().map(|w| (split(&w), w)).collect(),
                Entries::Map(map) => map.into_iter().map(|(w, m)| (split(&w), m)).collect(),
            };
            let mut class = Class::new();
            for (words, meaning) in entries {
                let first = words.first().cloned().unwrap_or_default();
                class.entry(first).or_default().push((words, meaning));
            }
            class
        };
        let classes: BTreeMap<_, _> = words
            .classes
            .into_iter()
            .map(|(class, list)| (class, entries(list)))
            .collect();
        let entries = classes.values().flat_map(Class::values).flatten();
        let said = entries.flat_map(|(words, _)| words).cloned();
        let literals = rules.literals();
        let mut polite: Vec<_> = words.polite.iter().map(|text| split(text)).collect();
        polite.sort_by_key(|words| std::cmp::Reverse(words.len()));
        let reasons: Vec<_> = words.reasons.iter().map(|text| split(text)).collect();
        let aside = polite.iter().chain(&reasons).flatten().cloned();
        let known = said
            .chain(literals)
            .chain(aside.collect::<Vec<_>>())
            .collect();
        Ok(Self {
            rules,
            short: words
                .short
                .iter()
                .map(|(k, v)| (k.clone(), split(v)))
                .collect(),
            classes,
            polite,
            reasons,
            signs: words.signs,
            examples: words.examples,
            untelling: words.untelling,
            sides: words.sides,
            nouns: words
                .nouns
                .iter()
                .map(|(k, v)| (k.clone(), split(v)))
                .collect(),
            gerunds: words.gerunds,
            gerunds_after: words.gerunds_after,
            plurals: words.plurals,
            plural_endings: words.plural_endings,
            known,
        })
    }

    /// Whether a word means something by itself, whatever is seen.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// Whether a word tells of a thing what it is like.
    pub(crate) fn tells(&self, word: &str) -> bool {
        const TELLING: [&str; 4] = ["color", "material", "most", "side"];
        TELLING.iter().any(|class| self.is_of(class, word))
    }

    /// Whether a word by itself is of a class.
    pub(crate) fn is_of(&self, class: &str, word: &str) -> bool {
        let entries = self.classes.get(class).and_then(|class| class.get(word));
        entries.is_some_and(|entries| entries.iter().any(|(words, _)| words.len() == 1))
    }

    /// Whether a word means whoever speaks.
    pub(crate) fn is_mine(&self, word: &str) -> bool {
        self.is_of("mine", word)
    }

    /// Whether a word is one for a thing.
    pub(crate) fn is_noun(&self, word: &str) -> bool {
        let one = self.singular(word);
        self.nouns.contains_key(&one) || kinds().has(&one)
    }

    /// What a thing that is called so is called in scenes.
    pub(crate) fn scene_words(&self, word: &str) -> Vec<String> {
        let one = self.singular(word);
        self.nouns.get(&one).cloned().unwrap_or_else(|| vec![one])
    }

    /// Whether a word is a plural.
    pub(crate) fn is_plural(&self, word: &str) -> bool {
        self.singular(word) != word
    }

    /// One of what a plural means; another word as it is.
    pub(crate) fn singular(&self, word: &str) -> String {
        if let Some(one) = self.plurals.get(word) {
            return one.clone();
        }
        let known = |one: &str| self.nouns.contains_key(one) || kinds().has(one);
        if known(word) {
            return word.to_owned();
        }
        let ends = self.plural_endings.iter().filter_map(|(many, one)| {
            let stem = word
                .strip_suffix(many.as_str())
                .filter(|stem| stem.len() > 1)?;
            Some(format!("{stem}{one}"))
        });
        let ends: Vec<_> = ends.collect();
        let best = ends.iter().find(|one| known(one)).or(ends.first());
        best.cloned().unwrap_or_else(|| word.to_owned())
    }

    /// Where words of a class that begin at a place may end.
    pub(crate) fn ends(&self, class: &str, tokens: &[Token], at: usize) -> Vec<usize> {
        let mut ends: Vec<_> = self
            .entries(class, tokens.get(at))
            .iter()
            .filter(|(words, _)| begins_with(tokens, at, words))
            .map(|(words, _)| at + words.len())
            .collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Returns true if what a rule is for may begin at a place with a word of its own, other than
    /// a name.
    pub(crate) fn starts(&self, rule: &str, tokens: &[Token], at: usize) -> bool {
        let idx = self.rules.names.get(rule);
        idx.is_some_and(|idx| self.starts_rule(*idx, tokens, at))
    }

    fn starts_rule(&self, idx: usize, tokens: &[Token], at: usize) -> bool {
        let starts = |item: &Item| match item {
            Item::Words(all) => all.iter().any(|words| begins_with(tokens, at, words)),
            Item::Class(class) => !self.ends(class, tokens, at).is_empty(),
            Item::Rule(of) => {
                let is_np = ["np", "one_np"]
                    .iter()
                    .any(|np| self.rules.names.get(*np) == Some(of));
                !is_np && self.starts_rule(*of, tokens, at)
            }
            Item::Optional(_) | Item::Many(_) => false,
        };
        let ways = self.rules.ways[idx].iter();
        ways.filter_map(|way| way.items.first()).any(starts)
    }

    /// The meaning of words of a class.
    pub(crate) fn meaning(&self, class: &str, tokens: &[Token]) -> Option<String> {
        let mut entries = self.entries(class, tokens.first()).iter();
        let found =
            entries.find(|(words, _)| words.len() == tokens.len() && begins_with(tokens, 0, words));
        found.map(|(_, meaning)| meaning.clone())
    }

    /// Whether a word means a board that things stand on, in whatever it is.
    pub(crate) fn is_board(&self, word: &str) -> bool {
        let said = self.scene_words(word);
        let is_board = |word: &String| kinds().with("board").iter().any(|b| kinds().same(b, word));
        said.iter().any(is_board)
    }

    /// The colour that a word by itself means.
    pub(crate) fn color(&self, word: &str) -> Option<String> {
        self.meaning("color", &[Token::Word(word.to_owned())])
    }

    /// The words of a class that begin so.
    fn entries(&self, class: &str, first: Option<&Token>) -> &[(Vec<String>, String)] {
        let first = first.map(|token| match token {
            Token::Comma => ",",
            Token::Stop => ".",
            token => token.word().unwrap_or_default(),
        });
        let class = self.classes.get(class);
        let entries = class.zip(first).and_then(|(class, first)| class.get(first));
        entries.map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the built-in grammar can be read")]
    fn a_broken_grammar_is_no_empty_lexicon() {
        Lexicon::built_in("classes: [", "");
    }

    #[test]
    fn the_built_in_files_can_be_read() {
        let read = [
            Lexicon::read(
                include_str!("../grammar/en.yaml"),
                include_str!("../grammar/en.rules"),
            ),
            Lexicon::read(
                include_str!("../grammar/de.yaml"),
                include_str!("../grammar/de.rules"),
            ),
        ];
        for lexicon in read {
            let error = lexicon.as_ref().err();
            assert_eq!(error, None);
            for class in lexicon.iter().flat_map(|l| l.rules.classes()) {
                let built_in = ["name", "number", "point"].contains(&class.as_str());
                let known = lexicon.iter().any(|l| l.classes.contains_key(&class));
                assert!(built_in || known, "class {class} is in no lexicon");
            }
        }
        let kinds: Result<KindsFile, _> =
            serde_saphyr::from_str(include_str!("../grammar/kinds.yaml"));
        assert!(kinds.is_ok(), "{kinds:?}");
    }
}
