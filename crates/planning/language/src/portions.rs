//! Cuts a text into portions that each say one thing, whether or not the grammar reads them.

use crate::lexicon::languages;

/// Returns the portions of a text, in their order: it is cut after punctuation and after words that
/// join clauses. A single word belongs to the portion beside it. Together they are the whole text
/// but for the punctuation between them.
pub fn portions(text: &str) -> Vec<String> {
    let mut portions: Vec<Vec<&str>> = vec![vec![]];
    for word in text.split_whitespace() {
        if let Some(last) = portions.last_mut() {
            last.push(word);
            let ends = word.ends_with([',', ';', ':', '.', '!', '?']);
            let joins = languages().any(|it| it.joins.contains(&word.to_lowercase()));
            if last.len() > 1 && (ends || joins) {
                portions.push(vec![]);
            }
        }
    }
    if let Some(rest) = portions.pop_if(|rest| rest.len() < 2) {
        match portions.last_mut() {
            Some(last) => last.extend(rest),
            None => portions.push(rest),
        }
    }
    let is_mark = |c: char| !c.is_alphanumeric();
    let portions = portions.iter().map(|words| words.join(" "));
    let portions = portions.map(|portion| portion.trim_matches(is_mark).to_owned());
    portions.filter(|portion| !portion.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::portions;

    #[test]
    fn texts_are_cut_after_marks_and_joins() {
        for text in [
            "put it on the plate",
            "Hide the toy in the trunk and| let nobody look in|.",
            "Two cans|, alphabet soup plus tomato sauce|, go in, please|!",
            "rot auf grün|, dann blau",
            "0.5 cm to the left: now",
            "|...",
            "",
        ] {
            let cut = text.split('|');
            let cut = cut.map(|part| part.trim_matches([' ', ',', '.', '!']));
            let cut: Vec<_> = cut.filter(|part| !part.is_empty()).collect();
            assert_eq!(portions(&text.replace('|', "")), cut, "{text}");
        }
    }
}
