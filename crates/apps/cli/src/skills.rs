//! Skills of this program.

use std::sync::OnceLock;

use regrasp::api::SkillSpec;
use regrasp::robot::SkillSet;
use regrasp::skills::standard;
use serde_json::json;

type Change = dyn Fn(SkillSet) -> SkillSet + Send + Sync;

/// The program's change of the standard skills. Set once, before its only command line is read.
static CHANGE: OnceLock<Box<Change>> = OnceLock::new();

/// Sets the program's change. Only the first call counts.
pub(crate) fn change_skills(change: impl Fn(SkillSet) -> SkillSet + Send + Sync + 'static) {
    let _ = CHANGE.set(Box::new(change));
}

/// Names of skills that are not standard, or that replace a standard one.
pub(crate) fn own_names() -> Vec<String> {
    let as_json = |spec: &SkillSpec| json!(spec);
    let known: Vec<_> = standard().specs().iter().map(as_json).collect();
    let specs = skills().specs().into_iter();
    let own = specs.filter(|spec| !known.contains(&as_json(spec)));
    own.map(|spec| spec.name).collect()
}

/// All skills: the standard ones, and those of the program.
pub(crate) fn skills() -> SkillSet {
    CHANGE
        .get()
        .map_or_else(standard, |change| change(standard()))
}
