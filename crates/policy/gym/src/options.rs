//! How a task is shown, commanded and rewarded.

use crate::EnvError;

/// What is observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObsMode {
    /// The robot and every object as they are.
    #[default]
    State,
    /// What the robot feels, and colour pictures.
    Rgb,
    /// What the robot feels, colour pictures and depth.
    Rgbd,
    /// The robot and every object as they are, and colour pictures.
    StateRgb,
}

impl ObsMode {
    /// Returns true if the numbers say where objects are.
    pub fn has_objects(self) -> bool {
        matches!(self, Self::State | Self::StateRgb)
    }
}

/// What an action means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlMode {
    /// Changes of the joints' commands, in parts of [`EnvOptions::joint_step_rad`].
    #[default]
    JointDelta,
    /// Joint positions, rad.
    Joint,
    /// Changes of the tool's pose in World, in parts of the steps in [`EnvOptions`].
    EeDelta,
    /// The tool's pose in World: position, m, and rotation vector, rad.
    Ee,
    /// Changes of the tool's pose on the terms of the benchmark that the task is of
    /// ([`regrasp::policy::PolicyTerms`]): its controller, its steps and its limit of them. The
    /// gripper closes above 0, opens below.
    Osc,
}

/// What is rewarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RewardMode {
    /// 1 at the step at which the task is done.
    #[default]
    Sparse,
    /// From 0 to 1, how far the task is; 1 when it is done.
    Dense,
    /// Nothing.
    None,
}

/// How an environment works.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvOptions {
    /// What is observed. Default the state.
    pub obs: ObsMode,
    /// What an action means. Default changes of joints.
    pub control: ControlMode,
    /// What is rewarded. Default success alone.
    pub reward: RewardMode,
    /// Actions a second of simulated time. Default 20.
    pub rate_hz: f64,
    /// Steps after which an episode is cut off; default the task's own time limit.
    pub max_steps: Option<u64>,
    /// Cameras of the pixel modes. Default `scene` and `wrist`.
    pub cameras: Vec<String>,
    /// Columns and rows of pictures. Default 128 x 128.
    pub picture_size: [u32; 2],
    /// Largest change of a joint in one action, rad. Default 0.1, about what its speed allows.
    pub joint_step_rad: f64,
    /// Largest change of the tool's position along an axis in one action, m. Default 0.05.
    pub tool_step_m: f64,
    /// Largest part of a rotation vector in one action, rad. Default 0.2.
    pub tool_turn_rad: f64,
}

impl Default for EnvOptions {
    fn default() -> Self {
        Self {
            obs: ObsMode::default(),
            control: ControlMode::default(),
            reward: RewardMode::default(),
            rate_hz: 20.0,
            max_steps: None,
            cameras: vec!["scene".into(), "wrist".into()],
            picture_size: [128, 128],
            joint_step_rad: 0.1,
            tool_step_m: 0.05,
            tool_turn_rad: 0.2,
        }
    }
}

/// Makes the words of an enum and the way back.
macro_rules! words {
    ($Type:ident, $what:literal, $($word:literal => $variant:ident),*) => {
        impl $Type {
            /// Every mode, as options name it.
            pub const NAMES: &[&str] = &[$($word),*];

            /// The mode that a word names.
            ///
            /// # Errors
            ///
            /// [`EnvError::UnknownMode`], with those that there are.
            pub fn from_word(word: &str) -> Result<Self, EnvError> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    other => Err(EnvError::UnknownMode {
                        what: $what,
                        got: other.to_owned(),
                        known: Self::NAMES.join(", "),
                    }),
                }
            }
        }
    };
}

words!(ObsMode, "obs_mode", "state" => State, "rgb" => Rgb, "rgbd" => Rgbd,
       "state_rgb" => StateRgb);
words!(ControlMode, "control_mode", "joint_delta" => JointDelta, "joint" => Joint,
       "ee_delta" => EeDelta, "ee" => Ee, "osc" => Osc);
words!(RewardMode, "reward_mode", "sparse" => Sparse, "dense" => Dense, "none" => None);

impl EnvOptions {
    /// Makes sure that the numbers mean something.
    pub(crate) fn check(&self) -> Result<(), EnvError> {
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
            return bad("cameras", "expected at least one name for pictures");
        }
        let steps = [
            ("joint_step_rad", self.joint_step_rad),
            ("tool_step_m", self.tool_step_m),
            ("tool_turn_rad", self.tool_turn_rad),
        ];
        for (option, value) in steps {
            if !(value.is_finite() && value > 0.0) {
                return bad(option, "expected a number above 0");
            }
        }
        Ok(())
    }
}
