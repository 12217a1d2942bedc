//! Goals that leave open how, and in which order, they come about.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::intent::Intent;

/// What should hold at the same time.
///
/// It is printed as `on(red_cube, plate) and not on(mug, tray)`, and read so wherever a command
/// is: in a prompt, or behind `--goal`.
///
/// ```text
/// task    = stage ("then" stage)* (";" rule)*
/// stage   = either ("and" either)*
/// either  = part ("or" part)*
/// part    = "not" part | "(" stage ")" | n "of" "(" stage ("," stage)* ")" | fact
/// fact    = predicate | predicate "(" thing ("," thing)* ")"
/// thing   = an id | id "." place | a number | "here" | a noun phrase, such as: all red cubes
/// rule    = "never(" fact ("," fact)* ")" | "untouched(" ids or * ")" | an adverb
/// ```
///
/// `at(mug, here)` keeps the mug where it is now, or puts it back there. What no built-in
/// predicate is may be what some skill declares that it brings about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formula<A = Intent> {
    /// This.
    Is(A),
    /// Anything but this.
    Not(A),
    /// All of these.
    All(Vec<Formula<A>>),
    /// At least one of these.
    Any(Vec<Formula<A>>),
    /// At least so many of these.
    Some {
        /// How many.
        n: usize,
        /// Of what.
        of: Vec<Formula<A>>,
    },
}

impl<A> Formula<A> {
    /// Everything that it speaks of, whether it should hold or not.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Self::Is(one) | Self::Not(one) => vec![one],
            Self::All(of) | Self::Any(of) | Self::Some { of, .. } => {
                of.iter().flat_map(Self::atoms).collect()
            }
        }
    }

    /// Returns true if it holds, if it is known what does.
    pub fn holds(&self, is_so: &dyn Fn(&A) -> bool) -> bool {
        match self {
            Self::Is(one) => is_so(one),
            Self::Not(one) => !is_so(one),
            Self::All(of) => of.iter().all(|part| part.holds(is_so)),
            Self::Any(of) => of.iter().any(|part| part.holds(is_so)),
            Self::Some { n, of } => of.iter().filter(|part| part.holds(is_so)).count() >= *n,
        }
    }

    /// The same about something else.
    pub fn map<B>(&self, atom: &mut dyn FnMut(&A) -> B) -> Formula<B> {
        let mut each = |of: &[Self]| of.iter().map(|part| part.map(atom)).collect();
        match self {
            Self::All(of) => Formula::All(each(of)),
            Self::Any(of) => Formula::Any(each(of)),
            Self::Some { n, of } => Formula::Some {
                n: *n,
                of: each(of),
            },
            Self::Is(one) => Formula::Is(atom(one)),
            Self::Not(one) => Formula::Not(atom(one)),
        }
    }
}

/// Some formulas joined; one alone stands for itself.
pub(crate) fn alone_or(mut of: Vec<Formula>, joined: fn(Vec<Formula>) -> Formula) -> Formula {
    match of.len() {
        1 => of.remove(0),
        _ => joined(of),
    }
}

/// Every way to take one of each of some choices, joined; `None` if they are more than `most`, or one
/// of the choices is not known.
pub(crate) fn product<T: Clone>(
    mut choices: impl Iterator<Item = Option<Vec<Vec<T>>>>,
    most: usize,
) -> Option<Vec<Vec<T>>> {
    choices.try_fold(vec![vec![]], |ways, choice| {
        let choice = choice?;
        let joined = ways
            .iter()
            .flat_map(|way| choice.iter().map(|more| [&way[..], more].concat()));
        let joined: Vec<_> = joined.take(most + 1).collect();
        (joined.len() <= most).then_some(joined)
    })
}

impl Formula {
    fn list(of: &[Self], joint: &str) -> String {
        let parts = of.iter().map(|part| match part {
            Self::All(_) | Self::Any(_) => format!("({part})"),
            _ => part.to_string(),
        });
        parts.collect::<Vec<_>>().join(joint)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(intent) => intent.fmt(f),
            Self::Not(intent) => write!(f, "not {intent}"),
            Self::All(of) => f.write_str(&Self::list(of, " and ")),
            Self::Any(of) => f.write_str(&Self::list(of, " or ")),
            Self::Some { n, of } => write!(f, "{n} of ({})", Self::list(of, ", ")),
        }
    }
}
