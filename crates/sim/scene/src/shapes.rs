//! Parametric kinds of several bodies, and scaled shapes.

use std::f64::consts::PI;

use regrasp_api::solids::{boxed, disc, ring};
use regrasp_api::{HeightField, Part, Shape};

/// Makes a housing of `size`, open at +x, the drawer inside, and the drawer's handle bar. 1 mm of
/// clearance on every side lets the drawer slide. All are in the frame of the housing's middle.
pub(crate) fn drawer(size: [f64; 3], wall: f64, handle: f64) -> ([Shape; 2], Part) {
    const AIR_M: f64 = 0.001;
    let [x, y, z] = size.map(|s| 0.5 * s);
    let w = 0.5 * wall;
    let cabinet = vec![
        boxed([0.0, 0.0, z - w], [x, y, w], 0.0),
        boxed([0.0, 0.0, w - z], [x, y, w], 0.0),
        boxed([0.0, y - w, 0.0], [x, w, z - wall], 0.0),
        boxed([0.0, w - y, 0.0], [x, w, z - wall], 0.0),
        boxed([w - x, 0.0, 0.0], [w, y - wall, z - wall], 0.0),
    ];
    let (inner_y, inner_z) = (y - wall - AIR_M, z - wall - AIR_M);
    let (back, front) = (wall + AIR_M - x, x);
    let (middle, half_x) = (0.5 * (back + front), 0.5 * (front - back));
    // The walls are three quarters as high as the inside, so that objects can be put in over them.
    let wall_half_z = 0.75 * inner_z;
    let wall_z = wall_half_z - inner_z;
    let bar = (0.2 * handle).min(0.5 * inner_z);
    let out = front + 0.035;
    let post = |side: f64| {
        let half_length = 0.5 * (out - front);
        let (x, y) = (front + half_length, side * (0.5 * handle - bar));
        boxed([x, y, 0.0], [half_length, bar, bar], 0.0)
    };
    let handle_bar = boxed([out, 0.0, 0.0], [bar, 0.5 * handle, bar], 0.0);
    let drawer = vec![
        boxed([middle, 0.0, w - inner_z], [half_x, inner_y, w], 0.0),
        boxed([middle, inner_y - w, wall_z], [half_x, w, wall_half_z], 0.0),
        boxed([middle, w - inner_y, wall_z], [half_x, w, wall_half_z], 0.0),
        boxed([back + w, 0.0, wall_z], [w, inner_y, wall_half_z], 0.0),
        boxed([front - w, 0.0, 0.0], [w, inner_y, inner_z], 0.0),
        post(-1.0),
        post(1.0),
        handle_bar.clone(),
    ];
    let [cabinet, drawer] = [cabinet, drawer].map(|parts| Shape::Compound { parts });
    ([cabinet, drawer], handle_bar)
}

/// Makes a round housing, open at the top, and in it a cap of the given radius, which sticks out by
/// slightly more than its travel. Also returns the height of the cap's centre above that of the
/// housing, m.
pub(crate) fn button(radius: f64, height: f64, travel: f64) -> ([Shape; 2], f64) {
    const N_SEGMENTS: usize = 16;
    const AIR_M: f64 = 0.001;
    const WALL_M: f64 = 0.004;
    const STANDS_OUT_M: f64 = 0.003;
    let half = 0.5 * height;
    let floor = WALL_M.min(0.2 * height);
    // The inner face of a ring of flat segments is nearest to the axis at the middle of each
    // segment.
    let outer = (radius + AIR_M + WALL_M) / (PI / N_SEGMENTS as f64).cos();
    let mut parts = vec![disc(-half + 0.5 * floor, outer, 0.5 * floor)];
    let span = [-half + floor, half];
    parts.extend(ring(N_SEGMENTS, span, outer, outer, WALL_M));
    let (low, high) = (-half + floor + AIR_M + travel, half + travel + STANDS_OUT_M);
    let cap = Shape::cylinder(radius, 0.5 * (high - low));
    ([Shape::Compound { parts }, cap], 0.5 * (low + high))
}

