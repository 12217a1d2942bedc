//! Compound conditions: all or any of several hold, one does not hold, or one holds for a time.

use std::fmt;

use regrasp_api::Goal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Success;
use crate::GroundTruth;
use crate::condition::{Condition, Evidence, Finding, Objects, ensure, ensure_none};
use crate::known::{Known, Mistake, Step, Wrong, positive};

/// All conditions of a list hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct All(#[schemars(length(min = 1))] pub Vec<Success>);

impl Condition for All {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        fit_each(&mut self.0, known)?;
        let denied = |s: &&Success| self.0.contains(&Not(Box::new((*s).clone())).into());
        let conflict = self.0.iter().find(denied).map(|s| format!("{s}, not({s})"));
        conflict.map_or(Ok(()), |conflict| Err(Wrong::conflict(conflict)))
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        ensure_none(self.0.iter().flat_map(|s| s.unmet_in(seen)).collect())
    }

    fn parts(&self) -> &[Success] {
        &self.0
    }

    fn goals(&self) -> Vec<Goal> {
        self.0.iter().flat_map(|s| s.named().1.goals()).collect()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all({})", texts(&self.0))
    }
}

/// Fits each condition of a list, which must not be empty: an empty one would always hold.
fn fit_each(all: &mut [Success], known: &Known<'_>) -> Result<(), Wrong> {
    if all.is_empty() {
        return Err(Wrong::whole(Mistake::NotAllowed {
            got: "empty".to_owned(),
            allowed: "a list of at least one condition".to_owned(),
        }));
    }
    let mut each = all.iter_mut().enumerate();
    each.try_for_each(|(i, s)| s.fit(known).map_err(|wrong| wrong.inside(Step::Item(i))))
}

fn texts(all: &[Success]) -> String {
    let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

/// At least one condition of a list holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Any(#[schemars(length(min = 1))] pub Vec<Success>);

impl Condition for Any {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        fit_each(&mut self.0, known)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let unmet: Vec<_> = self.0.iter().map(|s| s.unmet_in(seen)).collect();
        match unmet.iter().any(Vec::is_empty) {
            true => Ok(()),
            false => Err(Finding::Parts(unmet.into_iter().flatten().collect())),
        }
    }

    fn parts(&self) -> &[Success] {
        &self.0
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "any({})", texts(&self.0))
    }
}

/// A condition does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Not(pub Box<Success>);

impl Condition for Not {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        self.0.fit(known)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let holds = self.0.unmet_in(seen).is_empty();
        ensure(!holds, || "the condition holds".to_owned())
    }

    fn parts(&self) -> &[Success] {
        std::slice::from_ref(&self.0)
    }

    fn objects_of_parts(&self) -> Objects<'_> {
        let (named, moved) = (self.0.objects(), Vec::new());
        Objects { named, moved }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not({})", self.0)
    }
}

/// A condition holds at the end and for some time after it, while the robot does nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldFor {
    /// Time after the end, simulated s.
    #[schemars(range(max = MOST_SECS), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
    /// Condition that has to hold.
    pub condition: Box<Success>,
}

impl Condition for HeldFor {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        positive("seconds", self.seconds)?;
        if self.seconds > MOST_SECS {
            let right = format!("at most {MOST_SECS} s");
            return Err(Wrong::value("seconds", self.seconds, right));
        }
        if self.condition.watch_secs() > 0.0 {
            let right = "conditions on a single instant";
            return Err(Wrong::value("condition", "another `held_for`", right));
        }
        let inner = self.condition.fit(known);
        inner.map_err(|wrong| wrong.inside(Step::Key("condition")))
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let later = |truth: &GroundTruth| truth.time_secs - seen.last.time_secs;
        let watched = seen.after.unwrap_or_default();
        let in_time = |truth: &&GroundTruth| later(truth) <= self.seconds + ROUNDING_SECS;
        for truth in std::iter::once(seen.last).chain(watched.iter().filter(in_time)) {
            let unmet = self.condition.unmet(seen.first, truth);
            if !unmet.is_empty() {
                let reasons: Vec<String> = unmet.iter().map(ToString::to_string).collect();
                let (secs, reasons) = (later(truth), reasons.join("; "));
                return Err(format!("{secs:.2} s after the end, {reasons}").into());
            }
        }
        let watched_secs = watched.last().map_or(0.0, later);
        let enough = seen.after.is_none() || watched_secs >= self.seconds - ROUNDING_SECS;
        ensure(enough, || {
            format!(
                "the world was watched for only {watched_secs:.2} s of {} s",
                self.seconds
            )
        })
    }

    fn parts(&self) -> &[Success] {
        std::slice::from_ref(&self.condition)
    }

    fn goals(&self) -> Vec<Goal> {
        self.condition.named().1.goals()
    }

    fn watch_secs(&self) -> f64 {
        self.seconds
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "held_for({} s, {})", self.seconds, self.condition)
    }
}

/// Longest time to watch, s: longer than any fall, and short enough to simulate in every episode.
const MOST_SECS: f64 = 60.0;

/// Tolerance of watched times for rounding, s.
const ROUNDING_SECS: f64 = 1e-6;
