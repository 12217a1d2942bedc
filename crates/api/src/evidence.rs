//! What goals are judged by.

use crate::{InHand, Moving, ObjectId, Observation, Percept, RobotInfo};

/// What is seen and felt at one moment: all that a [`Goal`](crate::Goal) is judged by.
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
    /// Whether the fingers touch something of which the robot does not know what it is: then
    /// they have not let go of it.
    pub(crate) fn clings(&self) -> bool {
        self.hand.is_empty() && self.observation.gripper.finger_contact.contains(&true)
    }

    /// Which of these has not come to rest, with its speeds; `None` if all have.
    pub(crate) fn not_at_rest(&self, ids: &[&ObjectId]) -> Option<String> {
        let mut moving = self.moving.iter();
        moving
            .find(|it| ids.contains(&&it.id))
            .map(ToString::to_string)
    }
}
