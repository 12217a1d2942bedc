//! Text that came from elsewhere, for people.

/// The beginning of a text that came from elsewhere.
pub(crate) fn shortened(text: &str, n_chars: usize) -> String {
    let mut short: String = text.chars().take(n_chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
