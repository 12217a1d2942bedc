//! `held_for`: a condition goes on holding after the end.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Success;
use crate::WorldTruth;
use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Step, Wrong, positive};

/// A condition holds at the end, and goes on holding while nothing is done any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldFor {
    /// For how long, simulated s.
    #[schemars(range(max = MOST_SECS), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
    /// What.
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
            let right = "conditions on a moment";
            return Err(Wrong::value("condition", "another `held_for`", right));
        }
        let inner = self.condition.fit(known);
        inner.map_err(|wrong| wrong.inside(Step::Key("condition")))
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let later = |truth: &WorldTruth| truth.time_secs - seen.last.time_secs;
        let watched = seen.after.unwrap_or_default();
        let in_time = |truth: &&WorldTruth| later(truth) <= self.seconds + ROUNDING_SECS;
        for truth in std::iter::once(seen.last).chain(watched.iter().filter(in_time)) {
            let unmet = self.condition.unmet(seen.first, truth);
            if !unmet.is_empty() {
                let said: Vec<String> = unmet.iter().map(ToString::to_string).collect();
                let (secs, said) = (later(truth), said.join("; "));
                return Err(format!("{secs:.2} s after the end, {said}").into());
            }
        }
        let watched_secs = watched.last().map_or(0.0, later);
        let enough = seen.after.is_none() || watched_secs >= self.seconds - ROUNDING_SECS;
        ensure(enough, || {
            format!("the world was only watched for {watched_secs:.2} s")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.condition.objects()
    }

    fn moved(&self) -> Vec<&ObjectId> {
        self.condition.moved()
    }

    fn watch_secs(&self) -> f64 {
        self.seconds
    }
}

impl fmt::Display for HeldFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "held_for({} s, {})", self.seconds, self.condition)
    }
}

/// Longer than anything takes to fall, and short enough to be simulated each time, s.
const MOST_SECS: f64 = 60.0;

/// How much the time that was watched may fall short by rounding, s.
const ROUNDING_SECS: f64 = 1e-6;
