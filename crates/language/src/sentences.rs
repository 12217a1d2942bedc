//! From sentences to a task: order, conditions, corrections, what may not be touched.

use std::rc::Rc;

use nalgebra::Vector2;
use regrasp_api::{ObjectId, Viewpoint};

use crate::clauses::{is_np, is_place};
use crate::command::Command;
use crate::parse::Tree;
use crate::refer::{Context, Reader, list};
use crate::related::Sense;
use crate::task::{Manner, Step, Task, Untouched};
use crate::thing::{How, Meant, Thing, Trouble};

/// A text while it is made a task.
pub(crate) struct Told<'a> {
    reader: Reader<'a>,
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
    fn is_there_already(&self, sentence: &Tree) -> bool {
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

    fn finished(&mut self, tree: &Tree) -> Result<Task, Trouble> {
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

    fn sentence(&mut self, tree: &Rc<Tree>) -> Done {
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
    fn topic(&mut self, tree: &Rc<Tree>) -> Done {
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
    fn those_there(
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
    fn of_these(&mut self, tree: &Rc<Tree>) -> Done {
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

    fn asides(&mut self, asides: &[Rc<Tree>]) -> Done {
        asides.iter().try_for_each(|aside| self.aside(aside))
    }

    fn aside(&mut self, tree: &Rc<Tree>) -> Done {
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

    fn clause(&mut self, tree: &Rc<Tree>) -> Done {
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

    fn conditional(&mut self, condition: &Rc<Tree>, tree: &Rc<Tree>, wanted: bool) -> Done {
        let holds = self.reader.condition(condition, &mut self.context)?;
        self.in_case(holds == wanted, condition, tree)
    }

    /// The action in the case that it was said for, or else what is said for the other case.
    fn in_case(&mut self, is_so: bool, condition: &Rc<Tree>, tree: &Rc<Tree>) -> Done {
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

    /// "no, the blue one": the last action, with something else in it.
    fn repair(&mut self, tree: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(tree)),
            });
        };
        if tree.label == "heading" {
            let is_heading = |t: &Tree| t.label == "heading";
            let new: Vec<_> = slots(&action, &is_heading)
                .iter()
                .map(|slot| put_in(&action, slot, tree))
                .collect();
            return self.take_back(&action, &before, new, tree);
        }
        let with = |new: &Rc<Tree>| -> Vec<Rc<Tree>> {
            let places = slots(&action, &is_place);
            let own = new.parts.last().filter(|p| is_np(p));
            if let (true, true, Some(np)) = (is_place(new), places.is_empty(), own) {
                // "stack X on Y, no, on Z": the place is a thing there.
                let last = slots(&action, &is_np).into_iter().last();
                return last.iter().map(|slot| put_in(&action, slot, np)).collect();
            }
            if is_place(new) {
                return slots(&action, &is_place)
                    .iter()
                    .map(|slot| put_in(&action, slot, new))
                    .collect();
            }
            slots(&action, &is_np)
                .iter()
                .map(|slot| put_in(&action, slot, new))
                .collect()
        };
        match tree.label.as_str() {
            "cancel" => {
                self.steps.pop();
                self.has_condition = true;
                return Ok(());
            }
            "number" | "amount" => {
                let is_length = |t: &Tree| matches!(t.label.as_str(), "number" | "amount");
                let new: Vec<_> = slots(&action, &is_length)
                    .iter()
                    .map(|slot| put_in(&action, slot, tree))
                    .collect();
                return self.take_back(&action, &before, new, tree);
            }
            "instead" => {
                self.steps.pop();
                return self.sentence(&tree.parts[0]);
            }
            "rather_last" => return self.repair(&tree.parts[0]),
            "rather_second" => return self.replace(&tree.parts[0], &tree.parts[1]),
            "rather" => {
                return self.take_back(&action, &before, with(&tree.parts[0]), &tree.parts[0]);
            }
            "but_not" => {
                let not = self.reader.np(&tree.parts[0], &mut self.context)?;
                return Err(Trouble::Unclear {
                    question: format!("if not {}, then which?", list(&not.things)),
                });
            }
            _ => {}
        }
        if is_place(tree) || is_np(tree) {
            return self.take_back(&action, &before, with(tree), tree);
        }
        // A sentence of its own.
        self.steps.pop();
        self.sentence(tree)
    }

    /// "not the red plate, the white one": where the first stood, the second does.
    fn replace(&mut self, old: &Rc<Tree>, new: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return self.repair(new);
        };
        let meaning = |np: &Rc<Tree>, mut own: Context| {
            own.heads.extend(own.moved.last().map(|m| m.noun.clone()));
            self.reader.np(np, &mut own).ok().map(|m| m.things)
        };
        let meant = meaning(old, self.context.clone());
        let mut same = every(&action, &is_np);
        same.retain(|slot| meant.is_some() && meaning(slot, before.clone()) == meant);
        match same.as_slice() {
            [slot] => {
                let noun = self.reader.noun_of(slot);
                let mut before = before;
                before.heads.push(noun);
                let instead = vec![put_in(&action, slot, new)];
                self.take_back(
                    &action,
                    &before,
                    instead,
                    &Tree {
                        label: String::new(),
                        ..(**new).clone()
                    },
                )
            }
            [] => self.repair(new),
            _ => Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            }),
        }
    }

    fn take_back(
        &mut self,
        action: &Rc<Tree>,
        before: &Context,
        instead: Vec<Rc<Tree>>,
        new: &Tree,
    ) -> Done {
        let old = self.steps.last().cloned().unwrap_or_default();
        let old_slots = slots(action, &is_np);
        let mut found: Vec<(Rc<Tree>, Vec<Step>, Context, u8)> = vec![];
        let mut trouble = None;
        let mut failed = 0;
        for (i, tree) in instead.into_iter().enumerate() {
            let mut context = before.clone();
            if let Some(slot) = old_slots.get(i).filter(|_| is_np(new)) {
                // "the blue one" is one of what it stands for.
                let meant = self.reader.np(slot, &mut context);
                context.mentioned.push(meant.unwrap_or_else(|_| Meant {
                    things: vec![],
                    how: How::The,
                    noun: self.reader.noun_of(slot),
                    colors: vec![],
                    is_rest: false,
                }));
            }
            match self.reader.action(&tree, &mut context) {
                Ok(steps) if steps != old => {
                    let like = old_slots
                        .get(i)
                        .map_or(0, |slot| self.likeness(slot, new, before));
                    found.push((tree, steps, context, like));
                }
                Ok(_) => {}
                Err(why) => {
                    let like = old_slots
                        .get(i)
                        .map_or(0, |slot| self.likeness(slot, new, before));
                    failed = failed.max(like);
                    trouble = trouble.or(Some(why));
                }
            }
        }
        let best = found.iter().map(|(.., like)| *like).max().unwrap_or(0);
        // What it stands for better makes no sense: it is not said of the others.
        if failed > best {
            found.clear();
        }
        found.retain(|(.., like)| *like == best);
        match found.len() {
            1 => {
                let (tree, steps, context, _) = found.remove(0);
                self.steps.pop();
                self.steps.push(steps);
                self.context = context;
                self.last = Some((tree, before.clone()));
                Ok(())
            }
            0 => Err(trouble.unwrap_or_else(|| Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            })),
            _ => Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            }),
        }
    }

    /// How far a new phrase names the kind of thing that an old one does.
    fn likeness(&self, old: &Rc<Tree>, new: &Tree, before: &Context) -> u8 {
        let mut context = before.clone();
        let Ok(old_meant) = self.reader.np(old, &mut context) else {
            return 0;
        };
        context.mentioned.push(old_meant.clone());
        let new = Rc::new(new.clone());
        let Ok(new_meant) = self.reader.np(&new, &mut context) else {
            return 0;
        };
        let kind = |thing: &Thing| {
            let object = self.reader.percept.object(thing.id());
            object.map(|o| {
                (
                    o.movable,
                    o.shape.cavity().is_some(),
                    thing.zone().is_some(),
                )
            })
        };
        let same_noun = old_meant.noun.last() == new_meant.noun.last();
        match old_meant.things.first().and_then(kind) == new_meant.things.first().and_then(kind) {
            _ if same_noun => 2,
            true => 1,
            false => 0,
        }
    }

    /// "do the same with …": the last action again, with something else moved.
    fn same(&mut self, np: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return Err(Trouble::Unclear {
                question: "the same as what?".into(),
            });
        };
        let Some(slot) = slots(&action, &is_np).into_iter().next() else {
            return Err(Trouble::Nonsense(format!(
                "`{}` has nothing to do with that",
                self.reader.phrase(np)
            )));
        };
        let mut context = before;
        context
            .mentioned
            .extend(self.context.mentioned.iter().cloned());
        let steps = self
            .reader
            .action(&put_in(&action, &slot, np), &mut context)?;
        self.context = context;
        self.steps.push(steps);
        Ok(())
    }

    /// "all cubes on the plate, except the red one": what was just said, without some of it.
    fn but_for(&mut self, tree: &Rc<Tree>) -> Done {
        let Some(last) = self.steps.last().cloned() else {
            return Err(Trouble::Nonsense(format!(
                "`{}`: of what?",
                self.reader.phrase(tree)
            )));
        };
        self.has_condition = true;
        let moved = self.context.moved.iter().rev();
        let said = moved.chain(self.context.mentioned.iter().rev());
        let mut nouns: Vec<Vec<String>> = said.map(|m| m.noun.clone()).collect();
        nouns.retain(|noun| !noun.is_empty());
        nouns.dedup();
        nouns.push(vec![]);
        let mut why = None;
        for noun in nouns {
            let mut context = self.context.clone();
            if !noun.is_empty() {
                context.heads.push(noun);
            }
            match self.reader.np(tree, &mut context) {
                Ok(meant) => {
                    if let Some(left) = without_some(&last, &meant.things) {
                        if let Some(group) = self.steps.last_mut() {
                            *group = left;
                        }
                        return Ok(());
                    }
                }
                Err(trouble) => why = why.or(Some(trouble)),
            }
        }
        Err(why.unwrap_or_else(|| {
            let phrase = self.reader.phrase(tree);
            Trouble::Nonsense(format!("`{phrase}` is not among what was said"))
        }))
    }

    /// Whether a phrase means some of what a phrase in the last action did: it says which.
    fn says_more(&self, np: &Rc<Tree>) -> bool {
        let Some((action, before)) = &self.last else {
            return false;
        };
        let mut own = self.context.clone();
        let Ok(new) = self.reader.np(np, &mut own) else {
            // "the blue one" may need what was said to be understood.
            return true;
        };
        slots(action, &is_np)
            .iter()
            .any(|slot| match self.reader.np(slot, &mut before.clone()) {
                Err(Trouble::Several { candidates, .. }) => {
                    new.things.iter().all(|t| candidates.contains(t))
                }
                Ok(old) => new.things.iter().all(|t| old.things.contains(t)),
                Err(_) => false,
            })
    }

    fn remark(&mut self, tree: &Rc<Tree>) -> Done {
        if tree
            .parts
            .iter()
            .any(|p| matches!(p.label.as_str(), "except" | "everything" | "rest"))
            || !self.says_more(tree.parts.last().unwrap_or(tree))
        {
            return Err(Trouble::Nonsense(format!(
                "`{}` is not clear",
                self.reader.phrase(tree)
            )));
        }
        self.repair(tree.parts.last().unwrap_or(tree))
    }

    /// ", then into the bowl": what was moved last goes there.
    fn go_on_to(&mut self, place: &Rc<Tree>) -> Done {
        let Some(meant) = self.context.moved.last().cloned() else {
            return Err(Trouble::Unclear {
                question: format!("what goes `{}`?", self.reader.phrase(place)),
            });
        };
        let steps = self.reader.put_there(&meant, place, &mut self.context)?;
        self.steps.push(steps);
        Ok(())
    }
}

