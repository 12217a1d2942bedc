//! "… and touch nothing else": a condition on the whole task, wherever it stands.

use super::token::Token;

/// Words for one place of a pattern; a place that is optional lists an empty word.
type Place = &'static [&'static str];

const DOING: Place = &["touch", "move", "disturb", "shift"];
const THINGS: Place = &["thing", "things", "object", "objects", "one", "ones", ""];

/// What else there is: "anything else", "any other objects", "the others", "the rest".
const OTHERS: [&[Place]; 3] = [
    &[&["anything", "everything", "nothing"], &["else"]],
    &[&["any", "the", "all", "all the"], &["other"], THINGS],
    &[&["the", "all", ""], &["others", "rest"]],
];
/// What comes before that.
const BEFORE: [&[Place]; 3] = [
    &[
        &["without"],
        &["touching", "moving", "disturbing", "shifting"],
    ],
    &[&["do", ""], &["not", "don't", "dont", "never"], DOING],
    &[&["leave"]],
];
/// What may follow "leave the others".
const AFTER: [&[Place]; 4] = [
    &[&["where"], &["it", "they"], &["is", "are"]],
    &[&["as"], &["it", "they"], &["is", "are"]],
    &[&["in"], &["place"]],
    &[&["alone", "untouched"]],
];
/// The whole in one.
const ALONE: [&[Place]; 2] = [
    &[DOING, &["nothing"], &["else"]],
    &[DOING, &["no"], &["other", "others"], THINGS],
];

/// The tokens without such a condition, and whether there was one.
pub(super) fn without_condition(tokens: Vec<Token>) -> (Vec<Token>, bool) {
    let found = (0..tokens.len()).find_map(|start| Some((start, length(&tokens[start..])?)));
    let Some((start, n)) = found else {
        return (tokens, false);
    };
    let is_link = |t: &Token| {
        t.lower()
            .is_some_and(|w| ["and", "but"].contains(&w.as_str()))
    };
    let before = &tokens[..start];
    let before = match before.split_last() {
        Some((last, rest)) if is_link(last) => rest,
        _ => before,
    };
    let mut left = before.to_vec();
    left.push(Token::Break);
    left.extend_from_slice(&tokens[start + n..]);
    // It may be said twice.
    (without_condition(left).0, true)
}

/// How many tokens a condition at the beginning takes.
fn length(tokens: &[Token]) -> Option<usize> {
    let one_of = |patterns: &[&[Place]], from: usize| {
        let rest = tokens.get(from..)?;
        patterns.iter().find_map(|pattern| matched(pattern, rest))
    };
    if let Some(n) = one_of(&ALONE, 0) {
        return Some(n);
    }
    let before = one_of(&BEFORE, 0)?;
    let others = before + one_of(&OTHERS, before)?;
    Some(others + one_of(&AFTER, others).unwrap_or(0))
}

/// How many tokens a pattern takes at the beginning, if it is there.
fn matched(pattern: &[Place], tokens: &[Token]) -> Option<usize> {
    let mut n = 0;
    for place in pattern {
        let word = tokens.get(n).and_then(Token::lower);
        if word.is_some_and(|word| place.contains(&word.as_str())) {
            n += 1;
        } else if !place.contains(&"") {
            return None;
        }
    }
    Some(n)
}
