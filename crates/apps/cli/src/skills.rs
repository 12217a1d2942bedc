//! The skills that this program has.

use std::sync::OnceLock;

use regrasp::api::SkillSpec;
use regrasp::robot::SkillSet;
use regrasp::skills::standard;
use serde_json::json;

type Change = dyn Fn(SkillSet) -> SkillSet + Send + Sync;

/// What a program adds to the standard skills. A program has one command line, so that this
/// is set once, before the command line is read.
static CHANGE: OnceLock<Box<Change>> = OnceLock::new();

/// Sets what is added. Only the first call counts.
pub(crate) fn change_skills(change: impl Fn(SkillSet) -> SkillSet + Send + Sync + 'static) {
    let _ = CHANGE.set(Box::new(change));
}

/// The names of those that are no standard skills, or that took a standard one's place.
pub(crate) fn own_names() -> Vec<String> {
    let said = |spec: &SkillSpec| json!(spec);
    let known: Vec<_> = standard().specs().iter().map(said).collect();
    let specs = skills().specs().into_iter();
    let own = specs.filter(|spec| !known.contains(&said(spec)));
    own.map(|spec| spec.name).collect()
}

/// All skills: the standard ones, and those of the program.
pub(crate) fn skills() -> SkillSet {
    match CHANGE.get() {
        Some(change) => change(standard()),
        None => standard(),
    }
}