impl Reader<'_> {
    /// What is fixed is nothing to move, whatever the verb.
    fn refuse_fixed(&self, tree: &Tree, steps: &[Step]) -> Done {
        let fixed = self.percept.objects.iter().find(|object| {
            let id = object.id.as_str();
            let carried = |step: &Step| match step {
                // Whether it can be picked is for the skill to say, with a reason.
                Step::Do(Command::Slide { .. } | Command::Press { .. } | Command::Pick { .. }) => {
                    false
                }
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

    /// Whether something that can be looked at now is so.
    fn condition(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<bool, Trouble> {
        let part = |i: usize| &tree.parts[i];
        let negated = tree.parts.iter().any(|p| p.label == "not");
        let last = tree.parts.last().unwrap_or(tree);
        let holds = match tree.label.as_str() {
            "is_state" => {
                // "put it into the box if it is empty": what is hollow is empty.
                let is_filled = matches!(self.word(last).as_str(), "empty" | "full");
                context.at_place = is_filled;
                context.wants_inside = is_filled;
                let thing = self.one(part(0), context);
                context.at_place = false;
                context.wants_inside = false;
                let word = self.word(last);
                if let Err(Trouble::Nonsense(_)) = thing
                    && let Ok(all) = self.np(part(0), context)
                {
                    let is_so = all.things.iter().all(|t| self.is_state(t, &word));
                    context.moved.push(all);
                    return Ok(is_so != negated);
                }
                let thing = thing?;
                context.place = Some(place_of(part(0)));
                context.moved.push(Meant::one(thing.clone()));
                self.is_state(&thing, &word)
            }
            "is_there" => {
                let thing = self.one(part(0), context)?;
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                let n = tree
                    .parts
                    .iter()
                    .rposition(|p| is_np(p))
                    .map_or(n, |i| i + 1);
                let others = self.whole_or(part(n - 1), context)?;
                context.moved.push(Meant::one(thing.clone()));
                if matches!(relation.as_str(), "on" | "in") {
                    let place = Tree {
                        label: relation.clone(),
                        ..(**tree).clone()
                    };
                    context.place = Some(Rc::new(Tree {
                        parts: vec![part(n - 2).clone(), part(n - 1).clone()],
                        ..place
                    }));
                }
                let is_there = |other: &Thing| {
                    self.percept.object(thing.id()).is_some_and(|o| {
                        crate::related::is_related(
                            self.percept,
                            self.viewpoint,
                            &relation,
                            o,
                            other,
                            Sense::Strict,
                        )
                    })
                };
                match others.how {
                    How::Any(_) => others.things.iter().any(is_there),
                    _ => others.things.iter().all(is_there),
                }
            }
            "is_state_asked" => {
                let thing = self.one(part(1), context)?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_state(&thing, &self.word(last))
            }
            "is_near_robot" | "is_near_me" | "is_far_robot" | "is_far_me" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let thing = self.one(nps[0], context)?;
                context.heads.push(self.noun_of(nps[0]));
                let other = self.one(nps[1], context);
                context.heads.pop();
                let other = other?;
                let from = match tree.label.ends_with("_me") {
                    true => {
                        let lost = || Trouble::Unclear {
                            question: format!("`{}`: where are you?", self.phrase(tree)),
                        };
                        Vector2::from(self.viewpoint.position().ok_or_else(lost)?)
                    }
                    false => self.base,
                };
                let distance = |t: &Thing| {
                    let object = self.percept.object(t.id());
                    object.map(|o| (o.position().xy() - from).norm())
                };
                context.moved.push(Meant::one(thing.clone()));
                let (a, b) = (distance(&thing), distance(&other));
                match tree.label.starts_with("is_near") {
                    true => a < b,
                    false => a > b,
                }
            }
            "is_more" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let thing = self.one(nps[0], context)?;
                context.heads.push(self.noun_of(nps[0]));
                let other = self.one(nps[1], context);
                context.heads.pop();
                let most = tree.parts.iter().find(|p| p.label == "most");
                let word = most.map_or_else(String::new, |p| self.word(p));
                let other = other?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_more(&thing, &other, &word)
            }
            "none_there" => {
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let others = self.whole_or(part(n - 1), context)?;
                let things = match self.np(np, context) {
                    Ok(meant) => meant.things,
                    Err(Trouble::Several { candidates, .. }) => candidates,
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => vec![],
                    Err(trouble) => return Err(trouble),
                };
                let is_there = |thing: &Thing| {
                    let object = self.percept.object(thing.id());
                    object.is_some_and(|o| {
                        let on = |other| self.related(&relation, o, other, Sense::Strict);
                        others.things.iter().any(on)
                    })
                };
                context.mentioned.push(Meant {
                    noun: self.noun_of(np),
                    things: vec![],
                    ..others.clone()
                });
                !things.iter().any(is_there)
            }
            "is_what" => {
                let thing = self.one(part(0), context)?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_such(&thing, last, context)?
            }
            "counted" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = match self.np(np, context) {
                    Ok(meant) => Some(meant),
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => None,
                    Err(trouble) => return Err(trouble),
                };
                let there = meant.as_ref().map_or(0, |m| m.things.len()) as f64;
                let n = self.number(part(1)).unwrap_or(0.0);
                context.moved.extend(meant);
                match self.word(part(0)).as_str() {
                    "more" => there > n,
                    "at_least" => there >= n,
                    "fewer" => there < n,
                    "at_most" => there <= n,
                    _ => there == n,
                }
            }
            "exists" | "lacks" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let there = match self.np(np, context) {
                    Ok(meant) => {
                        context.moved.push(meant);
                        true
                    }
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => false,
                    Err(Trouble::Several { .. }) => true,
                    Err(trouble) => return Err(trouble),
                };
                there != (tree.label == "lacks")
            }
            "exists_there" => {
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let things = match self.np(np, context) {
                    Ok(meant) => meant.things,
                    Err(Trouble::Several { candidates, .. }) => candidates,
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => vec![],
                    Err(trouble) => return Err(trouble),
                };
                things.iter().any(|thing| {
                    let object = self.percept.object(thing.id());
                    object.is_some_and(|o| self.related("off", o, &other, Sense::Strict))
                })
            }
            "lacks_there" | "has_there" => {
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let mut others = self.percept.objects.iter().filter(|o| o.movable);
                let any = others.any(|o| self.related("off", o, &other, Sense::Strict));
                any != (tree.label == "lacks_there")
            }
            "lacks_on" | "has_on" => {
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                context.at_place = true;
                context.wants_inside = relation == "in";
                let other = self.one(part(n - 1), context);
                context.at_place = false;
                context.wants_inside = false;
                let other = other?;
                let mut others = self.percept.objects.iter().filter(|o| o.movable);
                let any = others.any(|o| {
                    crate::related::is_related(
                        self.percept,
                        self.viewpoint,
                        &relation,
                        o,
                        &other,
                        Sense::Strict,
                    )
                });
                if part(n - 1).label != "pronoun" {
                    context.place = Some(place_of(part(n - 1)));
                }
                context.moved.push(Meant::one(other));
                any != (tree.label == "lacks_on")
            }
            "is_there_too" => {
                let thing = self.one(part(0), context)?;
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let object = self.percept.object(thing.id());
                let is_there = object.is_some_and(|o| {
                    let (percept, viewpoint) = (self.percept, self.viewpoint);
                    crate::related::is_related(percept, viewpoint, "off", o, &other, Sense::Strict)
                });
                context.moved.push(Meant::one(thing));
                is_there
            }
            "is_full" | "is_empty" => {
                let whole = self.one(part(0), context)?;
                let is_full = self.is_state(&whole, "full");
                context.place = Some(place_of(part(0)));
                context.moved.push(Meant::one(whole));
                is_full != (tree.label == "is_empty")
            }
            "contains" => {
                let whole = self.one(part(0), context)?;
                let inside = self.np(last, context)?;
                inside.things.iter().any(|thing| {
                    self.percept.object(thing.id()).is_some_and(|o| {
                        crate::related::is_related(
                            self.percept,
                            self.viewpoint,
                            "off",
                            o,
                            &whole,
                            Sense::Strict,
                        )
                    })
                })
            }
            _ => {
                return Err(Trouble::Nonsense(format!(
                    "whether `{}` cannot be told",
                    self.phrase(tree)
                )));
            }
        };
        Ok(holds != negated)
    }
}

