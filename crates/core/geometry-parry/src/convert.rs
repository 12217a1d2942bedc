//! The one place where nalgebra and glam meet, in which parry and rapier compute.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use regrasp_geometry::Pose;

/// A vector or point.
pub fn to_vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// A vector or point, back.
pub fn from_vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

/// A rotation.
pub fn to_rotation(r: &UnitQuaternion<f64>) -> Rotation {
    Rotation::from_xyzw(r.i, r.j, r.k, r.w)
}

/// A rigid transform.
pub fn to_parry(pose: &Pose) -> ParryPose {
    ParryPose::from_parts(
        to_vector(&pose.translation.vector),
        to_rotation(&pose.rotation),
    )
}

/// A rigid transform, back; its rotation is normalised.
pub fn from_parry(pose: &ParryPose) -> Pose {
    let r = pose.rotation;
    Isometry3::from_parts(
        Translation3::from(from_vector(pose.translation)),
        UnitQuaternion::new_normalize(Quaternion::new(r.w, r.x, r.y, r.z)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_survives_the_round_trip_and_products_agree() {
        let pose = |x: f64, angle: f64| {
            Pose::from_parts(
                Translation3::new(x, -0.3, 0.7),
                UnitQuaternion::from_euler_angles(angle, 0.4 * angle, -1.1),
            )
        };
        let (a, b) = (pose(0.2, 0.9), pose(-1.4, 2.2));
        let product = from_parry(&(to_parry(&a) * to_parry(&b)));
        let off = (product.inverse() * (a * b)).translation.vector.norm();
        assert!(off < 1e-12, "products differ by {off} m");
        assert!((product.inverse() * (a * b)).rotation.angle() < 1e-7);
    }
}
