//! Untrusted text in messages.

/// Shortens an untrusted text to its first characters.
pub(crate) fn shortened(text: &str, n_chars: usize) -> String {
    let mut short: String = text.chars().take(n_chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
