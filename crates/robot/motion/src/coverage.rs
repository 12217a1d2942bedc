//! Checks whether a robot's collision shapes cover its visual meshes.

use nalgebra::Point3;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::SharedShape;
use parry3d_f64::transformation::try_convex_hull;
use regrasp_geometry_parry::{to_parry, to_vector, whole};
use regrasp_kinematics::{JointKind, Link, RobotModel};

/// Distance by which a visual may protrude and still count as covered, m: about the rounding of its
/// edges.
pub const COVERED_M: f64 = 1e-3;
/// Distance between the sample points on a surface, m.
const SPACING_M: f64 = 0.005;
/// Number of cells along each edge of the grid that measures volumes. The error is about 2 % for a
/// link.
const N_ALONG_EDGE: usize = 40;

/// Comparison of the collision shapes of one link with its visuals.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCoverage {
    /// Name of the link.
    pub link: String,
    /// Part of the visuals outside the collision shapes; `None` if the link has no collision shape.
    pub uncovered: Option<Uncovered>,
    /// Volume of the union of the collision shapes over that of the convex hull of the visuals;
    /// `None` if the hull is flat or the link has no collision shape.
    pub hull_ratio: Option<f64>,
}

/// Extent and location of the uncovered part of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uncovered {
    /// Distance of the farthest point from the shapes, m; zero if everything is covered.
    pub by_m: f64,
    /// Farthest point, in the frame of the link, m.
    pub at_in_link: [f64; 3],
    /// Share of the sample points that are out by more than [`COVERED_M`].
    pub share: f64,
}

/// Compares the visuals of each link with the collision shapes of the link and of all links fixed
/// to it. A collision mesh counts as its convex hull, as in collision checks.
///
/// Samples all corners of a visual and points at most 5 mm apart between them. The points are
/// deterministic.
pub fn coverage(model: &RobotModel) -> Vec<LinkCoverage> {
    let bodies = bodies(model);
    let drawn = model.links().iter().enumerate();
    let drawn = drawn.filter(|(_, link)| !link.visuals.is_empty());
    drawn
        .map(|(link_idx, link)| {
            let rest = vec![0.0; model.joints().len()];
            let root_from_link = model.link_poses(&rest);
            let link_from_root = root_from_link[link_idx].inverse();
            let fixed = (0..bodies.len()).filter(|other| bodies[*other] == bodies[link_idx]);
            let solids = fixed.flat_map(|other| {
                let link_from_other = link_from_root * root_from_link[other];
                let collisions = model.links()[other].collisions.iter();
                collisions.filter_map(move |collision| {
                    let pose = link_from_other * collision.link_from_geometry;
                    Some((to_parry(&pose), whole(&collision.geometry.solid()).ok()?))
                })
            });
            of_link(link, &solids.collect::<Vec<_>>())
        })
        .collect()
}

/// Root of the rigid group to which each link belongs.
fn bodies(model: &RobotModel) -> Vec<usize> {
    let mut bodies = Vec::with_capacity(model.links().len());
    for link_idx in 0..model.links().len() {
        let joint = model.parent_joint_idx(link_idx);
        let joint = joint.map(|idx| &model.joints()[idx]);
        bodies.push(match joint {
            Some(joint) if joint.kind == JointKind::Fixed => bodies[joint.parent_link_idx],
            _ => link_idx,
        });
    }
    bodies
}

type PlacedShape = (ParryPose, SharedShape);

fn of_link(link: &Link, solids: &[PlacedShape]) -> LinkCoverage {
    let points = link.visuals.iter().flat_map(|visual| {
        let points = visual.geometry.surface_points(SPACING_M);
        let link_from_visual = visual.link_from_geometry;
        points.into_iter().map(move |p| link_from_visual * p)
    });
    let points: Vec<Point3<f64>> = points.collect();
    LinkCoverage {
        link: link.name.clone(),
        uncovered: (!solids.is_empty()).then(|| uncovered(&points, solids)),
        hull_ratio: hull_ratio(&points, solids),
    }
}

