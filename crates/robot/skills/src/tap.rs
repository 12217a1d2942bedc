//! Pressing a button with the closed hand, until it registers that.

use std::f64::consts::PI;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, HandUse, Kind, Literal, MotionGoal, ObjectJoint, Operator, PerceivedObject, Percept,
    Phase, PlanningScene, Pose, Presses, Reason, Success,
};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::aim::extent;
use crate::candidates::{Approach, ApproachConditions, first_possible};
use crate::grasp::{Hand, with_axes};
use crate::hold::{DESCENT_SPEED, open};
use crate::params::APPROACH_M;
use crate::sight;

/// Presses a button.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tap;

/// Arguments of [`Tap`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TapArgs {
    /// The button: an id, or a phrase such as "the red button".
    #[schemars(extend("x-names-object" = true))]
    pub button: String,
    /// With how much force at most, N; 20 if left out.
    #[serde(default)]
    #[schemars(range(min = 1.0, max = 60.0), extend("x-rarely" = true))]
    pub max_force_n: Option<f64>,
}

/// What [`Tap`] knows about its button.
#[derive(Clone, Debug)]
pub struct TapWork {
    button: PerceivedObject,
    joint: ObjectJoint,
    before: Presses,
    max_force_n: f64,
}

/// Force limit if the call names none, N: four times what a stiff push-button takes.
const USUAL_FORCE_N: f64 = 20.0;
/// The hand never presses harder, N.
const MOST_FORCE_N: f64 = 60.0;
const GAP_M: f64 = 0.01;
/// Part of the limits used while pressing.
const PRESS_SPEED: f64 = 0.06;
/// Of the travel beyond what counts, this part is used.
const BEYOND: f64 = 0.5;
/// Turns of the hand about the direction of pressing that are tried, rad.
const TURNS: [f64; 6] = [0.0, PI / 2.0, PI / 4.0, -PI / 4.0, PI, -PI / 2.0];

