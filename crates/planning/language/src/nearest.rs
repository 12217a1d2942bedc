//! The names and sentences that are most like one that is not understood.

use regrasp_api::{ObjectId, PerceivedObject};

/// Likeness of two words from which on one is the other, misspelt.
const SPELT_ALIKE: f64 = 0.7;
/// Part of the words of two sentences that they have in common, from which on they are near.
const NEAR: f64 = 0.5;

/// The known sentence that shares most words with a text, if it is near: at least half of the words of
/// both, without those for things, are the same.
pub(crate) fn nearest_sentence(said: &[&str], examples: &[String]) -> Option<String> {
    let nearness = |sentence: &String| {
        let words = sentence.split_whitespace();
        let words: Vec<_> = words.filter(|w| !matches!(*w, "X" | "Y" | "Z")).collect();
        let shared = words.iter().map(|word| {
            let like = said
                .iter()
                .map(|s| strsim::normalized_damerau_levenshtein(s, word));
            like.filter(|like| *like > SPELT_ALIKE).fold(0.0, f64::max)
        });
        2.0 * shared.sum::<f64>() / (words.len() + said.len()) as f64
    };
    let scored = examples
        .iter()
        .map(|sentence| (nearness(sentence), sentence));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(nearness, _)| *nearness >= NEAR)
        .map(|(_, sentence)| sentence.clone())
}

/// The known id that is spelt most like `name`, if one is close: at most a third of
/// the letters differ.
pub(crate) fn closest_name(objects: &[PerceivedObject], name: &str) -> Option<ObjectId> {
    let distance = |o: &&PerceivedObject| strsim::damerau_levenshtein(o.id.as_str(), name);
    let best = objects.iter().min_by_key(distance)?;
    (3 * distance(&best) <= name.len().max(best.id.as_str().len())).then(|| best.id.clone())
}
