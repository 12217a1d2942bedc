//! Events as lines of a log.

use crate::{
    Approval, ApprovalRequest, Decision, EpisodeResult, Event, GoalStatus, Monitor, MotionEnd,
    PlanVersion, Route, SkillCall,
};

/// Importance of a line in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkLevel {
    /// A detail.
    Detail,
    /// A normal event.
    Usual,
    /// A reaction to a problem.
    Change,
    /// A failure.
    Wrong,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Importance.
    pub level: RemarkLevel,
    /// Text of the line. Two spaces at its start mean that it belongs to the line before.
    pub text: String,
}

impl Event {
    /// Describes the event in lines of a log; empty if the log leaves it out.
    pub fn remarks(&self) -> Vec<Remark> {
        use RemarkLevel::{Change, Detail, Usual, Wrong};
        let (level, text) = match self {
            Event::EpisodeStarted {
                task,
                seed,
                planner,
                perception,
            } => (
                Usual,
                format!("START: {task} (seed {seed}, planner {planner}, perception {perception})"),
            ),
            Event::PlanRevised { version } => return plan(version),
            Event::PlanFailed { error, .. } => (Wrong, format!("NO PLAN: failed to {error}")),
            Event::Resumed {
                after_steps,
                not_restored,
            } => (Change, resumed(*after_steps, not_restored.as_deref())),
            Event::CallRefused { call, why, .. } => (Change, format!("REFUSED {call}: {why}")),
            Event::Decided { decision, .. } if decision.route != Route::Continue => {
                (Change, decided(decision))
            }
            Event::ApprovalAsked { request, answer } => (Change, approval(request, answer)),
            Event::QuestionAsked { question, answer } => {
                let answer = answer.as_deref().unwrap_or("nobody answered");
                (Change, format!("ASKED \"{question}\": {answer}"))
            }
            Event::StepStarted {
                step_idx,
                skill,
                args,
            } => {
                let call = SkillCall::new(skill, args.clone());
                (Usual, format!("STEP {}: {call}", step_idx + 1))
            }
            Event::RobotFailed { error } => (Wrong, format!("FAULT: {error}")),
            Event::Recovered { .. } => (Change, "fault cleared".to_owned()),
            Event::PhaseStarted { name } => (Detail, name.clone()),
            Event::GraspsWeighed { object, grasps } => {
                let verdicts = counted(grasps.iter().map(|g| g.verdict.as_str()));
                (Detail, format!("grasps of {object}: {verdicts}"))
            }
            Event::NoMotion { reason, detail, .. } => {
                (Detail, format!("no motion: {reason} - {detail}"))
            }
            Event::MotionFinished {
                end: MotionEnd::Stopped(stop),
                ..
            } => (
                Wrong,
                format!(
                    "STOPPED after {:.2} s: {}",
                    stop.at_secs,
                    cause(&stop.monitor)
                ),
            ),
            Event::StepFinished { result, .. } => {
                let detail = &result.reason_detail;
                match &result.reason {
                    None => (Usual, format!("done: {detail}")),
                    Some(reason) => (Wrong, format!("FAILED: {reason} - {detail}")),
                }
            }
            Event::GoalChecked { goals } => return goals.iter().map(goal).collect(),
            Event::EpisodeFinished { result } => finished(result),
            Event::BackingOff { wait_secs } => {
                let line = format!("waiting {wait_secs:.1} s before asking the planner again");
                (Change, line)
            }
            Event::Decided { .. }
            | Event::PlanRequested { .. }
            | Event::MotionStarted { .. }
            | Event::MotionFinished { .. }
            | Event::GripperMoved { .. } => return vec![],
        };
        vec![Remark { level, text }]
    }
}

