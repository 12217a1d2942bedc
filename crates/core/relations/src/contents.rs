//! Contents of a container, counted.

use nalgebra::Point3;
use regrasp_api::{PerceivedGroup, PerceivedObject, Percept};

use crate::is_inside;

/// Returns the indices of the group's members that are in a container.
pub fn members_in(group: &PerceivedGroup, container: &PerceivedObject) -> Vec<usize> {
    let bounds = container.aabb_in_world();
    let is_in = |position: &[f64; 3]| {
        let point = Point3::from(*position);
        let of_container = container.world_from_object.inverse_transform_point(&point);
        bounds.contains(&point) && container.shape.encloses(&of_container)
    };
    let indices = group.positions.iter().enumerate();
    indices.filter(|(_, p)| is_in(p)).map(|(i, _)| i).collect()
}

/// Returns the movable objects inside a container.
pub fn objects_in<'a>(
    percept: &'a Percept,
    container: &PerceivedObject,
) -> Vec<&'a PerceivedObject> {
    let movable = percept.objects.iter().filter(|o| o.movable);
    movable.filter(|o| is_inside(o, container)).collect()
}

/// Returns the number of members of all groups inside a container.
pub fn count_in(percept: &Percept, container: &PerceivedObject) -> usize {
    let counts = percept
        .groups
        .iter()
        .map(|group| members_in(group, container).len());
    counts.sum()
}
