//! `insert`: puts the end of the held object, such as a peg or plug, into a hole, or a held ring or
//! nut over a peg.

mod fit;
mod search;

use regrasp_api::{Failure, HandUse, Literal, Operator, Phase, Reason, Success};
use regrasp_relations::{full_depth_m, is_inserted, is_through};
use regrasp_robot::{Result, Robot, Skill};

use crate::arm::{Approach, first_possible};
use crate::grasp::Hand;
use crate::hold::{carry_speed, leave, let_go, tighten};
use crate::lookahead::InsertArgs;
use crate::params::REST_SECS;
use crate::sight;

pub use fit::InsertTask;
pub(crate) use fit::{Fit, InsertPath};

/// Puts the end of the held object into the hole of another object, or the hole of the held object
/// over a peg.
#[derive(Clone, Copy, Debug, Default)]
pub struct Insert;

impl Skill for Insert {
    type Args = InsertArgs;
    type Task = InsertTask;
    const NAME: &'static str = "insert";
    const DESCRIPTION: &'static str = "Puts the end of the held object into the hole of another. \
         A peg into a box, a plug into a socket; or a ring or nut over a peg. Searches for the \
         hole if it touches the rim.";
    const HAND: HandUse = HandUse::Releases;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::TARGET],
        &[Literal::so("inserted", &["object", "target"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &InsertArgs) -> Result<InsertTask> {
        let never = "cannot be inserted into";
        let (held, percept, target) = sight::held_and_target(robot, &args.target, never)?;
        let fit = Fit::new(&percept, &held.id, &target)?;
        Ok(InsertTask { held, fit })
    }

    fn run(&self, robot: &mut Robot, _: &InsertArgs, task: &mut InsertTask) -> Result<()> {
        let path = insert(robot, task).map_err(|failure| tighten(robot, failure))?;
        robot.begin("release");
        let_go(robot, task.held.width_m + path.release_m)?;
        robot.begin("retreat");
        let mut scene = sight::scene(robot)?.touching(task.held.id.clone());
        if task.fit.over {
            scene = task.fit.touching(scene);
        }
        leave(robot, &scene)
    }

    fn verify(&self, robot: &mut Robot, _: &InsertArgs, task: &InsertTask) -> Result<Success> {
        let (id, target) = (&task.held.id, task.fit.target());
        let settled = robot.settle(REST_SECS)?;
        settled.at_rest(&[id, target])?;
        let object = sight::see_again(robot, id)?;
        let into = sight::see_again(robot, target)?;
        let (plug, hole) = (&task.fit.plug, &task.fit.hole);
        let connection = task.fit.connection();
        let mating = connection.mating(&object.world_from_object, &into.world_from_object);
        let wanted_m = match task.fit.over {
            true => full_depth_m(&settled.percept, id, &connection),
            false => task.fit.depth_m,
        };
        let [y, z] = mating.aside_m;
        let aside_m = y.hypot(z);
        let [inner, outer] = task.fit.inner_and_outer([id, target]);
        let tip = if task.fit.over { "" } else { "its tip " };
        let text = format!(
            "{inner} is {:.4} m of {wanted_m:.4} m deep in {outer}, {tip}{aside_m:.4} m off the axis, \
             tilted by {:.3} rad",
            mating.depth_m, mating.tilt_rad
        );
        let is_in = match wanted_m < connection.depth_m() {
            true => is_through(&mating, hole, plug),
            false => is_inserted(&mating, hole, plug),
        };
        if is_in {
            return Ok(Success::new(text)
                .about([id.clone(), target.clone()])
                .measured("depth", mating.depth_m, Some(wanted_m), "m")
                .measured("aside", aside_m, None, "m")
                .measured("tilt", mating.tilt_rad, None, "rad"));
        }
        Err(Failure::new(Reason::VerificationFailed, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), target.clone()])
            .measured("depth", mating.depth_m, Some(wanted_m), "m"))
    }
}

fn insert(robot: &mut Robot, task: &mut InsertTask) -> Result<InsertPath> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let free = robot.planning_scene(&percept);
    let touching = task.fit.touching(free.clone());
    let paths = paths(robot, task)?;
    let approaches: Vec<Approach> = paths.iter().map(|path| path.approach.clone()).collect();
    let speed = carry_speed(robot)?;
    let (idx, travel) = first_possible(robot, &approaches, [&free, &touching], speed)?;
    robot.follow(&travel)?;
    let path = paths[idx].clone();
    search::insert_to_depth(robot, task, &path)?;
    Ok(path)
}

/// Candidate paths; over a peg, the deepest first, then those that rotate the held object least.
fn paths(robot: &mut Robot, task: &InsertTask) -> Result<Vec<InsertPath>> {
    let (hand, width_m) = (
        Hand::new(&robot.info.gripper),
        robot.observe()?.gripper.width_m,
    );
    let mut paths = task.fit.paths(&hand, &task.held, width_m);
    if !task.fit.over {
        return Ok(paths);
    }
    paths.retain(|path| path.has_room);
    let now = robot.world_from_tool()?.rotation;
    let turned = |path: &InsertPath| path.approach.world_from_before.rotation.angle_to(&now);
    paths.sort_by(|a, b| {
        let deeper = b.depth_m.total_cmp(&a.depth_m);
        deeper.then(turned(a).total_cmp(&turned(b)))
    });
    if paths.is_empty() {
        let (id, target) = (&task.held.id, task.fit.target());
        let text = format!("the hand has no room beside {target}: grasp {id} elsewhere");
        return Err(Failure::new(Reason::GoalInCollision, text)
            .in_phase(Phase::Plan)
            .about([id.clone(), target.clone()]));
    }
    Ok(paths)
}
