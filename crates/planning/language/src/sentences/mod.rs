//! Converts sentences to a task: order, conditions, corrections, and objects that must not be
//! touched.

mod clause;
mod repairs;
mod steps;

use std::rc::Rc;

use nalgebra::Vector2;
use regrasp_api::{Goal, ObjectId};

use crate::ast::{Action, Aside, Clause, Node, Np, Sentence};
use crate::context::Context;
use crate::formula::Intent;
use crate::reader::Reader;
use crate::referent::{Destination, ReadingError, Resolved};
use crate::sentences::steps::as_one_stack;
pub(crate) use crate::sentences::steps::without_absorbed;
use crate::task::{Manner, Step, Task, Untouched};
use crate::tokens::{Token, shown};
use crate::tree::Tree;

#[derive(Clone)]
pub(crate) struct TaskBuilder<'a> {
    pub(crate) reader: Reader<'a>,
    steps: Vec<Vec<Step>>,
    /// Steps that a word of order puts after the others.
    in_turn: Vec<Step>,
    /// Number of steps before the current sentence.
    n_before: usize,
    terms: Terms,
    /// Last action, for corrections, and the context before it.
    last: Option<LastAction>,
}

type LastAction = (Rc<Tree>, Context);

/// Settings that hold for more than one clause.
#[derive(Clone, Default, PartialEq)]
struct Terms {
    untouched: Vec<String>,
    rest_untouched: bool,
    never: Vec<Intent>,
    manner: Option<Manner>,
    /// Steps that come at the end: "before you …".
    at_last: Vec<Vec<Step>>,
    /// True if the text may ask for no step: it has a condition, a ban or an exception, or cancels.
    has_condition: bool,
    /// True if the last clause picks an object up.
    has_picked: bool,
    /// Error unless the next clause is a correction.
    unless_corrected: Option<ReadingError>,
    unless_last: Option<ReadingError>,
}

/// Rejects a step that brings an object to itself, or states a fact that is not valid.
fn check_step(step: &Step) -> Resolved<()> {
    if let Step::Swap { objects: [a, b] } = step
        && a == b
    {
        return Err(ReadingError::itself(a));
    }
    step.intents().into_iter().try_for_each(|intent| {
        let object = intent.object().unwrap_or_default();
        match intent.targets().contains(&object) {
            true => Err(ReadingError::itself(&object)),
            false => intent.fact().check().map_err(ReadingError::Nonsense),
        }
    })
}

impl<'a> TaskBuilder<'a> {
    pub(crate) fn new(reader: Reader<'a>) -> Self {
        Self {
            reader,
            steps: vec![],
            in_turn: vec![],
            n_before: 0,
            terms: Terms::default(),
            last: None,
        }
    }

    /// Reads the next clause, from one token to another.
    pub(crate) fn go_on(&mut self, tree: &Rc<Tree>, [from, to]: [usize; 2]) -> Resolved<()> {
        let n = self.steps.len();
        if self.reader.tokens.get(from) == Some(&Token::Stop) {
            self.n_before = n;
        }
        let is_in_turn = self.reader.says_order(from, to);
        let held = self.held_on().filter(|_| !is_in_turn);
        self.add_step(tree, from == 0)?;
        let mut new = self.steps.iter().skip(n).flatten().flat_map(Step::intents);
        if let Some(held) = held
            && let Some(other) = new.find_map(|own| own.object().filter(|id| *id != held))
        {
            let why = format!("one hand cannot hold {held} and do something with {other}");
            return Err(ReadingError::Impossible(why));
        }
        if is_in_turn {
            let new = self.steps.iter().skip(n).chain(&self.terms.at_last);
            self.in_turn.extend(new.flatten().cloned());
        }
        Ok(())
    }

    /// Returns the object that the last clause says to hold.
    fn held_on(&self) -> Option<String> {
        let (action, _) = self.last.as_ref()?;
        let is_held = ["Hold", "HoldAt", "HoldOver"].contains(&action.name());
        let intent = self.steps.last()?.last()?.intent()?;
        intent.object().filter(|_| is_held).map(str::to_owned)
    }

