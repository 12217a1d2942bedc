//! Solid below one triangle of a height field.

use parry3d_f64::bounding_volume::{Aabb, BoundingSphere};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::Vector;
use parry3d_f64::query::details::{
    local_point_projection_on_support_map, local_ray_intersection_with_support_map_with_params,
};
use parry3d_f64::query::gjk::VoronoiSimplex;
use parry3d_f64::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use parry3d_f64::shape::{FeatureId, Shape, ShapeType, SupportMap, TypedShape};

/// Solid below one triangle of the surface: a prism with a slanted top.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) top: [Vector; 3],
    pub(super) bottom: f64,
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
        Aabb::new(
            Vector::new(lowest.x, lowest.y, self.bottom),
            a.max(b).max(c),
        )
    }

    ground!();

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }
}
