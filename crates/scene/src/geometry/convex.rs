//! Convex solids, and other solids as several of them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parry3d_f64::math::Vector;
use parry3d_f64::shape::{ConvexPolyhedron, Shape};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use regrasp_solids::polyhedron;

/// A part of a decomposition has no more corners: what a ray meets in a hull takes the cube
/// of their number, a contact their number.
pub(crate) const MAX_PART_CORNERS: usize = 40;
/// Corners are left out of a part as long as it loses no more than this anywhere, m: so
/// little that no face turns visibly.
const SLIM_M: f64 = 2e-5;
/// Cells along the longest edge when a mesh is split: a wall of 3 mm in a mug of 12 cm is
/// three cells thick.
const RESOLUTION: u32 = 128;
/// Parts are split until they fill this part of their hulls but for the rest, as in V-HACD.
const CONCAVITY: f64 = 0.001;
/// A part with less volume touches nothing that its neighbours do not, m^3: a cube of 0.5 mm.
const LEAST_PART_M3: f64 = 1.25e-10;

/// The corners of the convex hull of points; an error says why there is none.
pub(crate) fn hull_points(points: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, String> {
    if points.len() < 4 {
        return Err(format!(
            "{} points do not span a solid, at least 4 do",
            points.len()
        ));
    }
    let hull = polyhedron(points).filter(|hull| hull.mass_properties(1.0).mass() > 1e-12);
    match hull {
        Some(hull) => Ok(hull.points().iter().map(|p| (*p).into()).collect()),
        None => Err("the points lie in one plane, or nearly so".to_owned()),
    }
}

/// Volume of the convex hull of points, m^3; 0 if there is none.
pub(crate) fn hull_volume(points: &[[f64; 3]]) -> f64 {
    polyhedron(points).map_or(0.0, |hull| hull.mass_properties(1.0).mass())
}

/// Corners of parts this near to a corner of the mesh belong there, in cells: V-HACD cuts
/// between cells, and not always the nearest ones to an inner edge, and the slice that is left there would
/// give a part faces that the mesh has not.
const SNAP_CELLS: f64 = 2.0;
/// Parts are merged as long as all of that together adds no more volume, as a part of what
/// there is.
const MERGE_GAIN: f64 = 0.01;

/// Splits a mesh into at most `max_parts` convex parts (V-HACD: Mamou 2016, in parry), each the
/// hull of the triangles in it, merged where that adds little and slimmed.
///
/// V-HACD splits across the whole part that it splits, also what needs no split there, and
/// then a finger presses on several parts where there is one face. So pairs are merged, those
/// first that gain the least volume.
pub(crate) fn convex_parts(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    max_parts: u32,
) -> Result<Vec<Vec<[f64; 3]>>, String> {
    let points: Vec<Vector> = vertices.iter().map(|&p| Vector::from(p)).collect();
    let parameters = VHACDParameters {
        max_convex_hulls: max_parts,
        resolution: RESOLUTION,
        concavity: CONCAVITY,
        ..VHACDParameters::default()
    };
    let decomposed = catch_unwind(AssertUnwindSafe(|| {
        let vhacd = VHACD::decompose(&parameters, &points, triangles, true);
        vhacd.compute_exact_convex_hulls(&points, triangles)
    }));
    let hulls = decomposed.map_err(|_| "it cannot be split into convex parts".to_owned())?;
    let snap = Snap::new(vertices);
    let parts: Vec<_> = hulls
        .iter()
        .map(|(points, _)| points.iter().map(|p| (*p).into()).collect::<Vec<_>>())
        .filter_map(|points| {
            let corners = hull_points(&points).ok()?;
            let moved: Vec<_> = corners
                .iter()
                .map(|p| snap.nearest(p).unwrap_or(*p))
                .collect();
            // What is thinner than a cell may be nothing then.
            hull_points(&moved).ok()
        })
        .collect();
    let parts = merged(parts, max_parts as usize).into_iter();
    let parts: Vec<_> = parts
        .map(|points| slim(&points))
        .filter(|points| hull_volume(points) > LEAST_PART_M3)
        .collect();
    if parts.is_empty() {
        return Err("it encloses no volume".to_owned());
    }
    Ok(parts)
}

/// The corners of a mesh, by where they are.
struct Snap<'a> {
    vertices: &'a [[f64; 3]],
    within_m: f64,
    in_cell: HashMap<[i64; 3], Vec<usize>>,
}

