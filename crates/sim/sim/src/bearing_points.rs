//! Selection of the contact points that bear the load between two flat faces.
//!
//! Two faces rotated against each other share up to eight corners, and rapier's solver takes four.
//! It starts with the deepest corner, which changes from step to step. The load then jumps from
//! corner to corner, each corner resumes the load that it bore when last selected, and a cube
//! between two pads trembles by a millimetre, more the harder it is pressed. This module selects
//! the four corners that span the largest area instead. The selection depends on the pose of the
//! faces, not on the depth of each corner. If another corner sinks in, for example because the
//! object tips over it, rapier's selection is kept.
//!
//! Of a face with more than four corners, such as a bottle's base, parry passes on the first four,
//! which lie side by side: the object would tip and walk. [`with_wide_faces`] puts the four corners
//! that span the largest area first.

use rapier3d_f64::parry::shape::ConvexPolyhedron;
use rapier3d_f64::prelude::{
    ActiveHooks, ContactModificationContext, PhysicsHooks, SharedShape, Vector,
};

/// Number of points that the solver takes.
const N: usize = 4;
/// Depth below the four selected points from which a point counts as sinking in, m. The depths of
/// faces that lie flat on each other differ by a hundredth of this value.
const SINKING_M: f64 = 5e-4;

/// Hooks of a collider for which rapier calls [`SteadyPoints`]. Movable objects without round
/// parts have them. A round base has no corners to prefer.
pub(crate) const HOOKS: ActiveHooks = ActiveHooks::MODIFY_SOLVER_CONTACTS;

pub(crate) struct SteadyPoints;

impl PhysicsHooks for SteadyPoints {
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        let position = |handle| context.colliders.get(handle).map(|c| *c.position());
        let (Some(pos1), Some(pos2)) = (position(context.collider1), position(context.collider2))
        else {
            return;
        };
        let Some(rigid) = context.rigid_mut() else {
            return;
        };
        let points = &rigid.manifold.points;
        if points.len() <= N || rigid.solver_contacts.len() < N {
            return;
        }
        let part1 = rigid.manifold.subshape_pos1();
        let part2 = rigid.manifold.subshape_pos2();
        let at1 = part1.map_or(pos1, |part| pos1 * *part);
        let at2 = part2.map_or(pos2, |part| pos2 * *part);
        let corners: Vec<Vector> = points.iter().map(|point| point.local_p1).collect();
        let chosen = widest(&corners, rigid.manifold.local_n1);
        let dists: Vec<f64> = points.iter().map(|point| point.dist).collect();
        if is_another_sinking(&dists, chosen) {
            return;
        }
        for (contact, idx) in rigid.solver_contacts.iter_mut().zip(chosen) {
            let point = &points[idx];
            contact.anchor1 = at1 * point.local_p1;
            contact.anchor2 = at2 * point.local_p2;
            contact.dist = point.dist;
            contact.contact_id = [idx as u64];
        }
    }
}

/// Returns a shape that makes contact at the widest four corners of each face. Only for contacts:
/// its mass properties are wrong, because the other corners of a face are out of order.
pub(crate) fn with_wide_faces(shape: SharedShape) -> SharedShape {
    let hull = shape.as_convex_polyhedron().and_then(wide_faces);
    hull.map_or(shape, SharedShape::new)
}

fn wide_faces(hull: &ConvexPolyhedron) -> Option<ConvexPolyhedron> {
    // Only the serialised form gives write access.
    let mut fields = serde_json::to_value(hull).ok()?;
    for face in hull.faces() {
        let n = face.num_vertices_or_edges as usize;
        let first = face.first_vertex_or_edge as usize;
        let ids = hull.vertices_adj_to_face().get(first..first + n)?;
        if n <= N {
            continue;
        }
        let corners: Vec<Vector> = ids.iter().map(|id| hull.points()[*id as usize]).collect();
        let chosen = widest(&corners, face.normal);
        let (mut order, others): (Vec<usize>, _) = (0..n).partition(|i| chosen.contains(i));
        order.extend::<Vec<usize>>(others);
        for list in ["vertices_adj_to_face", "edges_adj_to_face"] {
            let ids = fields.get_mut(list)?.as_array_mut()?;
            let ids = ids.get_mut(first..first + n)?;
            let ordered: Vec<_> = order.iter().map(|i| ids[*i].clone()).collect();
            ids.clone_from_slice(&ordered);
        }
    }
    serde_json::from_value(fields).ok()
}

