//! Builds a list of calls and tracks their effects.

use nalgebra::Point3;
use regrasp_api::{
    Fact, Goal, HandUse, JointKind, ObjectId, ObjectJoint, Operator, PerceivedObject, PlanRequest,
    Point, SkillCall, Zone,
};
use regrasp_relations::{Region, is_inside, is_supported_by};

use super::failure_constraints::{
    FailureConstraints, access_joint, check_grip, container_of, drawer_joint,
};
use crate::calls::{Achiever, achiever_of, achiever_without_grasp, calls_by, is_call};
use crate::goals::{goals_of, is_met, lasting, must_stay};
use crate::search::{Done, Move, facts_done, holding};
use regrasp_language::{Intent, Task};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) steps: Vec<SkillCall>,
    pub(crate) reasoning: String,
}

/// Builds a list of calls and tracks their symbolic preconditions and effects.
pub(crate) struct Sequence<'a> {
    pub(super) request: &'a PlanRequest<'a>,
    pub(super) intents: &'a [Intent],
    /// True for each intent whose effect must hold at the end.
    lasts: Vec<bool>,
    pub(super) constraints: &'a FailureConstraints,
    steps: Vec<SkillCall>,
    pub(super) notes: Vec<String>,
    pub(super) now: Done,
    task: &'a Task,
    /// Intents to take objects off others. They also hold for objects that are put aside.
    off: Vec<Intent>,
    /// Objects that are being uncovered or cleared. Nothing may be put on or in them.
    pub(super) busy: Vec<String>,
    /// Point that is being cleared, x and y in World, m.
    pub(super) busy_point: Option<[f64; 2]>,
}

/// Largest number of passes over the intents. A later intent may undo an earlier one, for example
/// by unstacking.
const MAX_PASSES: usize = 3;

impl<'a> Sequence<'a> {
    pub(crate) fn new(
        request: &'a PlanRequest<'a>,
        intents: &'a [Intent],
        constraints: &'a FailureConstraints,
        task: &'a Task,
    ) -> Self {
        Self {
            request,
            intents,
            lasts: lasting(intents),
            constraints,
            steps: vec![],
            notes: vec![],
            now: Done {
                held: constraints.held.clone(),
                ..Done::default()
            },
            task,
            off: vec![],
            busy: vec![],
            busy_point: None,
        }
    }

    /// Records the requested `off` goals, which objects that are put aside have to satisfy, too.
    pub(crate) fn keeping_off(mut self, asked: &[Intent]) -> Self {
        let is_off = |intent: &&Intent| matches!(intent.goal(), Some(Goal::Off { .. }));
        self.off = asked.iter().filter(is_off).cloned().collect();
        self
    }

    /// Builds the calls for all intents that do not hold yet, or returns an explanation.
    pub(crate) fn draft(mut self) -> Result<Draft, String> {
        let done = self.done_before();
        self.clear_path()?;
        for pass in 0..MAX_PASSES {
            let n_before = self.steps.len();
            for (idx, intent) in self.intents.iter().enumerate() {
                // Perception cannot tell a relative turn or a press, so each is done once.
                let is_press = matches!(intent.goal(), Some(Goal::Pressed { .. }));
                let is_turn = is_press || matches!(intent, Intent::Turn { .. });
                // A drawer that was closed to clear the path is opened again in the second pass.
                let waits = pass == 0 && self.lasts[idx] && self.was_in_the_way(intent);
                let pending = if waits {
                    false
                } else if is_turn || !self.lasts[idx] {
                    pass == 0 && !done[idx]
                } else {
                    !self.holds(intent, done[idx])
                };
                if pending {
                    self.carry_out(intent, &[])?;
                }
            }
            if pass > 0 && self.steps.len() == n_before {
                break;
            }
        }
        Ok(Draft {
            reasoning: if self.notes.is_empty() {
                "straight to the goal".to_owned()
            } else {
                self.notes.join("; ")
            },
            steps: self.steps,
        })
    }

