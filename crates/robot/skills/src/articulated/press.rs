//! `tap`: pushes a button along its joint until it registers the press.

use regrasp_api::{Failure, HandUse, Kind, Literal, ObjectJoint, Operator};
use regrasp_robot::Robot;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ButtonPress, JointGoal, JointTask, find};
use crate::call::{Call, Standard};
use crate::params::{MOST_FORCE_N, USUAL_FORCE_N};

/// Presses a button.
pub type Press = Standard<PressArgs>;

/// Arguments of [`Press`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressArgs {
    /// Button, by id or a phrase such as "the red button".
    #[schemars(extend("x-names-object" = true))]
    pub button: String,
    /// Largest force, N; 20 if left out.
    #[serde(default)]
    #[schemars(range(min = 1.0, max = 60.0), extend("x-rarely" = true))]
    pub max_force_n: Option<f64>,
}

/// Fraction of the travel beyond the threshold that is used.
const BEYOND: f64 = 0.5;

impl Call for PressArgs {
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

    fn task(&self, robot: &mut Robot) -> Result<JointTask, Failure> {
        let is_button = |joint: &ObjectJoint| joint.presses.is_some();
        let (object, joint) = find(robot, ("button", &self.button), "is pressed", is_button)?;
        let force_n = self.max_force_n.filter(|n| n.is_finite());
        let presses = joint.presses.map_or((0, 0.0), |p| (p.count, p.at));
        let (count_before, at_m) = presses;
        let goal = JointGoal {
            target: at_m + BEYOND * (joint.travel - at_m),
            least: at_m,
            most: f64::INFINITY,
        };
        let press = ButtonPress {
            count_before,
            max_force_n: force_n.unwrap_or(USUAL_FORCE_N).clamp(1.0, MOST_FORCE_N),
        };
        Ok(JointTask {
            press: Some(press),
            ..JointTask::new(object, joint, goal, None)
        })
    }
}
