//! Assigns points to known objects.

use nalgebra::Point3;
use regrasp_api::{Aabb, PerceivedObject};

use crate::solid::surface_gap;

/// Distance from an object's surface within which a point belongs to it, m.
const ON_IT_M: f64 = 0.006;
/// Distance below which two surfaces count as equally close, m. The point then belongs to the
/// smaller object, which stands on the larger one or in it.
const TOUCHING_M: f64 = 0.003;

/// Height of an object's invisible lower end, which is left out, m.
const UNDERSIDE_M: f64 = 0.002;
/// Limit on the height that is left out, as a fraction of the object's height.
const UNDERSIDE: f64 = 0.25;

pub(crate) struct Owners<'a> {
    /// Objects with their indices, smallest first.
    objects: Vec<(usize, &'a PerceivedObject, Aabb)>,
}

impl<'a> Owners<'a> {
    pub(crate) fn new(objects: &'a [PerceivedObject]) -> Self {
        let volume = |b: &Aabb| b.size().product();
        let numbered = objects.iter().enumerate();
        let mut objects: Vec<_> = numbered.map(|(i, o)| (i, o, o.aabb_in_world())).collect();
        objects.sort_by(|a, b| volume(&a.2).total_cmp(&volume(&b.2)));
        Self { objects }
    }

    /// Index of the object on whose surface a point in World lies.
    pub(crate) fn of(&self, p: &Point3<f64>) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (idx, object, aabb) in &self.objects {
            let is_near = (0..3).all(|i| {
                let range = aabb.min[i] - ON_IT_M..=aabb.max[i] + ON_IT_M;
                range.contains(&p[i])
            });
            let underside = UNDERSIDE_M.min(UNDERSIDE * (aabb.max[2] - aabb.min[2]));
            if !is_near || p.z < aabb.min[2] + underside {
                continue;
            }
            let away = surface_gap(&object.shape, &object.world_from_object, p).max(TOUCHING_M);
            if away < ON_IT_M && best.is_none_or(|(least, _)| away < least) {
                best = Some((away, *idx));
            }
        }
        best.map(|(_, idx)| idx)
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::Shape;

    use super::*;

    fn block(id: &str, half: [f64; 3], at: [f64; 3]) -> PerceivedObject {
        regrasp_testkit::thing(id, "box", Shape::Box { half_extents: half }, at)
    }

    #[test]
    fn where_two_things_meet_the_smaller_one_is_meant() {
        let objects = [
            block("table", [0.4, 0.4, 0.02], [0.5, 0.1, 0.02]),
            block("cube", [0.02, 0.02, 0.02], [0.5, 0.1, 0.06]),
        ];
        let owners = Owners::new(&objects);
        let of = |x: f64, z: f64| owners.of(&Point3::new(x, 0.1, z));
        assert_eq!(of(0.5, 0.0805), Some(1), "on top of the cube");
        assert_eq!(of(0.521, 0.043), Some(1), "at its foot");
        assert_eq!(of(0.521, 0.0402), Some(0), "the table at its foot");
        assert_eq!(of(0.56, 0.0402), Some(0), "on the table");
        assert_eq!(of(0.5, 0.12), None, "in the air");
    }
}
