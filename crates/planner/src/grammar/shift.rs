//! "push X forward 10 cm", "pull X towards Y", "push X to (x, y)".

use regrasp_api::Heading;

use super::token::Token;
use super::{Command, Course};

/// Ways that a heading is said behind (or, if it is one word, before) what is pushed; longer
/// ones first.
const HEADINGS: [(&[&str], Heading); 25] = [
    (&["away", "from", "you"], Heading::Forward),
    (&["away", "from", "yourself"], Heading::Forward),
    (&["away", "from", "the", "robot"], Heading::Forward),
    (&["towards", "the", "robot"], Heading::Back),
    (&["toward", "the", "robot"], Heading::Back),
    (&["to", "the", "left"], Heading::Left),
    (&["to", "your", "left"], Heading::Left),
    (&["to", "the", "right"], Heading::Right),
    (&["to", "your", "right"], Heading::Right),
    (&["towards", "you"], Heading::Back),
    (&["toward", "you"], Heading::Back),
    (&["towards", "yourself"], Heading::Back),
    (&["toward", "yourself"], Heading::Back),
    (&["to", "you"], Heading::Back),
    (&["leftwards"], Heading::Left),
    (&["rightwards"], Heading::Right),
    (&["left"], Heading::Left),
    (&["right"], Heading::Right),
    (&["forward"], Heading::Forward),
    (&["forwards"], Heading::Forward),
    (&["ahead"], Heading::Forward),
    (&["away"], Heading::Forward),
    (&["back"], Heading::Back),
    (&["backward"], Heading::Back),
    (&["backwards"], Heading::Back),
];
/// Before a bare "left" these make it part of a name: "the cube on the left".
const NAMING: [&str; 4] = ["the", "on", "in", "at"];
/// Words that may stand before a length.
const BEFORE_LENGTH: [&str; 4] = ["by", "for", "about", "some"];
/// Units and how many metres they are.
const UNITS: [(&[&str], f64); 3] = [
    (
        &[
            "cm",
            "centimetre",
            "centimetres",
            "centimeter",
            "centimeters",
        ],
        0.01,
    ),
    (
        &[
            "mm",
            "millimetre",
            "millimetres",
            "millimeter",
            "millimeters",
        ],
        0.001,
    ),
    (&["m", "metre", "metres", "meter", "meters"], 1.0),
];

/// Reads what follows "push" or "pull"; `phrase` reads a name.
pub(super) fn shift(
    rest: &[Token],
    pull: bool,
    phrase: impl Fn(&[Token]) -> Option<String>,
) -> Option<Command> {
    let (rest, distance_m) = without_length(rest);
    let (object, to) = course(&rest, pull, distance_m, &phrase)?;
    Some(Command::Shift { object, pull, to })
}

fn course(
    rest: &[Token],
    pull: bool,
    distance_m: Option<f64>,
    phrase: &impl Fn(&[Token]) -> Option<String>,
) -> Option<(String, Course)> {
    if let [before @ .., to, Token::Point(point)] = rest {
        let is_to = to
            .lower()
            .is_some_and(|w| ["to", "at", "towards", "toward"].contains(&w.as_str()));
        let xy = [*point.first()?, *point.get(1)?];
        // A point and a length contradict each other.
        let is_clear = is_to && distance_m.is_none();
        return is_clear.then_some((phrase(before)?, Course::Point(xy)));
    }
    if let Some((object, heading)) = without_heading(rest) {
        let course = Course::Heading {
            heading,
            distance_m,
        };
        return Some((phrase(object)?, course));
    }
    let towards = rest.iter().position(|t| {
        t.lower()
            .is_some_and(|w| ["towards", "toward"].contains(&w.as_str()))
    });
    if let Some(idx) = towards {
        let target = phrase(&rest[idx + 1..])?;
        let course = Course::Towards { target, distance_m };
        return Some((phrase(&rest[..idx])?, course));
    }
    if says_heading(rest) {
        // "push forward" what?
        return None;
    }
    // What is pushed goes away, what is pulled comes nearer.
    let heading = if pull {
        Heading::Back
    } else {
        Heading::Forward
    };
    let course = Course::Heading {
        heading,
        distance_m,
    };
    Some((phrase(rest)?, course))
}

/// Whether the whole is a heading.
fn says_heading(tokens: &[Token]) -> bool {
    let words: Option<Vec<String>> = tokens.iter().map(Token::lower).collect();
    words.is_some_and(|said| HEADINGS.iter().any(|(words, _)| said == *words))
}

/// What is left without a heading behind it or before it.
fn without_heading(tokens: &[Token]) -> Option<(&[Token], Heading)> {
    let word = |idx: usize| tokens.get(idx).and_then(Token::lower);
    let says = |from: usize, words: &[&str]| {
        let mut said = words.iter().enumerate();
        said.all(|(i, w)| word(from + i).as_deref() == Some(*w))
    };
    HEADINGS.iter().find_map(|(words, heading)| {
        let n = words.len();
        if tokens.len() <= n {
            return None;
        }
        let start = tokens.len() - n;
        let is_name = n == 1 && word(start - 1).is_some_and(|w| NAMING.contains(&w.as_str()));
        if says(start, words) && !is_name {
            return Some((&tokens[..start], *heading));
        }
        // "push left cube" names a cube, "push forward the cube" does not.
        let before = n == 1 && says(0, words) && says(1, &["the"]);
        before.then(|| (&tokens[1..], *heading))
    })
}

/// The tokens without "by 10 cm", and that in metres.
fn without_length(tokens: &[Token]) -> (Vec<Token>, Option<f64>) {
    let found = (0..tokens.len()).find_map(|idx| Some((idx, length(&tokens[idx..])?)));
    let Some((idx, (n, metres))) = found else {
        return (tokens.to_vec(), None);
    };
    let is_before = |t: &Token| {
        t.lower()
            .is_some_and(|w| BEFORE_LENGTH.contains(&w.as_str()))
    };
    let start = if idx > 0 && is_before(&tokens[idx - 1]) {
        idx - 1
    } else {
        idx
    };
    let mut left = tokens[..start].to_vec();
    left.extend_from_slice(&tokens[idx + n..]);
    (left, Some(metres))
}

/// A length at the beginning: how many tokens, and how many metres.
fn length(tokens: &[Token]) -> Option<(usize, f64)> {
    let first = tokens.first()?.lower()?;
    let unit = |word: &str| {
        let known = UNITS.iter().find(|(words, _)| words.contains(&word))?;
        Some(known.1)
    };
    let digits = first
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(first.len());
    let (number, suffix) = first.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let (n, metres) = if suffix.is_empty() {
        (2, unit(&tokens.get(1)?.lower()?)?)
    } else {
        (1, unit(suffix)?)
    };
    (number > 0.0).then_some((n, number * metres))
}
