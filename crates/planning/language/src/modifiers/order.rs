//! Order of several objects by size or position: "from left to right", "by height".

use regrasp_api::ObjectId;

use crate::ast::{Node, Order};
use crate::formula::Intent;
use crate::modifiers::select::{ALIKE_M, ranked, score_of};
use crate::reader::Reader;
use crate::referent::{Referent, Resolved};
use crate::task::{Step, Steps};

impl Reader<'_> {
    /// Returns true if objects stand in an order. From the bottom, a stack by size falls.
    fn is_in_order(&self, things: &[Referent], order: &Order, is_stack: bool) -> bool {
        let falls = |word: &str, by: f64| {
            let scores = things.iter().map(|t| Some(by * score_of(self, t, word)?));
            let scores: Vec<f64> = scores.map_while(|score| score).collect();
            let mut pairs = scores.windows(2);
            scores.len() == things.len() && pairs.all(|pair| pair[0] > pair[1] - ALIKE_M)
        };
        // Objects that are all alike have no order.
        let from = |word: &str| falls(word, 1.0) && !falls(word, -1.0);
        let to = |word: &str| falls(word, -1.0) && !falls(word, 1.0);
        match order {
            Order::FromTo { first, last } => {
                from(&first.means) && last.as_ref().is_none_or(|last| to(&last.means))
            }
            Order::By { what } => from(&what.means) || !is_stack && to(&what.means),
        }
    }

    /// Keeps the orders of a row or a stack that a text allows.
    pub(crate) fn sorted(
        &self,
        order: &Node<Order>,
        mut all: Vec<Vec<Referent>>,
        is_stack: bool,
    ) -> Resolved<Vec<Vec<Referent>>> {
        all.retain(|things| self.is_in_order(things, &order.is, is_stack));
        match all.is_empty() {
            true => Err(self.senseless(&order.tree, "the objects cannot be put in order _")),
            false => Ok(all),
        }
    }

    /// Sorts steps by the objects that they move.
    pub(crate) fn steps_sorted(&self, order: &Node<Order>, mut steps: Vec<Step>) -> Steps {
        let Order::FromTo { first, .. } = &order.is else {
            return Err(self.unclear(&order.tree, "_: from which end?"));
        };
        let object = |step: &Step| {
            let id = step.intent().and_then(Intent::object)?;
            Some(Referent::Object(ObjectId::new(id)))
        };
        let objects: Option<Vec<_>> = steps.iter().map(object).collect();
        let objects = objects.unwrap_or_default();
        let ranked = ranked(&objects, |t| score_of(self, t, &first.means)).into_iter();
        let objects: Vec<_> = ranked.map(|(_, thing)| Some(thing.clone())).collect();
        steps.sort_by_key(|step| objects.iter().position(|own| *own == object(step)));
        self.sorted(order, vec![objects.into_iter().flatten().collect()], false)?;
        Ok(steps)
    }
}