fn cause(monitor: &Monitor) -> &'static str {
    match monitor {
        Monitor::GripLost { .. } => "the grip on the object was lost",
        Monitor::PadsEmpty { .. } => "a finger lost contact with the object",
        Monitor::HeldSlips { .. } => "the held object slipped",
        Monitor::HeldTurns { .. } => "the held object turned in the hand",
        Monitor::UnexpectedContact { .. } => "unexpected contact",
        Monitor::PressesTooHard { .. } => "the contact force was too large",
        Monitor::ExternalTorque { .. } => "the external torque at a joint was too large",
        Monitor::TrackingError { .. } => "a joint deviated from its commanded position",
        Monitor::SpeedError { .. } => "a joint deviated from its commanded speed",
        Monitor::FingerBlocked { .. } => "a finger was blocked",
    }
}

fn resumed(after_steps: usize, not_restored: Option<&str>) -> String {
    let lost = not_restored.map_or_else(String::new, |it| format!("; not restored: {it}"));
    format!("RESUMED the run of another process after {after_steps} steps{lost}")
}

fn decided(decision: &Decision) -> String {
    let (route, severity) = (words(&decision.route), words(&decision.severity));
    let (category, why) = (words(&decision.category), &decision.why);
    format!("  -> {route} ({severity}, {category}): {why}")
}

/// Returns the serialised name of a variant as words: "full replan".
fn words(variant: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(variant).unwrap_or_default();
    name.as_str().unwrap_or_default().replace('_', " ")
}

fn approval(request: &ApprovalRequest, answer: &Approval) -> String {
    let answer = match answer {
        Approval::Granted => "granted".to_owned(),
        Approval::Refused { why } => format!("refused ({why})"),
    };
    let risks = match request.risks.as_slice() {
        [] => String::new(),
        risks => format!(" ({})", risks.join("; ")),
    };
    format!("APPROVAL of {}{risks}: {answer}", request.call)
}

fn plan(version: &PlanVersion) -> Vec<Remark> {
    let plan = &version.plan;
    let mut lines = vec![format!("PLAN {}: {}", version.version, version.why)];
    if !plan.reasoning.is_empty() {
        lines.push(format!("  because: {}", plan.reasoning));
    }
    lines.extend(
        version
            .steps
            .iter()
            .map(|step| format!("  - {}", step.call)),
    );
    lines.extend(plan.goals.iter().map(|goal| format!("  goal: {goal}")));
    lines.extend(
        plan.explanation
            .iter()
            .map(|why| format!("  infeasible: {why}")),
    );
    let usual = |text| Remark {
        level: RemarkLevel::Usual,
        text,
    };
    lines.into_iter().map(usual).collect()
}

fn finished(result: &EpisodeResult) -> (RemarkLevel, String) {
    let (level, how) = match result.success {
        true => (RemarkLevel::Usual, "SUCCESS"),
        false => (RemarkLevel::Wrong, "FAILURE"),
    };
    let detail = match result.final_detail.as_str() {
        "" => String::new(),
        detail => format!(" - {detail}"),
    };
    let answer = match &result.final_answer {
        Some(answer) => format!(" \"{answer}\""),
        None => String::new(),
    };
    let reason = &result.final_reason;
    (level, format!("{how}: {reason}{detail}{answer}"))
}

fn goal((goal, status): &(String, GoalStatus)) -> Remark {
    let (level, holds) = match status {
        GoalStatus::Met => (RemarkLevel::Usual, "holds".to_owned()),
        GoalStatus::Unmet(why) => (RemarkLevel::Detail, format!("does not hold ({why})")),
    };
    let text = format!("GOAL {goal}: {holds}");
    Remark { level, text }
}

fn counted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    let counts = counts.iter().map(|(word, n)| format!("{n} {word}"));
    let counts: Vec<_> = counts.collect();
    match counts.is_empty() {
        true => "none".into(),
        false => counts.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Failure, Phase, Reason};

    use super::*;

    #[test]
    fn a_failure_is_wrong_and_says_why() {
        let failure = Failure::new(Reason::GraspSlipped, "it fell").in_phase(Phase::Verify);
        let told = Event::step_finished(0, failure).remarks();
        let expected = Remark {
            level: RemarkLevel::Wrong,
            text: "FAILED: grasp_slipped - it fell".into(),
        };
        assert_eq!(told, [expected]);
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(counted(["b", "a", "b"].into_iter()), "1 a, 2 b");
        assert_eq!(counted([].into_iter()), "none");
    }
}
