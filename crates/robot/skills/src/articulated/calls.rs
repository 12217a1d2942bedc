//! Skills for joints: `open`, `close`, `turn` for knobs and levers, and `tap` for buttons.

use std::ops::RangeInclusive;

use regrasp_api::{
    Failure, HandUse, JointKind, Kind, Literal, ObjectJoint, Operator, Reason, Success,
};
use regrasp_robot::{Result, Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use super::joint_path::JointPath;
use super::verify::verify;
use super::{ButtonPress, JointTask, find, opens};
use crate::params::{MOST_FORCE_N, USUAL_FORCE_N};

/// Opens a drawer, a door or a lid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

/// Closes a drawer, a door or a lid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Close;

/// Arguments of [`Open`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenArgs {
    /// Object to open, by id or a phrase such as "the drawer" or "the microwave".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Final opening of a drawer, m; nearly all of its travel if left out.
    #[schemars(range(min = 0.005), extend("x-rarely" = true))]
    pub opening_m: Option<f64>,
    /// Final opening of a door or lid, degrees; wide open if left out.
    #[schemars(range(min = 5.0), extend("x-rarely" = true))]
    pub angle_deg: Option<f64>,
    /// Grip force, N, capped at the gripper's limit; the usual one if left out.
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// Arguments of [`Close`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseArgs {
    /// Object to close, by id or a phrase such as "the drawer" or "the door".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Grip force, N, capped at the gripper's limit; the usual one if left out.
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// Target beyond the threshold at which a joint counts as open or on, as a fraction of its travel.
const BEYOND: f64 = 0.1;
/// Fraction of the travel that is left unused at its end, which may be a stop.
const BEFORE_STOP: f64 = 0.03;
/// Closing threshold below which a joint is pressed against its stop, and depth of that press
/// beyond the stop, as fractions of the travel.
const TIGHT: f64 = 0.02;

impl Skill for Open {
    type Args = OpenArgs;
    type Task = JointTask;
    const NAME: &'static str = "open";
    const DESCRIPTION: &'static str =
        "Opens a drawer, door or lid. Needs an empty hand. The contents of a drawer move with it.";
    const HAND: HandUse = HandUse::Empty;
    const REMEDIES: &'static [Reason] = &[Reason::ContainerClosed];
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[("object", Kind::Opening)],
            &[Literal::so("open", &["object"])],
        ),
        Operator::new(
            &[
                ("object", Kind::OpensOn(JointKind::Prismatic)),
                ("opening_m", Kind::Number),
            ],
            &[Literal::so("open", &["object", "opening_m"])],
        ),
        Operator::new(
            &[
                ("object", Kind::OpensOn(JointKind::Revolute)),
                ("angle_deg", Kind::Number),
            ],
            &[Literal::so("open", &["object", "angle_deg"])],
        ),
    ];

    fn precondition(&self, robot: &mut Robot, args: &OpenArgs) -> Result<JointTask> {
        let mut task = find(robot, ("object", &args.object), "opens", opens)?;
        let (joint, id) = (&task.joint, task.id());
        let asked = asked(args, joint).map_err(|failure| failure.about([id.clone()]))?;
        (task.target, task.counts) = match asked {
            Some(target) => exactly(joint, target),
            None => opened(joint, (1.0 - BEFORE_STOP) * joint.travel),
        };
        task.force_n = args.force_n;
        Ok(task)
    }

    fn run(&self, robot: &mut Robot, _: &OpenArgs, task: &mut JointTask) -> Result<()> {
        task.drive(robot)
    }

    fn verify(&self, robot: &mut Robot, _: &OpenArgs, task: &JointTask) -> Result<Success> {
        verify(robot, task)
    }
}

fn asked(args: &OpenArgs, joint: &ObjectJoint) -> Result<Option<f64>> {
    let length = ("opening_m", args.opening_m, "a length", 3);
    let angle = ("angle_deg", args.angle_deg, "an angle", 0);
    let turns = JointPath::of(joint).turns;
    let ((key, given, what, digits), (wrong, other, ..)) = match turns {
        true => (angle, length),
        false => (length, angle),
    };
    let (travel, child) = (joint.travel, &joint.child);
    let bad = |text: String| Err(Failure::new(Reason::BadArguments, text));
    if other.is_some() {
        return bad(format!("argument `{wrong}`: use `{key}` for {child}"));
    }
    let per_unit = joint.per_unit();
    let is_possible = |given: f64| given > 0.0 && given * per_unit <= travel;
    match given {
        Some(given) if !is_possible(given) => bad(format!(
            "argument `{key}`: {given:.digits$}, expected {what} up to {:.digits$}, the travel of \
             {child}",
            travel / per_unit
        )),
        given => Ok(given.map(|given| given * per_unit)),
    }
}

