//! `open` and `close`.

use regrasp_api::{Failure, HandUse, JointKind, Kind, Literal, ObjectJoint, Operator, Reason};
use regrasp_robot::Robot;
use schemars::JsonSchema;
use serde::Deserialize;

use super::joint_path::JointPath;
use super::{JointGoal, JointTask, exactly, find, opens};
use crate::call::{Call, Standard};

/// Opens a drawer, a door or a lid.
pub type Open = Standard<OpenArgs>;

/// Closes a drawer, a door or a lid.
pub type Close = Standard<CloseArgs>;

/// Arguments of [`Open`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenArgs {
    /// Object to open, by id or a phrase such as "the drawer" or "the microwave".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Final opening of a drawer, m; nearly all of its travel if left out.
    #[serde(default)]
    #[schemars(range(min = 0.005), extend("x-rarely" = true))]
    pub opening_m: Option<f64>,
    /// Final opening of a door or lid, degrees; wide open if left out.
    #[serde(default)]
    #[schemars(range(min = 5.0), extend("x-rarely" = true))]
    pub angle_deg: Option<f64>,
    /// Grip force, N, capped at the gripper's limit; the usual one if left out.
    #[serde(default)]
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
    #[serde(default)]
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// Fraction of the travel beyond the threshold for open or on that is aimed for.
const BEYOND: f64 = 0.1;
/// Fraction of the travel that is left unused at its end, which may be a stop.
const BEFORE_STOP: f64 = 0.03;
/// Fraction of the travel below which a joint that has to be closed is pressed against its stop.
const TIGHT: f64 = 0.02;

impl Call for OpenArgs {
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

    fn task(&self, robot: &mut Robot) -> Result<JointTask, Failure> {
        let (object, joint) = find(robot, ("object", &self.object), "opens", opens)?;
        let goal = match asked(self, &joint).map_err(|f| f.about([object.id.clone()]))? {
            Some(target) => exactly(&joint, target),
            None => opened(&joint, (1.0 - BEFORE_STOP) * joint.travel),
        };
        Ok(JointTask::new(object, joint, goal, self.force_n))
    }
}

fn asked(args: &OpenArgs, joint: &ObjectJoint) -> Result<Option<f64>, Failure> {
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

impl Call for CloseArgs {
    type Task = JointTask;
    const NAME: &'static str = "close";
    const DESCRIPTION: &'static str = "Closes a drawer, door or lid. Needs an empty hand. By its \
         handle, or by a push from outside. Then releases it.";
    const HAND: HandUse = HandUse::Empty;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[("object", Kind::Opening)],
        &[Literal::not("open", &["object"])],
    )];

    fn task(&self, robot: &mut Robot) -> Result<JointTask, Failure> {
        let (object, joint) = find(robot, ("object", &self.object), "opens", opens)?;
        let goal = shut(&joint);
        Ok(JointTask::new(object, joint, goal, self.force_n))
    }
}

/// Goal of a joint that should be open or on, at an opening of at most `most`, m or rad.
pub(super) fn opened(joint: &ObjectJoint, most: f64) -> JointGoal {
    let target = (joint.opens_at() + BEYOND * joint.travel).min(most);
    JointGoal {
        target: target.max(joint.opening),
        least: joint.opens_at(),
        most: f64::INFINITY,
    }
}

/// Goal of a joint that should be closed or off.
pub(super) fn shut(joint: &ObjectJoint) -> JointGoal {
    let beyond = match joint.closes_at() < TIGHT * joint.travel {
        true => TIGHT * joint.travel,
        false => 0.0,
    };
    JointGoal {
        target: -beyond,
        least: f64::NEG_INFINITY,
        most: joint.closes_at(),
    }
}
