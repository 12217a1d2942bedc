//! Captions for pictures of a run: the current action at any time, and the key moments.

use regrasp_api::{Event, FinalReason, PlanVersion, SkillCall, SkillResult, StampedEvent};

/// Maximum time between events that count as simultaneous, s.
const SAME_SECS: f64 = 1e-6;

/// State of a run, valid until the next cue starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cue {
    /// Simulated time at which this state starts, s.
    pub from_secs: f64,
    /// Number of the plan, from 1; 0 before the first plan.
    pub plan: usize,
    /// Running call; `None` between calls.
    pub call: Option<String>,
    /// Phase of the call.
    pub phase: Option<String>,
    /// Reason of the last failure until another call succeeds; after the end, the final reason.
    pub reason: Option<String>,
}

/// States of a run over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Cues(Vec<Cue>);

/// A key moment of a run: its start, a plan, a failure, or its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Simulated time, s.
    pub at_secs: f64,
    /// Description in a few short lines.
    pub lines: Vec<String>,
}

impl Cues {
    /// Creates the cues from the events of a run.
    pub fn of(events: &[StampedEvent]) -> Self {
        let mut cues = vec![Cue::default()];
        for stamped in events {
            let mut cue = cues.last().cloned().unwrap_or_default();
            cue.from_secs = stamped.sim_secs;
            if cue.follow(&stamped.event) {
                cues.push(cue);
            }
        }
        Self(cues)
    }

    /// Returns the state at a simulated time. If several states start at that time, it is the last
    /// of them.
    pub fn at(&self, secs: f64) -> &Cue {
        let is_begun = |cue: &Cue| cue.from_secs <= secs + SAME_SECS;
        let begun = self.0.partition_point(is_begun);
        // Times before the first cue get the first one.
        &self.0[begun.max(1) - 1]
    }
}

impl Cue {
    /// Applies the event. Returns true if it changes the caption.
    fn follow(&mut self, event: &Event) -> bool {
        match event {
            Event::PlanRevised { version } => self.plan = version.version,
            Event::StepStarted { skill, args, .. } => {
                self.call = Some(SkillCall::new(skill, args.clone()).to_string());
                self.phase = None;
            }
            Event::PhaseStarted { name } => self.phase = Some(name.clone()),
            Event::StepFinished { result, .. } => {
                self.call = None;
                self.phase = None;
                self.reason = failure(result);
            }
            Event::EpisodeFinished { result } => {
                self.reason = Some(result.final_reason.to_string());
            }
            _ => return false,
        }
        true
    }

    /// Lines of a caption: the current action, and the last failure.
    pub fn lines(&self) -> [String; 2] {
        let plan = match self.plan {
            0 => String::new(),
            n => format!("plan {n}  "),
        };
        let call = self.call.as_deref().unwrap_or("-");
        let phase = self.phase.as_ref().map(|phase| format!(": {phase}"));
        [
            format!("{plan}{call}{}", phase.unwrap_or_default()),
            self.reason.clone().unwrap_or_default(),
        ]
    }
}

/// Key moments: the start, each plan, each failure, and the end.
pub fn key_moments(events: &[StampedEvent]) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::new();
    let mut skill_name = String::new();
    let mut is_over = false;
    for StampedEvent {
        sim_secs, event, ..
    } in events
    {
        let lines = match event {
            Event::EpisodeStarted { task, .. } => vec![format!("START: {task}")],
            Event::PlanRevised { version } => plan_lines(version),
            Event::StepStarted { skill, .. } => {
                skill_name.clone_from(skill);
                continue;
            }
            Event::StepFinished { result, .. } => match failure(result) {
                Some(reason) => vec![format!("FAILED {skill_name}: {reason}")],
                None => continue,
            },
            Event::EpisodeFinished { result } => {
                is_over = true;
                let good = [FinalReason::PlanComplete, FinalReason::AlreadyDone];
                let good = good.contains(&result.final_reason);
                let mut lines = vec![format!("END: {}", result.final_reason)];
                lines.extend((!good).then(|| result.final_detail.clone()));
                lines
            }
            _ => continue,
        };
        add(&mut moments, *sim_secs, lines);
    }
    if let Some(last) = events.last().filter(|_| !is_over) {
        let lines = vec!["the recording ends here".into()];
        add(&mut moments, last.sim_secs, lines);
    }
    moments
}

