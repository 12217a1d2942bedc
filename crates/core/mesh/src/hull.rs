//! Convex solids: hulls of points, with few vertices.

use parry3d_f64::math::Vector;
use parry3d_f64::shape::{ConvexPolyhedron, Shape as _};
use regrasp_geometry::Shape;
use regrasp_geometry_parry::{face_planes, polyhedron};

use crate::triangles::Mesh;

/// Largest number of vertices of a part in a decomposition: the cost of a ray against a hull grows
/// with the cube of that number, the cost of a contact linearly.
pub(crate) const MAX_PART_CORNERS: usize = 40;
/// Largest distance of a dropped vertex from the part without it, m: too little to turn a face
/// visibly.
const SLIM_M: f64 = 2e-5;

/// Returns the convex hull of points, or one sentence with the reason why there is no hull.
pub fn hull(points: &[[f64; 3]]) -> Result<Shape, String> {
    let points = hull_points(points)?;
    Ok(Shape::Convex { points })
}

/// Returns a hull with few vertices within the convex hull of points, for use in contact, or one
/// sentence with the reason why there is none.
pub fn convex_hull(points: &[[f64; 3]]) -> Result<Shape, String> {
    let points = slim(&hull_points(points)?);
    Ok(Shape::Convex { points })
}

/// Returns the vertices of the convex hull, or the reason why there is none.
pub(crate) fn hull_points(points: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, String> {
    if points.len() < 4 {
        return Err(format!(
            "{} points do not span a solid; at least 4 are needed",
            points.len()
        ));
    }
    let hull = polyhedron(points).filter(|hull| hull.mass_properties(1.0).mass() > 1e-12);
    match hull {
        Some(hull) => Ok(hull.points().iter().map(|p| (*p).into()).collect()),
        None => Err("the points lie in one plane, or nearly so".to_owned()),
    }
}

/// Faces of the convex hull of points; empty if they do not span a solid.
pub fn hull_mesh(points: &[[f64; 3]]) -> Mesh {
    polyhedron(points).map_or_else(Mesh::default, |hull| {
        let (corners, triangles) = hull.to_trimesh();
        Mesh::new(corners.into_iter().map(Into::into).collect(), triangles)
    })
}

/// Volume of the convex hull of points, m^3; 0 if there is none.
pub(crate) fn hull_volume(points: &[[f64; 3]]) -> f64 {
    polyhedron(points).map_or(0.0, |hull| hull.mass_properties(1.0).mass())
}

/// Selects few vertices of a hull, so that no other vertex is more than `SLIM_M` outside the hull
/// of the selected ones, but never more than [`MAX_PART_CORNERS`].
///
/// Greedy: begins with the extreme vertices along the axes and repeatedly adds the one furthest
/// outside the hull of the selected vertices.
pub(crate) fn slim(corners: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut taken = extremes(corners);
    while taken.len() < MAX_PART_CORNERS.min(corners.len()) {
        let points: Vec<_> = taken.iter().map(|&i| corners[i]).collect();
        let next = match polyhedron(&points) {
            Some(hull) => furthest_outside(corners, &hull),
            // The selected vertices still lie in a plane.
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

/// Index of the vertex furthest outside a hull, and its distance above the face planes, m.
fn furthest_outside(corners: &[[f64; 3]], hull: &ConvexPolyhedron) -> Option<(usize, f64)> {
    let planes = face_planes(hull);
    let outside = |p: &[f64; 3]| {
        let p = Vector::from(*p);
        let distances = planes.iter().map(|(n, on)| n.dot(p - *on));
        distances.fold(f64::NEG_INFINITY, f64::max)
    };
    let all = corners.iter().map(outside).enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_a_plane_are_no_solid() {
        let flat = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
        ];
        assert!(hull(&flat).is_err());
        assert!(hull(&[[1.0; 3]; 9]).is_err());
        assert!(hull(&flat[..3]).is_err());
    }

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
}