    /// Builds the calls for the moves of a search, whose intents are those of the sequence. At the
    /// end, drawers and doors that were opened on the way are closed again, if `ends` say so.
    pub(crate) fn follow(
        mut self,
        moves: &[Move],
        ends: &[Intent],
        notes: Vec<String>,
    ) -> Result<Draft, String> {
        let mut next = 0;
        for step in moves {
            if let Move::Do { meeting, .. } = step {
                // Goals that one place meets do not undo each other.
                let last = next + meeting.len();
                let lasts = self.lasts[last];
                self.lasts[next..last].fill(lasts);
                next = last + 1;
            }
        }
        if !self.constraints.blockers.is_empty() {
            self.clear_path()?;
        }
        for step in moves {
            match step {
                Move::Do { intent, meeting } => {
                    let meets = |goal: &Goal| self.holds(&goal.clone().into(), false);
                    if !self.holds(intent, false) || !meeting.iter().all(meets) {
                        self.carry_out(intent, meeting)?;
                    }
                }
                Move::Aside(object) => {
                    self.take(object)?;
                    self.put_aside(object)?;
                }
                Move::Call(call) => self.call(call.clone())?,
            }
        }
        let joints = ends
            .iter()
            .filter(|end| matches!(end.goal(), Some(Goal::Slid { .. })));
        for end in joints {
            if !self.holds(end, false) {
                self.carry_out(end, &[])?;
            }
        }
        self.notes.splice(0..0, notes);
        Ok(Draft {
            reasoning: self.notes.join("; "),
            steps: self.steps,
        })
    }

    /// Returns for each intent true if earlier steps of this episode carried it out, in order.
    fn done_before(&self) -> Vec<bool> {
        let PlanRequest {
            completed, skills, ..
        } = self.request;
        let after = facts_done(completed, skills);
        let mut next = 0;
        let mut done = |intent: &Intent| {
            let (fact, holds) = intent.literal();
            let own = calls_by(intent);
            let by = |idx: usize| match own.as_slice() {
                [_, ..] => own.iter().any(|own| is_call(&completed[idx].call, own)),
                [] => {
                    let held = idx
                        .checked_sub(1)
                        .and_then(|before| after[before].held.as_deref());
                    let call = &completed[idx].call;
                    let spec = skills.iter().find(|spec| spec.name == call.skill);
                    let effects = spec.map_or_else(Vec::new, |s| s.effects(&call.args, held));
                    effects.contains(&(fact.clone(), holds))
                }
            };
            let found = (next..completed.len()).find(|idx| by(*idx));
            next = found.map_or(next, |idx| idx + 1);
            found.is_some()
        };
        self.intents.iter().map(&mut done).collect()
    }

    fn holds(&self, intent: &Intent, done_before: bool) -> bool {
        let (fact, holds) = intent.literal();
        let object = intent.object();
        let places = object.and_then(|object| self.now.place.get(object));
        let is_moved = |target: &&str| self.now.place.contains_key(*target);
        match (intent, self.now.so.get(&fact)) {
            (_, Some(so)) => *so == holds,
            (Intent::Achieve(Goal::Holding { object }), _) => {
                self.now.held.as_deref() == Some(object.as_str())
            }
            // A button returns by itself, so only the step counts.
            (Intent::Achieve(Goal::Pressed { .. }), _) => done_before,
            (Intent::Turn { .. }, _) => self.is_seen(intent, done_before),
            // This plan moved the joint, so the perceived opening is outdated.
            (Intent::Achieve(Goal::Slid { object, .. } | Goal::OpenBy { object, .. }), _)
                if self.now.is_moved(object.as_str()) =>
            {
                false
            }
            (intent, _) if intent.goal().is_none_or(Goal::constrains_pose) => match places {
                Some(places) => places.contains(&fact) == holds,
                // The target was moved by this plan, so the object is not there any more.
                None if intent.goal().is_some() && intent.targets().iter().any(is_moved) => false,
                None => self.is_seen(intent, done_before),
            },
            _ => self.is_seen(intent, done_before),
        }
    }

    /// Returns true if an intent is fulfilled in the percept, or if perception cannot tell and its
    /// step succeeded.
    fn is_seen(&self, intent: &Intent, done_before: bool) -> bool {
        is_met(intent, self.request).unwrap_or(done_before)
    }

