//! Affordances and states of objects: carrying or holding others, being pressed or set, being open
//! or empty.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, ObjectJoint, PerceivedGroup, PerceivedObject, Pose};
use regrasp_relations::{count_in, members_in};

use crate::lexicon::KINDS;
use crate::reader::Reader;
use crate::referent::{Meant, Referent};
use crate::words::{Names, words_of};

/// Largest ratio of height to width of an object that carries others on top. The limit for hollow
/// objects is lower, which separates trays from bowls.
const FLAT: f64 = 0.4;
const FLAT_HOLLOW: f64 = 0.25;
/// Least length of an object that carries others, m.
const LONG_M: f64 = 0.1;

impl Reader<'_> {
    /// Returns true if nothing can be put into or onto the object.
    pub(crate) fn is_small(&self, thing: &Referent) -> bool {
        let object = self.object(thing);
        object.is_some_and(|o| o.movable && !self.is_receptacle(o))
    }

    pub(crate) fn is_receptacle(&self, object: &PerceivedObject) -> bool {
        object.shape.cavity().is_some() || self.is_flat(object)
    }

    /// Returns true if objects can stand on this one, as on a plate.
    pub(crate) fn is_flat(&self, object: &PerceivedObject) -> bool {
        !object.movable || is_low(object)
    }

    pub(crate) fn is_called(&self, object: &PerceivedObject, word: &str) -> bool {
        let names = Names::of(object);
        names.fit(&[word.to_owned()], self.lexicon).is_some()
    }

    /// Returns true if the object is called by a word with a trait.
    pub(crate) fn is_called_any(&self, object: &PerceivedObject, with: &str) -> bool {
        let mut words = KINDS.with(with).iter();
        words.any(|word| self.is_called(object, word))
    }

    pub(crate) fn is_hollow(&self, thing: &Referent) -> bool {
        let has_inside = |o: &PerceivedObject| !self.scene.insides_of(&o.id).is_empty();
        let object = self.object(thing);
        object.is_some_and(|o| o.shape.cavity().is_some() || has_inside(o))
    }

    /// Scores how well an object can replace another in a correction: 2 if both have the same noun,
    /// 1 if both are places, containers or other objects, else 0.
    pub(crate) fn likeness(&self, a: &Meant, b: &Meant) -> u8 {
        let kind = |meant: &Meant| {
            let first = meant.things.first()?;
            let object = self.object(first)?;
            let is_place = first.zone().is_some() || !object.movable;
            Some((is_place, !is_place && object.shape.cavity().is_some()))
        };
        match a.noun.last() == b.noun.last() && a.noun.last().is_some() {
            true => 2,
            false => u8::from(kind(a) == kind(b)),
        }
    }

    /// Returns true if objects can be put into the object, or the zone.
    pub(crate) fn has_inside(&self, thing: &Referent) -> bool {
        thing.zone().is_some() || self.is_hollow(thing)
    }

    /// Returns true if the object goes over the target, as a ring over a peg.
    pub(crate) fn goes_over(&self, object: &ObjectId, target: &Referent) -> bool {
        let connection = self.scene.percept.connection(object, target.id());
        connection.is_some_and(|connection| connection.over) && target.zone().is_none()
    }

    /// Returns true if the child of a joint belongs to an object.
    pub(crate) fn is_part(&self, joint: &ObjectJoint, thing: &Referent) -> bool {
        &joint.parent == thing.id() || self.scene.percept.whole_of(&joint.child) == Some(thing.id())
    }

    pub(crate) fn are_buttons(&self, meant: &Meant) -> bool {
        meant.things.iter().all(|thing| self.is_button(thing))
    }

    pub(crate) fn is_button(&self, thing: &Referent) -> bool {
        let presses = self.joint(thing).is_some_and(|j| j.presses.is_some());
        let is_called = |o: &PerceivedObject| {
            let mut words = words_of(&o.category).into_iter();
            words.any(|word| KINDS.with("pressed").contains(&word))
        };
        presses || self.object(thing).is_some_and(is_called)
    }

    pub(crate) fn is_table(&self, thing: &Referent) -> bool {
        let table = self.scene.percept.table();
        table.is_some_and(|table| table.id == *thing.id())
    }

    /// Returns true if an object is a part of another: a drawer of its cabinet, a burner of a
    /// stove.
    pub(crate) fn belongs(&self, thing: &Referent, whole: &Referent) -> bool {
        match thing {
            Referent::Zone(of, _) => of == whole.id(),
            Referent::Object(id) => {
                let joint = self.joint(thing);
                joint.is_some_and(|j| &j.parent == whole.id())
                    || id.as_str().starts_with(&format!("{}_", whole.id()))
            }
        }
    }

    /// Returns true if an object is open, closed, on, off, empty, full, covered, clear or held.
    pub(crate) fn is_state(&self, thing: &Referent, state: &str) -> bool {
        let Some(object) = self.object(thing) else {
            return false;
        };
        let parts = self.parts_with(thing, state).into_iter();
        let mut joints = parts.filter_map(|part| self.joint(&part));
        let is_closed = |joint: &ObjectJoint| match self.context.openings.get(&joint.child) {
            Some(opening) if self.context.is_after => *opening == Some(0.0),
            _ => joint.is_closed(),
        };
        let has = |relation: &str| self.loose().any(|o| self.lies(relation, o, thing));
        let is_filled = || has("in") || has("on") || count_in(self.scene.percept, object) > 0;
        match state {
            // Half open is open.
            "open" | "on" => joints.any(|joint| !is_closed(joint)),
            "closed" | "off" => joints.clone().count() > 0 && joints.all(is_closed),
            "empty" => !is_filled(),
            "full" => is_filled(),
            "clear" => !has("on"),
            "covered" => has("on"),
            "held" => self.scene.held == Some(&object.id),
            _ => false,
        }
    }

    /// Parts whose joints decide about a state: the microwave is open if its door is, and the stove
    /// on if its knob is.
    pub(crate) fn parts_with(&self, thing: &Referent, state: &str) -> Vec<Referent> {
        match state {
            "open" | "closed" => self.moving(thing, ObjectJoint::opens),
            "on" | "off" => self.moving(thing, ObjectJoint::is_set),
            _ => vec![],
        }
    }

    /// Returns the container with most members of a group. To pour "the beads" is to pour their
    /// container.
    pub(crate) fn holder(&self, group: &PerceivedGroup) -> Option<ObjectId> {
        let counts = self.loose().map(|o| (members_in(group, o).len(), o));
        let (n, holder) = counts.max_by_key(|(n, _)| *n)?;
        (n > 0).then(|| holder.id.clone())
    }
}

/// Returns an object's size along its own axes, m, the most nearly vertical axis as z. Unlike the
/// bounding box in World, it does not grow when the object is turned.
pub(crate) fn size_of(object: &PerceivedObject) -> Vector3<f64> {
    let mut size = object.shape.aabb(&Pose::identity()).size();
    let up = object.world_from_object.rotation.inverse() * Vector3::z();
    size.swap_rows(up.iamax(), 2);
    size
}

/// Returns true if the object is long and low, so that its sides are places on it.
pub(crate) fn is_low(object: &PerceivedObject) -> bool {
    let size = size_of(object);
    let width_m = size.x.min(size.y);
    let most = match object.shape.cavity() {
        Some(_) => FLAT_HOLLOW,
        None => FLAT,
    };
    size.xy().max() >= LONG_M && size.z <= most * width_m
}