/// Adds lines; simultaneous events are merged into one moment.
fn add(moments: &mut Vec<Moment>, at_secs: f64, lines: Vec<String>) {
    match moments.last_mut() {
        Some(last) if (at_secs - last.at_secs).abs() < SAME_SECS => last.lines.extend(lines),
        _ => moments.push(Moment { at_secs, lines }),
    }
}

fn plan_lines(version: &PlanVersion) -> Vec<String> {
    let steps = version.steps.iter().map(|step| step.call.skill.as_str());
    let steps: Vec<_> = steps.collect();
    let steps = match version.plan.explanation.as_deref() {
        Some(why) if steps.is_empty() => format!("infeasible: {why}"),
        _ => steps.join(", "),
    };
    vec![format!("PLAN {}: {steps}", version.version)]
}

fn failure(result: &SkillResult) -> Option<String> {
    let reason = result.reason.as_ref().filter(|_| !result.success)?;
    let (phase, detail) = (word(&result.phase), &result.reason_detail);
    Some(format!("{reason} ({phase}) - {detail}"))
}

/// Serialized name of a phase, such as `plan`.
pub(crate) fn word(phase: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(phase).ok();
    let word = value.as_ref().and_then(|value| value.as_str());
    word.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use regrasp_api::{Failure, Phase, Reason};
    use serde_json::json;

    use super::*;

    fn run() -> Vec<StampedEvent> {
        let start = Event::EpisodeStarted {
            task: "lift it".into(),
            seed: 0,
            planner: "stub".into(),
            perception: "ground_truth".into(),
        };
        let pick = SkillCall::new("pick", json!({ "object": "cube" }));
        let step = |step_idx| Event::step_started(step_idx, &pick);
        let phase = |name: &str| Event::PhaseStarted { name: name.into() };
        let failure = Failure::new(Reason::Unreachable, "too far").in_phase(Phase::Plan);
        let failed = Event::step_finished(0, failure);
        let taken = [(0.0, start), (0.0, step(0)), (0.5, phase("approach"))];
        let retried = [(1.5, failed), (1.5, step(1)), (2.0, phase("close"))];
        let events = [taken, retried].concat();
        let stamped = |(seq, (sim_secs, event))| StampedEvent::new(seq, sim_secs, event);
        (0..).zip(events).map(stamped).collect()
    }

    #[test]
    fn a_cue_says_what_is_done_at_its_time_and_why_the_last_call_failed() {
        let cues = Cues::of(&run());
        let at = |secs: f64| cues.at(secs).lines();
        assert_eq!(cues.at(-1.0), &Cue::default());
        assert_eq!(at(0.2)[0], "pick({\"object\":\"cube\"})");
        assert_eq!(at(0.7)[0], "pick({\"object\":\"cube\"}): approach");
        assert_eq!(at(0.7)[1], "");
        // The phase of the first call ended with the call.
        assert_eq!(at(1.7)[0], "pick({\"object\":\"cube\"})");
        assert_eq!(at(9.0)[1], "unreachable (plan) - too far");
    }

    #[test]
    fn what_happens_at_one_time_is_one_moment_and_a_kill_is_the_end() {
        let moments = key_moments(&run());
        let told = moments.iter().map(|m| (m.at_secs, m.lines.join("; ")));
        let told: Vec<_> = told.collect();
        let expected = [
            (0.0, "START: lift it".to_owned()),
            (1.5, "FAILED pick: unreachable (plan) - too far".into()),
            (2.0, "the recording ends here".into()),
        ];
        assert_eq!(told, expected);
        assert!(key_moments(&[]).is_empty());
    }
}
