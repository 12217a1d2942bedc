//! What the agent saw last.

use regrasp_api::{Failure, ObjectId, Observation, Percept, RobotInfo};
use regrasp_relations::{Evidence, InHand, Moving};
use regrasp_robot::{Robot, Settled};

/// How long to wait for objects to come to rest before the goal is judged, s: what rolls or
/// rocks on a table needs a few seconds.
const SETTLE_SECS: f64 = 5.0;

/// What was seen at one moment, and what is in the hand by that.
#[derive(Default)]
pub(crate) struct Sight {
    pub(crate) percept: Percept,
    /// What had not come to rest.
    moving: Vec<Moving>,
    hand: InHand,
    /// Whether things were given the time to come to rest.
    pub(crate) is_settled: bool,
}

impl Sight {
    /// Looks once.
    pub(crate) fn at_once(robot: &mut Robot) -> Result<Self, Failure> {
        let percept = robot.perceive()?;
        let hand = robot.in_hand(&percept)?;
        Ok(Self {
            percept,
            hand,
            ..Self::default()
        })
    }

    /// Looks when everything has come to rest, or the time for that is over.
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

    /// What the hand had taken, whether or not it is still there.
    pub(crate) fn taken(&self) -> Option<ObjectId> {
        match &self.hand {
            InHand::Nothing => None,
            InHand::Holds { id, .. } | InHand::Unclear { id, .. } | InHand::Lost { id, .. } => {
                Some(id.clone())
            }
        }
    }

    /// What goals are judged by; `observation` has to be of the same moment.
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
