//! What steps that succeeded brought about, by the declarations of their skills.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{CompletedStep, Fact, HandUse, SkillSpec};
use regrasp_language::Command;

/// A command as the fact that it brings about: "in" and "on" are one relation here.
pub(crate) fn key(command: &Command) -> Fact {
    match command {
        Command::PutIn { object, target } => on(object, target),
        Command::Slide { object, .. } => Fact::new("open", &[object]),
        command => command.fact(),
    }
}

/// That something is on or in something.
pub(crate) fn on(object: &str, target: &str) -> Fact {
    Fact::new("on", &[object, target])
}

/// Places that steps brought things to, and other facts that they made true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    /// By what was moved.
    pub(crate) place: BTreeMap<String, Fact>,
    pub(crate) so: BTreeSet<Fact>,
}

/// All that was so after each step.
pub(crate) fn facts_done(completed: &[CompletedStep], skills: &[SkillSpec]) -> Vec<Done> {
    let mut done = Done::default();
    let mut held: Option<String> = None;
    let mut all = vec![];
    for CompletedStep { call, .. } in completed {
        let Some(spec) = skills.iter().find(|s| s.name == call.skill) else {
            continue;
        };
        for operator in spec.operators {
            let bound = operator.bound(&call.args, held.as_deref());
            for literal in operator.brings {
                let Some(fact) = literal.fact(&bound) else {
                    continue;
                };
                let object = fact.of.first().cloned().unwrap_or_default();
                let moves = matches!(spec.hand, HandUse::Takes | HandUse::Releases);
                match (moves, literal.holds) {
                    (true, true) => drop(done.place.insert(object, fact)),
                    (true, false) => drop(done.place.remove(&object)),
                    (false, true) => drop(done.so.insert(fact)),
                    (false, false) => drop(done.so.remove(&fact)),
                }
            }
            match spec.hand {
                HandUse::Takes => held = bound.get("object").map(|of| of.concat()),
                HandUse::Releases => held = None,
                _ => {}
            }
        }
        all.push(done.clone());
    }
    all
}
