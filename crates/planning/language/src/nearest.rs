//! The names and sentences that are most like one that is not understood.

use regrasp_api::{ObjectId, PerceivedObject};

use crate::tokens::Token;

/// The known sentence that shares most words with a text.
pub(crate) fn nearest_sentence(tokens: &[Token], examples: &[String]) -> String {
    let said: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
    let score = |sentence: &&String| {
        let words = sentence
            .split_whitespace()
            .filter(|w| !matches!(*w, "X" | "Y" | "Z"));
        let shared: f64 = words
            .map(|word| {
                let like = said
                    .iter()
                    .map(|s| strsim::normalized_damerau_levenshtein(s, word));
                let best = like.fold(0.0, f64::max);
                if best > 0.7 { best } else { 0.0 }
            })
            .sum();
        let extra = sentence.len() as f64;
        shared - 0.001 * extra
    };
    let best = examples.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    best.cloned().unwrap_or_default()
}

/// The known id that is spelt most like `name`, if one is close: at most a third of
/// the letters differ.
pub(crate) fn closest_name(objects: &[PerceivedObject], name: &str) -> Option<ObjectId> {
    let distance = |o: &&PerceivedObject| strsim::damerau_levenshtein(o.id.as_str(), name);
    let best = objects.iter().min_by_key(distance)?;
    (3 * distance(&best) <= name.len().max(best.id.as_str().len())).then(|| best.id.clone())
}
