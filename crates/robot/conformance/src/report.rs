//! The rules that a skill must keep, and the report of those it broke.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// What a skill owes its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum Rule {
    /// Its name is a slug, it says what it does, and the schema of its arguments is a
    /// valid one of an object that refuses what it does not know.
    Described,
    /// The calls that its author calls good succeed.
    GoodCallsSucceed,
    /// Whatever stops it before it begins has moved nothing.
    RefusesUntouched,
    /// A failure has a reason and a sentence; a success has no reason.
    SaysWhy,
    /// It ends within [`STOP_WITHIN_SECS`](crate::Report::STOP_WITHIN_SECS) simulated
    /// seconds of a stop, with `cancelled` if there was anything left to do.
    Stops,
    /// It never panics, whatever the arguments.
    NeverPanics,
    /// It ends by itself.
    Ends,
    /// It moves under the robot's monitors, not behind their back.
    MovesWatched,
    /// Called twice alike, it does the same to the bit.
    Deterministic,
    /// What it declares that it brings about ([`Skill::OPERATORS`](regrasp_robot::Skill::OPERATORS))
    /// is so after a call that succeeded, as far as perception can tell.
    BringsAbout,
}

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The arguments of the call, if it was about one.
    pub args: Option<Value>,
    /// What was found, and what would be right.
    pub detail: String,
}

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The skill's name.
    pub skill: String,
    /// Calls that were made.
    pub n_calls: usize,
    /// Calls that were stopped half-way.
    pub n_stopped: usize,
    /// Longest simulated time between a stop and the answer, s.
    pub slowest_stop_sim_secs: f64,
    /// Longest real time between a stop and the answer; depends on the machine.
    pub slowest_stop_wall: Duration,
    /// Every breach; none in a conformant skill.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How soon after a stop a skill has to answer, in simulated seconds.
    pub const STOP_WITHIN_SECS: f64 = 0.05;

    /// Returns true if nothing was found.
    pub fn is_conformant(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns true if a rule was broken.
    pub fn breaks(&self, rule: Rule) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule)
    }

    pub(crate) fn add(&mut self, rule: Rule, args: Option<&Value>, detail: impl Into<String>) {
        self.findings.push(Finding {
            rule,
            args: args.cloned(),
            detail: detail.into(),
        });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} calls, {} of them stopped (answered within {:.1} ms of simulated time, \
             {:.1} ms of real time), {} findings",
            self.skill,
            self.n_calls,
            self.n_stopped,
            1e3 * self.slowest_stop_sim_secs,
            1e3 * self.slowest_stop_wall.as_secs_f64(),
            self.findings.len()
        )?;
        for Finding { rule, args, detail } in &self.findings {
            let of = args.as_ref().map(shortened).unwrap_or_default();
            writeln!(f, "- {rule:?}{of}: {detail}")?;
        }
        Ok(())
    }
}

/// Arguments as a message can show them.
fn shortened(args: &Value) -> String {
    const MAX_CHARS: usize = 120;
    let text = args.to_string();
    let end = text.char_indices().nth(MAX_CHARS);
    match end {
        Some((end, _)) => format!(" ({}…)", &text[..end]),
        None => format!(" ({text})"),
    }
}
