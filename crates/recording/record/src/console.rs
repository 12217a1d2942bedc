//! Console log: one line per important event.

use std::io::{self, Write};

use regrasp_api::{Event, EventSink, GoalStatus, SkillCall, StampedEvent, senses_named};

/// Writes important events, one per line:
///
/// ```text
/// PLAN: task='pick up the red cube' replan=0
/// EXECUTE: pick({"object":"red_cube"})
/// VERIFIED: by sight, joint positions, finger width
/// FAILED: unreachable - IK did not converge …
/// ```
///
/// A goal check is logged only if the goal holds, or if it does not hold although the last step
/// since the previous check succeeded.
#[derive(Debug)]
pub struct ConsoleSink<W> {
    out: W,
    error: Option<io::Error>,
    acted: bool,
}

impl<W: Write> ConsoleSink<W> {
    /// Creates a sink that writes to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            error: None,
            acted: false,
        }
    }

    /// Takes the first error of `out`, if any.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Returns the underlying writer.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write + Send> EventSink for ConsoleSink<W> {
    fn emit(&mut self, event: &StampedEvent) {
        let acted = self.acted;
        match &event.event {
            Event::StepFinished { result, .. } => self.acted = result.success,
            Event::GoalChecked { .. } => self.acted = false,
            _ => {}
        }
        let Some(line) = line_for(&event.event, acted) else {
            return;
        };
        let written = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }
}

fn line_for(event: &Event, acted: bool) -> Option<String> {
    match event {
        Event::PlanRequested { task, replan } => {
            Some(format!("PLAN: task='{task}' replan={replan}"))
        }
        Event::PlanRevised { version } if version.version == 1 => {
            interpretation(&version.plan.interpretation)
        }
        Event::PlanFailed { error, .. } => Some(format!("FAILED: no plan - failed to {error}")),
        Event::StepStarted { skill, args, .. } => {
            let call = SkillCall::new(skill, args.clone());
            Some(format!("EXECUTE: {call}"))
        }
        Event::StepFinished { result, .. } if !result.success => {
            let reason = result.reason.as_ref().map_or("unknown", |r| r.slug());
            Some(format!("FAILED: {reason} - {}", result.reason_detail))
        }
        Event::StepFinished { result, .. } if !result.verified_by.is_empty() => {
            let senses = senses_named(&result.verified_by);
            Some(format!("VERIFIED: by {senses}"))
        }
        Event::RobotFailed { error } => Some(format!("FAULT: {error}")),
        Event::Resumed {
            not_restored: Some(what),
            ..
        } => Some(format!("RESUMED: not restored: {what}")),
        Event::GoalChecked { goals } => goal_line(goals, acted),
        _ => None,
    }
}

/// Line with the interpreted goal, followed by the lines of its derivation.
fn interpretation(lines: &[String]) -> Option<String> {
    let (goal, why) = lines.split_first()?;
    let mut text = format!("GOAL: {goal}");
    for line in why {
        text.push_str("\n  ");
        text.push_str(line);
    }
    Some(text)
}

fn goal_line(goals: &[(String, GoalStatus)], acted: bool) -> Option<String> {
    let unmet: Vec<_> = goals
        .iter()
        .filter_map(|(goal, status)| match status {
            GoalStatus::Met => None,
            GoalStatus::Unmet(why) => Some(format!("{goal}: {why}")),
        })
        .collect();
    if unmet.is_empty() {
        Some("GOAL: holds".to_owned())
    } else {
        acted.then(|| format!("GOAL: does not hold yet ({})", unmet.join("; ")))
    }
}
