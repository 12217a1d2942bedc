//! Obstacles of many small pieces: the points of a cloud, or the ground under the triangles of a
//! height field.
//!
//! Pieces are stored in a bounding-box tree in depth-first order. Each box has the index to
//! continue at if no configuration comes near it. Eight configurations traverse the tree together;
//! unless exact distances are needed, one that has hit a piece no longer takes part.

use pulp::{Simd, WithSimd};
use regrasp_api::HeightField;

use super::column::Column;
use super::lanes::{LANES, V, Vec3};

const LEAF: usize = 8;

/// Many pieces, in the obstacle's own frame.
#[derive(Clone, Debug)]
pub(super) struct Many {
    boxes: Vec<Branch>,
    pieces: Pieces,
}

#[derive(Clone, Debug)]
enum Pieces {
    Points(Vec<[f32; 3]>),
    Columns(Vec<Column>),
}

#[derive(Clone, Debug)]
struct Branch {
    min: [f32; 3],
    max: [f32; 3],
    /// Index at which the traversal continues if the box is far away.
    skip: usize,
    /// First and last index of the pieces, for a leaf.
    leaf: Option<(usize, usize)>,
}

impl Many {
    pub(super) fn points(points: &[[f64; 3]]) -> Self {
        let mut points: Vec<_> = points.iter().map(|p| p.map(|x| x as f32)).collect();
        let boxes = walk(&mut points, |p| (*p, *p));
        Self {
            boxes,
            pieces: Pieces::Points(points),
        }
    }

    /// Creates the pieces of the ground under a surface.
    pub(super) fn ground(field: &HeightField) -> Self {
        let column = |corners| Column::new(&corners, field.bottom);
        let mut columns: Vec<_> = field.triangles().map(column).collect();
        let boxes = walk(&mut columns, Column::bounds);
        Self {
            boxes,
            pieces: Pieces::Columns(columns),
        }
    }

    /// Squared distances of eight points: exact below `limit` (squared), otherwise `limit`. With
    /// `exact` unset, a distance below `limit` is reported as zero.
    #[inline(always)]
    pub(super) fn squared<S: Simd>(&self, at: &Vec3<S>, limit: f32, exact: bool) -> V<S> {
        let walk = Walk {
            many: self,
            at: [at[0].to_array(), at[1].to_array(), at[2].to_array()],
            limit,
            exact,
        };
        at[0].load_like(at[0].vectorize(walk))
    }

    /// The smaller of a known distance and that to the pieces of a leaf.
    #[inline(always)]
    fn nearest_of<S: Simd>(&self, leaf: (usize, usize), at: &Vec3<S>, known: V<S>) -> V<S> {
        let (first, last) = leaf;
        let mut nearest = known;
        match &self.pieces {
            Pieces::Points(points) => {
                for p in &points[first..=last] {
                    let [x, y, z] = [
                        at[0] - at[0].like(p[0]),
                        at[1] - at[0].like(p[1]),
                        at[2] - at[0].like(p[2]),
                    ];
                    nearest = nearest.min(x * x + y * y + z * z);
                }
            }
            Pieces::Columns(columns) => {
                for column in &columns[first..=last] {
                    nearest = nearest.min(column.squared(at));
                }
            }
        }
        nearest
    }
}

struct Walk<'a> {
    many: &'a Many,
    at: [[f32; LANES]; 3],
    limit: f32,
    exact: bool,
}

impl WithSimd for Walk<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; LANES] {
        let [x, y, z] = self.at;
        let at = [V::load(simd, x), V::load(simd, y), V::load(simd, z)];
        let zero = V::splat(simd, 0.0);
        let limit = V::splat(simd, self.limit);
        let mut nearest = limit;
        let mut i = 0;
        while let Some(branch) = self.many.boxes.get(i) {
            let mut apart = zero;
            for ((at, min), max) in at.iter().zip(branch.min).zip(branch.max) {
                let beyond = (zero.like(min) - *at).max(*at - zero.like(max)).max(zero);
                apart = apart + beyond * beyond;
            }
            if !(apart - nearest).any_below(0.0) {
                i = branch.skip;
                continue;
            }
            i += 1;
            if let Some(leaf) = branch.leaf {
                nearest = self.many.nearest_of(leaf, &at, nearest);
                if !self.exact {
                    // A lane that has hit a piece need not find a nearer one.
                    nearest = nearest.pick_below(limit, zero, limit);
                }
            }
        }
        nearest.to_array()
    }
}

