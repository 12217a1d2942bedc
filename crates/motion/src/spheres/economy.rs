//! Few spheres that cover a link and leave it by little in all.
//!
//! A limit on how far every sphere may leave a link costs many small spheres along its
//! edges, where nothing is won by them. So each further sphere is the one that covers most
//! for its price: a fixed one, and the volume by which it makes the whole larger. What only
//! these spheres touch is decided by the exact shape.

use parry3d_f64::math::Vector;
use parry3d_f64::shape::{SharedShape, TypedShape};

use super::Cover;

/// What a sphere costs, as the thickness of a layer on the whole surface, m.
const PRICE_M: f64 = 4.5e-4;
/// How far a sphere may leave the shape, m.
pub(super) const EXCESSES_M: [f64; 6] = [0.002, 0.005, 0.009, 0.014, 0.02, 0.028];
/// Longest edge of the pieces into which the surface is cut, m.
const EDGE_M: f64 = 0.012;
/// Distance of the points that stand for the inside, m.
const INSIDE_STEP_M: f64 = 0.016;
/// A point inside stands for what is so near to it, m: half a diagonal of the grid. What
/// is nearer to the surface than that belongs to the pieces of the surface.
const INSIDE_SLACK_M: f64 = 0.87 * INSIDE_STEP_M;
/// Distance of the points that measure what is covered outside, m.
const OUTSIDE_STEP_M: f64 = 0.01;
/// Most centres to choose from.
const MAX_CENTRES: f64 = 600.0;

/// A convex shape, ready to be covered.
struct Solid {
    /// Unit normals outwards, and how far the planes are from the origin, m.
    planes: Vec<(Vector, f64)>,
    /// Pieces that must each be in one sphere with all their corners: of the surface,
    /// a little inwards as well, and single points with what they stand for.
    pieces: Vec<(Vec<Vector>, f64)>,
    area_m2: f64,
    min: Vector,
    max: Vector,
}

/// A sphere that may be chosen: what it covers inside, and outside.
struct Candidate {
    cover: Cover,
    pieces: Bits,
    outside: Bits,
}

/// A set of small numbers.
#[derive(Clone)]
struct Bits(Vec<u64>);

/// Spheres that cover a convex polyhedron or a box; `None` for other shapes.
pub(super) fn cover(shape: &SharedShape) -> Option<Vec<Cover>> {
    let (vertices, triangles) = match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(hull) => hull.to_trimesh(),
        TypedShape::Cuboid(cuboid) => cuboid.to_trimesh(),
        _ => return None,
    };
    let triangles = triangles.iter().map(|t| t.map(|i| vertices[i as usize]));
    let solid = Solid::new(&vertices, &triangles.collect::<Vec<_>>());
    let (candidates, mut left, mut outside) = solid.candidates();
    let price_m3 = PRICE_M * solid.area_m2;
    let mut chosen = vec![];
    while !left.is_empty() {
        let value = |c: &Candidate| {
            let larger_m3 = c.outside.n_in(&outside) as f64 * OUTSIDE_STEP_M.powi(3);
            c.pieces.n_in(&left) as f64 / (price_m3 + larger_m3)
        };
        let best = candidates.iter().map(|c| (value(c), c));
        // The first of those of the same value, so that the answer is always the same.
        let best = best.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, best)) = best.filter(|(value, _)| *value > 0.0) else {
            break;
        };
        left.remove(&best.pieces);
        outside.remove(&best.outside);
        chosen.push(best.cover);
    }
    let lost = solid
        .pieces
        .iter()
        .enumerate()
        .filter(|(i, _)| left.has(*i));
    chosen.extend(lost.map(|(_, piece)| solid.around(piece)));
    shrink(&solid.pieces, &mut chosen);
    Some(chosen)
}

impl Solid {
    fn new(vertices: &[Vector], triangles: &[[Vector; 3]]) -> Self {
        let mut solid = Self {
            planes: vec![],
            pieces: vec![],
            area_m2: 0.0,
            min: vertices
                .iter()
                .copied()
                .reduce(Vector::min)
                .unwrap_or_default(),
            max: vertices
                .iter()
                .copied()
                .reduce(Vector::max)
                .unwrap_or_default(),
        };
        for triangle in triangles {
            let [a, b, c] = *triangle;
            let across = (b - a).cross(c - a);
            let length = across.length();
            if length > 0.0 {
                solid.area_m2 += 0.5 * length;
                solid.planes.push((across / length, across.dot(a) / length));
                solid.cut(triangle, across / length * INSIDE_SLACK_M);
            }
        }
        let inside = solid.grid(INSIDE_STEP_M, 0.0);
        let inside = inside.into_iter().filter(|p| solid.depth_m(*p) >= 0.0);
        let inside: Vec<_> = inside.map(|p| (vec![p], INSIDE_SLACK_M)).collect();
        solid.pieces.extend(inside);
        solid
    }

    /// How deep a point is inside, m; below zero outside.
    fn depth_m(&self, point: Vector) -> f64 {
        let depths = self
            .planes
            .iter()
            .map(|(normal, at)| at - normal.dot(point));
        depths.fold(f64::INFINITY, f64::min)
    }

