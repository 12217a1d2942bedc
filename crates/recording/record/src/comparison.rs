//! Comparison of two runs: their calls, phases, times and reasons.

use std::fmt;

use regrasp_api::{Event, SkillResult, StampedEvent};
use serde_json::Value;

/// One step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedStep {
    /// Name of the skill.
    pub skill: String,
    /// Arguments of the call.
    pub args: Value,
    /// Duration, s.
    pub took_secs: f64,
    /// Phases with their durations, s.
    pub phases: Vec<(String, f64)>,
    /// Result; `None` if the run was killed during the step.
    pub result: Option<SkillResult>,
}

impl ComparedStep {
    /// Reason of the failure, if any.
    pub fn reason(&self) -> Option<&str> {
        self.result.as_ref()?.reason.as_ref().map(|r| r.slug())
    }

    /// Outcome in a few words, such as `done` or the reason of the failure.
    pub fn outcome(&self) -> &str {
        match &self.result {
            None => "did not end",
            Some(_) => self.reason().unwrap_or("done"),
        }
    }

    fn agrees(&self, other: &Self) -> bool {
        self.skill == other.skill
            && self.args == other.args
            && self.result.is_some() == other.result.is_some()
            && self.reason() == other.reason()
    }
}

/// Comparison of two runs step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Steps of the first and of the second run.
    pub steps: [Vec<ComparedStep>; 2],
}

impl Comparison {
    /// Creates the comparison from the events of two runs.
    pub fn of(first: &[StampedEvent], second: &[StampedEvent]) -> Self {
        Self {
            steps: [steps(first), steps(second)],
        }
    }

    /// Index of the first step whose call or outcome differs, or that only one run has.
    pub fn parted(&self) -> Option<usize> {
        let [ours, theirs] = &self.steps;
        let longest = ours.len().max(theirs.len());
        let pairs = ours.iter().zip(theirs);
        let same = pairs.take_while(|(a, b)| a.agrees(b)).count();
        (same < longest).then_some(same)
    }

    /// Indices of steps that both runs have and whose phases differ.
    pub fn other_phases(&self) -> Vec<usize> {
        let [ours, theirs] = &self.steps;
        let names = |step: &ComparedStep| -> Vec<String> {
            step.phases.iter().map(|(name, _)| name.clone()).collect()
        };
        let pairs = ours.iter().zip(theirs).enumerate();
        let other = pairs.filter(|(_, (a, b))| names(a) != names(b));
        other.map(|(idx, _)| idx).collect()
    }
}

/// Formats the comparison as a Markdown table.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| step | phase | first | second |\n|---|---|---|---|")?;
        let [ours, theirs] = &self.steps;
        for idx in 0..ours.len().max(theirs.len()) {
            let sides = [ours.get(idx), theirs.get(idx)];
            let call = |step: Option<&ComparedStep>| {
                step.map(|step| format!("{} {}", step.skill, step.args))
            };
            let end = sides.map(|step| {
                let text = step.map(|it| format!("{}, {:.2} s", it.outcome(), it.took_secs));
                text.unwrap_or_else(|| "no step".to_owned())
            });
            let (first, second) = (call(sides[0]), call(sides[1]));
            let [ours, theirs] = &end;
            match (&first, &second) {
                (Some(a), Some(b)) if a != b => {
                    writeln!(f, "| {idx} | | {a}: {ours} | {b}: {theirs} |")?;
                }
                _ => {
                    let call = first.or(second).unwrap_or_default();
                    writeln!(f, "| {idx}: {call} | | {ours} | {theirs} |")?;
                }
            }
            let phases = sides.map(|step| step.map_or(&[][..], |step| &step.phases));
            for k in 0..phases[0].len().max(phases[1].len()) {
                let secs = phases.map(|phases| phases.get(k));
                let name = secs[0].or(secs[1]).map_or("", |(name, _)| name.as_str());
                let [ours, theirs] = secs.map(|phase| match phase {
                    None => String::new(),
                    Some((own, secs)) if own == name => format!("{secs:.2} s"),
                    Some((own, secs)) => format!("{own} {secs:.2} s"),
                });
                writeln!(f, "| | {name} | {ours} | {theirs} |")?;
            }
        }
        Ok(())
    }
}

