//! Removes asides from a text: pieces that ask for nothing, such as reasons, beneficiaries or
//! feelings.
//!
//! A text is cut at its pauses and at the beginning of a reason. A piece is an aside if it has a
//! person or a verb of telling, and nothing in it can be a part of a command: no name or quality of
//! a perceived object, no number, and no word that begins a command, a condition, an exception or a
//! correction. A piece with a duty of the listener is never an aside. A reason may contain object
//! names. In doubt a piece stays, and is then read or rejected.

use crate::lexicon::Lexicon;
use crate::tokens::{Token, tidy};

/// Classes of words that occur in no aside.
const PARTS: [&str; 8] = [
    "otherwise",
    "adverb",
    "one",
    "rest",
    "everything",
    "other_one",
    "heading",
    "staying",
];

/// First token of a piece, and the token after its last.
type Span = (usize, usize);

/// Returns the text without asides, and the asides' spans in the original text; `None` if there are
/// none.
pub(crate) fn without_asides(
    tokens: &[Token],
    lexicon: &Lexicon,
    is_seen: &dyn Fn(&str) -> bool,
) -> Option<(Vec<Token>, Vec<Span>)> {
    let starts = |rules: &[&str], at: usize| {
        let mut rules = rules.iter();
        rules.any(|rule| lexicon.starts(rule, tokens, at))
    };
    let begins = |class: &str, at: usize| lexicon.begins(class, tokens, at);
    let names = |at: usize| match &tokens[at] {
        // In "so I can see", "can" is a verb and not an object.
        Token::Word(word) => {
            let is_verb = at > 0 && begins("person", at - 1);
            (is_seen(word) && !is_verb)
                || word.parse::<f64>().is_ok()
                || PARTS.iter().any(|class| begins(class, at))
        }
        Token::Point(_) => true,
        Token::Comma | Token::Stop => false,
    };
    // In "he wants a little peace", "little" describes no object.
    let any = |class: &str, from: usize, to: usize| (from..to).any(|at| begins(class, at));
    let describes = |from: usize, to: usize| {
        let mut words = tokens[from..to].iter().filter_map(Token::word);
        let is_described =
            words.any(|word| lexicon.describes(word) || lexicon.is_of("count", word));
        is_described && (any("mark", from, to) || !any("person", from, to))
    };
    let (mut plain, mut asides) = (vec![], vec![]);
    for (from, to) in pieces(tokens, lexicon) {
        // A conjunction is not a part of the piece.
        let lead = lexicon.ends("lead", tokens, from).into_iter().max();
        let own = lead.unwrap_or(from);
        let is_command = own < to
            && (starts(&["action", "clause"], own)
                || ["mark", "except", "not", "if"]
                    .iter()
                    .any(|class| begins(class, own)));
        // A reason may contain object names.
        let is_reason =
            begins("reason", from) && !(from..to).any(|at| starts(&["action", "wish"], at));
        let is_clause = any("person", from, to) || any("finite", from, to);
        let stays = !is_clause
            || any("duty", from, to)
            || is_command
            || own >= to
            || describes(own, to)
            || (own..to).any(names);
        match stays && !is_reason {
            true => {
                let pause = from.checked_sub(1).map(|at| &tokens[at]);
                let pause = pause.filter(|token| token.word().is_none());
                let joints = ["joint", "in_turn"].map(|class| lexicon.ends(class, tokens, from));
                let joint = joints.into_iter().flatten().min();
                let from = joint.filter(|_| plain.is_empty()).unwrap_or(from);
                plain.push(pause.cloned().unwrap_or(Token::Comma));
                plain.extend_from_slice(&tokens[from..to]);
            }
            false => asides.push((from, to)),
        }
    }
    let plain = tidy(plain);
    (!plain.is_empty() && !asides.is_empty()).then_some((plain, asides))
}

/// Splits at pauses and at the beginnings of reasons.
fn pieces(tokens: &[Token], lexicon: &Lexicon) -> Vec<Span> {
    let mut pieces = vec![];
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_pause = token.is_pause();
        if is_pause || (at > from && lexicon.begins("reason", tokens, at)) {
            pieces.push((from, at));
            from = at + usize::from(is_pause);
        }
    }
    pieces.push((from, tokens.len()));
    pieces.retain(|(from, to)| from < to);
    pieces
}
