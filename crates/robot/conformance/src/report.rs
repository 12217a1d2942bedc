//! Rules for skills, and the report of violations.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// A rule that a skill must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum Rule {
    /// The name is in snake_case, there is a description, and the argument schema is valid,
    /// describes an object and rejects unknown fields.
    Described,
    /// The calls that its author declares good succeed.
    GoodCallsSucceed,
    /// A call that is rejected before it starts has moved nothing.
    RefusesUntouched,
    /// A failure has a reason and a sentence; a success has no reason.
    SaysWhy,
    /// The call ends within [`STOP_WITHIN_SECS`](crate::Report::STOP_WITHIN_SECS) simulated seconds
    /// of a stop, with `cancelled` if anything was left to do.
    Stops,
    /// The skill never panics, for any arguments.
    NeverPanics,
    /// The call ends by itself within five simulated minutes.
    Ends,
    /// The skill moves only under the robot's monitors.
    MovesWatched,
    /// Two calls with the same arguments have bitwise identical effects.
    Deterministic,
    /// The declared effects ([`Skill::OPERATORS`](regrasp_robot::Skill::OPERATORS)) hold after a
    /// successful call, as far as perception can tell.
    BringsAbout,
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The violated rule.
    pub rule: Rule,
    /// Arguments of the call, if the finding is about a call.
    pub args: Option<Value>,
    /// Description of the violation, with the expected behaviour.
    pub detail: String,
}

/// Result of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name of the skill.
    pub skill: String,
    /// Number of calls made.
    pub n_calls: usize,
    /// Number of calls that were stopped half-way.
    pub n_stopped: usize,
    /// Longest simulated time between a stop and the result, s.
    pub slowest_stop_sim_secs: f64,
    /// Longest wall time between a stop and the result; depends on the machine.
    pub slowest_stop_wall: Duration,
    /// All violations; empty for a conformant skill.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Time within which a skill has to react to a stop, simulated seconds.
    pub const STOP_WITHIN_SECS: f64 = 0.05;

    /// Returns true if there are no findings.
    pub fn is_conformant(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns true if a rule was violated.
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
            "{}: {} calls, {} of them stopped (ended within {:.1} ms of simulated time, \
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

/// Arguments, shortened for a message.
fn shortened(args: &Value) -> String {
    const MAX_CHARS: usize = 120;
    let text = args.to_string();
    let end = text.char_indices().nth(MAX_CHARS);
    match end {
        Some((end, _)) => format!(" ({}…)", &text[..end]),
        None => format!(" ({text})"),
    }
}
