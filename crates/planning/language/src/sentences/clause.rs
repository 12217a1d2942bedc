//! Clauses: what is done, what may not be touched, and what is done only in some case.

use std::rc::Rc;

use regrasp_api::Goal;

use crate::intent::Intent;
use crate::reader::Reader;
use crate::sentences::steps::moves;
use crate::sentences::{Done, TaskBuilder};
use crate::task::Step;
use crate::thing::{How, Trouble};
use crate::tree::Tree;

impl TaskBuilder<'_> {
    pub(super) fn clause(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "if" | "unless" => {
                let condition = tree.parts.iter().find(|p| p.is_said()).unwrap_or(tree);
                self.conditional(condition, tree, tree.label == "if")
            }
            "if_after" | "unless_after" => self.case_after(tree, tree.label == "if_after"),
            "never" => {
                let mut own = self.context.clone();
                let steps = self.reader.action(&tree.parts[0], &mut own)?;
                let never = steps.iter().flat_map(Step::intents).cloned();
                self.never.extend(never);
                self.has_condition = true;
                Ok(())
            }
            "forbid" => self.forbid(tree),
            "forbid_rest" => {
                self.rest_untouched = true;
                Ok(())
            }
            "actions" => tree.unlisted().try_for_each(|p| self.clause(p)),
            "said" | "said_so" | "before" | "after" => self.sentence(tree),
            _ => self.act(tree),
        }
    }

    /// Something to be done.
    fn act(&mut self, tree: &Rc<Tree>) -> Done {
        self.last = Some((tree.clone(), self.context.clone()));
        self.asides(&tree.slots(&|t| t.label == "adverb"))?;
        let steps = self.reader.action(tree, &mut self.context)?;
        self.reader.refuse_fixed(tree, &steps)?;
        self.reader.expect(&steps, &mut self.context);
        self.steps.push(steps);
        Ok(())
    }

    /// Something that may not be touched.
    fn forbid(&mut self, tree: &Rc<Tree>) -> Done {
        let np = tree.last_np();
        let meant = self.reader.np(np, &mut self.context)?;
        if meant.is_rest || (np.label == "everything" && meant.how == How::All) {
            self.rest_untouched = true;
        } else {
            self.untouched.extend(meant.things.iter().map(|t| t.name()));
        }
        Ok(())
    }

    /// "… if it is empty": what the action is about can be meant.
    fn case_after(&mut self, tree: &Rc<Tree>, wanted: bool) -> Done {
        let said: Vec<_> = tree.parts.iter().filter(|p| p.is_said()).collect();
        let plain = self.context.clone();
        let _ = self.reader.action(said[0], &mut self.context);
        let told = self.reader.condition(said[1], &mut self.context);
        self.context = plain;
        match told {
            Ok(holds) => self.in_case(holds == wanted, said[1], tree),
            Err(_) => self.conditional(said[1], tree, wanted),
        }
    }

    fn conditional(&mut self, condition: &Rc<Tree>, tree: &Rc<Tree>, wanted: bool) -> Done {
        let holds = self.reader.condition(condition, &mut self.context)?;
        self.in_case(holds == wanted, condition, tree)
    }

    /// The action in the case that it was said for, or else what is said for the other case.
    fn in_case(&mut self, is_so: bool, condition: &Rc<Tree>, tree: &Rc<Tree>) -> Done {
        let is_action =
            |p: &&Rc<Tree>| !Rc::ptr_eq(p, condition) && p.is_said() && p.label != "otherwise";
        let action = tree.parts.iter().find(is_action);
        if is_so {
            self.asides(tree.listed())?;
            return action.map_or(Ok(()), |action| self.clause(action));
        }
        // What it would have moved is what a place alone is for.
        let n = self.steps.len();
        let last = (self.last.clone(), self.manner, self.untouched.clone());
        let done = action.map_or(Ok(()), |action| self.clause(action));
        self.steps.truncate(n);
        (self.last, self.manner, self.untouched) = last;
        let Some(otherwise) = tree.part("otherwise") else {
            self.has_condition = true;
            return Ok(());
        };
        let action = otherwise.unlisted().next_back().unwrap_or(otherwise);
        match action.is_place() {
            true => done.and_then(|()| self.go_on_to(action)),
            false => self.clause(action),
        }
    }
}

impl Reader<'_> {
    /// Refuses to move what is fixed, whatever the verb.
    fn refuse_fixed(&self, tree: &Tree, steps: &[Step]) -> Result<(), Trouble> {
        // Whether it can be picked is for the skill to say, with a reason.
        let carried = |step: &&Step| {
            !matches!(
                step,
                Step::Do(
                    Intent::Turn { .. }
                        | Intent::Achieve(
                            Goal::Slid { .. } | Goal::Pressed { .. } | Goal::Holding { .. }
                        )
                )
            )
        };
        let is_carried = |id: &str| steps.iter().filter(carried).any(|step| moves(step, id));
        let mut fixed = self.percept.objects.iter().filter(|o| !o.movable);
        match fixed.find(|o| is_carried(o.id.as_str())) {
            Some(object) => Err(self.nonsense(tree, &format!("{} is fixed", object.id))),
            None => Ok(()),
        }
    }
}
