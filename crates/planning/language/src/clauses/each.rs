//! Goals for each of several objects, or for any of them.

use regrasp_api::{Fact, Goal};

use crate::formula::Formula;
use crate::formula::Intent;
use crate::reader::Reader;
use crate::referent::{How, Meant, ReadingError, Referent, Resolved, list, those};
use crate::task::{Step, Steps};
use crate::tree::Tree;

pub(super) fn goal<'t>(predicate: &str, of: impl IntoIterator<Item = &'t Referent>) -> Goal {
    let (predicate, of) = (predicate.to_owned(), of.into_iter());
    let of = of.map(Referent::to_string).collect();
    Fact { predicate, of }.into()
}

impl Reader<'_> {
    /// Returns the two objects of a phrase that must mean two.
    pub(super) fn two(&self, tree: &Tree, meant: &Meant) -> Resolved<[Referent; 2]> {
        let things = meant.things.as_slice();
        if let [a, b] = things {
            return Ok([a.clone(), b.clone()]);
        }
        let (n, all) = (things.len(), list(things));
        let why = format!("two objects are needed, but these are {n}: {all}");
        Err(self.nonsense(tree, &why))
    }

    /// Creates a goal for each object, or for any.
    pub(super) fn each<I: Into<Intent>>(
        &self,
        meant: &Meant,
        goal: impl Fn(&Referent) -> Resolved<I>,
    ) -> Steps {
        let of = meant.things.iter().map(|thing| goal(thing).map(Into::into));
        let of = of.collect::<Result<Vec<Intent>, _>>()?;
        Ok(match meant.how {
            How::Any(n) => vec![Step::Goal(Formula::some(n, of))],
            How::The | How::All => of.into_iter().map(Step::from).collect(),
        })
    }

    /// Creates a goal for each object from a predicate and the other arguments.
    pub(super) fn each_is(&self, meant: &Meant, predicate: &str, others: &[&Referent]) -> Steps {
        self.each(meant, |thing| {
            let of = std::iter::once(thing).chain(others.iter().copied());
            Ok(goal(predicate, of))
        })
    }

    /// Creates a goal for each object and its target. If any of several targets is meant, so is any
    /// goal.
    pub(super) fn with_target<I: Into<Intent>>(
        &self,
        tree: &Tree,
        moved: &Meant,
        target: &Meant,
        goal: impl Fn(&Referent, &Referent) -> Resolved<I>,
    ) -> Steps {
        let to = |thing: &Referent, target: &Referent| -> Resolved<Intent> {
            match thing.id() == target.id() {
                true => Err(ReadingError::itself(thing)),
                false => goal(thing, target).map(Into::into),
            }
        };
        let but = |all: &[Referent], one: &Referent| those(all, |t| t.id() != one.id());
        match (target.things.as_slice(), target.how) {
            ([one], _) => {
                // "put everything in the tray" does not mean the tray itself.
                let others = but(&moved.things, one);
                let n_needed = match moved.how {
                    How::The => moved.things.len(),
                    How::All => 1,
                    How::Any(n) => n,
                };
                let moved = match others.len() >= n_needed {
                    true => moved.clone().with(others),
                    false => moved.clone(),
                };
                self.each(&moved, |thing| to(thing, one))
            }
            (targets, How::Any(1)) => {
                let any = |thing: &Referent| {
                    let others = but(targets, thing);
                    let goals = others.iter().map(|target| to(thing, target));
                    goals.collect::<Result<Vec<_>, _>>()
                };
                let steps = moved.things.iter().map(any);
                let steps = steps.collect::<Result<Vec<_>, _>>()?;
                match moved.how {
                    How::Any(1) => Ok(vec![Step::Goal(Formula::some(1, steps.concat()))]),
                    How::Any(_) => {
                        Err(self.nonsense(tree, "it is not clear which of them goes where"))
                    }
                    How::The | How::All => {
                        let any = |of| Step::Goal(Formula::some(1, of));
                        Ok(steps.into_iter().map(any).collect())
                    }
                }
            }
            (targets, _) => {
                let question = format!("_: on which of {}?", list(targets));
                Err(self.unclear(tree, &question))
            }
        }
    }
}
