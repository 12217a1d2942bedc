//! What goals are judged by.

use std::fmt;

use crate::InHand;
use regrasp_api::{ObjectId, Observation, Percept, RobotInfo};

/// What is seen and felt at one moment: all that a [`Goal`](regrasp_api::Goal) is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What is seen.
    pub percept: &'a Percept,
    /// What the robot's own sensors say.
    pub observation: &'a Observation,
    /// What is in the hand.
    pub hand: &'a InHand,
    /// What has not come to rest.
    pub moving: &'a [Moving],
    /// The robot.
    pub robot: &'a RobotInfo,
}

impl Evidence<'_> {
    /// Returns true if the fingers touch something of which the robot does not know what it is:
    /// then they have not let go of it.
    pub(crate) fn clings(&self) -> bool {
        let felt = &self.observation.gripper;
        let touches = match felt.finger_contact {
            Some(contacts) => contacts.contains(&true),
            None => felt.presses(self.robot.gripper.closed_below()),
        };
        self.hand.is_empty() && touches
    }

    /// Which of these has not come to rest, with its speeds; `None` if all have.
    pub(crate) fn not_at_rest(&self, ids: &[&ObjectId]) -> Option<String> {
        let mut moving = self.moving.iter();
        moving
            .find(|it| ids.contains(&&it.id))
            .map(ToString::to_string)
    }
}

/// Something that is seen to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// Which object.
    pub id: ObjectId,
    /// Speed of its origin, m/s.
    pub m_per_s: f64,
    /// How fast it turns, rad/s.
    pub rad_per_s: f64,
}

impl fmt::Display for Moving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id,
            m_per_s,
            rad_per_s,
        } = self;
        write!(
            f,
            "{id} still moves at {m_per_s:.3} m/s and {rad_per_s:.2} rad/s"
        )
    }
}
