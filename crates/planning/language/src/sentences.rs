//! From sentences to a task: order, conditions, corrections, what may not be touched.

use std::rc::Rc;

use nalgebra::Vector2;
use regrasp_api::{ObjectId, Viewpoint};

use crate::clauses::{is_np, is_place};
use crate::command::Command;
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::Reader;
use crate::related::Sense;
use crate::steps::{as_one_stack, moves, without_absorbed};
use crate::task::{Manner, Step, Task, Untouched};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::trees::{is_clause, is_said, place_of, slots};

/// A text while it is made a task.
pub(crate) struct Told<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) context: Context,
    pub(crate) answered: &'a [(String, Thing)],
    /// The steps of each clause.
    pub(crate) steps: Vec<Vec<Step>>,
    pub(crate) untouched: Vec<String>,
    pub(crate) rest_untouched: bool,
    pub(crate) never: Vec<Command>,
    pub(crate) manner: Option<Manner>,
    /// What comes at the end: "before you …".
    pub(crate) at_last: Vec<Vec<Step>>,
    /// Whether something was only to be done in a case that is not so.
    pub(crate) has_condition: bool,
    /// The last action, for corrections, and what had been said before it.
    pub(crate) last: Option<(Rc<Tree>, Context)>,
}

pub(crate) type Done = Result<(), Trouble>;

