//! Constraints learned from failures.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use nalgebra::Vector3;
use regrasp_api::{
    Fact, Goal, HandUse, JointKind, ObjectId, ObjectJoint, PerceivedObject, Percept, PlanRequest,
    PriorAttempt, Reason, Shape, SkillCall, SkillSpec, arguments_in_words,
};
use regrasp_relations::{is_inside, objects_in};
use serde_json::Value;

use super::remedy::{Remedy, remedy_for};
use crate::calls::{achiever_without_grasp, achievers, calls_by, is_call};
use crate::goals::carries;
use crate::search::was_cleared;
use regrasp_language::Intent;

#[derive(Clone, Debug, Default)]
pub(crate) struct FailureConstraints {
    /// True after an `object_covered` failure: the percept is then checked for objects that rest on
    /// others.
    pub(crate) look_beneath: bool,
    /// Objects that a skill reported as obstacles.
    pub(crate) in_the_way: BTreeSet<String>,
    pub(crate) clear_targets: BTreeSet<String>,
    /// Occupied points of the task.
    pub(crate) clear_points: Vec<[f64; 2]>,
    /// Objects that blocked a motion and were not moved since, and drawers and doors that were not
    /// closed since.
    pub(crate) blockers: Vec<String>,
    /// Drawers, and objects with a door, that were not open far enough for a call.
    pub(crate) open_wider: BTreeSet<String>,
    /// Objects without a feasible grasp that can be pushed to their place.
    pub(crate) no_grip: BTreeSet<String>,
    pub(crate) held: Option<String>,
    /// Calls that found no motion, although nothing that could be moved was in their way.
    no_motion: Vec<SkillCall>,
}

/// Number of identical failures in an unchanged scene up to which a call is tried again. Failures
/// that may be due to chance are retried and counted by the agent itself.
const MAX_UNCHANGED_RETRIES: usize = 1;
/// Number of identical failures in an episode up to which a call is tried again.
const MAX_RETRIES: usize = 2;
/// Fraction of the travel within which a joint counts as fully open.
const NEARLY: f64 = 0.02;

impl FailureConstraints {
    /// Learns from all attempts. Returns an explanation if the last failure cannot be repaired.
    pub(crate) fn learn(request: &PlanRequest<'_>, intents: &[Intent]) -> Result<Self, String> {
        let mut constraints = Self {
            held: request.held.map(|held| held.id.as_str().to_owned()),
            ..Self::default()
        };
        for attempt in request.attempts {
            constraints.add(attempt, request, intents);
        }
        if let Some(last) = request.attempts.last() {
            constraints.trust_about_hand(last);
            constraints.judge(last, request, intents)?;
        }
        Ok(constraints)
    }

    /// Learns the held object, which drawers to open further, and the failures about drawers, doors
    /// and objects that the search does not move; the search learns the rest as `Reasons`.
    pub(crate) fn beside_search(
        request: &PlanRequest<'_>,
        is_moved: impl Fn(&str) -> bool,
    ) -> Self {
        let barred = request.attempts.iter();
        let mut constraints = Self {
            held: request.held.map(|held| held.id.as_str().to_owned()),
            open_wider: barred.filter_map(|a| opens_wider(a, request)).collect(),
            ..Self::default()
        };
        for attempt in request.attempts {
            let object = text_arg(attempt, "object");
            if is_jointed(attempt, request) || object.is_some_and(|object| !is_moved(object)) {
                constraints.add(attempt, request, &[]);
            }
        }
        constraints.blockers.retain(|blocker| !is_moved(blocker));
        if let Some(last) = request.attempts.last() {
            constraints.trust_about_hand(last);
        }
        constraints
    }

    /// Adds the blockers of a call that were not moved since.
    fn block(&mut self, attempt: &PriorAttempt, request: &PlanRequest<'_>) {
        for blocker in self.blockers_of(attempt, request) {
            let was_moved = was_cleared(&blocker, attempt.step_idx, request);
            if !was_moved && !self.blockers.contains(&blocker) {
                self.blockers.push(blocker);
            }
        }
    }

