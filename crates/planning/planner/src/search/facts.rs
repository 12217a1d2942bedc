//! What steps that succeeded brought about, by the declarations of their skills.

use std::collections::BTreeMap;

use regrasp_api::{CompletedStep, Fact, Goal, HandUse, SkillCall, SkillSpec};

/// That something is in the hand.
pub(crate) fn holding(object: &str) -> Fact {
    Fact::new("holding", &[object])
}

/// That something is on or in something.
pub(crate) fn on(object: &str, target: &str) -> Fact {
    Fact::new("on", &[object, target])
}

/// State of the world after some calls, as far as they changed it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub(crate) held: Option<String>,
    /// Places that things were brought to, by what was moved.
    pub(crate) place: BTreeMap<String, Fact>,
    /// Other facts, and whether they are so.
    pub(crate) so: BTreeMap<Fact, bool>,
}

impl Done {
    /// Adds what a call brings about.
    pub(crate) fn add(&mut self, call: &SkillCall, skills: &[SkillSpec]) {
        // The arm does not stay where it was.
        self.so.insert(Fact::new("home", &[]), false);
        let Some(spec) = skills.iter().find(|s| s.name == call.skill) else {
            return;
        };
        for (fact, holds) in spec.effects(&call.args, self.held.as_deref()) {
            let object = fact.of.first().cloned().unwrap_or_default();
            let releases = spec.hand == HandUse::Releases;
            match (releases || Goal::from(fact.clone()).says_where(), holds) {
                (true, true) => {
                    self.held = (fact.predicate == "holding").then(|| object.clone());
                    drop(self.place.insert(object, fact));
                }
                (true, false) => drop(self.place.remove(&object)),
                (false, holds) => {
                    // What is open so far is not open as it was.
                    let is_same =
                        |f: &Fact| f.predicate == fact.predicate && f.of.first() == Some(&object);
                    self.so.retain(|known, _| !is_same(known));
                    self.so.insert(fact, holds);
                }
            }
        }
        if spec.hand == HandUse::Releases {
            self.held = None;
        }
    }

    /// Returns true if something was opened or closed, however far.
    pub(crate) fn is_moved(&self, object: &str) -> bool {
        let mut facts = self.so.keys();
        facts.any(|f| f.predicate == "open" && f.of.first().is_some_and(|own| own == object))
    }
}

/// All that was so after each step.
pub(crate) fn facts_done(completed: &[CompletedStep], skills: &[SkillSpec]) -> Vec<Done> {
    let mut done = Done::default();
    let after = completed.iter().map(|CompletedStep { call, .. }| {
        done.add(call, skills);
        done.clone()
    });
    after.collect()
}
