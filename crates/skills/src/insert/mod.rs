//! Putting the end of what is held into a hole: a peg, a plug.

mod fit;
mod search;

use regrasp_api::{
    Failure, GripperCommand, HandUse, Held, Kind, Literal, ObjectId, Operator, Phase,
    PlanningScene, Reason, Success,
};
use regrasp_relations::is_inserted;
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::candidates::{ApproachConditions, first_possible};
use crate::hold::{DESCENT_SPEED, carry_speed, ease, leave, tighten};
use crate::sight;

pub(crate) use fit::Fit;

/// Puts the end of what is in the hand into the hole of another object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Insert;

/// Arguments of [`Insert`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertArgs {
    /// What has the hole: an id, or a phrase such as "the box".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
}

/// What an insertion knows about what it does.
#[derive(Clone, Debug)]
pub struct InsertWork {
    held: Held,
    target: ObjectId,
    fit: Fit,
}

/// By how much the fingers open to let go, m.
const RELEASE_OPENING_M: f64 = 0.012;
/// Time for the world to come to rest before it is judged, s.
const REST_SECS: f64 = 2.0;

impl Skill for Insert {
    type Args = InsertArgs;
    type Work = InsertWork;
    const NAME: &'static str = "insert";
    const DESCRIPTION: &'static str = "Puts the end of what is in the hand into the hole of an object, and lets go of it. A \
         peg into a box, a plug into a socket; searches for the way in when it touches the rim.";
    const HAND: HandUse = HandUse::Releases;
    const OPERATORS: &'static [Operator] = &[Operator {
        parameters: &[("object", Kind::Movable), ("target", Kind::Thing)],
        needs: &[Literal::so("holding", &["object"])],
        brings: &[Literal::so("inserted", &["object", "target"])],
    }];

    fn precondition(&self, robot: &mut Robot, args: &InsertArgs) -> Result<InsertWork, Failure> {
        let held = sight::held(robot)?;
        let (percept, target) = sight::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!("argument `target`: {} does not go into itself", held.id);
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        let fit = Fit::new(&percept, &held.id, &target)?;
        Ok(InsertWork {
            held,
            target: target.id,
            fit,
        })
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &InsertArgs,
        work: &mut InsertWork,
    ) -> Result<(), Failure> {
        insert(robot, work).map_err(|failure| tighten(robot, failure))?;
        release(robot, work)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &InsertArgs,
        work: &InsertWork,
    ) -> Result<Success, Failure> {
        verify(robot, work)
    }
}

/// Carries it in front of the hole and brings it in.
fn insert(robot: &mut Robot, work: &mut InsertWork) -> Result<(), Failure> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let free = robot.planning_scene(&percept);
    let touching = free.clone().touching(work.target.clone());
    let ways = work.fit.ways(&work.held.tool_from_object);
    let gripper_width_m = robot.observe()?.gripper.width_m;
    let speed_scale = carry_speed(robot)?;
    let conditions = ApproachConditions {
        travel_scene: &free,
        line_scene: &touching,
        gripper_width_m,
        speed_scale,
    };
    let planned = first_possible(robot, &ways, &conditions)?;
    robot.follow(&planned.travel)?;
    let commanded = ways[planned.idx].world_from_before;
    search::bring_in(robot, work, work.fit.roll_of(planned.idx), commanded)
}

fn release(robot: &mut Robot, work: &InsertWork) -> Result<(), Failure> {
    robot.begin("release");
    ease(robot);
    let gripper = &robot.info.gripper;
    let width_m = (work.held.width_m + RELEASE_OPENING_M).min(gripper.max_width_m);
    let speed_m_per_s = gripper.default_speed_m_per_s;
    robot.grip(GripperCommand::MoveTo {
        width_m,
        speed_m_per_s,
    })?;
    robot.held = None;
    robot.begin("retreat");
    let percept = robot.perceive()?;
    let scene = robot
        .planning_scene(&percept)
        .touching(work.held.id.clone());
    leave(robot, &scene, DESCENT_SPEED)
}

/// What it moves through on the way in: its target may be touched.
fn scene(robot: &mut Robot, work: &InsertWork) -> Result<PlanningScene, Failure> {
    let percept = robot.perceive()?;
    Ok(robot.planning_scene(&percept).touching(work.target.clone()))
}

/// Whether it stays in the hole, let go of.
fn verify(robot: &mut Robot, work: &InsertWork) -> Result<Success, Failure> {
    let (id, target) = (&work.held.id, &work.target);
    robot.settle(REST_SECS)?.at_rest(&[id, target])?;
    let object = sight::see_again(robot, id)?;
    let into = sight::see_again(robot, target)?;
    let (plug, hole) = (&work.fit.plug, &work.fit.hole);
    let mating = hole.mating(plug, &into.world_from_object, &object.world_from_object);
    let wanted_m = work.fit.depth_m();
    let [y, z] = mating.aside_m;
    let aside_m = y.hypot(z);
    let text = format!(
        "{id} is {:.4} m of {wanted_m:.4} m in {target}, its tip {aside_m:.4} m beside the axis, \
         tilted by {:.3} rad",
        mating.depth_m, mating.tilt_rad
    );
    if is_inserted(&mating, hole, plug) {
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
