//! What people tell besides a command: why, for whom, how they are. It asks for nothing.
//!
//! A text is cut at its pauses and where a reason begins. A piece is an aside if it is a clause
//! of its own, or gives a reason, and nothing in it could be part of a command: no verb of one
//! at its beginning, no request, no wish about something that is seen, no exception, no
//! condition, no manner, no length. Whatever is in doubt stays, and is then read or refused.

use crate::lexicon::Lexicon;
use crate::tokens::Token;

/// A piece of a text, from one pause to the next.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: usize,
    to: usize,
}

/// A text without its asides.
pub(crate) struct Plain {
    pub(crate) tokens: Vec<Token>,
    /// Where the asides are in the text as it was.
    pub(crate) asides: Vec<(usize, usize)>,
}

/// The text without asides, if it has any and something is left. `seen` tells whether a word
/// names something that is there.
pub(crate) fn without_asides(
    tokens: &[Token],
    lexicon: &Lexicon,
    seen: &dyn Fn(&str) -> bool,
) -> Option<Plain> {
    let judge = Judge {
        tokens,
        lexicon,
        seen,
    };
    let mut plain = vec![];
    let mut asides = vec![];
    for piece in judge.pieces() {
        if judge.is_aside(piece) {
            asides.push((piece.from, piece.to));
            continue;
        }
        let before = piece.from.checked_sub(1).map(|at| &tokens[at]);
        let mut from = piece.from;
        if plain.is_empty() {
            from = judge.behind("connective", from, piece.to);
        } else if let Some(pause @ (Token::Comma | Token::Stop)) = before {
            plain.push(pause.clone());
        } else if matches!(asides.last(), Some((_, to)) if *to == piece.from) {
            plain.push(Token::Comma);
        }
        plain.extend_from_slice(&tokens[from..piece.to]);
    }
    let any = !plain.is_empty() && !asides.is_empty();
    any.then_some(Plain {
        tokens: plain,
        asides,
    })
}

struct Judge<'a> {
    tokens: &'a [Token],
    lexicon: &'a Lexicon,
    seen: &'a dyn Fn(&str) -> bool,
}

impl Judge<'_> {
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = vec![];
        let mut from = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            let is_pause = matches!(token, Token::Comma | Token::Stop);
            let is_reason = at > from && self.starts("reason_start", at);
            if is_pause || is_reason {
                pieces.push(Piece { from, to: at });
                from = at + usize::from(is_pause);
            }
        }
        let to = self.tokens.len();
        pieces.push(Piece { from, to });
        pieces.retain(|piece| piece.from < piece.to);
        pieces
    }

    /// Whether words of a class begin at a place.
    fn starts(&self, class: &str, at: usize) -> bool {
        !self.lexicon.ends(class, self.tokens, at).is_empty()
    }

    fn has(&self, class: &str, piece: Piece) -> bool {
        (piece.from..piece.to).any(|at| self.starts(class, at))
    }

    /// The place behind any words of a class.
    fn behind(&self, class: &str, from: usize, to: usize) -> usize {
        let mut at = from;
        while let Some(end) = self.lexicon.ends(class, self.tokens, at).last() {
            if at >= to {
                break;
            }
            at = *end;
        }
        at.min(to)
    }

    /// Whether it names something that is seen, or tells which.
    fn names(&self, piece: Piece) -> bool {
        let words = self.tokens[piece.from..piece.to].iter();
        let names = |token: &Token| match token {
            Token::Point(_) => true,
            token => token.word().is_some_and(|w| {
                let is = |class: &str| self.lexicon.is_of(class, w);
                ((self.seen)(w) && !is("before_verb")) || w.parse::<f64>().is_ok() || is("unit")
            }),
        };
        words.into_iter().any(names)
    }

    /// Whether it tells one thing from another.
    fn tells(&self, piece: Piece) -> bool {
        let words = self.tokens[piece.from..piece.to].iter();
        let mut words = words.filter_map(Token::word);
        words.any(|w| self.lexicon.tells(w) || self.lexicon.is_of("one_word", w))
    }

    fn is_aside(&self, piece: Piece) -> bool {
        let from = self.behind("connective", piece.from, piece.to);
        let piece = Piece { from, ..piece };
        let whole = |class: &str| self.behind(class, from, piece.to) == piece.to;
        if from == piece.to || whole("interjection") || whole("tag") {
            return from < piece.to;
        }
        let commands = [
            "take", "put", "push", "slide", "pull", "open", "close", "press", "pour", "insert",
            "stack", "build", "swap", "clear", "fill", "cover", "remove", "unload", "mark", "if",
        ];
        let begins = |class: &&str| match *class {
            "if" => self.starts("if", from) && !self.starts("reason_start", from),
            class => self.starts(class, from),
        };
        let is_kind_if = self.starts("if", from)
            && self.has("polite_if", piece)
            && !self.names(piece)
            && !self.tells(piece)
            && !self.has("state", piece);
        if is_kind_if {
            return !self.has("asks", piece);
        }
        let stays = ["asks", "adverb", "aside_not"];
        if commands.iter().any(|c| begins(&c)) || stays.iter().any(|c| self.has(c, piece)) {
            return false;
        }
        if self.starts("view_start", from) {
            return false;
        }
        let (names, tells) = (self.names(piece), self.tells(piece));
        let wishes = ["should", "belongs", "want"]
            .iter()
            .any(|class| self.has(class, piece));
        let verbs = &commands[..commands.len() - 2];
        if names && verbs.iter().any(|class| self.has(class, piece)) {
            return false;
        }
        if self.starts("because_start", from) {
            return true;
        }
        if self.starts("purpose_start", from) {
            return !names && !tells;
        }
        // "it is the middle one" says which.
        let points = self.starts("pointing", from) && (names || tells);
        let has_verb = self.has("clause_mark", piece);
        has_verb && !points && !(names && wishes) && !tells
    }
}
