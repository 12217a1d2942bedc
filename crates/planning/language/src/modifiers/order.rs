//! Order of several objects by size or position: "from left to right", "by height".

use crate::ast::{Node, Order, Word};
use crate::formula::Intent;
use crate::modifiers::select::{ALIKE_M, ranked};
use crate::reader::Reader;
use crate::referent::{Referent, Resolved};
use crate::task::{Step, Steps};

impl Reader<'_> {
    /// Keeps the orders of objects that a text allows. A stack by size has its largest object at
    /// the bottom.
    pub(crate) fn sorted(
        &self,
        order: &Node<Order>,
        mut all: Vec<Vec<Referent>>,
        is_stack: bool,
    ) -> Resolved<Vec<Vec<Referent>>> {
        let falls = |things: &[Referent], word: &Word, by: f64| {
            let score = |t: &Referent| Some(by * self.score_of(t, &word.means)?);
            let scores: Option<Vec<f64>> = things.iter().map(score).collect();
            scores.is_some_and(|all| all.windows(2).all(|pair| pair[0] > pair[1] - ALIKE_M))
        };
        // Objects that are all alike have no order.
        let is_from =
            |things: &[Referent], word, by| falls(things, word, by) && !falls(things, word, -by);
        all.retain(|things| match &order.is {
            Order::FromTo { first, last } => {
                let ends = last.as_ref().is_none_or(|last| is_from(things, last, -1.0));
                is_from(things, first, 1.0) && ends
            }
            Order::By { what } => {
                is_from(things, what, 1.0) || !is_stack && is_from(things, what, -1.0)
            }
        });
        match all.is_empty() {
            true => Err(self.nonsense(&order.tree, "the objects cannot be put in order _")),
            false => Ok(all),
        }
    }

    /// Sorts steps by the objects that they move.
    pub(crate) fn steps_sorted(&self, order: &Node<Order>, mut steps: Vec<Step>) -> Steps {
        let Order::FromTo { first, .. } = &order.is else {
            return Err(self.unclear(&order.tree, "_: from which end?"));
        };
        let object = |step: &Step| step.intent().and_then(Intent::thing);
        let objects: Option<Vec<_>> = steps.iter().map(object).collect();
        let objects = objects.unwrap_or_default();
        let ranked = ranked(&objects, &|t| self.score_of(t, &first.means)).into_iter();
        let objects: Vec<_> = ranked.map(|(_, thing)| thing.clone()).collect();
        let place = |step: &Step| {
            objects
                .iter()
                .position(|own| Some(own) == object(step).as_ref())
        };
        steps.sort_by_key(place);
        self.sorted(order, vec![objects], false)?;
        Ok(steps)
    }
}
