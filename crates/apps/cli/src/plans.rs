//! `regrasp plans`: versions of an episode's plan.

use std::path::Path;

use regrasp::api::{Event, PlanVersion};
use regrasp::record::read_run;
use similar::TextDiff;

use crate::{ExitCode, Result, say};

/// Prints all versions of an episode's plan, or the changes between them.
pub(super) fn plans(run: &Path, diff: bool) -> Result<ExitCode> {
    let run = read_run(run)?;
    let losses = run.losses();
    let versions: Vec<PlanVersion> = run
        .events
        .into_iter()
        .filter_map(|stamped| match stamped.event {
            Event::PlanRevised { version } => Some(version),
            _ => None,
        })
        .collect();
    if versions.is_empty() && losses.is_empty() {
        say("no plan was made in this run");
    }
    let mut before = String::new();
    for version in &versions {
        let now = in_lines(version);
        say(&heading(version));
        if diff && version.version > 1 {
            let changes = TextDiff::from_lines(&before, &now);
            for change in changes.iter_all_changes() {
                say(&format!("  {}{}", change.tag(), change.value().trim_end()));
            }
        } else {
            for line in now.lines() {
                say(&format!("   {line}"));
            }
        }
        before = now;
    }
    for loss in losses {
        say(&loss);
    }
    Ok(ExitCode::Ok)
}

fn heading(version: &PlanVersion) -> String {
    let (number, after_steps, why) = (version.version, version.after_steps, &version.why);
    let reasoning = match version.plan.reasoning.as_str() {
        "" => String::new(),
        text => format!("\n   because: {text}"),
    };
    format!("version {number}, after {after_steps} steps: {why}{reasoning}")
}

/// Formats a plan, one line per step, then its goals, then why it is infeasible.
fn in_lines(version: &PlanVersion) -> String {
    let plan = &version.plan;
    let mut lines: Vec<_> = version.steps.iter().map(|s| s.call.to_string()).collect();
    lines.extend(plan.goals.iter().map(|goal| format!("goal: {goal}")));
    let why = plan.explanation.iter();
    lines.extend(why.map(|why| format!("infeasible: {why}")));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
