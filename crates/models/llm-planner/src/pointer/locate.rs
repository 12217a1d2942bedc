//! Asks where an object is, and once more if the answer cannot be right.

use regrasp_api::{CameraView, ObjectId, PerceptionError, Reason, Unseen};
use regrasp_chat::chat_blocking;
use regrasp_rgbd_perception::LastLook;

use super::VlmPointer;
use super::answer::{Pointed, read};
use super::judge::thing_at;
use super::question::Question;
use crate::planner::weaker;
use crate::{MAX_SENTENCE, Objection, clean};

/// Reason why an answer gives no object. All but [`Miss::Absent`] are reported to the model once.
enum Miss {
    Absent(Unseen),
    /// The answer may be a mistake.
    Doubtful(Unseen),
    Unreadable(String),
}

type Pictures<'a> = Vec<(&'a CameraView, Vec<u8>)>;

fn unavailable(detail: impl Into<String>) -> PerceptionError {
    PerceptionError::Unavailable {
        detail: detail.into(),
    }
}

impl VlmPointer {
    /// Asks the model where an object is in the pictures of the last percept. Returns its id in
    /// RGB-D perception, or why it is not found.
    pub(super) fn locate(
        &mut self,
        phrase: &str,
    ) -> Result<Result<ObjectId, Unseen>, PerceptionError> {
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
            let wrong = match found(look, phrase, &pictures, read(&answer, &tools)) {
                Ok(id) => break Ok(Ok(id)),
                Err(Miss::Absent(unseen)) => break Ok(Err(unseen)),
                Err(Miss::Doubtful(unseen)) if objection.is_some() => break Ok(Err(unseen)),
                Err(Miss::Doubtful(unseen)) => unseen.detail,
                Err(Miss::Unreadable(wrong)) if objection.is_some() => {
                    let detail = format!("asked again, the model's answer is still wrong: {wrong}");
                    break Err(unavailable(detail));
                }
                Err(Miss::Unreadable(wrong)) => wrong,
            };
            objection = Some(Objection::to(&answer, &wrong));
        };
        self.state.mode = mode;
        self.state.tokens = self.state.tokens.saturating_add(tokens);
        located
    }
}

fn found(
    look: &LastLook,
    phrase: &str,
    pictures: &Pictures<'_>,
    read: Result<Pointed, String>,
) -> Result<ObjectId, Miss> {
    let (camera, region) = match read.map_err(Miss::Unreadable)? {
        Pointed::At { camera, region } => (camera, region),
        Pointed::NotThere { why } => {
            let detail = format!("the model does not see `{phrase}`: {why}");
            let unseen = Unseen::new(phrase, Reason::ObjectNotFound, detail);
            return Err(Miss::Absent(unseen));
        }
    };
    let shown = pictures.iter().find(|(view, _)| view.name == camera);
    let unknown = || Miss::Unreadable(format!("no picture of camera `{camera}` was shown"));
    let (view, _) = shown.ok_or_else(unknown)?;
    thing_at(look, phrase, view, region).map_err(Miss::Doubtful)
}

fn pictures<'a>(look: &'a LastLook, cameras: &[String]) -> Result<Pictures<'a>, PerceptionError> {
    let views = look.views();
    let picture = |name: &String| {
        let view = views.iter().find(|view| view.name == *name);
        let view = view.ok_or_else(|| PerceptionError::Blind {
            detail: format!("there is no camera named `{name}`"),
        })?;
        Ok((view, look.png(name)?))
    };
    cameras.iter().map(picture).collect()
}
