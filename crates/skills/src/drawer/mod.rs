//! Opening and closing what slides on a joint, by its handle.

mod handle;
mod slide;

use regrasp_api::{
    Failure, HandUse, JointKind, Kind, Literal, ObjectJoint, Operator, PerceivedObject, Percept,
    Reason, Success,
};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::sight;

/// Pulls a drawer open by its handle.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenDrawer;

/// Pushes a drawer shut by its handle.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloseDrawer;

/// Arguments of [`OpenDrawer`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenDrawerArgs {
    /// The drawer: an id, or a phrase such as "the drawer".
    pub drawer: String,
    /// How far open it should be afterwards, m; nearly all of its travel if left out.
    #[serde(default)]
    #[schemars(range(min = 0.005), extend("x-rarely" = true))]
    pub opening_m: Option<f64>,
    /// Grip force, N; the gripper's usual one if left out, never more than it may.
    #[serde(default)]
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// Arguments of [`CloseDrawer`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseDrawerArgs {
    /// The drawer: an id, or a phrase such as "the drawer".
    pub drawer: String,
    /// Grip force, N; the gripper's usual one if left out, never more than it may.
    #[serde(default)]
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// What a call knows about its drawer.
#[derive(Clone, Debug)]
pub struct DrawerWork {
    drawer: PerceivedObject,
    /// As it stood when it was looked at last.
    joint: ObjectJoint,
    /// Where it should come, as an opening, m.
    goal_m: f64,
    force_n: Option<f64>,
}

/// Part of the travel to which a drawer is pulled: the last of it may be a stop.
const OPEN_TO: f64 = 0.9;
/// How far from the goal a drawer may end, m.
const AT_GOAL_M: f64 = 0.008;

impl Skill for OpenDrawer {
    type Args = OpenDrawerArgs;
    type Work = DrawerWork;
    const NAME: &'static str = "open_drawer";
    const DESCRIPTION: &'static str = "Pulls a drawer open by its handle, with an empty hand. Lets go of it then. What lies \
         in it comes along.";
    const HAND: HandUse = HandUse::Empty;
    const MENDS: &'static [Reason] = &[Reason::ContainerClosed];
    const OPERATORS: &'static [Operator] = &[Operator {
        parameters: &[("drawer", Kind::Sliding)],
        needs: &[Literal::so("hand_empty", &[])],
        brings: &[Literal::so("open", &["drawer"])],
    }];

    fn precondition(
        &self,
        robot: &mut Robot,
        args: &OpenDrawerArgs,
    ) -> Result<DrawerWork, Failure> {
        let (drawer, joint) = find(robot, &args.drawer)?;
        let goal_m = args.opening_m.unwrap_or(OPEN_TO * joint.travel);
        if !(goal_m.is_finite() && goal_m > 0.0 && goal_m <= joint.travel) {
            let text = format!(
                "argument `opening_m`: {goal_m}, expected a length up to {:.3} m, the travel of \
                 {}",
                joint.travel, drawer.id
            );
            return Err(Failure::new(Reason::BadArguments, text).about([drawer.id]));
        }
        Ok(DrawerWork {
            drawer,
            // One that is further open is open.
            goal_m: goal_m.max(joint.opening),
            joint,
            force_n: args.force_n,
        })
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &OpenDrawerArgs,
        work: &mut DrawerWork,
    ) -> Result<(), Failure> {
        slide::slide(robot, work)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &OpenDrawerArgs,
        work: &DrawerWork,
    ) -> Result<Success, Failure> {
        slide::verify(robot, work)
    }
}

impl Skill for CloseDrawer {
    type Args = CloseDrawerArgs;
    type Work = DrawerWork;
    const NAME: &'static str = "close_drawer";
    const DESCRIPTION: &'static str =
        "Pushes a drawer shut by its handle, with an empty hand. Lets go of it then.";
    const HAND: HandUse = HandUse::Empty;
    const OPERATORS: &'static [Operator] = &[Operator {
        parameters: &[("drawer", Kind::Sliding)],
        needs: &[Literal::so("hand_empty", &[])],
        brings: &[Literal::not("open", &["drawer"])],
    }];

    fn precondition(
        &self,
        robot: &mut Robot,
        args: &CloseDrawerArgs,
    ) -> Result<DrawerWork, Failure> {
        let (drawer, joint) = find(robot, &args.drawer)?;
        Ok(DrawerWork {
            drawer,
            joint,
            goal_m: 0.0,
            force_n: args.force_n,
        })
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &CloseDrawerArgs,
        work: &mut DrawerWork,
    ) -> Result<(), Failure> {
        slide::slide(robot, work)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &CloseDrawerArgs,
        work: &DrawerWork,
    ) -> Result<Success, Failure> {
        slide::verify(robot, work)
    }
}

/// The drawer that a phrase names, and the joint it slides on.
fn find(robot: &mut Robot, phrase: &str) -> Result<(PerceivedObject, ObjectJoint), Failure> {
    sight::check_free(robot)?;
    let (percept, named) = sight::find(robot, phrase)?;
    let slide = percept.joint_of(&named.id).filter(|j| slides(j));
    let Some(joint) = slide else {
        return Err(not_a_drawer(&percept, &named));
    };
    match percept.object(&joint.child) {
        Some(drawer) => Ok((drawer.clone(), joint.clone())),
        None => Ok((sight::see_again(robot, &joint.child)?, joint.clone())),
    }
}

/// A button moves along its joint too, but goes back by itself.
fn slides(joint: &ObjectJoint) -> bool {
    joint.kind == JointKind::Prismatic && joint.presses.is_none()
}

fn not_a_drawer(percept: &Percept, named: &PerceivedObject) -> Failure {
    let drawers: Vec<_> = percept
        .joints
        .iter()
        .filter(|joint| slides(joint))
        .map(|joint| joint.child.as_str())
        .collect();
    let known = match drawers.as_slice() {
        [] => "nothing here slides".to_owned(),
        known => format!("what slides here: {}", known.join(", ")),
    };
    let text = format!("argument `drawer`: {} is no drawer ({known})", named.id);
    Failure::new(Reason::BadArguments, text).about([named.id.clone()])
}
