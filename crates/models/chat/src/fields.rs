//! Parsing of call arguments in the forms that servers and models use.

use serde_json::Value;

use crate::BrokenArguments;

/// Parses arguments: an object, or a string that contains one, quoted any number of times. A
/// missing value means no arguments.
pub(crate) fn arguments(value: Option<Value>) -> Result<Value, BrokenArguments> {
    let text = match value {
        None | Some(Value::Null) => return Ok(Value::Object(serde_json::Map::new())),
        Some(Value::String(text)) => text,
        Some(other) => return Ok(other),
    };
    if text.trim().is_empty() {
        return arguments(None);
    }
    match first_value(strip_fence(&text)) {
        // Some servers quote the string twice.
        Ok(Value::String(inner)) if inner != text => arguments(Some(Value::String(inner))),
        Ok(value) => Ok(value),
        Err(error) => Err(BrokenArguments {
            error: error.to_string(),
            text,
        }),
    }
}

/// Parses a JSON value. Ignores a repetition of the value, or an end mark of the model such as
/// `</s>`, which some servers append.
fn first_value(text: &str) -> Result<Value, serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let Some(Ok(first)) = values.next() else {
        return serde_json::from_str(text);
    };
    let (own, behind) = text.split_at(values.byte_offset());
    let behind = behind.trim();
    match behind.starts_with('<') || behind == own.trim() {
        true => Ok(first),
        false => serde_json::from_str(text),
    }
}

/// Returns the text within a code fence if the whole text is one, otherwise the text itself without
/// surrounding white space.
pub fn strip_fence(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|t| t.strip_suffix("```")) else {
        return text;
    };
    // A word after the opening fence names the language.
    match inner.split_once('\n') {
        Some((word, rest)) if word.trim().chars().all(char::is_alphanumeric) => rest.trim(),
        _ => inner.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_goes_and_nothing_else_does() {
        assert_eq!(strip_fence("```json\n{\"x\": 1}\n```"), "{\"x\": 1}");
        assert_eq!(strip_fence("```{\"x\": 1}```"), "{\"x\": 1}");
        assert_eq!(strip_fence(" {\"x\": 1,} "), "{\"x\": 1,}");
        assert_eq!(strip_fence("so: ```{}```"), "so: ```{}```");
        assert_eq!(strip_fence("```"), "```");
    }
}
