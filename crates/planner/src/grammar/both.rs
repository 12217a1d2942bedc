//! "Side by side" and "on both": two objects in one clause.

use super::Command;
use super::token::Token;

/// Verbs that may begin "… X and Y side by side".
const PUT: [&str; 7] = ["put", "place", "move", "set", "drop", "carry", "bring"];
/// What "both" is called.
const BOTH: [&str; 5] = ["both", "both of them", "them", "them both", "two"];

/// "put X and Y side by side and Z on both" as "put X against Y; put Z on both".
pub(super) fn spelled_out(tokens: Vec<Token>) -> Vec<Token> {
    let is = |idx: usize, words: &[&str]| {
        let word = tokens.get(idx).and_then(Token::lower);
        word.is_some_and(|w| words.contains(&w.as_str()))
    };
    let side = |idx: &usize| is(*idx, &["side"]) && is(idx + 1, &["by"]) && is(idx + 2, &["side"]);
    let Some(side) = (0..tokens.len()).find(side) else {
        return tokens;
    };
    let verb = (0..side).rev().find(|idx| is(*idx, &PUT));
    let and = verb.and_then(|verb| (verb..side).find(|idx| is(*idx, &["and"])));
    let (Some(_), Some(and)) = (verb, and) else {
        return tokens;
    };
    let word = |text: &str| Token::Word(text.to_owned());
    let mut out = tokens[..and].to_vec();
    out.push(word("against"));
    out.extend_from_slice(&tokens[and + 1..side]);
    out.push(Token::Break);
    let mut rest = side + 3;
    while is(rest, &["and", "then"]) || tokens.get(rest) == Some(&Token::Break) {
        rest += 1;
    }
    // The verb may be left out: "… and the blue cube on both".
    if is(rest, &["the", "a", "an"]) {
        out.push(word("put"));
    }
    out.extend_from_slice(&tokens[rest..]);
    out
}

/// A command whose target is two things, as one that says so. `None` if it is not known
/// which two.
pub(super) fn resolved(command: Command, before: &[Command]) -> Option<Command> {
    let Command::PutOn { object, target } = command else {
        return Some(command);
    };
    if BOTH.contains(&target.to_lowercase().as_str()) {
        let pair = before.iter().rev().find_map(|c| match c {
            Command::PutAgainst { object, target } => Some([object.clone(), target.clone()]),
            _ => None,
        });
        return pair.map(|targets| Command::PutAcross { object, targets });
    }
    let two = target.split_once(" and ");
    Some(match two {
        Some((a, b)) => {
            let [a, b] = [a, b].map(|name| {
                let name = name.trim();
                let articles = ["the ", "a ", "an ", "my "];
                let bare = articles
                    .iter()
                    .find_map(|article| name.strip_prefix(article));
                bare.unwrap_or(name).to_owned()
            });
            Command::PutAcross {
                object,
                targets: [a, b],
            }
        }
        None => Command::PutOn { object, target },
    })
}
