//! Builds a list of calls and tracks what each of them changes.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{JointKind, ObjectId, ObjectJoint, PlanRequest, Side, SkillCall};

use super::lessons::Lessons;
use super::slide::push_goal;
use super::spots::Spots;
use crate::calls::{achieved, fitted, last_call, open_to, pick, place_at};
use crate::goals::{is_met, is_superseded, may_not_be_touched};
use crate::search::Move;
use regrasp_language::{Command, Course, Untouched};
use serde_json::Value;

/// Steps, and why these.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) steps: Vec<SkillCall>,
    pub(crate) reasoning: String,
}

/// Builds the list of calls while keeping track of what each of them changes: the
/// preconditions and effects of the skills, as symbols.
pub(crate) struct Sequence<'a> {
    pub(super) request: &'a PlanRequest<'a>,
    pub(super) commands: &'a [Command],
    pub(super) lessons: &'a Lessons,
    pub(super) spots: Spots<'a>,
    steps: Vec<SkillCall>,
    pub(super) notes: Vec<String>,
    pub(super) held: Option<String>,
    /// Where this plan has brought things so far.
    pub(super) moved: BTreeMap<String, Place>,
    /// What this plan has opened (`true`) or closed.
    slid: BTreeMap<String, bool>,
    /// What this plan has pressed.
    pressed: BTreeSet<String>,
    /// What this plan has emptied.
    poured: BTreeSet<String>,
    /// Whether the arm is at home; `None`: where it was seen.
    at_home: Option<bool>,
    /// What may not be touched.
    untouched: &'a Untouched,
    /// What is being uncovered or cleared right now: nothing may be put there.
    pub(super) busy: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    Hand,
    HandAt([f64; 3]),
    On(String),
    Beside(String, Option<Side>),
    At([f64; 2]),
    Against(String),
    Across([String; 2]),
    In(String),
    Upright,
}

/// A command as the step that carried it out tells of it: on and in are one skill.
fn as_done(command: &Command) -> Command {
    match command.clone() {
        Command::PutIn { object, target } => Command::PutOn { object, target },
        other => other,
    }
}

impl Place {
    /// Where something is after it was pushed or pulled, if that can be said.
    fn of(course: &Course) -> Option<Self> {
        match course {
            Course::Point(xy) => Some(Self::At(*xy)),
            Course::Towards {
                target,
                distance_m: None,
            } => Some(Self::Beside(target.clone(), None)),
            Course::Towards { .. } | Course::Heading { .. } => None,
        }
    }
}

/// How far something is moved that was in the way of the arm, m.
pub(super) const OUT_OF_THE_WAY_M: f64 = 0.16;
/// How far something is put aside, m: as near as there is room.
pub(super) const ASIDE_M: f64 = 0.08;
/// A later command may break what an earlier one brought about (unstacking does), so
/// the list is gone through again, this often at most.
const MAX_PASSES: usize = 3;

impl<'a> Sequence<'a> {
    pub(crate) fn new(
        request: &'a PlanRequest<'a>,
        commands: &'a [Command],
        lessons: &'a Lessons,
        untouched: &'a Untouched,
    ) -> Self {
        let mut spots = Spots::new(request);
        for command in commands {
            match command {
                Command::PutAt { object, xy, .. } => spots.reserve(*xy, spots.radius(object)),
                Command::Shift { object, to, .. } => match to {
                    Course::Point(xy) => spots.reserve_way(object, *xy),
                    Course::Towards { target, .. } => {
                        if let Some(target) = request.percept.object(&ObjectId::new(target)) {
                            spots.reserve_way(object, target.position().xy().into());
                        }
                    }
                    Course::Heading { .. } => {}
                },
                _ => {}
            }
            let no_grip = command.object().filter(|o| lessons.no_grip.contains(*o));
            if let (Some(object), Some(xy)) = (no_grip, push_goal(command, request.percept)) {
                spots.reserve_way(object, xy);
            }
        }
        for spot in &lessons.bad_spots {
            spots.reserve(*spot, 0.0);
        }
        Self {
            request,
            commands,
            lessons,
            spots,
            steps: vec![],
            notes: vec![],
            held: lessons.held.clone(),
            moved: BTreeMap::new(),
            slid: BTreeMap::new(),
            pressed: BTreeSet::new(),
            poured: BTreeSet::new(),
            at_home: None,
            untouched,
            busy: vec![],
        }
    }

