//! Tasks: the goals of a text.

use std::fmt;

use regrasp_api::Goal;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use crate::formula::Formula;
use crate::formula::Intent;
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
    /// Facts that should hold at the same time, achieved in any order; or a single intent.
    Goal(Formula),
    /// A stack of `n` objects, on another object or in free space.
    Tower {
        /// Number of objects in the stack.
        n: usize,
        /// Ids of the candidates.
        of: Vec<String>,
        /// Id of the object under the stack.
        on: Option<String>,
    },
    /// Two objects exchange their places.
    Swap {
        /// Ids of the two objects.
        objects: [String; 2],
    },
}

impl From<Intent> for Step {
    fn from(intent: Intent) -> Self {
        Self::Goal(Formula::Is(intent))
    }
}

impl From<Goal> for Step {
    fn from(goal: Goal) -> Self {
        Self::from(Intent::from(goal))
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
        self.formula().map_or_else(Vec::new, Formula::atoms)
    }

    /// Returns the intent of a step with a single one.
    pub fn intent(&self) -> Option<&Intent> {
        match self {
            Self::Goal(Formula::Is(intent)) => Some(intent),
            _ => None,
        }
    }

    pub(crate) fn formula(&self) -> Option<&Formula> {
        match self {
            Self::Goal(formula) => Some(formula),
            _ => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goal(formula) => formula.fmt(f),
            Self::Tower { n, of, on } => {
                let some = if *n == of.len() {
                    String::new()
                } else {
                    format!("{n} of ")
                };
                write!(f, "tower({some}{})", of.join(", "))?;
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