    fn add(&mut self, attempt: &PriorAttempt, request: &PlanRequest<'_>, intents: &[Intent]) {
        if let Some(drawer) = opens_wider(attempt, request) {
            self.open_wider.insert(drawer);
        }
        let finds_no_motion = matches!(attempt.reason, Reason::Unreachable | Reason::NoGraspFound);
        if finds_no_motion && self.blockers_of(attempt, request).is_empty() {
            self.no_motion.extend(attempt.call().cloned());
        }
        let named = attempt.entities.iter().map(|id| id.as_str().to_owned());
        match remedy_for(&attempt.reason) {
            Remedy::Unstack => {
                self.look_beneath = true;
                self.in_the_way.extend(named);
            }
            Remedy::ClearTarget => {
                let is_left = |name: &String| !was_cleared(name, attempt.step_idx, request);
                self.in_the_way.extend(named.filter(is_left));
                if let Some(target) = target_arg(attempt) {
                    self.clear_targets.insert(target.to_owned());
                }
                self.clear_points.extend(point_arg(attempt));
            }
            Remedy::CheckWidth if self.is_for_a_push(attempt, request, intents) => {
                let object = text_arg(attempt, "object").unwrap_or_default();
                self.no_grip.insert(object.to_owned());
            }
            Remedy::ClearPath | Remedy::CheckWidth => self.block(attempt, request),
            _ => {}
        }
    }

    /// Returns true if an object that was not gripped can be pushed instead: it is too wide for the
    /// hand, or there are no neighbours to move away.
    fn is_for_a_push(
        &self,
        attempt: &PriorAttempt,
        request: &PlanRequest<'_>,
        intents: &[Intent],
    ) -> bool {
        let object = text_arg(attempt, "object").filter(|_| attempt.skill() == Some("pick"));
        let none_to_move = || {
            let mut blockers = self.blockers_of(attempt, request).into_iter();
            blockers.all(|b| self.blockers.contains(&b))
        };
        let Some(object) = object else {
            return false;
        };
        let is_flat = object_of(attempt, request).is_some_and(|o| is_flat_and_wide(o, request));
        can_be_pushed(object, request, intents) && (is_flat || none_to_move())
    }

    /// Returns a call of another skill for the same turn or shift, if `call` found no motion and
    /// the other skill did not fail likewise.
    pub(crate) fn instead_of(
        &self,
        call: &SkillCall,
        intent: &Intent,
        request: &PlanRequest<'_>,
    ) -> Option<SkillCall> {
        let has_failed = |own: &SkillCall| self.no_motion.iter().any(|call| is_call(call, own));
        let is_known = |own: &SkillCall| request.skills.iter().any(|s| s.name == own.skill);
        let mut same = calls_by(intent).into_iter();
        let other = same.find(|own| is_known(own) && !has_failed(own));
        other.filter(|_| has_failed(call))
    }

    /// Returns true if an object is better pushed than lifted: it cannot be gripped, or it would tip
    /// over with its load if it hung from one wall. With a load, it is lifted if the push failed.
    pub(crate) fn is_to_be_pushed(
        &self,
        object: &str,
        push: &SkillCall,
        request: &PlanRequest<'_>,
    ) -> bool {
        let would_tip = request.percept.object(&ObjectId::new(object));
        let would_tip = would_tip.is_some_and(|o| is_loaded_tray(o, request));
        self.no_grip.contains(object) || would_tip && !self.was_refused(push, request)
    }

    /// Returns true for a push that was preferred to a grasp, and not asked for.
    fn is_preferred_push(
        &self,
        call: &SkillCall,
        request: &PlanRequest<'_>,
        intents: &[Intent],
    ) -> bool {
        let spec = request.skills.iter().find(|spec| spec.name == call.skill);
        let object = call.args.get("object").and_then(Value::as_str);
        let object = object.filter(|object| !self.no_grip.contains(*object));
        let seen = object.and_then(|object| request.percept.object(&ObjectId::new(object)));
        let mut own = intents.iter().flat_map(calls_by);
        spec.is_some_and(|spec| spec.hand == HandUse::Empty)
            && seen.is_some_and(|o| is_loaded_tray(o, request))
            && !own.any(|own| is_call(call, &own))
    }

    /// Returns true if a call failed, and nothing that could be moved was in its way.
    fn was_refused(&self, call: &SkillCall, request: &PlanRequest<'_>) -> bool {
        request.attempts.iter().any(|attempt| {
            let is_same = attempt.call().is_some_and(|failed| is_call(failed, call));
            is_same && self.blockers_of(attempt, request).is_empty()
        })
    }

    /// Corrects which object counts as held. A skill that felt the hand is more reliable than the
    /// planner's state.
    fn trust_about_hand(&mut self, last: &PriorAttempt) {
        match last.reason {
            Reason::GripperEmpty => self.held = None,
            Reason::GripperOccupied if self.held.is_none() => {
                self.held = last.entities.first().map(|id| id.as_str().to_owned());
            }
            _ => {}
        }
    }

