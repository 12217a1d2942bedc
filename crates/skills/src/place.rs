use std::f64::consts::PI;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, GripperCommand, HandUse, Held, MotionGoal, MotionPlanner, ObjectId, Phase, Pose,
    Reason, Robot, Skill, Success, ToolTarget,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::candidates::{Approach, ApproachConditions, first_possible};
use crate::hold::{ease, tighten};
use crate::look;
use crate::pick::raised;
use crate::spot::{self, Spot};

/// Puts what is in the hand on another object.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceOn;

/// Arguments of [`PlaceOn`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOnArgs {
    /// What to put it on: an id, or a phrase such as "the plate" or "the table".
    pub target: String,
}

/// Puts what is in the hand down at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceAt;

/// Arguments of [`PlaceAt`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceAtArgs {
    /// Forward from the world's origin, m.
    pub x: f64,
    /// To the left of the world's origin, m.
    pub y: f64,
    /// Height of the object's origin, m; left out, it is put on whatever is there.
    #[serde(default)]
    pub z: Option<f64>,
}

/// What a placement knows about what it does.
#[derive(Clone, Debug)]
pub struct PlaceWork {
    held: Held,
    support: ObjectId,
    world_from_object: Pose,
}

/// Height above the placement from which the hand descends, m.
const APPROACH_M: f64 = 0.08;
/// The object is let go this far above its support, m: less would press it into
/// what perception and tracking get wrong, more would drop it.
const RELEASE_GAP_M: f64 = 0.002;
/// Turns of the object about the vertical that are tried, in this order, rad.
const TURNS: [f64; 8] = [
    0.0,
    PI / 2.0,
    -PI / 2.0,
    PI,
    PI / 4.0,
    -PI / 4.0,
    3.0 * PI / 4.0,
    -3.0 * PI / 4.0,
];
/// Part of the limits used for descending and leaving.
const DESCENT_SPEED: f64 = 0.6;
/// By how much the fingers open beyond the object, m.
const RELEASE_OPENING_M: f64 = 0.02;
/// How far from its spot a placed object may rest, m.
const ON_TARGET_M: f64 = 0.015;
/// How far above or below its place a resting object may be, m.
const HEIGHT_TOL_M: f64 = 0.006;
/// How far a resting object may have tilted, rad.
const TILT_TOL_RAD: f64 = 0.15;
/// Time for the world to come to rest before it is judged, s.
const REST_SECS: f64 = 2.0;
/// A given height may differ from where the object would stand by this, m.
const GIVEN_HEIGHT_TOL_M: f64 = 0.01;

impl Skill for PlaceOn {
    type Args = PlaceOnArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_on";
    const DESCRIPTION: &'static str = "Puts what is in the hand on top of an object (in the \
         middle of a movable one, on a free place of a table) and lets go of it.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];

    fn precondition(&self, robot: &mut Robot, args: &PlaceOnArgs) -> Result<PlaceWork, Failure> {
        let held = look::held(robot)?;
        let (percept, target) = look::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!("argument `target`: {} cannot be put on itself", held.id);
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        let world_from_tool = robot.world_from_tool();
        let near = [world_from_tool.translation.x, world_from_tool.translation.y];
        let world_from_held = world_from_tool * held.tool_from_object;
        let spot = spot::on_object(&percept, &held, &world_from_held, &target, near)?;
        Ok(work(held, spot))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceOnArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PlaceOnArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        verify_placed(robot, work)
    }
}

impl Skill for PlaceAt {
    type Args = PlaceAtArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_at";
    const DESCRIPTION: &'static str = "Puts what is in the hand down at a point in World (metres, \
         x forward, y left) on whatever is there, and lets go of it.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];

    fn precondition(&self, robot: &mut Robot, args: &PlaceAtArgs) -> Result<PlaceWork, Failure> {
        let held = look::held(robot)?;
        let percept = robot.perceive()?;
        let world_from_held = robot.world_from_tool() * held.tool_from_object;
        let spot = spot::at_point(&percept, &held, &world_from_held, [args.x, args.y], None)?;
        let stands_m = spot.world_from_object.translation.z;
        match args.z {
            Some(z) if (z - stands_m).abs() > GIVEN_HEIGHT_TOL_M => {
                let text = format!(
                    "{} would stand at z={stands_m:.3} on {}, not at z={z:.3}",
                    held.id, spot.support
                );
                Err(Failure::new(Reason::PlacementUnstable, text)
                    .about([spot.support])
                    .measured("height", z, Some(stands_m), "m"))
            }
            _ => Ok(work(held, spot)),
        }
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceAtArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PlaceAtArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        verify_placed(robot, work)
    }
}

fn work(held: Held, spot: Spot) -> PlaceWork {
    PlaceWork {
        held,
        support: spot.support,
        world_from_object: spot.world_from_object,
    }
}

