//! Bringing a joint to where it should be: by its handle, by pushing, and again if it takes
//! several goes.

use regrasp_api::{Failure, JointRole, Phase, Reason};
use regrasp_robot::Robot;

use super::grip::{self, Hold};
use super::shove::{self, Shove};
use super::verify::{look, stuck};
use super::way::{Scenes, check_free, scenes};
use super::{JointWork, follow, is_level};
use crate::hold::open;
use crate::params::REST_SECS;
use crate::sight;

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

enum Go {
    Handle(Hold),
    Push(Shove),
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
    match go {
        Go::Handle(hold) => follow::by_handle(robot, work, &scenes, &hold),
        Go::Push(shove) => {
            let width_m = robot.info.gripper.min_width_m;
            open(robot, width_m)?;
            follow::by_pushing(robot, work, &scenes, &shove)
        }
    }
}

fn choose(
    robot: &mut Robot,
    percept: &regrasp_api::Percept,
    work: &JointWork,
    scenes: &Scenes,
) -> Result<Go, Failure> {
    let (joint, closes) = (&work.joint, work.sign() < 0.0);
    let hinged = work.path().turns && joint.role == JointRole::Opens;
    let push_first = hinged && (closes || joint.opening > INNER_RAD);
    let far = |reach: f64| (reach - joint.opening).abs();
    let whole = far(work.aim.target);
    if work.falls_back {
        return in_one_go(robot, percept, work, scenes);
    }
    if push_first {
        let pushed = shove::choose(robot, percept, work, scenes);
        let enough = |shove: &Shove| far(shove.reach()) >= whole;
        match pushed {
            Ok(shove) if enough(&shove) => return Ok(Go::Push(shove)),
            Ok(shove) => {
                return Ok(match grip::choose(robot, percept, work, scenes) {
                    Ok(hold) if far(hold.reach) > far(shove.reach()) => Go::Handle(hold),
                    _ => Go::Push(shove),
                });
            }
            Err(failure) => {
                let hold = grip::choose(robot, percept, work, scenes);
                return hold.map(Go::Handle).map_err(|_| failure);
            }
        }
    }
    match grip::choose(robot, percept, work, scenes) {
        // What does not stay where it is let go of, as a lid, has to come there in one go.
        Ok(hold) if hinged && is_level(joint) && far(hold.reach) < whole => {
            match shove::choose(robot, percept, work, scenes) {
                Ok(shove) if far(shove.reach()) > far(hold.reach) => Ok(Go::Push(shove)),
                _ => Ok(Go::Handle(hold)),
            }
        }
        Ok(hold) => Ok(Go::Handle(hold)),
        Err(failure) => {
            let pushed = shove::choose(robot, percept, work, scenes);
            pushed.map(Go::Push).map_err(|pushed| {
                let text = format!(
                    "{}; nor can it be pushed: {}",
                    failure.detail, pushed.detail
                );
                Failure {
                    detail: text.into_boxed_str(),
                    ..failure
                }
            })
        }
    }
}

/// What falls back when it is let go of has to come where it counts before that.
fn in_one_go(
    robot: &mut Robot,
    percept: &regrasp_api::Percept,
    work: &JointWork,
    scenes: &Scenes,
) -> Result<Go, Failure> {
    let counts = |reach: f64| (work.aim.least..=work.aim.most).contains(&reach);
    let pushed = shove::choose(robot, percept, work, scenes);
    let reach = match pushed {
        Ok(shove) if counts(shove.reach()) => return Ok(Go::Push(shove)),
        Ok(shove) => Some(shove.reach()),
        Err(_) => None,
    };
    let hold = grip::choose(robot, percept, work, scenes)?;
    if counts(hold.reach) {
        return Ok(Go::Handle(hold));
    }
    let reach = reach.map_or(hold.reach, |reach| reach.max(hold.reach));
    let (id, unit) = (work.id(), work.path().unit);
    let least = work.aim.least;
    let text = format!(
        "{id} falls back when it is let go of, and the arm follows it to {reach:.3} {unit} of \
         {least:.3} {unit} only"
    );
    Err(Failure::new(Reason::Unreachable, text)
        .about([id.clone()])
        .measured("travel", reach, Some(least), unit))
}
