//! Clears objects that prevent an intent.

use regrasp_api::{Goal, ObjectId, PerceivedObject, Point, PriorAttempt, Reason};
use regrasp_relations::{bears, footprints_overlap, is_inside, is_supported_by};

use super::failure_constraints::{open_joint, point_arg, target_arg};
use super::sequence::Sequence;
use crate::goals::{occupies, radius_m};
use crate::search::on;
use regrasp_language::Intent;

impl<'a> Sequence<'a> {
    /// Objects that rest on another: those that this plan put there, and after an `object_covered`
    /// failure also those that are perceived there.
    pub(super) fn covers_of(&self, object: &str) -> Vec<String> {
        let put = self.now.place.keys();
        let put = put.filter(|name| self.now.is_at(name, &on(name, object)));
        let mut covers: Vec<String> = put.cloned().collect();
        let below = self.request.percept.object(&ObjectId::new(object));
        let look = self.constraints.look_beneath && !self.now.place.contains_key(object);
        if let Some(below) = below.filter(|_| look) {
            let seen = self.still_there().filter(|o| {
                let named = self.constraints.in_the_way.contains(o.id.as_str());
                // Contents move with their container and do not cover it.
                !is_inside(o, below) && (bears(below, o) || (named && is_above(o, below)))
            });
            covers.extend(seen.map(|o| o.id.as_str().to_owned()));
        }
        covers
    }

