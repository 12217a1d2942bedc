//! Covering a link with few spheres and little total excess.
//!
//! A limit on the excess of every sphere costs many small spheres along a link's edges, where they
//! gain nothing. Instead, each further sphere is the one that covers most for its price: a fixed
//! price, plus the volume that it adds to the whole.
//!
//! The spheres chosen from few centres on a coarse grid are then improved in rounds: each piece of
//! the shape goes to the sphere in which it is deepest, and each sphere moves to where it exceeds
//! the shape least. That halves the excess of the Panda's spheres to 10 mm with no more spheres,
//! and a search in a cage then takes a quarter of the samples. Where only these spheres touch, the
//! exact shape decides.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::shape::{SharedShape, TypedShape};

use super::corners;
use super::cover::{Cover, grid};

/// Price of a sphere, as the thickness of a layer on the whole surface, m.
const PRICE_M: f64 = 4.5e-4;
/// Distances by which a candidate sphere may exceed the shape before it is moved, m.
pub(super) const EXCESSES_M: [f64; 6] = [0.002, 0.005, 0.009, 0.014, 0.02, 0.028];
/// Longest edge of the surface pieces, m. Larger pieces make a sphere exceed the shape by more.
const EDGE_M: f64 = 0.008;
/// Depth of the surface pieces, m. Deeper parts are covered point by point.
const LAYER_M: f64 = 0.014;
/// Edge and depth of the pieces of a thin shape, as shares of its thickness.
const THIN: [f64; 2] = [0.4, 0.3];
/// Radius that an inner point represents, as a share of the layer. The point is at least that deep,
/// so no space outside the shape has to be covered because of it.
const STANDS_FOR: f64 = 0.5;
/// Half a diagonal of a grid cell, as a share of its step.
const HALF_DIAGONAL: f64 = 0.867;
/// Distance between the points that measure the covered volume outside the shape, m.
const OUTSIDE_STEP_M: f64 = 0.01;
const N_CENTRES: f64 = 200.0;
const ROUNDS: usize = 4;
/// First and last step by which a sphere is moved, m.
const MOVES_M: [f64; 2] = [0.008, 0.0008];

struct Solid {
    /// Outward unit normals, and distances of the planes from the origin, m.
    planes: Vec<(Vector, f64)>,
    /// Pieces whose corners must all be in one sphere: pieces of a surface layer, and single inner
    /// points with their radius.
    pieces: Vec<Piece>,
    area_m2: f64,
    bounds: Aabb,
}

/// Corners, and the radius that each represents, m.
type Piece = (Vec<Vector>, f64);

/// A candidate sphere with the pieces that it covers and the outside points that it contains.
struct Candidate {
    cover: Cover,
    pieces: Bits,
    outside: Bits,
}

#[derive(Clone)]
struct Bits(Vec<u64>);

/// Spheres that cover a convex polyhedron or a box; `None` for other shapes.
pub(super) fn cover(shape: &SharedShape) -> Option<Vec<Cover>> {
    // Distance by which the shape exceeds its simplified hull, m.
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
    // Upper bound on the number of remaining pieces that each candidate covers: the last count,
    // since counts only fall.
    let mut most = vec![f64::INFINITY; candidates.len()];
    let mut chosen = vec![];
    loop {
        // Ties go to the first candidate, for determinism.
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
            bounds: Aabb::from_points(vertices.iter().copied()),
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

    /// Depth of a point inside, m; negative outside.
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
        self.bounds.extents().min_element()
    }

    fn candidates(&self) -> (Vec<Candidate>, Bits, Bits) {
        let furthest_m = EXCESSES_M[EXCESSES_M.len() - 1];
        let mut outside = self.grid(self.outside_step_m(), furthest_m);
        outside.retain(|p| (-furthest_m..0.0).contains(&self.depth_m(*p)));
        let size = self.bounds.extents();
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

    /// Gives each piece to the sphere in which it is deepest, and moves each sphere to where it
    /// covers its pieces and exceeds the shape least. A sphere without pieces is dropped.
    fn tighten(&self, spheres: &mut Vec<Cover>) {
        let mut given = vec![vec![]; spheres.len()];
        for piece in &self.pieces {
            let out_m = |s: &Cover| reach_m(s.centre, piece) - s.radius;
            let each = spheres.iter().map(out_m).zip(&mut given);
            // Ties go to the first sphere, for determinism.
            if let Some((_, pieces)) = each.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
                pieces.push(piece);
            }
        }
        let given = spheres.drain(..).zip(given).filter(|(_, p)| !p.is_empty());
        let moved: Vec<_> = given.map(|(s, p)| self.moved(s.centre, &p)).collect();
        *spheres = moved;
    }

    /// The sphere around pieces that exceeds the shape least. Its centre is found by steps along
    /// the axes: the excess is a convex function of the centre.
    fn moved(&self, centre: Vector, pieces: &[&Piece]) -> Cover {
        let corners = pieces.iter();
        let corners = corners.flat_map(|(c, slack_m)| c.iter().map(|c| (*c, *slack_m)));
        let mut corners: Vec<_> = corners.collect();
        // Most corners belong to several pieces.
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

    /// The smallest sphere with this centre that covers points and the radii that they represent.
    fn around(&self, centre: Vector, points: &[(Vector, f64)]) -> Cover {
        let points = points.iter();
        let reaches = points.map(|(p, slack_m)| (*p - centre).length() + slack_m);
        let inner = self.depth_m(centre).max(0.0);
        Cover {
            centre,
            radius: reaches.fold(inner, f64::max),
            inner,
        }
    }

    /// Grid points around the centre of the bounds, reaching `beyond_m` past them.
    fn grid(&self, step: f64, beyond_m: f64) -> Vec<Vector> {
        let half = self.bounds.half_extents() + Vector::splat(beyond_m);
        grid(self.bounds.center(), half, step)
    }
}

/// Smallest radius with which a sphere covers a piece, m.
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

    fn n_in(&self, others: &Self) -> u32 {
        let both = self.0.iter().zip(&others.0);
        both.map(|(a, b)| (a & b).count_ones()).sum()
    }
}
