//! The Panda's collision shapes enclose the real arm.
//!
//! The table has the extent of each link along directions spread evenly over the sphere, according
//! to the maker's meshes. A convex body with at least these extents encloses the link.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Vector3;
use regrasp_kinematics::{Collision, MeshSearch, RobotModel};

/// Largest protrusion of the real surface, m.
const OUT_M: f64 = 1e-3;
/// Largest excess of a shape over the real surface, m: at corners of convex bodies with about fifty
/// corners around round links.
const BEYOND_M: f64 = 0.011;

#[derive(serde::Deserialize)]
struct Table {
    extents_m: BTreeMap<String, Vec<f64>>,
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn table() -> Table {
    let text = std::fs::read_to_string(folder().join("tests/data/panda_extents.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn panda() -> RobotModel {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    RobotModel::load(urdf, &MeshSearch::default()).unwrap()
}

/// Direction `i` of `n` that are spread evenly over the sphere.
fn direction(i: usize, n: usize) -> Vector3<f64> {
    let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
    let (s, c) = (i as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt())).sin_cos();
    let r = (1.0 - z * z).sqrt();
    Vector3::new(r * c, r * s, z)
}

/// Extent along a direction of a collision shape that is shrunk by `smaller_m` on all sides, m.
fn extent_m(collision: &Collision, along: &Vector3<f64>, smaller_m: f64) -> f64 {
    let in_shape = collision.link_from_geometry.rotation.inverse() * along;
    let from_origin = collision.link_from_geometry.translation.vector.dot(along);
    from_origin + collision.geometry.solid().support(&in_shape) - smaller_m
}

/// Largest protrusion of the real arm, and largest excess of the shapes, by link, m.
fn worst(smaller_m: f64) -> BTreeMap<String, [f64; 2]> {
    let model = panda();
    let of_link = |(name, extents): (String, Vec<f64>)| {
        let link = &model.links()[model.link_idx(&name).unwrap()];
        let beyond = extents.iter().enumerate().map(|(i, extent)| {
            let along = direction(i, extents.len());
            let collisions = link.collisions.iter();
            let reaches = collisions.map(|c| extent_m(c, &along, smaller_m));
            reaches.fold(f64::NEG_INFINITY, f64::max) - extent
        });
        let beyond: Vec<f64> = beyond.collect();
        let least = beyond.iter().copied().fold(f64::INFINITY, f64::min);
        let most = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (name, [-least, most])
    };
    table().extents_m.into_iter().map(of_link).collect()
}

#[test]
fn collision_shapes_of_the_panda_enclose_the_real_links_closely() {
    let worst = worst(0.0);
    assert_eq!(worst.len(), 10, "links 0 to 7, the hand and a finger");
    for (link, [out_m, beyond_m]) in worst {
        let (out_mm, beyond_mm) = (1e3 * out_m, 1e3 * beyond_m);
        assert!(out_m <= OUT_M, "{link} stands out by {out_mm:.2} mm");
        let is_fitting = beyond_m <= BEYOND_M;
        assert!(is_fitting, "{link} is {beyond_mm:.2} mm too large");
    }
}

#[test]
fn shapes_that_are_two_millimetres_too_small_are_noticed() {
    for (link, [out_m, _]) in worst(2e-3) {
        assert!(out_m > OUT_M, "{link} would stand out by {out_m} m only");
    }
}
