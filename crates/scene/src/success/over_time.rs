//! Conditions that have to go on holding after the end.

use regrasp_truth::WorldTruth;

use super::Success;

/// How much the time that was watched may fall short by rounding, s.
const ROUNDING_SECS: f64 = 1e-6;

impl Success {
    /// For how long the world has to be watched after the end to judge this, s.
    pub fn watch_secs(&self) -> f64 {
        match self {
            Self::All(all) | Self::Any(all) => all.iter().map(Self::watch_secs).fold(0.0, f64::max),
            Self::Not(inner) => inner.watch_secs(),
            Self::HeldFor { seconds, .. } => *seconds,
            _ => 0.0,
        }
    }
}

/// What was found where a condition does not hold for so long after the end; `None` if it
/// does. Without any truths from after the end only the end itself counts.
pub(super) fn broken(
    condition: &Success,
    seconds: f64,
    [first, last]: [&WorldTruth; 2],
    after: Option<&[WorldTruth]>,
) -> Option<String> {
    let later = |truth: &WorldTruth| truth.time_secs - last.time_secs;
    let watched = after.unwrap_or_default();
    let in_time = |truth: &&WorldTruth| later(truth) <= seconds + ROUNDING_SECS;
    for truth in std::iter::once(last).chain(watched.iter().filter(in_time)) {
        let unmet = condition.unmet(first, truth);
        if !unmet.is_empty() {
            let said: Vec<String> = unmet.iter().map(ToString::to_string).collect();
            return Some(format!(
                "{:.2} s after the end, {}",
                later(truth),
                said.join("; ")
            ));
        }
    }
    let watched_secs = watched.last().map_or(0.0, later);
    let enough = after.is_none() || watched_secs >= seconds - ROUNDING_SECS;
    (!enough).then(|| format!("the world was only watched for {watched_secs:.2} s"))
}
