//! Goals: single requests with object ids, and formulas of them, which leave open how and in which
//! order they are achieved.

use std::collections::BTreeSet;
use std::fmt;

use regrasp_api::{Fact, Goal, ObjectId};
use serde::{Deserialize, Serialize};

use crate::referent::Referent;
use crate::tokens::joined;

/// Logical formula of facts that should hold at the same time.
///
/// It is printed as `on(red_cube, plate) and not on(mug, tray)`, and read in this form wherever a
/// command is accepted: in a prompt, or after `--goal`.
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
/// `at(mug, here)` keeps the mug where it is now, or puts it back there. A predicate that is not
/// built in may be an effect that a skill declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formula<A = Intent> {
    /// An atom.
    Is(A),
    /// The negation of an atom.
    Not(A),
    /// Conjunction of formulas.
    All(Vec<Formula<A>>),
    /// Disjunction of formulas.
    Any(Vec<Formula<A>>),
    /// At least `n` of some formulas.
    Some {
        /// Least number that must hold.
        n: usize,
        /// The formulas.
        of: Vec<Formula<A>>,
    },
}

impl<A> Formula<A> {
    /// Returns all atoms, negated ones included.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Self::Is(one) | Self::Not(one) => vec![one],
            Self::All(of) | Self::Any(of) | Self::Some { of, .. } => {
                of.iter().flat_map(Self::atoms).collect()
            }
        }
    }

    /// Evaluates the formula, given the atoms that hold.
    pub fn holds(&self, is_so: &dyn Fn(&A) -> bool) -> bool {
        match self {
            Self::Is(one) => is_so(one),
            Self::Not(one) => !is_so(one),
            Self::All(of) => of.iter().all(|part| part.holds(is_so)),
            Self::Any(of) => of.iter().any(|part| part.holds(is_so)),
            Self::Some { n, of } => of.iter().filter(|part| part.holds(is_so)).count() >= *n,
        }
    }

    /// Replaces each atom by a formula, of its own kind or of another. `new` gets the atom, and
    /// false if it is negated.
    ///
    /// # Errors
    ///
    /// The first error of `new`.
    pub fn try_map<B, E, F>(&self, new: &mut F) -> Result<Formula<B>, E>
    where
        F: FnMut(&A, bool) -> Result<Formula<B>, E>,
    {
        let mut each = |of: &[Self]| -> Result<Vec<_>, E> {
            of.iter().map(|part| part.try_map(new)).collect()
        };
        Ok(match self {
            Self::All(of) => Formula::All(each(of)?),
            Self::Any(of) => Formula::Any(each(of)?),
            Self::Some { n, of } => Formula::Some {
                n: *n,
                of: each(of)?,
            },
            Self::Is(one) => new(one, true)?,
            Self::Not(one) => new(one, false)?,
        })
    }
}

impl Formula {
    pub(crate) fn literal(intent: &Intent, so: bool) -> Self {
        match so {
            true => Self::Is(intent.clone()),
            false => Self::Not(intent.clone()),
        }
    }

    pub(crate) fn intent(&self) -> Option<&Intent> {
        match self {
            Self::Is(intent) => Some(intent),
            _ => None,
        }
    }

    /// Returns the intents that every way to satisfy the formula has.
    pub(crate) fn certain(&self) -> Vec<&Intent> {
        match self {
            Self::All(of) => of.iter().flat_map(Self::certain).collect(),
            other => other.intent().into_iter().collect(),
        }
    }

    /// Creates a formula that holds if at least `n` of the given ones hold.
    pub(crate) fn some(n: usize, of: Vec<Self>) -> Self {
        match n {
            1 => Self::Any(of),
            n => Self::Some { n, of },
        }
    }

    fn list(of: &[Self], joint: &str) -> String {
        let parts = of.iter().map(|part| match part {
            Self::All(_) | Self::Any(_) => format!("({part})"),
            _ => part.to_string(),
        });
        joined(parts, joint)
    }
}

/// Joins formulas; a single one is returned as it is.
pub(crate) fn alone_or(mut of: Vec<Formula>, joined: fn(Vec<Formula>) -> Formula) -> Formula {
    match of.len() {
        1 => of.remove(0),
        _ => joined(of),
    }
}

/// Returns every way to choose one element per choice. `None` if there are more than `most` ways,
/// or if a choice is not known.
pub(crate) fn product<T: Clone>(
    mut choices: impl Iterator<Item = Option<Vec<Vec<T>>>>,
    most: usize,
) -> Option<Vec<Vec<T>>> {
    choices.try_fold(vec![vec![]], |lists, choice| {
        let choice = choice?;
        let lists = lists.iter();
        let pairs = lists.flat_map(|a| choice.iter().map(move |b| [&a[..], &b[..]]));
        let joined: Vec<_> = pairs.take(most + 1).map(|pair| pair.concat()).collect();
        (joined.len() <= most).then_some(joined)
    })
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

/// A single request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Achieve a goal.
    Achieve(Goal),
    /// Turn an object on its joint.
    Turn {
        /// The object.
        object: ObjectId,
        /// Angle, degrees; a positive one turns the object on.
        degrees: f64,
    },
    /// Push or pull an object along its support.
    Shift {
        /// The object.
        object: ObjectId,
        /// True to pull, false to push.
        pull: bool,
        /// Destination.
        to: Course,
    },
}

