//! Towers, and things that swap places.

use std::rc::Rc;

use regrasp_api::Goal;

use crate::context::Context;
use crate::reader::Reader;
use crate::task::{Step, Steps};
use crate::thing::{How, Meant, Thing};
use crate::tree::Tree;

impl Reader<'_> {
    pub(super) fn stack_on(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [np, on] = self.two_nps(tree)?;
        let meant = self.moved(np, context)?;
        context.at_place = on.label == "pronoun";
        context.current = Some(meant.clone());
        let target = self.one(on, context);
        context.at_place = false;
        context.current = None;
        let target = target?;
        let Some(one) = meant.single() else {
            return self.tower(tree, &meant, Some(&target));
        };
        context.stacked = Some([one.clone(), target.clone()]);
        self.on(on, &meant, &Meant::one(target))
    }

    /// "the red cube on the blue one on the green one".
    pub(super) fn stack_three(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let things = tree.nps().map(|np| self.one(np, context));
        let things = things.collect::<Result<Vec<_>, _>>()?;
        context.take_up(&things[0]);
        let on = |pair: &[Thing]| {
            let (object, target) = (pair[0].id().clone(), pair[1].id().clone());
            Step::Do(Goal::On { object, target }.into())
        };
        Ok(things.windows(2).rev().map(on).collect())
    }

    pub(super) fn build_tower(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        if tree.label == "tower" {
            let meant = self.moved(tree.last_np(), context)?;
            return self.tower(tree, &meant, None);
        }
        let [np, on] = self.two_nps(tree)?;
        let meant = self.moved(np, context)?;
        let target = self.one(on, context)?;
        self.tower(tree, &meant, Some(&target))
    }

    fn tower(&self, tree: &Tree, meant: &Meant, on: Option<&Thing>) -> Steps {
        let n = match meant.how {
            How::Any(n) => n,
            How::The | How::All => meant.things.len(),
        };
        if n < 2 && on.is_none() {
            return Err(self.nonsense(tree, "a tower needs two things at least"));
        }
        let of = meant.things.iter();
        let of = of.filter(|t| on.is_none_or(|on| on.id() != t.id()));
        Ok(vec![Step::Tower {
            n,
            of: of.map(Thing::name).collect(),
            on: on.map(Thing::name),
        }])
    }

    pub(super) fn swap(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.np();
        let pair = self.moved(np, context)?;
        if pair.things.len() == 1 {
            return Err(self.unclear(tree, "_: with what?"));
        }
        Ok(swapped(self.two(np, &pair)?))
    }

    pub(super) fn swap_with(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [a, b] = self.two_nps(tree)?;
        Ok(swapped([self.one(a, context)?, self.one(b, context)?]))
    }
}

fn swapped(pair: [Thing; 2]) -> Vec<Step> {
    let objects = pair.map(|thing| thing.name());
    vec![Step::Swap { objects }]
}
