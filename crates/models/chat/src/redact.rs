//! Removes secrets from everything that a server sends, in any encoding.
//!
//! All data of a server passes here once, decoded, before any other code reads it: bodies as JSON
//! or text, and headers. Entities are decoded by `html-escape`, percent-encoding by
//! `percent-encoding`; both are widely used and maintained.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::{ApiKey, ChatAnswer};

/// Shortest key that is removed, bytes. Shorter ones are placeholders for local servers (`none`,
/// `EMPTY`) or common words, whose removal would damage answers.
const SHORTEST_SECRET: usize = 8;
const REDACTED: &str = "[key]";
/// Largest number of nested encodings that are decoded.
const MAX_LAYERS: usize = 5;

/// Secrets in every encoding that is searched for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<ApiKey>);

impl Secrets {
    pub(crate) fn new(all: impl IntoIterator<Item = ApiKey>) -> Self {
        let long = all
            .into_iter()
            .filter(|key| key.expose().len() >= SHORTEST_SECRET);
        let spelt = long.flat_map(|key| spellings(key.expose()));
        Self(spelt.map(|spelling| ApiKey::new(&spelling)).collect())
    }

    /// Returns the text without secrets. A text that contains an encoded secret is returned
    /// decoded.
    pub(crate) fn out_of_text(&self, text: String) -> String {
        // Fast path: an answer can have thousands of short texts.
        if self.0.is_empty() || text.len() < SHORTEST_SECRET {
            return text;
        }
        let mut text = self.plainly_out_of(text);
        // Each round removes one encoding. Text that still contains a secret is dropped.
        for _ in 0..MAX_LAYERS {
            match self.spelt_otherwise(&text) {
                None => return text,
                Some(plain) => text = self.plainly_out_of(plain),
            }
        }
        REDACTED.to_owned()
    }

    /// Returns the JSON without secrets in any of its strings.
    pub(crate) fn out_of(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.out_of_text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.out_of(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                fields
                    .map(|(name, value)| (self.out_of_text(name), self.out_of(value)))
                    .collect()
            }
            // The key may consist of digits only.
            Value::Number(n) => match self.out_of_text(n.to_string()) {
                text if text == n.to_string() => Value::Number(n),
                text => Value::String(text),
            },
            other => other,
        }
    }

    pub(crate) fn out_of_answer(&self, mut answer: ChatAnswer) -> ChatAnswer {
        let clean = |text: &mut String| *text = self.out_of_text(std::mem::take(text));
        let texts = [&mut answer.text, &mut answer.thoughts].into_iter();
        texts.chain(&mut answer.refusal).for_each(clean);
        for call in &mut answer.calls {
            [&mut call.id, &mut call.name].into_iter().for_each(clean);
            match &mut call.arguments {
                Ok(arguments) => *arguments = self.out_of(arguments.take()),
                Err(broken) => [&mut broken.text, &mut broken.error]
                    .into_iter()
                    .for_each(clean),
            }
        }
        answer
    }

    fn plainly_out_of(&self, text: String) -> String {
        if !self.are_in(&text) {
            return text;
        }
        let replace = |text: String, spelling: &ApiKey| text.replace(spelling.expose(), REDACTED);
        self.0.iter().fold(text, replace)
    }

    fn are_in(&self, text: &str) -> bool {
        self.0
            .iter()
            .any(|spelling| text.contains(spelling.expose()))
    }

    /// Decodes the text until a secret shows; `None` if none does.
    fn spelt_otherwise(&self, text: &str) -> Option<String> {
        let mut layers = vec![text.to_owned()];
        for depth in 0..MAX_LAYERS {
            let from = layers.get(depth)?.clone();
            let next = decoded(&from);
            if next == from {
                return None;
            }
            if self.are_in(&next) {
                return Some(next);
            }
            layers.push(next);
        }
        None
    }
}

/// Returns a key in plain text, in hexadecimal, and in base64 at any offset in a longer text.
fn spellings(key: &str) -> Vec<String> {
    let lower: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut all = vec![key.to_owned(), lower.to_uppercase(), lower];
    for offset in 0..3 {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(key.as_bytes());
        // Letters that also encode bits of neighbouring bytes are left out.
        let (skip, n_bits) = ((offset * 8).div_ceil(6), bytes.len() * 8);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let letters = engine.encode(&bytes);
            if let Some(own) = letters.get(skip..n_bits / 6) {
                all.push(own.to_owned());
            }
        }
    }
    all
}