    /// The calls for everything that does not hold yet; an explanation if there is no
    /// such list.
    pub(crate) fn draft(mut self) -> Result<Draft, String> {
        let done = self.done_before();
        self.clear_path()?;
        for pass in 0..MAX_PASSES {
            let n_before = self.steps.len();
            for (idx, command) in self.commands.iter().enumerate() {
                // No look tells whether something was turned by an angle: once is enough.
                let is_turn = matches!(command, Command::Turn { .. });
                let pending = if is_turn || is_superseded(self.commands, idx) {
                    pass == 0 && !done[idx]
                } else {
                    !self.holds(command, done[idx])
                };
                if pending {
                    self.carry_out(command)?;
                }
            }
            if self.steps.len() == n_before {
                break;
            }
        }
        self.check_skills()?;
        Ok(Draft {
            reasoning: if self.notes.is_empty() {
                "straight to the goal".to_owned()
            } else {
                self.notes.join("; ")
            },
            steps: self.steps,
        })
    }

    /// The calls for moves that were searched for, each of them in its turn.
    pub(crate) fn follow(mut self, moves: &[Move], notes: Vec<String>) -> Result<Draft, String> {
        for step in moves {
            match step {
                Move::Do(command) if self.holds(command, false) => {}
                Move::Do(command) => self.carry_out(command)?,
                Move::Aside(object) => {
                    self.take(object)?;
                    self.put_aside(object, OUT_OF_THE_WAY_M)?;
                }
                Move::Call(call) => self.call(call.clone()),
            }
        }
        self.check_skills()?;
        self.notes.splice(0..0, notes);
        Ok(Draft {
            reasoning: self.notes.join("; "),
            steps: self.steps,
        })
    }

    /// Which commands were carried out by earlier steps of this episode, in order.
    fn done_before(&self) -> Vec<bool> {
        let facts = achieved(self.request.completed);
        let mut next_fact = 0;
        let mut done = |command: &Command| {
            let is_of = |fact: &Command| fact == command || *fact == as_done(command);
            let found = facts[next_fact..].iter().position(is_of);
            next_fact += found.map_or(0, |idx| idx + 1);
            found.is_some()
        };
        self.commands.iter().map(&mut done).collect()
    }

    fn holds(&self, command: &Command, done_before: bool) -> bool {
        let place = command.object().and_then(|object| self.moved.get(object));
        match (command, place) {
            (Command::Home, _) => self.at_home.unwrap_or_else(|| self.is_seen(command, false)),
            (Command::Slide { object, open }, _) => match self.slid.get(object) {
                Some(slid) => slid == open,
                None => self.is_seen(command, done_before),
            },
            (Command::Turn { .. }, _) => self.is_seen(command, done_before),
            (Command::Pick { object }, _) => self.held.as_ref() == Some(object),
            (Command::PutOn { target, .. } | Command::PutIn { target, .. }, Some(place)) => {
                *place == Place::On(target.clone())
            }
            (Command::Pour { object, .. }, _) => {
                self.poured.contains(object) || self.is_seen(command, done_before)
            }
            (Command::PutBeside { target, side, .. }, Some(place)) => {
                *place == Place::Beside(target.clone(), *side)
            }
            (Command::PutAt { xy, .. }, Some(place)) => *place == Place::At(*xy),
            (Command::PutAgainst { target, .. }, Some(place)) => {
                *place == Place::Against(target.clone())
            }
            (Command::PutAcross { targets, .. }, Some(place)) => {
                *place == Place::Across(targets.clone())
            }
            (Command::StandUp { .. }, Some(place)) => *place == Place::Upright,
            (Command::Insert { target, .. }, Some(place)) => *place == Place::In(target.clone()),
            (Command::Have { .. }, _) => done_before,
            // It goes back by itself: only that it was done can be known.
            (Command::Press { object }, _) => done_before || self.pressed.contains(object),
            (Command::Shift { to, .. }, Some(place)) => Some(place) == Place::of(to).as_ref(),
            (Command::HoldAt { point, .. }, Some(place)) => *place == Place::HandAt(*point),
            // What stood on something that this plan moves stands there no more.
            (
                Command::PutOn { target, .. }
                | Command::PutIn { target, .. }
                | Command::PutBeside { target, .. }
                | Command::PutAgainst { target, .. }
                | Command::Insert { target, .. },
                None,
            ) if self.moved.contains_key(target) => false,
            (Command::PutAcross { targets, .. }, None)
                if targets.iter().any(|target| self.moved.contains_key(target)) =>
            {
                false
            }
            // They have become points.
            (
                Command::PutWithin { .. } | Command::PutBetween { .. } | Command::TakeOff { .. },
                Some(_),
            ) => false,
            (_, None) => self.is_seen(command, done_before),
        }
    }

