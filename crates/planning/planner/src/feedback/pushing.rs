//! Pushes for things that no hand can grip.

use regrasp_api::ObjectId;
use regrasp_language::{Course, Intent};

use super::sequence::{ASIDE_M, Sequence};
use super::slide::{Slide, push_goal};

impl Sequence<'_> {
    /// Pushes what cannot be gripped, and says whether it does.
    pub(super) fn push_instead(&mut self, intent: &Intent) -> Result<bool, String> {
        let object = intent.object().unwrap_or_default();
        let goal = match self.constraints.no_grip.contains(object) {
            true => push_goal(intent, self.request.percept),
            false => None,
        };
        let Some(xy) = goal else {
            return Ok(false);
        };
        let percept = self.request.percept;
        let slide = percept.object(&ObjectId::new(object));
        let slide = slide.and_then(|o| Slide::of(percept, o));
        for blocker in slide.map_or_else(Vec::new, |slide| slide.in_the_way(xy)) {
            if !self.now.place.contains_key(&blocker) {
                let note = format!("{blocker} is where {object} is pushed along: move it aside");
                self.notes.push(note);
                self.move_aside(&blocker, ASIDE_M)?;
            }
        }
        self.notes
            .push(format!("{object} cannot be gripped: push it"));
        let shift = Intent::Shift {
            object: object.into(),
            pull: false,
            to: Course::Point(xy),
        };
        self.shift(&shift, object)?;
        let place = intent.literal().0;
        self.now.place.insert(object.to_owned(), place);
        Ok(true)
    }
}