/// Removes one layer of JSON, URL and HTML escapes, and invisible characters.
fn decoded(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    let json = without_backslashes(&shown);
    let url = percent_decode_str(&json).decode_utf8_lossy();
    html_escape::decode_html_entities(&url).into_owned()
}

/// Returns true for control, direction and zero-width characters. A key with such characters in it
/// would look like the key wherever they are not shown.
fn is_invisible(c: char) -> bool {
    c.is_control() || regrasp_api::is_invisible(c)
}

fn without_backslashes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let code = after
            .strip_prefix(['u', 'x'])
            .map(|hex| (hex, if after.starts_with('u') { 4 } else { 2 }));
        let letter = code.and_then(|(hex, n)| {
            let code = u32::from_str_radix(hex.get(..n)?, 16).ok()?;
            Some((char::from_u32(code)?, n + 1))
        });
        match letter {
            Some((letter, n)) => {
                out.push(letter);
                rest = &after[n..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-very/secret+0123=56789";

    fn secrets() -> Secrets {
        Secrets::new([ApiKey::new(KEY), ApiKey::new("none")])
    }

    fn hex(prefix: &str, suffix: &str, upper: bool) -> String {
        let code = |c: u8| match (upper, prefix) {
            (_, "\\u") => format!("\\u{c:04x}"),
            (true, _) => format!("{prefix}{c:02X}{suffix}"),
            (false, _) => format!("{prefix}{c:02x}{suffix}"),
        };
        KEY.bytes().map(code).collect()
    }

    fn all_spellings() -> Vec<String> {
        let decimal: String = KEY.bytes().map(|c| format!("&#{c};")).collect();
        let invisible: String = KEY.chars().flat_map(|c| [c, '\u{200b}']).collect();
        let control: String = KEY.chars().flat_map(|c| [c, '\u{7}']).collect();
        let mut all = vec![
            KEY.to_owned(),
            KEY.replace('/', "\\/"),
            KEY.replace('/', "%2F").replace('+', "%2B"),
            KEY.replace('/', "%252F"),
            KEY.replace('/', "&#47;").replace('+', "&plus;"),
            KEY.replace('/', "\\\\\\/"),
            hex("\\u", "", false),
            hex("\\x", "", false),
            hex("%", "", true),
            hex("%", "", false),
            hex("&#x", ";", true),
            decimal,
            invisible,
            control,
            hex("", "", false),
            hex("", "", true),
        ];
        for before in ["", "a", "ab", "Bearer "] {
            let text = format!("{before}{KEY} and more");
            all.push(base64::engine::general_purpose::STANDARD.encode(&text));
            all.push(base64::engine::general_purpose::URL_SAFE.encode(&text));
        }
        all
    }

    /// Returns true if the key can be recovered from the text.
    fn shows(text: &str) -> bool {
        let mut text = text.to_owned();
        for _ in 0..6 {
            if spellings(KEY).iter().any(|s| text.contains(s.as_str())) {
                return true;
            }
            text = decoded(&text);
        }
        false
    }

    #[test]
    fn no_spelling_gets_through() {
        for spelling in all_spellings() {
            let said = secrets().out_of_text(format!("wrong key {spelling}, try another"));
            assert!(!shows(&said), "{spelling}: {said}");
            assert!(said.contains(REDACTED), "{spelling}: {said}");
            // Within JSON, as a value and as a name.
            let body = serde_json::json!({ "error": { "message": spelling, spelling.clone(): 1 } });
            let said = secrets().out_of(body).to_string();
            assert!(!shows(&said), "{spelling}: {said}");
        }
    }

    #[test]
    fn other_texts_and_placeholders_stay_as_they_are() {
        for text in [
            "none of them",
            "100 % of C:\\temp &amp; \u{200b}more",
            "{\"a\": \"\\u00e9\"}",
        ] {
            assert_eq!(secrets().out_of_text(text.to_owned()), text);
        }
    }

    #[test]
    fn a_key_of_digits_is_none_as_a_number_either() {
        let secrets = Secrets::new([ApiKey::new("1234567890")]);
        let said = secrets.out_of(serde_json::json!({ "code": 1234567890, "n": 12 }));
        assert_eq!(said, serde_json::json!({ "code": REDACTED, "n": 12 }));
    }
}
