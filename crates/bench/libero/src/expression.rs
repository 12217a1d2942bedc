//! S-expressions with positions in the text.

use crate::error::At;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    pub(crate) at: At,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Word(String),
    List(Vec<Expression>),
}

/// Message with the position of the mistake.
pub(crate) type Flaw = (At, String);

/// Deepest accepted nesting of brackets; problem files need less.
const MAX_DEPTH: usize = 100;

impl Expression {
    /// Reads the one expression of a text, in lower case; `;` starts a comment.
    pub(crate) fn parse(text: &str) -> Result<Self, Flaw> {
        let mut open: Vec<(At, Vec<Self>)> = vec![];
        let mut whole: Option<Self> = None;
        for (at, token) in tokens(text) {
            let done = match token.as_str() {
                "(" if open.len() == MAX_DEPTH => {
                    let flaw = format!("brackets are nested more than {MAX_DEPTH} deep");
                    return Err((at, flaw));
                }
                "(" => {
                    if whole.is_some() {
                        return Err((at, "text follows the end of the problem".into()));
                    }
                    open.push((at, vec![]));
                    continue;
                }
                ")" => match open.pop() {
                    Some((at, list)) => Self {
                        at,
                        kind: Kind::List(list),
                    },
                    None => return Err((at, "this `)` has no matching `(`".into())),
                },
                _ => Self {
                    at,
                    kind: Kind::Word(token),
                },
            };
            match open.last_mut() {
                Some((_, list)) => list.push(done),
                None if whole.is_none() && matches!(done.kind, Kind::List(_)) => whole = Some(done),
                None => {
                    let why = "a problem is one list that begins with `(define`";
                    return Err((at, why.into()));
                }
            }
        }
        if let Some((at, _)) = open.last() {
            return Err((*at, "this `(` is never closed".into()));
        }
        let start = At { line: 1, column: 1 };
        let none = "the file holds no problem, expected `(define …)`";
        whole.ok_or_else(|| (start, none.into()))
    }

    pub(crate) fn word(&self) -> Result<&str, Flaw> {
        match &self.kind {
            Kind::Word(word) => Ok(word),
            Kind::List(_) => Err((self.at, "found a list in brackets, expected a word".into())),
        }
    }

    pub(crate) fn list(&self) -> Result<&[Self], Flaw> {
        match &self.kind {
            Kind::List(list) => Ok(list),
            Kind::Word(word) => {
                let why = format!("found the word `{word}`, expected a list in brackets");
                Err((self.at, why))
            }
        }
    }

    pub(crate) fn headed(&self) -> Result<(&str, &[Self]), Flaw> {
        match self.list()?.split_first() {
            Some((head, rest)) => Ok((head.word()?, rest)),
            None => Err((self.at, "this list is empty".into())),
        }
    }

    /// Reads a number, or an expression of numbers, `pi`, `+`, `-`, `*`, `/`.
    pub(crate) fn number(&self) -> Result<f64, Flaw> {
        let word = self.word()?;
        match sum(word).filter(|value| value.is_finite()) {
            Some(value) => Ok(value),
            None => Err((self.at, format!("`{word}` is not a number"))),
        }
    }
}

/// Evaluates `3.14`, `pi`, `-pi/2`, `np.pi` or `2*pi` with `exmex`, as for the formulas of scenes.
fn sum(text: &str) -> Option<f64> {
    let text = text.replace("np.pi", "pi").replace("math.pi", "pi");
    let number = text.parse().ok();
    number.or_else(|| exmex::eval_str(&text.replace("pi", "PI")).ok())
}

fn tokens(text: &str) -> Vec<(At, String)> {
    let mut found: Vec<(At, String)> = vec![];
    for (line, content) in text.lines().enumerate() {
        let mut word: Option<(At, String)> = None;
        for (column, c) in content.chars().enumerate() {
            let at = At {
                line: line + 1,
                column: column + 1,
            };
            if c == ';' {
                break;
            }
            if c == '(' || c == ')' || c.is_whitespace() {
                found.extend(word.take());
                if !c.is_whitespace() {
                    found.push((at, c.to_string()));
                }
                continue;
            }
            word.get_or_insert_with(|| (at, String::new()))
                .1
                .extend(c.to_lowercase());
        }
        found.extend(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::near;

    use super::*;

    fn check_refused(text: &str, line: usize, column: usize, part: &str) {
        let (at, message) = Expression::parse(text).expect_err(text);
        assert_eq!((at.line, at.column), (line, column), "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    }

    #[test]
    fn brackets_that_do_not_match_are_reported_with_their_place() {
        check_refused("(define\n  (a b)\n", 1, 1, "never closed");
        check_refused("(define (a b)))", 1, 15, "no matching `(`");
        check_refused("(a) (b)", 1, 5, "follows the end");
        check_refused("; nothing\n", 1, 1, "no problem");
        check_refused(&"(".repeat(200), 1, 101, "nested more than 100 deep");
    }

    #[test]
    fn words_are_in_lower_case_and_comments_are_left_out() {
        let read = Expression::parse("(On Bowl_1 ; the (bowl\n Plate_1)");
        let same = Expression::parse("(on bowl_1\n plate_1)");
        let words = |e: Result<Expression, Flaw>| {
            let list = e.expect("a valid expression");
            let words = list.list().expect("a list").iter();
            words
                .map(|w| w.word().expect("a word").to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(words(read), words(same));
    }

    #[test]
    fn numbers_may_be_expressions_of_pi() {
        use std::f64::consts::PI;
        for (text, value) in [
            ("pi", PI),
            ("-pi/2", -PI / 2.0),
            ("2*pi", 2.0 * PI),
            ("pi/2+0.1", PI / 2.0 + 0.1),
            ("1e-3", 1e-3),
            ("-0.5", -0.5),
        ] {
            near(text, sum(text).expect(text), value, 1e-12);
        }
        for text in ["", "-", "pie", "1/0x", "--", "*"] {
            assert_eq!(sum(text), None, "{text}");
        }
    }
}
