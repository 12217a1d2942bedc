//! Assemblies: objects with the parts that move on them.

use std::collections::BTreeSet;

use regrasp_api::{ObjectId, ObjectPort, Pose};

use crate::{Scene, SceneJoint, SceneObject};

/// Object with all parts that move on it. Its base is at the origin and every joint at 0.
/// Perception builds its models from assemblies.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The base, then the other parts.
    pub objects: Vec<SceneObject>,
    /// Joints between the parts.
    pub joints: Vec<SceneJoint>,
    /// Plugs and holes.
    pub ports: Vec<ObjectPort>,
}

impl Assembly {
    /// Name of the assembly: the id of its base.
    pub fn name(&self) -> &ObjectId {
        &self.objects[0].id
    }

    /// Returns true if the objects and ports, and the bodies, motions and limits of the joints,
    /// differ only in ids.
    pub fn is_like(&self, other: &Self) -> bool {
        let own_ids = |id: &ObjectId| self.objects.iter().position(|o| &o.id == id);
        let their_ids = |id: &ObjectId| other.objects.iter().position(|o| &o.id == id);
        let same = |(a, b): (&SceneObject, &SceneObject)| {
            let part = |of: &Option<ObjectId>, at: &dyn Fn(&ObjectId) -> Option<usize>| {
                of.as_ref().and_then(at)
            };
            let renamed = SceneObject {
                id: b.id.clone(),
                part_of: b.part_of.clone(),
                mesh_report: b.mesh_report.clone(),
                ..a.clone()
            };
            part(&a.part_of, &own_ids) == part(&b.part_of, &their_ids) && renamed == *b
        };
        let joint = |(a, b): (&SceneJoint, &SceneJoint)| {
            (own_ids(&a.parent), own_ids(&a.child)) == (their_ids(&b.parent), their_ids(&b.child))
                && (a.kind, a.axis_in_parent) == (b.kind, b.axis_in_parent)
                && (a.lower, a.upper) == (b.lower, b.upper)
        };
        let port = |(a, b): (&ObjectPort, &ObjectPort)| {
            let renamed = ObjectPort {
                object: b.object.clone(),
                ..a.clone()
            };
            own_ids(&a.object) == their_ids(&b.object) && renamed == *b
        };
        self.objects.len() == other.objects.len()
            && self.joints.len() == other.joints.len()
            && self.ports.len() == other.ports.len()
            && self.objects.iter().zip(&other.objects).all(same)
            && self.joints.iter().zip(&other.joints).all(joint)
            && self.ports.iter().zip(&other.ports).all(port)
    }

    /// Returns a scene that contains only this assembly.
    pub fn alone(&self) -> Scene {
        Scene {
            joints: self.joints.clone(),
            ports: self.ports.clone(),
            ..Scene::new("thing", Pose::identity(), 0.0, self.objects.clone())
        }
    }

    /// Moves the base to the origin and every joint to 0.
    fn without_place(mut self) -> Self {
        let old: Vec<Pose> = self.objects.iter().map(|o| o.world_from_object).collect();
        let mut placed = BTreeSet::from([0]);
        let base_from_world = old[0].inverse();
        for (object, old) in self.objects.iter_mut().zip(&old) {
            object.world_from_object = base_from_world * old;
        }
        self.objects[0].world_from_object = Pose::identity();
        // A parent moves before its children: a chain of joints takes at most one round per joint.
        for _ in 0..self.joints.len() {
            for joint in &mut self.joints {
                let idx = |id: &ObjectId| self.objects.iter().position(|o| &o.id == id);
                let (Some(parent), Some(child)) = (idx(&joint.parent), idx(&joint.child)) else {
                    continue;
                };
                if !placed.contains(&parent) || !placed.insert(child) {
                    continue;
                }
                let parent_from_child = old[parent].inverse() * old[child];
                let point = parent_from_child.translation.vector.into();
                joint.point_in_parent.get_or_insert(point);
                let back = joint.motion(-joint.start);
                joint.start = 0.0;
                self.objects[child].world_from_object =
                    self.objects[parent].world_from_object * back * parent_from_child;
            }
        }
        self
    }
}

impl Scene {
    /// Splits the objects into assemblies. Leaves out fixed tables and floors, the arm's mount and
    /// groups of small objects, which perception handles without models.
    pub fn assemblies(&self) -> Vec<Assembly> {
        let is_support = |o: &SceneObject| {
            let is_fixed = !o.is_movable() && matches!(o.category.as_str(), "table" | "floor");
            is_fixed || o.group.is_some() || self.mount.as_ref() == Some(&o.id)
        };
        let objects: Vec<&SceneObject> = self.objects.iter().filter(|o| !is_support(o)).collect();
        let mut things: Vec<Assembly> = vec![];
        let is_base = |o: &SceneObject| {
            o.part_of.is_none() && self.joints.iter().all(|joint| joint.child != o.id)
        };
        for base in objects.iter().filter(|o| is_base(o)) {
            let mut ids = BTreeSet::from([&base.id]);
            // Each round adds the parts of the parts found before; nesting is at most as deep as
            // the number of objects.
            for _ in 0..objects.len() {
                let parts = objects.iter();
                let parts = parts.filter(|o| o.part_of.as_ref().is_some_and(|of| ids.contains(of)));
                let parts: Vec<&ObjectId> = parts.map(|o| &o.id).collect();
                let moved = self.joints.iter().filter(|j| ids.contains(&j.parent));
                let moved: Vec<&ObjectId> = moved.map(|j| &j.child).collect();
                ids.extend(parts.into_iter().chain(moved));
            }
            let is_other = |o: &&&SceneObject| ids.contains(&o.id) && o.id != base.id;
            let others = objects.iter().filter(is_other);
            let all = std::iter::once(base).chain(others).map(|o| (*o).clone());
            let joints = self.joints.iter().filter(|j| ids.contains(&j.child));
            let ports = self.ports.iter().filter(|p| ids.contains(&p.object));
            let thing = Assembly {
                objects: all.collect(),
                joints: joints.cloned().collect(),
                ports: ports.cloned().collect(),
            };
            things.push(thing.without_place());
        }
        things
    }
}

#[cfg(test)]
mod tests {
    use crate::{builtin_scene, builtin_scene_names};

    #[test]
    fn every_object_but_the_table_belongs_to_one_assembly() {
        for name in builtin_scene_names() {
            let scene = builtin_scene(name).expect("it is built in");
            let things = scene.assemblies();
            let n_parts: usize = things.iter().map(|t| t.objects.len()).sum();
            let is_thing = |o: &&crate::SceneObject| o.category != "table" && o.group.is_none();
            let n_objects = scene.objects.iter().filter(is_thing).count();
            assert_eq!(n_parts, n_objects, "{name}");
            for thing in &things {
                assert!(thing.is_like(thing));
                let scene = thing.alone();
                let again = scene.assemblies();
                assert_eq!(again.len(), 1);
                assert!(again[0] == *thing, "{name}: {}", thing.name());
            }
        }
    }
}