fn put_down(robot: &mut Robot, work: &mut PlaceWork) -> Result<(), Failure> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let free = robot.planning_scene(&percept);
    let touching = free.clone().touching(work.support.clone());
    let approaches = approaches(work);
    let speed_scale = robot.usual_speed();
    let gripper_width_m = robot.observe().gripper.width_m;
    let conditions = ApproachConditions {
        travel_scene: &free,
        line_scene: &touching,
        gripper_width_m,
        speed_scale,
    };
    let planned = first_possible(robot, &approaches, &conditions, &|_, _| true)?;
    robot.follow(&planned.travel)?;
    work.world_from_object = turned(&work.world_from_object, TURNS[planned.idx]);
    robot.begin("lower");
    let down = MotionGoal::Line(approaches[planned.idx].world_from_tool);
    robot.go(down, &touching, DESCENT_SPEED)?;
    release(robot, work)
}

/// The tool poses that put the object on its spot, one for each turn.
fn approaches(work: &PlaceWork) -> Vec<Approach> {
    let tool_pose = |turn: f64| {
        let world_from_object = turned(&work.world_from_object, turn);
        raised(
            &(world_from_object * work.held.tool_from_object.inverse()),
            RELEASE_GAP_M,
        )
    };
    TURNS
        .iter()
        .map(|turn| tool_pose(*turn))
        .map(|world_from_tool| Approach {
            world_from_before: raised(&world_from_tool, APPROACH_M),
            world_from_tool,
        })
        .collect()
}

/// Whether the arm could put something down there, obstacles aside.
pub(crate) fn is_reachable(
    motion: &dyn MotionPlanner,
    world_from_base: &Pose,
    seed: &[f64],
    held: &Held,
    spot: &Spot,
) -> bool {
    let work = work(held.clone(), spot.clone());
    let reaches = |pose: Pose| {
        motion
            .inverse(world_from_base, &ToolTarget::Pose(pose), seed)
            .is_ok()
    };
    approaches(&work)
        .iter()
        .any(|approach| reaches(approach.world_from_before) && reaches(approach.world_from_tool))
}

/// The same place, turned about the vertical through it.
pub(crate) fn turned(world_from_object: &Pose, turn: f64) -> Pose {
    let about_z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
    Pose::from_parts(
        world_from_object.translation,
        about_z * world_from_object.rotation,
    )
}

fn release(robot: &mut Robot, work: &PlaceWork) -> Result<(), Failure> {
    robot.begin("release");
    ease(robot);
    let width_m = (work.held.width_m + RELEASE_OPENING_M).min(robot.info.gripper.max_width_m);
    let speed_m_per_s = robot.info.gripper.default_speed_m_per_s;
    robot.grip(GripperCommand::MoveTo {
        width_m,
        speed_m_per_s,
    })?;
    robot.held = None;
    robot.begin("retreat");
    let percept = robot.perceive()?;
    let scene = robot
        .planning_scene(&percept)
        .touching(work.support.clone())
        .touching(work.held.id.clone());
    let up = raised(&robot.world_from_tool(), APPROACH_M);
    robot
        .go(MotionGoal::Line(up), &scene, DESCENT_SPEED)
        .map(drop)
}

fn verify_placed(robot: &mut Robot, work: &PlaceWork) -> Result<Success, Failure> {
    let id = &work.held.id;
    robot.perceive_at_rest(REST_SECS)?;
    let rests = look::see_again(robot, id)?;
    let goal = &work.world_from_object;
    let noise_m = 3.0 * rests.position_std_m;
    let off = rests.position() - goal.translation.vector;
    let (off_m, height_off_m) = (off.xy().norm(), off.z.abs());
    let tilt_rad = tilt(goal, &rests.world_from_object);
    if height_off_m > HEIGHT_TOL_M + noise_m || tilt_rad > TILT_TOL_RAD {
        let text = format!(
            "{id} did not stay on {}: it rests {height_off_m:.4} m above or below its place, \
             {off_m:.4} m beside it, tilted by {tilt_rad:.2} rad",
            work.support
        );
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), work.support.clone()])
            .measured("height_off", height_off_m, Some(HEIGHT_TOL_M), "m")
            .measured("tilt", tilt_rad, Some(TILT_TOL_RAD), "rad"));
    }
    if off_m > ON_TARGET_M + noise_m {
        let text = format!(
            "{id} rests {off_m:.4} m from its place on {} (at most {ON_TARGET_M:.3} m)",
            work.support
        );
        return Err(Failure::new(Reason::PlacedOffTarget, text)
            .about([id.clone(), work.support.clone()])
            .measured("off_target", off_m, Some(ON_TARGET_M), "m"));
    }
    let text = format!(
        "{id} rests on {}, {off_m:.4} m from its place",
        work.support
    );
    Ok(Success::new(text)
        .about([id.clone(), work.support.clone()])
        .measured("off_target", off_m, Some(ON_TARGET_M), "m"))
}

/// Angle between where an object's vertical pointed and where it points, rad.
fn tilt(wanted: &Pose, found: &Pose) -> f64 {
    let up_in_object = wanted.rotation.inverse() * Vector3::z();
    (found.rotation * up_in_object).angle(&Vector3::z())
}
