//! Places of an object, as boxes in World.

use nalgebra::Vector3;
use regrasp_api::{Aabb, ObjectId, PerceivedObject, Percept, Pose, Shape, Zone};

use crate::{is_inside, is_supported_by};

/// Box in World: oriented as declared in its object, or along World's axes for a named part of an
/// object's bounding box (`left`, `front_edge`).
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Pose of the box's centre.
    pub world_from_region: Pose,
    /// Half extents, m.
    pub half_extents: [f64; 3],
}

/// Fraction of an object's size that its middle or one of its sides takes.
const HALF: f64 = 0.5;
/// Fraction of a large object's size that an edge or a corner takes.
const EDGE: f64 = 0.25;
/// Size above which an object is large, m: its edges and corners take less than half of it.
const LARGE_M: f64 = 0.3;
/// Largest depth of an object's lowest point below a zone's bottom at which the object still counts
/// as in the zone, m: zones seldom reach down to the floor. LIBERO allows the same.
pub const BELOW_ZONE_M: f64 = 0.01;

impl Region {
    /// Returns the box of a place of an object; `None` if the object is not perceived or has no
    /// such place.
    pub fn of(percept: &Percept, whole: &ObjectId, zone: &Zone) -> Option<Region> {
        let object = percept.object(whole)?;
        if let Some(declared) = percept.declared_zone(whole, zone) {
            return Some(Self {
                world_from_region: object.world_from_object * declared.object_from_zone(),
                half_extents: declared.half_extents,
            });
        }
        let aabb = object.aabb_in_world();
        let size = aabb.size();
        let ranges = ranges_of(zone, &size)?;
        let middle = |i: usize| aabb.min[i] + size[i] * 0.5 * (ranges[i][0] + ranges[i][1]);
        let half = |i: usize| size[i] * 0.5 * (ranges[i][1] - ranges[i][0]);
        Some(Self {
            world_from_region: Pose::translation(middle(0), middle(1), aabb.center().z),
            half_extents: [half(0), half(1), 0.5 * size.z],
        })
    }

    /// Returns true if a point in World is inside the region, seen from above: the vertical line
    /// through it passes through the box.
    pub fn covers(&self, point: &Vector3<f64>) -> bool {
        let region_from_world = self.world_from_region.inverse();
        let at = region_from_world * nalgebra::Point3::from(*point);
        let up = region_from_world * Vector3::z();
        let ranges = (0..3).map(|i| {
            let half = self.half_extents[i];
            let [a, b] = [-half, half].map(|end| (end - at[i]) / up[i]);
            [a.min(b), a.max(b)]
        });
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        let [low, high] = ranges.fold(all, |all, [a, b]| [all[0].max(a), all[1].min(b)]);
        low <= high
    }

    /// Returns true if an object's lowest point or its origin (z in World, m) is at the region's
    /// height. Zones of model files refer to the origin.
    pub fn is_at_height(&self, lowest_z: f64, origin_z: f64) -> bool {
        let aabb = self.aabb();
        let heights = aabb.min[2] - BELOW_ZONE_M..=aabb.max[2];
        heights.contains(&lowest_z) || heights.contains(&origin_z)
    }

    /// Returns the bounding box in World.
    pub fn aabb(&self) -> Aabb {
        let half_extents = self.half_extents;
        Shape::Box { half_extents }.aabb(&self.world_from_region)
    }
}

/// Returns the reason why an object is not at a place of another; `None` if it is.
pub fn not_within(
    percept: &Percept,
    object: &PerceivedObject,
    whole: &PerceivedObject,
    zone: &Zone,
) -> Option<String> {
    let Some(region) = Region::of(percept, &whole.id, zone) else {
        return Some(format!("{} has no place called {zone}", whole.id));
    };
    let aabb = object.aabb_in_world();
    let center = aabb.center();
    let outside = !region.covers(&center.coords);
    let at_height = match percept.declared_zone(&whole.id, zone).is_some() {
        true => region.is_at_height(aabb.min[2], object.position().z),
        false => is_supported_by(object, whole) || is_inside(object, whole),
    };
    (outside || !at_height).then(|| {
        let (id, whole) = (&object.id, &whole.id);
        let [x, y] = [center.x, center.y];
        let seen = if outside { "beside it" } else { "not on it" };
        format!("{id} is not at the {zone} of {whole}: its centre is {seen}, at x={x:.3} y={y:.3}")
    })
}

/// Zone as fractions of the object's size along x and y, from 0 to 1.
fn ranges_of(zone: &Zone, size: &Vector3<f64>) -> Option<[[f64; 2]; 2]> {
    let words: Vec<&str> = zone.as_str().split('_').collect();
    let narrow = words.len() > 1;
    let take = |i: usize| match narrow && size[i] > LARGE_M {
        true => EDGE,
        false => HALF,
    };
    let mut ranges = [[0.0, 1.0]; 2];
    for word in words {
        match word {
            "left" => ranges[1] = [1.0 - take(1), 1.0],
            "right" => ranges[1] = [0.0, take(1)],
            "front" => ranges[0] = [0.0, take(0)],
            "back" => ranges[0] = [1.0 - take(0), 1.0],
            "middle" => ranges = [[0.5 - HALF / 2.0, 0.5 + HALF / 2.0]; 2],
            "edge" => {}
            _ => return None,
        }
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use super::*;

    #[test]
    fn a_region_covers_the_same_points_however_its_axes_are_called() {
        let turned = |turn: Vector3<f64>, half_extents| Region {
            world_from_region: Pose::new(Vector3::new(0.5, 0.1, 0.2), turn),
            half_extents,
        };
        for region in [
            turned(Vector3::zeros(), [0.03, 0.06, 0.04]),
            turned(Vector3::x() * FRAC_PI_2, [0.03, 0.04, 0.06]),
            turned(Vector3::y() * FRAC_PI_2, [0.04, 0.06, 0.03]),
        ] {
            for (x, y, is_covered) in [
                (0.529, 0.159, true),
                (0.529, 0.161, false),
                (0.531, 0.1, false),
            ] {
                assert_eq!(
                    region.covers(&Vector3::new(x, y, 0.9)),
                    is_covered,
                    "{region:?}"
                );
            }
        }
        // A box on its edge is as wide as its diagonal.
        let on_edge = turned(Vector3::x() * FRAC_PI_4, [0.1; 3]);
        assert!(on_edge.covers(&Vector3::new(0.5, 0.24, 0.0)));
        assert!(!on_edge.covers(&Vector3::new(0.5, 0.2415, 0.0)));
    }
}