fn uncovered(points: &[Point3<f64>], solids: &[PlacedShape]) -> Uncovered {
    let mut worst = Uncovered {
        by_m: 0.0,
        at_in_link: [0.0; 3],
        share: 0.0,
    };
    let mut n_out = 0;
    for point in points {
        let at = to_vector(&point.coords);
        let mut by_m = f64::INFINITY;
        for (pose, shape) in solids {
            if by_m > 0.0 {
                by_m = by_m.min(shape.distance_to_point(pose, at, true));
            }
        }
        n_out += usize::from(by_m > COVERED_M);
        if by_m > worst.by_m {
            (worst.by_m, worst.at_in_link) = (by_m, (*point).into());
        }
    }
    worst.share = n_out as f64 / points.len().max(1) as f64;
    worst
}

/// Volume of the solids' union, measured on a grid, over that of the points' convex hull.
fn hull_ratio(points: &[Point3<f64>], solids: &[PlacedShape]) -> Option<f64> {
    let points: Vec<Vector> = points.iter().map(|p| to_vector(&p.coords)).collect();
    let (corners, faces) = try_convex_hull(&points).ok()?;
    let volume = faces.iter().map(|face| {
        let [a, b, c] = face.map(|i| corners[i as usize] - corners[0]);
        a.cross(b).dot(c) / 6.0
    });
    let hull_m3 = volume.sum::<f64>().abs();
    let aabbs = solids.iter().map(|(pose, shape)| shape.compute_aabb(pose));
    let aabb = aabbs.reduce(|a, b| a.merged(&b))?;
    let size = aabb.maxs - aabb.mins;
    let along = |i: usize| (i as f64 + 0.5) / N_ALONG_EDGE as f64;
    let mut n_inside = 0;
    for i in 0..N_ALONG_EDGE.pow(3) {
        let [x, y, z] = [1, N_ALONG_EDGE, N_ALONG_EDGE.pow(2)].map(|n| along(i / n % N_ALONG_EDGE));
        let at = aabb.mins + Vector::new(x * size.x, y * size.y, z * size.z);
        let inside = |(pose, shape): &PlacedShape| shape.contains_point(pose, at);
        n_inside += usize::from(solids.iter().any(inside));
    }
    let union_m3 = size.x * size.y * size.z * n_inside as f64 / N_ALONG_EDGE.pow(3) as f64;
    (hull_m3 > 1e-12).then_some(union_m3 / hull_m3)
}

#[cfg(test)]
mod tests {
    use regrasp_kinematics::MeshSearch;
    use regrasp_testkit::{near, within};

    use super::*;

    /// Arm of three links. The collision box of the first is `less_m` too small on each side along
    /// x. The second has visuals only. The visuals of the third are covered by a link fixed to it.
    fn arm(less_m: f64) -> [LinkCoverage; 3] {
        let urdf = include_str!("../tests/data/covered.urdf");
        let urdf = urdf.replace("WIDTH", &(0.2 - 2.0 * less_m).to_string());
        let model = RobotModel::from_urdf_str(&urdf, "made_up.urdf", &MeshSearch::default());
        coverage(&model.unwrap()).try_into().unwrap()
    }

    #[test]
    fn shapes_that_are_2_mm_too_small_are_told_with_the_figure_and_the_place() {
        let [foot, bare, rod] = arm(0.002);
        let Some(out) = foot.uncovered else {
            panic!("the foot has a shape");
        };
        assert!((out.by_m - 0.002).abs() < 1e-9, "{out:?}");
        let [x, y, z] = out.at_in_link;
        let (sin, cos) = 0.3_f64.sin_cos();
        let along_x = cos * (x - 0.1) + sin * y;
        assert!((along_x.abs() - 0.1).abs() < 1e-9, "not on a side: {out:?}");
        assert!((0.05..=0.35).contains(&z), "{out:?}");
        within("share of two of six sides", out.share, 0.1..0.5);
        near("ratio of volumes", foot.hull_ratio.unwrap(), 0.98, 0.03);
        assert_eq!((bare.uncovered, bare.hull_ratio), (None, None));
        assert!(rod.uncovered.unwrap().by_m < 1e-9, "{rod:?}");
    }

    #[test]
    fn shapes_as_large_as_what_is_drawn_cover_it() {
        let [foot, ..] = arm(0.0);
        let out = foot.uncovered.unwrap();
        assert!(out.by_m < 1e-9 && out.share == 0.0, "{out:?}");
        let [large, ..] = arm(-0.02);
        assert!((large.hull_ratio.unwrap() - 1.2).abs() < 0.05, "{large:?}");
    }
}
