//! Log of events, line by line.

use regrasp_api::{Approval, EpisodeResult, Event, GoalStatus, MotionEnd, Route, SkillCall};

use crate::row::{Level, Remark};

pub(crate) fn remarks(event: &Event) -> Vec<Remark> {
    use Level::{Change, Detail, Usual, Wrong};
    let (level, text) = match event {
        Event::EpisodeStarted {
            task,
            seed,
            planner,
            perception,
        } => (
            Usual,
            format!("START: {task} (seed {seed}, planner {planner}, perception {perception})"),
        ),
        Event::PlanRevised { version } => {
            (Usual, format!("PLAN {}: {}", version.version, version.why))
        }
        Event::PlanFailed { error, .. } => (Wrong, format!("NO PLAN: failed to {error}")),
        Event::Resumed { after_steps, .. } => {
            let line = format!("RESUMED by another process after {after_steps} steps");
            (Change, line)
        }
        Event::CallRefused { call, why, .. } => (Change, format!("REFUSED {call}: {why}")),
        Event::Decided { decision, .. } if decision.route != Route::Continue => {
            (Change, format!("-> {:?}: {}", decision.route, decision.why))
        }
        Event::ApprovalAsked { request, answer } => {
            let answer = match answer {
                Approval::Granted => "granted".to_owned(),
                Approval::Refused { why } => format!("refused ({why})"),
            };
            (Change, format!("APPROVAL of {}: {answer}", request.call))
        }
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
            format!("STOPPED after {:.2} s: {:?}", stop.at_secs, stop.monitor),
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
        Event::Decided { .. }
        | Event::PlanRequested { .. }
        | Event::BackingOff { .. }
        | Event::MotionStarted { .. }
        | Event::MotionFinished { .. }
        | Event::GripperMoved { .. } => return vec![],
    };
    vec![Remark { level, text }]
}

fn finished(result: &EpisodeResult) -> (Level, String) {
    let (level, how) = match result.success {
        true => (Level::Usual, "SUCCESS"),
        false => (Level::Wrong, "FAILURE"),
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
        GoalStatus::Met => (Level::Usual, "holds".to_owned()),
        GoalStatus::Unmet(why) => (Level::Detail, format!("does not hold ({why})")),
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
    use regrasp_api::{Failure, Phase, Reason, SkillResult};

    use super::*;

    #[test]
    fn a_failure_is_wrong_and_says_why() {
        let failure = Failure::new(Reason::GraspSlipped, "it fell").in_phase(Phase::Verify);
        let told = remarks(&Event::StepFinished {
            step_idx: 0,
            result: SkillResult::from(failure),
        });
        let expected = Remark {
            level: Level::Wrong,
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