/// Whether a sentence is a clause of a sort.
fn is_clause(sentence: Option<&Rc<Tree>>, label: &str) -> bool {
    sentence.is_some_and(|s| s.parts.iter().any(|p| p.label == label))
}

/// Whether a part of a clause says something by itself.
fn is_said(tree: &Rc<Tree>) -> bool {
    !matches!(tree.label.as_str(), "" | "list" | "if" | "trailer")
}

/// "there", once a thing was named.
pub(crate) fn place_of(np: &Rc<Tree>) -> Rc<Tree> {
    Rc::new(Tree {
        label: "to".into(),
        parts: vec![np.clone()],
        ..(**np).clone()
    })
}

/// The subtrees of an action that are of a sort, not those within them.
fn slots(tree: &Rc<Tree>, is: &dyn Fn(&Tree) -> bool) -> Vec<Rc<Tree>> {
    let mut found = vec![];
    for part in &tree.parts {
        match is(part) {
            true => found.push(part.clone()),
            false => found.extend(slots(part, is)),
        }
    }
    found
}

/// The subtrees of an action that are of a sort, and those within them.
fn every(tree: &Rc<Tree>, is: &dyn Fn(&Tree) -> bool) -> Vec<Rc<Tree>> {
    let mut found = vec![];
    for part in &tree.parts {
        if is(part) {
            found.push(part.clone());
        }
        found.extend(every(part, is));
    }
    found
}

