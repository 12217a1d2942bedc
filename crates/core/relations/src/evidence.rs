//! Evidence by which goals are judged.

use crate::InHand;
use regrasp_api::{ObjectId, Observation, Percept, RobotInfo};

/// Perception and sensor readings at one moment, by which a [`Goal`](regrasp_api::Goal) is judged.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Result of perception.
    pub percept: &'a Percept,
    /// Readings of the robot's own sensors.
    pub observation: &'a Observation,
    /// State of the hand.
    pub hand: &'a InHand,
    /// Objects that have not come to rest.
    pub moving: &'a [Moving],
    /// Fixed facts about the robot.
    pub robot: &'a RobotInfo,
}

impl Evidence<'_> {
    /// Returns true if the fingers touch something although the hand holds no known object.
    pub(crate) fn fingers_touch(&self) -> bool {
        let felt = &self.observation.gripper;
        let touches = match felt.finger_contact {
            Some(contacts) => contacts.contains(&true),
            None => felt.presses(self.robot.gripper.closed_below()),
        };
        self.hand.is_empty() && touches
    }

    /// Describes the motion of the first of the given objects that is not at rest; `None` if all
    /// are at rest.
    pub(crate) fn not_at_rest(&self, ids: &[&ObjectId]) -> Option<String> {
        let mut moving = self.moving.iter();
        moving
            .find(|it| ids.contains(&&it.id))
            .map(ToString::to_string)
    }
}

/// Object that was seen to move.
#[derive(Clone, Debug, PartialEq, derive_more::Display)]
#[display("{id} is still moving at {m_per_s:.3} m/s and {rad_per_s:.2} rad/s")]
pub struct Moving {
    /// Id of the object.
    pub id: ObjectId,
    /// Speed of the object's origin, m/s.
    pub m_per_s: f64,
    /// Angular speed, rad/s.
    pub rad_per_s: f64,
}
