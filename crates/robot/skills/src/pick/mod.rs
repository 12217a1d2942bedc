//! `pick`: grasps an object and lifts it.

mod taken;

use regrasp_api::{
    Failure, HandUse, Held, Literal, MotionGoal, Operator, Phase, Pose, Reason, Success,
};
use regrasp_relations::grip_lost_below;
use regrasp_robot::{Result, Robot, Skill, is_lasting};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::grasp::{Grasp, SPACES_M, is_from_side, retreat};
use crate::grasp_selection::{LIFTS_M, select};
use crate::hold::{
    SLIP_M, back_off, carry_speed, despite_shifts, first_planned, headroom_m, if_possible, missed,
    open, touching_all_near,
};
use crate::lookahead::{Lookahead, NextCall, Purpose};
use crate::params::DESCENT_SPEED;
use crate::placement;
use crate::poses::raised;
use crate::sight;
pub use taken::PickTask;
pub(crate) use taken::verify_held;
use taken::{check_target_held, set_down};

/// Grasps an object and lifts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pick;

/// Arguments of [`Pick`](crate::Pick).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PickArgs {
    /// Object to pick, by id or a phrase such as "the red cube" or "cube on the left".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Next call with it, if known: a grasp that allows this call is preferred.
    pub then: Option<NextCall>,
    /// Grip force, N, capped at the gripper's limit; if left out, the usual one, or what the
    /// object's known mass needs.
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// Observed displacement from which the object counts as moved since the grasp was planned, m,
/// beyond three standard deviations of its position.
const MOVED_M: f64 = 0.004;
/// Largest number of approaches, if the object moves during each of them.
const N_APPROACHES: usize = 2;
/// Name of the measurement of the finger distance at which closing stopped before contact.
const STOPPED_SHORT: &str = "width_stopped_short";

impl Skill for Pick {
    type Args = PickArgs;
    type Task = PickTask;
    const NAME: &'static str = "pick";
    const DESCRIPTION: &'static str = "Grasps an object with the empty hand and lifts it. From \
         above or from the side; nothing may rest on it. Afterwards it is in the hand.";
    const HAND: HandUse = HandUse::Takes;
    const LOOKS_AHEAD: fn(&Value) -> bool = |next| NextCall::deserialize(next).is_ok();
    const REMEDIES: &'static [Reason] = &[
        Reason::ObjectCovered,
        Reason::TargetOccupied,
        Reason::PathBlocked,
        Reason::GoalInCollision,
        Reason::NoGraspFound,
        Reason::GripperEmpty,
    ];
    const OPERATORS: &'static [Operator] =
        &[
            Operator::new(&[Operator::OBJECT], &[Literal::so("holding", &["object"])])
                .needing(&[Literal::so("clear", &["object"])]),
        ];

    fn precondition(&self, robot: &mut Robot, args: &PickArgs) -> Result<PickTask> {
        sight::check_free(robot)?;
        let (percept, target) = sight::find(robot, &args.object)?;
        let id = &target.id;
        if !target.movable {
            let text = format!("{id} is fixed and cannot be picked");
            return Err(Failure::new(Reason::NoGraspFound, text).about([id.clone()]));
        }
        sight::check_at_hand(robot, &percept, &target)?;
        // The requirement of the next call is checked before anything moves.
        if let Some(NextCall::Reorient(_)) = &args.then {
            placement::upright(&percept, id, &target.shape)?;
        }
        let task = PickTask {
            force_n: args.force_n,
            ..PickTask::new(&percept, target)
        };
        task.check_payload(robot.info.gripper.max_payload_kg)?;
        Ok(task)
    }

    fn run(&self, robot: &mut Robot, args: &PickArgs, task: &mut PickTask) -> Result<()> {
        let purpose = args.then.as_ref().map_or(Purpose::Any, Purpose::Call);
        grip(robot, task, &purpose)
            .and_then(|_| lift(robot, task))
            .map_err(|failure| with_more_force(robot, task, failure))
    }

    fn verify(&self, robot: &mut Robot, _: &PickArgs, task: &PickTask) -> Result<Success> {
        verify_held(robot, task).map_err(|failure| with_more_force(robot, task, failure))
    }
}

