//! The height of a shape's upper surface, seen from straight above.

use nalgebra::Point3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::Ray;
use regrasp_api::{Pose, Shape};
use regrasp_geometry_parry::{to_parry, whole};

/// Height in World of the surface that one sees looking straight down on a shape at
/// (`x`, `y`); `None` where the view passes it.
pub fn surface_height(shape: &Shape, world_from_object: &Pose, x: f64, y: f64) -> Option<f64> {
    let top = shape.aabb(world_from_object).max[2];
    let eye = Point3::new(x, y, top + 1.0);
    let from = Vector::new(eye.x, eye.y, eye.z);
    let ray = Ray::new(from, Vector::new(0.0, 0.0, -1.0));
    let reach = 1.0
        + 2.0 * shape.bounding_radius()
        + (eye.coords - world_from_object.translation.vector).norm();
    let solid = whole(shape).ok()?;
    let fall = solid.cast_ray(&to_parry(world_from_object), &ray, reach, true)?;
    Some(eye.z - fall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::Part;

    #[test]
    fn one_looks_into_a_tray_and_past_its_rim() {
        let slab = |half: [f64; 3]| Shape::Box { half_extents: half };
        let tray = Shape::Compound {
            parts: vec![
                Part {
                    object_from_part: Pose::translation(0.0, 0.0, -0.02),
                    shape: slab([0.1, 0.1, 0.005]),
                },
                Part {
                    object_from_part: Pose::translation(0.095, 0.0, 0.0),
                    shape: slab([0.005, 0.1, 0.02]),
                },
            ],
        };
        let world_from_tray = Pose::translation(0.4, -0.1, 0.3);
        let at = |x: f64| surface_height(&tray, &world_from_tray, x, -0.1);
        assert!((at(0.4).expect("floor") - 0.285).abs() < 1e-9);
        assert!((at(0.495).expect("rim") - 0.32).abs() < 1e-9);
        assert_eq!(at(0.6), None);
    }
}