    /// Cuts a triangle of the surface into small ones, each with a layer inwards.
    fn cut(&mut self, triangle: &[Vector; 3], outwards: Vector) {
        let [a, b, c] = *triangle;
        let sides = [(a, b, c), (b, c, a), (c, a, b)];
        let longest = sides.into_iter().max_by(|s, t| {
            let length = |(a, b, _): &(Vector, Vector, Vector)| (*a - *b).length_squared();
            length(s).total_cmp(&length(t))
        });
        match longest {
            Some((a, b, c)) if (a - b).length() > EDGE_M => {
                let middle = 0.5 * (a + b);
                self.cut(&[a, middle, c], outwards);
                self.cut(&[middle, b, c], outwards);
            }
            _ => {
                let corners = [a, b, c, a - outwards, b - outwards, c - outwards];
                self.pieces.push((corners.to_vec(), 0.0));
            }
        }
    }

    fn candidates(&self) -> (Vec<Candidate>, Bits, Bits) {
        let furthest_m = EXCESSES_M[EXCESSES_M.len() - 1];
        let mut outside = self.grid(OUTSIDE_STEP_M, furthest_m);
        outside.retain(|p| (-furthest_m..0.0).contains(&self.depth_m(*p)));
        let size = self.max - self.min;
        let step = (size.x * size.y * size.z / MAX_CENTRES).cbrt();
        let centres = self.grid(step.min(0.5 * size.min_element()), 0.0);
        let mut candidates = vec![];
        for centre in centres {
            let inner = self.depth_m(centre);
            if inner < 0.0 {
                continue;
            }
            let reaches: Vec<_> = self.pieces.iter().map(|p| reach_m(centre, p)).collect();
            let apart: Vec<_> = outside.iter().map(|p| (*p - centre).length()).collect();
            for excess_m in EXCESSES_M {
                let radius = inner + excess_m;
                let within = |m: &f64| *m <= radius;
                let pieces = Bits::new(reaches.iter().map(within));
                if !pieces.is_empty() {
                    candidates.push(Candidate {
                        cover: Cover {
                            centre,
                            radius,
                            inner,
                        },
                        pieces,
                        outside: Bits::new(apart.iter().map(within)),
                    });
                }
            }
        }
        let all = |n: usize| Bits::new(std::iter::repeat_n(true, n));
        (candidates, all(self.pieces.len()), all(outside.len()))
    }

    /// A sphere around one piece.
    fn around(&self, piece: &(Vec<Vector>, f64)) -> Cover {
        let centre = piece.0.iter().sum::<Vector>() / piece.0.len() as f64;
        Cover {
            centre,
            radius: reach_m(centre, piece),
            inner: self.depth_m(centre).max(0.0),
        }
    }

    /// Points around the middle of the bounds, which they overhang.
    fn grid(&self, step: f64, beyond_m: f64) -> Vec<Vector> {
        let (centre, half) = (0.5 * (self.min + self.max), 0.5 * (self.max - self.min));
        let n = |half: f64| ((half + beyond_m) / step).ceil() as i32;
        let (nx, ny, nz) = (n(half.x), n(half.y), n(half.z));
        let mut points = vec![];
        for i in -nx..=nx {
            for j in -ny..=ny {
                for k in -nz..=nz {
                    let offset = Vector::new(f64::from(i), f64::from(j), f64::from(k));
                    points.push(centre + offset * step);
                }
            }
        }
        points
    }
}

/// Radius from which on a sphere covers a piece, m.
fn reach_m(centre: Vector, (corners, slack_m): &(Vec<Vector>, f64)) -> f64 {
    let apart = corners.iter().map(|p| (*p - centre).length_squared());
    apart.fold(0.0, f64::max).sqrt() + slack_m
}

/// Makes each sphere as small as the others allow, those that leave the shape most first.
fn shrink(pieces: &[(Vec<Vector>, f64)], spheres: &mut Vec<Cover>) {
    spheres.sort_by(|a, b| (b.radius - b.inner).total_cmp(&(a.radius - a.inner)));
    let mut idx = 0;
    while idx < spheres.len() {
        let others = |piece: &&(Vec<Vector>, f64)| {
            let mut others = spheres.iter().enumerate().filter(|(i, _)| *i != idx);
            !others.any(|(_, s)| reach_m(s.centre, piece) <= s.radius)
        };
        let needed = pieces.iter().filter(others);
        let needed = needed.map(|piece| reach_m(spheres[idx].centre, piece));
        match needed.reduce(f64::max) {
            Some(radius) => {
                spheres[idx].radius = radius.max(spheres[idx].inner);
                idx += 1;
            }
            None => {
                spheres.remove(idx);
            }
        }
    }
}

impl Bits {
    fn new(bits: impl Iterator<Item = bool>) -> Self {
        let mut words = vec![];
        for (i, bit) in bits.enumerate() {
            if i % 64 == 0 {
                words.push(0);
            }
            words[i / 64] |= u64::from(bit) << (i % 64);
        }
        Self(words)
    }

    fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn remove(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word &= !other;
        }
    }

    /// How many are in both.
    fn n_in(&self, others: &Self) -> u32 {
        let both = self.0.iter().zip(&others.0);
        both.map(|(a, b)| (a & b).count_ones()).sum()
    }
}