impl<'a> Snap<'a> {
    fn new(vertices: &'a [[f64; 3]]) -> Self {
        let extent = |axis: usize| {
            let along = || vertices.iter().map(|p| p[axis]);
            along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
        };
        let longest = [0, 1, 2].map(extent).into_iter().fold(1e-6, f64::max);
        let mut snap = Self {
            vertices,
            within_m: SNAP_CELLS * longest / f64::from(RESOLUTION),
            in_cell: HashMap::new(),
        };
        for (idx, p) in vertices.iter().enumerate() {
            let cell = snap.cell(p);
            snap.in_cell.entry(cell).or_default().push(idx);
        }
        snap
    }

    fn cell(&self, p: &[f64; 3]) -> [i64; 3] {
        p.map(|x| (x / self.within_m).floor() as i64)
    }

    /// The corner nearest to a point, if there is one near it.
    fn nearest(&self, p: &[f64; 3]) -> Option<[f64; 3]> {
        let [x, y, z] = self.cell(p);
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| [i, j]));
        let around = around.flat_map(|[i, j]| (-1..=1).map(move |k| [x + i, y + j, z + k]));
        let there = around.filter_map(|cell| self.in_cell.get(&cell)).flatten();
        let off = |q: &[f64; 3]| (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt();
        let near = there.map(|idx| (off(&self.vertices[*idx]), *idx));
        let near = near.filter(|(off, _)| *off <= self.within_m);
        // Of equally near ones the first, whatever the order in which they are found.
        let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.map(|(_, idx)| self.vertices[idx])
    }
}

/// What merging two parts gives: their hull, and how much more volume it has, m^3.
fn pair(a: &Hull, b: &Hull) -> Option<(f64, Hull)> {
    let both = [&a.points[..], &b.points[..]].concat();
    let hull = Hull::new(hull_points(&both).ok()?);
    Some((hull.volume - a.volume - b.volume, hull))
}

struct Hull {
    points: Vec<[f64; 3]>,
    volume: f64,
}

impl Hull {
    fn new(points: Vec<[f64; 3]>) -> Self {
        Self {
            volume: hull_volume(&points),
            points,
        }
    }
}

/// Merges parts until there are no more than `max_parts`, and then while it adds little.
fn merged(parts: Vec<Vec<[f64; 3]>>, max_parts: usize) -> Vec<Vec<[f64; 3]>> {
    let mut hulls: Vec<Option<Hull>> = parts.into_iter().map(|p| Some(Hull::new(p))).collect();
    let mut left = MERGE_GAIN * hulls.iter().flatten().map(|hull| hull.volume).sum::<f64>();
    let mut pairs: Vec<(usize, usize, f64, Hull)> = Vec::new();
    let pairs_of = |hulls: &[Option<Hull>], j: usize| -> Vec<_> {
        let of = |i: usize| {
            let (gain, hull) = pair(hulls[i].as_ref()?, hulls[j].as_ref()?)?;
            Some((i, j, gain, hull))
        };
        (0..j).filter_map(of).collect()
    };
    for j in 1..hulls.len() {
        pairs.extend(pairs_of(&hulls, j));
    }
    loop {
        let n = hulls.iter().flatten().count();
        let best = (0..pairs.len()).min_by(|&a, &b| pairs[a].2.total_cmp(&pairs[b].2));
        let Some(best) = best.filter(|&best| n > max_parts || pairs[best].2 <= left) else {
            break;
        };
        let (i, j, gain, hull) = pairs.swap_remove(best);
        left -= gain.max(0.0);
        pairs.retain(|(a, b, _, _)| ![i, j].contains(a) && ![i, j].contains(b));
        hulls[i] = None;
        hulls[j] = None;
        hulls.push(Some(hull));
        pairs.extend(pairs_of(&hulls, hulls.len() - 1));
    }
    hulls
        .into_iter()
        .flatten()
        .map(|hull| hull.points)
        .collect()
}