/// Moves to the target and closes the fingers on it; returns their distance before closing, m. An
/// arm that ends slightly beside its planned pose may not be able to descend as planned; then
/// another path is searched for, once.
pub(crate) fn grip(robot: &mut Robot, task: &mut PickTask, purpose: &Purpose<'_>) -> Result<f64> {
    let mut is_first = true;
    loop {
        let grasp = approach(robot, task, purpose)?;
        let opening_m = robot.observe()?.gripper.width_m;
        match descend_and_close(robot, task, &grasp) {
            Err(failure) if is_first && failure.phase == Some(Phase::Plan) => is_first = false,
            outcome => return outcome.map(|()| opening_m),
        }
    }
}

/// Moves to the start of the grasp, and checks that the target has not moved.
fn approach(robot: &mut Robot, task: &mut PickTask, purpose: &Purpose<'_>) -> Result<Grasp> {
    let mut n_left = N_APPROACHES;
    loop {
        robot.begin("approach");
        let target = &task.target;
        let percept = robot.perceive()?;
        let next = Lookahead::wished(robot, &percept, target, purpose)?;
        let chosen = select(robot, &percept, target, next.as_ref())?;
        open(robot, chosen.opening_m)?;
        robot.follow(&chosen.travel)?;
        let seen = sight::see_again(robot, &target.id)?;
        let moved_m = (seen.position() - target.position()).norm();
        let limit_m = MOVED_M + 3.0 * seen.position_std_m;
        if moved_m <= limit_m {
            return Ok(chosen.grasp);
        }
        task.target = seen;
        n_left -= 1;
        if n_left == 0 {
            let id = &task.target.id;
            let text = format!(
                "{id} moved in each of {N_APPROACHES} approaches of the hand, last by \
                 {moved_m:.4} m (limit {limit_m:.4} m)"
            );
            return Err(Failure::new(Reason::ObjectMoved, text)
                .about([id.clone()])
                .measured("moved", moved_m, Some(limit_m), "m"));
        }
    }
}

