//! Documents that change during a run: plans and failures.

use std::fmt::Write as _;

use regrasp_api::{PlanVersion, SkillCall, SkillResult};

/// Symbols of a step's state in the document.
const WAITING: char = '·';
const RUNNING: char = '▶';
const DONE: char = '✔';
const FAILED: char = '✖';

#[derive(Clone, Debug, PartialEq)]
struct Step {
    call: String,
    /// Index in the episode, once the step has started.
    idx: Option<usize>,
    sign: char,
}

/// All versions of the plan, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanSheet(Vec<(PlanVersion, Vec<Step>)>);

impl PlanSheet {
    pub(crate) fn revise(&mut self, version: &PlanVersion) {
        let steps = version.steps.iter().map(|step| Step {
            call: step.call.to_string(),
            idx: None,
            sign: WAITING,
        });
        self.0.push((version.clone(), steps.collect()));
    }

    /// Marks a step as started. Steps that are not in the plan, such as retries, are inserted.
    pub(crate) fn begin(&mut self, idx: usize, call: &SkillCall) {
        let Some((_, steps)) = self.0.last_mut() else {
            return;
        };
        let begun = Step {
            call: call.to_string(),
            idx: Some(idx),
            sign: RUNNING,
        };
        let is_next = |s: &&mut Step| s.idx.is_none() && s.call == begun.call;
        if let Some(step) = steps.iter_mut().find(is_next) {
            *step = begun;
            return;
        }
        let at = steps.iter().take_while(|s| s.idx.is_some()).count();
        steps.insert(at, begun);
    }

    pub(crate) fn finish(&mut self, idx: usize, success: bool) {
        let versions = self.0.iter_mut().rev();
        let mut steps = versions.flat_map(|(_, steps)| steps);
        if let Some(step) = steps.find(|step| step.idx == Some(idx)) {
            step.sign = if success { DONE } else { FAILED };
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (age, (version, steps)) in self.0.iter().rev().enumerate() {
            if age > 0 {
                text.push_str("\n---\n\n");
            }
            write(&mut text, version, steps);
        }
        text
    }
}

// Writing to a string cannot fail.
fn write(text: &mut String, version: &PlanVersion, steps: &[Step]) {
    let PlanVersion { plan, why, .. } = version;
    let _ = writeln!(text, "## Plan {}\n\n{}\n", version.version, plain(why));
    if !plan.reasoning.is_empty() {
        let _ = writeln!(text, "> {}\n", plain(&plan.reasoning));
    }
    for Step { call, sign, .. } in steps {
        let _ = writeln!(text, "- {sign} {}", code(call));
    }
    if !plan.goals.is_empty() {
        let goals = plan.goals.iter().map(|goal| code(&goal.to_string()));
        let _ = writeln!(text, "\nGoals: {}", goals.collect::<Vec<_>>().join(", "));
    }
    if let Some(why) = &plan.explanation {
        let _ = writeln!(text, "\nInfeasible: {}", plain(why));
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Failures(Vec<String>);

impl Failures {
    pub(crate) fn add(&mut self, at_secs: f64, idx: usize, call: &str, result: &SkillResult) {
        let reason = result.reason.as_ref().map_or("failed", |r| r.slug());
        let mut text = format!(
            "## {} at {at_secs:.2} s\n\nStep {}: {}\n\n{}\n",
            code(reason),
            idx + 1,
            code(call),
            plain(&result.reason_detail)
        );
        if !result.measured.is_empty() {
            text.push_str("\n| figure | value | limit | unit |\n|---|---|---|---|\n");
        }
        for figure in &result.measured {
            let limit = figure.limit.map(|limit| format!("{limit:.4}"));
            let _ = writeln!(
                text,
                "| {} | {:.4} | {} | {} |",
                code(&figure.name),
                figure.value,
                limit.unwrap_or_default(),
                plain(&figure.unit)
            );
        }
        for hint in &result.hints {
            let _ = write!(text, "\n- {}", plain(hint));
        }
        self.0.push(text);
    }

    pub(crate) fn text(&self) -> String {
        let all: Vec<_> = self.0.iter().rev().map(String::as_str).collect();
        all.join("\n---\n\n")
    }
}

/// Converts untrusted text to one line of Markdown without formatting.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>|#!".contains(c) {
            shown.push('\\');
        }
        shown.push(if c.is_control() { ' ' } else { c });
    }
    shown
}

/// Converts untrusted text to inline code of Markdown.
fn code(text: &str) -> String {
    let text = text.replace('`', "'").replace(char::is_control, " ");
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use regrasp_api::{Failure, Plan, Reason, Trigger};
    use serde_json::json;

    use super::*;

    fn call(object: &str) -> SkillCall {
        SkillCall::new("pick", json!({ "object": object }))
    }

    fn version(number: usize, objects: &[&str]) -> PlanVersion {
        let plan = Plan::complete(objects.iter().map(|o| call(o)), "done").because("it_is so");
        PlanVersion {
            version: number,
            trigger: Trigger::Start,
            why: "the episode begins".into(),
            after_steps: 0,
            steps: plan.steps.clone(),
            plan,
        }
    }

    #[test]
    fn a_plan_shows_what_became_of_its_steps_and_earlier_ones_stay() {
        let mut sheet = PlanSheet::default();
        sheet.revise(&version(1, &["red", "blue"]));
        sheet.begin(0, &call("red"));
        assert!(sheet.text().contains("- ▶ `pick({\"object\":\"red\"})`"));
        sheet.finish(0, false);
        sheet.revise(&version(2, &["blue", "red"]));
        sheet.begin(1, &call("blue"));
        sheet.finish(1, true);
        // A retry that is not in the plan.
        sheet.begin(2, &call("green"));
        let text = sheet.text();
        let lines: Vec<_> = text.lines().filter(|l| l.starts_with("- ")).collect();
        let expected = [
            "- ✔ `pick({\"object\":\"blue\"})`",
            "- ▶ `pick({\"object\":\"green\"})`",
            "- · `pick({\"object\":\"red\"})`",
            "- ✖ `pick({\"object\":\"red\"})`",
            "- · `pick({\"object\":\"blue\"})`",
        ];
        assert_eq!(lines, expected);
        assert!(text.find("## Plan 2") < text.find("## Plan 1"));
        assert!(text.contains("> it\\_is so"), "{text}");
    }

    #[test]
    fn failures_have_figures_and_texts_of_anybody_are_no_markdown() {
        let mut failures = Failures::default();
        let failure = Failure::new(Reason::Unreachable, "**too far**\nfor it")
            .measured("pos_err", 0.25, Some(0.001), "m")
            .hint("move it | closer");
        let result = SkillResult::from(failure);
        failures.add(1.5, 0, "pick(`x`)", &result);
        failures.add(2.5, 1, "pick", &result);
        let text = failures.text();
        assert!(text.starts_with("## `unreachable` at 2.50 s\n"), "{text}");
        assert!(text.contains("\\*\\*too far\\*\\* for it"), "{text}");
        let row = "| `pos_err` | 0.2500 | 0.0010 | m |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("- move it \\| closer"), "{text}");
        assert!(text.contains("Step 1: `pick('x')`"), "{text}");
    }
}
