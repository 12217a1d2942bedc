//! Readable description of an episode.

use std::fmt::Write as _;

use regrasp_api::{
    EpisodeResult, Event, Measured, Remark, SkillResult, StampedEvent, senses_named,
};

use crate::Run;
use crate::cues::word;
use crate::files::EVENTS_FILE;

const INDENT: usize = 11;
const NO_END: &str = "the run has not ended: it goes on, or it was killed here";

impl Run {
    /// Describes the run with one line per event and its simulated time: plans, steps with their
    /// phases, results with reasons and values, decisions, and the end.
    ///
    /// Control characters are escaped because names in a scene are untrusted text.
    pub fn story(&self) -> String {
        let mut writer = StoryWriter::default();
        writer.heading(self);
        for event in &self.events {
            writer.event(event);
        }
        match &self.result {
            Some(result) => writer.ending(result),
            None => writer.add(None, NO_END),
        }
        for loss in self.losses() {
            writer.add(None, &loss);
        }
        writer.text
    }

    /// Sentences about events that are missing or unreadable.
    pub fn losses(&self) -> Vec<String> {
        if self.events.is_empty() && self.skipped.is_empty() && self.result.is_some() {
            return vec![format!(
                "the run has ended, but its {EVENTS_FILE} is missing or empty"
            )];
        }
        let losses = self.skipped.iter().map(|skipped| {
            let (line, error) = (skipped.line_number, &skipped.error);
            format!("line {line} of {EVENTS_FILE} is unreadable: {error}")
        });
        losses.collect()
    }
}

#[derive(Default)]
struct StoryWriter {
    text: String,
    phases: Vec<(String, f64)>,
    began_secs: f64,
}

impl StoryWriter {
    fn add(&mut self, at_secs: Option<f64>, what: &str) {
        let time = at_secs
            .map(|secs| format!("{secs:8.2} s"))
            .unwrap_or_default();
        let what: String = what.chars().flat_map(shown).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{time:INDENT$}{what}");
    }

    fn heading(&mut self, run: &Run) {
        let info = &run.info;
        let of = info.scene.as_ref().map(|scene| format!(" in {scene}"));
        let line = format!(
            "\"{}\"{}, seed {}, planner {}, regrasp {}",
            info.task,
            of.unwrap_or_default(),
            info.seed,
            info.planner,
            info.version
        );
        self.add(None, &line);
    }

    fn event(&mut self, stamped: &StampedEvent) {
        let at_secs = stamped.sim_secs;
        match &stamped.event {
            Event::PhaseStarted { name } => return self.phases.push((name.clone(), at_secs)),
            Event::StepFinished { result, .. } => return self.answer(at_secs, result),
            // The story's heading, phases and ending already contain these events, or they are too
            // detailed for it.
            Event::EpisodeStarted { .. }
            | Event::GraspsWeighed { .. }
            | Event::NoMotion { .. }
            | Event::MotionFinished { .. }
            | Event::EpisodeFinished { .. } => return,
            Event::StepStarted { .. } => {
                self.phases.clear();
                self.began_secs = at_secs;
            }
            _ => {}
        }
        for Remark { text, .. } in stamped.event.remarks() {
            let is_own = !text.starts_with("  ");
            self.add(is_own.then_some(at_secs), &text);
        }
    }

    fn answer(&mut self, at_secs: f64, result: &SkillResult) {
        if let Some(parts) = self.parts(at_secs) {
            self.add(None, &format!("  {parts}"));
        }
        let took_secs = at_secs - self.began_secs;
        let detail = &result.reason_detail;
        let how = match &result.reason {
            None => format!("done in {took_secs:.2} s: {detail}"),
            Some(reason) => {
                let phase = word(&result.phase);
                format!("FAILED after {took_secs:.2} s: {reason} ({phase}) - {detail}")
            }
        };
        self.add(Some(at_secs), &format!("  {how}"));
        let measured: Vec<_> = result.measured.iter().map(figure).collect();
        if !measured.is_empty() {
            self.add(None, &format!("  measured: {}", measured.join(", ")));
        }
        if !result.verified_by.is_empty() {
            let senses = senses_named(&result.verified_by);
            self.add(None, &format!("  verified by: {senses}"));
        }
        for hint in &result.hints {
            self.add(None, &format!("  hint: {hint}"));
        }
    }

    fn parts(&mut self, end_secs: f64) -> Option<String> {
        let phases = std::mem::take(&mut self.phases);
        let ends = phases.iter().skip(1).map(|(_, began)| *began);
        let ends = ends.chain([end_secs]);
        let parts = phases.iter().zip(ends);
        let parts: Vec<_> = parts
            .map(|((name, began), end)| format!("{name} {:.2} s", end - began))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn ending(&mut self, result: &EpisodeResult) {
        let how = if result.success { "SUCCESS" } else { "FAILURE" };
        let detail = match result.final_detail.as_str() {
            "" => String::new(),
            detail => format!(" - {detail}"),
        };
        self.add(None, &format!("{how}: {}{detail}", result.final_reason));
        let line = format!(
            "{} steps, {} planner calls, {} replans, {:.1} s simulated, {:.2} s wall time, \
             state digest {}",
            result.steps,
            result.planner_calls,
            result.replans,
            result.sim_s,
            result.wall_s,
            result.state_digest
        );
        self.add(None, &line);
    }
}

fn figure(measured: &Measured) -> String {
    let (name, value, unit) = (&measured.name, measured.value, &measured.unit);
    match measured.limit {
        Some(limit) => format!("{name} {value:.4} {unit} (limit {limit:.4})"),
        None => format!("{name} {value:.4} {unit}"),
    }
}

fn shown(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control().then(|| c.escape_default());
    let plain = escaped.is_none().then_some(c);
    escaped.into_iter().flatten().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        let mut writer = StoryWriter::default();
        writer.add(Some(1.5), "STEP 1: pick \u{1b}[2J\nred");
        assert_eq!(writer.text, "    1.50 s STEP 1: pick \\u{1b}[2J\\nred\n");
    }

    #[test]
    fn each_part_of_a_step_lasts_until_the_next() {
        let mut writer = StoryWriter {
            phases: vec![("approach".into(), 1.0), ("close".into(), 1.5)],
            ..StoryWriter::default()
        };
        let parts = writer.parts(3.0);
        assert_eq!(parts.as_deref(), Some("approach 0.50 s, close 1.50 s"));
        assert_eq!(writer.parts(3.0), None);
    }
}
