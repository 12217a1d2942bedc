//! Height fields for parry, as solids.
//!
//! Parry's own height field is a surface without an inside: an object that has sunk below it is
//! free again. Here every triangle has a solid column below it, so that objects inside are found.
//! Their depth is measured upwards as long as the columns are thinner than the objects.

/// Methods that all terrain shapes share.
macro_rules! ground {
    () => {
        fn compute_local_bounding_sphere(&self) -> BoundingSphere {
            self.compute_local_aabb().bounding_sphere()
        }

        fn clone_dyn(&self) -> Box<dyn Shape> {
            Box::new(Self::clone(self))
        }

        fn scale_dyn(&self, _: Vector, _: u32) -> Option<Box<dyn Shape>> {
            None
        }

        /// Terrain does not move.
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
            std::f64::consts::FRAC_PI_2
        }
    };
}

mod column;

use parry3d_f64::bounding_volume::{Aabb, BoundingSphere};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use parry3d_f64::shape::{
    CompositeShape, CompositeShapeRef, FeatureId, Shape, ShapeType, TypedCompositeShape, TypedShape,
};
use regrasp_geometry::HeightField;

use crate::Flaw;
use column::Column;

/// Height field as a set of adjacent columns.
#[derive(Clone)]
pub struct Terrain {
    columns: Vec<Column>,
    bvh: Bvh,
}

impl Terrain {
    /// Creates one column for each triangle of the field.
    ///
    /// # Errors
    ///
    /// [`Flaw::HeightField`] for a field with invalid data.
    pub fn new(field: &HeightField) -> Result<Self, Flaw> {
        if let Some(flaw) = field.flaw() {
            return Err(Flaw::HeightField(flaw));
        }
        let columns: Vec<_> = field
            .triangles()
            .map(|corners| Column {
                top: corners.map(|p| Vector::new(p.x, p.y, p.z)),
                bottom: field.bottom,
            })
            .collect();
        let boxes: Vec<_> = columns.iter().map(Column::compute_local_aabb).collect();
        Ok(Self {
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            columns,
        })
    }
}

impl CompositeShape for Terrain {
    fn map_part_at(
        &self,
        shape_id: u32,
        f: &mut dyn FnMut(Option<&ParryPose>, &dyn Shape, Option<&dyn NormalConstraints>),
    ) {
        if let Some(column) = self.columns.get(shape_id as usize) {
            f(None, column, None);
        }
    }

    fn bvh(&self) -> &Bvh {
        &self.bvh
    }
}

impl TypedCompositeShape for Terrain {
    type PartShape = dyn Shape;
    type PartNormalConstraints = dyn NormalConstraints;

    fn map_typed_part_at<T>(
        &self,
        shape_id: u32,
        mut f: impl FnMut(
            Option<&ParryPose>,
            &Self::PartShape,
            Option<&Self::PartNormalConstraints>,
        ) -> T,
    ) -> Option<T> {
        let column = self.columns.get(shape_id as usize)?;
        Some(f(None, column, None))
    }

    fn map_untyped_part_at<T>(
        &self,
        shape_id: u32,
        f: impl FnMut(Option<&ParryPose>, &dyn Shape, Option<&dyn NormalConstraints>) -> T,
    ) -> Option<T> {
        self.map_typed_part_at(shape_id, f)
    }
}

impl PointQuery for Terrain {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        let nearest = CompositeShapeRef(self).project_local_point(point, f64::MAX, solid);
        nearest.map_or(PointProjection::new(false, point), |(_, p)| p)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }
}

impl RayCast for Terrain {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: f64,
        solid: bool,
    ) -> Option<RayIntersection> {
        let hit =
            CompositeShapeRef(self).cast_local_ray_and_get_normal(ray, max_time_of_impact, solid);
        hit.map(|(_, hit)| hit)
    }
}

impl Shape for Terrain {
    fn compute_local_aabb(&self) -> Aabb {
        self.bvh.root_aabb()
    }

    ground!();

    fn as_composite_shape(&self) -> Option<&(dyn CompositeShape + Sync)> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use parry3d_f64::query;
    use parry3d_f64::shape::{Capsule, Cuboid};

    use super::*;

    fn ridge() -> Terrain {
        let heights = (0..=8i32).map(|i| vec![0.2 - 0.05 * f64::from((i - 4).abs()); 9]);
        Terrain::new(&HeightField {
            size: [0.4, 0.4],
            heights: heights.collect(),
            bottom: -0.1,
        })
        .unwrap()
    }

    fn gap(shape: &dyn Shape, at: [f64; 3]) -> Option<f64> {
        let ridge = ridge();
        let pose = ParryPose::from_translation(Vector::from(at));
        let contact = query::contact(&pose, shape, &ParryPose::IDENTITY, &ridge, 0.05);
        contact.unwrap().map(|c| c.dist)
    }

    #[test]
    fn what_lies_on_the_ridge_what_hangs_over_it_and_what_is_inside() {
        // A bar across the ridge's crest.
        let bar = Cuboid::new(Vector::new(0.3, 0.3, 0.02));
        assert!((gap(&bar, [0.0, 0.0, 0.23]).unwrap() - 0.01).abs() < 1e-6);
        assert_eq!(gap(&bar, [0.0, 0.0, 0.28]), None);
        // A round-ended rod along the flank, which rises by 45 degrees.
        let [low, high] = [-0.1, 0.1].map(|y| Vector::new(0.0, y, 0.0));
        let rod = Capsule::new(low, high, 0.03);
        let off = gap(&rod, [0.1, 0.0, 0.14 + 0.03 * 2f64.sqrt()]).unwrap();
        assert!((off - 0.04 / 2f64.sqrt()).abs() < 1e-6, "{off}");
        let sunk = gap(&rod, [0.1, 0.0, 0.09 + 0.03 * 2f64.sqrt()]).unwrap();
        assert!((sunk + 0.01 / 2f64.sqrt()).abs() < 1e-4, "{sunk}");
        let inside = gap(&rod, [0.0, 0.0, 0.05]).unwrap();
        assert!(inside < 0.0, "below the surface");
    }

    #[test]
    fn rays_and_points_find_the_surface() {
        let ridge = ridge();
        let down = Ray::new(Vector::new(0.1, 0.03, 1.0), -Vector::Z);
        let fall = ridge.cast_local_ray(&down, 2.0, true).unwrap();
        assert!((fall - 0.9).abs() < 1e-6, "{fall}");
        let beside = ridge.project_local_point(Vector::new(0.25, 0.0, -0.05), true);
        assert!((beside.point - Vector::new(0.2, 0.0, -0.05)).length() < 1e-6);
    }
}
