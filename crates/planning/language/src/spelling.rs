//! Normalises the words of a text: expands contractions and drops words without a meaning.

use crate::lexicon::Lexicon;
use crate::tokens::{Token, begins_with, tidy, tokens};

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

/// Drops polite words, and the pauses around them.
fn without_politeness(tokens: &[Token], lexicon: &Lexicon) -> Vec<Token> {
    let mut out: Vec<Token> = vec![];
    let mut at = 0;
    while at < tokens.len() {
        let mut polite = lexicon.polite.iter();
        match polite.find(|words| begins_with(tokens, at, words)) {
            Some(words) => {
                at += words.len();
                let pauses = [out.last(), tokens.get(at)];
                at += usize::from(pauses == [Some(&Token::Comma); 2]);
            }
            None => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    match out.iter().any(|token| token.word().is_some()) {
        true => tidy(out),
        false => tokens.to_vec(),
    }
}

fn spelt_out(word: &str, lexicon: &Lexicon) -> Vec<Token> {
    if let Some(words) = lexicon.short.get(word) {
        return words.iter().cloned().map(Token::Word).collect();
    }
    // In "somebody'd" and "the cabinet's", the ending stands for a word.
    let is_ending = |end: &str| end.starts_with('\'') || end.ends_with('\'');
    let endings = lexicon.short.iter().filter(|(end, _)| is_ending(end));
    for (end, words) in endings {
        if let Some(stem) = word.strip_suffix(end.as_str()).filter(|s| !s.is_empty()) {
            let stem = std::iter::once(Token::Word(stem.to_owned()));
            return stem.chain(words.iter().cloned().map(Token::Word)).collect();
        }
    }
    vec![Token::Word(word.to_owned())]
}
