//! Perception by pointing: a model says where a thing is, depth says the rest.

mod answer;
mod judge;
mod locate;
mod names;
mod options;
mod question;
mod state;

use std::sync::Arc;

use regrasp_api::{Observation, Percept, Perception, PerceptionError, Resolution, Unseen};
use regrasp_chat::ChatModel;
use regrasp_language::resolve;
use regrasp_rgbd_perception::RgbdPerception;
use serde::Deserialize;
use serde_json::{Value, json};

use judge::Located;
pub use options::PointerOptions;
use state::{Missed, Scene, State};

/// Sees objects through cameras with colour and depth, as [`RgbdPerception`] does, and lets
/// a vision-language model say which of them is meant by a phrase.
///
/// For each phrase the model is shown pictures and asked for a pixel or a box. What depth
/// shows there (a median over many pixels, never a single one) tells which thing it is;
/// that thing's place, turn and size come from the points of all cameras, and it is called
/// by the phrase from then on ([`regrasp_language::id_of_phrase`]). While it can be followed, the
/// model is not asked again. Where nothing can be meant, the model is told so once; what is
/// not found then is in [`Percept::unseen`], with the reason:
///
/// | reason | what was pointed out |
/// |---|---|
/// | `object_not_found` | the model says that it is not there, or nothing with a shape is |
/// | `point_outside_image` | a pixel beside the picture |
/// | `point_without_depth` | a pixel without depth |
/// | `object_out_of_workspace` | something outside of the cell |
/// | `point_on_table` | the table |
/// | `point_on_robot` | the robot itself |
///
/// It is looked for again when the scene has changed, and nothing else is taken for it
/// meanwhile, whatever it looks like. Nothing is read from the world's
/// truth. A model that cannot be reached, or that does not answer the question even when
/// it is asked again, is [`PerceptionError::Unavailable`]: that says nothing about the
/// scene.
pub struct VlmPointer {
    eyes: RgbdPerception,
    model: Arc<dyn ChatModel>,
    options: PointerOptions,
    state: State,
}

impl VlmPointer {
    /// Looks with `eyes` and asks `model` what is what.
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

    /// Tokens that all questions took until now.
    pub fn tokens(&self) -> u64 {
        self.state.tokens
    }

    /// Finds what a phrase means, unless that is known, or was just asked in vain.
    fn look_for(&mut self, phrase: &str, scene: &Scene) -> Result<(), PerceptionError> {
        let most = self.options.max_questions;
        if self.state.is_settled(phrase, scene, most) {
            return Ok(());
        }
        *self.state.n_asked.entry(phrase.to_owned()).or_default() += 1;
        match self.locate(phrase)? {
            Located::There(id) => {
                self.state.missed.remove(phrase);
                self.state.bound.insert(phrase.to_owned(), id);
            }
            Located::Nowhere(miss) => {
                tracing::info!(phrase, reason = %miss.reason, detail = miss.detail, "not found");
                self.state.bound.remove(phrase);
                let missed = Missed {
                    unseen: Unseen {
                        phrase: phrase.to_owned(),
                        reason: miss.reason,
                        detail: miss.detail,
                        measured: miss.measured,
                    },
                    scene: scene.clone(),
                };
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
            // The table is found by its shape, and whoever points at it means nothing else.
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