    /// Loose objects outside the hand that this plan has not moved.
    fn still_there(&self) -> impl Iterator<Item = &'a PerceivedObject> {
        let objects = self.request.percept.objects.iter();
        objects.filter(|o| {
            let name = o.id.as_str();
            self.request.percept.is_loose(&o.id)
                && !self.now.place.contains_key(name)
                && self.now.held.as_deref() != Some(name)
        })
    }

    /// Moves the objects that blocked the arm, each once, and closes drawers and doors that did.
    pub(super) fn clear_path(&mut self) -> Result<(), String> {
        let blockers = self.constraints.blockers.iter();
        let mut blockers: Vec<_> = blockers
            .filter(|blocker| self.now.held.as_ref() != Some(blocker))
            .collect();
        // If some blockers may be moved, those that must stay are ignored: moving the others may be
        // enough.
        let may_go = |blocker: &&String| self.must_stay(blocker).is_none();
        if blockers.iter().any(may_go) {
            blockers.retain(may_go);
        }
        // If the held object could not be put down, it goes to its place once the path is clear,
        // before the blockers return to their places.
        let last = self.request.attempts.last();
        let held = self.now.held.clone();
        let target = last.and_then(target_arg).map(str::to_owned);
        let point = last.and_then(point_arg);
        let n_before = self.busy.len();
        let is_placed = target.is_some() || point.is_some();
        if let (Some(last), Some(held)) = (last, held.as_deref().filter(|_| is_placed))
            && blockers.is_empty()
            && self.may_fit_with_another_grasp(last)
        {
            let note =
                format!("{held} has no room with this grasp: put it down and grasp it again");
            self.notes.push(note);
            return self.put_aside(held);
        }
        let is_stuck = !blockers.is_empty() && held.is_some() && is_placed;
        self.busy_point = point.filter(|_| is_stuck);
        self.busy.extend(target.filter(|_| is_stuck));
        self.busy
            .extend(last.map_or_else(Vec::new, |last| self.barred_by(last)));
        for blocker in blockers {
            if open_joint(self.request.percept, &ObjectId::new(blocker)).is_some() {
                self.notes
                    .push(format!("{blocker} is in the way: close it"));
                self.may_touch(blocker)?;
                let (object, open) = (blocker.as_str().into(), false);
                self.carry_out(&Goal::Slid { object, open }.into(), &[])?;
                continue;
            }
            if let Some(own) = self.pending_of(blocker) {
                self.notes.push(format!(
                    "{blocker} is in the way: put it in its place first"
                ));
                self.carry_out(own, &[])?;
                continue;
            }
            self.notes
                .push(format!("{blocker} is in the way: move it aside"));
            self.move_aside(blocker)?;
        }
        self.busy.truncate(n_before);
        self.busy_point = None;
        if is_stuck {
            let own = held.as_deref().and_then(|held| self.pending_of(held));
            own.map_or(Ok(()), |own| self.carry_out(own, &[]))?;
        }
        Ok(())
    }

    /// Returns true for the first failure of a placement at which the hand had no room. From another
    /// place, the object may be grasped in a way that leaves room.
    fn may_fit_with_another_grasp(&self, last: &PriorAttempt) -> bool {
        let attempts = self.request.attempts.iter();
        let n_same = attempts.filter(|a| a.call() == last.call()).count();
        last.reason == Reason::GoalInCollision && n_same == 1
    }

    /// The drawer or door that a failed call was about, and the object that it belongs to. Nothing
    /// can be put into them until the drawer or door has moved.
    fn barred_by(&self, last: &PriorAttempt) -> Vec<String> {
        let object = last.arg("object").and_then(|object| object.as_str());
        let mut joints = self.request.percept.joints.iter();
        let joint = joints.find(|j| Some(j.child.as_str()) == object);
        let both = joint.map(|j| [&j.child, &j.parent].map(ObjectId::to_string));
        both.into_iter().flatten().collect()
    }

    pub(super) fn make_room_on(&mut self, target: &str, object: &str) -> Result<(), String> {
        let below = self.request.percept.object(&ObjectId::new(target));
        let Some(below) = below.filter(|_| self.constraints.clear_targets.contains(target)) else {
            return Ok(());
        };
        // A plate that leans on a bowl has no level place until the bowl is gone.
        let is_beside = |o: &PerceivedObject| {
            self.constraints.in_the_way.contains(o.id.as_str()) && footprints_overlap(o, below, 0.0)
        };
        let on_it = self
            .still_there()
            .filter(|o| o.id != below.id && (is_supported_by(o, below) || is_beside(o)));
        let belongs_there = |name: &str| {
            let belongs = |c: &Intent| c.literal() == (on(name, target), true);
            self.intents.iter().any(belongs)
        };
        let occupants = on_it.map(|o| o.id.as_str().to_owned());
        let occupants: Vec<_> = occupants
            .filter(|name| name != object && !belongs_there(name))
            .collect();
        self.busy.push(target.to_owned());
        self.clear(&occupants, target)?;
        self.busy.pop();
        Ok(())
    }

    /// Moves away objects that a skill reported at the place beside `target`.
    pub(super) fn make_room_beside(&mut self, target: &str, object: &str) -> Result<(), String> {
        if !self.constraints.clear_targets.contains(target) {
            return Ok(());
        }
        let named = self.still_there().filter(|o| {
            let name = o.id.as_str();
            self.constraints.in_the_way.contains(name) && name != object && name != target
        });
        let occupants: Vec<_> = named.map(|o| o.id.as_str().to_owned()).collect();
        self.clear(&occupants, &format!("the place beside {target}"))
    }

    /// Moves objects away from a point: those that a failure named, and those that stand on the
    /// point, since the goal is the surface below them.
    pub(super) fn make_room_at(&mut self, point: Point, object: &str) -> Result<(), String> {
        let is_known = self.constraints.clear_points.contains(&point.xy);
        let radius_m = radius_m(self.request.percept, object);
        let near = self.still_there().filter(|o| {
            let named = is_known && self.constraints.in_the_way.contains(o.id.as_str());
            let away_m = o.aabb_in_world().distance_xy(point.xy);
            let stands_there = away_m == 0.0;
            o.id.as_str() != object
                && (stands_there || named && away_m < 2.0 * radius_m)
                && occupies(self.request.percept, o, object, point)
        });
        let occupants: Vec<_> = near.map(|o| o.id.as_str().to_owned()).collect();
        self.clear(&occupants, "the place")
    }

    /// Moves objects away from a place; those to which pending goals refer only if there are no
    /// others.
    fn clear(&mut self, occupants: &[String], place: &str) -> Result<(), String> {
        let is_other = |occupant: &&String| !self.is_reference(occupant);
        let others: Vec<&String> = occupants.iter().filter(is_other).collect();
        let first = match others.as_slice() {
            [] => occupants.iter().collect(),
            _ => others,
        };
        for occupant in first {
            self.notes
                .push(format!("{occupant} occupies {place}: move it away"));
            self.move_aside(occupant)?;
        }
        Ok(())
    }
}

/// Returns true if an object overlaps another seen from above and begins above its centre.
fn is_above(object: &PerceivedObject, below: &PerceivedObject) -> bool {
    let (top, bottom) = (object.aabb_in_world(), below.aabb_in_world());
    footprints_overlap(object, below, 0.0) && top.min[2] > bottom.center().z
}
