//! Code fences around JSON.

/// Returns the text within a code fence if the whole text is one, otherwise the text itself.
/// Arguments are changed in no other way before they are parsed.
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