fn steps(events: &[StampedEvent]) -> Vec<ComparedStep> {
    let mut steps: Vec<(f64, ComparedStep)> = Vec::new();
    // Start of the current phase, s.
    let mut phase_secs = 0.0;
    for stamped in events {
        let now_secs = stamped.sim_secs;
        match &stamped.event {
            Event::StepStarted { skill, args, .. } => {
                let step = ComparedStep {
                    skill: skill.clone(),
                    args: args.clone(),
                    took_secs: 0.0,
                    phases: vec![],
                    result: None,
                };
                steps.push((now_secs, step));
            }
            Event::PhaseStarted { name } => {
                // Phases after the end of a step, such as planning, do not belong to a step.
                if let Some((_, step)) = steps.last_mut().filter(|(_, s)| s.result.is_none()) {
                    end_phase(step, now_secs - phase_secs);
                    step.phases.push((name.clone(), 0.0));
                    phase_secs = now_secs;
                }
            }
            Event::StepFinished { result, .. } => {
                if let Some((began_secs, step)) = steps.last_mut() {
                    end_phase(step, now_secs - phase_secs);
                    step.took_secs = now_secs - *began_secs;
                    step.result = Some(result.clone());
                }
            }
            _ => {}
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}

fn end_phase(step: &mut ComparedStep, took_secs: f64) {
    if let Some((_, secs)) = step.phases.last_mut() {
        *secs = took_secs;
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::{Failure, Phase, Reason, SkillCall};
    use serde_json::json;

    use super::*;

    fn run(lift_secs: f64, reason: Option<Reason>) -> Vec<StampedEvent> {
        let at = |sim_secs: f64, event: Event| StampedEvent::new(0, sim_secs, event);
        let failure = Failure::new(reason.clone().unwrap_or(Reason::Cancelled), "as it was");
        let result = SkillResult {
            success: reason.is_none(),
            reason,
            ..failure.in_phase(Phase::Verify).into()
        };
        let pick = SkillCall::new("pick", json!({"object": "cube"}));
        let phase = |name: &str| Event::PhaseStarted { name: name.into() };
        vec![
            at(1.0, Event::step_started(0, &pick)),
            at(1.0, phase("approach")),
            at(3.0, phase("lift")),
            at(3.0 + lift_secs, Event::step_finished(0, result)),
        ]
    }

    #[test]
    fn runs_that_end_for_different_reasons_diverge_and_their_times_are_reported() {
        let same = Comparison::of(&run(1.0, None), &run(1.5, None));
        assert_eq!((same.parted(), same.other_phases()), (None, vec![]));
        let table = same.to_string();
        assert!(table.contains("| | lift | 1.00 s | 1.50 s |"), "{table}");
        assert!(table.contains("done, 3.00 s | done, 3.50 s"), "{table}");
        let slipped = run(1.0, Some(Reason::GraspSlipped));
        let other = Comparison::of(&run(1.0, None), &slipped);
        assert_eq!(other.parted(), Some(0));
        let table = other.to_string();
        assert!(table.contains("grasp_slipped, 3.00 s"), "{table}");
        let longer = [run(1.0, None), run(1.0, None)].concat();
        assert_eq!(Comparison::of(&run(1.0, None), &longer).parted(), Some(1));
        let fewer: Vec<_> = run(1.0, None).into_iter().take(2).collect();
        let cut = Comparison::of(&run(1.0, None), &fewer);
        assert_eq!((cut.parted(), cut.other_phases()), (Some(0), vec![0]));
    }
}
