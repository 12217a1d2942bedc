//! Removes asides from a text: pieces that ask for nothing, such as reasons, beneficiaries or
//! feelings.
//!
//! A text is cut at its pauses and at the beginning of a reason. A piece is an aside if it has a
//! person or another word of statements, such as "is", and nothing in it can be a part of a
//! command: no name of a perceived object, no quality, no number, and no word that begins a
//! command, a condition, an exception or a correction. A piece with a duty of the listener is never
//! an aside. A reason may contain object names. In doubt a piece stays, and is then read or
//! rejected.
//!
//! First, contractions are expanded and polite words dropped.

use crate::lexicon::Lexicon;
use crate::tokens::{Token, tidy, tokens};

/// First token of a piece, and the token after its last.
type Span = (usize, usize);

/// Returns the text without asides, and the asides' spans in the original text; `None` if there are
/// none or nothing else.
pub(crate) fn without_asides(
    tokens: &[Token],
    lexicon: &Lexicon,
    is_seen: &dyn Fn(&str) -> bool,
) -> Option<(Vec<Token>, Vec<Span>)> {
    let starts =
        |rules: &[&str], at: usize| rules.iter().any(|rule| lexicon.starts(rule, tokens, at));
    let begins = |class: &str, at: usize| lexicon.begins(class, tokens, at);
    let names = |at: usize| match &tokens[at] {
        // In "so I can see", "can" is a verb and not an object.
        Token::Word(word) => {
            let is_verb = at > 0 && begins("person", at - 1);
            (is_seen(word) && !is_verb) || word.parse::<f64>().is_ok() || starts(&["no_aside"], at)
        }
        Token::Point(_) => true,
        Token::Comma | Token::Stop => false,
    };
    // In "he wants a little peace", "little" describes no object.
    let any = |class: &str, from: usize, to: usize| (from..to).any(|at| begins(class, at));
    let describes = |from: usize, to: usize| {
        let mut words = tokens[from..to].iter().filter_map(Token::word);
        let is_described = words.any(|w| lexicon.describes(w) || lexicon.is_of("count", w));
        is_described && (any("mark", from, to) || !any("person", from, to))
    };
    let (mut plain, mut asides) = (vec![], vec![]);
    for (from, to) in pieces(tokens, lexicon) {
        // A conjunction is not a part of the piece.
        let lead = lexicon.ends("lead", tokens, from).into_iter().max();
        let own = lead.unwrap_or(from);
        let is_command = own < to && starts(&["action", "clause", "command_mark"], own);
        // A reason may contain object names, but "so that they touch" says how things should be,
        // and "until it is full" when to stop.
        let after = lexicon.ends("reason", tokens, from).into_iter().max();
        let is_about_it = |at: usize| at < to && begins("pronoun", at);
        let is_outcome = |at: usize| {
            let is_state = |at: usize| names(at) || begins("state", at);
            is_about_it(at) || !begins("person", at) && (at..to).any(is_state)
        };
        let asks = any("do_not", from, to)
            || begins("until", from)
            || is_about_it(own) && begins("should", own + 1)
            || after.is_some_and(is_outcome) && begins("outcome", from);
        let is_reason = after.is_some() && !(from..to).any(|at| starts(&["action", "wish"], at));
        let is_clause = any("person", from, to) || any("finite", from, to);
        let stays = !is_clause
            || any("duty", from, to)
            || is_command
            || own >= to
            || describes(own, to)
            || (own..to).any(names);
        match asks || stays && !is_reason {
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

/// Returns the tokens with a meaning, with contractions expanded.
pub(crate) fn expanded(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let spelt = |text: String, (sign, words): &(String, String)| text.replace(sign, words);
    let text = lexicon.signs.iter().fold(text.to_owned(), spelt);
    let mut out: Vec<Token> = vec![];
    for token in tokens(&text) {
        let word = token.word().map(str::to_owned);
        let before = out.iter().rev().find_map(Token::word);
        let follows = before.is_none_or(|w| lexicon.gerunds_after.contains(w));
        let verb = word.as_ref().and_then(|w| lexicon.gerunds.get(w));
        match verb.filter(|_| follows).cloned().or(word) {
            Some(word) => out.extend(spelt_out(&word, lexicon)),
            None => out.push(token),
        }
    }
    without_politeness(&out, lexicon)
}

/// Drops polite words, and one of two commas around them, unless there are no other words.
fn without_politeness(tokens: &[Token], lexicon: &Lexicon) -> Vec<Token> {
    let mut out: Vec<Token> = vec![];
    let mut at = 0;
    while at < tokens.len() {
        if let Some(end) = lexicon.ends("polite", tokens, at).into_iter().max() {
            let pauses = [out.last(), tokens.get(end)];
            at = end + usize::from(pauses == [Some(&Token::Comma); 2]);
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    match out.iter().any(|token| token.word().is_some()) {
        true => tidy(out),
        false => tokens.to_vec(),
    }
}

fn spelt_out(word: &str, lexicon: &Lexicon) -> Vec<Token> {
    let spelt = |stem: &str, words: &str| {
        let words = stem.split_whitespace().chain(words.split_whitespace());
        words.map(|word| Token::Word(word.to_owned())).collect()
    };
    if let Some(words) = lexicon.short.get(word) {
        return spelt("", words);
    }
    // In "somebody'd" and "the cabinet's", the ending stands for a word.
    let is_ending = |end: &str| end.starts_with('\'') || end.ends_with('\'');
    let mut endings = lexicon.short.iter().filter(|(end, _)| is_ending(end));
    let stemmed = endings.find_map(|(end, words)| {
        let stem = word.strip_suffix(end.as_str()).filter(|s| !s.is_empty())?;
        Some(spelt(stem, words))
    });
    stemmed.unwrap_or_else(|| vec![Token::Word(word.to_owned())])
}
