//! Asks where an object is, and once more if the answer cannot be right.

use regrasp_api::{CameraView, PerceptionError, Reason};
use regrasp_chat::chat_blocking;
use regrasp_rgbd_perception::LastLook;

use super::VlmPointer;
use super::answer::{Pointed, read};
use super::judge::{Located, Miss, thing_at};
use super::question::Question;
use crate::planner::weaker;
use crate::prompt::Objection;
use crate::text::{MAX_SENTENCE, clean};

enum Outcome {
    Final(Located),
    /// The answer may be a mistake, which is reported to the model once.
    Miss(Miss),
    Unreadable(String),
}

type Pictures<'a> = Vec<(&'a CameraView, Vec<u8>)>;

fn unavailable(detail: impl Into<String>) -> PerceptionError {
    PerceptionError::Unavailable {
        detail: detail.into(),
    }
}

impl VlmPointer {
    /// Asks the model where an object is in the pictures of the last percept.
    pub(super) fn locate(&mut self, phrase: &str) -> Result<Located, PerceptionError> {
        let Some(look) = self.eyes.last_look() else {
            return Err(unavailable("there is no picture to point at"));
        };
        let pictures = pictures(look, &self.options.cameras)?;
        let mut mode = self.state.mode;
        let mut tokens = 0;
        let mut objection = None;
        let located = loop {
            let question = Question {
                phrase,
                pictures: &pictures,
                options: &self.options,
                mode,
                objection: objection.as_ref(),
            };
            let tools = question.tools();
            let answer = match chat_blocking(self.model.as_ref(), &question.chat(&tools)) {
                Ok(answer) => answer,
                Err(error) => match weaker(&error.cause, mode, self.options.mode) {
                    Some(other) => {
                        tracing::warn!(%error, mode = %other, "asking the model in another way");
                        mode = other;
                        continue;
                    }
                    None => break Err(unavailable(format!("failed to {error}"))),
                },
            };
            tokens += answer.usage.total();
            if let Some(refusal) = answer.refusal.as_ref().filter(|_| answer.calls.is_empty()) {
                let detail = clean(refusal, MAX_SENTENCE);
                break Err(unavailable(format!("the model refuses to point: {detail}")));
            }
            let wrong = match outcome(look, phrase, &pictures, read(&answer, &tools)) {
                Outcome::Final(located) => break Ok(located),
                Outcome::Miss(miss) if objection.is_some() => break Ok(Located::Nowhere(miss)),
                Outcome::Miss(miss) => miss.detail,
                Outcome::Unreadable(wrong) if objection.is_some() => {
                    let detail = format!("asked again, the model's answer is still wrong: {wrong}");
                    break Err(unavailable(detail));
                }
                Outcome::Unreadable(wrong) => wrong,
            };
            objection = Some(Objection::to(&answer, &wrong));
        };
        self.state.mode = mode;
        self.state.tokens = self.state.tokens.saturating_add(tokens);
        located
    }
}

fn outcome(
    look: &LastLook,
    phrase: &str,
    pictures: &Pictures<'_>,
    read: Result<Pointed, String>,
) -> Outcome {
    let (camera, region) = match read {
        Err(wrong) => return Outcome::Unreadable(wrong),
        Ok(Pointed::NotThere { why }) => {
            return Outcome::Final(Located::Nowhere(Miss {
                reason: Reason::ObjectNotFound,
                detail: format!("the model does not see `{phrase}`: {why}"),
                measured: vec![],
            }));
        }
        Ok(Pointed::At { camera, region }) => (camera, region),
    };
    let shown = pictures.iter().find(|(view, _)| view.name == camera);
    let Some((view, _)) = shown else {
        return Outcome::Unreadable(format!("no picture of camera `{camera}` was shown"));
    };
    match thing_at(look, phrase, view, region) {
        Ok(id) => Outcome::Final(Located::There(id)),
        Err(miss) => Outcome::Miss(miss),
    }
}

fn pictures<'a>(look: &'a LastLook, cameras: &[String]) -> Result<Pictures<'a>, PerceptionError> {
    let views = look.views();
    let picture = |name: &String| {
        let view = views.iter().find(|view| view.name == *name);
        let view = view.ok_or_else(|| PerceptionError::Blind {
            detail: format!("there is no camera called `{name}`"),
        })?;
        Ok((view, look.png(name)?))
    };
    cameras.iter().map(picture).collect()
}
