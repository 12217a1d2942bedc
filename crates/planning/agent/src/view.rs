//! What the world looked like, so that it can be told whether it changed.

use std::collections::BTreeMap;

use regrasp_api::{Goal, ObjectId, PerceivedObject, Percept, Pose, SkillCall, StateAfter};
use regrasp_robot::Robot;
use serde::{Deserialize, Serialize};

/// Where things were seen, and what was held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct View {
    held: Option<ObjectId>,
    objects: BTreeMap<ObjectId, Pose>,
}

/// A motion of an object up to this is none, m: settling and noise.
const SAME_M: f64 = 0.005;
/// Nor is a turn up to this, rad.
const SAME_RAD: f64 = 0.05;

impl View {
    /// Movable objects.
    pub(crate) fn of(robot: &Robot, percept: &Percept) -> Self {
        Self::filtered(robot, percept, |object| object.movable)
    }

    /// All objects, drawers and doors too.
    pub(crate) fn of_all(robot: &Robot, percept: &Percept) -> Self {
        Self::filtered(robot, percept, |_| true)
    }

    fn filtered(
        robot: &Robot,
        percept: &Percept,
        is_part: impl Fn(&PerceivedObject) -> bool,
    ) -> Self {
        let parts = percept.objects.iter().filter(|object| is_part(object));
        Self {
            held: robot.held.as_ref().map(|held| held.id.clone()),
            objects: parts.map(|o| (o.id.clone(), o.world_from_object)).collect(),
        }
    }

    /// The object that was in the hand.
    pub(crate) fn held(&self) -> Option<&ObjectId> {
        self.held.as_ref()
    }

    /// The view after a skill: without a look, things are believed to be where they were.
    pub(crate) fn after(&self, state: &StateAfter) -> Self {
        Self {
            held: state.held.clone(),
            objects: state.objects.as_ref().unwrap_or(&self.objects).clone(),
        }
    }

    /// Whether nothing changed between the two.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_turned = |(id, pose): (&ObjectId, &Pose)| {
            let now = other.objects.get(id);
            now.is_some_and(|now| now.rotation.angle_to(&pose.rotation) > SAME_RAD)
        };
        self.is_in_place(other) && !self.objects.iter().any(is_turned)
    }

    /// Whether nothing was brought anywhere else, however it turned: a step that fails
    /// turns what it touches, and that alone will not mend it.
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

/// The world as a round found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundStart {
    pub(crate) view: View,
    /// Goals that held.
    pub(crate) met: Vec<Goal>,
}

impl RoundStart {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.met == other.met && self.view.is_same(&other.view)
    }
}

/// A call that did not work, and the world that it did not work in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FailedCall {
    pub(crate) call: SkillCall,
    /// As the plan had it, before anything was varied.
    pub(crate) planned: SkillCall,
    pub(crate) before: View,
    pub(crate) after: View,
    /// Index of the attempt that it became.
    pub(crate) attempt_idx: usize,
    /// Whether it was refused since.
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
