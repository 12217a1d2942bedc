//! Names, categories and colours of what had a name in a model.

/// What a name says last that is no number: an `akita_black_bowl_1` is a bowl.
pub(super) fn category_of(name: &str) -> String {
    let is_number = |word: &&str| !word.chars().all(|c| c.is_ascii_digit());
    let last = name.rsplit(['_', '-', ' ']).find(is_number);
    id_of(last.unwrap_or(name))
}

/// The colour that a name says.
pub(super) fn colour_in(name: &str) -> Option<String> {
    let unknown = regrasp_scene::rgba(None);
    let words = name.split(['_', '-', ' ']).map(str::to_ascii_lowercase);
    let mut known = words.filter(|word| regrasp_scene::rgba(Some(word)) != unknown);
    known.next()
}

/// One word for an id.
pub(super) fn id_of(name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    name.chars()
        .map(|c| if is_word(c) { c } else { '_' })
        .collect()
}