    fn add_step(&mut self, tree: &Rc<Tree>, is_first: bool) -> Resolved<()> {
        let sentence: Rc<Node<Sentence>> = self.reader.typed(tree);
        let clause = match &sentence.is {
            Sentence::Said { clause, .. } => Some(&clause.is),
            _ => None,
        };
        let is_verbless = matches!(clause, Some(Clause::Verbless { .. }));
        let picks = match clause {
            Some(Clause::Row { ends, .. } | Clause::Stack { ends, .. }) => !ends.is_empty(),
            other => matches!(other, Some(Clause::Pick { .. })),
        };
        let has_picked = std::mem::replace(&mut self.terms.has_picked, picks);
        if is_first {
            return self.begin(&sentence, is_verbless);
        }
        let is_correction = matches!(
            sentence.is,
            Sentence::RatherThing { .. }
                | Sentence::RatherPlace { .. }
                | Sentence::RatherSecond { .. }
                | Sentence::Instead { .. }
                | Sentence::Cancel
        );
        let uncorrected = self.terms.unless_corrected.take();
        let uncorrected = uncorrected.filter(|_| !is_correction);
        if let Some(error) = self.terms.unless_last.take().or(uncorrected) {
            return Err(error);
        }
        let is_place = matches!(clause, Some(Clause::GoOnTo { .. }));
        let has_pushed = matches!(&self.last, Some((action, _)) if action.name() == "Push");
        if is_place && has_pushed && !self.reader.says_order(tree.from, tree.to) {
            let why = "a pushed object goes in one direction only, and not also _";
            return Err(self.reader.nonsense(tree, why));
        }
        if has_picked && is_verbless {
            let why = "each object of a list needs a verb, unless the action is the same";
            return Err(ReadingError::Nonsense(why.into()));
        }
        let before = self.steps.last().cloned().unwrap_or_default();
        self.sentence(&sentence)?;
        // "stack them, the red one on top" describes the tower, and takes nothing off it.
        if let (true, [tower @ Step::Tower { .. }]) = (is_verbless, &before[..])
            && let Some(moved) = self.reader.context.moved.last()
            && moved.things.iter().any(|t| tower.moves(t.id().as_str()))
        {
            return Err(self.reader.nonsense(tree, "_ undoes the tower just built"));
        }
        Ok(())
    }

    fn begin(&mut self, sentence: &Rc<Node<Sentence>>, is_verbless: bool) -> Resolved<()> {
        match self.sentence(sentence) {
            // The next clause may say which object is meant.
            Err(several @ ReadingError::Several { .. }) if self.last.is_some() => {
                self.steps.push(vec![]);
                self.terms.unless_corrected = Some(several);
            }
            done => done?,
        }
        if is_verbless && self.is_there_already() {
            let why = "_ says where it is, not what to do";
            self.terms.unless_last = Some(self.reader.nonsense(&sentence.tree, why));
        }
        Ok(())
    }

    fn sentence(&mut self, sentence: &Node<Sentence>) -> Resolved<()> {
        match &sentence.is {
            Sentence::Said {
                before,
                clause,
                after,
            } => {
                let n = self.steps.len();
                before.iter().try_for_each(|aside| self.aside(aside))?;
                self.clause(clause)?;
                after.iter().try_for_each(|aside| self.aside(aside))?;
                for aside in before.iter().chain(after) {
                    self.take_turn(aside, n);
                }
                Ok(())
            }
            Sentence::Before { last, first } => {
                let at_last = self.clause_for_later(last)?;
                self.terms.at_last.extend(at_last);
                self.clause(first)
            }
            Sentence::Reversed { last, first } => {
                let later = self.clause_for_later(last)?;
                self.clause(first)?;
                self.steps.extend(later);
                Ok(())
            }
            Sentence::Given { condition, clause } => {
                self.check_topic(&condition.tree, clause)?;
                match self.reader.condition(condition)? {
                    true => self.clause(clause),
                    false => Err(self.reader.nonsense(&condition.tree, "_ is not the case")),
                }
            }
            Sentence::Topic { np, clause } => self.topic(np, clause),
            Sentence::OrElse { clauses } => self.or_else(&sentence.tree, clauses),
            Sentence::Same { np } => self.same(np),
            Sentence::SameWay { length, heading } => self.same_way(length, heading.as_ref()),
            Sentence::ButFor { np, clause } => {
                clause.iter().try_for_each(|clause| self.clause(clause))?;
                self.but_for(np)
            }
            _ => self.repair(sentence),
        }
    }