/// A tree with another subtree in the place of one.
fn put_in(tree: &Rc<Tree>, slot: &Rc<Tree>, new: &Rc<Tree>) -> Rc<Tree> {
    if Rc::ptr_eq(tree, slot) {
        return new.clone();
    }
    let mut copy = (**tree).clone();
    for part in &mut copy.parts {
        *part = put_in(part, slot, new);
    }
    Rc::new(copy)
}

fn moves(step: &Step, id: &str) -> bool {
    match step {
        Step::Goal(_) => false,
        Step::Do(command) => command.object() == Some(id),
        Step::Any(commands) => commands.iter().all(|c| c.object() == Some(id)),
        Step::Some { .. } => false,
        Step::Tower { n, of, .. } => *n == of.len() && of.iter().any(|o| o == id),
        Step::Swap { objects } => objects.iter().any(|o| o == id),
    }
}

/// Some steps without those for some things; `None` if none of them is for these, or nothing
/// would be left of a choice.
fn without_some(steps: &[Step], things: &[Thing]) -> Option<Vec<Step>> {
    let is_one = |name: &str| things.iter().any(|t| t.to_string() == name);
    let is_for = |command: &Command| {
        let zone = match command {
            Command::PutWithin { target, zone, .. } => Some(format!("{target}.{zone}")),
            _ => None,
        };
        command.object().is_some_and(is_one)
            || zone.is_some_and(|zone| is_one(&zone))
            || command.targets().into_iter().any(is_one)
    };
    let is_object = |step: &Step| things.iter().any(|t| moves(step, t.id().as_str()));
    if let [Step::Any(of)] | [Step::Some { of, .. }] = steps {
        let left: Vec<Command> = of.iter().filter(|c| !is_for(c)).cloned().collect();
        let n = match steps {
            [Step::Some { n, .. }] => *n,
            _ => 1,
        };
        return match left.len() {
            some if some == of.len() || some < n => None,
            all if all == n => Some(left.into_iter().map(Step::Do).collect()),
            _ if n == 1 => Some(vec![Step::Any(left)]),
            _ => Some(vec![Step::Some { n, of: left }]),
        };
    }
    let left: Vec<Step> = steps.iter().filter(|s| !is_object(s)).cloned().collect();
    // "clear the plate, except for the apple" may leave nothing to do.
    let clears = |step: &Step| matches!(step, Step::Do(Command::TakeOff { .. }));
    let may_be_none = steps.len() > 1 || steps.iter().all(clears);
    (left.len() < steps.len() && may_be_none && !things.is_empty()).then_some(left)
}