/// Destination of a push or a pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// Towards another object, until just before it.
    Towards {
        /// Object before which the moved one stops.
        target: ObjectId,
    },
    /// A point in World, m.
    Point([f64; 2]),
    /// As far as there is room between two points in World, m: the text names no length.
    UpTo {
        /// Expected start.
        from: [f64; 2],
        /// Furthest point.
        to: [f64; 2],
    },
}

impl From<Goal> for Intent {
    fn from(goal: Goal) -> Self {
        Self::Achieve(goal)
    }
}

impl Intent {
    /// Returns the goal of [`Self::Achieve`].
    pub fn goal(&self) -> Option<&Goal> {
        match self {
            Self::Achieve(goal) => Some(goal),
            _ => None,
        }
    }

    /// Id of the object on which the intent acts.
    pub fn object(&self) -> Option<&str> {
        let object = match self {
            Self::Achieve(goal) => goal.objects().into_iter().next(),
            Self::Turn { object, .. } | Self::Shift { object, .. } => Some(object),
        };
        object.map(ObjectId::as_str)
    }

    pub(crate) fn thing(&self) -> Option<Referent> {
        Some(Referent::Object(ObjectId::new(self.object()?)))
    }

    /// Ids of the other objects.
    pub fn targets(&self) -> Vec<&str> {
        let targets = match self {
            Self::Achieve(goal) => goal.objects().into_iter().skip(1).collect(),
            Self::Shift {
                to: Course::Towards { target },
                ..
            } => vec![target],
            _ => vec![],
        };
        targets.into_iter().map(ObjectId::as_str).collect()
    }

    /// Returns the destination (x and y in World, m), if it is a point.
    pub fn point(&self) -> Option<[f64; 2]> {
        match self {
            Self::Achieve(Goal::At { position, .. }) => Some(position.xy),
            Self::Achieve(Goal::HeldAt { position, .. }) => Some([position[0], position[1]]),
            Self::Shift {
                to: Course::Point(xy),
                ..
            } => Some(*xy),
            _ => None,
        }
    }

    /// Returns the furthest point to which the object may go.
    pub(crate) fn furthest(&self) -> Option<[f64; 2]> {
        match self {
            Self::Shift {
                to: Course::UpTo { to, .. },
                ..
            } => Some(*to),
            other => other.point(),
        }
    }

    /// Returns the fact that holds afterwards.
    pub fn fact(&self) -> Fact {
        match self {
            Self::Achieve(goal) => goal.fact(),
            Self::Turn { object, degrees } => {
                Fact::new("turned", &[object.as_str(), &degrees.to_string()])
            }
            Self::Shift { object, to, .. } => match to {
                Course::Point(xy) | Course::UpTo { to: xy, .. } => {
                    Goal::put_at(object.clone(), *xy, None).fact()
                }
                Course::Towards { target } => {
                    Fact::new("beside", &[object.as_str(), target.as_str()])
                }
            },
        }
    }

    /// Returns the fact with its polarity, as [`Goal::literal`].
    pub fn literal(&self) -> (Fact, bool) {
        match self {
            Self::Achieve(goal) => goal.literal(),
            other => (other.fact(), true),
        }
    }

    /// Returns true if a later intent undoes this one, which is then only an intermediate step: the
    /// same object goes elsewhere, the hand is needed for something else, or the arm leaves its
    /// home.
    pub fn is_undone_by(&self, later: &Self) -> bool {
        match self {
            Self::Achieve(Goal::Home) => true,
            // Poured contents stay where they are when the container moves.
            Self::Achieve(Goal::Poured { .. }) => false,
            _ if later.object() == self.object() => true,
            _ => self.goal().is_some_and(Goal::keeps_hold) && later.object().is_some(),
        }
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn { object, degrees } => write!(f, "turned({object}, {degrees:.0})"),
            Self::Achieve(goal) => goal.fmt(f),
            other => other.fact().rounded().fmt(f),
        }
    }
}

/// Objects that intents put somewhere; `None` if one is about anything else.
pub(crate) fn placed<'i>(
    intents: impl IntoIterator<Item = &'i Intent>,
) -> Option<BTreeSet<&'i str>> {
    let puts = |goal: &&Goal| goal.constrains_pose() && !goal.keeps_hold();
    let object = |own: &'i Intent| own.goal().filter(puts).and(own.object());
    intents.into_iter().map(object).collect()
}