    /// Returns an explanation if the last failure leaves nothing to try.
    fn judge(
        &self,
        last: &PriorAttempt,
        request: &PlanRequest<'_>,
        intents: &[Intent],
    ) -> Result<(), String> {
        // A missing skill is reported when a plan of this planner needs it. The failed call of any
        // other unknown skill came from another planner.
        if last.reason == Reason::UnknownSkill {
            return Ok(());
        }
        if let Some(call) = last.call() {
            let mut same = intents
                .iter()
                .filter(|i| calls_by(i).iter().any(|own| is_call(call, own)));
            if same.any(|intent| self.instead_of(call, intent, request).is_some()) {
                return Ok(());
            }
            // The object is lifted instead.
            if self.is_preferred_push(call, request, intents) && self.was_refused(call, request) {
                return Ok(());
            }
        }
        match remedy_for(&last.reason) {
            Remedy::OutOfReach => return Err(out_of_reach(last, request.skills)),
            Remedy::GiveUp => return Err(last.describe()),
            Remedy::CheckWidth if self.has_no_grip(last) => return Ok(()),
            // The width of a drawer or door is irrelevant, since it is gripped by its handle.
            Remedy::CheckWidth if is_jointed(last, request) => {
                let helps = self.changes_something(last, request);
                helps.then_some(()).ok_or_else(|| last.describe())?;
            }
            Remedy::CheckWidth if !self.may_be_held_by_a_part(last, request) => {
                too_wide(last, request)?;
            }
            Remedy::Disambiguate => undecided(last, intents)?,
            Remedy::LookAgain => not_there(last, request)?,
            _ => {}
        }
        self.within_retries(last, request)
    }

    fn has_no_grip(&self, last: &PriorAttempt) -> bool {
        text_arg(last, "object").is_some_and(|object| self.no_grip.contains(object))
    }

    /// Returns true if obstacles surround an object that may have a rim or a handle, so that its
    /// width is not decisive.
    fn may_be_held_by_a_part(&self, last: &PriorAttempt, request: &PlanRequest<'_>) -> bool {
        let object = object_of(last, request);
        object.is_some_and(|o| o.movable && matches!(o.shape, Shape::Compound { .. }))
            && !self.blockers_of(last, request).is_empty()
    }

    fn within_retries(&self, last: &PriorAttempt, request: &PlanRequest<'_>) -> Result<(), String> {
        let what = |a: &PriorAttempt| {
            let target = target_arg(a).map(str::to_owned);
            (target, ["object", "x", "y"].map(|key| a.arg(key).cloned()))
        };
        // Other arguments, such as the force, do not distinguish failures.
        let same = |a: &&PriorAttempt| {
            let is_alike = a.skill() == last.skill() && a.reason == last.reason;
            // Failures with different obstacles count separately.
            is_alike && what(a) == what(last) && a.entities == last.entities
        };
        let n_same = request.attempts.iter().filter(same).count();
        let is_futile =
            last.n_alike > MAX_UNCHANGED_RETRIES && !self.changes_something(last, request);
        if n_same <= MAX_RETRIES && !is_futile {
            return Ok(());
        }
        let n = n_same.max(last.n_alike);
        let varied = last.varied.as_ref();
        let varied = varied.map_or_else(String::new, |args| {
            format!(", also with {}", arguments_in_words(args))
        });
        Err(format!(
            "{}; the same failure occurred {n} times{varied}",
            last.describe()
        ))
    }

    /// Returns true if the remedy makes a change before the same step is repeated.
    fn changes_something(&self, last: &PriorAttempt, request: &PlanRequest<'_>) -> bool {
        match remedy_for(&last.reason) {
            Remedy::Retry => false,
            Remedy::ClearPath | Remedy::CheckWidth => {
                !self.blockers_of(last, request).is_empty() || opens_wider(last, request).is_some()
            }
            _ => true,
        }
    }

    fn blockers_of(&self, attempt: &PriorAttempt, request: &PlanRequest<'_>) -> Vec<String> {
        blockers(attempt, self.held.as_deref(), request)
    }
}