pub(crate) fn scaled(shape: &Shape, factor: f64) -> Shape {
    match shape {
        Shape::Box { half_extents } => Shape::cuboid(half_extents.map(|h| h * factor)),
        Shape::Sphere { radius } => Shape::Sphere {
            radius: radius * factor,
        },
        Shape::Cylinder(rod) => Shape::cylinder(rod.radius * factor, rod.half_height * factor),
        Shape::Capsule(rod) => Shape::capsule(rod.radius * factor, rod.half_height * factor),
        Shape::Convex { points } => Shape::Convex {
            points: points.iter().map(|p| p.map(|x| x * factor)).collect(),
        },
        Shape::Compound { parts } => Shape::Compound {
            parts: parts.iter().map(|part| scaled_part(part, factor)).collect(),
        },
        Shape::HeightField(field) => Shape::HeightField(HeightField {
            size: field.size.map(|s| s * factor),
            heights: {
                let row = |row: &Vec<f64>| row.iter().map(|h| h * factor).collect();
                field.heights.iter().map(row).collect()
            },
            bottom: field.bottom * factor,
        }),
        Shape::PointCloud { points, radius } => Shape::PointCloud {
            points: points.iter().map(|p| p.map(|x| x * factor)).collect(),
            radius: radius * factor,
        },
    }
}

fn scaled_part(part: &Part, factor: f64) -> Part {
    let mut object_from_part = part.object_from_part;
    object_from_part.translation.vector *= factor;
    Part::new(object_from_part, scaled(&part.shape, factor))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use regrasp_api::Pose;
    use regrasp_api::solids::{bowl, mug, plate, tray};

    use super::*;
    use crate::geometry::{overlap_depth, within};

    #[track_caller]
    fn check_size(shape: &Shape, expected: [f64; 3]) {
        let size = shape.aabb(&Pose::identity()).size();
        let off = (size - Vector3::from(expected)).norm();
        assert!(off < 2e-3, "{size:?} is not {expected:?}");
    }

    #[test]
    fn kinds_are_as_large_as_their_numbers_say() {
        check_size(&mug(0.08, 0.06, 0.003, 0.03), [0.0885, 0.06, 0.08]);
        check_size(&bowl(0.08, 0.05, 0.004), [0.16, 0.16, 0.05]);
        check_size(&tray([0.3, 0.2], 0.04, 0.005), [0.3, 0.2, 0.04]);
        check_size(&plate(0.1, 0.01, 0.0), [0.2, 0.2, 0.01]);
        check_size(&plate(0.1, 0.01, 0.02), [0.2, 0.2, 0.03]);
    }

    #[test]
    fn containers_are_hollow() {
        let ball = Shape::Sphere { radius: 0.015 };
        for shape in [
            mug(0.08, 0.06, 0.003, 0.03),
            bowl(0.08, 0.05, 0.004),
            tray([0.3, 0.2], 0.06, 0.005),
        ] {
            let at = |z: f64| {
                let world_from_ball = Pose::translation(0.0, 0.0, z);
                within(&shape, &Pose::identity(), &ball, &world_from_ball, 0.0)
            };
            assert!(!at(0.01), "a ball has no room in {shape:?}");
            assert!(at(-0.03), "the floor is open in {shape:?}");
        }
    }

    #[test]
    fn a_button_goes_down_without_touching() {
        let ([housing, cap], cap_z) = button(0.02, 0.04, 0.01);
        for travel in [0.0, 0.005, 0.01] {
            let pressed = Pose::translation(0.0, 0.0, cap_z - travel);
            let depth = overlap_depth(&housing, &Pose::identity(), &cap, &pressed);
            assert_eq!(depth, None, "the cap is stuck at {travel} m");
        }
        let top = cap.aabb(&Pose::translation(0.0, 0.0, cap_z - 0.01)).max[2];
        assert!(top > 0.02, "pressed down, its top is at {top} m");
    }

    #[test]
    fn a_drawer_slides_out_without_touching() {
        let ([cabinet, drawer], _) = drawer([0.15, 0.12, 0.05], 0.005, 0.06);
        for travel in [0.0, 0.06, 0.12] {
            let moved = Pose::translation(travel, 0.0, 0.0);
            let depth = overlap_depth(&cabinet, &Pose::identity(), &drawer, &moved);
            assert_eq!(depth, None, "the drawer is stuck at {travel} m");
        }
    }
}
