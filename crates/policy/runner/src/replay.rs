//! Replay of a recording.

use regrasp_api::{Action, GripperAction, Policy, PolicyError, PolicyInput, PolicyStart};
use regrasp_ground_truth::Frame;

/// Policy that repeats the commands of a recording at the same times. This is open-loop control:
/// differences from the recorded episode have no effect.
///
/// The robot lags slightly behind the recorded motion, because commands have the time resolution of
/// the recorded frames and the joints' limits of acceleration and jerk apply again.
#[derive(Clone, Debug)]
pub struct ReplayPolicy {
    name: String,
    /// Frames in order of time.
    frames: Vec<Frame>,
    period_secs: f64,
}

impl ReplayPolicy {
    /// Creates a policy that replays frames.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if there are no frames or their times decrease.
    pub fn new(name: impl Into<String>, frames: Vec<Frame>) -> Result<Self, PolicyError> {
        let name = name.into();
        if frames.is_empty() {
            return Err(PolicyError::new(format!("{name} contains no frames")));
        }
        let is_later = |pair: &[Frame]| pair[0].time_secs <= pair[1].time_secs;
        if !frames.windows(2).all(is_later) {
            return Err(PolicyError::new(format!(
                "the times of {name} decrease, as when a world was restored during the run"
            )));
        }
        Ok(Self {
            name,
            frames,
            period_secs: 0.0,
        })
    }

    /// Returns the last frame not later than `secs` after the first one.
    fn at(&self, secs: f64) -> Option<&Frame> {
        let first = self.frames.first()?.time_secs;
        let after = self.frames.partition_point(|f| f.time_secs - first <= secs);
        self.frames.get(after.saturating_sub(1))
    }

    fn is_over(&self, secs: f64) -> bool {
        let ends = [self.frames.first(), self.frames.last()];
        let [Some(first), Some(last)] = ends else {
            return true;
        };
        secs > last.time_secs - first.time_secs
    }
}

impl Policy for ReplayPolicy {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn reset(&mut self, start: &PolicyStart<'_>) -> Result<(), PolicyError> {
        let (arm, recorded) = (start.robot.joint_names.len(), &self.frames[0].joints);
        if recorded.commanded_position.len() != arm {
            let n = recorded.commanded_position.len();
            let name = &self.name;
            let detail =
                format!("{name} was recorded with an arm of {n} joints, but this arm has {arm}");
            return Err(PolicyError::new(detail));
        }
        self.period_secs = start.rate_hz.recip();
        Ok(())
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        if self.is_over(input.time_secs) {
            return Ok(Some(Action::Done));
        }
        // Recorded command at the time of the next action.
        let due = self.at(input.time_secs + self.period_secs);
        Ok(due.map(|frame| Action::Move {
            joint_positions: Some(frame.joints.commanded_position.clone()),
            gripper: Some(gripper(frame)),
        }))
    }
}

fn gripper(frame: &Frame) -> GripperAction {
    let gripper = &frame.gripper;
    if gripper.grip_force_n > 0.0 {
        GripperAction::ForceN(gripper.grip_force_n)
    } else {
        GripperAction::WidthM(gripper.commanded_width_m)
    }
}