impl Skill for Close {
    type Args = CloseArgs;
    type Task = JointTask;
    const NAME: &'static str = "close";
    const DESCRIPTION: &'static str = "Closes a drawer, door or lid. Needs an empty hand. By its \
         handle, or by a push from outside. Then releases it.";
    const HAND: HandUse = HandUse::Empty;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[("object", Kind::Opening)],
        &[Literal::not("open", &["object"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &CloseArgs) -> Result<JointTask> {
        let mut task = find(robot, ("object", &args.object), "opens", opens)?;
        (task.target, task.counts) = shut(&task.joint);
        task.force_n = args.force_n;
        Ok(task)
    }

    fn run(&self, robot: &mut Robot, _: &CloseArgs, task: &mut JointTask) -> Result<()> {
        task.drive(robot)
    }

    fn verify(&self, robot: &mut Robot, _: &CloseArgs, task: &JointTask) -> Result<Success> {
        verify(robot, task)
    }
}

/// Turns a knob or a lever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn;

/// Arguments of [`Turn`]: at most one of `on` and `by_deg`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnArgs {
    /// Object to turn, or its owner, by id or a phrase such as "the stove".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// On (true, or if both are left out) or off (false).
    pub on: Option<bool>,
    /// Angle, degrees; off is negative.
    #[schemars(range(min = -360.0, max = 360.0))]
    pub by_deg: Option<f64>,
    /// Grip force, N, capped at the gripper's limit; the usual one if left out.
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

impl Skill for Turn {
    type Args = TurnArgs;
    type Task = JointTask;
    const NAME: &'static str = "turn";
    const DESCRIPTION: &'static str =
        "Turns a knob or lever on, off or by an angle. Needs an empty hand.";
    const HAND: HandUse = HandUse::Empty;
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[("object", Kind::Setting), ("on", Kind::Flag(true))],
            &[Literal::so("open", &["object"])],
        ),
        Operator::new(
            &[("object", Kind::Setting), ("on", Kind::Flag(false))],
            &[Literal::not("open", &["object"])],
        ),
    ];

    fn precondition(&self, robot: &mut Robot, args: &TurnArgs) -> Result<JointTask> {
        let turns = |joint: &ObjectJoint| joint.presses.is_none() && JointPath::of(joint).turns;
        let mut task = find(robot, ("object", &args.object), "turns", turns)?;
        let (joint, id) = (&task.joint, task.id());
        let wrong = |text: String| Failure::new(Reason::BadArguments, text).about([id.clone()]);
        (task.target, task.counts) = match (args.on, args.by_deg) {
            (Some(true) | None, None) => opened(joint, joint.travel),
            (Some(false), None) => shut(joint),
            (None, Some(deg)) => {
                let (target, counts) = exactly(joint, joint.opening + deg.to_radians());
                if !(*counts.end() >= 0.0 && *counts.start() <= joint.travel) {
                    let [least, most] = [-joint.opening, joint.travel - joint.opening];
                    return Err(wrong(format!(
                        "argument `by_deg`: {deg}, expected {:.0} to {:.0} degrees for {id}",
                        least.to_degrees(),
                        most.to_degrees()
                    )));
                }
                (target, counts)
            }
            (Some(_), Some(_)) => {
                let text = "arguments `on` and `by_deg`: expected only one of them";
                return Err(wrong(text.to_owned()));
            }
        };
        task.force_n = args.force_n;
        Ok(task)
    }

    fn run(&self, robot: &mut Robot, _: &TurnArgs, task: &mut JointTask) -> Result<()> {
        task.drive(robot)
    }

    fn verify(&self, robot: &mut Robot, _: &TurnArgs, task: &JointTask) -> Result<Success> {
        verify(robot, task)
    }
}

/// Presses a button.
#[derive(Clone, Copy, Debug, Default)]
pub struct Press;

/// Arguments of [`Press`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressArgs {
    /// Button, by id or a phrase such as "the red button".
    #[schemars(extend("x-names-object" = true))]
    pub button: String,
    /// Largest force, N; 20 if left out.
    #[schemars(range(min = 1.0, max = 60.0), extend("x-rarely" = true))]
    pub max_force_n: Option<f64>,
}

/// Depth of a press, as a fraction of the button's travel beyond its threshold.
const PRESS_BEYOND: f64 = 0.5;

impl Skill for Press {
    type Args = PressArgs;
    type Task = JointTask;
    const NAME: &'static str = "tap";
    const DESCRIPTION: &'static str = "Presses a button with the empty hand. With closed fingers, \
         until the button registers the press; then releases it.";
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = false;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[("button", Kind::Button)],
        &[Literal::so("pressed", &["button"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &PressArgs) -> Result<JointTask> {
        let is_button = |joint: &ObjectJoint| joint.presses.is_some();
        let mut task = find(robot, ("button", &args.button), "is pressed", is_button)?;
        let (count_before, at_m) = task.joint.presses.map_or((0, 0.0), |p| (p.count, p.at));
        task.target = at_m + PRESS_BEYOND * (task.joint.travel - at_m);
        task.counts = at_m..=f64::INFINITY;
        let force_n = args.max_force_n.filter(|n| n.is_finite());
        task.press = Some(ButtonPress {
            count_before,
            max_force_n: force_n.unwrap_or(USUAL_FORCE_N).clamp(1.0, MOST_FORCE_N),
        });
        Ok(task)
    }

    fn run(&self, robot: &mut Robot, _: &PressArgs, task: &mut JointTask) -> Result<()> {
        task.drive(robot)
    }

    fn verify(&self, robot: &mut Robot, _: &PressArgs, task: &JointTask) -> Result<Success> {
        verify(robot, task)
    }
}

/// Opening to aim for, and the range that counts as reached, m or rad.
type Goal = (f64, RangeInclusive<f64>);

fn exactly(joint: &ObjectJoint, target: f64) -> Goal {
    let off = joint.tolerance_after(target - joint.opening);
    (target, target - off..=target + off)
}

/// Goal of a joint that should be open or on, at an opening of at most `most`.
fn opened(joint: &ObjectJoint, most: f64) -> Goal {
    let target = (joint.opens_at() + BEYOND * joint.travel).min(most);
    (target.max(joint.opening), joint.opens_at()..=f64::INFINITY)
}

/// Goal of a joint that should be closed or off.
fn shut(joint: &ObjectJoint) -> Goal {
    let beyond = match joint.closes_at() < TIGHT * joint.travel {
        true => TIGHT * joint.travel,
        false => 0.0,
    };
    (-beyond, f64::NEG_INFINITY..=joint.closes_at())
}
