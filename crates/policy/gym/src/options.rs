//! Observation, control and reward options.

use std::str::FromStr;

use strum::{EnumString, VariantNames};

use crate::{EnvError, Result};

/// Content of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ObsMode {
    /// Ground truth of the robot and all objects.
    #[default]
    State,
    /// Proprioception and colour pictures.
    Rgb,
    /// Proprioception, colour pictures and depth.
    Rgbd,
    /// Ground truth of the robot and all objects, and colour pictures.
    StateRgb,
}

impl ObsMode {
    /// Returns true if the numbers include object poses.
    pub fn has_objects(self) -> bool {
        matches!(self, Self::State | Self::StateRgb)
    }
}

/// Meaning of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ControlMode {
    /// Changes of the joint commands, as fractions of 0.1 rad.
    #[default]
    JointDelta,
    /// Joint positions, rad.
    Joint,
    /// Changes of the tool's pose in World, as fractions of 0.05 m and 0.2 rad.
    EeDelta,
    /// Tool pose in World: position, m, and rotation vector, rad.
    Ee,
    /// Changes of the tool's pose under the terms of another benchmark
    /// ([`regrasp::policy::PolicyTerms`]), with its controller, step sizes and step limit. The
    /// gripper closes above 0 and opens below.
    Osc,
}

/// Reward function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RewardMode {
    /// 1 at the step at which the task is done.
    #[default]
    Sparse,
    /// Progress of the task from 0 to 1; 1 if it is done.
    Dense,
    /// No reward.
    None,
}

/// Options of an environment.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct EnvOptions {
    /// Content of an observation. Default: the state.
    pub obs: ObsMode,
    /// Meaning of an action. Default: changes of joints.
    pub control: ControlMode,
    /// Reward function. Default: success only.
    pub reward: RewardMode,
    /// Actions per second of simulated time. Default 20.
    #[default(20.0)]
    pub rate_hz: f64,
    /// Steps after which an episode is truncated. Default: the time limit of the task.
    pub max_steps: Option<u64>,
    /// Cameras of the modes with pictures. Default `scene` and `wrist`.
    #[default(vec!["scene".into(), "wrist".into()])]
    pub cameras: Vec<String>,
    /// Width and height of pictures in pixels. Default 128 x 128.
    #[default([128, 128])]
    pub picture_size: [u32; 2],
}

/// Returns the mode with this name; `what` is the kind of mode, for the error.
///
/// # Errors
///
/// [`EnvError::UnknownMode`] with the valid names.
pub fn mode<M: FromStr + VariantNames>(what: &'static str, name: &str) -> Result<M, EnvError> {
    name.parse().map_err(|_| EnvError::UnknownMode {
        what,
        got: name.to_owned(),
        known: M::VARIANTS.join(", "),
    })
}

impl EnvOptions {
    pub(crate) fn check(&self) -> Result<()> {
        let bad = |option, why: &str| Err(EnvError::BadOption(option, why.to_owned()));
        if !(1.0..=400.0).contains(&self.rate_hz) {
            return bad("rate_hz", "expected a number from 1 to 400");
        }
        if self.max_steps == Some(0) {
            return bad("max_episode_steps", "expected at least 1");
        }
        if self.picture_size.iter().any(|n| !(8..=2048).contains(n)) {
            return bad("picture_size", "expected two numbers from 8 to 2048");
        }
        if self.obs != ObsMode::State && self.cameras.is_empty() {
            return bad("cameras", "expected at least one camera");
        }
        Ok(())
    }
}
