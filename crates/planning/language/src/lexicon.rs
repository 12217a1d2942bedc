//! Words and rules of a language, and the taxonomy of object kinds, from files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules::{Item, Rules};
use crate::tokens::{Token, begins_with};

/// Returns all languages, in the order in which they are tried.
pub(crate) fn languages() -> impl Iterator<Item = &'static Lexicon> {
    [&ENGLISH, &GERMAN].into_iter().map(LazyLock::force)
}

pub(crate) static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| {
    let words = include_str!("../grammar/en.yaml");
    Lexicon::built_in(words, include_str!("../grammar/en.rules"))
});
static GERMAN: LazyLock<Lexicon> = LazyLock::new(|| {
    let words = include_str!("../grammar/de.yaml");
    Lexicon::built_in(words, include_str!("../grammar/de.rules"))
});
/// Taxonomy, which does not depend on the language.
pub(crate) static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let kinds: Result<Kinds, _> = serde_saphyr::from_str(include_str!("../grammar/kinds.yaml"));
    let kinds = kinds.expect("the built-in file of kinds can be read");
    kinds.closed()
});

/// Synonyms and hypernyms of the words that scenes use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kinds {
    same: Vec<BTreeSet<String>>,
    /// Hypernyms with their hyponyms.
    kinds: BTreeMap<String, BTreeSet<String>>,
    /// Named groups of words that the code refers to.
    traits: BTreeMap<String, BTreeSet<String>>,
    /// Synonyms of each word, itself included.
    #[serde(skip)]
    synonyms: BTreeMap<String, BTreeSet<String>>,
    /// Hypernyms of each word.
    #[serde(skip)]
    wider: BTreeMap<String, BTreeSet<String>>,
}

impl Kinds {
    /// Adds the synonyms and hypernyms of each word.
    fn closed(mut self) -> Self {
        let kinds = self.kinds.iter();
        let named = kinds.flat_map(|(name, of)| of.iter().chain([name]));
        for word in self.same.iter().flatten().chain(named) {
            let groups = self.same.iter().filter(|group| group.contains(word));
            let alike = groups.flatten().chain([word]).cloned().collect();
            self.synonyms.insert(word.clone(), alike);
        }
        for (word, own) in &self.synonyms {
            let mut found = BTreeSet::new();
            let mut open = Vec::from_iter(own);
            while let Some(word) = open.pop() {
                let is_named = |of: &BTreeSet<String>| of.iter().any(|own| self.same(own, word));
                let kinds = self.kinds.iter().filter(|(_, of)| is_named(of));
                let names = kinds.flat_map(|(name, _)| &self.synonyms[name]);
                open.extend(names.filter(|name| found.insert((*name).clone())));
            }
            self.wider.insert(word.clone(), found);
        }
        self
    }

    pub(crate) fn same(&self, a: &str, b: &str) -> bool {
        a == b || self.synonyms.get(a).is_some_and(|same| same.contains(b))
    }

    /// Returns true if `wider` or a synonym is a hypernym of `word`.
    pub(crate) fn is_a(&self, word: &str, wider: &str) -> bool {
        let kinds = self.wider.get(word);
        kinds.is_some_and(|kinds| kinds.contains(wider))
    }

    /// Returns the words with a trait.
    pub(crate) fn with(&self, name: &str) -> &BTreeSet<String> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.traits.get(name).unwrap_or(&NONE)
    }

    /// Returns true if both words are known, and neither is a synonym or a hypernym of the other.
    pub(crate) fn are_apart(&self, a: &str, b: &str) -> bool {
        let is_like = |a, b| self.same(a, b) || self.is_a(a, b);
        self.has(a) && self.has(b) && !is_like(a, b) && !is_like(b, a)
    }

    fn has(&self, word: &str) -> bool {
        self.synonyms.contains_key(word)
    }
}

/// Words of one class: sequences by their first word, each with its meaning.
#[derive(Debug, Deserialize)]
#[serde(from = "Entries")]
struct Class(BTreeMap<String, Vec<(Vec<String>, String)>>);

