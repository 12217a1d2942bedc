//! Words as they are written: what is short for several is spelt out.

use crate::lexicon::Lexicon;
use crate::tokens::{Token, tokens};

/// The tokens, with what is short for several words spelt out.
pub(crate) fn expanded(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = vec![];
    for token in tokens(text) {
        let word = token.word().map(str::to_owned);
        let mut before = out.iter().rev().filter_map(Token::word);
        let before = before.find(|word| !lexicon.is_filler(word));
        let follows = before.is_none_or(|w| lexicon.gerunds_after.contains(w));
        let verb = word
            .as_ref()
            .and_then(|w| lexicon.gerunds.get(w))
            .filter(|_| follows);
        match verb.cloned().or(word) {
            Some(word) => out.extend(spelt_out(&word, lexicon)),
            None => out.push(token),
        }
    }
    out
}

fn spelt_out(word: &str, lexicon: &Lexicon) -> Vec<Token> {
    if let Some(words) = lexicon.short.get(word) {
        return words.iter().cloned().map(Token::Word).collect();
    }
    // "somebody'd": an ending that is short for a word.
    let endings = lexicon
        .short
        .iter()
        .filter(|(end, _)| end.starts_with('\''));
    for (end, words) in endings {
        if let Some(stem) = word.strip_suffix(end.as_str()).filter(|s| !s.is_empty()) {
            let stem = std::iter::once(Token::Word(stem.to_owned()));
            return stem.chain(words.iter().cloned().map(Token::Word)).collect();
        }
    }
    if let Some(owner) = word
        .strip_suffix("'s")
        .or_else(|| word.strip_suffix("s'").filter(|w| !w.is_empty()))
    {
        return vec![Token::Word(owner.to_owned()), Token::Word("'s".into())];
    }
    vec![Token::Word(word.to_owned())]
}
