//! Converts clauses to steps.

mod hinges;
mod only;
mod onto;
mod places;
mod pushing;
mod putting;
mod taking;

pub(crate) use onto::goal;
pub use putting::sort_for_tower;
pub(crate) use putting::{also, chained};

use regrasp_api::Goal;

use crate::ast::{Action, Clause};
use crate::reader::Reader;
use crate::referent::ReadingError;
use crate::task::Steps;
use crate::tree::Tree;

impl Reader<'_> {
    /// Reads a clause. If a clause names an object that is not seen, this is reported instead of a
    /// question.
    pub(crate) fn action(&mut self, action: &Action) -> Steps {
        self.steps(action).map_err(|why| match why {
            ReadingError::Several { .. } | ReadingError::Unclear(_) => {
                self.missing(&action.tree).unwrap_or(why)
            }
            why => why,
        })
    }

    fn missing(&self, tree: &Tree) -> Option<ReadingError> {
        let phrases = tree.every("NounPhrase").into_iter();
        let phrases = phrases.map(|np| self.typed(&np));
        let phrases = phrases.filter(|np| self.stack_called(np).is_none());
        let nouns = phrases.map(|np| self.noun_of(&np));
        let mut nouns = nouns.filter(|noun| !noun.is_empty());
        nouns.find_map(|noun| self.called(&noun).err())
    }

    fn steps(&mut self, action: &Action) -> Steps {
        let tree = &action.tree;
        match &action.is {
            Clause::Pick { np } | Clause::Hold { np } => self.pick(np),
            Clause::Put { np, place } => {
                let steps = self.put_somewhere(np, place, true)?;
                self.without_others(tree, np, steps)
            }
            Clause::PutNot { np, place, not } => self.put_not(np, place, not),
            Clause::PutFor { np, place, other } => self.put_for(np, place, other),
            Clause::PutSo { np, is, place } => {
                let steps = self.put_somewhere(np, place, true)?;
                Ok(self.so(&is.means, steps))
            }
            Clause::Verbless { np, place } => self.put_somewhere(np, place, false),
            Clause::TakeFrom { np, from, place } => self.take_from(np, from, place.as_ref()),
            Clause::TakeAway { np, from } => self.take_away(np, &from.means),
            Clause::Clear { np } => self.clear(tree, np),
            Clause::PutDown { np } => self.put_down(np),
            Clause::Nowhere { np } => {
                self.moved(np)?;
                Err(self.unclear(tree, "where to? _ names no place"))
            }
            Clause::Row { np, relation, ends } => self.row(np, &relation.means, ends),
            Clause::Make { np, is, other } => {
                let meant = self.moved(np)?;
                let other = other.as_ref().map(|other| self.one(other)).transpose()?;
                let steps = self.each_is(&meant, &is.means, &Vec::from_iter(&other))?;
                self.without_others(tree, np, steps)
            }
            Clause::Stack { np, on, ends } => self.stack(tree, np, on.as_ref(), ends),
            Clause::Swap { np, with } => self.swap(tree, np, with.as_ref()),
            Clause::Home => Ok(vec![Goal::Home.into()]),
            Clause::Nothing => Ok(vec![]),
            Clause::GoOnTo { place } => {
                let meant = self.context.moved.last().cloned();
                let meant = meant.ok_or_else(|| self.unclear(tree, "what goes _?"))?;
                self.put(&meant, place)
            }
            Clause::InManner { clause, .. } => self.action(clause),
            Clause::Push {
                how,
                np,
                length,
                heading,
            } => match heading {
                Some(heading) => self.push(how, np, length.as_ref(), heading),
                None => self.push_plainly(tree, how, np, length.as_ref()),
            },
            Clause::PushToPlace { np, place } => self.push_to_place(tree, np, place),
            Clause::Refused { np, why } => {
                self.moved(np)?;
                Err(self.impossible(tree, format!("_: {}", why.means)))
            }
            Clause::Lift { np, length } => self.lift(np, length.as_ref()),
            Clause::HoldAt { np, point } => self.hold_at(np, point),
            Clause::HoldOver { np, length, target } => self.hold_over(np, length.as_ref(), target),
            Clause::Keep { np, is } => self.keep(tree, np, &is.means),
            Clause::Slide { np, open, extent } => match extent {
                None => self.slide_to(tree, np, &open.means),
                Some(extent) => self.slide_by(np, open.means == "open", extent),
            },
            Clause::TurnBy { np, degrees, back } => self.turn_by(np, degrees, back.as_ref()),
            Clause::Press { np } => self.press(np),
            _ => Err(self.nonsense(tree, "_ is not an action")),
        }
    }
}
