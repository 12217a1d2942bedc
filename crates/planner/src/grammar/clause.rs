use regrasp_api::Side;

use super::Command;
use super::shift::shift;
use super::token::Token;

/// What one clause says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Clause {
    /// Only polite words.
    Nothing,
    /// More about the object that was named last.
    Remark(String),
    /// Things to do, in order.
    Commands(Vec<Command>),
}

/// Words before a command that mean nothing.
const BEFORE: [&str; 13] = [
    "please", "now", "first", "next", "finally", "also", "then", "and", "can", "could", "would",
    "you", "kindly",
];
/// Words behind a command that mean nothing.
const BEHIND: [&str; 5] = ["please", "now", "finally", "then", "and"];
const TAKE: [&str; 7] = ["pick", "grab", "take", "lift", "grasp", "get", "hold"];
const PUT: [&str; 7] = ["put", "place", "move", "set", "drop", "carry", "bring"];
const PUSH: [&str; 3] = ["push", "shove", "nudge"];
const PULL: [&str; 2] = ["pull", "drag"];
/// With a point, these keep the object in the hand.
const HOLDING: [&str; 3] = ["hold", "lift", "carry"];
const ON: [&str; 8] = ["on", "onto", "in", "into", "inside", "upon", "to", "at"];
/// Those of them that ask for a hollow.
const IN: [&str; 3] = ["in", "into", "inside"];
/// How "beside" begins where it does not begin as [`ON`] does.
const BESIDE: [&str; 4] = ["beside", "alongside", "next", "behind"];
/// After "on the" and the like, these choose among objects and begin no target.
const CHOOSERS: [&str; 12] = [
    "left",
    "right",
    "middle",
    "center",
    "centre",
    "front",
    "back",
    "leftmost",
    "rightmost",
    "nearest",
    "farthest",
    "furthest",
];
const ARTICLES: [&str; 4] = ["the", "a", "an", "my"];

/// Reads one clause; `None` if it is not understood.
pub(super) fn parse_clause(tokens: &[Token]) -> Option<Clause> {
    let tokens = without_politeness(tokens);
    let Some(first) = tokens.first() else {
        return Some(Clause::Nothing);
    };
    let verb = first.lower()?;
    let rest = &tokens[1..];
    if is_home(tokens) {
        return Some(Clause::Commands(vec![Command::Home]));
    }
    let commands = match verb.as_str() {
        "stack" => stack(rest)?,
        "insert" | "plug" => vec![insert(rest)?],
        "pour" | "empty" | "tip" => vec![pour(rest)?],
        "stand" | "turn" => vec![stand_up(rest)?],
        v if PUT.contains(&v) && ends_with(rest, "upright") => vec![stand_up(rest)?],
        "open" => vec![slide(rest, true)?],
        "close" | "shut" => vec![slide(rest, false)?],
        "press" | "tap" => vec![press(rest)?],
        "push" if names_button(rest) => vec![press(rest)?],
        v if PUSH.contains(&v) => vec![push(rest, false)?],
        v if PULL.contains(&v) => vec![push(rest, true)?],
        v if TAKE.contains(&v) => vec![take(v, rest)?],
        v if PUT.contains(&v) => vec![put(v, rest)?],
        "the" | "that" | "meaning" => return Some(Clause::Remark(phrase(rest)?)),
        _ => return None,
    };
    Some(Clause::Commands(commands))
}

fn without_politeness(mut tokens: &[Token]) -> &[Token] {
    let is = |t: &Token, list: &[&str]| t.lower().is_some_and(|w| list.contains(&w.as_str()));
    while tokens.first().is_some_and(|t| is(t, &BEFORE)) {
        tokens = &tokens[1..];
    }
    while tokens.last().is_some_and(|t| is(t, &BEHIND)) {
        tokens = &tokens[..tokens.len() - 1];
    }
    tokens
}

