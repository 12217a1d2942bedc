//! The last percept of the agent.

use regrasp_api::{Failure, ObjectId, Observation, Percept, RobotInfo};
use regrasp_relations::{Evidence, InHand, Moving};
use regrasp_robot::{Robot, Settled};

/// Longest wait for objects to come to rest before the goal is judged, s. Rolling or rocking
/// objects on a table need a few seconds.
const SETTLE_SECS: f64 = 5.0;

/// A percept with the state of the hand.
#[derive(Default)]
pub(crate) struct Sight {
    pub(crate) percept: Percept,
    /// Objects that were still moving.
    moving: Vec<Moving>,
    hand: InHand,
    /// True if the percept was taken after waiting for objects to come to rest.
    pub(crate) is_settled: bool,
}

impl Sight {
    pub(crate) fn at_once(robot: &mut Robot) -> Result<Self, Failure> {
        let percept = robot.perceive()?;
        let hand = robot.in_hand(&percept)?;
        Ok(Self {
            percept,
            hand,
            ..Self::default()
        })
    }

    /// Perceives when all objects are at rest, or after the longest wait.
    pub(crate) fn at_rest(robot: &mut Robot) -> Result<Self, Failure> {
        let Settled { percept, moving } = robot.settle(SETTLE_SECS)?;
        let hand = robot.in_hand(&percept)?;
        Ok(Self {
            percept,
            moving,
            hand,
            is_settled: true,
        })
    }

    /// Object that the hand took, whether or not it is still there.
    pub(crate) fn taken(&self) -> Option<ObjectId> {
        match &self.hand {
            InHand::Nothing => None,
            InHand::Holds { id, .. } | InHand::Unclear { id, .. } | InHand::Lost { id, .. } => {
                Some(id.clone())
            }
        }
    }

    /// Evidence for judging goals. `observation` must be of the same time.
    pub(crate) fn evidence<'a>(
        &'a self,
        observation: &'a Observation,
        robot: &'a RobotInfo,
    ) -> Evidence<'a> {
        Evidence {
            percept: &self.percept,
            observation,
            hand: &self.hand,
            moving: &self.moving,
            robot,
        }
    }
}