impl Skill for Tap {
    type Args = TapArgs;
    type Work = TapWork;
    const NAME: &'static str = "tap";
    const DESCRIPTION: &'static str = "Presses a button with the empty hand. With the fingers closed, until it has registered \
         the press; then lets go of it.";
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = false;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[("button", Kind::Button)],
        &[Literal::so("pressed", &["button"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &TapArgs) -> Result<TapWork, Failure> {
        sight::check_free(robot)?;
        let (percept, named) = sight::find(robot, &args.button)?;
        let force_n = args.max_force_n.filter(|n| n.is_finite());
        let max_force_n = force_n.unwrap_or(USUAL_FORCE_N).clamp(1.0, MOST_FORCE_N);
        let joint = percept.joint_of(&named.id).cloned();
        let presses = joint.as_ref().and_then(|joint| joint.presses);
        let (Some(joint), Some(before)) = (joint, presses) else {
            return Err(no_button(&percept, &named));
        };
        let button = match percept.object(&joint.child) {
            Some(cap) => cap.clone(),
            None => sight::see_again(robot, &joint.child)?,
        };
        Ok(TapWork {
            button,
            joint,
            before,
            max_force_n,
        })
    }

    fn run(&self, robot: &mut Robot, _args: &TapArgs, work: &mut TapWork) -> Result<(), Failure> {
        robot.begin("approach");
        let width_m = robot.info.gripper.min_width_m;
        open(robot, width_m)?;
        let percept = robot.perceive()?;
        let free = robot.planning_scene(&percept);
        let touching = touching(&free, work);
        let tool_in_front = approach(robot, work, &free, &touching)?;
        robot.begin("press");
        let way = work.joint.axis() * (GAP_M + aim_m(work));
        let pressed = robot.press(
            MotionGoal::Line(Translation3::from(way) * tool_in_front),
            &touching,
            PRESS_SPEED,
            work.max_force_n,
        );
        let reached = joint_now(robot, work);
        let outcome = match pressed {
            Err(failure) => Err(explain(work, reached.as_ref(), failure)),
            Ok(_) => Ok(()),
        };
        // A hand that stays on the button helps nobody, whatever went wrong.
        let left = leave(robot, work, &touching);
        outcome.and(left)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &TapArgs,
        work: &TapWork,
    ) -> Result<Success, Failure> {
        let id = &work.button.id;
        let joint = joint_now(robot, work);
        let Some(now) = joint.as_ref().and_then(|joint| joint.presses) else {
            let text = format!("{id} is not seen any more");
            return Err(Failure::new(Reason::ObjectNotFound, text).in_phase(Phase::Perceive));
        };
        if now.count > work.before.count {
            let text = format!("{id} registered the press (its {}.)", now.count);
            return Ok(Success::new(text).about([id.clone()]).measured(
                "presses",
                f64::from(now.count),
                None,
                "",
            ));
        }
        let text = format!(
            "{id} registered no press: it should have gone {:.4} m",
            work.before.at
        );
        Err(Failure::new(Reason::JointNotMoved, text)
            .about([id.clone()])
            .measured(
                "presses",
                f64::from(now.count),
                Some(f64::from(work.before.count + 1)),
                "",
            ))
    }
}

/// How far the button is to go, m.
fn aim_m(work: &TapWork) -> f64 {
    work.before.at + BEYOND * (work.joint.travel - work.before.at)
}

fn touching(free: &PlanningScene, work: &TapWork) -> PlanningScene {
    let cap = free.clone().touching(work.button.id.clone());
    cap.touching(work.joint.parent.clone())
}

/// Moves in front of the button. Returns where the tool is then.
fn approach(
    robot: &mut Robot,
    work: &TapWork,
    free: &PlanningScene,
    touching: &PlanningScene,
) -> Result<Pose, Failure> {
    let places = places(robot, work);
    let approaches: Vec<Approach> = places
        .iter()
        .map(|world_from_tool| Approach {
            world_from_before: Translation3::from(-work.joint.axis() * APPROACH_M)
                * world_from_tool,
            world_from_tool: *world_from_tool,
        })
        .collect();
    let conditions = ApproachConditions {
        travel_scene: free,
        line_scene: touching,
        gripper_width_m: robot.observe()?.gripper.width_m,
        speed_scale: robot.usual_speed(),
    };
    let planned = first_possible(robot, &approaches, &conditions)?;
    robot.follow(&planned.travel)?;
    let there = places[planned.idx];
    robot.go(MotionGoal::Line(there), touching, DESCENT_SPEED)?;
    Ok(there)
}

/// Tool poses just in front of the button, fingers along the way that it goes.
fn places(robot: &Robot, work: &TapWork) -> Vec<Pose> {
    let hand = Hand::new(&robot.info.gripper);
    let axis = work.joint.axis();
    // Any direction across the axis.
    let across = if axis.z.abs() < 0.9 {
        Vector3::z()
    } else {
        Vector3::y()
    };
    let y = (across - axis * across.dot(&axis)).normalize();
    let middle = work.button.aabb_in_world().center().coords;
    let face_m = extent(&work.button, &-axis) + (middle - work.button.position()).dot(&axis);
    TURNS
        .iter()
        .map(|turn| {
            let about = UnitQuaternion::new(axis * *turn);
            let rotation = with_axes(about * y, axis);
            let back_m = face_m + GAP_M + hand.front_m(&rotation, &axis);
            Pose::from_parts((middle - axis * back_m).into(), rotation)
        })
        .collect()
}

fn joint_now(robot: &mut Robot, work: &TapWork) -> Option<ObjectJoint> {
    let percept = robot.perceive().ok()?;
    percept.joint_of(&work.button.id).cloned()
}

/// A button that resists is stuck.
fn explain(work: &TapWork, reached: Option<&ObjectJoint>, failure: Failure) -> Failure {
    let resisted = [Reason::PathBlocked, Reason::TrackingError].contains(&failure.reason);
    let (Some(joint), true) = (reached, resisted && failure.phase == Some(Phase::Execute)) else {
        return failure;
    };
    let id = &work.button.id;
    if joint.presses.is_some_and(|p| p.count > work.before.count) {
        // It counted before the hand met its stop: for the verification to say.
        return failure.hint("the press was registered");
    }
    let (at, travelled) = (work.before.at, joint.opening);
    let text = format!(
        "{id} went {travelled:.4} m of {at:.4} m: {}",
        failure.detail
    );
    let mut told = Failure::new(Reason::JointNotMoved, text)
        .about([id.clone()])
        .measured("travel", travelled, Some(at), "m");
    told.measured.extend(failure.measured);
    told.moment = failure.moment;
    told.phase = failure.phase;
    if work.max_force_n < MOST_FORCE_N {
        told =
            told.retry_with(json!({ "max_force_n": (2.0 * work.max_force_n).min(MOST_FORCE_N) }));
    }
    told
}

fn leave(robot: &mut Robot, work: &TapWork, touching: &PlanningScene) -> Result<(), Failure> {
    robot.begin("leave");
    let back = Translation3::from(-work.joint.axis() * APPROACH_M);
    let there = back * robot.world_from_tool()?;
    // What was pressed presses back at first.
    let line = MotionGoal::Line(there);
    match robot.press(line, touching, DESCENT_SPEED, MOST_FORCE_N) {
        Err(failure) if failure.phase == Some(Phase::Plan) => Ok(()),
        outcome => outcome.map(drop),
    }
}

fn no_button(percept: &Percept, named: &PerceivedObject) -> Failure {
    let buttons: Vec<_> = percept
        .joints
        .iter()
        .filter(|joint| joint.presses.is_some())
        .map(|joint| joint.child.as_str())
        .collect();
    let known = match buttons.as_slice() {
        [] => "nothing here is one".to_owned(),
        known => format!("buttons here: {}", known.join(", ")),
    };
    let text = format!("argument `button`: {} is no button ({known})", named.id);
    Failure::new(Reason::BadArguments, text).about([named.id.clone()])
}