/// Obstacles of a skill that can be moved aside, and open drawers and doors that can be closed,
/// without the objects of the call itself, what carries its object, and the parts that give access
/// to them. Those to which the goals of the place refer count only if there are no others.
pub(crate) fn blockers(
    attempt: &PriorAttempt,
    held: Option<&str>,
    request: &PlanRequest<'_>,
) -> Vec<String> {
    let percept = request.percept;
    let then = attempt.arg("then").and_then(|then| then["target"].as_str());
    let involved = [text_arg(attempt, "object"), target_arg(attempt), then, held];
    let involved: Vec<&str> = involved.into_iter().flatten().collect();
    let named = attempt.entities.iter();
    let object = text_arg(attempt, "object").map(ObjectId::new);
    // What carries the object would take it along.
    let is_below = |id: &ObjectId| object.as_ref().is_some_and(|o| carries(percept, id, o));
    let named = named.filter(|id| !involved.contains(&id.as_str()) && !is_below(id));
    let (loose, others): (Vec<_>, Vec<_>) = named.partition(|id| percept.is_loose(id));
    let open = others.into_iter().filter(|id| {
        let is_access = |name: &&str| gives_access(percept, id, name);
        let closed = (Fact::new("open", &[id.as_str()]), false);
        open_joint(percept, id).is_some()
            && !involved.iter().any(is_access)
            && achievers(closed, request.skills).next().is_some()
    });
    let open: Vec<&ObjectId> = open.collect();
    // The contents of a drawer move with it.
    let stays = |id: &&ObjectId| !open.iter().any(|part| is_in(percept, id, part));
    let blockers = loose.into_iter().filter(stays).chain(open.iter().copied());
    let referred = goals_met(attempt);
    let is_referred = |id: &&ObjectId| referred.iter().any(|goal| goal.objects().contains(id));
    let (referred, others): (Vec<_>, Vec<_>) = blockers.partition(is_referred);
    let first = if others.is_empty() { referred } else { others };
    first.into_iter().map(ObjectId::to_string).collect()
}

/// Further goals that the place of a failed call, or of the call after it, should meet.
fn goals_met(attempt: &PriorAttempt) -> Vec<Goal> {
    let next = attempt.arg("then").and_then(|then| then.get("meeting"));
    let stated = attempt.arg("meeting").or(next).and_then(Value::as_array);
    let facts = stated.into_iter().flatten().filter_map(Value::as_str);
    let facts = facts.filter_map(|text| text.parse::<Fact>().ok());
    facts.map(Goal::from).collect()
}

/// Joint of a drawer or door that is not closed.
pub(crate) fn open_joint<'p>(percept: &'p Percept, part: &ObjectId) -> Option<&'p ObjectJoint> {
    let mut joints = percept.joints.iter();
    joints.find(|j| &j.child == part && j.opens() && !j.is_closed())
}

/// Returns true if an object is reached only while a drawer or door is open.
fn gives_access(percept: &Percept, part: &ObjectId, object: &str) -> bool {
    let own = access_joint(percept, object).is_some_and(|joint| &joint.child == part);
    let door = open_joint(percept, part).filter(|joint| joint.kind == JointKind::Revolute);
    let mut wholes = std::iter::once(part).chain(door.map(|door| &door.parent));
    own || wholes.any(|whole| is_in(percept, &ObjectId::new(object), whole))
}

fn is_in(percept: &Percept, object: &ObjectId, whole: &ObjectId) -> bool {
    let both = percept.object(object).zip(percept.object(whole));
    both.is_some_and(|(object, whole)| is_inside(object, whole))
}

fn out_of_reach(last: &PriorAttempt, skills: &[SkillSpec]) -> String {
    // A plain `push` or `pull` has to reach the object, so it cannot help.
    let moves = |s: &&SkillSpec| {
        let mut verbs = ["push", "pull"].iter();
        verbs.any(|verb| s.name.starts_with(verb) && s.name != *verb)
    };
    let means = match skills.iter().find(moves) {
        Some(skill) => format!("this planner does not know how `{}` could help", skill.name),
        None => "no skill could bring it nearer".to_owned(),
    };
    format!("{}; {means}", last.describe())
}

/// Returns true if the call was about a drawer, a door or another part on a joint.
fn is_jointed(attempt: &PriorAttempt, request: &PlanRequest<'_>) -> bool {
    let id = text_arg(attempt, "object").map(ObjectId::new);
    id.is_some_and(|id| request.percept.joint_of(&id).is_some())
}

/// Returns an explanation if the object is fixed, or too wide for the hand in every direction.
fn too_wide(last: &PriorAttempt, request: &PlanRequest<'_>) -> Result<(), String> {
    let Some(object) = object_of(last, request) else {
        return Ok(());
    };
    if !object.movable {
        return Err(format!("{} is fixed", object.id));
    }
    match wider_than_hand(object, request) {
        Some(why) => Err(format!("{why}: {}", last.describe())),
        None => Ok(()),
    }
}

