//! Builds the shapes of containers from measurements.

use std::f64::consts::{PI, TAU};

use regrasp_api::{Part, Pose, Shape};

/// Measurements of a round container, m. Heights are above its underside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) radius: f64,
    pub(crate) height: f64,
    pub(crate) floor_radius: f64,
    pub(crate) floor: f64,
    pub(crate) wall: f64,
}

/// Measurements of a rectangular container, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Square {
    pub(crate) half: [f64; 2],
    pub(crate) height: f64,
    pub(crate) floor: f64,
    pub(crate) wall: f64,
}

/// Number of flat pieces of a round wall.
const N_PIECES: usize = 16;

/// Makes a floor and a wall that leans outwards; the origin is the centre of the whole.
pub(crate) fn round(r: &Round) -> Shape {
    let half = 0.5 * r.height;
    let floor = Part {
        object_from_part: Pose::translation(0.0, 0.0, 0.5 * r.floor - half),
        shape: Shape::cylinder(r.floor_radius + r.wall, 0.5 * r.floor),
    };
    let mut parts = vec![floor];
    parts.extend((0..N_PIECES).map(|i| wall_piece(r, i)));
    Shape::Compound { parts }
}

fn wall_piece(r: &Round, i: usize) -> Part {
    let half = 0.5 * r.height;
    let middle = TAU * (i as f64 + 0.5) / N_PIECES as f64;
    let corner = |radius: f64, side: f64, z: f64| {
        let angle = middle + side * PI / N_PIECES as f64;
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let mut points = Vec::new();
    for (outer, z) in [(r.floor_radius + r.wall, -half), (r.radius, half)] {
        for radius in [outer, outer - r.wall] {
            points.extend([corner(radius, -1.0, z), corner(radius, 1.0, z)]);
        }
    }
    Part::new(Pose::identity(), Shape::Convex { points })
}

/// Makes a floor and four upright walls; the origin is the centre of the whole.
pub(crate) fn square(s: &Square) -> Shape {
    let [x, y] = s.half;
    let (half, w) = (0.5 * s.height, 0.5 * s.wall);
    let slab = |center: [f64; 3], half_extents: [f64; 3]| Part {
        object_from_part: Pose::translation(center[0], center[1], center[2]),
        shape: Shape::Box { half_extents },
    };
    let (low, rise) = (0.5 * s.floor, half - 0.5 * s.floor);
    let parts = vec![
        slab([0.0, 0.0, low - half], [x, y, low]),
        slab([x - w, 0.0, low], [w, y, rise]),
        slab([w - x, 0.0, low], [w, y, rise]),
        slab([0.0, y - w, low], [x - s.wall, w, rise]),
        slab([0.0, w - y, low], [x - s.wall, w, rise]),
    ];
    Shape::Compound { parts }
}