    /// Whether a command is fulfilled as far as the senses tell; where they cannot,
    /// whether its steps succeeded.
    fn is_seen(&self, command: &Command, done_before: bool) -> bool {
        is_met(command, self.request).unwrap_or(done_before)
    }

    /// What is still to be done with an object, if its place is ready.
    pub(super) fn pending_of(&self, object: &str) -> Option<&'a Command> {
        let commands = self.commands;
        let own = commands.iter().enumerate().find(|(idx, command)| {
            command.object() == Some(object)
                && !is_superseded(commands, *idx)
                && self.can_go_there_now(command)
                && !self.holds(command, false)
        });
        own.map(|(_, command)| command)
    }

    pub(super) fn carry_out(&mut self, command: &Command) -> Result<(), String> {
        if self.push_instead(command)? {
            return Ok(());
        }
        match command {
            Command::Home => {
                self.call(last_call(command));
                self.at_home = Some(true);
                return Ok(());
            }
            Command::Slide { object, open } => {
                self.empty_hand()?;
                self.call(last_call(command));
                self.slid.insert(object.clone(), *open);
                return Ok(());
            }
            Command::Turn { .. } => {
                self.empty_hand()?;
                self.call(last_call(command));
                return Ok(());
            }
            Command::Press { object } => {
                self.empty_hand()?;
                self.call(last_call(command));
                self.pressed.insert(object.clone());
                return Ok(());
            }
            Command::Shift { object, to, .. } => return self.shift(command, object, to),
            Command::PutOn { object, target } | Command::PutIn { object, target } => {
                self.make_room_on(target, object)?;
                self.open_first(target, matches!(command, Command::PutIn { .. }))?;
                self.open_wider(target)?;
            }
            // They have become points, or calls.
            Command::PutWithin { .. }
            | Command::PutBetween { .. }
            | Command::TakeOff { .. }
            | Command::Have { .. } => {
                let what = command.object().unwrap_or_default();
                return Err(format!(
                    "there is no free spot within reach for {what}: {command}"
                ));
            }
            Command::Pour { target, .. } => self.uncover(target)?,
            Command::PutAt { object, xy, .. } => self.make_room_at(*xy, object)?,
            Command::PutBeside { target, object, .. } | Command::PutAgainst { target, object } => {
                self.make_room_beside(target, object)?;
            }
            Command::PutAcross { targets, object } => {
                for target in targets {
                    self.make_room_on(target, object)?;
                }
            }
            Command::Insert { .. } | Command::StandUp { .. } => {}
            Command::Pick { .. } | Command::HoldAt { .. } => {}
        }
        if let Some(object) = command.object() {
            self.take(object)?;
        }
        self.finish(command);
        Ok(())
    }

    /// What is put into a drawer needs it open, and what is put into a microwave its door.
    fn open_first(&mut self, target: &str, inside: bool) -> Result<(), String> {
        let id = ObjectId::new(target);
        let is_shut_by = |j: &&ObjectJoint| {
            let is_door = inside && j.parent == id && j.kind == JointKind::Revolute;
            j.opens() && (j.child == id || is_door)
        };
        let joints = self.request.percept.joints.iter().filter(is_shut_by);
        let shut: Vec<String> = joints
            .filter(|j| {
                let open = self.slid.get(j.child.as_str()).copied();
                !open.unwrap_or(j.is_open())
            })
            .map(|j| j.child.to_string())
            .collect();
        for object in shut {
            self.notes
                .push(format!("{object} is closed: open it first"));
            self.carry_out(&Command::Slide { object, open: true })?;
        }
        Ok(())
    }

    /// Pulls a drawer out as far as it comes, once, where what is above it left no way in.
    fn open_wider(&mut self, target: &str) -> Result<(), String> {
        let joint = self.request.percept.joint_of(&ObjectId::new(target));
        let is_wide = |call: &SkillCall| {
            let names = call.args.get("object").and_then(Value::as_str) == Some(target);
            call.skill == "open" && names && call.args.get("opening_m").is_some()
        };
        let mut done = self.request.completed.iter().map(|step| &step.call);
        let was_opened = done.any(is_wide) || self.steps.iter().any(is_wide);
        let Some(joint) = joint.filter(|_| self.lessons.open_wider.contains(target) && !was_opened)
        else {
            return Ok(());
        };
        self.notes
            .push(format!("there is no way into {target}: open it further"));
        self.busy.push(target.to_owned());
        self.empty_hand()?;
        self.busy.pop();
        self.call(open_to(target, joint.travel));
        Ok(())
    }

    /// Preconditions of `push` and `pull`: as of `pick`, but the hand stays empty.
    pub(super) fn shift(
        &mut self,
        command: &Command,
        object: &str,
        to: &Course,
    ) -> Result<(), String> {
        self.uncover(object)?;
        self.empty_hand()?;
        self.call(last_call(command));
        if let Some(place) = Place::of(to) {
            self.moved.insert(object.to_owned(), place);
        }
        Ok(())
    }

    /// Appends the call that ends a command whose object is in the hand.
    fn finish(&mut self, command: &Command) {
        let (object, place) = match command {
            Command::Pick { .. }
            | Command::Slide { .. }
            | Command::Turn { .. }
            | Command::Home
            | Command::PutWithin { .. }
            | Command::PutBetween { .. }
            | Command::TakeOff { .. }
            | Command::Shift { .. }
            | Command::Have { .. }
            | Command::Press { .. } => return,
            Command::PutOn { object, target } | Command::PutIn { object, target } => {
                (object, Place::On(target.clone()))
            }
            Command::Pour { object, .. } => {
                self.poured.insert(object.clone());
                (object, Place::Hand)
            }
            Command::PutBeside {
                object,
                target,
                side,
            } => (object, Place::Beside(target.clone(), *side)),
            Command::PutAt { object, xy, .. } => (object, Place::At(*xy)),
            Command::HoldAt { object, point } => (object, Place::HandAt(*point)),
            Command::PutAgainst { object, target } => (object, Place::Against(target.clone())),
            Command::PutAcross { object, targets } => (object, Place::Across(targets.clone())),
            Command::Insert { object, target } => (object, Place::In(target.clone())),
            Command::StandUp { object } => (object, Place::Upright),
        };
        self.call(last_call(command));
        if !command.keeps_hold() {
            self.held = None;
        }
        self.moved.insert(object.clone(), place);
    }

    /// Effect: the object is in the hand. Preconditions of `pick`: nothing on the
    /// object (as far as that is known), nothing in the hand.
    fn take(&mut self, object: &str) -> Result<(), String> {
        if self.held.as_deref() == Some(object) {
            return Ok(());
        }
        self.busy_with(object)?;
        self.uncover(object)?;
        self.empty_hand()?;
        self.busy.pop();
        self.call(pick(object));
        self.held = Some(object.to_owned());
        self.moved.insert(object.to_owned(), Place::Hand);
        Ok(())
    }

    fn busy_with(&mut self, object: &str) -> Result<(), String> {
        if self.busy.iter().any(|name| name == object) {
            return Err(format!("{object} would have to be moved before itself"));
        }
        self.busy.push(object.to_owned());
        Ok(())
    }

    fn uncover(&mut self, object: &str) -> Result<(), String> {
        for cover in self.covers_of(object) {
            self.notes
                .push(format!("{cover} rests on {object}: take it off first"));
            self.move_aside(&cover, ASIDE_M)?;
        }
        Ok(())
    }

    fn empty_hand(&mut self) -> Result<(), String> {
        let Some(held) = self.held.clone() else {
            return Ok(());
        };
        let commands = self.commands;
        let own = commands.iter().enumerate().find(|(idx, command)| {
            command.object() == Some(&held)
                && !is_superseded(commands, *idx)
                && self.can_go_there_now(command)
        });
        match own {
            Some((_, command)) => {
                self.notes
                    .push(format!("{held} is in the hand: it goes to its place first"));
                self.finish(command);
                Ok(())
            }
            None => {
                self.notes
                    .push(format!("{held} is in the hand: put it aside"));
                self.put_aside(&held, ASIDE_M)
            }
        }
    }

    /// Whether a held object's own place is ready: neither about to be moved, nor
    /// being cleared, nor known to be occupied.
    fn can_go_there_now(&self, command: &Command) -> bool {
        match command {
            Command::PutAcross { .. }
            | Command::PutWithin { .. }
            | Command::PutBetween { .. }
            | Command::TakeOff { .. }
            | Command::StandUp { .. } => false,
            Command::PutOn { target, .. }
            | Command::PutIn { target, .. }
            | Command::PutBeside { target, .. }
            | Command::PutAgainst { target, .. }
            | Command::Insert { target, .. } => {
                let moves =
                    |c: &Command| c.object() == Some(target.as_str()) && !self.holds(c, false);
                !self.busy.contains(target)
                    && !self.lessons.clear_targets.contains(target)
                    && !self.commands.iter().any(moves)
            }
            Command::PutAt { xy, .. } => !self.lessons.clear_points.contains(xy),
            Command::Pick { .. }
            | Command::Pour { .. }
            | Command::HoldAt { .. }
            | Command::Slide { .. }
            | Command::Turn { .. }
            | Command::Home
            | Command::Shift { .. }
            | Command::Have { .. }
            | Command::Press { .. } => false,
        }
    }

    pub(super) fn move_aside(&mut self, object: &str, min_move_m: f64) -> Result<(), String> {
        if may_not_be_touched(self.untouched, self.commands, object) {
            let last = self.request.attempts.last();
            let why = last.map_or_else(String::new, |last| format!(": {}", last.describe()));
            let rule = match self.untouched {
                Untouched::Rest => "to touch nothing else",
                _ => "not to touch it",
            };
            return Err(format!(
                "{object} is in the way, and the task says {rule}{why}"
            ));
        }
        self.take(object)?;
        self.put_aside(object, min_move_m)
    }

    /// Puts what is held on a free spot.
    fn put_aside(&mut self, held: &str, min_move_m: f64) -> Result<(), String> {
        let spot = self.spots.find(held, min_move_m);
        let xy =
            spot.ok_or_else(|| format!("there is no free spot within reach to put {held} aside"))?;
        self.spots.reserve(xy, self.spots.radius(held));
        self.call(place_at(xy, None));
        self.held = None;
        self.moved.insert(held.to_owned(), Place::At(xy));
        Ok(())
    }

    fn call(&mut self, call: SkillCall) {
        self.steps.push(fitted(call, self.request.percept));
        self.at_home = Some(false);
    }

    /// A plan must not need what this robot cannot do.
    fn check_skills(&self) -> Result<(), String> {
        let known: Vec<_> = self
            .request
            .skills
            .iter()
            .map(|s| s.name.as_str())
            .collect();
        let missing = self
            .steps
            .iter()
            .find(|s| !known.contains(&s.skill.as_str()));
        match missing {
            Some(call) => Err(format!(
                "this needs the skill `{}`, which the robot does not have (skills: {})",
                call.skill,
                known.join(", ")
            )),
            None => Ok(()),
        }
    }
}
