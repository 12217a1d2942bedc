//! Limits of the two arms, from their maker's data sheets.

use franka::rate_limiting::{JOINT_POSITION_LIMITS, MAX_JOINT_ACCELERATION, MAX_JOINT_JERK, fer};
use franka::{FciVersion, JointVelocityLimitsConfig};
use serde::{Deserialize, Serialize};

/// Number of joints of either arm.
pub const N_JOINTS: usize = 7;

/// One value per joint, base to flange.
pub(crate) type Joints = [f64; N_JOINTS];

/// Kind of arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum ArmKind {
    /// Franka Emika Panda (FER), protocol version 5.
    Panda,
    /// Franka Research 3, protocol version 10.
    #[strum(serialize = "FR3")]
    Fr3,
}

impl ArmKind {
    /// Protocol version that the arm speaks.
    pub fn protocol(self) -> u16 {
        match self {
            Self::Panda => 5,
            Self::Fr3 => 10,
        }
    }

    pub(crate) fn version(self) -> FciVersion {
        match self {
            Self::Panda => FciVersion::V5,
            Self::Fr3 => FciVersion::V10,
        }
    }

    pub(crate) fn of(version: FciVersion) -> Self {
        match version {
            FciVersion::V5 => Self::Panda,
            FciVersion::V10 => Self::Fr3,
        }
    }
}

/// Limits in radians and seconds.
#[derive(Clone, Debug)]
pub(crate) struct ArmLimits {
    pub(crate) kind: ArmKind,
    pub(crate) lower: Joints,
    pub(crate) upper: Joints,
    pub(crate) acceleration: Joints,
    pub(crate) jerk: Joints,
    speed: SpeedLimits,
}

#[derive(Clone, Debug)]
enum SpeedLimits {
    Flat(Joints),
    /// Limits that shrink towards the ends of a joint's range, from the FR3's URDF.
    ByPosition(Box<JointVelocityLimitsConfig>),
}

impl ArmLimits {
    pub(crate) fn panda() -> Self {
        Self {
            kind: ArmKind::Panda,
            lower: fer::JOINT_POSITION_LIMITS.0,
            upper: fer::JOINT_POSITION_LIMITS.1,
            acceleration: fer::MAX_JOINT_ACCELERATION,
            jerk: fer::MAX_JOINT_JERK,
            speed: SpeedLimits::Flat(fer::MAX_JOINT_VELOCITY),
        }
    }

    /// Creates the limits of the FR3; `by_position` comes from the arm itself.
    pub(crate) fn fr3(by_position: JointVelocityLimitsConfig) -> Self {
        Self {
            kind: ArmKind::Fr3,
            lower: JOINT_POSITION_LIMITS.0,
            upper: JOINT_POSITION_LIMITS.1,
            acceleration: MAX_JOINT_ACCELERATION,
            jerk: MAX_JOINT_JERK,
            speed: SpeedLimits::ByPosition(Box::new(by_position)),
        }
    }

    /// Maximum speed of each joint at these positions, in the direction of these velocities,
    /// rad/s; never negative.
    pub(crate) fn speed(&self, position: &Joints, velocity: &Joints) -> Joints {
        match &self.speed {
            SpeedLimits::Flat(limits) => *limits,
            SpeedLimits::ByPosition(config) => {
                let (up, down) = (config.upper_limits(position), config.lower_limits(position));
                std::array::from_fn(|i| {
                    let limit = if velocity[i] < 0.0 { -down[i] } else { up[i] };
                    limit.max(0.0)
                })
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Position-dependent limits of an FR3, from its URDF.
    pub(crate) fn fr3() -> ArmLimits {
        let urdf = include_str!("../tests/data/fr3.urdf");
        ArmLimits::fr3(JointVelocityLimitsConfig::from_urdf(urdf).expect("a whole URDF"))
    }

    #[test]
    fn an_fr3_slows_down_towards_a_joints_end_and_not_away_from_it() {
        let limits = fr3();
        let mut near = [0.0, 0.0, 0.0, -2.0, 0.0, 2.0, 0.0];
        let middle = limits.speed(&near, &[1.0; 7]);
        near[0] = limits.upper[0] - 0.05;
        let towards = limits.speed(&near, &[1.0; 7]);
        let away = limits.speed(&near, &[-1.0; 7]);
        assert!(middle[0] > 2.5, "{middle:?}");
        assert!(towards[0] < 0.5, "{towards:?}");
        assert!(away[0] > 2.5, "{away:?}");
    }
}
