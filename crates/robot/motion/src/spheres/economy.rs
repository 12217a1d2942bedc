//! Few spheres that cover a link and leave it by little in all.
//!
//! A limit on how far every sphere may leave a link costs many small spheres along its
//! edges, where nothing is won by them. So each further sphere is the one that covers most
//! for its price: a fixed one, and the volume by which it makes the whole larger.
//!
//! What is chosen from few centres on a coarse grid is then moved: pieces go to the sphere
//! that they are deepest in, and each sphere to where it leaves the shape least, again and
//! again. That halves what spheres leave the Panda by, to 10 mm, with no more of them; a
//! search in a cage takes a quarter of the samples then. What only these spheres touch is
//! decided by the exact shape.

use parry3d_f64::math::Vector;
use parry3d_f64::shape::{SharedShape, TypedShape};

use super::corners;
use super::cover::{Cover, grid};

/// Price of a sphere, as the thickness of a layer on the whole surface, m.
const PRICE_M: f64 = 4.5e-4;
/// Distances by which a sphere may leave the shape before it is moved, m.
pub(super) const EXCESSES_M: [f64; 6] = [0.002, 0.005, 0.009, 0.014, 0.02, 0.028];
/// Longest edge of the pieces into which the surface is cut, m: a sphere leaves the shape by
/// more, the larger the pieces are.
const EDGE_M: f64 = 0.008;
/// Depth of those pieces, m. What is deeper is covered point by point.
const LAYER_M: f64 = 0.014;
/// Edges and layers of a thin shape, as shares of its thickness.
const THIN: [f64; 2] = [0.4, 0.3];
/// A point inside stands for what is so near to it, as a share of the layer: it is itself so
/// deep at least, so that nothing outside has to be covered for its sake.
const STANDS_FOR: f64 = 0.5;
/// Half a diagonal of a grid, as a share of its step.
const HALF_DIAGONAL: f64 = 0.867;
/// Distance of the points that measure what is covered outside, m.
const OUTSIDE_STEP_M: f64 = 0.01;
/// About how many centres to choose from.
const N_CENTRES: f64 = 200.0;
/// Rounds of moving the chosen spheres.
const ROUNDS: usize = 4;
/// First and last step by which a sphere is moved, m.
const MOVES_M: [f64; 2] = [0.008, 0.0008];

/// A convex shape, ready to be covered.
struct Solid {
    /// Unit normals outwards, and how far the planes are from the origin, m.
    planes: Vec<(Vector, f64)>,
    /// Pieces that must each be in one sphere with all their corners: of a layer of the
    /// surface, and single points with what they stand for.
    pieces: Vec<Piece>,
    area_m2: f64,
    min: Vector,
    max: Vector,
}

