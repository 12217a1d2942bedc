//! Towers, and objects that exchange their places.

use std::rc::Rc;

use crate::ast::{NounPhrase, Np};
use crate::clauses::each::goal;
use crate::formula::{Formula, alone_or};
use crate::reader::Reader;
use crate::referent::{How, Meant, Referent, those};
use crate::task::{Step, Steps};
use crate::tree::Tree;

/// Most objects besides the one at the end of a stack, since all their orders are enumerated.
const MOST_OTHERS: usize = 4;

impl Reader<'_> {
    /// Reads "side by side": the first object directly beside the second.
    pub(super) fn side_by_side(&mut self, np: &Np) -> Steps {
        let pair = self.moved(np)?;
        let goal = goal("against", &self.two(&np.tree, &pair)?);
        Ok(vec![Step::Do(goal.into())])
    }

    /// Stacks one object on another, or builds a tower of several.
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
        self.context.stacked = Some(Meant::all(vec![target.clone(), one.clone()]));
        self.on(&on.tree, &meant, &Meant::one(target))
    }

    /// Reads "stack them with the red one on top", with the others in any order.
    pub(super) fn stack_with(&mut self, tree: &Rc<Tree>, np: &Np, one: &Np, end: &str) -> Steps {
        let meant = self.moved(np)?;
        let noun = meant.noun.clone();
        let end_piece = self.under_head(noun.clone(), |own| own.np_of(one, &noun))?;
        let own = end_piece.single().filter(|own| meant.things.contains(own));
        let Some(own) = own.filter(|_| !meant.is_any()) else {
            return Err(self.nonsense(&one.tree, "_ is not one of the stacked objects"));
        };
        let others = those(&meant.things, |thing| thing != own);
        if others.is_empty() || others.len() > MOST_OTHERS {
            let why = format!("a stack has 2 to {} objects", MOST_OTHERS + 1);
            return Err(self.nonsense(tree, &why));
        }
        let stacked = |mut order: Vec<Referent>| {
            match end {
                "top" => order.push(own.clone()),
                _ => order.insert(0, own.clone()),
            }
            let pairs = order.windows(2);
            let each = pairs.map(|pair| Formula::Is(goal("on", [&pair[1], &pair[0]]).into()));
            alone_or(each.collect(), Formula::All)
        };
        let alternatives = orders(&others).into_iter().map(stacked);
        Ok(vec![alone_or(alternatives.collect(), Formula::Any).into()])
    }

    fn tower(&self, tree: &Tree, meant: &Meant, on: Option<&Referent>) -> Steps {
        let n = match meant.how {
            How::Any(n) => n,
            How::The | How::All => meant.things.len(),
        };
        if n < 2 && on.is_none() {
            return Err(self.nonsense(tree, "a tower needs two or more objects"));
        }
        let of = meant.things.iter();
        let of = of.filter(|t| on.is_none_or(|on| on.id() != t.id()));
        Ok(vec![Step::Tower {
            n,
            of: of.map(Referent::name).collect(),
            on: on.map(Referent::name),
        }])
    }

    pub(super) fn swap(&mut self, tree: &Rc<Tree>, np: &Np, with: Option<&Np>) -> Steps {
        let pair = match with {
            Some(with) => [self.one(np)?, self.one(with)?],
            None => {
                let pair = self.moved(np)?;
                if pair.things.len() == 1 {
                    return Err(self.unclear(tree, "_: with what?"));
                }
                self.two(&np.tree, &pair)?
            }
        };
        let objects = pair.map(|thing| thing.name());
        Ok(vec![Step::Swap { objects }])
    }
}

fn orders(things: &[Referent]) -> Vec<Vec<Referent>> {
    if things.is_empty() {
        return vec![vec![]];
    }
    let with_first = |first: &Referent| {
        let others = orders(&those(things, |thing| thing != first)).into_iter();
        let all = others.map(|others| [vec![first.clone()], others].concat());
        all.collect::<Vec<_>>()
    };
    things.iter().flat_map(with_first).collect()
}
