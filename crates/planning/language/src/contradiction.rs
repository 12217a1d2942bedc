//! Contradictory goals, and goals that later ones undo.

use regrasp_api::clash;

use crate::formula::Intent;
use crate::formula::{Formula, product};
use crate::task::{Step, Task, Untouched};

/// Most alternatives of a formula that are checked. A formula with more is assumed to be
/// satisfiable.
const MAX_ALTERNATIVES: usize = 100;

/// A fact, and true if it should hold.
type Literal<'a> = (&'a Intent, bool);

/// Returns the reason for which a task contradicts itself. That is a step that cannot hold, or
/// steps that should hold together and cannot. A step that is said to come before a contradicting
/// one only has to hold until then.
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

/// Returns the reason for which formulas cannot hold at the same time.
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

impl Formula {
    fn alternatives(&self) -> Option<Vec<Vec<Literal<'_>>>> {
        Some(match self {
            Self::Is(intent) => vec![vec![(intent, true)]],
            Self::Not(intent) => vec![vec![(intent, false)]],
            Self::Any(of) => {
                let alternatives: Option<Vec<_>> = of.iter().map(Self::alternatives).collect();
                alternatives?.concat()
            }
            Self::All(of) => product(of.iter().map(Self::alternatives), MAX_ALTERNATIVES)?,
            Self::Some { .. } => return None,
        })
    }

    fn is_undone_by<'f>(&self, later: impl Iterator<Item = &'f Self>) -> bool {
        let own = self.atoms();
        let mut later = later.flat_map(Self::atoms);
        later.any(|later| own.iter().any(|atom| atom.is_undone_by(later)))
    }
}

impl Task {
    /// Returns the reason for which a set of facts is forbidden.
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
