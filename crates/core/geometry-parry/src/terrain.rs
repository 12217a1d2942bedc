//! Height fields for parry, as solids.
//!
//! Parry's own height field is a surface without an inside: an object that is entirely below it
//! touches nothing. Here every triangle has a solid column below it, so that objects inside are
//! found. Their penetration depth is measured upwards if the columns are thinner than the objects.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use parry3d_f64::bounding_volume::{Aabb, BoundingSphere};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::details::{
    local_point_projection_on_support_map, local_ray_intersection_with_support_map_with_params,
};
use parry3d_f64::query::gjk::VoronoiSimplex;
use parry3d_f64::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use parry3d_f64::shape::{FeatureId, Shape, ShapeType, SharedShape, SupportMap, TypedShape};
use regrasp_geometry::HeightField;

use crate::{Flaw, to_vector};

/// Returns a height field as adjacent columns, one for each of its triangles.
///
/// # Errors
///
/// [`Flaw::HeightField`] for a field with invalid data.
pub(crate) fn terrain(field: &HeightField) -> Result<SharedShape, Flaw> {
    if let Some(flaw) = field.flaw() {
        return Err(Flaw::HeightField(flaw));
    }
    let columns = field.triangles().map(|corners| {
        let column = Column {
            top: corners.map(|p| to_vector(&p.coords)),
            bottom: field.bottom,
        };
        (ParryPose::IDENTITY, SharedShape(Arc::new(column)))
    });
    Ok(SharedShape::compound(columns.collect()))
}

/// Solid below one triangle of the surface: a prism with a slanted top.
#[derive(Clone, Copy, Debug)]
struct Column {
    top: [Vector; 3],
    bottom: f64,
}

impl SupportMap for Column {
    fn local_support_point(&self, dir: Vector) -> Vector {
        let end = |p: Vector| match dir.z < 0.0 {
            true => Vector::new(p.x, p.y, self.bottom),
            false => p,
        };
        let [a, b, c] = self.top.map(end);
        let further = |p: Vector, q: Vector| if q.dot(dir) > p.dot(dir) { q } else { p };
        further(further(a, b), c)
    }
}

impl PointQuery for Column {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        local_point_projection_on_support_map(self, &mut VoronoiSimplex::new(), point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }
}

impl RayCast for Column {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: f64,
        solid: bool,
    ) -> Option<RayIntersection> {
        local_ray_intersection_with_support_map_with_params(
            self,
            &mut VoronoiSimplex::new(),
            ray,
            max_time_of_impact,
            solid,
        )
    }
}

impl Shape for Column {
    fn compute_local_aabb(&self) -> Aabb {
        let [a, b, c] = self.top;
        let lowest = a.min(b).min(c);
        let lowest = Vector::new(lowest.x, lowest.y, self.bottom);
        Aabb::new(lowest, a.max(b).max(c))
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.compute_local_aabb().bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(*self)
    }

    fn scale_dyn(&self, _: Vector, _: u32) -> Option<Box<dyn Shape>> {
        None
    }

    /// Returns no mass, since terrain does not move.
    fn mass_properties(&self, _: f64) -> MassProperties {
        MassProperties::default()
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f64 {
        0.0
    }

    fn ccd_angular_thickness(&self) -> f64 {
        FRAC_PI_2
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use parry3d_f64::query;
    use parry3d_f64::shape::{Capsule, Cuboid};

    use super::*;

    fn ridge() -> SharedShape {
        let heights = (0..=8i32).map(|i| vec![0.2 - 0.05 * f64::from((i - 4).abs()); 9]);
        terrain(&HeightField::new([0.4, 0.4], heights.collect(), -0.1)).unwrap()
    }

    fn gap(shape: &dyn Shape, at: [f64; 3]) -> Option<f64> {
        let ridge = ridge();
        let pose = ParryPose::from_translation(Vector::from(at));
        let contact = query::contact(&pose, shape, &ParryPose::IDENTITY, &*ridge.0, 0.05);
        contact.unwrap().map(|c| c.dist)
    }

    #[test]
    fn what_lies_on_the_ridge_what_hangs_over_it_and_what_is_inside() {
        // A plate above the ridge's crest.
        let bar = Cuboid::new(Vector::new(0.3, 0.3, 0.02));
        assert!((gap(&bar, [0.0, 0.0, 0.23]).unwrap() - 0.01).abs() < 1e-6);
        assert_eq!(gap(&bar, [0.0, 0.0, 0.28]), None);
        // A capsule along the flank, which rises by 45 degrees.
        let [low, high] = [-0.1, 0.1].map(|y| Vector::new(0.0, y, 0.0));
        let rod = Capsule::new(low, high, 0.03);
        let off = gap(&rod, [0.1, 0.0, 0.14 + 0.03 * 2f64.sqrt()]).unwrap();
        assert!((off - 0.04 / 2f64.sqrt()).abs() < 1e-6, "{off} m");
        let sunk = gap(&rod, [0.1, 0.0, 0.09 + 0.03 * 2f64.sqrt()]).unwrap();
        assert!((sunk + 0.01 / 2f64.sqrt()).abs() < 1e-4, "{sunk} m");
        let inside = gap(&rod, [0.0, 0.0, 0.05]).unwrap();
        assert!(inside < 0.0, "a rod inside the ridge is {inside} m away");
    }

    #[test]
    fn rays_and_points_find_the_surface() {
        let ridge = ridge();
        let down = Ray::new(Vector::new(0.1, 0.03, 1.0), -Vector::Z);
        let fall = ridge.cast_local_ray(&down, 2.0, true).unwrap();
        assert!((fall - 0.9).abs() < 1e-6, "{fall} m");
        let beside = ridge.project_local_point(Vector::new(0.25, 0.0, -0.05), true);
        assert!((beside.point - Vector::new(0.2, 0.0, -0.05)).length() < 1e-6);
    }
}
