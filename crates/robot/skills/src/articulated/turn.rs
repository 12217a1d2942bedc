//! `turn`: turns knobs and levers.

use regrasp_api::{Failure, HandUse, Kind, Literal, ObjectJoint, Operator, Reason};
use regrasp_robot::Robot;
use schemars::JsonSchema;
use serde::Deserialize;

use super::doors::{opened, shut};
use super::joint_path::JointPath;
use super::{JointTask, exactly, find};
use crate::call::{Call, Standard};

/// Turns a knob or a lever.
pub type Turn = Standard<TurnArgs>;

/// Arguments of [`Turn`]: at most one of `on` and `by_deg`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnArgs {
    /// Object to turn, or its owner, by id or a phrase such as "the stove".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// On (true, or if both are left out) or off (false).
    #[serde(default)]
    pub on: Option<bool>,
    /// Angle, degrees; off is negative.
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub by_deg: Option<f64>,
    /// Grip force, N, capped at the gripper's limit; the usual one if left out.
    #[serde(default)]
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

impl Call for TurnArgs {
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

    fn task(&self, robot: &mut Robot) -> Result<JointTask, Failure> {
        let turns = |joint: &ObjectJoint| joint.presses.is_none() && JointPath::of(joint).turns;
        let (object, joint) = find(robot, ("object", &self.object), "turns", turns)?;
        let wrong =
            |text: String| Err(Failure::new(Reason::BadArguments, text).about([object.id.clone()]));
        let goal = match (self.on, self.by_deg) {
            (Some(true) | None, None) => opened(&joint, joint.travel),
            (Some(false), None) => shut(&joint),
            (None, Some(deg)) => {
                let target = joint.opening + deg.to_radians();
                let over = exactly(&joint, target);
                if !(over.most >= 0.0 && over.least <= joint.travel) {
                    let [least, most] = [-joint.opening, joint.travel - joint.opening];
                    return wrong(format!(
                        "argument `by_deg`: {deg}, expected {:.0} to {:.0} for {}",
                        least.to_degrees(),
                        most.to_degrees(),
                        object.id
                    ));
                }
                over
            }
            (Some(_), Some(_)) => {
                return wrong("arguments `on` and `by_deg`: expected only one of them".to_owned());
            }
        };
        Ok(JointTask::new(object, joint, goal, self.force_n))
    }
}