/// Returns true if a point that is not selected is much deeper than the selected ones. A distance
/// is negative while the bodies overlap.
fn is_another_sinking(dists: &[f64], chosen: [usize; N]) -> bool {
    let chosen = chosen.iter().map(|idx| dists[*idx]);
    let deepest = chosen.fold(f64::INFINITY, f64::min);
    dists.iter().any(|dist| *dist < deepest - SINKING_M)
}

/// The four corners of a convex polygon that span the largest area; the first such set if several
/// do.
fn widest(corners: &[Vector], normal: Vector) -> [usize; N] {
    let center = corners.iter().sum::<Vector>() / corners.len() as f64;
    let (across, up) = normal.any_orthonormal_pair();
    let angle = |i: &usize| {
        let from_center = corners[*i] - center;
        from_center.dot(up).atan2(from_center.dot(across))
    };
    let mut around: Vec<usize> = (0..corners.len()).collect();
    around.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let spanned = |[a, b, c, d]: [usize; N]| {
        let diagonals = (corners[c] - corners[a]).cross(corners[d] - corners[b]);
        0.5 * diagonals.dot(normal).abs()
    };
    let mut best = ([0, 1, 2, 3], -1.0);
    for (d, c, b, a) in quadruples(corners.len()) {
        let four = [around[a], around[b], around[c], around[d]];
        let area = spanned(four);
        if area > best.1 {
            best = (four, area);
        }
    }
    best.0
}

/// All `a < b < c < d < n`, as `(d, c, b, a)`.
fn quadruples(n: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    (0..n).flat_map(|d| {
        (0..d).flat_map(move |c| (0..c).flat_map(move |b| (0..b).map(move |a| (d, c, b, a))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_that_sinks_in_is_not_passed_over() {
        let level = [-1e-5, -2e-5, 0.0, -1e-5, -4e-5, 1e-5];
        let mut tipped = level;
        tipped[4] = -1e-3;
        assert!(!is_another_sinking(&level, [0, 1, 2, 3]));
        assert!(is_another_sinking(&tipped, [0, 1, 2, 3]));
        assert!(!is_another_sinking(&tipped, [0, 1, 2, 4]));
    }

    #[test]
    fn a_base_with_many_corners_stands_on_the_widest_four() {
        let ring = |z: f64| {
            (0..12).map(move |i| {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 12.0).sin_cos();
                Vector::new(cos, sin, z)
            })
        };
        let points: Vec<Vector> = ring(0.0).chain(ring(1.0)).collect();
        let shape = SharedShape::convex_hull(&points).expect("a hull");
        let wide = with_wide_faces(shape);
        let mut base = Default::default();
        let hull = wide.as_polygonal_feature_map().expect("a hull").0;
        hull.local_support_feature(-Vector::Z, &mut base);
        let [a, b, c, d] = base.vertices;
        let area = 0.5 * (c - a).cross(d - b).length();
        assert!(
            (area - 2.0).abs() < 1e-9,
            "a square in a circle, not {area}"
        );
    }

    #[test]
    fn the_widest_four_are_found_in_any_order() {
        // A square with one corner cut off, and a point in the middle of an edge.
        let corners = [
            Vector::new(0.0, 0.0, 0.0),
            Vector::new(1.0, 1.0, 0.0),
            Vector::new(0.5, 0.0, 0.0),
            Vector::new(1.0, 0.0, 0.0),
            Vector::new(0.1, 1.0, 0.0),
            Vector::new(0.0, 0.8, 0.0),
        ];
        let mut four = widest(&corners, Vector::Z);
        four.sort_unstable();
        assert_eq!(four, [0, 1, 3, 4]);
        let mut reversed = corners;
        reversed.reverse();
        let mut four = widest(&reversed, -Vector::Z).map(|i| 5 - i);
        four.sort_unstable();
        assert_eq!(four, [0, 1, 3, 4]);
    }
}
