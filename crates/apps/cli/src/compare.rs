//! Comparison of two runs, for runs that cannot be repeated.

use std::path::Path;

use regrasp::record::{Comparison, Run, read_run};

use crate::{ExitCode, Result, complain, say};

/// Prints both runs, phase by phase, and where they diverge.
pub(super) fn compare(first: &Path, second: &Path) -> Result<ExitCode> {
    let runs = [read_run(first)?, read_run(second)?];
    let comparison = Comparison::of(&runs[0].events, &runs[1].events);
    say(&format!("first:  {}", first.display()));
    say(&format!("second: {}", second.display()));
    say(comparison.to_string().trim_end());
    failures(&comparison);
    let ends = runs.each_ref().map(end);
    say(&format!("end\n  {}\n  {}", ends[0], ends[1]));
    if let Some(step) = comparison.parted() {
        complain(&format!("the runs diverge at step {step}"));
        return Ok(ExitCode::TaskFailed);
    }
    let reasons = runs
        .each_ref()
        .map(|run| run.result.as_ref().map(|r| r.final_reason));
    if reasons[0] != reasons[1] {
        complain("the runs take the same steps but end differently");
        return Ok(ExitCode::TaskFailed);
    }
    for step in comparison.other_phases() {
        say(&format!("step {step} goes through different phases"));
    }
    let same = comparison.steps[0].len();
    say(&format!("the runs agree over {same} steps"));
    Ok(ExitCode::Ok)
}

fn failures(comparison: &Comparison) {
    for (steps, whose) in comparison.steps.iter().zip(["first", "second"]) {
        for (idx, step) in steps.iter().enumerate() {
            if let (Some(reason), Some(result)) = (step.reason(), &step.result) {
                let detail = &result.reason_detail;
                say(&format!("{whose}, step {idx}: {reason}: {detail}"));
            }
        }
    }
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
