//! Tasks: the goals of a text.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use crate::formula::Formula;
use crate::intent::Intent;
use crate::lists::joined;
use crate::referent::Resolved;

/// A task with all phrases resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Steps that are said to come after the earlier ones ("then"). All others may be meant to hold
    /// together with those.
    #[serde(skip)]
    pub in_turn: Vec<Step>,
    /// Objects that must not be touched or moved.
    pub untouched: Untouched,
    /// Intents that must not become true at any time.
    #[serde(default)]
    pub never: Vec<Intent>,
    /// Manner of execution.
    pub manner: Option<Manner>,
}

/// One step of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A single intent.
    Do(Intent),
    /// One of several intents, whichever is feasible.
    Any(Vec<Intent>),
    /// `n` of several intents, whichever are feasible.
    Some {
        /// Number of intents.
        n: usize,
        /// The alternatives.
        of: Vec<Intent>,
    },
    /// A stack of `n` objects, on another object or in free space.
    Tower {
        /// Number of objects in the stack.
        n: usize,
        /// Ids of the candidates.
        of: Vec<String>,
        /// Id of the object under the stack.
        on: Option<String>,
    },
    /// Facts that should hold at the same time, achieved in any order.
    Goal(Formula),
    /// Two objects exchange their places.
    Swap {
        /// Ids of the two objects.
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

pub(crate) type Steps = Resolved<Vec<Step>>;

/// Objects that must not be touched or moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Untouched {
    /// No restriction.
    #[default]
    Free,
    /// The objects with these ids.
    These(Vec<String>),
    /// Everything that the steps do not move.
    Rest,
}

/// Manner of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Manner {
    /// Reduced speed.
    Slowly,
    /// Reduced speed, and no more force than needed.
    Gently,
    /// Usual speed, which is the maximum.
    Quickly,
}

impl Manner {
    /// Fraction of the usual speed.
    pub fn speed(self) -> f64 {
        match self {
            Self::Slowly => 0.4,
            Self::Gently => 0.5,
            Self::Quickly => 1.0,
        }
    }
}

impl Step {
    /// Intents of the step.
    pub fn intents(&self) -> Vec<&Intent> {
        match self {
            Self::Do(intent) => vec![intent],
            Self::Any(of) | Self::Some { of, .. } => of.iter().collect(),
            Self::Goal(formula) => formula.atoms(),
            Self::Tower { .. } | Self::Swap { .. } => vec![],
        }
    }

    /// Returns the goals of the step as a formula.
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
        match self {
            Self::Do(intent) => intent.fmt(f),
            Self::Goal(formula) => formula.fmt(f),
            Self::Any(of) => f.write_str(&joined(of, " or ")),
            Self::Some { n, of } => write!(f, "{n} of ({})", joined(of, ", ")),
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

/// Formats the goal in one line: `in(milk, basket) then closed(drawer); untouched(mug); slowly`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps.is_empty() {
            true => f.write_str("nothing")?,
            false => f.write_str(&joined(&self.steps, " then "))?,
        }
        match &self.untouched {
            Untouched::Free => {}
            Untouched::These(ids) => write!(f, "; untouched({})", ids.join(", "))?,
            Untouched::Rest => f.write_str("; untouched(*)")?,
        }
        if !self.never.is_empty() {
            write!(f, "; never({})", joined(&self.never, ", "))?;
        }
        self.manner.map_or(Ok(()), |manner| write!(f, "; {manner}"))
    }
}
