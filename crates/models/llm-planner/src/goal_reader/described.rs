//! Objects of a scene, described for a model.

use std::collections::BTreeMap;

use regrasp_api::{ObjectId, ObjectJoint, PerceivedObject, PlanRequest};
use regrasp_relations::{footprints_overlap, is_supported_by};

use crate::data::says;
use crate::{MAX_LABEL, Names, clean};

/// Largest gap between objects that are listed as near each other, m.
const NEAR_M: f64 = 0.12;
/// Largest number of objects that are listed as near another.
const MAX_NEAR: usize = 2;

/// A scene in words.
pub(super) struct Described<'a> {
    request: &'a PlanRequest<'a>,
    names: &'a Names,
    /// Support of most objects, which is left out of the descriptions.
    pub(super) ground: Option<&'a ObjectId>,
}

impl<'a> Described<'a> {
    pub(super) fn new(request: &'a PlanRequest<'a>, names: &'a Names) -> Self {
        let objects = &request.percept.objects;
        let mut carried: BTreeMap<&ObjectId, usize> = BTreeMap::new();
        for object in objects {
            let below = objects.iter();
            for below in below.filter(|below| rests_on(request, object, below)) {
                *carried.entry(&below.id).or_default() += 1;
            }
        }
        let ground = carried.into_iter().max_by_key(|(_, n)| *n);
        Self {
            request,
            names,
            ground: ground.filter(|(_, n)| *n > 1).map(|(id, _)| id),
        }
    }

    /// Describes an object: its name, properties that the name does not contain, its support, and
    /// nearby objects.
    pub(super) fn line(&self, object: &PerceivedObject) -> String {
        let request = self.request;
        let name = self.names.name(&object.id);
        let words = [object.color.as_ref(), Some(&object.category)];
        let words = words
            .into_iter()
            .flatten()
            .filter(|word| !says(&name, word));
        let mut told: Vec<String> = vec![];
        let kind: Vec<_> = words.map(|word| clean(word, MAX_LABEL)).collect();
        told.extend((!kind.is_empty()).then(|| kind.join(" ")));
        let named = |id: &ObjectId| self.names.name(id);
        if let Some(known) = request.percept.known(&object.id) {
            let whole = known.part_of.iter();
            told.extend(whole.map(|of| format!("part of {}", named(of))));
            let places = known.zones.iter().map(|zone| clean(&zone.name, MAX_LABEL));
            let places: Vec<_> = places.map(|place| format!("{name}.{place}")).collect();
            told.extend((!places.is_empty()).then(|| format!("has {}", places.join(", "))));
        }
        let joints = request.percept.joints.iter();
        let joints: Vec<_> = joints.filter(|j| j.child == object.id).collect();
        // The location of a part is that of its whole, which has its own line.
        if let [joint, ..] = joints.as_slice() {
            told.push(state(joint).to_owned());
            return format!("{name}: {}", told.join("; "));
        }
        let mut others = request.percept.objects.iter();
        let below = others.find(|o| Some(&o.id) != self.ground && rests_on(request, object, o));
        told.extend(below.map(|below| format!("on {}", named(&below.id))));
        let near: Vec<_> = self.near(object).iter().map(|o| named(&o.id)).collect();
        told.extend((!near.is_empty()).then(|| format!("near {}", near.join(" and "))));
        match told.is_empty() {
            true => name,
            false => format!("{name}: {}", told.join("; ")),
        }
    }

    /// Returns an object's supports and neighbours, which distinguish it from similar ones.
    pub(super) fn around(&self, object: &PerceivedObject) -> Vec<&'a PerceivedObject> {
        let mut around = self.near(object);
        let objects = self.request.percept.objects.iter();
        around.extend(objects.filter(|below| rests_on(self.request, object, below)));
        around
    }

    /// Returns the nearest objects beside a movable one, nearest first.
    fn near(&self, object: &PerceivedObject) -> Vec<&'a PerceivedObject> {
        let others = self.request.percept.objects.iter().filter(|other| {
            let joints = &self.request.percept.joints;
            object.movable
                && !joints.iter().any(|joint| joint.child == other.id)
                && other.id != object.id
                && Some(&other.id) != self.ground
                && !is_supported_by(object, other)
                && !is_supported_by(other, object)
                && footprints_overlap(object, other, NEAR_M)
        });
        let away = |other: &PerceivedObject| (other.position() - object.position()).norm();
        let mut others: Vec<_> = others.collect();
        others.sort_by(|a, b| away(a).total_cmp(&away(b)));
        others.truncate(MAX_NEAR);
        others
    }
}

/// Returns true if an object rests on another. Objects that are fixed or on a joint rest on none.
fn rests_on(request: &PlanRequest<'_>, object: &PerceivedObject, below: &PerceivedObject) -> bool {
    let joints = &request.percept.joints;
    let is_whole = object.movable && !joints.iter().any(|joint| joint.child == object.id);
    is_whole && is_supported_by(object, below)
}

/// Returns the state of an object on a joint, in words.
fn state(joint: &ObjectJoint) -> &'static str {
    let is_open = joint.is_open();
    match (joint.presses.is_some(), joint.is_set()) {
        (true, _) => "button",
        (false, true) if is_open => "switch, on",
        (false, true) => "switch, off",
        (false, false) if is_open => "opens, is open",
        (false, false) => "opens, is closed",
    }
}
