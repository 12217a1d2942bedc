//! State of the pointing perception between percepts.

use std::collections::BTreeMap;

use regrasp_api::{ObjectId, Observation, Percept, Unseen};
use regrasp_chat::AnswerMode;
use serde::{Deserialize, Serialize};

/// State on which later percepts depend, besides that of RGB-D perception.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) mode: AnswerMode,
    /// Object of each phrase, by its id in RGB-D perception.
    pub(super) bound: BTreeMap<String, ObjectId>,
    pub(super) missed: BTreeMap<String, Missed>,
    pub(super) n_asked: BTreeMap<String, u32>,
    /// Numbers in the generated ids of objects that are not what they look like, according to the
    /// model, by their ids in RGB-D perception.
    pub(super) unnamed: BTreeMap<ObjectId, usize>,
    pub(super) tokens: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Missed {
    pub(super) unseen: Unseen,
    pub(super) scene: Scene,
}

/// Properties of a scene whose change may change the model's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Scene {
    joint_positions: Vec<f64>,
    objects: BTreeMap<ObjectId, [f64; 3]>,
}

/// Joint motion below which the arm hides the same objects, rad.
const SAME_RAD: f64 = 0.1;
/// Distance below which an object counts as unmoved, m.
const SAME_M: f64 = 0.01;

impl Scene {
    pub(super) fn of(observation: &Observation, percept: &Percept) -> Self {
        let objects = percept.objects.iter();
        let objects = objects.map(|o| (o.id.clone(), o.position().into()));
        Self {
            joint_positions: observation.joint_positions.clone(),
            objects: objects.collect(),
        }
    }

    fn has(&self, id: &ObjectId) -> bool {
        self.objects.contains_key(id)
    }

    fn is_like(&self, other: &Self) -> bool {
        let near = |a: &[f64], b: &[f64], most: f64| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most)
        };
        near(&self.joint_positions, &other.joint_positions, SAME_RAD)
            && self.objects.len() == other.objects.len()
            && self.objects.iter().all(|(id, here)| {
                let there = other.objects.get(id);
                there.is_some_and(|there| near(here, there, SAME_M))
            })
    }
}

impl State {
    /// Returns true if asking again would give nothing new: the phrase is known, was not found in
    /// the same scene, or was asked too often.
    pub(super) fn is_settled(&self, phrase: &str, scene: &Scene, max_questions: u32) -> bool {
        let is_known = self.bound.get(phrase).is_some_and(|id| scene.has(id));
        let missed = self.missed.get(phrase);
        let n_asked = self.n_asked.get(phrase).copied().unwrap_or(0);
        is_known || n_asked >= max_questions || missed.is_some_and(|m| m.scene.is_like(scene))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(joint: f64, x: f64) -> Scene {
        Scene {
            joint_positions: vec![joint, 0.3],
            objects: BTreeMap::from([("red_cube".into(), [x, 0.1, 0.05])]),
        }
    }

    #[test]
    fn only_another_scene_is_worth_another_question() {
        let mut state = State::default();
        let settled = |state: &State, phrase, scene: &Scene| state.is_settled(phrase, scene, 8);
        assert!(!settled(&state, "it", &scene(0.0, 0.4)), "never asked");
        let missed = Missed {
            unseen: Unseen::new("it", regrasp_api::Reason::PointOnTable, ""),
            scene: scene(0.0, 0.4),
        };
        state.missed.insert("it".into(), missed);
        assert!(settled(&state, "it", &scene(0.01, 0.401)), "no change");
        assert!(!settled(&state, "it", &scene(0.5, 0.4)), "the arm moved");
        assert!(!settled(&state, "it", &scene(0.0, 0.45)), "object moved");
        let empty = Scene::default();
        assert!(!settled(&state, "it", &empty), "the object is gone");
        state.n_asked.insert("it".into(), 8);
        assert!(settled(&state, "it", &empty), "asked too often");
        state.bound.insert("other".into(), "red_cube".into());
        assert!(settled(&state, "other", &scene(0.5, 0.7)), "known object");
        assert!(!settled(&state, "other", &empty), "lost object");
    }
}