fn is_home(tokens: &[Token]) -> bool {
    let words: Option<Vec<String>> = tokens.iter().map(Token::lower).collect();
    let Some(words) = words else {
        return false;
    };
    const AROUND: [&str; 10] = [
        "go", "return", "move", "back", "to", "the", "arm", "position", "pose", "your",
    ];
    let n_homes = words.iter().filter(|w| *w == "home").count();
    n_homes == 1
        && words
            .iter()
            .all(|w| w == "home" || AROUND.contains(&w.as_str()))
}

/// "up X", "X up", "X at (…)", "X into Y".
fn take(verb: &str, rest: &[Token]) -> Option<Command> {
    let rest = without_word(rest, "up");
    if let Some(Token::Point(_)) = rest.last() {
        let (object, Place::Point(point)) = split_place(rest)? else {
            return None;
        };
        return hold_at(object, &point);
    }
    let towards = rest.iter().position(|t| {
        t.lower()
            .is_some_and(|w| ["onto", "into", "to"].contains(&w.as_str()))
    });
    match towards {
        Some(idx) if !begins_chooser(&rest[idx + 1..]) => put(verb, rest),
        _ => Some(Command::Pick {
            object: phrase(rest)?,
        }),
    }
}

/// "X on Y", "X at (…)".
fn put(verb: &str, rest: &[Token]) -> Option<Command> {
    let rest = without_word(rest, "down");
    if let Some((idx, n)) = against_words(rest) {
        return Some(Command::PutAgainst {
            object: phrase(&rest[..idx])?,
            target: phrase(&rest[idx + n..])?,
        });
    }
    let (object, place) = split_place(rest)?;
    match place {
        Place::Object(target) => Some(Command::PutOn { object, target }),
        Place::Inside(target) => Some(Command::PutIn { object, target }),
        Place::Beside(target, side) => Some(Command::PutBeside {
            object,
            target,
            side,
        }),
        Place::Point(point) if HOLDING.contains(&verb) => hold_at(object, &point),
        Place::Point(point) => Some(Command::PutAt {
            object,
            xy: [*point.first()?, *point.get(1)?],
            z: point.get(2).copied(),
        }),
    }
}

/// "X up", "up X", "X upright".
fn stand_up(rest: &[Token]) -> Option<Command> {
    let object = ["up", "upright"]
        .into_iter()
        .map(|word| without_word(rest, word))
        .find(|left| left.len() < rest.len())?;
    Some(Command::StandUp {
        object: phrase(object)?,
    })
}

fn ends_with(tokens: &[Token], word: &str) -> bool {
    tokens.last().and_then(Token::lower).as_deref() == Some(word)
}

/// "X into Y", "X into the hole of Y".
fn insert(rest: &[Token]) -> Option<Command> {
    let (before, _, after) = split_at_preposition(rest)?;
    let target = phrase(after)?;
    let holes = ["hole of ", "hole in ", "socket of "];
    let owner = holes.iter().find_map(|hole| target.strip_prefix(hole));
    let owner = owner.map(|name| name.strip_prefix("the ").unwrap_or(name).to_owned());
    Some(Command::Insert {
        object: phrase(before)?,
        target: owner.unwrap_or(target),
    })
}

/// "X into Y", "out X into Y".
fn pour(rest: &[Token]) -> Option<Command> {
    let rest = without_word(rest, "out");
    let over = rest
        .iter()
        .position(|t| t.lower().as_deref() == Some("over"));
    let (before, after) = match (over, split_at_preposition(rest)) {
        (Some(idx), None) => (&rest[..idx], &rest[idx + 1..]),
        (_, Some((before, _, after))) => (before, after),
        (None, None) => return None,
    };
    Some(Command::Pour {
        object: phrase(before)?,
        target: phrase(after)?,
    })
}

