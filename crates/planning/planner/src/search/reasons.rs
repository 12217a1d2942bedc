//! Constraints on calls, learned from failures.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{ObjectId, PlanRequest, SkillCall};
use serde_json::Value;

use super::facts::was_cleared;
use crate::feedback::{Remedy, blockers, is_widened, remedy_for};

/// Number of identical failures after which a call is not repeated.
const MAX_FAILURES_ALIKE: usize = 3;

/// Subject of a call: the skill with the object that it took, or the place where it put one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct About {
    pub(crate) skill: String,
    /// The defining argument: an id, or the two coordinates of a point.
    pub(crate) what: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    /// Objects that must be moved before a call.
    pub(crate) after_moving: BTreeMap<About, BTreeSet<String>>,
    /// Drawers and doors that must be closed before a call.
    pub(crate) after_closing: BTreeMap<About, BTreeSet<String>>,
    pub(crate) forbidden: BTreeSet<About>,
}

impl Reasons {
    pub(crate) fn learn(request: &PlanRequest<'_>) -> Self {
        let mut reasons = Self::default();
        let mut n_alike: BTreeMap<(About, String), usize> = BTreeMap::new();
        for attempt in request.attempts {
            let Some(about) = attempt.call().and_then(About::of) else {
                continue;
            };
            let held = request.held.map(|held| held.id.as_str());
            let blockers = blockers(attempt, held, request);
            let alike = n_alike
                .entry((about.clone(), attempt.reason.to_string()))
                .or_default();
            *alike += 1;
            let is_stuck = *alike >= MAX_FAILURES_ALIKE;
            match remedy_for(&attempt.reason) {
                Remedy::Unstack | Remedy::ClearTarget | Remedy::ClearPath | Remedy::CheckWidth
                    if !blockers.is_empty() =>
                {
                    let is_left = |name: &String| !was_cleared(name, attempt.step_idx, request);
                    let left = blockers.into_iter().filter(is_left);
                    let is_loose = |name: &String| request.percept.is_loose(&ObjectId::new(name));
                    let (loose, open): (Vec<_>, Vec<_>) = left.partition(is_loose);
                    let moved = reasons.after_moving.entry(about.clone());
                    moved.or_default().extend(loose);
                    reasons.after_closing.entry(about).or_default().extend(open);
                }
                _ if !is_stuck && is_widened(attempt, request) => {}
                Remedy::CheckWidth | Remedy::OutOfReach | Remedy::GiveUp => {
                    reasons.forbidden.insert(about);
                }
                _ if is_stuck => {
                    reasons.forbidden.insert(about);
                }
                _ => {}
            }
        }
        reasons
    }
}

impl About {
    pub(crate) fn of(call: &SkillCall) -> Option<Self> {
        let text = |key: &str| call.args.get(key).and_then(Value::as_str);
        let number = |key: &str| call.args.get(key).and_then(Value::as_f64);
        let coordinate = |key: &str| Some(number(key)?.to_string());
        let point = || Some(vec![coordinate("x")?, coordinate("y")?]);
        let args = call.args.as_object();
        let any = || args.and_then(|args| args.values().find_map(Value::as_str));
        let what = text("object").or(text("target")).or_else(any);
        Some(Self {
            skill: call.skill.clone(),
            what: what.map(|what| vec![what.to_owned()]).or_else(point)?,
        })
    }
}
