#![expect(clippy::unwrap_used, reason = "a file that is missing fails the test")]

use std::path::Path;

use parry3d_f64::math::Vector;

use regrasp_kinematics::{MeshSearch, RobotModel};

use super::SphereModel;
use crate::collision::RobotGeometry;

fn panda() -> RobotGeometry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let urdf = folder.join("../../assets/robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    let chain = model.chain("panda_link0", "panda_tool").unwrap();
    let fingers = ["panda_leftfinger".into(), "panda_rightfinger".into()];
    RobotGeometry::new(&model, &chain, &["panda_finger_joint1".into()], &fingers).unwrap()
}

/// Directions spread evenly over the sphere.
fn directions(n: usize) -> impl Iterator<Item = Vector> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..n).map(move |i| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
        let (s, c) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        Vector::new(r * c, r * s, z)
    })
}

#[test]
fn spheres_cover_the_panda_and_leave_it_by_no_more_than_two_centimetres() {
    let geometry = panda();
    let model = SphereModel::new(&geometry);
    let n: usize = model.links.iter().map(|l| l.spheres.len()).sum();
    assert!((30..600).contains(&n), "the Panda has {n} spheres");
    for link in &model.links {
        let solids = || {
            let all = geometry.fixed_solids().iter().chain(geometry.solids());
            all.filter(|s| s.link_idx == link.link_idx)
        };
        for solid in solids() {
            let aabb = solid.shape.compute_local_aabb();
            let reach = 2.0 * aabb.half_extents().length();
            for direction in directions(2000) {
                let outside = aabb.center() + direction * reach;
                let on_surface = solid.shape.project_local_point(outside, true).point;
                let point = solid.link_from_solid.transform_point(on_surface);
                let is_in = |s: &super::Cover| (point - s.centre).length() <= s.radius + 1e-9;
                assert!(
                    link.spheres.iter().any(is_in),
                    "{point} of link {} sticks out of its spheres",
                    link.link_idx
                );
            }
        }
        for sphere in &link.spheres {
            for direction in directions(200) {
                let point = sphere.centre + direction * sphere.radius;
                let distance = solids()
                    .map(|s| s.shape.distance_to_point(&s.link_from_solid, point, true))
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    distance <= 0.02,
                    "a sphere of link {} is {distance} m off it",
                    link.link_idx
                );
            }
        }
    }
}
