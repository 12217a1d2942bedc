//! Goals of an episode, judged one by one.

use std::collections::BTreeSet;

use regrasp_api::{Goal, GoalStatus, ObjectId, Percept, Plan, Resolution};
use regrasp_language::resolve;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Goals {
    pub(crate) goals: Vec<Goal>,
    /// Goals that the last plan chose among alternatives.
    #[serde(default)]
    chosen: Vec<Goal>,
    /// Intermediate goals that have not held yet.
    #[serde(default)]
    on_the_way: Vec<Goal>,
    /// Goals that must not begin to hold, and for each, true if it held in the last percept.
    #[serde(default)]
    never: (Vec<Goal>, Option<Vec<bool>>),
    /// Names in goals that are not resolved to an object yet.
    ungrounded: BTreeSet<ObjectId>,
}

impl Goals {
    /// Adopts the goals of a plan. If the episode has goals already, only those chosen among
    /// alternatives are replaced.
    pub(crate) fn adopt(&mut self, plan: &Plan) {
        let before = std::mem::replace(&mut self.chosen, plan.chosen.clone());
        if !self.goals.is_empty() {
            if self.chosen.is_empty() {
                self.chosen = before;
            } else {
                self.goals.retain(|goal| !before.contains(goal));
                self.goals.extend(self.chosen.iter().cloned());
            }
        } else {
            self.goals.clone_from(&plan.goals);
            self.on_the_way.clone_from(&plan.on_the_way);
            self.never = (plan.never.clone(), None);
            let names = self.names_mut().map(|name| name.clone());
            self.ungrounded = names.collect();
        }
    }

    fn names_mut(&mut self) -> impl Iterator<Item = &mut ObjectId> {
        let goals = self.goals.iter_mut().chain(&mut self.on_the_way);
        let goals = goals.chain(&mut self.never.0);
        goals.flat_map(|goal| goal.objects_mut())
    }

    pub(crate) fn on_the_way(&self) -> Option<&Goal> {
        self.on_the_way.first()
    }

    /// Removes the first intermediate goal, which has held.
    pub(crate) fn passed(&mut self) {
        self.on_the_way.remove(0);
    }

    pub(crate) fn never(&self) -> &[Goal] {
        &self.never.0
    }

    /// Records the present state of the forbidden goals, and returns one that began to hold.
    pub(crate) fn begun(&mut self, now: Vec<bool>) -> Option<&Goal> {
        let (goals, last) = &mut self.never;
        let before = last.replace(now.clone()).unwrap_or_else(|| now.clone());
        let mut states = goals.iter().zip(now.into_iter().zip(before));
        states.find_map(|(goal, (now, before))| (now && !before).then_some(goal))
    }

    /// Replaces phrases in goals by the objects that they name. A phrase that fits no object or
    /// several is tried again with the next percept. A resolved phrase keeps its object.
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

    fn rename(&mut self, name: &ObjectId, id: &ObjectId) {
        let named = self.names_mut().filter(|object| *object == name);
        named.for_each(|object| object.clone_from(id));
    }
}

/// Lists achieved and unmet goals of a task with several: `; achieved: …; not achieved: …`.
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

/// Goals that do not hold, each with a reason.
pub(crate) fn unmet(judged: &[(Goal, GoalStatus)]) -> Vec<String> {
    let unmet = judged.iter().filter_map(|(goal, status)| match status {
        GoalStatus::Met => None,
        GoalStatus::Unmet(why) => Some(format!("{goal}: {why}")),
    });
    unmet.collect()
}