    /// Returns the pending intent of an object, if its place is ready.
    pub(super) fn pending_of(&self, object: &str) -> Option<&'a Intent> {
        self.lasting()
            .filter(|intent| intent.object() == Some(object))
            .find(|intent| self.can_go_there_now(intent) && !self.holds(intent, false))
    }

    /// Intents whose effect must hold at the end.
    fn lasting(&self) -> impl Iterator<Item = &'a Intent> {
        let intents = self.intents.iter().zip(&self.lasts);
        intents.filter_map(|(intent, lasts)| lasts.then_some(intent))
    }

    /// Appends the calls for an intent. The place of its object also has to meet the goals of
    /// `meeting`.
    pub(super) fn carry_out(&mut self, intent: &Intent, meeting: &[Goal]) -> Result<(), String> {
        let goal = match intent {
            Intent::Shift { object, .. } => {
                // The preconditions are those of `pick`, but the hand stays empty.
                self.uncover(object.as_str())?;
                self.bring_about(intent, &[])?;
                let there = vec![intent.fact()];
                self.now.place.insert(object.to_string(), there);
                return Ok(());
            }
            Intent::Turn { .. } => return self.bring_about(intent, &[]),
            Intent::Achieve(goal) => goal,
        };
        // Only the search finds calls for these goals.
        if matches!(goal, Goal::Off { .. } | Goal::Declared { .. }) {
            return Err(format!("no known call achieves `{intent}`"));
        }
        let object = intent.object().unwrap_or_default();
        for target in intent.targets() {
            if let Some(whole) = self.container_of(target) {
                self.open_first(&whole, true)?;
                self.open_wider(&whole)?;
            }
            match goal {
                Goal::On { .. } | Goal::In { .. } => {
                    self.make_room_on(target, object)?;
                    self.open_first(target, matches!(goal, Goal::In { .. }))?;
                    self.open_wider(target)?;
                }
                Goal::Within { zone, .. } => {
                    self.make_room_beside(target, object)?;
                    self.open_first(target, self.is_inside(target, zone))?;
                    self.open_wider(target)?;
                }
                Goal::Across { .. } => self.make_room_on(target, object)?,
                Goal::Beside { .. } | Goal::Related { .. } | Goal::Between { .. } => {
                    self.make_room_beside(target, object)?;
                }
                Goal::Poured { .. } => self.uncover(target)?,
                _ => {}
            }
        }
        if matches!(goal, Goal::Slid { .. } | Goal::OpenBy { .. }) {
            // The contents of a drawer stay in it: only objects that a failure named are taken off.
            let named = self.constraints.in_the_way.clone();
            self.take_off(object, |cover| named.contains(cover))?;
        }
        if let Goal::At { position, .. } = goal {
            self.open_around(*position)?;
            self.make_room_at(*position, object)?;
        }
        self.bring_about(intent, meeting)
    }

    /// Appends the call for an intent, after the calls that prepare the hand.
    fn bring_about(&mut self, intent: &Intent, meeting: &[Goal]) -> Result<(), String> {
        let object = intent.object().unwrap_or_default();
        if let [named, ..] = calls_by(intent).as_slice() {
            self.empty_hand()?;
            let other = self.constraints.instead_of(named, intent, self.request);
            if let Some(call) = &other {
                let note = format!(
                    "{object} cannot be moved by `{}`: {} it",
                    named.skill, call.skill
                );
                self.notes.push(note);
            }
            return self.call(other.unwrap_or_else(|| named.clone()));
        }
        if let Some(push) = self.push_for(object, intent.literal())? {
            self.call(push)?;
            let facts = self.now.place.entry(object.to_owned()).or_default();
            facts.push(intent.fact());
            return Ok(());
        }
        let mut achiever = achiever_of(intent.literal(), self.request)?;
        self.keep(&mut achiever, &self.to_follow(intent));
        achiever.meet(meeting);
        match achiever.spec.hand {
            HandUse::Takes => return self.take(object),
            HandUse::Releases | HandUse::Keeps => self.take(object)?,
            HandUse::Empty => self.empty_hand()?,
            HandUse::Any => {}
        }
        self.call(achiever.call())
    }

    /// Returns the call that moves an object without a grasp if that is better, and appends the
    /// calls that prepare it.
    fn push_for(
        &mut self,
        object: &str,
        literal: (Fact, bool),
    ) -> Result<Option<SkillCall>, String> {
        let achiever = achiever_without_grasp(literal, self.request);
        let is_better = |push: &Achiever<'_>| {
            let constraints = self.constraints;
            constraints.is_to_be_pushed(object, &push.call(), self.request)
        };
        let Some(achiever) = achiever.filter(is_better) else {
            return Ok(None);
        };
        self.uncover(object)?;
        self.empty_hand()?;
        let note = format!("{object} is not lifted: {} it", achiever.spec.name);
        self.notes.push(note);
        Ok(Some(achiever.call()))
    }

    /// Opens a closed drawer, or the door of a container such as a microwave, before an object is
    /// put in or taken out.
    fn open_first(&mut self, target: &str, inside: bool) -> Result<(), String> {
        let (percept, id) = (self.request.percept, ObjectId::new(target));
        let is_door = |j: &&ObjectJoint| {
            inside && j.parent == id && j.kind == JointKind::Revolute && j.opens()
        };
        let doors = percept.joints.iter().filter(is_door);
        let shut: Vec<ObjectId> = drawer_joint(percept, &id)
            .into_iter()
            .chain(doors)
            .filter(|j| {
                let open = Fact::new("open", &[j.child.as_str()]);
                !self.now.so.get(&open).copied().unwrap_or(j.is_open())
            })
            .map(|j| j.child.clone())
            .collect();
        for object in shut {
            // Opens as far as the task says.
            let is_own = |intent: &&Intent| {
                let goal = intent.goal();
                matches!(goal, Some(Goal::OpenBy { object: own, .. }) if *own == object)
            };
            let own = self.intents.iter().find(is_own).cloned();
            let note = format!("{object} is closed: open it first");
            let open = own.unwrap_or_else(|| Goal::Slid { object, open: true }.into());
            if !self.holds(&open, false) {
                self.notes.push(note);
                self.carry_out(&open, &[])?;
            }
        }
        Ok(())
    }

    /// Returns the drawer, or the object with a door, that holds an object which this plan has not
    /// moved.
    fn container_of(&self, object: &str) -> Option<String> {
        let is_moved = self.now.place.contains_key(object);
        container_of(self.request.percept, object).filter(|_| !is_moved)
    }

    /// Returns true if a declared zone of an object is inside it.
    fn is_inside(&self, target: &str, zone: &Zone) -> bool {
        let (percept, id) = (self.request.percept, ObjectId::new(target));
        let declared = percept.declared_zone(&id, zone);
        let region = declared.and_then(|_| Region::of(percept, &id, zone));
        let whole = percept.object(&id);
        let mut both = region.iter().zip(whole);
        both.any(|(region, o)| o.aabb_in_world().contains(&region.aabb().center()))
    }

    /// Opens the doors of fixed objects that contain a point.
    fn open_around(&mut self, Point { xy: [x, y], z }: Point) -> Result<(), String> {
        let Some(z) = z else { return Ok(()) };
        let at = Point3::new(x, y, z);
        let fixed = self.request.percept.objects.iter().filter(|o| !o.movable);
        let mut around = fixed.filter(|o| o.aabb_in_world().contains(&at));
        around.try_for_each(|o| self.open_first(o.id.as_str(), true))
    }

    /// Opens a drawer or a door fully, once, if the present opening gave no access.
    fn open_wider(&mut self, target: &str) -> Result<(), String> {
        let joint = access_joint(self.request.percept, target);
        let Some(joint) = joint.filter(|_| self.constraints.open_wider.contains(target)) else {
            return Ok(());
        };
        let object = joint.child.clone();
        // Rounding up would exceed the travel.
        let opening = joint.travel / joint.per_unit();
        let wide = Goal::open_by(object, (opening * 1000.0).floor() / 1000.0);
        let (fact, _) = wide.literal();
        let done = facts_done(self.request.completed, self.request.skills);
        let is_open = |done: &Done| done.so.get(&fact) == Some(&true);
        if done.iter().any(is_open) || is_open(&self.now) {
            return Ok(());
        }
        self.notes
            .push(format!("{target} is not open far enough: open it further"));
        self.busy.push(target.to_owned());
        self.empty_hand()?;
        self.busy.pop();
        self.bring_about(&wide.into(), &[])
    }

    /// Takes an object into the hand. `pick` requires that nothing rests on the object (as far as
    /// known) and that the hand is empty.
    fn take(&mut self, object: &str) -> Result<(), String> {
        if self.now.held.as_deref() == Some(object) {
            return Ok(());
        }
        self.busy_with(object)?;
        // This plan may have closed the drawer or door behind the object.
        let places = self.now.place.get(object).cloned().unwrap_or_default();
        for target in places.iter().filter_map(|place| place.of.get(1)) {
            self.open_first(target, true)?;
        }
        if let Some(whole) = self.container_of(object) {
            let joint = access_joint(self.request.percept, &whole);
            if joint.is_some_and(ObjectJoint::is_closed) {
                self.open_first(&whole, true)?;
            }
            self.open_wider(&whole)?;
        }
        self.uncover(object)?;
        self.empty_hand()?;
        // Nothing is moved for a grasp that is impossible anyway.
        if !self.steps.is_empty() {
            check_grip(object, self.request, self.intents)?;
        }
        self.busy.pop();
        self.call(achiever_of((holding(object), true), self.request)?.call())
    }

    fn busy_with(&mut self, object: &str) -> Result<(), String> {
        if self.busy.iter().any(|name| name == object) {
            return Err(format!(
                "no order is possible: moving {object} requires moving {object} first"
            ));
        }
        self.busy.push(object.to_owned());
        Ok(())
    }

    fn uncover(&mut self, object: &str) -> Result<(), String> {
        self.take_off(object, |_| true)
    }

    fn take_off(&mut self, object: &str, goes: impl Fn(&str) -> bool) -> Result<(), String> {
        let covers = self.covers_of(object).into_iter();
        for cover in covers.filter(|cover| goes(cover)) {
            self.notes
                .push(format!("{cover} rests on {object}: take it off first"));
            self.move_aside(&cover)?;
        }
        Ok(())
    }

    fn empty_hand(&mut self) -> Result<(), String> {
        let Some(held) = self.now.held.clone() else {
            return Ok(());
        };
        let own = self
            .lasting()
            .find(|intent| intent.object() == Some(&held) && self.can_go_there_now(intent));
        match own {
            Some(intent) => {
                self.notes
                    .push(format!("{held} is in the hand: put it in its place first"));
                self.bring_about(intent, &[])
            }
            None => {
                self.notes
                    .push(format!("{held} is in the hand: put it aside"));
                self.put_aside(&held)
            }
        }
    }

    /// Returns true if the place of a held object is ready: it is neither about to move, nor being
    /// cleared, nor known to be occupied.
    fn can_go_there_now(&self, intent: &Intent) -> bool {
        match intent {
            Intent::Achieve(
                Goal::On { target, .. }
                | Goal::In { target, .. }
                | Goal::Within { target, .. }
                | Goal::Beside { target, .. }
                | Goal::Related { target, .. }
                | Goal::Inserted { target, .. },
            ) => {
                let target = target.as_str();
                let moves = |c: &Intent| c.object() == Some(target) && !self.holds(c, false);
                !self.busy.iter().any(|busy| busy == target)
                    && !self.constraints.clear_targets.contains(target)
                    && !self.intents.iter().any(moves)
            }
            Intent::Achieve(Goal::At { position, .. }) => {
                !self.constraints.clear_points.contains(&position.xy)
                    && self.busy_point != Some(position.xy)
            }
            _ => false,
        }
    }

    /// Returns true if an intent is about a drawer or door that blocked a motion.
    fn was_in_the_way(&self, intent: &Intent) -> bool {
        let blocked = |object: &str| self.constraints.blockers.iter().any(|b| b == object);
        let slides = matches!(intent.goal(), Some(Goal::Slid { .. } | Goal::OpenBy { .. }));
        slides && intent.object().is_some_and(blocked)
    }

    /// Returns the rule by which an object must stay where it is.
    pub(super) fn must_stay(&self, object: &str) -> Option<String> {
        must_stay(self.task, self.intents, self.request.percept, object)
    }

    /// Returns an explanation if the task forbids touching an obstacle.
    pub(super) fn may_touch(&self, object: &str) -> Result<(), String> {
        if let Some(rule) = self.must_stay(object) {
            let last = self.request.attempts.last();
            let why = last.map_or_else(String::new, |last| format!(": {}", last.describe()));
            return Err(format!("{object} is in the way, but {rule}{why}"));
        }
        Ok(())
    }

    pub(super) fn move_aside(&mut self, object: &str) -> Result<(), String> {
        self.may_touch(object)?;
        if let Some(push) = self.push_for(object, Goal::aside(object.into()).literal())? {
            return self.call(push);
        }
        self.take(object)?;
        self.put_aside(object)
    }

    /// Puts the held object out of the way, where it does not prevent the goals of other objects: on
    /// its loose support, if one of them holds only there.
    pub(super) fn put_aside(&mut self, held: &str) -> Result<(), String> {
        let others = self.intents.iter().filter(|intent| {
            let names_it = intent.targets().contains(&held);
            intent.object() != Some(held) && (names_it || !self.holds(intent, false))
        });
        let own = self.off.iter().filter(|i| i.object() == Some(held));
        let others: Vec<&Intent> = others.chain(own).collect();
        let (object, support) = (ObjectId::new(held), self.shared_support(held));
        let goal = match support {
            Some(target) => Goal::On { object, target },
            None => Goal::aside(object),
        };
        let mut achiever = achiever_of(goal.literal(), self.request)?;
        self.keep(&mut achiever, &others);
        let beside = others.into_iter().filter(|intent| {
            let is_beside = matches!(
                intent.goal(),
                Some(Goal::Beside { .. } | Goal::Between { .. })
            );
            let stays = |object| !self.now.place.contains_key(object);
            is_beside
                && intent.targets().contains(&held)
                && intent.object().is_some_and(stays)
                && is_met(intent, self.request) == Some(true)
        });
        let kept = beside.filter_map(|i| Some((i.object()?.to_owned(), vec![i.literal().0])));
        let kept: Vec<_> = kept.collect();
        self.call(achiever.call())?;
        self.now.place.extend(kept);
        Ok(())
    }

    /// Returns true if a pending intent places another object relative to this one.
    pub(super) fn is_reference(&self, object: &str) -> bool {
        self.referring_to(object).next().is_some()
    }

    /// Objects of the pending intents that place them relative to an object.
    fn referring_to<'s>(&'s self, object: &'s str) -> impl Iterator<Item = &'s str> {
        let pending = self.lasting().filter(|i| !self.holds(i, false));
        let referring = pending.filter(move |i| refers_to(i, object));
        referring
            .filter_map(Intent::object)
            .filter(move |o| *o != object)
    }

    /// Loose support of an object on which the task wants it, or an object to be placed relative to
    /// it.
    fn shared_support(&self, object: &str) -> Option<ObjectId> {
        let percept = self.request.percept;
        let seen = percept.object(&ObjectId::new(object))?;
        let mut there: Vec<&str> = self.referring_to(object).collect();
        if !there.is_empty() {
            there.push(object);
        }
        let own = self
            .lasting()
            .filter(|i| i.object().is_some_and(|o| there.contains(&o)));
        let mut supports = own.filter_map(|intent| match intent.goal()? {
            Goal::On { target, .. } | Goal::In { target, .. } => percept.object(target),
            _ => None,
        });
        let carries = |o: &&PerceivedObject| is_supported_by(seen, o) || is_inside(seen, o);
        let support = supports.find(|o| o.movable && carries(o))?;
        Some(support.id.clone())
    }

    /// Makes a call leave room for the goals of other objects, if its skill can.
    fn keep(&self, achiever: &mut Achiever<'_>, others: &[&Intent]) {
        if !achiever.operator.parameters.contains(&Operator::KEEPING) {
            return;
        }
        let goals = others
            .iter()
            .flat_map(|i| goals_of(i, self.request.percept));
        let is_place = |goal: &Goal| goal.literal().1 || matches!(goal, Goal::Off { .. });
        let kept = |goal: &Goal| goal.constrains_pose() && !goal.keeps_hold() && is_place(goal);
        let stated = goals.filter(kept).map(|goal| goal.to_string());
        let keeping = achiever.bound.entry(Operator::KEEPING.0.to_owned());
        keeping.or_default().extend(stated);
    }

    /// Pending intents of other objects to go to the same place, or to a place relative to this
    /// object, unless that is also relative to an object that goes elsewhere.
    fn to_follow(&self, intent: &Intent) -> Vec<&'a Intent> {
        let own = intent.object().unwrap_or_default();
        let there = intent.targets();
        let pending = || self.lasting().filter(|other| !self.holds(other, false));
        let leaves = |name: &&str| {
            let mut goals = pending().filter(|other| other.object() == Some(name));
            *name != own && goals.any(|other| other.targets() != there)
        };
        let others = pending().filter(|other| other.object() != Some(own));
        let follows = others.filter(|other| {
            let targets = other.targets();
            targets == there || refers_to(other, own) && !targets.iter().any(leaves)
        });
        follows.collect()
    }

    /// Appends a call. Fails if the robot lacks the skill.
    fn call(&mut self, call: SkillCall) -> Result<(), String> {
        let skills = self.request.skills;
        if !skills.iter().any(|s| s.name == call.skill) {
            let known: Vec<_> = skills.iter().map(|s| s.name.as_str()).collect();
            return Err(format!(
                "this needs the skill `{}`, which this robot does not have (skills: {})",
                call.skill,
                known.join(", ")
            ));
        }
        self.now.add(&call, skills);
        self.steps.push(call);
        Ok(())
    }
}

/// Returns true if an intent places its object relative to another one, which does not carry it.
fn refers_to(intent: &Intent, object: &str) -> bool {
    let goal = intent.goal();
    let is_relative = goal.is_some_and(|goal| {
        matches!(
            goal,
            Goal::Beside { .. } | Goal::Between { .. } | Goal::Related { .. }
        )
    });
    is_relative && intent.targets().contains(&object)
}