/// Returns an explanation if no hand could grip an object of one part, and nothing else serves.
pub(super) fn check_grip(
    object: &str,
    request: &PlanRequest<'_>,
    intents: &[Intent],
) -> Result<(), String> {
    let seen = request.percept.object(&ObjectId::new(object));
    let solid = seen.filter(|o| !matches!(o.shape, Shape::Compound { .. }));
    let too_wide = solid.and_then(|o| wider_than_hand(o, request));
    match too_wide.filter(|_| !can_be_pushed(object, request, intents)) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// Returns an explanation if an object is wider than the hand in every horizontal direction. One of
/// several parts may still have a rim or a handle.
fn wider_than_hand(object: &PerceivedObject, request: &PlanRequest<'_>) -> Option<String> {
    let (id, opening_m) = (&object.id, request.robot.gripper.max_width_m);
    let width_m = smallest_width(object);
    (width_m > opening_m).then(|| {
        format!("{id} is at least {width_m:.3} m wide and the hand opens to {opening_m:.3} m")
    })
}

/// Returns true if a goal about an object can be achieved without a grasp, or if there is none, so
/// that the object is only in the way.
fn can_be_pushed(object: &str, request: &PlanRequest<'_>, intents: &[Intent]) -> bool {
    let is_pushed = |goal: &Goal| achiever_without_grasp(goal.literal(), request).is_some();
    let own = intents.iter().filter(|c| c.object() == Some(object));
    let mut own = own.filter_map(Intent::goal).peekable();
    match own.peek() {
        Some(_) => own.any(|goal| goal.constrains_pose() && is_pushed(goal)),
        None => is_pushed(&Goal::aside(object.into())),
    }
}

/// Returns the target or container of a failed call, and the joint of its drawer or door, if
/// opening the joint further could make room.
fn barring<'p>(
    attempt: &PriorAttempt,
    request: &PlanRequest<'p>,
) -> Option<(String, &'p ObjectJoint)> {
    let is_barred = matches!(
        attempt.reason,
        Reason::PathBlocked | Reason::GoalInCollision | Reason::Unreachable | Reason::NoGraspFound
    );
    let whole = match attempt.skill().filter(|_| is_barred)? {
        "place_on" => target_arg(attempt).map(str::to_owned)?,
        "place_beside" => container_of(request.percept, target_arg(attempt)?)?,
        "pick" => container_of(request.percept, text_arg(attempt, "object")?)?,
        _ => return None,
    };
    let joint = access_joint(request.percept, &whole)?;
    Some((whole, joint))
}

/// Returns the drawer or container that [bars](barring) a call, if it is neither closed nor fully
/// open.
fn opens_wider(attempt: &PriorAttempt, request: &PlanRequest<'_>) -> Option<String> {
    let (whole, joint) = barring(attempt, request)?;
    let can_be_opened = joint.opening < (1.0 - NEARLY) * joint.travel;
    (can_be_opened && !joint.is_closed()).then_some(whole)
}

/// Returns true if the drawer or container that [bars](barring) a call can be opened further, or
/// was opened since.
pub(crate) fn is_widened(attempt: &PriorAttempt, request: &PlanRequest<'_>) -> bool {
    let was_opened = |joint: &ObjectJoint| {
        let mut since = request.completed.iter();
        since.any(|step| {
            step.step_idx > attempt.step_idx && step.call.args["object"] == joint.child.as_str()
        })
    };
    opens_wider(attempt, request).is_some()
        || barring(attempt, request).is_some_and(|(_, joint)| was_opened(joint))
}

/// Returns the drawer, or the object with a door, that holds an object.
pub(crate) fn container_of(percept: &Percept, object: &str) -> Option<String> {
    let own = percept.object(&ObjectId::new(object))?;
    let center = own.aabb_in_world().center();
    let is_around = |whole: &&PerceivedObject| {
        let joint = access_joint(percept, whole.id.as_str());
        joint.is_some_and(|joint| match joint.kind {
            JointKind::Prismatic => is_inside(own, whole),
            JointKind::Revolute => {
                whole.id == joint.parent && whole.aabb_in_world().contains(&center)
            }
        })
    };
    let volume = |o: &PerceivedObject| o.aabb_in_world().size().product();
    let around = percept.objects.iter().filter(is_around);
    let innermost = around.min_by(|a, b| volume(a).total_cmp(&volume(b)))?;
    Some(innermost.id.to_string())
}