    /// Returns the steps of a clause without adding them.
    fn clause_for_later(&mut self, clause: &Action) -> Resolved<Vec<Vec<Step>>> {
        let n = self.steps.len();
        self.clause(clause)?;
        Ok(self.steps.drain(n..).collect())
    }

    /// Reads "the red cube: put it on the plate", or "see the plate? The cube belongs there".
    fn topic(&mut self, np: &Np, clause: &Action) -> Resolved<()> {
        self.check_topic(&np.tree, clause)?;
        let meant = self.reader.np(np)?;
        self.reader.context.moved.push(meant.clone());
        self.reader.context.place = Some(Destination::at("to", meant));
        self.clause(clause)
    }

    /// Rejects a topic that the clause does not refer to.
    fn check_topic(&self, topic: &Tree, clause: &Action) -> Resolved<()> {
        let names = ["Pronoun", "There", "One", "Everything"];
        let takes_it_up = |tree: &Tree| names.contains(&tree.name());
        if !clause.tree.has(&takes_it_up) {
            let why = "_: the rest of the sentence does not refer to it";
            return Err(self.reader.nonsense(topic, why));
        }
        Ok(())
    }

    /// Moves the steps from the `n`th to the start of the sentence or the end of the text, if an
    /// aside says so: "put it in the drawer, but open it first".
    fn take_turn(&mut self, aside: &Node<Aside>, n: usize) {
        let Aside::Turn { when } = &aside.is else {
            return;
        };
        match when.means.as_str() {
            "last" => self.terms.at_last.extend(self.steps.drain(n..)),
            _ => {
                let len = self.steps.len();
                self.steps[self.n_before.min(n)..].rotate_right(len - n);
            }
        }
    }

    fn aside(&mut self, aside: &Node<Aside>) -> Resolved<()> {
        match &aside.is {
            Aside::Manner { manner } => {
                self.terms.manner = manner.means.parse().ok();
            }
            Aside::Without { np } => self.forbid(np)?,
            Aside::View { whose } => {
                self.reader.check_view(&aside.tree, whose.means == "mine")?;
                if whose.means == "robot" {
                    self.reader.scene.viewpoint = self.reader.scene.robot;
                }
            }
            Aside::Turn { .. } => {}
            Aside::Polite => self.reader.context.n_idle += 1,
        }
        Ok(())
    }