/// Words of a class as written in the file. A word without a meaning means itself.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entries {
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

impl From<Entries> for Class {
    fn from(entries: Entries) -> Self {
        let entries: Vec<(String, String)> = match entries {
            Entries::List(list) => list.into_iter().map(|w| (w.clone(), w)).collect(),
            Entries::Map(map) => map.into_iter().collect(),
        };
        let mut class: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (words, meaning) in entries {
            let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
            let first = words.first().cloned().unwrap_or_default();
            class.entry(first).or_default().push((words, meaning));
        }
        Self(class)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lexicon {
    #[serde(skip)]
    pub(crate) rules: Rules,
    /// All words with a meaning of their own.
    #[serde(skip)]
    known: BTreeSet<String>,
    /// Contractions and their full forms.
    pub(crate) short: BTreeMap<String, String>,
    classes: BTreeMap<String, Class>,
    /// Symbols that stand for words.
    #[serde(default)]
    pub(crate) signs: Vec<(String, String)>,
    /// Example sentences for messages. X and Y stand for objects.
    pub(crate) examples: Vec<String>,
    /// Words that join clauses.
    pub(crate) joins: BTreeSet<String>,
    /// Words that do not describe an object, so that they are no part of its id.
    pub(crate) nondescript: BTreeSet<String>,
    /// Words for sides. A text with one depends on the viewpoint.
    pub(crate) sides: BTreeSet<String>,
    /// Nouns, and the words that scenes use for them.
    #[serde(default)]
    nouns: BTreeMap<String, String>,
    /// Verb forms that stand for other forms after certain words.
    #[serde(default)]
    pub(crate) gerunds: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) gerunds_after: BTreeSet<String>,
    /// Irregular plurals.
    plurals: BTreeMap<String, String>,
    plural_endings: Vec<(String, String)>,
}

impl Lexicon {
    /// Loads files of this crate, in which an error is a bug.
    fn built_in(words: &str, rules: &str) -> Self {
        let can_be_read = "the built-in grammar can be read";
        let mut own: Self = serde_saphyr::from_str(words).expect(can_be_read);
        own.rules = Rules::read(rules).expect(can_be_read);
        let classes = own.classes.values().flat_map(|class| class.0.values());
        let words = classes.flatten().flat_map(|(words, _)| words.clone());
        own.known = words.chain(own.rules.literals()).collect();
        own
    }

    /// Returns true if a word has a meaning, whatever the scene.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// Returns true if a word describes a quality of an object.
    pub(crate) fn describes(&self, word: &str) -> bool {
        const DESCRIBING: [&str; 5] = ["color", "material", "most", "side", "at_side"];
        DESCRIBING.iter().any(|class| self.is_of(class, word))
    }

    /// Returns true if a word alone is in a class.
    pub(crate) fn is_of(&self, class: &str, word: &str) -> bool {
        let entries = self.classes.get(class).and_then(|class| class.0.get(word));
        entries.is_some_and(|entries| entries.iter().any(|(words, _)| words.len() == 1))
    }

    pub(crate) fn is_noun(&self, word: &str) -> bool {
        let one = self.singular(word);
        self.nouns.contains_key(&one) || KINDS.has(&one)
    }

    /// Returns the words that scenes use for a noun.
    pub(crate) fn scene_words(&self, word: &str) -> Vec<String> {
        let one = self.singular(word);
        let words = self.nouns.get(&one).unwrap_or(&one);
        words.split_whitespace().map(str::to_owned).collect()
    }

    pub(crate) fn is_plural(&self, word: &str) -> bool {
        self.singular(word) != word
    }

    /// Returns true if a noun of several words is a plural.
    pub(crate) fn are_plural(&self, noun: &[String]) -> bool {
        noun.last().is_some_and(|word| self.is_plural(word))
    }

    /// Returns true for a noun whose plural has the same form.
    pub(crate) fn is_own_plural(&self, word: &str) -> bool {
        self.plurals.get(word).is_some_and(|one| one == word)
    }