/// Returns the joint that gives access to a target: the target's own if it is a drawer, or that of
/// a door on it.
pub(crate) fn access_joint<'p>(percept: &'p Percept, target: &str) -> Option<&'p ObjectJoint> {
    let id = ObjectId::new(target);
    let is_door = |j: &&ObjectJoint| j.parent == id && j.kind == JointKind::Revolute;
    let mut doors = percept.joints.iter().filter(is_door);
    let joint = percept.joint_of(&id).or_else(|| doors.next());
    joint.filter(|joint| joint.opens())
}

/// Returns the joint of a drawer, or of another hollow part; a closed lid or door carries objects
/// as it is.
pub(crate) fn drawer_joint<'p>(percept: &'p Percept, part: &ObjectId) -> Option<&'p ObjectJoint> {
    let is_hollow = || Some(percept.object(part)?.shape.cavity().is_some());
    let mut joints = percept.joints.iter();
    let joint = joints.find(|joint| joint.child == *part && joint.opens())?;
    let is_drawer = joint.kind == JointKind::Prismatic || is_hollow() == Some(true);
    is_drawer.then_some(joint)
}

/// Returns true if an object is wider than the hand and lower than half its width, so that it does
/// not tip over when pushed.
fn is_flat_and_wide(object: &PerceivedObject, request: &PlanRequest<'_>) -> bool {
    let width_m = smallest_width(object);
    width_m > request.robot.gripper.max_width_m && object.aabb_in_world().size().z < 0.5 * width_m
}

/// Returns true for a loose object with a load; a drawer is not lifted anyway.
fn is_loaded_tray(object: &PerceivedObject, request: &PlanRequest<'_>) -> bool {
    request.percept.is_loose(&object.id)
        && is_flat_and_wide(object, request)
        && !objects_in(request.percept, object).is_empty()
}

/// Smallest horizontal width between two parallel fingers, m.
fn smallest_width(object: &PerceivedObject) -> f64 {
    const N_DIRECTIONS: usize = 36;
    let widths = (0..N_DIRECTIONS).map(|i| {
        let angle = PI * i as f64 / N_DIRECTIONS as f64;
        let closing_in_world = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let shape = &object.shape;
        shape.width_along(&object.world_from_object, &closing_in_world)
    });
    widths.fold(f64::INFINITY, f64::min)
}

/// Returns an explanation if a skill found an object ambiguous although it was named by its id.
fn undecided(last: &PriorAttempt, intents: &[Intent]) -> Result<(), String> {
    let got = text_arg(last, "object").or_else(|| target_arg(last));
    let mut names = intents
        .iter()
        .flat_map(|c| c.object().into_iter().chain(c.targets()));
    match got {
        Some(got) if names.any(|name| name == got) => Err(last.describe()),
        _ => Ok(()),
    }
}

/// Returns an explanation if an object is not seen, and the same call has failed twice for this
/// reason. Perception misses objects at random, so one failure is not enough.
fn not_there(last: &PriorAttempt, request: &PlanRequest<'_>) -> Result<(), String> {
    let name = text_arg(last, "object").or_else(|| target_arg(last));
    let Some(name) = name else {
        return Ok(());
    };
    let seen_now = request.percept.object(&ObjectId::new(name)).is_some();
    let args = |a: &PriorAttempt| a.call().map(|call| call.args.clone());
    let same = |a: &&PriorAttempt| a.reason == last.reason && args(a) == args(last);
    let n_times = request.attempts.iter().filter(same).count();
    if seen_now || n_times < 2 {
        Ok(())
    } else {
        Err(last.describe())
    }
}

/// Perceived object of a call.
fn object_of<'r>(attempt: &PriorAttempt, request: &PlanRequest<'r>) -> Option<&'r PerceivedObject> {
    let id = ObjectId::new(text_arg(attempt, "object")?);
    request.percept.object(&id)
}

fn text_arg<'a>(attempt: &'a PriorAttempt, key: &str) -> Option<&'a str> {
    attempt.arg(key).and_then(Value::as_str)
}

/// Object on, in or beside which a call places or pushes another.
pub(super) fn target_arg(attempt: &PriorAttempt) -> Option<&str> {
    text_arg(attempt, "target").or_else(|| text_arg(attempt, "beside"))
}

pub(super) fn point_arg(attempt: &PriorAttempt) -> Option<[f64; 2]> {
    let number = |key: &str| attempt.arg(key).and_then(Value::as_f64);
    Some([number("x")?, number("y")?])
}