/// The fewest of a hull's corners, taken greedily, whose own hull is nowhere more than
/// `SLIM_M` inside of it; at most [`MAX_PART_CORNERS`].
///
/// It begins with those furthest out along the axes and takes the one that is furthest
/// outside of the hull of those that it has, again and again.
pub(crate) fn slim(corners: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut taken = extremes(corners);
    while taken.len() < MAX_PART_CORNERS.min(corners.len()) {
        let points: Vec<_> = taken.iter().map(|&i| corners[i]).collect();
        let next = match polyhedron(&points) {
            Some(hull) => furthest_outside(corners, &hull),
            // They lie in a plane so far.
            None => (0..corners.len())
                .find(|i| !taken.contains(i))
                .map(|i| (i, f64::INFINITY)),
        };
        match next {
            Some((i, outside_m)) if outside_m > SLIM_M && !taken.contains(&i) => taken.push(i),
            _ => break,
        }
    }
    taken.sort_unstable();
    taken.iter().map(|&i| corners[i]).collect()
}

fn extremes(corners: &[[f64; 3]]) -> Vec<usize> {
    let mut taken = Vec::new();
    for axis in 0..3 {
        for side in [1.0, -1.0] {
            let reach = |i: &usize| side * corners[*i][axis];
            let furthest = (0..corners.len()).max_by(|a, b| reach(a).total_cmp(&reach(b)));
            if let Some(i) = furthest.filter(|i| !taken.contains(i)) {
                taken.push(i);
            }
        }
    }
    taken
}

/// The corner furthest outside of a hull, and how far it is over the planes of its faces, m.
fn furthest_outside(corners: &[[f64; 3]], hull: &ConvexPolyhedron) -> Option<(usize, f64)> {
    let faces = hull.faces().iter();
    let planes: Vec<_> = faces
        .filter_map(|face| {
            let corners = hull.vertices_adj_to_face();
            let corner = corners.get(face.first_vertex_or_edge as usize)?;
            Some((face.normal, *hull.points().get(*corner as usize)?))
        })
        .collect();
    let outside = |p: &[f64; 3]| {
        let p = Vector::from(*p);
        planes
            .iter()
            .map(|(n, on)| n.dot(p - *on))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let all = corners.iter().map(outside).enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn a_ball_of_many_corners_is_slimmed_and_a_box_keeps_its_eight() {
        let mut ball = Vec::new();
        for i in 0..40 {
            for j in 0..80 {
                let (u, v) = (0.077 * f64::from(i) + 0.03, 0.0785 * f64::from(j));
                ball.push([u.sin() * v.cos(), u.sin() * v.sin(), u.cos()].map(|x| 0.03 * x));
            }
        }
        let hull = hull_points(&ball).unwrap();
        let slimmed = slim(&hull);
        assert!(hull.len() > 1000 && slimmed.len() == MAX_PART_CORNERS);
        let left = hull_volume(&slimmed) / hull_volume(&hull);
        assert!(left > 0.84, "{left:.3} of the ball is left");
        let corner = |i: u32| [0, 1, 2].map(|axis| f64::from(i >> axis & 1) * 0.04);
        let mut cube: Vec<_> = (0..8).map(corner).collect();
        cube.push([0.02, 0.02, 0.04]);
        assert_eq!(slim(&hull_points(&cube).unwrap()).len(), 8);
    }

    #[test]
    fn an_l_is_split_into_parts_that_leave_its_notch_free() {
        use regrasp_api::{Part, Pose, Shape as Solid};
        // An extruded L: 2 x 2 with a 1 x 1 notch at the upper right, 1 thick.
        let outline = [
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let at = |z: f64| outline.iter().map(move |&[x, y]| [x, y, z]);
        let vertices: Vec<[f64; 3]> = at(0.0).chain(at(1.0)).collect();
        let mut triangles = Vec::new();
        for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
            triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
        }
        for a in 0..6u32 {
            let b = (a + 1) % 6;
            triangles.extend([[a, b, b + 6], [a, b + 6, a + 6]]);
        }
        let parts = convex_parts(&vertices, &triangles, 8).unwrap();
        let part = |points| Part {
            object_from_part: Pose::identity(),
            shape: Solid::Convex { points },
        };
        let shape = Solid::Compound {
            parts: parts.into_iter().map(part).collect(),
        };
        let ball = Solid::Sphere { radius: 0.3 };
        let touches = |x, y| {
            let there = Pose::translation(x, y, 0.5);
            crate::geometry::within(&shape, &Pose::identity(), &ball, &there, 0.0)
        };
        assert!(
            touches(0.5, 0.5) && !touches(1.55, 1.55),
            "the notch must stay free"
        );
    }
}