    /// Returns the singular of a plural, or the word itself.
    pub(crate) fn singular(&self, word: &str) -> String {
        if let Some(one) = self.plurals.get(word) {
            return one.clone();
        }
        let known = |one: &str| self.nouns.contains_key(one) || KINDS.has(one);
        if known(word) {
            return word.to_owned();
        }
        let ends = self.plural_endings.iter().filter_map(|(many, one)| {
            let stem = word.strip_suffix(many.as_str())?;
            (stem.len() > 1).then(|| format!("{stem}{one}"))
        });
        let ends: Vec<_> = ends.collect();
        let best = ends.iter().find(|one| known(one)).or(ends.first());
        best.cloned().unwrap_or_else(|| word.to_owned())
    }

    /// Returns the end positions of the words of a class that begin at a position.
    pub(crate) fn ends(&self, class: &str, tokens: &[Token], at: usize) -> Vec<usize> {
        let entries = self.entries(class, tokens.get(at)).iter();
        let fitting = entries.filter(|(words, _)| begins_with(tokens, at, words));
        fitting.map(|(words, _)| at + words.len()).collect()
    }

    /// Returns true if words of a class begin at a position.
    pub(crate) fn begins(&self, class: &str, tokens: &[Token], at: usize) -> bool {
        !self.ends(class, tokens, at).is_empty()
    }

    /// Returns true if a rule may begin at a position with a word of its own, other than a name.
    pub(crate) fn starts(&self, rule: &str, tokens: &[Token], at: usize) -> bool {
        let idx = self.rules.names.get(rule);
        idx.is_some_and(|idx| self.starts_rule(*idx, tokens, at))
    }

    fn starts_rule(&self, idx: usize, tokens: &[Token], at: usize) -> bool {
        let starts = |item: &Item| match item {
            Item::Words(all) => all.iter().any(|words| begins_with(tokens, at, words)),
            Item::Class(class) => self.begins(class, tokens, at),
            Item::Rule(of) => {
                let is_of = |rule: &str| self.rules.names.get(rule) == Some(of);
                !is_of("np") && !is_of("one_np") && self.starts_rule(*of, tokens, at)
            }
            Item::Optional(_) | Item::Many(_) => false,
        };
        let mut alternatives = self.rules.alternatives[idx].iter();
        alternatives.any(|choice| choice.items.first().is_some_and(starts))
    }

    /// Returns the meaning of words in a class.
    pub(crate) fn meaning(&self, class: &str, tokens: &[Token]) -> Option<String> {
        let mut entries = self.entries(class, tokens.first()).iter();
        let found =
            entries.find(|(words, _)| words.len() == tokens.len() && begins_with(tokens, 0, words));
        found.map(|(_, meaning)| meaning.clone())
    }

    /// Returns true if a word means a board on which objects stand, as in a shelf.
    pub(crate) fn is_board(&self, word: &str) -> bool {
        let words = self.scene_words(word);
        let is_board = |word: &String| KINDS.with("board").iter().any(|b| KINDS.same(b, word));
        words.iter().any(is_board)
    }

    pub(crate) fn meaning_of(&self, class: &str, word: &str) -> Option<String> {
        self.meaning(class, &[Token::Word(word.to_owned())])
    }

    fn entries(&self, class: &str, first: Option<&Token>) -> &[(Vec<String>, String)] {
        let first = first.map(|token| match token {
            Token::Comma => ",",
            Token::Stop => ".",
            token => token.word().unwrap_or_default(),
        });
        let both = self.classes.get(class).zip(first);
        let entries = both.and_then(|(class, first)| class.0.get(first));
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
        for lexicon in languages() {
            for item in lexicon.rules.items() {
                let Item::Class(class) = item else { continue };
                let built_in = ["name", "number", "point"].contains(&class.as_str());
                let known = lexicon.classes.contains_key(class);
                assert!(built_in || known, "class {class} is in no lexicon");
            }
        }
        assert!(KINDS.has("cube"));
    }
}
