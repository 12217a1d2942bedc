//! What steps that succeeded brought about, by the declarations of their skills.

use std::collections::BTreeMap;

use regrasp_api::{CompletedStep, Fact, HandUse, Kind, Operator, SkillCall, SkillSpec};
use regrasp_language::Command;
use serde_json::Value;

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
            let bound = bound(operator, call, held.as_deref());
            for literal in operator.brings {
                let Some(fact) = instance(literal.predicate, literal.of, &bound) else {
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

/// The parameters of an operator in a call: its arguments, and what is in the hand.
fn bound(operator: &Operator, call: &SkillCall, held: Option<&str>) -> BTreeMap<String, String> {
    let text = |key: &str| call.args.get(key).and_then(Value::as_str);
    let number = |key: &str| call.args.get(key).and_then(Value::as_f64);
    let of = operator.parameters.iter().filter_map(|(name, kind)| {
        let value = match kind {
            Kind::Point => {
                let (x, y) = (number("x")?, number("y")?);
                Some(format!("{x:.3}, {y:.3}"))
            }
            _ => text(name)
                .or(held.filter(|_| *name == "object"))
                .map(str::to_owned),
        };
        Some(((*name).to_owned(), value?))
    });
    of.collect()
}

/// A literal with its parameters filled in.
pub(crate) fn instance(
    predicate: &str,
    of: &[&str],
    bound: &BTreeMap<String, String>,
) -> Option<Fact> {
    let of = of.iter().map(|name| bound.get(*name).cloned());
    Some(Fact {
        predicate: predicate.to_owned(),
        of: of.collect::<Option<_>>()?,
    })
}