    /// Returns true if both builders are in equivalent states, so that the rest of a text means the
    /// same after either.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let last = |own: &Self| own.last.as_ref().map(|(tree, _)| Rc::as_ptr(tree));
        self.steps.last() == other.steps.last()
            && self.earlier_steps() == other.earlier_steps()
            && self.terms == other.terms
            && last(self) == last(other)
            && self.reader.scene.viewpoint == other.reader.scene.viewpoint
            && self.reader.context.is_like(&other.reader.context)
    }

    /// Steps before the last clause, without those that later steps include.
    fn earlier_steps(&self) -> Vec<Step> {
        let last = self.steps.len().saturating_sub(1);
        self.settled(&self.steps[..last].concat())
    }

    fn settled(&self, steps: &[Step]) -> Vec<Step> {
        let percept = self.reader.scene.percept;
        let stays = |object: &str, intent: &Intent| match intent.goal() {
            Some(Goal::At { position, .. }) => {
                let seen = percept.object(&ObjectId::new(object));
                seen.is_some_and(|o| (o.position().xy() - Vector2::from(position.xy)).norm() < 1e-6)
            }
            _ => self.reader.is_so(intent),
        };
        without_absorbed(steps, &stays)
    }

    /// Returns true if the last clause describes the scene: "that apple in the bowl".
    fn is_there_already(&self) -> bool {
        let is_so = |step: &Step| step.intent().is_some_and(|own| self.reader.is_so(own));
        let steps = self.steps.last();
        steps.is_some_and(|steps| !steps.is_empty() && steps.iter().all(is_so))
    }

    pub(crate) fn finished(mut self) -> Resolved<(Task, Context)> {
        if let Some(several) = self.terms.unless_corrected.take() {
            return Err(several);
        }
        self.steps.append(&mut self.terms.at_last);
        // "put the mugs away, but leave the red one where it is" excludes one of several objects.
        for group in self.steps.iter_mut().filter(|group| group.len() > 1) {
            let stays = |step: &Step| self.terms.untouched.iter().any(|id| step.moves(id));
            if !group.iter().all(stays) {
                group.retain(|step| !stays(step));
            }
        }
        let mut steps = self.settled(&self.steps.concat());
        let stack = self.reader.context.stacked.as_ref();
        if let Some(stack) = stack.filter(|_| self.reader.context.moves_stack) {
            let why = "a stack can only be put on, in or beside an object";
            let whole = as_one_stack(&steps, &stack.things);
            steps = whole.ok_or_else(|| ReadingError::Nonsense(why.into()))?;
        }
        // "it belongs in the box, so put it there" says the same twice, unlike a change.
        let is_change = |step: &Step| match step.intent() {
            Some(Intent::Achieve(goal)) => matches!(goal, Goal::Pressed { .. }),
            Some(_) => true,
            None => false,
        };
        steps.dedup_by(|a, b| a == b && !is_change(a));
        let untouched = self.left_alone(&steps)?;
        let is_idle = steps.is_empty() && self.last.is_none() && !self.terms.has_condition;
        if is_idle && untouched == Untouched::Free {
            let text = shown(self.reader.tokens);
            let why = format!("`{text}` asks for nothing to be done");
            return Err(ReadingError::Nonsense(why));
        }
        steps.iter().try_for_each(check_step)?;
        // A correction may have replaced a destination, and the task may move the object itself.
        let mut references = std::mem::take(&mut self.reader.context.references);
        references.retain(|reference| {
            let goes_there = |intent: &Intent| intent.point() == Some(reference.destination);
            let is_own = |step: &Step| step.moves(reference.object.as_str());
            let mut intents = steps.iter().flat_map(Step::intents);
            intents.any(goes_there) && !steps.iter().any(is_own)
        });
        let task = Task {
            steps,
            references,
            in_turn: self.in_turn,
            untouched,
            never: self.terms.never,
            manner: self.terms.manner,
        };
        Ok((task, self.reader.context))
    }

    /// Returns the untouched objects. Rejects a task that moves one of them.
    fn left_alone(&mut self, steps: &[Step]) -> Resolved<Untouched> {
        let is_moved = |id: &str| steps.iter().any(|step| step.moves(id));
        let ids = std::mem::take(&mut self.terms.untouched);
        // If all other objects are listed, they are the rest.
        let is_left = |id: &str| ids.iter().any(|own| own == id) || is_moved(id);
        let all_left = self.reader.loose().all(|o| is_left(o.id.as_str()));
        if self.terms.rest_untouched || !ids.is_empty() && all_left {
            return Ok(Untouched::Rest);
        }
        match ids.iter().find(|id| is_moved(id)) {
            Some(id) => {
                let why = format!("{id} must be moved, but must not be touched");
                Err(ReadingError::Nonsense(why))
            }
            None if ids.is_empty() => Ok(Untouched::Free),
            None => Ok(Untouched::These(ids)),
        }
    }
}
