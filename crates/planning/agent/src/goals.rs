//! Goals of an episode, judged one by one.

use std::collections::BTreeSet;

use regrasp_api::{Goal, GoalStatus, ObjectId, Percept, Plan, Resolution};
use regrasp_language::resolve;
use regrasp_relations::Evidence;
use serde::{Deserialize, Serialize};

/// What must hold at the end of an episode.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Goals {
    goals: Vec<Goal>,
    /// Goals that have to have held before, and have not yet.
    #[serde(default)]
    on_the_way: Vec<Goal>,
    /// Names in the goals of which nobody knows yet which object they mean.
    ungrounded: BTreeSet<ObjectId>,
}

impl Goals {
    /// Takes the goals of a plan, unless there are some already.
    pub(crate) fn adopt(&mut self, plan: &Plan) {
        if self.goals.is_empty() {
            self.goals.clone_from(&plan.goals);
            self.on_the_way.clone_from(&plan.on_the_way);
            let names = self.names_mut().map(|name| name.clone());
            self.ungrounded = names.collect();
        }
    }

    fn names_mut(&mut self) -> impl Iterator<Item = &mut ObjectId> {
        let goals = self.goals.iter_mut().chain(&mut self.on_the_way);
        goals.flat_map(|goal| goal.objects_mut())
    }

    /// The goal that has to hold next, before those of the end do.
    pub(crate) fn on_the_way(&self) -> Option<&Goal> {
        self.on_the_way.first()
    }

    /// Goes on to what has to hold after what just held.
    pub(crate) fn passed(&mut self) {
        self.on_the_way.remove(0);
    }

    /// Replaces phrases by the objects that they name. A phrase that names nothing
    /// yet (or too much) gets another chance with the next percept; one that was
    /// grounded keeps its object whatever happens to it.
    pub(crate) fn ground(&mut self, percept: &Percept) {
        let names = std::mem::take(&mut self.ungrounded);
        for name in names {
            match resolve(percept, name.as_str()) {
                Resolution::One(object) => self.rename(&name, &object.id),
                Resolution::None { .. } | Resolution::Ambiguous(_) => {
                    self.ungrounded.insert(name);
                }
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// Each goal.
    pub(crate) fn all(&self) -> impl Iterator<Item = Goal> + '_ {
        self.goals.iter().cloned()
    }

    /// Each goal with its status.
    pub(crate) fn judge(&self, evidence: &Evidence<'_>) -> Vec<(Goal, GoalStatus)> {
        let judged = |goal: &Goal| (goal.clone(), evidence.judge(goal));
        self.goals.iter().map(judged).collect()
    }

    fn rename(&mut self, name: &ObjectId, id: &ObjectId) {
        let named = self.names_mut().filter(|object| *object == name);
        named.for_each(|object| object.clone_from(id));
    }
}

/// Which parts of a task with several parts hold: `; achieved: …; not achieved: …`.
pub(crate) fn partial_result(judged: &[(Goal, GoalStatus)]) -> String {
    if judged.len() < 2 {
        return String::new();
    }
    let list = |met: bool| {
        let goals = judged.iter().filter(|(_, s)| s.is_met() == met);
        let names: Vec<_> = goals.map(|(goal, _)| goal.to_string()).collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(", ")
        }
    };
    format!("; achieved: {}; not achieved: {}", list(true), list(false))
}

/// The goals that do not hold, each with the reason why.
pub(crate) fn unmet(judged: &[(Goal, GoalStatus)]) -> Vec<String> {
    let unmet = judged.iter().filter_map(|(goal, status)| match status {
        GoalStatus::Met => None,
        GoalStatus::Unmet(why) => Some(format!("{goal}: {why}")),
    });
    unmet.collect()
}