/// A step that picks something which the next one puts somewhere else belongs to that.
fn without_absorbed(steps: Vec<Step>, stays: &dyn Fn(&str, &Command) -> bool) -> Vec<Step> {
    let absorbed = |pair: &[Step]| match (&pair[0], &pair[1]) {
        (Step::Do(Command::Pick { object }), Step::Do(next)) => {
            next.object() == Some(object) && !stays(object, next)
        }
        (Step::Do(Command::TakeOff { object, target }), Step::Do(next)) => {
            next.object() == Some(object) && !next.targets().contains(&target.as_str())
        }
        (Step::Some { of, .. }, Step::Some { of: next, .. }) => {
            let taken: Vec<_> = of.iter().map(Command::object).collect();
            let takes = |c: &Command| matches!(c, Command::Pick { .. } | Command::TakeOff { .. });
            of.iter().all(takes) && next.iter().all(|c| taken.contains(&c.object()))
        }
        (Step::Any(picks), Step::Any(next)) => {
            let picked: Vec<_> = picks.iter().map(Command::object).collect();
            let takes = |c: &Command| matches!(c, Command::Pick { .. } | Command::TakeOff { .. });
            picks.iter().all(takes) && next.iter().all(|c| picked.contains(&c.object()))
        }
        _ => false,
    };
    let keep: Vec<bool> = steps
        .windows(2)
        .map(|pair| !absorbed(pair))
        .chain([true])
        .collect();
    let kept = steps.into_iter().zip(keep).filter(|(_, keep)| *keep);
    kept.map(|(step, _)| step).collect()
}
