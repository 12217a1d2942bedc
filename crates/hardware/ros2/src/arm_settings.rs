//! Settings of an arm behind ROS.

use regrasp_api::Aabb;
use serde::{Deserialize, Serialize};

use crate::NodeSettings;

/// Settings of an arm behind ROS, as in a file of `--robot ros2:FILE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct ArmSettings {
    /// Robot file of the arm, or a built-in robot by name.
    #[default("panda".into())]
    pub robot: String,
    /// Settings of the node.
    pub node: NodeSettings,
    /// Topic of the joint states, which name the arm's joints and a finger joint.
    #[default("/joint_states".into())]
    pub joint_states: String,
    /// Action of the arm's trajectory controller (`control_msgs/action/FollowJointTrajectory`).
    #[default("/arm_controller/follow_joint_trajectory".into())]
    pub arm_action: String,
    /// Action of the gripper (`control_msgs/action/GripperCommand`).
    #[default("/gripper_controller/gripper_cmd".into())]
    pub gripper_action: String,
    /// Fraction of the arm's speed limits that a motion may use, in (0, 1]. A faster motion is
    /// stretched in time and keeps its path.
    #[default(0.3)]
    pub speed: f64,
    /// Maximum age of a usable joint state, s. An older one stops a motion.
    #[default(0.2)]
    pub stale_secs: f64,
    /// Timeout for the answer of a controller, s.
    #[default(2.0)]
    pub answer_secs: f64,
    /// Timeout for the first joint state after joining the network, s.
    #[default(10.0)]
    pub connect_secs: f64,
    /// Maximum distance of a joint from the start of a motion, rad.
    #[default(0.02)]
    pub start_tolerance_rad: f64,
    /// Workspace of the tool point, in the frame of the arm's base, m.
    #[default(Aabb { min: [-0.5, -0.8, 0.0], max: [0.85, 0.8, 1.2] })]
    pub workspace_in_base_m: Aabb,
    /// True if the first motion after connecting has to be approved.
    #[default(true)]
    pub approve_first_motion: bool,
}

/// Error of invalid settings, with the field and its valid values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("read the settings of a ROS arm: {0}")]
pub struct ArmSettingsError(String);

impl ArmSettings {
    /// Reads settings from YAML. Missing fields keep their defaults.
    ///
    /// # Errors
    ///
    /// [`ArmSettingsError`] for unknown fields and values out of range.
    pub fn from_yaml(text: &str) -> Result<Self, ArmSettingsError> {
        let read: Result<Self, _> = serde_saphyr::from_str(text);
        let settings = read.map_err(|error| ArmSettingsError(error.to_string()))?;
        let figures = [
            ("speed", settings.speed, 0.01, 1.0),
            ("stale_secs", settings.stale_secs, 0.02, 2.0),
            ("answer_secs", settings.answer_secs, 0.1, 30.0),
            ("connect_secs", settings.connect_secs, 0.1, 120.0),
            (
                "start_tolerance_rad",
                settings.start_tolerance_rad,
                1e-4,
                0.1,
            ),
        ];
        for (field, value, least, most) in figures {
            if !(least..=most).contains(&value) {
                let text = format!("`{field}` is {value}, but must be from {least} to {most}");
                return Err(ArmSettingsError(text));
            }
        }
        let Aabb { min, max } = settings.workspace_in_base_m;
        // This comparison rejects NaN, too.
        let has_room = min.iter().zip(&max).all(|(min, max)| min < max);
        match has_room {
            true => Ok(settings),
            false => Err(ArmSettingsError("`workspace_in_base_m` is empty".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;

    #[test]
    fn missing_fields_are_the_defaults_and_bad_ones_are_refused() {
        let read = ArmSettings::from_yaml("node: {domain: 42}\nspeed: 0.5\n")
            .expect("the settings are valid");
        assert_eq!(read.node.domain, 42);
        assert!(read.approve_first_motion && read.node.interfaces[0].is_loopback());
        for [text, word] in rows(
            "speed: 2         | from 0.01 to 1
             stale_secs: .nan | stale_secs
             sped: 1          | sped
             workspace_in_base_m: {min: [0, 0, 0], max: [1, 0, 1]} | empty",
        ) {
            let refused = ArmSettings::from_yaml(&text).expect_err(&word).to_string();
            assert!(refused.contains(&word), "{text}: {refused}");
        }
    }
}
