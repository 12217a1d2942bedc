//! State of a pour, and the contents that it moves.

use nalgebra::Vector3;
use regrasp_api::{Held, ObjectId, PerceivedObject, Percept, Pose};
use regrasp_relations::{members_in, objects_in};

/// State of a call of [`Pour`](crate::Pour).
#[derive(Clone, Debug)]
pub struct PourTask {
    pub(super) held: Held,
    pub(super) target: ObjectId,
    pub(super) target_lean_rad: f64,
    pub(super) before: Contents,
}

/// Tilt below which an object counts as upright, rad.
pub(super) const UPRIGHT_RAD: f64 = 0.03;

pub(super) fn lean_rad(world_from_object: &Pose) -> f64 {
    (world_from_object.rotation * Vector3::z()).angle(&Vector3::z())
}

/// Contents of a container.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// Groups of small objects, with the indices of the members inside.
    small: Vec<(ObjectId, Vec<usize>)>,
    pub(super) objects: Vec<ObjectId>,
}

impl Contents {
    pub(super) fn of(percept: &Percept, container: &PerceivedObject) -> Self {
        let groups = percept.groups.iter();
        let small = groups.map(|group| (group.id.clone(), members_in(group, container)));
        let objects = objects_in(percept, container).into_iter();
        Self {
            small: small.filter(|(_, inside)| !inside.is_empty()).collect(),
            objects: objects.map(|o| o.id.clone()).collect(),
        }
    }

    pub(super) fn count(&self) -> usize {
        let small: usize = self.small.iter().map(|(_, inside)| inside.len()).sum();
        small + self.objects.len()
    }

    /// Number of the recorded objects that are in a container now.
    pub(super) fn count_in(&self, percept: &Percept, container: &PerceivedObject) -> usize {
        let now = Self::of(percept, container);
        let small = self.small.iter().map(|(group, before)| {
            let there = now.small.iter().find(|(id, _)| id == group);
            let there = there.map_or(&[][..], |(_, inside)| inside);
            there.iter().filter(|idx| before.contains(idx)).count()
        });
        let objects = now.objects.iter().filter(|id| self.objects.contains(id));
        small.sum::<usize>() + objects.count()
    }

    pub(super) fn described(&self) -> String {
        let small = self.small.iter();
        let small = small.map(|(group, inside)| format!("{} of {group}", inside.len()));
        let objects = self.objects.iter().map(ToString::to_string);
        small.chain(objects).collect::<Vec<_>>().join(", ")
    }
}
