//! Generators of common objects (mug, bowl, tray, plate) and of their parts. An object's origin is
//! the centre of its bounding box unless stated otherwise; z is up, lengths are in metres.

use std::f64::consts::{PI, TAU};

use nalgebra::{UnitQuaternion, Vector3};

use crate::{Part, Pose, Shape};

/// Creates a box at a centre, turned about z by `yaw` rad.
pub fn boxed(center: [f64; 3], half_extents: [f64; 3], yaw: f64) -> Part {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
    let pose = Pose::from_parts(center.into(), turn);
    Part::new(pose, Shape::Box { half_extents })
}

/// Creates an upright cylinder whose middle is at height `z`.
pub fn disc(z: f64, radius: f64, half_height: f64) -> Part {
    let disc = Shape::cylinder(radius, half_height);
    Part::new(Pose::translation(0.0, 0.0, z), disc)
}

/// Creates a wall of `n` flat segments around the z axis, from `z_low` to `z_high`: its outer
/// corners are at the radius `bottom` below and `top` above, and it is `wall` thick.
pub fn ring(n: usize, [z_low, z_high]: [f64; 2], bottom: f64, top: f64, wall: f64) -> Vec<Part> {
    let half_angle = PI / n as f64;
    let segment = |i: usize| {
        // Segments are turned by half a step, so that corners lie on the axes and the extent is
        // exact.
        let angle = TAU * (i as f64 + 0.5) / n as f64;
        let corner = |radius: f64, side: f64, z: f64| {
            let a = angle + side * half_angle;
            [radius * a.cos(), radius * a.sin(), z]
        };
        let points = [(bottom, z_low), (top, z_high)]
            .iter()
            .flat_map(|&(outer, z)| [(outer, z), (outer - wall, z)])
            .flat_map(|(radius, z)| [corner(radius, -1.0, z), corner(radius, 1.0, z)])
            .collect();
        Part::new(Pose::identity(), Shape::Convex { points })
    };
    (0..n).map(segment).collect()
}

/// Creates a mug: a floor, a round wall, and a handle of three bars on the +x side. The origin is
/// in the middle of the body without the handle.
pub fn mug(height: f64, diameter: f64, wall: f64, handle: f64) -> Shape {
    const N_SEGMENTS: usize = 16;
    let (half, radius) = (0.5 * height, 0.5 * diameter);
    // The floor ends within the flat sides of the wall, so that the wall, not the floor, defines
    // the width between two fingers.
    let floor = radius * (PI / N_SEGMENTS as f64).cos();
    let mut parts = vec![disc(-half + 0.5 * wall, floor, 0.5 * wall)];
    parts.extend(ring(N_SEGMENTS, [-half + wall, half], radius, radius, wall));
    if handle > 0.0 {
        // The bars are thin enough to leave a gap for a finger. Two are at a quarter of the height
        // from either end.
        let bar = (0.1 * height).min(0.4 * handle);
        let rise = 0.25 * height;
        let arm = |z: f64| {
            let half_length = 0.5 * handle;
            boxed(
                [radius + half_length - 0.5 * wall, 0.0, z],
                [half_length, 0.5 * bar, 0.5 * bar],
                0.0,
            )
        };
        parts.extend([arm(rise), arm(-rise)]);
        let x = radius + handle - 0.5 * wall - 0.5 * bar;
        let half_extents = [0.5 * bar, 0.5 * bar, rise - 0.5 * bar];
        parts.push(boxed([x, 0.0, 0.0], half_extents, 0.0));
    }
    Shape::Compound { parts }
}

/// Creates a bowl: a round floor of six tenths of the rim's radius, and a wall that leans outwards.
pub fn bowl(radius: f64, height: f64, wall: f64) -> Shape {
    const N_SEGMENTS: usize = 20;
    let (half, floor) = (0.5 * height, 0.6 * radius);
    let mut parts = vec![disc(-half + 0.5 * wall, floor, 0.5 * wall)];
    parts.extend(ring(N_SEGMENTS, [-half, half], floor, radius, wall));
    Shape::Compound { parts }
}

/// Creates a rectangular tray: a floor and four walls.
pub fn tray(size: [f64; 2], height: f64, wall: f64) -> Shape {
    let [x, y] = size.map(|s| 0.5 * s);
    let (half, w) = (0.5 * height, 0.5 * wall);
    let parts = vec![
        boxed([0.0, 0.0, -half + w], [x, y, w], 0.0),
        boxed([x - w, 0.0, w], [w, y, half - w], 0.0),
        boxed([w - x, 0.0, w], [w, y, half - w], 0.0),
        boxed([0.0, y - w, w], [x - wall, w, half - w], 0.0),
        boxed([0.0, w - y, w], [x - wall, w, half - w], 0.0),
    ];
    Shape::Compound { parts }
}

/// Creates a plate: a flat disc, or one with a rim that rises above it.
pub fn plate(radius: f64, thickness: f64, rim: f64) -> Shape {
    if rim <= 0.0 {
        return Shape::cylinder(radius, 0.5 * thickness);
    }
    const N_SEGMENTS: usize = 20;
    let half = 0.5 * (thickness + rim);
    let mut parts = vec![disc(-half + 0.5 * thickness, radius, 0.5 * thickness)];
    let across = [thickness - half, half];
    parts.extend(ring(N_SEGMENTS, across, radius, radius, thickness));
    Shape::Compound { parts }
}
