//! A single push: contact beside or on top of the object, and the motion along the path.

use nalgebra::{Translation3, Vector2};
use regrasp_api::{
    MotionGoal, MotionReport, Observation, PerceivedObject, Phase, PlanningScene, Pose, Reason,
};
use regrasp_robot::{Result, Robot};

use super::contacts::PushSide;
use super::plan::Stance;
use super::press_slide::DOWN_STEP_M;
use crate::aim::Aim;
use crate::params::{ON_TARGET_M, SLIDE_SPEED, TOUCH_GAP_M, TOUCH_SPEED};
use crate::sight;

/// Largest length after which the object is observed again, m.
const STRETCH_M: f64 = 0.1;
/// Largest number of corrections at the end of a push: a compliant arm lags behind.
const N_MORE: usize = 4;
/// Error up to which the end of a push is not corrected, m.
const EXACT_M: f64 = 0.0015;
/// Force below which the hand counts as not touching, N.
const FELT_N: f64 = 0.1;
/// Largest depth below the surface to which the compliant arm is commanded, m: this makes it press.
const MOST_BELOW_M: f64 = 0.02;
const PRESSING_N: f64 = 6.0;

struct Presser<'a> {
    robot: &'a mut Robot,
    push: &'a Stance,
    max_force_n: f64,
    /// Commanded tool pose and joint positions. A compliant arm presses in proportion to its lag,
    /// and continues from the commanded state without easing off.
    sent: (Pose, Vec<f64>),
}

pub(super) fn take_along(
    robot: &mut Robot,
    aim: &Aim,
    from: &PerceivedObject,
    push: &Stance,
    max_force_n: f64,
) -> Result<()> {
    let joints = robot.observe()?.joint_positions;
    let mut presser = Presser {
        robot,
        push,
        max_force_n,
        sent: (push.contact.approach.world_from_tool, joints),
    };
    match push.contact.touch {
        PushSide::Beside => {
            let touching = push.contact.after(aim, 0.0);
            presser.send(touching, &push.scenes.moving, TOUCH_SPEED)?;
        }
        PushSide::Atop => presser.down()?,
    }
    presser.along(aim, from)
}

impl Presser<'_> {
    fn along(&mut self, aim: &Aim, from: &PerceivedObject) -> Result<()> {
        let (direction, length_m) = (aim.direction(), self.push.stroke.reach());
        let n_stretches = (length_m / STRETCH_M).ceil().max(1.0) as usize;
        let stretch_m = length_m / n_stretches as f64;
        let mut step_m = stretch_m;
        for k in 1..=n_stretches + N_MORE {
            let there = Translation3::from(direction * step_m) * self.sent.0;
            match self.send(there, &self.push.scenes.moving, SLIDE_SPEED) {
                // If the arm cannot make a correction, the next stroke does the rest.
                Err(failure) if k > n_stretches && failure.phase == Some(Phase::Plan) => break,
                outcome => drop(outcome?),
            }
            let seen = sight::see_again(self.robot, &aim.object.id)?;
            let expected_m = stretch_m * k.min(n_stretches) as f64;
            let moved: Vector2<f64> = (seen.position() - from.position()).xy();
            let left_m = expected_m - moved.dot(&direction.xy());
            let beside_m = direction.xy().perp(&moved).abs();
            // The object counts as lost if it is too far beside its line, or lags behind and the
            // hand does not touch it.
            let limit_m = ON_TARGET_M + 3.0 * seen.position_std_m;
            let now = self.robot.observe()?;
            if beside_m > limit_m || (left_m > limit_m && self.felt_n(&now) < FELT_N) {
                break;
            }
            step_m = match k < n_stretches {
                true => stretch_m + left_m.max(0.0),
                false => left_m,
            };
            if k >= n_stretches && left_m < EXACT_M + seen.position_std_m {
                break;
            }
        }
        Ok(())
    }

    fn down(&mut self) -> Result<()> {
        let n_steps = ((TOUCH_GAP_M + MOST_BELOW_M) / DOWN_STEP_M) as usize;
        for _ in 1..=n_steps {
            let below = Translation3::new(0.0, 0.0, -DOWN_STEP_M) * self.sent.0;
            match self.send(below, &self.push.scenes.touching, TOUCH_SPEED) {
                // The surface below does not yield, so the hand presses enough.
                Err(failure) if failure.reason == Reason::PathBlocked => {
                    self.sent.1 = self.robot.observe()?.joint_positions;
                    break;
                }
                outcome => {
                    let enough_n = PRESSING_N.min(0.5 * self.max_force_n);
                    if self.felt_n(&outcome?.after) >= enough_n {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn felt_n(&self, now: &Observation) -> f64 {
        let fingers = &self.robot.info.gripper.finger_links;
        let touches = now.contacts.iter().filter(|c| fingers.contains(&c.link));
        touches.map(|touch| touch.force_n).sum()
    }

    /// Follows a straight line from the commanded joint positions.
    fn send(
        &mut self,
        world_from_tool: Pose,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<MotionReport> {
        let now = self.robot.observe()?;
        let (start, width_m) = (&self.sent.1, now.gripper.width_m);
        let goal = MotionGoal::Line(world_from_tool);
        let planned = self
            .robot
            .plan_from(&now, start, width_m, goal, scene, speed_scale)?;
        let line = planned.trajectory;
        self.sent = (world_from_tool, line.last_position().to_vec());
        self.robot.follow_pressing(&line, self.max_force_n)
    }
}