/// "X against Y", "X right beside Y": where the words begin, and how many they are.
fn against_words(tokens: &[Token]) -> Option<(usize, usize)> {
    const SAYINGS: [&[&str]; 5] = [
        &["against"],
        &["right", "beside"],
        &["right", "next", "to"],
        &["directly", "beside"],
        &["directly", "next", "to"],
    ];
    let says = |idx: usize, words: &[&str]| {
        let said = words
            .iter()
            .enumerate()
            .all(|(i, word)| tokens.get(idx + i).and_then(Token::lower).as_deref() == Some(*word));
        said && idx + words.len() < tokens.len()
    };
    (1..tokens.len()).find_map(|idx| {
        let words = SAYINGS.iter().find(|words| says(idx, words))?;
        Some((idx, words.len()))
    })
}

fn press(rest: &[Token]) -> Option<Command> {
    let object = phrase(rest)?;
    Some(Command::Press { object })
}

fn names_button(rest: &[Token]) -> bool {
    rest.last()
        .and_then(Token::lower)
        .is_some_and(|word| word == "button")
}

/// "X forward", "X towards Y"; "open X" or "X shut" is said of what slides on a joint.
fn push(rest: &[Token], pull: bool) -> Option<Command> {
    for (word, open) in [("open", true), ("shut", false), ("closed", false)] {
        let left = without_word(rest, word);
        if left.len() < rest.len() {
            return slide(left, open);
        }
    }
    shift(rest, pull, phrase)
}

fn slide(rest: &[Token], open: bool) -> Option<Command> {
    let object = phrase(rest)?;
    Some(Command::Slide { object, open })
}

fn hold_at(object: String, point: &[f64]) -> Option<Command> {
    let point = point.try_into().ok()?;
    Some(Command::HoldAt { object, point })
}

/// "X on Y on Z": built from below.
fn stack(rest: &[Token]) -> Option<Vec<Command>> {
    let mut parts = vec![];
    let mut left = rest;
    while let Some((before, _, after)) = split_at_preposition(left) {
        parts.push(phrase(before)?);
        left = after;
    }
    parts.push(phrase(left)?);
    let pairs = parts.windows(2).rev();
    let commands: Vec<_> = pairs
        .map(|pair| Command::PutOn {
            object: pair[0].clone(),
            target: pair[1].clone(),
        })
        .collect();
    (!commands.is_empty()).then_some(commands)
}

enum Place {
    Object(String),
    Inside(String),
    Beside(String, Option<Side>),
    Point(Vec<f64>),
}

fn split_place(tokens: &[Token]) -> Option<(String, Place)> {
    let beside = (1..tokens.len()).find_map(|idx| {
        let (n, side) = beside_words(&tokens[idx..])?;
        Some((&tokens[..idx], &tokens[idx + n..], side))
    });
    let on = split_at_preposition(tokens);
    let on_is_first = |b: &[Token]| {
        on.as_ref()
            .is_some_and(|(before, ..)| before.len() < b.len())
    };
    if let Some((before, after, side)) = beside
        && !on_is_first(before)
    {
        return Some((phrase(before)?, Place::Beside(phrase(after)?, side)));
    }
    let (before, preposition, after) = on?;
    let object = phrase(before)?;
    match after {
        [Token::Point(point)] => Some((object, Place::Point(point.clone()))),
        // "at the plate" says beside, on or under it: too vague to act on.
        _ if preposition == "at" => None,
        // "in front of" what?
        [.., last] if last.lower().is_some_and(|w| w == "of") => None,
        _ if IN.contains(&preposition.as_str()) => Some((object, Place::Inside(phrase(after)?))),
        _ => Some((object, Place::Object(phrase(after)?))),
    }
}

/// Splits at the first preposition that begins a place: "the cube on the left | on |
/// the plate".
fn split_at_preposition(tokens: &[Token]) -> Option<(&[Token], String, &[Token])> {
    (1..tokens.len()).find_map(|idx| {
        let word = tokens[idx].lower()?;
        let after = &tokens[idx + 1..];
        if !ON.contains(&word.as_str()) || begins_chooser(after) {
            return None;
        }
        let after = strip_top_of(after);
        (!after.is_empty()).then_some((&tokens[..idx], word, after))
    })
}

