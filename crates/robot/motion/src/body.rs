//! A shape placed in World, with distance and ray queries.

use nalgebra::{Point3, Vector3};
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{self, Ray, ShapeCastOptions};
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Pose, Shape};
use regrasp_geometry_parry::{from_vector, to_parry, to_vector, whole};

use crate::collision::{ShapeAt, gap_m};

/// Shape with a pose in World, prepared for distance queries.
#[derive(Clone)]
pub struct Body {
    shape: SharedShape,
    world_from_body: ParryPose,
    pub(crate) aabb: Aabb,
}

/// Point at which a ray meets a surface.
#[derive(Clone, Copy, Debug)]
pub struct RayHit {
    /// Distance from the ray's origin, m.
    pub distance_m: f64,
    /// Outward unit normal of the surface in World.
    pub normal: Vector3<f64>,
}

/// First contact of a moving body with a resting one.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// Distance travelled until the contact, m.
    pub distance_m: f64,
    /// Contact point on the resting body, in World.
    pub point: Point3<f64>,
}

impl Body {
    /// Places a shape in World; `None` if it is invalid, such as a hull of points in one plane.
    pub fn new(shape: &Shape, world_from_body: &Pose) -> Option<Self> {
        Some(Self::of(whole(shape).ok()?, to_parry(world_from_body)))
    }

    fn of(shape: SharedShape, world_from_body: ParryPose) -> Self {
        Self {
            aabb: shape.compute_aabb(&world_from_body),
            shape,
            world_from_body,
        }
    }

    /// Returns the body at another pose.
    pub fn at(&self, world_from_body: &Pose) -> Self {
        Self::of(self.shape.clone(), to_parry(world_from_body))
    }

    /// Distance to another body, m, negative while they overlap. `None` if it is more than
    /// `up_to_m`.
    pub fn gap_m(&self, other: &Self, up_to_m: f64) -> Option<f64> {
        if !self.aabb.loosened(up_to_m).intersects(&other.aabb) {
            return None;
        }
        gap_m(up_to_m, self.placed(), other.placed())
    }

    pub(crate) fn placed(&self) -> ShapeAt<'_> {
        (&self.world_from_body, &self.shape)
    }

    /// Finds the first contact with a resting body when this one moves along `direction`: the point
    /// at which they come within `room_m` of each other. `None` if that does not happen within
    /// `reach_m`, or if they only move apart.
    pub fn meets(
        &self,
        direction: &Vector3<f64>,
        reach_m: f64,
        room_m: f64,
        other: &Self,
    ) -> Option<Meeting> {
        let shift = to_vector(&(direction * reach_m));
        let swept = self.aabb.translated(shift).merged(&self.aabb);
        if !swept.loosened(room_m).intersects(&other.aabb) {
            return None;
        }
        let options = ShapeCastOptions {
            max_time_of_impact: reach_m,
            target_distance: room_m,
            stop_at_penetration: false,
            compute_impact_geometry_on_penetration: true,
        };
        let hit = query::cast_shapes(
            &self.world_from_body,
            to_vector(direction),
            &*self.shape.0,
            &other.world_from_body,
            Vector::ZERO,
            &*other.shape.0,
            options,
        );
        let hit = hit.ok()??;
        Some(Meeting {
            distance_m: hit.time_of_impact,
            point: from_vector(other.world_from_body * hit.witness2).into(),
        })
    }

    /// Finds the first hit of a ray within `reach_m`. A ray that begins inside the body hits at
    /// once.
    pub fn cast(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        reach_m: f64,
    ) -> Option<RayHit> {
        let ray = Ray::new(to_vector(&origin.coords), to_vector(direction));
        let pose = &self.world_from_body;
        let hit = (self.shape).cast_ray_and_get_normal(pose, &ray, reach_m, true)?;
        Some(RayHit {
            distance_m: hit.time_of_impact,
            normal: from_vector(hit.normal),
        })
    }
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::near;

    use super::*;
    use nalgebra::Vector3;

    fn cube(half: f64, at: [f64; 3], yaw: f64) -> Body {
        let shape = Shape::cuboid([half; 3]);
        let world_from_cube = Pose::new(at.into(), Vector3::z() * yaw);
        Body::new(&shape, &world_from_cube).expect("a box spans a volume")
    }

    #[test]
    fn distances_are_signed_and_end_where_nobody_asks() {
        let a = cube(0.02, [0.3, -0.1, 0.2], 0.0);
        let b = cube(0.02, [0.35, -0.1, 0.2], 0.0);
        let gap = a.gap_m(&b, 0.02).expect("1 cm is within 2");
        assert!((gap - 0.01).abs() < 1e-9, "{gap} m");
        assert_eq!(a.gap_m(&b, 0.005), None);
        let eighth = Vector3::z() * std::f64::consts::FRAC_PI_4;
        let turned = b.at(&Pose::new([0.35, -0.1, 0.2].into(), eighth));
        let corner = a.gap_m(&turned, 0.02).expect("nearer by its corner");
        let expected = 0.03 - 0.02 * 2f64.sqrt();
        assert!((corner - expected).abs() < 1e-9, "{corner} m");
        let inside = cube(0.02, [0.335, -0.1, 0.2], 0.0);
        assert!(a.gap_m(&inside, 0.02).expect("they overlap") < 0.0);
    }

    #[test]
    fn a_body_that_moves_meets_another_where_their_faces_come_together() {
        let a = cube(0.02, [0.3, -0.1, 0.2], 0.0);
        let b = cube(0.01, [0.4, -0.09, 0.2], 0.0);
        let hit = a.meets(&Vector3::x(), 0.2, 0.0, &b).expect("it is ahead");
        assert!((hit.distance_m - 0.07).abs() < 1e-6, "{} m", hit.distance_m);
        assert!((hit.point.x - 0.39).abs() < 1e-6, "{}", hit.point);
        let early = a.meets(&Vector3::x(), 0.2, 0.01, &b).expect("it is ahead");
        near("distance, m", early.distance_m, 0.06, 1e-6);
        assert!(a.meets(&Vector3::x(), 0.05, 0.0, &b).is_none(), "too far");
        assert!(a.meets(&-Vector3::x(), 0.2, 0.0, &b).is_none(), "behind");
    }

    #[test]
    fn a_ray_tells_where_and_how_the_surface_stands() {
        let a = cube(0.02, [0.3, -0.1, 0.2], 0.3);
        let along = Vector3::new(0.3f64.cos(), 0.3f64.sin(), 0.0);
        let origin = Point3::new(0.3, -0.1, 0.2) - along * 0.1;
        let hit = a.cast(&origin, &along, 0.2).expect("it is ahead");
        assert!((hit.distance_m - 0.08).abs() < 1e-9);
        assert!((hit.normal + along).norm() < 1e-9, "{}", hit.normal);
        assert!(a.cast(&origin, &-along, 0.2).is_none());
    }
}
