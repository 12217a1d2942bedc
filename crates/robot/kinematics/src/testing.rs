//! Robots and assertions that several test modules share.

use std::path::Path;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Chain, MeshSearch, RobotModel};

pub(crate) const HOME: [f64; 7] = [
    0.0,
    -std::f64::consts::FRAC_PI_4,
    0.0,
    -3.0 * std::f64::consts::FRAC_PI_4,
    0.0,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_4,
];

fn load(path: &str) -> RobotModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    RobotModel::load(path, &MeshSearch::default()).unwrap()
}

pub(crate) fn panda() -> RobotModel {
    let path = regrasp_assets::folder().join("robots/panda/panda.urdf");
    RobotModel::load(path, &MeshSearch::default()).unwrap()
}

pub(crate) fn panda_arm() -> Chain {
    panda().chain("panda_link0", "panda_tool").unwrap()
}

/// A robot in which no two transforms commute: `pedestal` to `tip`.
pub(crate) fn bent() -> RobotModel {
    load("tests/data/bent.urdf")
}

/// A UR5e: `base` to `flange`, six joints.
pub(crate) fn ur5e() -> RobotModel {
    load("tests/data/ur5e.urdf")
}

/// An IRB 120: `base` to `flange`, six joints, the last three axes of which meet in a point.
pub(crate) fn irb120() -> RobotModel {
    load("tests/data/irb120.urdf")
}

/// A robot from the content of `<robot>`, which cannot refer to mesh files.
pub(crate) fn robot(body: &str) -> Result<RobotModel, String> {
    let urdf = format!("<robot name=\"test\">{body}</robot>");
    RobotModel::from_urdf_str(&urdf, "no_such_folder", &MeshSearch::default())
        .map_err(|error| error.to_string())
}

/// Random joint positions within the limits and within ±3 rad or m.
pub(crate) fn random_q(chain: &Chain, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let limits = chain.limits().iter();
    let drawn = limits.map(|l| rng.random_range(l.lower.max(-3.0)..l.upper.min(3.0)));
    drawn.collect()
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn pose(xyz: [f64; 3], quat_xyzw: [f64; 4]) -> Isometry3<f64> {
    let [x, y, z, w] = quat_xyzw;
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    Isometry3::from_parts(xyz.into(), rotation)
}

/// Panics unless two poses agree to 1e-9 m and 1e-9 rad.
#[track_caller]
pub(crate) fn assert_same_pose(actual: &Isometry3<f64>, expected: &Isometry3<f64>) {
    let (pos_err_m, rot_err_rad) = pose_error(actual, expected);
    let is_there = pos_err_m < 1e-9 && rot_err_rad < 1e-9;
    let errors = format!("{pos_err_m} m and {rot_err_rad} rad");
    assert!(is_there, "{actual} is {errors} off {expected}");
}

/// Distance in metres and angle in radians between two poses. The angle comes from the vector part
/// of the quaternion, since its scalar part cannot resolve 1e-9 rad.
pub(crate) fn pose_error(a: &Isometry3<f64>, b: &Isometry3<f64>) -> (f64, f64) {
    let a_from_b = a.inverse() * b;
    let half_sin = a_from_b.rotation.imag().norm().min(1.0);
    let distance_m = (a.translation.vector - b.translation.vector).norm();
    (distance_m, 2.0 * half_sin.asin())
}
