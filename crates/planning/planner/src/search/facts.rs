//! Effects of completed steps, by the declarations of their skills.

use std::collections::BTreeMap;

use regrasp_api::{CompletedStep, Fact, Goal, HandUse, PlanRequest, SkillCall, SkillSpec};

pub(crate) fn holding(object: &str) -> Fact {
    Fact::new("holding", &[object])
}

/// Fact that an object is on or in another.
pub(crate) fn on(object: &str, target: &str) -> Fact {
    Fact::new("on", &[object, target])
}

/// Effects of completed calls on the world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub(crate) held: Option<String>,
    /// Facts about the last place of each moved object.
    pub(crate) place: BTreeMap<String, Vec<Fact>>,
    /// Facts that do not say where an object is, each with true if it holds.
    pub(crate) so: BTreeMap<Fact, bool>,
}

impl Done {
    pub(crate) fn add(&mut self, call: &SkillCall, skills: &[SkillSpec]) {
        // Every call moves the arm.
        self.so.insert(Fact::new("home", &[]), false);
        let Some(spec) = skills.iter().find(|s| s.name == call.skill) else {
            return;
        };
        let mut placed: BTreeMap<String, Vec<Fact>> = BTreeMap::new();
        for (fact, holds) in spec.effects(&call.args, self.held.as_deref()) {
            let object = fact.of.first().cloned().unwrap_or_default();
            let releases = spec.hand == HandUse::Releases;
            let is_placed = releases || Goal::from(fact.clone()).constrains_pose();
            match (is_placed, holds) {
                (true, true) => {
                    self.held = (fact.predicate == "holding").then(|| object.clone());
                    placed.entry(object).or_default().push(fact);
                }
                (true, false) => drop(self.place.remove(&object)),
                (false, holds) => {
                    // A new opening replaces the old one.
                    let is_same =
                        |f: &Fact| f.predicate == fact.predicate && f.of.first() == Some(&object);
                    self.so.retain(|known, _| !is_same(known));
                    self.so.insert(fact, holds);
                }
            }
        }
        self.place.append(&mut placed);
        if spec.hand == HandUse::Releases {
            self.held = None;
        }
    }

    /// Returns true if an object was put at the place of a fact.
    pub(crate) fn is_at(&self, object: &str, place: &Fact) -> bool {
        let facts = self.place.get(object);
        facts.is_some_and(|facts| facts.contains(place))
    }

    /// Returns true if a joint was opened or closed, however far.
    pub(crate) fn is_moved(&self, object: &str) -> bool {
        let mut facts = self.so.keys();
        facts.any(|f| f.predicate == "open" && f.of.first().is_some_and(|own| own == object))
    }
}

/// Returns true if an object was taken, put out of the way or closed after a step that it blocked.
pub(crate) fn was_cleared(object: &str, step_idx: usize, request: &PlanRequest<'_>) -> bool {
    let open = Fact::new("open", &[object]);
    let cleared = [Goal::aside(object.into()).literal(), (open, false)];
    let after = facts_done(request.completed, request.skills);
    let mut held = None;
    let mut steps = request.completed.iter().zip(after);
    steps.any(|(step, done)| {
        let mut skills = request.skills.iter();
        let spec = skills.find(|spec| spec.name == step.call.skill);
        let before = std::mem::replace(&mut held, done.held);
        let effects = spec.map(|spec| spec.effects(&step.call.args, before.as_deref()));
        let mut effects = effects.into_iter().flatten();
        let is_cleared =
            held.as_deref() == Some(object) || effects.any(|effect| cleared.contains(&effect));
        is_cleared && step.step_idx > step_idx
    })
}

/// Returns the state after each step.
pub(crate) fn facts_done(completed: &[CompletedStep], skills: &[SkillSpec]) -> Vec<Done> {
    let mut done = Done::default();
    let after = completed.iter().map(|CompletedStep { call, .. }| {
        done.add(call, skills);
        done.clone()
    });
    after.collect()
}
