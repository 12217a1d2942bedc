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
            from = judge.content(piece).from;
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
        words.filter_map(Token::word).any(|w| self.lexicon.tells(w))
    }

    /// A piece without the words that only join it to others.
    fn content(&self, piece: Piece) -> Piece {
        let begins = ["if", "because_start", "purpose_start"];
        if begins.iter().any(|class| self.starts(class, piece.from)) {
            return piece;
        }
        let from = self.behind("connective", piece.from, piece.to);
        Piece { from, ..piece }
    }

    fn is_aside(&self, piece: Piece) -> bool {
        let piece = self.content(piece);
        let from = piece.from;
        let whole = |class: &str| self.behind(class, from, piece.to) == piece.to;
        if from == piece.to || whole("interjection") || whole("tag") {
            return from < piece.to;
        }
        if self.starts("view_start", from) || self.has("never_aside", piece) {
            return false;
        }
        let (names, tells) = (self.names(piece), self.tells(piece));
        let has_verb = self.commands(piece);
        let is_reason = self.starts("because_start", from);
        let is_purpose = self.starts("purpose_start", from);
        if self.starts("if", from) && !is_reason && !is_purpose {
            // "if you would be so kind"
            let is_kind = self.has("polite_if", piece) && !self.has("state", piece);
            return is_kind && !names && !tells && !has_verb;
        }
        if is_reason {
            let is_relative = self.starts("relative", from);
            return !(self.has("asks_you", piece) || (is_relative && self.wishes(piece)));
        }
        let begins = VERBS.iter().any(|class| self.starts(class, from))
            || self.starts("command_start", from);
        let stays = ["asks", "aside_not", "glad", "adverb"];
        if begins || self.starts("mark", from) || stays.iter().any(|c| self.has(c, piece)) {
            return false;
        }
        let is_personal = self.has("personal", piece);
        if is_purpose {
            let about = self.has("state", piece) && self.starts("if", from);
            return !names && !about && (!tells || is_personal);
        }
        // "it is the middle one" says which, "the red one is mine" may.
        let points = self.starts("pointing", from) && (names || tells);
        let is_one = self.has("one_word", piece);
        let chooses = tells && !(names || (is_personal && !is_one));
        let is_wish = self.wishes(piece) || (names && has_verb);
        // What names a thing and has no verb is a part of a command: "the wrench in there, too".
        let is_clause = match names {
            true => self.has("finite", piece),
            false => is_personal || self.has("clause_mark", piece),
        };
        is_clause && !points && !chooses && !is_wish
    }

    /// Whether it has a verb of a command, other than behind who does it: "I always put …".
    fn commands(&self, piece: Piece) -> bool {
        (piece.from..piece.to).any(|at| {
            let told = at > piece.from && self.starts("before_statement", at - 1);
            !told && VERBS.iter().any(|class| self.starts(class, at))
        })
    }

    /// Whether it says of something that is seen what should be.
    fn wishes(&self, piece: Piece) -> bool {
        let near = |from: usize, to: usize| {
            let (from, to) = (from.max(piece.from), to.min(piece.to));
            let names = from < to && self.names(Piece { from, to });
            names || (from..to).any(|at| self.starts("one_word", at))
        };
        (piece.from..piece.to).any(|at| {
            let ends = |class: &str| self.lexicon.ends(class, self.tokens, at).last().copied();
            let want = ends("want").is_some_and(|end| near(end, piece.to));
            let should = ends("should")
                .or_else(|| ends("belongs"))
                .or_else(|| ends("needs"));
            let subject = should.is_some() && near(at.saturating_sub(5), at) && !self.is_ours(at);
            // "we must wash the apple first"
            let must = should.is_some_and(|end| near(end, piece.to));
            let wanting = self.starts("wanting", at) && near(at + 1, piece.to);
            want || subject || must || wanting
        })
    }

    /// Whether a person is what the words before a place speak of.
    fn is_ours(&self, at: usize) -> bool {
        let before = at.checked_sub(1);
        before.is_some_and(|before| self.starts("someone", before))
    }
}

/// Classes of words that begin commands.
const VERBS: [&str; 18] = [
    "take", "put", "push", "slide", "pull", "open", "close", "press", "pour", "insert", "stack",
    "build", "swap", "clear", "fill", "cover", "remove", "unload",
];