/// Corners, and the distance within which they stand for what is around them, m.
type Piece = (Vec<Vector>, f64);

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
    // By how much the shape leaves what is covered in its place.
    let mut out_m = 0.0;
    let (vertices, triangles) = match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(hull) => match corners::fewer(hull) {
            Some((simple, lost_m)) => {
                out_m = lost_m;
                simple.to_trimesh()
            }
            None => hull.to_trimesh(),
        },
        TypedShape::Cuboid(cuboid) => cuboid.to_trimesh(),
        _ => return None,
    };
    let triangles = triangles.iter().map(|t| t.map(|i| vertices[i as usize]));
    let solid = Solid::new(&vertices, &triangles.collect::<Vec<_>>());
    let (candidates, mut left, mut outside) = solid.candidates();
    let price_m3 = PRICE_M * solid.area_m2;
    let outside_m3 = solid.outside_step_m().powi(3);
    // What each covers of the pieces that are left: never more than when last counted.
    let mut most = vec![f64::INFINITY; candidates.len()];
    let mut chosen = vec![];
    loop {
        // The first of those of the same value, so that the answer is always the same.
        let mut best: Option<(f64, &Candidate)> = None;
        for (c, most) in candidates.iter().zip(&mut most) {
            let least = best.map_or(0.0, |(value, _)| value);
            if *most / price_m3 <= least {
                continue;
            }
            *most = f64::from(c.pieces.n_in(&left));
            if *most / price_m3 > least {
                let larger_m3 = f64::from(c.outside.n_in(&outside)) * outside_m3;
                let value = *most / (price_m3 + larger_m3);
                if value > least {
                    best = Some((value, c));
                }
            }
        }
        let Some((_, best)) = best else { break };
        left.remove(&best.pieces);
        outside.remove(&best.outside);
        chosen.push(best.cover);
    }
    let pieces = solid.pieces.iter().enumerate();
    let lost = pieces.filter(|(i, _)| left.has(*i));
    chosen.extend(lost.map(|(_, piece)| solid.moved(piece.0[0], &[piece])));
    for _ in 0..ROUNDS {
        solid.tighten(&mut chosen);
    }
    for sphere in &mut chosen {
        sphere.radius += out_m;
    }
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
        let [edge, layer] = THIN.map(|share| share * solid.thickness_m());
        let (edge_m, layer_m) = (EDGE_M.min(edge), LAYER_M.min(layer));
        for triangle in triangles {
            let [a, b, c] = *triangle;
            let across = (b - a).cross(c - a);
            let length = across.length();
            if length > 0.0 {
                let outwards = across / length;
                solid.area_m2 += 0.5 * length;
                solid.planes.push((outwards, outwards.dot(a)));
                solid.cut(triangle, outwards * layer_m, edge_m);
            }
        }
        let slack_m = STANDS_FOR * layer_m;
        let inside = solid.grid(slack_m / HALF_DIAGONAL, 0.0).into_iter();
        let inside = inside.filter(|p| solid.depth_m(*p) >= layer_m - slack_m);
        let inside: Vec<_> = inside.map(|p| (vec![p], slack_m)).collect();
        solid.pieces.extend(inside);
        solid
    }

    /// Depth of a point inside, m; below zero outside.
    fn depth_m(&self, point: Vector) -> f64 {
        let planes = self.planes.iter();
        let depths = planes.map(|(normal, at)| at - normal.dot(point));
        depths.fold(f64::INFINITY, f64::min)
    }

    /// Cuts a triangle of the surface into small ones, each with a layer inwards.
    fn cut(&mut self, triangle: &[Vector; 3], outwards: Vector, edge_m: f64) {
        let [a, b, c] = *triangle;
        let sides = [(a, b, c), (b, c, a), (c, a, b)];
        let longest = sides.into_iter().max_by(|s, t| {
            let length = |(a, b, _): &(Vector, Vector, Vector)| (*a - *b).length_squared();
            length(s).total_cmp(&length(t))
        });
        match longest {
            Some((a, b, c)) if (a - b).length() > edge_m => {
                let middle = 0.5 * (a + b);
                self.cut(&[a, middle, c], outwards, edge_m);
                self.cut(&[middle, b, c], outwards, edge_m);
            }
            _ => {
                let corners = [a, b, c, a - outwards, b - outwards, c - outwards];
                self.pieces.push((corners.to_vec(), 0.0));
            }
        }
    }

    fn outside_step_m(&self) -> f64 {
        OUTSIDE_STEP_M.min(0.6 * self.thickness_m())
    }

    fn thickness_m(&self) -> f64 {
        (self.max - self.min).min_element()
    }

    fn candidates(&self) -> (Vec<Candidate>, Bits, Bits) {
        let furthest_m = EXCESSES_M[EXCESSES_M.len() - 1];
        let mut outside = self.grid(self.outside_step_m(), furthest_m);
        outside.retain(|p| (-furthest_m..0.0).contains(&self.depth_m(*p)));
        let size = self.max - self.min;
        let step = (size.x * size.y * size.z / N_CENTRES).cbrt();
        let centres = self.grid(step.min(0.5 * self.thickness_m()), 0.0);
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

    /// Gives each piece to the sphere that it is deepest in, and moves each sphere to where
    /// it leaves the shape least with what it was given. One without any is dropped.
    fn tighten(&self, spheres: &mut Vec<Cover>) {
        let mut given = vec![vec![]; spheres.len()];
        for piece in &self.pieces {
            let out_m = |s: &Cover| reach_m(s.centre, piece) - s.radius;
            let each = spheres.iter().map(out_m).zip(&mut given);
            // The first of those that are alike.
            if let Some((_, pieces)) = each.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
                pieces.push(piece);
            }
        }
        let given = spheres.drain(..).zip(given).filter(|(_, p)| !p.is_empty());
        let moved: Vec<_> = given.map(|(s, p)| self.moved(s.centre, &p)).collect();
        *spheres = moved;
    }

    /// The sphere around pieces that leaves the shape least, with its centre found by steps
    /// along the axes: what it leaves by is a convex function of the centre.
    fn moved(&self, centre: Vector, pieces: &[&Piece]) -> Cover {
        let corners = pieces
            .iter()
            .flat_map(|(c, slack_m)| c.iter().map(|c| (*c, *slack_m)));
        let mut corners: Vec<_> = corners.collect();
        // Most are those of several pieces.
        corners.sort_by(|a, b| {
            let by = |axis: usize| a.0[axis].total_cmp(&b.0[axis]);
            by(0).then(by(1)).then(by(2))
        });
        corners.dedup();
        let mut best = self.around(centre, &corners);
        let [mut step_m, last_m] = MOVES_M;
        while step_m >= last_m {
            let axes = [Vector::X, Vector::Y, Vector::Z];
            let steps = axes.into_iter().flat_map(|axis| [axis, -axis]);
            let near = steps.map(|step| self.around(best.centre + step_m * step, &corners));
            let nearest = near.reduce(|a, b| if b.excess_m() < a.excess_m() { b } else { a });
            match nearest.filter(|near| near.excess_m() < best.excess_m()) {
                Some(better) => best = better,
                None => step_m *= 0.5,
            }
        }
        best
    }

    /// The smallest sphere with this centre that covers points and what they stand for.
    fn around(&self, centre: Vector, points: &[(Vector, f64)]) -> Cover {
        let reaches = points
            .iter()
            .map(|(p, slack_m)| (*p - centre).length() + slack_m);
        let inner = self.depth_m(centre).max(0.0);
        Cover {
            centre,
            radius: reaches.fold(inner, f64::max),
            inner,
        }
    }

    /// Points around the middle of the bounds, which they overhang.
    fn grid(&self, step: f64, beyond_m: f64) -> Vec<Vector> {
        let (centre, half) = (0.5 * (self.min + self.max), 0.5 * (self.max - self.min));
        grid(centre, half + Vector::splat(beyond_m), step)
    }
}

/// Radius from which on a sphere covers a piece, m.
fn reach_m(centre: Vector, (corners, slack_m): &Piece) -> f64 {
    let apart = corners.iter().map(|p| (*p - centre).length_squared());
    apart.fold(0.0, f64::max).sqrt() + slack_m
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

    /// Number of those in both.
    fn n_in(&self, others: &Self) -> u32 {
        let both = self.0.iter().zip(&others.0);
        both.map(|(a, b)| (a & b).count_ones()).sum()
    }
}
