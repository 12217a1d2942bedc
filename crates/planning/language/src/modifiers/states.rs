//! States of objects.

use regrasp_relations::count_in;

use crate::reader::Reader;
use crate::referent::Referent;

impl Reader<'_> {
    /// Returns true if an object is open, closed, empty, full, covered, clear or held.
    pub(crate) fn is_state(&self, thing: &Referent, state: &str) -> bool {
        let Some(object) = self.object(thing) else {
            return false;
        };
        let joint = self.joint(thing);
        let has = |relation: &str| self.lying(relation, thing).next().is_some();
        let is_filled = || has("in") || has("on") || count_in(self.scene.percept, object) > 0;
        match state {
            "open" => joint.is_some_and(|j| j.is_open()),
            "closed" => joint.is_some_and(|j| j.is_closed()),
            "empty" => !is_filled(),
            "full" => is_filled(),
            "clear" => !has("on"),
            "covered" => has("on"),
            "held" => self.scene.held == Some(&object.id),
            _ => false,
        }
    }
}
