//! Bringing a joint to where it should be: by its handle, by pushing, and again if it takes
//! several goes.

use regrasp_api::{Failure, JointRole, Phase, Reason};
use regrasp_robot::Robot;

use super::verify::{look, stuck};
use super::way::{check_free, scenes};
use super::{JointWork, follow, grip, is_level, shove};
use crate::params::REST_SECS;
use crate::sight;
use crate::stroke::{Scenes, Stroke};

/// How often the hand begins anew.
const N_GOES: usize = 5;
/// How often a hinge that does not move is held elsewhere before it counts as stuck.
const N_HOLDS: usize = 3;
/// From this opening on the inner side of a door is within reach, rad.
const INNER_RAD: f64 = 0.3;

/// Brings the joint to where it should be.
pub(super) fn bring(robot: &mut Robot, work: &mut JointWork) -> Result<(), Failure> {
    let mut last = Ok(());
    for _ in 0..N_GOES {
        if work.is_there() {
            return Ok(());
        }
        let before = work.joint.opening;
        let outcome = once(robot, work);
        if let (Err(failure), Err(_)) = (&outcome, &last)
            && failure.phase == Some(Phase::Plan)
        {
            // What went wrong before says more than that there is no other way.
            break;
        }
        last = outcome;
        if is_level(&work.joint) {
            // What is let go of may fall.
            robot.settle(REST_SECS)?;
        }
        look(robot, work)?;
        // Where little was missing, little has moved.
        if work.is_there() {
            return Ok(());
        }
        let moved = (work.joint.opening - before).abs();
        if moved < work.path().stuck {
            if last.is_ok() && is_level(&work.joint) && !work.falls_back {
                work.falls_back = true;
                continue;
            }
            // A hinge may be stuck, or the hand may have met something beside the handle.
            let held = work.in_vain.len();
            if work.path().turns && (1..N_HOLDS).contains(&held) {
                continue;
            }
            return last.and_then(|()| Err(stuck(work, before)));
        }
        if let Err(failure) = &last
            && !goes_on(failure)
        {
            break;
        }
    }
    if work.is_there() { Ok(()) } else { last }
}

/// Whether another go may do better after such a failure, as something has moved.
fn goes_on(failure: &Failure) -> bool {
    let again = [
        Reason::HandleSlipped,
        Reason::GraspMissed,
        Reason::VerificationFailed,
    ];
    again.contains(&failure.reason)
}

/// One go: the better of taking hold and pushing.
fn once(robot: &mut Robot, work: &mut JointWork) -> Result<(), Failure> {
    robot.begin("approach");
    let (percept, thing) = sight::see_with(robot, work.id())?;
    work.thing = thing;
    if let Some(joint) = percept.joint_of(work.id()) {
        work.joint = joint.clone();
    }
    check_free(&percept, work)?;
    let scenes = scenes(robot, &percept, work);
    let go = choose(robot, &percept, work, &scenes).map_err(|f| f.in_phase(Phase::Plan))?;
    follow::make(robot, work, &scenes, &go)
}

/// The better of the two: the first of them if it leads far enough, else the one that leads
/// further.
fn choose(
    robot: &mut Robot,
    percept: &regrasp_api::Percept,
    work: &JointWork,
    scenes: &Scenes,
) -> Result<Stroke, Failure> {
    if work.press.is_some() {
        return shove::choose(robot, percept, work, scenes);
    }
    let (joint, closes) = (&work.joint, work.sign() < 0.0);
    let hinged = work.path().turns && joint.role == JointRole::Opens;
    let push_first = work.falls_back || hinged && (closes || joint.opening > INNER_RAD);
    let far = |go: &Stroke| (go.reach() - joint.opening).abs();
    // What does not stay where it is let go of, as a lid, has to come there in one go.
    let needs_whole = push_first || hinged && is_level(joint);
    let whole = (work.aim.target - joint.opening).abs();
    let mut plan = |pushes: bool| match pushes {
        true => shove::choose(robot, percept, work, scenes),
        false => grip::choose(robot, percept, work, scenes),
    };
    let first = plan(push_first);
    if let Ok(go) = &first
        && (!needs_whole || far(go) >= whole)
    {
        return first;
    }
    let go = match (first, plan(!push_first)) {
        (Ok(first), Ok(second)) => second.further(Some(first), joint.opening),
        (Ok(go), _) | (Err(_), Ok(go)) => go,
        (Err(first), Err(second)) => {
            let how = if push_first {
                "moved by its handle"
            } else {
                "pushed"
            };
            let text = format!("{}; nor can it be {how}: {}", first.detail, second.detail);
            return Err(Failure {
                detail: text.into_boxed_str(),
                ..first
            });
        }
    };
    let counts = (work.aim.least..=work.aim.most).contains(&go.reach());
    if !work.falls_back || counts {
        return Ok(go);
    }
    let (id, unit) = (work.id(), work.path().unit);
    let (reach, least) = (go.reach(), work.aim.least);
    let text = format!(
        "{id} falls back when it is let go of, and the arm follows it to {reach:.3} {unit} of \
         {least:.3} {unit} only"
    );
    Err(Failure::new(Reason::Unreachable, text)
        .about([id.clone()])
        .measured("travel", reach, Some(least), unit))
}
