//! Many small things that are counted, not handled one by one.

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use crate::{ObjectId, PerceivedObject, Percept, Shape, is_inside};

/// Many small round things alike, such as beads. They are no objects: nothing plans around
/// them, and no phrase for an object finds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedGroup {
    /// The name of all of them together.
    pub id: ObjectId,
    /// What kind of things they are (`beads`).
    pub category: String,
    /// Their colour as a word.
    pub color: Option<String>,
    /// Radius of each, m.
    pub radius_m: f64,
    /// Where each is, in World, m; always in the same order.
    pub positions: Vec<[f64; 3]>,
}

impl PerceivedGroup {
    /// Which of them are in a container, as indices.
    pub fn inside(&self, container: &PerceivedObject) -> Vec<usize> {
        let bounds = container.aabb_in_world();
        let is_in = |position: &[f64; 3]| {
            let point = Point3::from(*position);
            let of_container = container.world_from_object.inverse_transform_point(&point);
            bounds.contains(&point) && container.shape.encloses(&of_container)
        };
        let indices = self.positions.iter().enumerate();
        indices.filter(|(_, p)| is_in(p)).map(|(i, _)| i).collect()
    }

    /// A single thing in place of all of them, to be found by a phrase.
    pub fn as_object(&self) -> PerceivedObject {
        let first = self.positions.first().copied().unwrap_or_default();
        PerceivedObject {
            id: self.id.clone(),
            category: self.category.clone(),
            color: self.color.clone(),
            shape: Shape::Sphere {
                radius: self.radius_m,
            },
            world_from_object: crate::Pose::translation(first[0], first[1], first[2]),
            position_std_m: 0.0,
            movable: true,
        }
    }
}

impl Percept {
    /// The objects that are inside a container.
    pub fn objects_in<'a>(&'a self, container: &PerceivedObject) -> Vec<&'a PerceivedObject> {
        let movable = self.objects.iter().filter(|o| o.movable);
        movable.filter(|o| is_inside(o, container)).collect()
    }

    /// How many small things are inside a container.
    pub fn count_in(&self, container: &PerceivedObject) -> usize {
        let counts = self
            .groups
            .iter()
            .map(|group| group.inside(container).len());
        counts.sum()
    }
}