impl<'a> Told<'a> {
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
        let next = tree.parts.get(1);
        let next = next.map(|list| list.parts.clone()).unwrap_or_default();
        let is_mended = next
            .first()
            .is_some_and(|n| matches!(n.label.as_str(), "repair" | "again"));
        match self.sentence(&tree.parts[0]) {
            // What comes next says which.
            Err(Trouble::Several { .. }) if is_mended && self.last.is_some() => {
                self.steps.push(vec![])
            }
            done => done?,
        }
        if !next.is_empty() && self.is_there_already(&tree.parts[0]) {
            return Err(Trouble::Nonsense(format!(
                "`{}` says where it is, not what to do",
                self.reader.phrase(&tree.parts[0])
            )));
        }
        let mut before = Some(tree.parts[0].clone());
        for next in next {
            let last = next.parts.last().unwrap_or(&next).clone();
            let is_list = next.label == "and"
                && is_clause(before.as_ref(), "pick")
                && is_clause(Some(&last), "put")
                && slots(&last, &|t| t.label == "put" && t.parts.is_empty()).is_empty();
            if is_list {
                return Err(Trouble::Nonsense(
                    "what is listed is one thing to do".into(),
                ));
            }
            before = Some(last.clone());
            match next.label.as_str() {
                "repair" => self.repair(&last)?,
                "again" => self.remark(&last)?,
                "go_on_to" => self.go_on_to(&last)?,
                "same" => self.same(&last)?,
                "but_for" => self.but_for(&last)?,
                _ => self.sentence(&last)?,
            }
        }
        self.finished(tree)
    }

    /// Whether a sentence without a verb says what is so already: "that apple in the bowl, …".
    pub(crate) fn is_there_already(&self, sentence: &Tree) -> bool {
        let clause = sentence.parts.iter().find(|p| p.label == "put");
        let without_verb = clause.is_some_and(|c| c.parts.iter().all(|p| p.label != "put"));
        let reader = &self.reader;
        let is_so = |step: &Step| match step {
            Step::Do(Command::PutOn { object, target } | Command::PutIn { object, target }) => {
                let target = Thing::Object(ObjectId::new(target));
                let object = reader.percept.object(&ObjectId::new(object));
                object.is_some_and(|o| reader.related("off", o, &target, Sense::Strict))
            }
            _ => false,
        };
        let steps = self.steps.last();
        without_verb && steps.is_some_and(|steps| !steps.is_empty() && steps.iter().all(is_so))
    }

    pub(crate) fn finished(&mut self, tree: &Tree) -> Result<Task, Trouble> {
        let at_last = std::mem::take(&mut self.at_last);
        self.steps.extend(at_last);
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
            let seen = self.reader.percept.object(&ObjectId::new(object));
            seen.is_some_and(|o| (o.position().xy() - Vector2::from(*xy)).norm() < 1e-6)
        };
        let mut steps = without_absorbed(self.steps.concat(), &stays);
        if self.context.moves_stack {
            steps = as_one_stack(steps);
        }
        // "it belongs in the box, so put it there" is one thing said twice.
        steps.dedup();
        // All that is not moved is the rest, however it was said.
        let movable = self.reader.percept.movable_ids();
        let is_left = |id: &ObjectId| {
            self.untouched.iter().any(|u| u == id.as_str())
                || steps.iter().any(|step| moves(step, id.as_str()))
        };
        let all_left = !self.untouched.is_empty() && movable.iter().all(is_left);
        let rest_untouched = self.rest_untouched || all_left;
        let untouched = match (rest_untouched, self.untouched.is_empty()) {
            (true, _) => Untouched::Rest,
            (false, true) => Untouched::Free,
            (false, false) => Untouched::These(std::mem::take(&mut self.untouched)),
        };
        if let Untouched::These(ids) = &untouched {
            let moves = |id: &&String| steps.iter().any(|step| moves(step, id));
            if let Some(id) = ids.iter().find(moves) {
                return Err(Trouble::Nonsense(format!(
                    "{id} is to be moved, and not to be touched"
                )));
            }
        }
        let has_said = !steps.is_empty()
            || self.last.is_some()
            || self.has_condition
            || untouched != Untouched::Free;
        if !has_said {
            return Err(Trouble::Nonsense(format!(
                "`{}` asks for nothing to be done",
                self.reader.phrase(tree)
            )));
        }
        Ok(Task {
            steps,
            untouched,
            never: std::mem::take(&mut self.never),
            manner: self.manner,
        })
    }

    pub(crate) fn sentence(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "said" | "said_so" => {
                for part in &tree.parts {
                    match part.label.as_str() {
                        "list" => self.asides(&part.parts)?,
                        "" => {}
                        "adverb" | "forbid" if part.to < tree.to && tree.label == "said_so" => {
                            self.aside(part)?;
                        }
                        "polite" => {}
                        _ => self.clause(part)?,
                    }
                }
                Ok(())
            }
            "after_that" => {
                let clauses: Vec<_> = tree
                    .parts
                    .iter()
                    .filter(|p| !matches!(p.label.as_str(), "list" | ""))
                    .collect();
                for list in tree.parts.iter().filter(|p| p.label == "list") {
                    self.asides(&list.parts)?;
                }
                let n = self.steps.len();
                self.clause(clauses[0])?;
                let later: Vec<_> = self.steps.drain(n..).collect();
                self.clause(clauses[1])?;
                self.steps.extend(later);
                Ok(())
            }
            "statement" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = self.reader.np(np, &mut self.context)?;
                let is_small = meant.single().is_some_and(|t| self.reader.is_small(t));
                if meant.things.len() == 1 {
                    self.context.moved.push(meant);
                }
                // "The lemon in the basket? … put it there": where it is.
                let is_where = |t: &Tree| matches!(t.label.as_str(), "rel" | "lies" | "that_is");
                if let (true, Some(post)) = (is_small, slots(np, &is_where).last())
                    && let Some(other) = post.parts.last()
                {
                    self.context.place = Some(place_of(other));
                    return Ok(());
                }
                // "See the plate? The cube belongs there."
                self.context.place = Some(place_of(np));
                Ok(())
            }
            "statement_has" => {
                self.reader.np(&tree.parts[0], &mut self.context)?;
                let meant = self.reader.np(&tree.parts[1], &mut self.context)?;
                self.context.moved.push(meant);
                Ok(())
            }
            "statement_that" => {
                let place = tree.parts.last().cloned();
                if tree.parts[0].label == "pronoun" && !self.steps.is_empty() {
                    let phrase = self.reader.phrase(tree);
                    return Err(Trouble::Nonsense(format!("`{phrase}` is what should be?")));
                }
                let meant = match self.reader.np(&tree.parts[0], &mut self.context) {
                    Ok(Meant { things, .. })
                    | Err(Trouble::Several {
                        candidates: things, ..
                    }) => self.those_there(things, place.as_ref())?,
                    Err(trouble) => return Err(trouble),
                };
                let noun = self.reader.noun_of(&tree.parts[0]);
                self.context.mentioned.pop();
                self.context.moved.push(Meant { noun, ..meant });
                self.context.place = place;
                Ok(())
            }
            "statement_name" => Err(Trouble::Nonsense(format!(
                "`{}` says nothing to do",
                self.reader.phrase(tree)
            ))),
            "topic" => self.topic(tree),
            "of_these" => self.of_these(tree),
            "but_for_first" => {
                let mut said = tree.parts.iter().filter(|p| p.label != "list");
                let np = said.next().unwrap_or(tree).clone();
                for list in tree.parts.iter().filter(|p| p.label == "list") {
                    self.asides(&list.parts)?;
                }
                self.clause(said.next().unwrap_or(tree))?;
                self.but_for(&np)
            }
            "before" | "after" => {
                let clauses: Vec<_> = tree
                    .parts
                    .iter()
                    .filter(|p| !matches!(p.label.as_str(), "list" | ""))
                    .collect();
                for list in tree.parts.iter().filter(|p| p.label == "list") {
                    self.asides(&list.parts)?;
                }
                let n = self.steps.len();
                self.clause(clauses[0])?;
                let first: Vec<_> = self.steps.drain(n..).collect();
                self.clause(clauses[1])?;
                match tree.label.as_str() {
                    "before" => self.at_last.extend(first),
                    _ => drop(self.steps.splice(n..n, first)),
                }
                Ok(())
            }
            _ => self.clause(tree),
        }
    }

    /// "the red cube: put it on the plate", also with "it" left out.
    pub(crate) fn topic(&mut self, tree: &Rc<Tree>) -> Done {
        let mut said = tree.parts.iter().filter(|p| p.label != "list");
        let np = said.next().unwrap_or(tree);
        let clause = said.next().unwrap_or(np);
        let verb = |class: &&&str| !self.reader.ends(class, np.from).is_empty();
        if ["open", "close", "clear", "unload"]
            .iter()
            .any(|class| verb(&class))
        {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.reader.phrase(np)
            )));
        }
        let takes_it_up = |t: &Tree| matches!(t.label.as_str(), "gap" | "pronoun" | "there");
        if slots(clause, &takes_it_up).is_empty() {
            return Err(Trouble::Nonsense(format!(
                "`{}`: what of it?",
                self.reader.phrase(np)
            )));
        }
        for list in tree.parts.iter().filter(|p| p.label == "list") {
            self.asides(&list.parts)?;
        }
        let meant = self.reader.np(np, &mut self.context)?;
        self.context.moved.push(meant);
        self.context.place = Some(place_of(np));
        self.clause(clause)
    }

    /// Those of some things that are where a statement says that they are.
    pub(crate) fn those_there(
        &mut self,
        things: Vec<Thing>,
        place: Option<&Rc<Tree>>,
    ) -> Result<Meant, Trouble> {
        let all = |things: Vec<Thing>| Meant {
            how: if things.len() == 1 {
                How::The
            } else {
                How::All
            },
            things,
            noun: vec![],
            colors: vec![],
            is_rest: false,
        };
        let place = place.filter(|p| matches!(p.label.as_str(), "in" | "on"));
        let Some(other) = place
            .and_then(|p| p.parts.last())
            .filter(|_| things.len() > 1)
        else {
            return Ok(all(things));
        };
        let other = self.reader.one(other, &mut self.context)?;
        let reader = self.reader;
        let is_there = |t: &Thing| {
            let object = reader.percept.object(t.id());
            object.is_some_and(|o| reader.related("off", o, &other, Sense::Strict))
        };
        let there: Vec<Thing> = things.iter().filter(|t| is_there(t)).cloned().collect();
        Ok(all(if there.is_empty() { things } else { there }))
    }

    /// "of the two cups, pick up the taller one".
    pub(crate) fn of_these(&mut self, tree: &Rc<Tree>) -> Done {
        let clause = tree.parts[1..].iter().find(|p| p.label != "list");
        let clause = clause.unwrap_or(tree);
        for list in tree.parts.iter().filter(|p| p.label == "list") {
            self.asides(&list.parts)?;
        }
        let set = self.reader.np(&tree.parts[0], &mut self.context)?;
        if set.things.len() < 2 {
            let phrase = self.reader.phrase(&tree.parts[0]);
            return Err(Trouble::Nonsense(format!("`{phrase}` is one thing")));
        }
        let n = self.steps.len();
        self.context.heads.push(set.noun.clone());
        self.context.within = Some(set.things.clone());
        let done = self.clause(clause);
        self.context.within = None;
        self.context.heads.clear();
        done?;
        let steps = self.steps[n..].iter().flatten();
        let mut commands = steps.flat_map(Step::commands);
        let is_one = |name: &str| set.things.iter().any(|t| t.id().as_str() == name);
        match commands.any(|c| c.object().is_some_and(is_one)) {
            true => Ok(()),
            false => Err(Trouble::Nonsense("none of these is meant".into())),
        }
    }

    pub(crate) fn asides(&mut self, asides: &[Rc<Tree>]) -> Done {
        asides.iter().try_for_each(|aside| self.aside(aside))
    }

    pub(crate) fn aside(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "adverb" => {
                self.manner = Some(match self.reader.word(tree).as_str() {
                    "slowly" => Manner::Slowly,
                    "gently" => Manner::Gently,
                    _ => Manner::Quickly,
                });
            }
            "forbid" => self.clause(tree)?,
            "list" => self.asides(&tree.parts)?,
            "robots_view" => self.reader.viewpoint = &Viewpoint::Robot,
            "my_view" if self.reader.viewpoint.position().is_none() => {
                return Err(Trouble::Unclear {
                    question: format!(
                        "`{}`: where are you? (a viewpoint says so)",
                        self.reader.phrase(tree)
                    ),
                });
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn clause(&mut self, tree: &Rc<Tree>) -> Done {
        match tree.label.as_str() {
            "if" | "unless" => {
                let said: Vec<_> = tree.parts.iter().filter(|p| is_said(p)).collect();
                self.conditional(said[0], tree, tree.label == "if")
            }
            "if_after" | "unless_after" => {
                let said: Vec<_> = tree.parts.iter().filter(|p| is_said(p)).collect();
                // "… if it is empty": what the action is about can be meant.
                let plain = self.context.clone();
                let _ = self.reader.action(said[0], &mut self.context);
                let told = self.reader.condition(said[1], &mut self.context);
                self.context = plain;
                let wanted = tree.label == "if_after";
                match told {
                    Ok(holds) => self.in_case(holds == wanted, said[1], tree),
                    Err(_) => self.conditional(said[1], tree, wanted),
                }
            }
            "never" => {
                let mut own = self.context.clone();
                let steps = self.reader.action(&tree.parts[0], &mut own)?;
                let never = steps.iter().flat_map(Step::commands).cloned();
                self.never.extend(never);
                self.has_condition = true;
                Ok(())
            }
            "forbid" => {
                let np = tree.parts.iter().rfind(|p| is_np(p)).unwrap_or(tree);
                let meant = self.reader.np(np, &mut self.context)?;
                if meant.is_rest || (np.label == "everything" && meant.how == How::All) {
                    self.rest_untouched = true;
                    return Ok(());
                }
                self.untouched
                    .extend(meant.things.iter().map(|t| t.id().to_string()));
                Ok(())
            }
            "forbid_rest" => {
                self.rest_untouched = true;
                Ok(())
            }
            "actions" => tree
                .parts
                .iter()
                .filter(|p| p.label != "list")
                .try_for_each(|p| self.clause(p)),
            "said" | "said_so" | "before" | "after" => self.sentence(tree),
            _ => {
                let before = self.context.clone();
                self.last = Some((tree.clone(), before));
                self.asides(&slots(tree, &|t| t.label == "adverb"))?;
                let steps = self.reader.action(tree, &mut self.context)?;
                self.reader.refuse_fixed(tree, &steps)?;
                self.reader.expect(&steps, &mut self.context);
                self.steps.push(steps);
                Ok(())
            }
        }
    }

    pub(crate) fn conditional(
        &mut self,
        condition: &Rc<Tree>,
        tree: &Rc<Tree>,
        wanted: bool,
    ) -> Done {
        let holds = self.reader.condition(condition, &mut self.context)?;
        self.in_case(holds == wanted, condition, tree)
    }

    /// The action in the case that it was said for, or else what is said for the other case.
    pub(crate) fn in_case(&mut self, is_so: bool, condition: &Rc<Tree>, tree: &Rc<Tree>) -> Done {
        let otherwise = tree.parts.iter().find(|p| p.label == "otherwise");
        let is_action =
            |p: &&Rc<Tree>| !Rc::ptr_eq(p, condition) && is_said(p) && p.label != "otherwise";
        let action = tree.parts.iter().find(is_action);
        let n = self.steps.len();
        if is_so {
            for list in tree.parts.iter().filter(|p| p.label == "list") {
                self.asides(&list.parts)?;
            }
            return action.map_or(Ok(()), |action| self.clause(action));
        }
        // What it would have moved is what a place alone is for.
        let last = (self.last.clone(), self.manner, self.untouched.clone());
        let done = action.map_or(Ok(()), |action| self.clause(action));
        self.steps.truncate(n);
        (self.last, self.manner, self.untouched) = last;
        let Some(otherwise) = otherwise else {
            self.has_condition = true;
            return Ok(());
        };
        let action = otherwise
            .parts
            .iter()
            .rfind(|p| p.label != "list")
            .unwrap_or(otherwise);
        match is_place(action) {
            true => done.and_then(|()| self.go_on_to(action)),
            false => self.clause(action),
        }
    }
}

impl Reader<'_> {
    /// What is fixed is nothing to move, whatever the verb.
    pub(crate) fn refuse_fixed(&self, tree: &Tree, steps: &[Step]) -> Done {
        let fixed = self.percept.objects.iter().find(|object| {
            let id = object.id.as_str();
            let carried = |step: &Step| match step {
                // Whether it can be picked is for the skill to say, with a reason.
                Step::Do(
                    Command::Slide { .. }
                    | Command::Turn { .. }
                    | Command::Press { .. }
                    | Command::Pick { .. },
                ) => false,
                step => moves(step, id),
            };
            !object.movable && steps.iter().any(carried)
        });
        match fixed {
            Some(object) => Err(Trouble::Nonsense(format!(
                "`{}`: {} is fixed",
                self.phrase(tree),
                object.id
            ))),
            None => Ok(()),
        }
    }
}
