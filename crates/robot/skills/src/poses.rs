//! Derived poses of the tool and of objects.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Held, Pose};

use crate::params::RELEASE_GAP_M;

/// Rotations about the vertical, rad, as they are tried: quarter turns first, which align edges.
const TURNS: [f64; 8] = [
    0.0,
    PI / 2.0,
    -PI / 2.0,
    PI,
    PI / 4.0,
    -PI / 4.0,
    3.0 * PI / 4.0,
    -3.0 * PI / 4.0,
];

/// `n` evenly spaced angles, rad.
pub(crate) fn around(n: usize) -> impl Iterator<Item = f64> + Clone {
    (0..n).map(move |i| TAU * i as f64 / n as f64)
}

/// Eight evenly spaced angles, rad: the directions that are tried if any side will do.
pub(crate) fn eighths() -> impl Iterator<Item = f64> + Clone {
    (0..8).map(|i| FRAC_PI_4 * i as f64)
}

/// Horizontal unit vector at an angle from the x axis.
pub(crate) fn level(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.cos(), angle.sin(), 0.0)
}

pub(crate) fn raised(world_from_tool: &Pose, rise_m: f64) -> Pose {
    Translation3::from(Vector3::z() * rise_m) * world_from_tool
}

/// Returns the pose rotated in place about the vertical.
pub(crate) fn turned(world_from_object: &Pose, turn: f64) -> Pose {
    let about_z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
    let rotation = about_z * world_from_object.rotation;
    Pose::from_parts(world_from_object.translation, rotation)
}

/// Angle by which the direction that was vertical at the first pose is tilted at the second, rad.
pub(crate) fn tilt_rad(upright: &Pose, now: &Pose) -> f64 {
    let up_in_object = upright.rotation.inverse() * Vector3::z();
    (now.rotation * up_in_object).angle(&Vector3::z())
}

pub(crate) fn in_turns(world_from_object: &Pose) -> [Pose; 8] {
    TURNS.map(|turn| turned(world_from_object, turn))
}

/// Tool poses that hold an object at a pose, one for each of eight rotations about the vertical.
pub(crate) fn tool_poses(world_from_object: &Pose, tool_from_object: &Pose) -> Vec<Pose> {
    let object_from_tool = tool_from_object.inverse();
    let objects = in_turns(world_from_object);
    objects.map(|pose| pose * object_from_tool).into()
}

/// Tool pose at which the held object is released so that it comes to rest at a pose.
pub(crate) fn tool_at(held: &Held, world_from_object: &Pose) -> Pose {
    let there = world_from_object * held.tool_from_object.inverse();
    raised(&there, RELEASE_GAP_M)
}