/// Orders pieces so that those of a leaf are adjacent, and builds the boxes over them.
fn walk<T>(pieces: &mut [T], bounds: impl Fn(&T) -> ([f32; 3], [f32; 3]) + Copy) -> Vec<Branch> {
    let mut boxes = Vec::with_capacity(4 * pieces.len() / LEAF + 1);
    if !pieces.is_empty() {
        add(&mut boxes, pieces, 0, bounds);
    }
    boxes
}

fn add<T>(
    boxes: &mut Vec<Branch>,
    pieces: &mut [T],
    first: usize,
    bounds: impl Fn(&T) -> ([f32; 3], [f32; 3]) + Copy,
) {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (low, high) in pieces.iter().map(bounds) {
        for k in 0..3 {
            min[k] = min[k].min(low[k]);
            max[k] = max[k].max(high[k]);
        }
    }
    let place = boxes.len();
    let is_leaf = pieces.len() <= LEAF;
    boxes.push(Branch {
        min,
        max,
        skip: 0,
        leaf: is_leaf.then_some((first, first + pieces.len() - 1)),
    });
    if !is_leaf {
        let extent = |k: &usize| max[*k] - min[*k];
        let longest = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b)));
        let axis = longest.unwrap_or(0);
        let middle = pieces.len() / 2;
        let centre = |piece: &T| {
            let (low, high) = bounds(piece);
            low[axis] + high[axis]
        };
        pieces.select_nth_unstable_by(middle, |a, b| centre(a).total_cmp(&centre(b)));
        let (low, high) = pieces.split_at_mut(middle);
        add(boxes, low, first, bounds);
        add(boxes, high, first + middle, bounds);
    }
    boxes[place].skip = boxes.len();
}

#[cfg(test)]
mod tests {
    use parry3d_f64::math::Vector;

    use super::super::lanes::Vectors;
    use super::*;
    use regrasp_api::Shape;
    use regrasp_geometry_parry::whole;

    /// Compares with a distance computed in another way, on all instruction sets.
    #[track_caller]
    fn check(many: &Many, distance: impl Fn(Vector) -> f64) {
        let mut met = 0;
        for i in 0..200u16 {
            let spread = |k: f32, lane: usize| (f32::from(i) * k + 0.37 * lane as f32).fract();
            let at: [[f32; LANES]; 3] = [0.754_9, 0.569_8, 0.317_9]
                .map(|k| std::array::from_fn(|lane| 0.8 * spread(k, lane) - 0.4));
            let ask = |vectors: Vectors, limit, exact| {
                vectors.run(Walk {
                    many,
                    at,
                    limit,
                    exact,
                })
            };
            let far = ask(Vectors::detect(), f32::MAX, true);
            assert_eq!(far, ask(Vectors::Portable, f32::MAX, true));
            let near = ask(Vectors::detect(), 0.01, false);
            for lane in 0..LANES {
                let point = at.map(|x| f64::from(x[lane]));
                let expected = distance(Vector::from(point));
                let got = f64::from(far[lane].sqrt());
                assert!((got - expected).abs() < 2e-5, "{got} m, not {expected} m");
                if (expected - 0.1).abs() > 1e-4 {
                    assert_eq!(near[lane] < 0.01, expected < 0.1, "at {point:?}");
                    met += u32::from(expected < 0.1);
                }
            }
        }
        assert!(met > 50, "only {met} points are within 0.1 m");
    }

    #[test]
    fn the_nearest_of_many_points_is_found() {
        let points: Vec<[f64; 3]> = (0..1000u32)
            .map(|i| [0.754_9, 0.569_8, 0.317_9].map(|k| (f64::from(i) * k).fract() - 0.9))
            .collect();
        let many = Many::points(&points);
        check(&many, |p| {
            let away = points.iter().map(|q| (Vector::from(*q) - p).length());
            away.fold(f64::INFINITY, f64::min)
        });
    }

    #[test]
    fn ground_is_as_far_as_parry_says() {
        let heights = (0..9u32).map(|i| {
            let height = |j: u32| 0.2 * (f64::from(i * 7 + j * 3) * 0.618).fract() - 0.1;
            (0..6).map(height).collect()
        });
        let field = HeightField::new([0.5, 0.4], heights.collect(), -0.3);
        let ground = Many::ground(&field);
        let Ok(terrain) = whole(&Shape::HeightField(field)) else {
            panic!("the height field has no volume");
        };
        check(&ground, |p| {
            (terrain.project_local_point(p, true).point - p).length()
        });
    }
}
