//! Splits and joins the elements of lists in texts.

/// Splits at a symbol or word outside of parentheses, ignoring case.
pub(crate) fn split<'t>(text: &'t str, by: &str) -> Vec<&'t str> {
    let (mut pieces, mut depth, mut from) = (vec![], 0_i32, 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let here = text.get(at..at + by.len());
        if depth == 0 && at >= from && here.is_some_and(|s| s.eq_ignore_ascii_case(by)) {
            pieces.push(&text[from..at]);
            from = at + by.len();
        }
    }
    pieces.push(&text[from..]);
    pieces
}

/// Joins the texts of elements.
pub(crate) fn joined<T: ToString>(of: impl IntoIterator<Item = T>, by: &str) -> String {
    let texts: Vec<String> = of.into_iter().map(|one| one.to_string()).collect();
    texts.join(by)
}
