//! Perception by pointing: a model points at an object in a picture, and depth gives its pose and
//! size.

mod answer;
mod judge;
mod locate;
mod names;
mod options;
mod question;
mod state;

use std::sync::Arc;

use regrasp_api::{Observation, Percept, Perception, PerceptionError, Resolution};
use regrasp_chat::ChatModel;
use regrasp_language::resolve;
use regrasp_rgbd_perception::RgbdPerception;
use serde::Deserialize;
use serde_json::{Value, json};

pub use options::PointerOptions;
use state::{Missed, Scene, State};

/// Perception by cameras with colour and depth, as [`RgbdPerception`], in which a vision-language
/// model selects the object that a phrase means.
///
/// For each phrase the model is shown pictures and asked for a pixel or a box. The depth there (a
/// median over many pixels, never a single one) selects the object. Its pose and size come from the
/// points of all cameras, and its id comes from the phrase ([`regrasp_language::id_of_phrase`]).
/// While the object can be tracked, the model is not asked again. If there is no object where the
/// model points, this is reported to the model once; a phrase that is still not found is in
/// [`Percept::unseen`], with a reason:
///
/// | reason | the model pointed at |
/// |---|---|
/// | `object_not_found` | nothing (it reports the absence), no object, or that of another phrase |
/// | `point_outside_image` | a pixel outside of the picture |
/// | `point_without_depth` | a pixel without depth |
/// | `object_out_of_workspace` | a point outside of the cell |
/// | `point_on_table` | the table |
/// | `point_on_robot` | the robot itself |
///
/// The model is asked again when the scene has changed. Until then no other object is taken for the
/// missing one, even if it matches by appearance. No ground truth is read. A model that cannot be
/// reached, or that does not answer the question when asked again, is
/// [`PerceptionError::Unavailable`], which says nothing about the scene.
pub struct VlmPointer {
    eyes: RgbdPerception,
    model: Arc<dyn ChatModel>,
    options: PointerOptions,
    state: State,
}

impl VlmPointer {
    /// Creates a perception that sees with `eyes` and asks `model` which object is meant.
    pub fn new(eyes: RgbdPerception, model: Arc<dyn ChatModel>, options: PointerOptions) -> Self {
        let state = State {
            mode: options.mode.unwrap_or_default(),
            ..State::default()
        };
        Self {
            eyes: eyes.keeping_looks(),
            model,
            options,
            state,
        }
    }

    /// Tokens of all questions so far.
    pub fn tokens(&self) -> u64 {
        self.state.tokens
    }

    /// Locates a phrase, unless it is known or was already asked in this scene without success.
    fn look_for(&mut self, phrase: &str, scene: &Scene) -> Result<(), PerceptionError> {
        let most = self.options.max_questions;
        if self.state.is_settled(phrase, scene, most) {
            return Ok(());
        }
        *self.state.n_asked.entry(phrase.to_owned()).or_default() += 1;
        match self.locate(phrase)? {
            Ok(id) => {
                self.state.missed.remove(phrase);
                self.state.bound.insert(phrase.to_owned(), id);
            }
            Err(unseen) => {
                let (reason, detail) = (&unseen.reason, &unseen.detail);
                tracing::info!(phrase, %reason, detail, "not found");
                self.state.bound.remove(phrase);
                let scene = scene.clone();
                let missed = Missed { unseen, scene };
                self.state.missed.insert(phrase.to_owned(), missed);
            }
        }
        Ok(())
    }
}

impl Perception for VlmPointer {
    fn name(&self) -> &str {
        "pointer"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let mut percept = self.eyes.perceive(observation)?;
        let scene = Scene::of(observation, &percept);
        for phrase in self.options.phrases.clone() {
            // The table is found by its shape, so a phrase for it needs no model.
            let is_fixed = matches!(resolve(&percept, &phrase),
                Resolution::One(object) if !object.movable);
            if !is_fixed {
                self.look_for(&phrase, &scene)?;
            }
        }
        names::apply(&self.options.phrases, &mut self.state, &mut percept);
        Ok(percept)
    }

    fn save(&self) -> Value {
        json!([self.eyes.save(), self.state])
    }

    fn restore(&mut self, state: &Value) {
        if let Ok((eyes, state)) = <(Value, State)>::deserialize(state) {
            self.eyes.restore(&eyes);
            self.state = state;
        }
    }
}
