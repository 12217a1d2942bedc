//! Conversions between nalgebra and glam, the library in which parry and rapier compute.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use regrasp_geometry::Pose;

/// Converts a vector or point to glam.
pub fn to_vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Converts a vector or point from glam.
pub fn from_vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

/// Converts a rotation to glam.
pub fn to_rotation(r: &UnitQuaternion<f64>) -> Rotation {
    Rotation::from_xyzw(r.i, r.j, r.k, r.w)
}

/// Converts a rigid transform to parry.
pub fn to_parry(pose: &Pose) -> ParryPose {
    let to = to_vector(&pose.translation.vector);
    ParryPose::from_parts(to, to_rotation(&pose.rotation))
}

/// Converts a rigid transform from parry; its rotation is normalised.
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
            let turn = UnitQuaternion::from_euler_angles(angle, 0.4 * angle, -1.1);
            Pose::from_parts([x, -0.3, 0.7].into(), turn)
        };
        let (a, b) = (pose(0.2, 0.9), pose(-1.4, 2.2));
        let product = from_parry(&(to_parry(&a) * to_parry(&b)));
        let off = (product.inverse() * (a * b)).translation.vector.norm();
        assert!(off < 1e-12, "products differ by {off} m");
        assert!((product.inverse() * (a * b)).rotation.angle() < 1e-7);
    }
}