/// How many words at the beginning say "beside", and on which side. Something must
/// follow: "the cube on the left" says which cube.
fn beside_words(tokens: &[Token]) -> Option<(usize, Option<Side>)> {
    const SAYINGS: [(&[&str], Option<Side>); 10] = [
        (&["beside"], None),
        (&["alongside"], None),
        (&["next", "to"], None),
        (&["behind"], Some(Side::Behind)),
        (&["in", "back", "of"], Some(Side::Behind)),
        (&["in", "front", "of"], Some(Side::InFront)),
        (&["left", "of"], Some(Side::Left)),
        (&["right", "of"], Some(Side::Right)),
        (&["left", "side", "of"], Some(Side::Left)),
        (&["right", "side", "of"], Some(Side::Right)),
    ];
    let is = |idx: usize, words: &[&str]| {
        let word = tokens.get(idx).and_then(Token::lower);
        word.is_some_and(|w| words.contains(&w.as_str()))
    };
    // "to the left of", "on the right side of".
    let n_before = if is(0, &["to", "on", "at"]) {
        1 + usize::from(is(1, &["the"]))
    } else {
        0
    };
    SAYINGS.iter().find_map(|(words, side)| {
        let n = n_before + words.len();
        let said = words
            .iter()
            .enumerate()
            .all(|(i, word)| is(n_before + i, &[*word]));
        (said && n < tokens.len()).then_some((n, *side))
    })
}

fn begins_chooser(after: &[Token]) -> bool {
    let mut words = after.iter().map_while(Token::lower);
    let word = words.find(|w| !ARTICLES.contains(&w.as_str()));
    word.is_some_and(|w| CHOOSERS.contains(&w.as_str()))
        // "on the left plate" does begin a target, "on the left side" does not.
        && words.next().is_none_or(|next| {
            ["side", "one"].contains(&next.as_str())
                || ON.contains(&next.as_str())
                || BESIDE.contains(&next.as_str())
        })
}

fn strip_top_of(tokens: &[Token]) -> &[Token] {
    let is =
        |idx: usize, word: &str| tokens.get(idx).and_then(Token::lower).as_deref() == Some(word);
    let start = usize::from(is(0, "the"));
    if is(start, "top") && is(start + 1, "of") {
        &tokens[start + 2..]
    } else {
        tokens
    }
}

/// Without a particle at its beginning or end ("pick up X", "pick X up").
fn without_word<'t>(tokens: &'t [Token], word: &str) -> &'t [Token] {
    let is = |t: Option<&Token>| t.and_then(Token::lower).as_deref() == Some(word);
    if is(tokens.first()) {
        &tokens[1..]
    } else if is(tokens.last()) {
        &tokens[..tokens.len() - 1]
    } else {
        tokens
    }
}

/// A phrase without its article and without "up", "down" or "back" behind it; `None`
/// if nothing is left or a point is in it.
fn phrase(tokens: &[Token]) -> Option<String> {
    let words: Option<Vec<String>> = tokens
        .iter()
        .map(|t| match t {
            Token::Word(word) => Some(word.clone()),
            Token::Point(_) | Token::Break => None,
        })
        .collect();
    let mut words = words?;
    let is = |w: &String, list: &[&str]| list.contains(&w.to_lowercase().as_str());
    if words.len() > 1 && words.first().is_some_and(|w| is(w, &ARTICLES)) {
        words.remove(0);
    }
    if words.len() > 1 && words.last().is_some_and(|w| is(w, &["up", "down", "back"])) {
        // "the cube in the back" keeps its last word.
        let article_before = words.get(words.len() - 2).is_some_and(|w| is(w, &ARTICLES));
        if !article_before {
            words.pop();
        }
    }
    // A lone "a" may well be an id.
    let only_article = words.iter().all(|w| is(w, &["the", "an", "my"]));
    (!only_article).then(|| words.join(" "))
}
