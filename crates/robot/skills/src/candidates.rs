//! Summaries of candidates that were rejected.

use std::collections::BTreeMap;
use std::fmt::Display;

use regrasp_api::{Failure, MotionFailure, ObjectId, Reason};

pub(crate) fn list<'i>(ids: impl IntoIterator<Item = &'i ObjectId>) -> String {
    let names = ids.into_iter().map(ObjectId::as_str);
    names.collect::<Vec<_>>().join(", ")
}

/// Counts equal causes, in words: `3 occupied`.
pub(crate) fn counted<C: Ord + Display>(causes: impl Iterator<Item = C>) -> Vec<String> {
    let counts = counts(causes).into_iter();
    counts.map(|(cause, n)| format!("{n} {cause}")).collect()
}

pub(crate) fn counts<C: Ord>(causes: impl Iterator<Item = C>) -> BTreeMap<C, usize> {
    let mut counts = BTreeMap::new();
    causes.for_each(|cause| *counts.entry(cause).or_default() += 1);
    counts
}

/// Summarises the failures of all candidates; `nothing` is the message if there was no candidate.
pub(crate) fn summary(
    failures: Vec<MotionFailure>,
    (id, nothing): (Option<&ObjectId>, &str),
) -> Failure {
    let counted = counted(failures.iter().map(|failure| failure.reason().to_string()));
    let miss_m = |failure: &MotionFailure| match failure {
        MotionFailure::Unreachable { pos_err_m, .. } => Some(*pos_err_m),
        _ => None,
    };
    let n = failures.len();
    let telling = failures
        .into_iter()
        // Failures that are not about reach are more informative; among those about reach, the
        // nearest miss is.
        .min_by(|a, b| {
            let key = |f: &MotionFailure| miss_m(f).unwrap_or(-1.0);
            key(a).total_cmp(&key(b))
        });
    let Some(telling) = telling else {
        return Failure::new(Reason::NoGraspFound, nothing).about(id.cloned());
    };
    let mut failure = Failure::from(telling);
    if counted.len() > 1 {
        failure.detail = format!(
            "{} (of {n} candidates: {})",
            failure.detail,
            counted.join(", ")
        )
        .into();
    }
    failure
}
