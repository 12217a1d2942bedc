//! Towers, and things that swap places.

use std::rc::Rc;

use crate::ast::{NounPhrase, Np};
use crate::clauses::each::goal;
use crate::reader::Reader;
use crate::referent::{How, Meant, Referent};
use crate::task::{Step, Steps};
use crate::tree::Tree;

impl Reader<'_> {
    /// "side by side": the first right beside the second.
    pub(super) fn side_by_side(&mut self, np: &Np) -> Steps {
        let pair = self.moved(np)?;
        let goal = goal("against", &self.two(&np.tree, &pair)?);
        Ok(vec![Step::Do(goal.into())])
    }

    /// One thing on another, or a tower of several.
    pub(super) fn stack(&mut self, tree: &Rc<Tree>, np: &Np, on: Option<&Np>) -> Steps {
        let meant = self.moved(np)?;
        let Some(on) = on else {
            return self.tower(tree, &meant, None);
        };
        self.context.at_place = matches!(on.is, NounPhrase::Pronoun { .. });
        self.context.current = Some(meant.clone());
        let target = self.one(on);
        self.context.at_place = false;
        self.context.current = None;
        let target = target?;
        let Some(one) = meant.single() else {
            return self.tower(tree, &meant, Some(&target));
        };
        self.context.stacked = Some([one.clone(), target.clone()]);
        self.on(&on.tree, &meant, &Meant::one(target))
    }

    fn tower(&self, tree: &Tree, meant: &Meant, on: Option<&Referent>) -> Steps {
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
            of: of.map(Referent::name).collect(),
            on: on.map(Referent::name),
        }])
    }

    pub(super) fn swap(&mut self, tree: &Rc<Tree>, np: &Np) -> Steps {
        let pair = self.moved(np)?;
        if pair.things.len() == 1 {
            return Err(self.unclear(tree, "_: with what?"));
        }
        Ok(swapped(self.two(&np.tree, &pair)?))
    }

    pub(super) fn swap_with(&mut self, np: &Np, with: &Np) -> Steps {
        Ok(swapped([self.one(np)?, self.one(with)?]))
    }
}

fn swapped(pair: [Referent; 2]) -> Vec<Step> {
    let objects = pair.map(|thing| thing.name());
    vec![Step::Swap { objects }]
}
