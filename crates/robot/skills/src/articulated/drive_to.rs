//! Bringing a joint to where it should be: by its handle, by pushing, and again if it takes
//! several goes.

use regrasp_api::{Failure, JointRole, Phase, Reason, Success};
use regrasp_robot::Robot;

use super::travel::{check_free, scenes};
use super::verify::{look, stuck};
use super::{JointTask, compliant_follow, grip, is_level, push_along, verify};
use crate::call::Task;
use crate::params::{N_STROKES, REST_SECS};
use crate::sight;
use crate::stroke::{Scenes, Stroke};

/// Holds at which a hinge is tried before it counts as stuck.
const N_HOLDS: usize = 3;
/// From this opening on the inner side of a door is within reach, rad.
const INNER_RAD: f64 = 0.3;

impl Task for JointTask {
    fn run(&mut self, robot: &mut Robot) -> Result<(), Failure> {
        drive(robot, self)
    }

    fn verify(&self, robot: &mut Robot) -> Result<Success, Failure> {
        verify::verify(robot, self)
    }
}

/// Brings the joint to where it should be.
fn drive(robot: &mut Robot, task: &mut JointTask) -> Result<(), Failure> {
    let mut last = Ok(());
    for _ in 0..N_STROKES {
        if task.is_there() {
            return Ok(());
        }
        let before = task.joint.opening;
        let outcome = once(robot, task);
        if let (Err(failure), Err(_)) = (&outcome, &last)
            && failure.phase == Some(Phase::Plan)
        {
            // What went wrong before says more than that there is no other way.
            break;
        }
        last = outcome;
        if is_level(&task.joint) {
            // What is let go of may fall.
            robot.settle(REST_SECS)?;
        }
        look(robot, task)?;
        // Where little was missing, little has moved.
        if task.is_there() {
            return Ok(());
        }
        let moved = (task.joint.opening - before).abs();
        if moved < task.path().stuck {
            if last.is_ok() && is_level(&task.joint) && !task.falls_back {
                task.falls_back = true;
                continue;
            }
            // A hinge may be stuck, or the hand may have met something beside the handle.
            let held = task.in_vain.len();
            if task.path().turns && (1..N_HOLDS).contains(&held) {
                continue;
            }
            return last.and_then(|()| Err(stuck(task, before)));
        }
        if let Err(failure) = &last
            && !goes_on(failure)
        {
            break;
        }
    }
    if task.is_there() { Ok(()) } else { last }
}

/// Returns true if another go may do better after such a failure, as something has moved.
fn goes_on(failure: &Failure) -> bool {
    let again = [
        Reason::HandleSlipped,
        Reason::GraspMissed,
        Reason::VerificationFailed,
    ];
    again.contains(&failure.reason)
}

/// One go: the better of taking hold and pushing.
fn once(robot: &mut Robot, task: &mut JointTask) -> Result<(), Failure> {
    robot.begin("approach");
    let (percept, thing) = sight::see_with(robot, task.id())?;
    task.thing = thing;
    if let Some(joint) = percept.joint_of(task.id()) {
        task.joint = joint.clone();
    }
    check_free(&percept, task)?;
    let scenes = scenes(robot, &percept, task);
    let go = select(robot, &percept, task, &scenes).map_err(|f| f.in_phase(Phase::Plan))?;
    compliant_follow::make(robot, task, &scenes, &go)
}

/// The better of the two: the first of them if it leads far enough, else the one that leads
/// further.
fn select(
    robot: &mut Robot,
    percept: &regrasp_api::Percept,
    task: &JointTask,
    scenes: &Scenes,
) -> Result<Stroke, Failure> {
    if task.press.is_some() {
        return push_along::select(robot, percept, task, scenes);
    }
    let (joint, closes) = (&task.joint, task.sign() < 0.0);
    let hinged = task.path().turns && joint.role == JointRole::Opens;
    let push_first = task.falls_back || hinged && (closes || joint.opening > INNER_RAD);
    let far = |go: &Stroke| (go.reach() - joint.opening).abs();
    // What does not stay where it is let go of, as a lid, has to come there in one go.
    let needs_whole = push_first || hinged && is_level(joint);
    let whole = (task.aim.target - joint.opening).abs();
    let mut plan = |pushes: bool| match pushes {
        true => push_along::select(robot, percept, task, scenes),
        false => grip::select(robot, percept, task, scenes),
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
    let counts = (task.aim.least..=task.aim.most).contains(&go.reach());
    if !task.falls_back || counts {
        return Ok(go);
    }
    let (id, unit) = (task.id(), task.path().unit);
    let (reach, least) = (go.reach(), task.aim.least);
    let text = format!(
        "{id} falls back when it is let go of, and the arm follows it to {reach:.3} {unit} of \
         {least:.3} {unit} only"
    );
    Err(Failure::new(Reason::Unreachable, text)
        .about([id.clone()])
        .measured("travel", reach, Some(least), unit))
}
