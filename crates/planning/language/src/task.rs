//! What a text asks for, as a goal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::formula::Formula;
use crate::intent::Intent;
use crate::referent::Resolved;

/// What a text asks for, with every phrase resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What to bring about, in order.
    pub steps: Vec<Step>,
    /// Those of them that are said to come after the ones before: "then". All others may be meant to hold
    /// together with those.
    #[serde(skip)]
    pub in_turn: Vec<Step>,
    /// What may not be touched or moved.
    pub untouched: Untouched,
    /// What may not come about on the way either.
    #[serde(default)]
    pub never: Vec<Intent>,
    /// How it should be done.
    pub manner: Option<Manner>,
}

/// One step of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// This.
    Do(Intent),
    /// One of these, whichever can be done.
    Any(Vec<Intent>),
    /// So many of these, whichever can be done.
    Some {
        /// How many.
        n: usize,
        /// Of what.
        of: Vec<Intent>,
    },
    /// A stack of so many of these, on something or where there is room.
    Tower {
        /// How many.
        n: usize,
        /// Of what.
        of: Vec<String>,
        /// On what.
        on: Option<String>,
    },
    /// What should hold at the same time, in whichever order it comes about.
    Goal(Formula),
    /// Each where the other is now.
    Swap {
        /// Which two.
        objects: [String; 2],
    },
}

impl From<Formula> for Step {
    fn from(formula: Formula) -> Self {
        match formula {
            Formula::Is(intent) => Self::Do(intent),
            formula => Self::Goal(formula),
        }
    }
}

/// The task, or why there is none.
pub(crate) type Steps = Resolved<Vec<Step>>;

/// What may not be touched or moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Untouched {
    /// Nothing is said.
    #[default]
    Free,
    /// These.
    These(Vec<String>),
    /// Everything that the steps do not move.
    Rest,
}

/// How something should be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// With less speed.
    Slowly,
    /// With less speed and no more force than it takes.
    Gently,
    /// With the usual speed, which is all there is.
    Quickly,
}

impl Manner {
    /// Each with its name, and the part of the usual speed that it is done with.
    const ALL: [(Self, &str, f64); 3] = [
        (Self::Slowly, "slowly", 0.4),
        (Self::Gently, "gently", 0.5),
        (Self::Quickly, "quickly", 1.0),
    ];

    fn row(self) -> (Self, &'static str, f64) {
        let row = Self::ALL.into_iter().find(|(own, ..)| *own == self);
        row.unwrap_or(Self::ALL[2])
    }

    /// The manner with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut rows = Self::ALL.into_iter();
        rows.find_map(|(manner, own, _)| (own == name).then_some(manner))
    }

    /// Part of the usual speed.
    pub fn speed(self) -> f64 {
        self.row().2
    }
}

impl fmt::Display for Manner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

impl Step {
    /// The intents that it names.
    pub fn intents(&self) -> Vec<&Intent> {
        match self {
            Self::Do(intent) => vec![intent],
            Self::Any(of) | Self::Some { of, .. } => of.iter().collect(),
            Self::Goal(formula) => formula.atoms(),
            Self::Tower { .. } | Self::Swap { .. } => vec![],
        }
    }

    /// The goals that should hold then, as far as intents say them.
    pub(crate) fn formula(&self) -> Formula {
        let each = |of: &[Intent]| of.iter().cloned().map(Formula::Is).collect();
        match self {
            Self::Do(intent) => Formula::Is(intent.clone()),
            Self::Goal(formula) => formula.clone(),
            Self::Any(of) => Formula::Any(each(of)),
            Self::Some { n, of } => Formula::Some {
                n: *n,
                of: each(of),
            },
            Self::Tower { .. } | Self::Swap { .. } => Formula::All(vec![]),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |of: &[Intent], joint: &str| {
            let said: Vec<_> = of.iter().map(Intent::to_string).collect();
            said.join(joint)
        };
        match self {
            Self::Do(intent) => intent.fmt(f),
            Self::Goal(formula) => formula.fmt(f),
            Self::Any(of) => f.write_str(&list(of, " or ")),
            Self::Some { n, of } => write!(f, "{n} of ({})", list(of, ", ")),
            Self::Tower { n, of, on } => {
                let of_all = of.join(", ");
                match *n == of.len() {
                    true => write!(f, "tower({of_all})")?,
                    false => write!(f, "tower({n} of {of_all})")?,
                }
                on.as_ref().map_or(Ok(()), |on| write!(f, " on {on}"))
            }
            Self::Swap { objects: [a, b] } => write!(f, "swapped({a}, {b})"),
        }
    }
}

/// The goal in one line: `in(milk, basket) then closed(drawer); untouched(mug); slowly`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<_> = self.steps.iter().map(Step::to_string).collect();
        match steps.is_empty() {
            true => f.write_str("nothing")?,
            false => f.write_str(&steps.join(" then "))?,
        }
        match &self.untouched {
            Untouched::Free => {}
            Untouched::These(ids) => write!(f, "; untouched({})", ids.join(", "))?,
            Untouched::Rest => f.write_str("; untouched(*)")?,
        }
        if !self.never.is_empty() {
            let never: Vec<_> = self.never.iter().map(Intent::to_string).collect();
            write!(f, "; never({})", never.join(", "))?;
        }
        self.manner.map_or(Ok(()), |manner| write!(f, "; {manner}"))
    }
}
