//! Text from external sources, made safe for display.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns true for characters that hide, or that change the display of others: direction marks,
/// joiners, line separators, tags.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes everything that a terminal or a page would interpret or hide: control characters other
/// than line feeds and tabs, and [invisible](is_invisible) characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(c));
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_plain(c) {
            true => out.push(c),
            // Escapes as in JSON keep JSON valid.
            false => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(out)
}

/// Returns the first hidden character of a text: a control character other than white space, or an
/// [invisible](is_invisible) one. Names with such characters are not what they look like.
pub fn hidden_in(text: &str) -> Option<char> {
    let is_hidden = |c: &char| c.is_control() && !c.is_whitespace() || is_invisible(*c);
    text.chars().find(is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_obeyed_or_hidden_is_spelt_out() {
        let hostile = "a\u{1b}[2Jb\u{202e}c\u{200b}d\u{7}\te\nf";
        let shown = "a\\u001b[2Jb\\u202ec\\u200bd\\u0007\te\nf";
        assert_eq!(visible(hostile), shown);
        assert!(matches!(visible("rote Tasse 红杯\n"), Cow::Borrowed(_)));
    }
}
