//! Matches words with the names of objects.

use std::collections::BTreeSet;

use regrasp_api::{PerceivedObject, Shape};

use crate::lexicon::{KINDS, Lexicon};

/// Quality of the match of a word with an object, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The word is the object's id.
    Id,
    /// Several words are the complete kind. "the salad dressing" does not mean
    /// `new_salad_dressing`.
    Whole,
    /// The word is the object's kind.
    Exact,
    /// The word is a part of the id or kind: "the soup" for `soup_can`.
    Part,
    /// The word is a synonym of a part.
    Same,
    /// The word is a hypernym of the kind.
    Kind,
    /// The word is what the object is for: "the fruit" for `fruit_bowl`, if there is no fruit.
    Holder,
}

/// Splits an object's name at symbols.
pub(crate) fn pieces_of(name: &str) -> impl Iterator<Item = String> {
    let pieces = name.split(|c: char| !c.is_alphanumeric());
    pieces.filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Words of an object's name, without numbers.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let is_word = |piece: &String| piece.parse::<f64>().is_err();
    pieces_of(name).filter(is_word).collect()
}

#[derive(Clone, Debug)]
pub(crate) struct Names {
    id: String,
    kind: String,
    /// Last words of id and kind, which say what the object is.
    heads: Vec<String>,
    pub(crate) all: Vec<String>,
    /// Words that the shape alone justifies: "round" for a ball.
    shaped: &'static BTreeSet<String>,
}

impl Names {
    pub(crate) fn of(object: &PerceivedObject) -> Self {
        let shaped = KINDS.with(match object.shape {
            Shape::Sphere { .. } => "sphere",
            Shape::Cylinder(_) => "cylinder",
            _ => "",
        });
        Self {
            shaped,
            ..Self::from_texts(object.id.as_str(), &object.category)
        }
    }

    pub(crate) fn from_texts(id: &str, category: &str) -> Self {
        let (of_id, of_kind) = (words_of(id), words_of(category));
        let mut heads = Vec::from_iter(of_id.last().cloned());
        // A book of the kind "box" is rather called a book.
        match (of_id.last(), of_kind.as_slice()) {
            (Some(own), [kind]) if KINDS.are_apart(own, kind) => {}
            (_, words) => heads.extend(words.last().cloned()),
        }
        Self {
            id: id.to_lowercase(),
            kind: of_kind.join(" "),
            heads,
            all: [of_id, of_kind].concat(),
            shaped: KINDS.with(""),
        }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.all.iter().any(|w| w == word) || self.id == word
    }

    /// Returns how well the words of a noun match. The last word must say what the object is.
    pub(crate) fn fit(&self, noun: &[String], lexicon: &Lexicon) -> Option<Fit> {
        if noun.join("_") == self.id || noun.join(" ") == self.id {
            return Some(Fit::Id);
        }
        if noun.len() > 1 && noun.join(" ") == self.kind {
            return Some(Fit::Whole);
        }
        let mut fit = Fit::Exact;
        let last = noun.len().checked_sub(1)?;
        for (i, word) in noun.iter().enumerate() {
            fit = fit.max(self.fit_of(word, i == last, lexicon)?);
        }
        Some(fit)
    }

    fn fit_of(&self, word: &str, is_head: bool, lexicon: &Lexicon) -> Option<Fit> {
        let meanings = lexicon.scene_words(word);
        // In "dairy products", the other word decides.
        if is_head && meanings == ["thing"] {
            return Some(Fit::Exact);
        }
        if let [a, b, ..] = meanings.as_slice()
            && self.has(a)
            && self.has(b)
        {
            return Some(Fit::Exact);
        }
        let any = |fits: &dyn Fn(&str, &str) -> bool, words: &[String]| {
            words
                .iter()
                .any(|own| meanings.iter().any(|w| fits(own, w)))
        };
        let equal = |own: &str, w: &str| own == w || own == word;
        let same = |own: &str, w: &str| KINDS.same(own, w);
        let kind = |own: &str, w: &str| KINDS.is_a(own, w);
        let own = if is_head { &self.heads } else { &self.all };
        if any(&equal, own) {
            Some(Fit::Exact)
        } else if any(&equal, &self.all) {
            let holds = any(&|own, _| KINDS.is_a(own, "container"), &self.heads);
            Some(if is_head && holds {
                Fit::Holder
            } else {
                Fit::Part
            })
        } else if any(&same, own) {
            Some(Fit::Same)
        } else {
            // "the biscuits" match a cookie box.
            let is_kind = any(&kind, &self.heads) || any(&same, &self.all);
            let is_shaped = meanings.iter().any(|w| self.shaped.contains(w));
            (is_kind || is_shaped).then_some(Fit::Kind)
        }
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::Shape;
    use regrasp_testkit::{cuboid, thing};

    use super::*;
    use crate::lexicon::ENGLISH;

    #[test]
    fn a_shape_deserves_a_word_besides_the_name() {
        let round = |shape| {
            let names = Names::of(&thing("plum", "plum", shape, [0.0; 3]));
            names.fit(&["round".into(), "thing".into()], &ENGLISH)
        };
        assert_eq!(round(Shape::Sphere { radius: 0.02 }), Some(Fit::Kind));
        assert_eq!(round(cuboid([0.02; 3])), None);
    }
}
