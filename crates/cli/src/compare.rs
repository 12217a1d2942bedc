//! Two runs side by side: what cannot be done again can be compared.

use std::path::Path;

use regrasp::api::{Event, SkillResult, StampedEvent};
use regrasp::record::{Run, read_run};
use serde_json::Value;

use super::error::CliError;
use super::output::{complain, say};
use crate::ExitCode;

/// A step as a run tells it.
struct Step {
    skill: String,
    args: Value,
    /// From its beginning to its end, s.
    took_secs: f64,
    /// What became of it; `None` if the run was killed in it.
    result: Option<SkillResult>,
}

impl Step {
    fn outcome(&self) -> String {
        match &self.result {
            None => "never ended".into(),
            Some(result) => result.reason.as_ref().map_or_else(
                || "done".to_owned(),
                |reason| format!("{} ({})", reason.slug(), result.reason_detail),
            ),
        }
    }

    fn reason(&self) -> Option<&str> {
        self.result.as_ref()?.reason.as_ref().map(|r| r.slug())
    }

    /// Whether the same was asked for, and the same came of it.
    fn agrees(&self, other: &Self) -> bool {
        self.skill == other.skill
            && self.args == other.args
            && self.result.is_some() == other.result.is_some()
            && self.reason() == other.reason()
    }
}

fn steps(events: &[StampedEvent]) -> Vec<Step> {
    let mut steps: Vec<(f64, Step)> = Vec::new();
    for stamped in events {
        match &stamped.event {
            Event::StepStarted { skill, args, .. } => {
                let step = Step {
                    skill: skill.clone(),
                    args: args.clone(),
                    took_secs: 0.0,
                    result: None,
                };
                steps.push((stamped.sim_secs, step));
            }
            Event::StepFinished { result, .. } => {
                if let Some((began_secs, step)) = steps.last_mut() {
                    step.took_secs = stamped.sim_secs - *began_secs;
                    step.result = Some(result.clone());
                }
            }
            _ => {}
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}

/// Says what both runs did, and where they part.
pub(super) fn compare(first: &Path, second: &Path) -> Result<ExitCode, CliError> {
    let runs = [read_run(first)?, read_run(second)?];
    let [ours, theirs] = [steps(&runs[0].events), steps(&runs[1].events)];
    for idx in 0..ours.len().max(theirs.len()) {
        let side = |step: Option<&Step>| {
            step.map_or_else(
                || "no such step".to_owned(),
                |s| {
                    format!(
                        "{} {}: {}, {:.2} s",
                        s.skill,
                        s.args,
                        s.outcome(),
                        s.took_secs
                    )
                },
            )
        };
        say(&format!("step {idx}"));
        say(&format!("  {}", side(ours.get(idx))));
        say(&format!("  {}", side(theirs.get(idx))));
    }
    let ends = runs.each_ref().map(end);
    say(&format!("end\n  {}\n  {}", ends[0], ends[1]));
    let pairs = ours.iter().zip(&theirs);
    let same = pairs.take_while(|(a, b)| a.agrees(b)).count();
    if same < ours.len().max(theirs.len()) {
        complain(&format!("the runs part at step {same}"));
        return Ok(ExitCode::TaskFailed);
    }
    let reasons = runs
        .each_ref()
        .map(|run| run.result.as_ref().map(|r| r.final_reason));
    if reasons[0] != reasons[1] {
        complain("the runs take the same steps and end otherwise");
        return Ok(ExitCode::TaskFailed);
    }
    say(&format!("the runs agree over {same} steps"));
    Ok(ExitCode::Ok)
}

fn end(run: &Run) -> String {
    match &run.result {
        None => "killed before its end".into(),
        Some(result) => format!(
            "{}: {} after {} steps and {} replans, {:.2} s",
            result.final_reason, result.final_detail, result.steps, result.replans, result.sim_s
        ),
    }
}
