//! Makes text from any source safe to store and to query.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Longest stored text of a case, bytes. A task is a sentence, and a scene a short list.
const MAX_TEXT_BYTES: usize = 4096;

/// Largest number of words in a query, to bound its cost.
const MAX_WORDS: usize = 64;

/// Longest word of a query, characters. Longer ones are noise.
const MAX_WORD_CHARS: usize = 64;

/// Returns a text as it is stored: at most 4096 bytes, and without NULs, at which SQLite's own
/// functions stop.
pub(crate) fn kept(text: &str) -> Cow<'_, str> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// Creates a full-text query that matches any of the words in the texts.
///
/// Words are runs of letters and digits, each in quotes, so none is an operator of the query
/// language. Only the first words of very long texts are used.
pub(crate) fn any_word_of(texts: [&str; 3]) -> String {
    let mut seen = BTreeSet::new();
    let mut query = String::new();
    let texts = texts.map(kept);
    let words = texts
        .iter()
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty() && word.chars().count() <= MAX_WORD_CHARS)
        .map(str::to_lowercase);
    for word in words {
        if seen.len() == MAX_WORDS {
            break;
        }
        if !seen.contains(&word) {
            let or = if query.is_empty() { "" } else { " OR " };
            query.extend([or, "\"", &word, "\""]);
            seen.insert(word);
        }
    }
    if query.is_empty() {
        // An empty phrase matches nothing; an empty query is an error.
        return "\"\"".to_owned();
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_one_by_one_and_said_once() {
        let query = any_word_of(["place_at", "Pick the CUBE, \"red\"", "NEAR(cube*) OR -x:y"]);
        let expected = r#""place" OR "at" OR "pick" OR "the" OR "cube" OR "red" OR "near" OR "or" OR "x" OR "y""#;
        assert_eq!(query, expected);
        assert_eq!(any_word_of(["", "\0\"*", "- ( )"]), "\"\"");
    }

    #[test]
    fn a_query_stays_small_whatever_it_is_asked() {
        let many: String = (0..100_000).map(|i| format!("w{i} ")).collect();
        let long = "x".repeat(1_000_000);
        let query = any_word_of([&long, &many, &long]);
        assert_eq!(query.matches(" OR ").count() + 1, MAX_WORDS);
        assert!(
            !query.contains("xx"),
            "the query has a word that is too long"
        );
    }

    #[test]
    fn a_kept_text_is_cut_between_characters_and_has_no_nul() {
        let text = "ä\0".repeat(10_000);
        let kept = kept(&text);
        // 4096 = 1365 * 3 + 1: the last `ä` does not fit completely.
        assert_eq!(kept, "ä ".repeat(1365));
    }
}
