//! From sentences to a task: order, conditions, corrections, what may not be touched.

mod clause;
mod repairs;
mod statements;
mod steps;

use std::rc::Rc;

use nalgebra::Vector2;
use regrasp_api::ObjectId;

use crate::command::Command;
use crate::context::Context;
use crate::reader::Reader;
use crate::sentences::steps::{as_one_stack, moves, without_absorbed};
use crate::task::{Manner, Step, Task, Untouched};
use crate::thing::{Thing, Trouble};
use crate::tree::Tree;

/// A text while it is made a task.
pub(crate) struct TaskBuilder<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) context: Context,
    answered: &'a [(String, Thing)],
    /// The steps of each clause.
    steps: Vec<Vec<Step>>,
    untouched: Vec<String>,
    rest_untouched: bool,
    never: Vec<Command>,
    manner: Option<Manner>,
    /// What comes at the end: "before you …".
    at_last: Vec<Vec<Step>>,
    /// Whether something was only to be done in a case that is not so.
    has_condition: bool,
    /// The last action, for corrections, and what had been said before it.
    last: Option<(Rc<Tree>, Context)>,
}

type Done = Result<(), Trouble>;

impl<'a> TaskBuilder<'a> {
    pub(crate) fn new(reader: Reader<'a>, answered: &'a [(String, Thing)]) -> Self {
        Self {
            reader,
            context: Context::default(),
            answered,
            steps: vec![],
            untouched: vec![],
            rest_untouched: false,
            never: vec![],
            manner: None,
            at_last: vec![],
            has_condition: false,
            last: None,
        }
    }

    /// What a whole text asks for.
    pub(crate) fn task(&mut self, tree: &Rc<Tree>) -> Result<Task, Trouble> {
        self.context.answered = self.answered.to_vec();
        let first = &tree.parts[0];
        let next = tree.parts.get(1);
        let next = next.map(|list| list.parts.as_slice()).unwrap_or_default();
        let is_mended = next.first().is_some_and(|n| n.is(&["repair", "again"]));
        match self.sentence(first) {
            // What comes next says which.
            Err(Trouble::Several { .. }) if is_mended && self.last.is_some() => {
                self.steps.push(vec![]);
            }
            done => done?,
        }
        if !next.is_empty() && self.is_there_already(first) {
            let why = "_ says where it is, not what to do";
            return Err(self.reader.senseless(first, why));
        }
        let mut before = first;
        for next in next {
            let last = next.last();
            let is_put = |t: &Tree| t.label == "put" && t.parts.is_empty();
            let goes_on = next.label == "and" && before.has("pick") && last.has("put");
            if goes_on && last.slots(&is_put).is_empty() {
                let why = "what is listed is one thing to do";
                return Err(Trouble::Nonsense(why.into()));
            }
            before = last;
            match next.label.as_str() {
                "repair" => self.repair(last)?,
                "again" => self.remark(last)?,
                "go_on_to" => self.go_on_to(last)?,
                "same" => self.same(last)?,
                "but_for" => self.but_for(last)?,
                _ => self.sentence(last)?,
            }
        }
        self.finished(tree)
    }

    /// Returns true if a sentence without a verb says what is so already: "that apple in the bowl".
    fn is_there_already(&self, sentence: &Tree) -> bool {
        let without_verb = sentence
            .part("put")
            .is_some_and(|clause| !clause.has("put"));
        let is_so = |step: &Step| match step {
            Step::Do(Command::PutOn { object, target } | Command::PutIn { object, target }) => {
                let [object, target] = [object, target].map(|id| Thing::Object(ObjectId::new(id)));
                self.reader.is_there("off", &object, &target)
            }
            _ => false,
        };
        let steps = self.steps.last();
        without_verb && steps.is_some_and(|steps| !steps.is_empty() && steps.iter().all(is_so))
    }

    /// Everything that was said, as one task.
    fn finished(&mut self, tree: &Tree) -> Result<Task, Trouble> {
        self.steps.append(&mut self.at_last);
        // "put the mugs away, but leave the red one where it is": one of several is left out.
        for group in self.steps.iter_mut().filter(|group| group.len() > 1) {
            let stays = |step: &Step| self.untouched.iter().any(|id| moves(step, id));
            if !group.iter().all(stays) {
                group.retain(|step| !stays(step));
            }
        }
        let stays = |object: &str, command: &Command| {
            let Command::PutAt { xy, .. } = command else {
                return false;
            };
            let seen = self.reader.object_called(object);
            seen.is_some_and(|o| (o.position().xy() - Vector2::from(*xy)).norm() < 1e-6)
        };
        let mut steps = without_absorbed(self.steps.concat(), &stays);
        if self.context.moves_stack {
            steps = as_one_stack(steps);
        }
        // "it belongs in the box, so put it there" is one thing said twice.
        steps.dedup();
        let untouched = self.left_alone(&steps)?;
        let has_said = !steps.is_empty()
            || self.last.is_some()
            || self.has_condition
            || untouched != Untouched::Free;
        if !has_said {
            return Err(self.reader.senseless(tree, "_ asks for nothing to be done"));
        }
        Ok(Task {
            steps,
            untouched,
            never: std::mem::take(&mut self.never),
            manner: self.manner,
        })
    }

    /// Objects that may not be touched, unless they are to be moved.
    fn left_alone(&mut self, steps: &[Step]) -> Result<Untouched, Trouble> {
        let is_moved = |id: &str| steps.iter().any(|step| moves(step, id));
        let ids = std::mem::take(&mut self.untouched);
        // All that is not moved is the rest, however it was said.
        let is_left = |id: &ObjectId| ids.iter().any(|u| u == id.as_str()) || is_moved(id.as_str());
        let movable = self.reader.percept.movable_ids();
        let all_left = !ids.is_empty() && movable.iter().all(is_left);
        if self.rest_untouched || all_left {
            return Ok(Untouched::Rest);
        }
        match ids.iter().find(|id| is_moved(id)) {
            Some(id) => {
                let why = format!("{id} is to be moved, and not to be touched");
                Err(Trouble::Nonsense(why))
            }
            None if ids.is_empty() => Ok(Untouched::Free),
            None => Ok(Untouched::These(ids)),
        }
    }
}
