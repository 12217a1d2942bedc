//! Finds the known names and sentences that are nearest to one that is not understood.

use regrasp_api::{ObjectId, PerceivedObject};

/// Least similarity at which a word counts as a misspelling of another.
const SPELT_ALIKE: f64 = 0.7;
/// Least fraction of common words at which two sentences are near.
const NEAR: f64 = 0.5;

/// Returns the example sentence that shares most words with a text, if at least half of the words
/// of both are the same, not counting nouns.
pub(crate) fn nearest_sentence(text: &[&str], examples: &[String]) -> Option<String> {
    let nearness = |sentence: &String| {
        let words = sentence.split_whitespace();
        let words: Vec<_> = words.filter(|w| !matches!(*w, "X" | "Y" | "Z")).collect();
        let shared = words.iter().map(|word| {
            let like = text
                .iter()
                .map(|s| strsim::normalized_damerau_levenshtein(s, word));
            like.filter(|like| *like > SPELT_ALIKE).fold(0.0, f64::max)
        });
        2.0 * shared.sum::<f64>() / (words.len() + text.len()) as f64
    };
    let scored = examples
        .iter()
        .map(|sentence| (nearness(sentence), sentence));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(nearness, _)| *nearness >= NEAR)
        .map(|(_, sentence)| sentence.clone())
}

/// Returns the known id whose spelling is nearest to `name`, if at most a third of the letters
/// differ.
pub(crate) fn closest_name(objects: &[PerceivedObject], name: &str) -> Option<ObjectId> {
    let distance = |o: &&PerceivedObject| strsim::damerau_levenshtein(o.id.as_str(), name);
    let best = objects.iter().min_by_key(distance)?;
    (3 * distance(&best) <= name.len().max(best.id.as_str().len())).then(|| best.id.clone())
}
