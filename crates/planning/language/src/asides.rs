//! Pieces of a text that ask for nothing: why, for whom, how somebody is.
//!
//! A text is cut at its pauses, and where a reason begins. A piece is an aside if it has a person or
//! a verb that tells, and nothing in it could be a part of a command: no name or quality of something
//! that is seen, no number, no word that begins a command, a condition, an exception or a correction.
//! What names a duty of the one who is spoken to is none, whatever it is about. A reason may name
//! what it is about. Whatever is in doubt stays, and is then read or refused.

use crate::lexicon::Lexicon;
use crate::tokens::{Token, begins_with, tidy};

/// Classes of words that are no part of an aside.
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

/// The words of a piece: where they begin and end.
type Span = (usize, usize);

/// The text without asides, and where they are in the text as it was; `None` without any.
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
        // "so I can see": no can.
        Token::Word(word) => {
            let is_verb = at > 0 && begins("person", at - 1);
            (is_seen(word) && !is_verb)
                || word.parse::<f64>().is_ok()
                || PARTS.iter().any(|class| begins(class, at))
        }
        Token::Point(_) => true,
        Token::Comma | Token::Stop => false,
    };
    // "he wants a little peace" tells nothing of a thing.
    let tells = |from: usize, to: usize| {
        let any = |class: &str| (from..to).any(|at| begins(class, at));
        let mut words = tokens[from..to].iter().filter_map(Token::word);
        let is_told = words.any(|word| lexicon.tells(word) || lexicon.is_of("count", word));
        is_told && (any("mark") || !any("person"))
    };
    let (mut plain, mut asides) = (vec![], vec![]);
    for (from, to) in pieces(tokens, lexicon) {
        // What only joins it to others.
        let lead = lexicon.ends("lead", tokens, from).last().copied();
        let own = lead.unwrap_or(from);
        let is_command = own < to
            && (starts(&["action", "clause"], own)
                || ["mark", "except", "not", "if"]
                    .iter()
                    .any(|class| begins(class, own)));
        // A reason may name what it is about.
        let is_reason = lexicon
            .reasons
            .iter()
            .any(|words| begins_with(tokens, from, words))
            && !(from..to).any(|at| starts(&["action", "wish"], at));
        let any = |class: &str| (from..to).any(|at| begins(class, at));
        let is_clause = any("person") || any("finite");
        let stays = !is_clause
            || any("duty")
            || is_command
            || own >= to
            || tells(own, to)
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

/// The pieces from one pause, or beginning of a reason, to the next.
fn pieces(tokens: &[Token], lexicon: &Lexicon) -> Vec<Span> {
    let reasons = &lexicon.reasons;
    let is_reason = |at: usize| reasons.iter().any(|words| begins_with(tokens, at, words));
    let mut pieces = vec![];
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_pause = matches!(token, Token::Comma | Token::Stop);
        if is_pause || (at > from && is_reason(at)) {
            pieces.push((from, at));
            from = at + usize::from(is_pause);
        }
    }
    pieces.push((from, tokens.len()));
    pieces.retain(|(from, to)| from < to);
    pieces
}