/// Tool poses in World that a pick with this grasp passes through, with their names: for a cheap
/// check of reachability before motion planning.
pub fn grasp_phases(grasp: &Grasp) -> [(&'static str, Pose); 3] {
    let at = &grasp.world_from_tool;
    let [.., least_lift_m] = LIFTS_M;
    [
        ("approach", grasp.world_from_before),
        ("grasp", *at),
        ("lift", raised(at, least_lift_m)),
    ]
}

fn descend_and_close(robot: &mut Robot, task: &PickTask, grasp: &Grasp) -> Result<()> {
    let (id, wide_m) = (&task.target.id, grasp.width_m);
    robot.begin("descend");
    let scene = sight::scene(robot)?.touching(id.clone());
    let down = MotionGoal::Line(grasp.world_from_tool);
    robot.go(down, &scene, DESCENT_SPEED)?;
    robot.begin("close");
    let usual_n = robot.info.gripper.force_for(task.mass_kg);
    let closed = robot.close_with(task.force_n.unwrap_or(usual_n));
    let report = closed.inspect_err(|failure| {
        // No later motion could be planned for fingers that are in contact with an obstacle.
        if !is_lasting(&failure.reason) {
            back_off(robot, &task.target);
        }
    })?;
    let felt = report.after.gripper;
    let width_m = felt.width_m;
    // Without contact sensors, fingers that press and stop wider than the object count as not
    // touching it.
    let presses_blindly = felt.finger_contact.is_none() && felt.grip_force_n > 0.0;
    let may_touch_nothing = felt.feels_nothing() || presses_blindly;
    if width_m > wide_m + SPACES_M[0] && may_touch_nothing {
        back_off(robot, &task.target);
        let text = format!(
            "the fingers stopped at {width_m:.4} m and touch nothing; {id} is {wide_m:.4} m wide"
        );
        return Err(Failure::new(Reason::TrackingError, text)
            .about([id.clone()])
            .measured(STOPPED_SHORT, width_m, Some(wide_m), "m"));
    }
    if !felt.holds(grip_lost_below(wide_m)) {
        back_off(robot, &task.target);
        let failure = missed(id, id.as_str(), wide_m, width_m);
        return Err(failure.hint("look again and retry the pick"));
    }
    let (seen, tool_from_object) = sight::see_in_hand(robot, id)?;
    let moved_m = (seen.position() - task.target.position()).norm();
    if moved_m > SLIP_M + 3.0 * seen.position_std_m {
        check_target_held(robot, (id, wide_m), width_m)?;
        back_off(robot, &seen);
        let text = format!(
            "{id} moved while the fingers closed on it to {width_m:.4} m, and was released"
        );
        return Err(Failure::new(Reason::ObjectMoved, text).about([id.clone()]));
    }
    robot.held = Some(Held {
        mass_kg: task.mass_kg,
        ..Held::of(&seen, tool_from_object, width_m)
    });
    Ok(())
}

pub(crate) fn lift(robot: &mut Robot, task: &mut PickTask) -> Result<()> {
    robot.begin("lift");
    let percept = robot.perceive()?;
    let scene = touching_all_near(robot.planning_scene(&percept), &task.target, &percept);
    let from = robot.world_from_tool()?;
    let speed = carry_speed(robot)?;
    // The planner lets the object touch its support, of which a part may be above it.
    let most_m = headroom_m(&scene, &percept, &task.target);
    let lifts_m = LIFTS_M.map(|m| if m < most_m { m } else { 0.5 * most_m });
    let lifted = first_planned(lifts_m, |lift_m| {
        despite_shifts(robot, |robot| {
            let up = MotionGoal::Line(raised(&from, lift_m));
            robot.go(up, &scene, speed).map(drop)
        })?;
        task.lifted_m = lift_m;
        Ok(())
    });
    let lifted = lifted.map_err(slipped);
    if let Err(failure) = &lifted
        && failure.reason == Reason::GraspSlipped
    {
        set_down(robot, &task.target, &from);
    }
    lifted?;
    if is_from_side(&from) {
        withdraw(robot)?;
    }
    Ok(())
}

/// Moves an object that was grasped from the side back along the approach. If that cannot be
/// planned, the object is held all the same.
fn withdraw(robot: &mut Robot) -> Result<()> {
    robot.begin("withdraw");
    let scene = sight::scene(robot)?;
    let out = retreat(&robot.world_from_tool()?);
    let speed = carry_speed(robot)?;
    let out = if_possible(robot.go(MotionGoal::Line(out), &scene, speed));
    out.map(drop).map_err(slipped)
}

/// Reports a loss during the lift as a slip, not as a drop in transport.
fn slipped(mut failure: Failure) -> Failure {
    if failure.reason == Reason::ObjectDropped {
        failure.reason = Reason::GraspSlipped;
    }
    failure
}

/// Suggests more force after a slip, or if the fingers stopped before contact: more force may close
/// them further.
fn with_more_force(robot: &Robot, task: &PickTask, failure: Failure) -> Failure {
    let most_n = robot.info.gripper.max_force_n;
    let mut figures = failure.measured.iter();
    let is_weak = failure.reason == Reason::GraspSlipped
        || figures.any(|figure| figure.name == STOPPED_SHORT);
    match is_weak && task.force_n.is_none_or(|n| n < most_n) {
        true => failure.retry_with(json!({ "force_n": most_n })),
        false => failure,
    }
}
