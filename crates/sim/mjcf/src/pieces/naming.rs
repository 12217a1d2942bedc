//! Ids, categories and colours derived from names in a model.

/// Last word of a name that is not a number: an `akita_black_bowl_1` is a bowl.
pub(super) fn category_of(name: &str) -> String {
    let is_word = |word: &&str| !word.chars().all(|c| c.is_ascii_digit());
    let last = name.rsplit(['_', '-', ' ']).find(is_word);
    id_of(last.unwrap_or(name))
}

/// First colour in a name.
pub(super) fn colour_in(name: &str) -> Option<String> {
    let unknown = regrasp_scene::rgba(None);
    let words = name.split(['_', '-', ' ']).map(str::to_ascii_lowercase);
    let mut known = words.filter(|word| regrasp_scene::rgba(Some(word)) != unknown);
    known.next()
}

/// Replaces characters that an id may not have by `_`.
pub(super) fn id_of(name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    name.chars()
        .map(|c| if is_word(c) { c } else { '_' })
        .collect()
}
