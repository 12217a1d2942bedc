//! Tasks: the goals of a text, those that contradict each other, and those that later ones undo.

use std::fmt;

use regrasp_api::{Goal, ObjectId, clash};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use crate::formula::{Formula, Intent, product};
use crate::referent::Resolved;
use crate::tokens::joined;

/// A task with all phrases resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Steps that follow a "then". Any other step may be meant to hold together with earlier ones.
    #[serde(skip)]
    pub in_turn: Vec<Step>,
    /// Objects that must not be touched or moved.
    pub untouched: Untouched,
    /// Objects that must stay where they are, because destinations were computed from their places.
    /// They are not a part of the printed goal.
    #[serde(default)]
    pub references: Vec<Reference>,
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

/// Object relative to which the destination of another was computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The object.
    pub object: ObjectId,
    /// The destination (x and y in World), m.
    pub destination: [f64; 2],
}

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

/// Ways to achieve some steps, each as facts; `None` if a step is not a formula, or if there are
/// too many ways.
pub(crate) fn ways(steps: &[Step]) -> Option<Vec<Vec<Formula>>> {
    let goals = steps.iter().map(|step| step.formula().cloned());
    let all = Formula::All(goals.collect::<Option<_>>()?);
    let ways = all.alternatives()?.into_iter();
    let literals = |way: Vec<(&Intent, bool)>| {
        let literals = way.into_iter().map(|(own, so)| Formula::literal(own, so));
        literals.collect()
    };
    Some(ways.map(literals).collect())
}

impl Step {
    /// Intents of the step.
    pub fn intents(&self) -> Vec<&Intent> {
        self.formula().map_or_else(Vec::new, Formula::atoms)
    }

    /// Returns the intent of a step with a single one.
    pub fn intent(&self) -> Option<&Intent> {
        self.formula().and_then(Formula::intent)
    }

    /// Returns true if the step acts on an object, whatever is chosen.
    pub(crate) fn moves(&self, id: &str) -> bool {
        match self {
            Self::Goal(formula) => formula.moves(id),
            Self::Tower { n, of, .. } => *n == of.len() && of.iter().any(|o| o == id),
            Self::Swap { objects } => objects.iter().any(|o| o == id),
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
                f.write_str("tower(")?;
                if *n < of.len() {
                    write!(f, "{n} of ")?;
                }
                write!(f, "{})", of.join(", "))?;
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

/// Largest number of alternatives of a formula that are checked. A formula with more is assumed to
/// be satisfiable.
const MAX_ALTERNATIVES: usize = 100;

/// An intent, and true if it should hold afterwards.
type Literal<'a> = (&'a Intent, bool);

/// Returns the reason why a task contradicts itself: a step cannot hold, or steps that should hold
/// together cannot. A step that is said to come before a contradicting one only has to hold until
/// then.
pub(crate) fn contradiction(task: &Task) -> Option<String> {
    let formulas = || task.steps.iter().filter_map(Step::formula);
    let mut together: Vec<Vec<&Formula>> = formulas().map(|one| vec![one]).collect();
    let mut stage = vec![];
    for (idx, step) in task.steps.iter().enumerate() {
        if task.in_turn.contains(step) {
            together.push(std::mem::take(&mut stage));
        }
        let later = || task.steps[idx + 1..].iter().filter_map(Step::formula);
        stage.extend(step.formula().filter(|own| !own.is_undone_by(later())));
    }
    together.push(stage);
    let mut together = together.iter();
    together.find_map(|all| impossible(all, &|choice| task.forbids(choice)))
}

/// Returns for each formula of a sequence true if it has to hold at the end: no later formula
/// undoes it, and it can hold together with them.
pub fn lasting(stages: &[Formula]) -> Vec<bool> {
    let mut kept: Vec<&Formula> = vec![];
    let mut lasts = vec![false; stages.len()];
    for (idx, stage) in stages.iter().enumerate().rev() {
        kept.push(stage);
        let is_undone = stage.is_undone_by(stages[idx + 1..].iter());
        lasts[idx] = !is_undone && impossible(&kept, &|_| None).is_none();
        if !lasts[idx] {
            kept.pop();
        }
    }
    lasts
}

/// Returns the reason why formulas cannot hold at the same time.
fn impossible(
    all: &[&Formula],
    forbids: &dyn Fn(&[Literal<'_>]) -> Option<String>,
) -> Option<String> {
    let alternatives = all.iter().map(|formula| formula.alternatives());
    let alternatives = product(alternatives, MAX_ALTERNATIVES).unwrap_or_default();
    let why = |choice: Vec<Literal<'_>>| {
        let goals = choice.iter().filter_map(|(is, so)| Some((is.goal()?, *so)));
        let goals: Vec<_> = goals.collect();
        let at_once = || Some(format!("{} cannot hold at the same time", clash(&goals)?));
        forbids(&choice).or_else(at_once)
    };
    let all: Option<Vec<String>> = alternatives.into_iter().map(why).collect();
    all?.into_iter().next()
}

/// All ways to satisfy `n` of several formulas; `None` if there are too many.
fn some_of(of: &[Formula], n: usize) -> Option<Vec<Vec<Literal<'_>>>> {
    let (Some((first, rest)), true) = (of.split_first(), (1..=of.len()).contains(&n)) else {
        return Some(vec![vec![]; usize::from(n == 0)]);
    };
    let with = [first.alternatives(), some_of(rest, n - 1)].into_iter();
    let all = [product(with, MAX_ALTERNATIVES)?, some_of(rest, n)?].concat();
    (all.len() <= MAX_ALTERNATIVES).then_some(all)
}

impl Formula {
    /// Returns all ways to satisfy the formula, as facts that should hold or not; `None` if there
    /// are too many.
    pub fn alternatives(&self) -> Option<Vec<Vec<Literal<'_>>>> {
        Some(match self {
            Self::Is(intent) => vec![vec![(intent, true)]],
            Self::Not(intent) => vec![vec![(intent, false)]],
            Self::Any(of) => some_of(of, 1)?,
            Self::All(of) => some_of(of, of.len())?,
            Self::Some { n, of } => some_of(of, *n)?,
        })
    }

    fn moves(&self, id: &str) -> bool {
        match self {
            Self::Is(intent) => intent.object() == Some(id),
            Self::All(of) => of.iter().any(|one| one.moves(id)),
            Self::Any(of) => of.iter().all(|one| one.moves(id)),
            Self::Not(_) | Self::Some { .. } => false,
        }
    }

    fn is_undone_by<'f>(&self, later: impl Iterator<Item = &'f Self>) -> bool {
        let own = self.atoms();
        let mut later = later.flat_map(Self::atoms);
        later.any(|later| own.iter().any(|atom| atom.is_undone_by(later)))
    }
}

impl Task {
    /// Goals that must not begin to hold.
    pub fn forbidden(&self) -> impl Iterator<Item = &Goal> {
        self.never.iter().filter_map(Intent::goal)
    }

    /// Returns the reason why a set of facts is forbidden.
    fn forbids(&self, facts: &[Literal<'_>]) -> Option<String> {
        facts.iter().filter(|(_, so)| *so).find_map(|(fact, _)| {
            let is_own = |id: &&String| fact.object() == Some(id.as_str());
            let id = match &self.untouched {
                Untouched::These(ids) => ids.iter().find(is_own),
                _ => None,
            };
            let touched = id.map(|id| format!("{id} must be moved, but must not be touched"));
            let never = self.never.contains(fact);
            touched.or(never.then(|| format!("{fact} is a goal, but must never hold")))
        })
    }
}
