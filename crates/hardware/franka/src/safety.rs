//! Safety settings of a real arm, as data. All are on unless a file says otherwise.

use regrasp_api::Aabb;
use serde::{Deserialize, Serialize};

use crate::N_JOINTS;

/// Limits of a real arm's motions. The defaults are cautious, for a first use of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Safety {
    /// Part of the arm's own limits of speed, acceleration and jerk that a motion may use, in (0,
    /// 1]. Default 0.3. A faster motion is stretched in time and keeps its path.
    #[default(0.3)]
    pub speed: f64,
    /// Time within which the arm has to stand after a stop request, s. Default 0.05. Joints never
    /// move too fast to brake in this time.
    #[default(0.05)]
    pub stop_within_secs: f64,
    /// Workspace of the tool point, in the frame of the arm's base, m. Default: the arm's reach
    /// above the plane on which it stands.
    #[default(Aabb { min: [-0.5, -0.8, 0.0], max: [0.85, 0.8, 1.2] })]
    pub workspace_in_base_m: Aabb,
    /// Margin between a joint and its end, rad. Default 0.05.
    #[default(0.05)]
    pub joint_margin_rad: f64,
    /// Greatest distance of a joint from the start of a motion, rad. Default 0.02. A motion that
    /// begins further away is rejected.
    #[default(0.02)]
    pub start_tolerance_rad: f64,
    /// Greatest age of a usable state, s. Default 0.05. An older one stops a motion.
    #[default(0.05)]
    pub stale_secs: f64,
    /// Timeout for the program that ordered a motion, s. Default 0.1. Without a sign of life the
    /// motion stops.
    #[default(0.1)]
    pub lost_controller_secs: f64,
    /// Contact and collision thresholds of the arm itself. They are set at connecting.
    pub collision: CollisionThresholds,
    /// True if the first motion after connecting has to be approved. Default true.
    #[default(true)]
    pub approve_first_motion: bool,
}

/// Thresholds that the arm's own controller watches. Above the contact thresholds it reports a
/// contact, above the collision thresholds it stops by reflex.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct CollisionThresholds {
    /// External torque at each joint that counts as contact, N m. Default 10 and 8 (wrist).
    #[default([10.0, 10.0, 10.0, 10.0, 8.0, 8.0, 8.0])]
    pub contact_torque_nm: [f64; N_JOINTS],
    /// External torque at each joint that counts as collision, N m. Default 20 and 12 (wrist).
    #[default([20.0, 20.0, 20.0, 20.0, 12.0, 12.0, 12.0])]
    pub collision_torque_nm: [f64; N_JOINTS],
    /// Force (x, y, z, N) and torque (N m) at the tool that count as contact. Default 10.
    #[default([10.0; 6])]
    pub contact_wrench: [f64; 6],
    /// Force and torque at the tool that count as collision. Default 20, and 25 N along z, because
    /// a hand that places an object presses a little.
    #[default([20.0, 20.0, 25.0, 20.0, 20.0, 20.0])]
    pub collision_wrench: [f64; 6],
}

/// Error of invalid safety settings, with the field and its valid values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("read the safety settings: {0}")]
pub struct SafetyError(String);

impl SafetyError {
    fn range(field: &str, value: f64, expected: &str) -> Self {
        Self(format!("`{field}` is {value}, but must be {expected}"))
    }
}

impl Safety {
    /// Reads settings from YAML. Missing fields keep their defaults.
    ///
    /// # Errors
    ///
    /// [`SafetyError`] for unknown fields and values out of range.
    pub fn from_yaml(text: &str) -> Result<Self, SafetyError> {
        let read: Result<Self, _> = serde_saphyr::from_str(text);
        let safety = read.map_err(|error| SafetyError(error.to_string()))?;
        safety.validate()?;
        Ok(safety)
    }

    /// Checks every value.
    ///
    /// # Errors
    ///
    /// [`SafetyError`] for the first invalid value.
    pub fn validate(&self) -> Result<(), SafetyError> {
        let range =
            |field, value: f64, is_right: bool, expected| match is_right && value.is_finite() {
                true => Ok(()),
                false => Err(SafetyError::range(field, value, expected)),
            };
        let part = self.speed > 0.0 && self.speed <= 1.0;
        range("speed", self.speed, part, "above 0 and at most 1")?;
        let Self {
            stop_within_secs: stop,
            stale_secs: stale,
            lost_controller_secs: lost,
            joint_margin_rad: margin,
            start_tolerance_rad: start,
            ..
        } = *self;
        let figures = [
            ("stop_within_secs", stop, 0.02, 2.0, "from 0.02 to 2 s"),
            ("stale_secs", stale, 0.005, 1.0, "from 0.005 to 1 s"),
            ("lost_controller_secs", lost, 0.01, 1.0, "from 0.01 to 1 s"),
            ("joint_margin_rad", margin, 0.0, 0.5, "from 0 to 0.5 rad"),
            (
                "start_tolerance_rad",
                start,
                1e-4,
                0.1,
                "from 0.0001 to 0.1 rad",
            ),
        ];
        for (field, value, least, most, expected) in figures {
            range(field, value, (least..=most).contains(&value), expected)?;
        }
        let Aabb { min, max } = self.workspace_in_base_m;
        for (i, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
            // This comparison rejects NaN, too.
            if min[i].partial_cmp(&max[i]) != Some(std::cmp::Ordering::Less) {
                let (min, max) = (min[i], max[i]);
                return Err(SafetyError(format!(
                    "`workspace_in_base_m` is empty along {axis}: {min} to {max}"
                )));
            }
        }
        self.collision.validate()
    }
}

impl CollisionThresholds {
    fn validate(&self) -> Result<(), SafetyError> {
        let torques = self.contact_torque_nm.iter().zip(&self.collision_torque_nm);
        let wrenches = self.contact_wrench.iter().zip(&self.collision_wrench);
        for (contact, collision) in torques.chain(wrenches) {
            let right = *contact > 0.0 && contact <= collision && *collision <= 200.0;
            if !right {
                return Err(SafetyError(format!(
                    "`collision` has a contact threshold of {contact} and a collision threshold of \
                     {collision}, but must have 0 < contact <= collision <= 200"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;

    #[test]
    fn what_a_file_does_not_mention_stays_on() {
        let safety = Safety::from_yaml("speed: 0.5\n").unwrap_or_default();
        assert!((safety.speed - 0.5).abs() < 1e-12);
        assert!(safety.approve_first_motion);
        let rest = Safety {
            speed: 0.3,
            ..safety
        };
        assert_eq!(rest, Safety::default());
    }

    #[test]
    fn values_that_make_no_sense_are_refused_with_what_would_be_right() {
        for [text, word] in rows(
            "speed: 1.5    | at most 1
             speed: .nan   | at most 1
             stale_secs: 5 | to 1 s
             sped: 0.2     | sped
             workspace_in_base_m: {min: [0, 0, 0], max: [1, 0, 1]}  | along y
             collision: {contact_wrench: [30, 30, 30, 30, 30, 30]}  | collision",
        ) {
            let refused =
                Safety::from_yaml(&text).map_or_else(|e| e.to_string(), |_| String::new());
            assert!(refused.contains(&word), "{text}: {refused}");
        }
    }
}
