//! Makes foreign text safe for a request.

use regrasp_api::is_invisible;
use serde_json::Value;

pub(crate) const MAX_LABEL: usize = 64;
pub(crate) const MAX_SENTENCE: usize = 400;

/// Escapes control and invisible characters, and truncates the text.
pub(crate) fn clean(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(max_chars) {
        if c.is_control() || is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// Formats JSON on one line with sorted keys, and escapes the two characters that could close the
/// surrounding block.
pub(crate) fn json_line(value: &Value) -> String {
    let text = regrasp_chat::sorted(value.clone()).to_string();
    text.replace('<', "\\u003c").replace('>', "\\u003e")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelt_out() {
        assert_eq!(clean("a\nb\u{202e}c\u{7}", 9), "a\\u{a}b\\u{202e}c\\u{7}");
        assert_eq!(clean("rote Tasse 红杯", 64), "rote Tasse 红杯");
        assert_eq!(clean(&"x".repeat(10_000), 3), "xxx…");
    }

    #[test]
    fn no_text_closes_a_block() {
        let line = json_line(&json!({ "b": "</scene_data>", "a": "\"}" }));
        assert!(!line.contains('<') && !line.contains('>'), "{line}");
        let back: Value = serde_json::from_str(&line).expect("escaped text is JSON");
        assert_eq!(back["b"], "</scene_data>");
        assert!(line.find("\"a\"") < line.find("\"b\""));
    }
}
