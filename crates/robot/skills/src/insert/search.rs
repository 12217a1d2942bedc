//! Insertion by visual aiming, gentle pushing, and a spiral search if the rim is in the way.

use std::f64::consts::PI;

use nalgebra::Translation3;
use regrasp_api::{Failure, MotionGoal, Pose, Reason};
use regrasp_robot::{Result, Robot, is_lasting};

use super::fit::{BEFORE_M, InsertPath, InsertTask, Turn};
use crate::params::LOOK_EVERY_SECS;
use crate::sight;

/// Largest number of corrections of the aim before each push.
const N_AIMS: usize = 6;
/// Tolerance of a good aim, m and rad: well below the play of the tightest plug.
const AIMED_M: f64 = 0.0002;
const AIMED_RAD: f64 = 0.002;
/// Tolerance of an aim after the last correction, m and rad.
const NEAR_M: f64 = 0.0015;
const NEAR_RAD: f64 = 0.02;
/// Speed fractions for aiming and for pushing in.
const AIM_SPEED: f64 = 0.2;
const PUSH_SPEED: f64 = 0.1;
/// Resistance from which a push has met the rim or is stuck, N.
const PUSH_FORCE_N: f64 = 12.0;
/// Number of pushes before giving up: a straight one, then a spiral around the axis.
const N_PUSHES: usize = 12;
/// Depth that may be missing for a stopped plug to count as seated, m.
const SEATED_M: f64 = 0.001;
/// Depth that may be missing for a stopped ring to count as inserted, m: it falls the rest.
const FALLS_M: f64 = 0.01;
/// Angle of the spiral between pushes, rad: the golden angle fills a disc evenly.
const SPIRAL_TURN_RAD: f64 = PI * 0.763_932_022_500_210_3;

/// Inserts the tip from in front of the hole to its full depth. The tool has just been commanded to
/// the start of the path.
pub(super) fn insert_to_depth(
    robot: &mut Robot,
    task: &mut InsertTask,
    path: &InsertPath,
) -> Result<()> {
    let mut commanded = path.approach.world_from_before;
    let lack_m = if task.fit.falls(path.turn) {
        FALLS_M
    } else {
        SEATED_M
    };
    let mut last = None;
    for push in 0..N_PUSHES {
        robot.begin("aim");
        let aside = spiral(task, push);
        aim(robot, task, path.turn, aside, &mut commanded)?;
        robot.begin("insert");
        // The hand pushes slowly until something resists.
        let way = Translation3::from(task.fit.axis(path.turn) * (BEFORE_M + path.depth_m));
        let scene = task.fit.touching(sight::scene(robot)?);
        let end = MotionGoal::Line(way * commanded);
        let outcome = robot.go_gently(end, &scene, PUSH_SPEED, PUSH_FORCE_N);
        let seen = sight::see_again(robot, &task.held.id)?.world_from_object;
        let mating = task
            .fit
            .connection()
            .mating(&seen, &task.fit.world_from_target);
        match outcome {
            Ok(_) => return Ok(()),
            // The rim of the hole does not cause these failures, so another push would be in vain.
            Err(failure)
                if matches!(failure.reason, Reason::ObjectDropped | Reason::Unreachable)
                    || is_lasting(&failure.reason)
                    || robot.held.is_none() =>
            {
                return Err(failure);
            }
            // The object is inserted, whatever ended the push.
            Err(_) if mating.depth_m >= path.depth_m - lack_m => return Ok(()),
            Err(failure) => last = Some(failure),
        }
        robot.begin("back_out");
        let scene = task.fit.touching(sight::scene(robot)?);
        robot.go(MotionGoal::Line(commanded), &scene, AIM_SPEED)?;
    }
    let stuck = last.map_or_else(String::new, |failure| format!(" ({})", failure.detail));
    let (id, target) = (&task.held.id, task.fit.target());
    let went = if task.fit.over { "over" } else { "into" };
    let text = format!("{id} did not fit {went} {target} in {N_PUSHES} attempts{stuck}");
    Err(Failure::new(Reason::GoalInCollision, text).about([id.clone(), target.clone()]))
}

/// Offset of a push from the axis, along the hole's y and z, m: within the play.
fn spiral(task: &InsertTask, push: usize) -> [f64; 2] {
    let radius = (push as f64 / N_PUSHES as f64).sqrt();
    let angle = SPIRAL_TURN_RAD * push as f64;
    let [y, z] = task.fit.hole.play_m(&task.fit.plug).map(|m| m.max(0.0));
    [radius * angle.cos() * y, radius * angle.sin() * z]
}

/// Corrects the commanded tool pose until the object is seen at its goal: loads deflect a servo,
/// and objects shift in the hand.
fn aim(
    robot: &mut Robot,
    task: &mut InsertTask,
    turn: Turn,
    aside: [f64; 2],
    commanded: &mut Pose,
) -> Result<()> {
    let wanted = task.fit.world_from_object(turn, -BEFORE_M, aside);
    let mut off = (f64::INFINITY, f64::INFINITY);
    for _ in 0..N_AIMS {
        robot.wait(LOOK_EVERY_SECS)?;
        let (seen, tool_from_object) = sight::see_in_hand(robot, &task.held.id)?;
        task.held.tool_from_object = tool_from_object;
        robot.held = Some(task.held.clone());
        let correction = wanted * seen.world_from_object.inverse();
        off = (
            (wanted.translation.vector - seen.position()).norm(),
            correction.rotation.angle(),
        );
        if off.0 <= AIMED_M + seen.position_std_m && off.1 <= AIMED_RAD {
            return Ok(());
        }
        *commanded = correction * *commanded;
        let scene = task.fit.touching(sight::scene(robot)?);
        robot.go(MotionGoal::Line(*commanded), &scene, AIM_SPEED)?;
    }
    if off.0 <= NEAR_M && off.1 <= NEAR_RAD {
        return Ok(());
    }
    let text = format!(
        "{} remains {:.4} m and {:.3} rad off its pose in front of {}",
        task.held.id,
        off.0,
        off.1,
        task.fit.target()
    );
    Err(Failure::new(Reason::TrackingError, text)
        .about([task.held.id.clone()])
        .measured("off_aim", off.0, Some(NEAR_M), "m"))
}
