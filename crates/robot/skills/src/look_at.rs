//! `look`: points the wrist camera at an object.

use nalgebra::Vector3;
use regrasp_api::{Failure, MotionGoal, PerceivedObject, Pose, Reason, Success, looking_at};
use regrasp_robot::{Result, Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::poses::{eighths, level};
use crate::sight;

/// Moves the hand so that the wrist camera looks at an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look;

/// Arguments of [`Look`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookArgs {
    /// Object to look at, by id or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Distance, m; 0.3 if left out.
    #[schemars(range(min = 0.15, max = 0.6), extend("x-rarely" = true))]
    pub distance_m: Option<f64>,
}

/// The object and the distance from which to look at it.
#[derive(Clone, Debug)]
pub struct LookTask {
    object: PerceivedObject,
    tool_from_camera: Pose,
    distance_m: f64,
}

/// Default distance of the camera, and its limits, m.
const USUAL_M: f64 = 0.3;
const DISTANCES_M: [f64; 2] = [0.15, 0.6];
/// Angles of the line of sight from straight down, rad.
const LEANS_RAD: [f64; 3] = [0.0, 0.35, 0.7];
/// Largest angle between the object and the optical axis, rad.
const OFF_AXIS_RAD: f64 = 0.05;

impl Skill for Look {
    type Args = LookArgs;
    type Task = LookTask;
    const NAME: &'static str = "look";
    const DESCRIPTION: &'static str = "Looks at an object from above with the wrist camera. A \
         held object stays in the hand.";

    fn precondition(&self, robot: &mut Robot, args: &LookArgs) -> Result<LookTask> {
        let Some(tool_from_camera) = robot.info.tool_from_wrist_camera else {
            let text = "the robot has no wrist camera";
            return Err(Failure::new(Reason::BadArguments, text));
        };
        let distance_m = args.distance_m.unwrap_or(USUAL_M);
        let [least_m, most_m] = DISTANCES_M;
        if !(least_m..=most_m).contains(&distance_m) {
            let text =
                format!("argument `distance_m`: {distance_m}, expected {least_m} to {most_m} m");
            return Err(Failure::new(Reason::BadArguments, text));
        }
        let (_, object) = sight::find(robot, &args.object)?;
        Ok(LookTask {
            object,
            tool_from_camera,
            distance_m,
        })
    }

    fn run(&self, robot: &mut Robot, _: &LookArgs, task: &mut LookTask) -> Result<()> {
        robot.begin("look");
        let scene = sight::scene(robot)?;
        let camera_from_tool = task.tool_from_camera.inverse();
        let poses = views(task).map(|world_from_camera| world_from_camera * camera_from_tool);
        let goal = MotionGoal::AnyPose(poses.collect());
        let speed = robot.usual_speed();
        robot.go(goal, &scene, speed).map(drop)
    }

    fn verify(&self, robot: &mut Robot, _: &LookArgs, task: &LookTask) -> Result<Success> {
        let id = &task.object.id;
        let seen = sight::see_again(robot, id)?;
        let world_from_camera = robot.world_from_tool()? * task.tool_from_camera;
        let in_camera = world_from_camera.inverse() * seen.aabb_in_world().center();
        let off_rad = in_camera.coords.angle(&Vector3::z());
        let text = format!(
            "{id} is {:.3} m in front of the camera, {off_rad:.3} rad off its axis",
            in_camera.coords.norm()
        );
        if off_rad > OFF_AXIS_RAD {
            return Err(Failure::new(Reason::VerificationFailed, text)
                .about([id.clone()])
                .measured("off_axis", off_rad, Some(OFF_AXIS_RAD), "rad"));
        }
        let success = Success::new(text).about([id.clone()]);
        Ok(success.measured("off_axis", off_rad, Some(OFF_AXIS_RAD), "rad"))
    }
}

fn views(task: &LookTask) -> impl Iterator<Item = Pose> {
    let target = task.object.aabb_in_world().center().coords;
    let distance_m = task.distance_m;
    LEANS_RAD.into_iter().flat_map(move |lean| {
        eighths().filter_map(move |side| {
            let beside = level(side);
            let back = beside * lean.sin() + Vector3::z() * lean.cos();
            // With the camera straight above, the sides are rotations about the line of sight.
            let up = Vector3::z() * lean.sin() - beside * lean.cos();
            looking_at(&(target + back * distance_m), &target, &up)
        })
    })
}
