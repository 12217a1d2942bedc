//! The last percept of the agent, and snapshots of object poses, to detect changes of the world.

use std::collections::BTreeMap;

use regrasp_api::{
    Failure, Goal, ObjectId, Observation, PerceivedObject, Percept, Pose, RobotInfo, SkillCall,
    StateAfter,
};
use regrasp_relations::{Evidence, InHand, Moving};
use regrasp_robot::{Robot, Settled};
use serde::{Deserialize, Serialize};

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

    /// Perceives the scene as soon as all objects are at rest, at the latest after [`SETTLE_SECS`].
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

    /// Object that the hand took, even if it has been lost since.
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

/// Poses of objects, and the held object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct View {
    pub(crate) held: Option<ObjectId>,
    objects: BTreeMap<ObjectId, Pose>,
}

/// Largest motion that counts as settling or noise, m.
const SAME_M: f64 = 0.005;
/// Largest rotation that counts as settling or noise, rad.
const SAME_RAD: f64 = 0.05;

impl View {
    /// Snapshot of the given objects and the held one.
    pub(crate) fn of<'p>(robot: &Robot, parts: impl Iterator<Item = &'p PerceivedObject>) -> Self {
        Self {
            held: robot.held.as_ref().map(|held| held.id.clone()),
            objects: parts.map(|o| (o.id.clone(), o.world_from_object)).collect(),
        }
    }

    /// Snapshot after a skill. Without a percept, objects keep their poses.
    pub(crate) fn after(&self, state: &StateAfter) -> Self {
        Self {
            held: state.held.clone(),
            objects: state.objects.as_ref().unwrap_or(&self.objects).clone(),
        }
    }

    /// Returns true if no object moved or turned.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_turned = |(id, pose): (&ObjectId, &Pose)| {
            let now = other.objects.get(id);
            now.is_some_and(|now| now.rotation.angle_to(&pose.rotation) > SAME_RAD)
        };
        self.is_in_place(other) && !self.objects.iter().any(is_turned)
    }

    /// Returns true if no object moved, whatever its rotation. A failed step often turns the object
    /// that it touches, which does not make a repetition useful.
    pub(crate) fn is_in_place(&self, other: &Self) -> bool {
        let stays = |(id, pose): (&ObjectId, &Pose)| {
            let now = other.objects.get(id);
            now.is_some_and(|now| {
                (now.translation.vector - pose.translation.vector).norm() <= SAME_M
            })
        };
        self.held == other.held
            && self.objects.len() == other.objects.len()
            && self.objects.iter().all(stays)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundStart {
    pub(crate) view: View,
    pub(crate) met: Vec<Goal>,
}

impl RoundStart {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.met == other.met && self.view.is_same(&other.view)
    }
}

/// A failed call with the world before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FailedCall {
    pub(crate) call: SkillCall,
    /// The call in the plan, before a retry varied it.
    pub(crate) planned: SkillCall,
    pub(crate) before: View,
    pub(crate) after: View,
    /// Index of the attempt that recorded the call.
    pub(crate) attempt_idx: usize,
    /// True if a repetition was refused.
    pub(crate) refused: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(x: f64, yaw: f64) -> View {
        let pose = Pose::new(
            nalgebra::Vector3::new(x, 0.1, 0.02),
            nalgebra::Vector3::z() * yaw,
        );
        View {
            held: None,
            objects: BTreeMap::from([("cube".into(), pose)]),
        }
    }

    #[test]
    fn moved_turned_taken_and_gone_are_changes_and_settling_is_none() {
        let before = view(0.4, 0.3);
        assert!(before.is_same(&view(0.403, 0.32)));
        assert!(!before.is_same(&view(0.42, 0.3)));
        assert!(!before.is_same(&view(0.4, 0.5)));
        assert!(before.is_in_place(&view(0.4, 0.5)));
        assert!(!before.is_in_place(&view(0.42, 0.3)));
        let taken = View {
            held: Some("cube".into()),
            ..before.clone()
        };
        assert!(!before.is_same(&taken));
        assert!(!before.is_same(&View::default()));
        assert!(!View::default().is_same(&before));
    }
}
