//! From clauses to what is to be brought about.

mod each;
mod hinges;
mod onto;
mod places;
mod pushing;
mod putting;
mod stacking;
mod taking;

use regrasp_api::{Goal, ObjectJoint};

use crate::ast::{Action, Clause};
use crate::context::Context;
use crate::reader::Reader;
use crate::referent::{How, Meant};
use crate::task::{Step, Steps};

impl Reader<'_> {
    /// What an action asks for.
    pub(crate) fn action(&self, action: &Action, context: &mut Context) -> Steps {
        let tree = &action.tree;
        match &action.is {
            Clause::Pick { np } => self.pick(np, context),
            Clause::Put { np, place } => self.put_somewhere(np, place, true, context),
            Clause::Verbless { np, place } => self.put_somewhere(np, place, false, context),
            Clause::TakePut { np, pronoun, place } => {
                self.take_put(tree, [np, pronoun], place, context)
            }
            Clause::PutFrom { np, from, place } => {
                let (meant, _) = self.taken(np, from, context)?;
                self.put(&meant, place, context)
            }
            Clause::TakeFrom { np, from } => self.take_from(np, from, context),
            Clause::TakeAway { np, from } => self.take_away(np, &from.means, context),
            Clause::Clear { np } => self.clear(tree, np, context),
            Clause::NoneThere {
                np,
                relation,
                other,
            } => self.none_there(np, relation, other, context),
            Clause::NoneOpen { np } => {
                let things = self.np_or_all(np, How::All, context)?.things;
                self.slid(&Meant::all(things), false)
            }
            Clause::PutDown { np } => self.put_down(np, context),
            Clause::LetGo { np } => self.let_go(np, context),
            Clause::Nowhere { np } => {
                self.moved(np, context)?;
                Err(self.unclear(tree, "where to, with _?"))
            }
            Clause::Aside { np } => {
                let meant = self.moved(np, context)?;
                self.each_id(&meant, Goal::aside)
            }
            Clause::SideBySide { np } => self.side_by_side(np, context),
            Clause::Pour { np, into } => {
                let meant = self.moved(np, context)?;
                let target = self.one(into, context)?.id().clone();
                self.each_id(&meant, |object| Goal::poured(object, target.clone()))
            }
            Clause::Insert { np, into } => self.insert(np, into, context),
            Clause::StandUp { np } => {
                let meant = self.moved(np, context)?;
                self.each_id(&meant, |object| Goal::Upright { object })
            }
            Clause::Stack { np, on } => self.stack(tree, np, on.as_ref(), context),
            Clause::Swap { np } => self.swap(tree, np, context),
            Clause::SwapWith { np, with } => self.swap_with(np, with, context),
            Clause::Home => Ok(vec![Step::Do(Goal::Home.into())]),
            Clause::Nothing => Ok(vec![]),
            Clause::GoOnTo { place } => {
                let meant = context.moved.last().cloned();
                let meant = meant.ok_or_else(|| self.unclear(tree, "what goes _?"))?;
                self.put(&meant, place, context)
            }
            Clause::InOrder { first, second } => {
                let mut steps = self.action(first, context)?;
                self.expect(&steps, context);
                steps.extend(self.action(second, context)?);
                Ok(steps)
            }
            Clause::InManner { clause, .. } => self.action(clause, context),
            _ => self.motion(action, context),
        }
    }

    /// The actions that push, lift, open, turn or press.
    fn motion(&self, action: &Action, context: &mut Context) -> Steps {
        let tree = &action.tree;
        match &action.is {
            Clause::Push {
                how,
                np,
                length,
                heading,
            } => match heading {
                Some(heading) => self.push(how, np, length.as_ref(), heading, context),
                None => self.push_plainly(tree, how, np, length.as_ref(), context),
            },
            Clause::PushToPlace { np, place } => self.push_to_place(tree, np, place, context),
            Clause::PushOff { np } => {
                self.moved(np, context)?;
                let why = "nothing is pushed off what it stands on: it would fall";
                Err(self.nonsense(tree, why))
            }
            Clause::Lift { np, length } => self.lift(np, length.as_ref(), context),
            Clause::HoldAt { np, point } => self.hold_at(np, point, context),
            Clause::HoldOver { np, length, target } => {
                self.hold_over(np, length.as_ref(), target, context)
            }
            Clause::Slide { np, open } => match open.means.as_str() {
                way @ ("on" | "off") => self.slide(np, way == "on", ObjectJoint::is_set, context),
                way => self.slide(np, way == "open", ObjectJoint::opens, context),
            },
            Clause::SlideBy { np, open, extent } => {
                self.slide_by(np, open.means == "open", extent, context)
            }
            Clause::TurnBy { np, degrees, back } => {
                self.turn_by(np, degrees, back.is_some(), context)
            }
            Clause::Press { np } => self.press(np, context),
            _ => Err(self.senseless(tree, "_ is nothing to do")),
        }
    }
}
