//! What steps that succeeded brought about, by the declarations of their skills.

use std::collections::BTreeMap;

use regrasp_api::{CompletedStep, HandUse, SkillSpec};
use regrasp_language::Command;

/// A command as the fact that it brings about: "in" and "on" are one relation here.
pub(crate) fn key(command: &Command) -> String {
    match command {
        Command::PutIn { object, target } => format!("on({object}, {target})"),
        Command::Slide { object, .. } => format!("open({object})"),
        command => command.to_string(),
    }
}

/// Where things were brought, and what else became so, step by step: after each step, all that
/// was so then.
pub(crate) fn facts_done(
    completed: &[CompletedStep],
    skills: &[SkillSpec],
) -> Vec<BTreeMap<String, String>> {
    let mut so: BTreeMap<String, String> = BTreeMap::new();
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
                let key = if moves { object } else { fact.to_string() };
                match literal.holds {
                    true => so.insert(key, fact.to_string()),
                    false => so.remove(&key),
                };
            }
            match spec.hand {
                HandUse::Takes => held = bound.get("object").cloned(),
                HandUse::Releases => held = None,
                _ => {}
            }
        }
        all.push(so.clone());
    }
    all
}
