//! Every kind of object, placed in every way that a file offers.

use crate::common::{object, on_table, scene, task};
use regrasp_api::{ObjectId, Pose, Shape};
use regrasp_scene::{Scene, SceneError, builtin_robot};
use regrasp_testkit::near;

/// Loads objects on a table. `wedge.stl` is a wedge of 20 x 20 x 10 mm.
fn load(objects: &str) -> Result<Scene, SceneError> {
    on_table(&[("wedge.stl", include_str!("../data/wedge.stl"))], objects)
}

#[test]
fn every_kind_stands_on_the_table() {
    let tetrahedron = "points: [[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]";
    let scan = "mesh: wedge.stl, scale: 0.001, max_parts: 4";
    let kinds = [
        ("box", "size: [0.04, 0.06, 0.08]"),
        ("cube", "half_extents: 0.02"),
        ("block", "size: 0.05"),
        ("sphere", "radius: 0.03"),
        ("cylinder", "radius: 0.033, height: 0.1"),
        ("capsule", "radius: 0.02, height: 0.1"),
        ("convex", tetrahedron),
        ("mesh", "file: wedge.stl, scale: 0.001"),
        ("convex", "mesh: wedge.stl, scale: 0.001"),
        ("decomposition", scan),
        ("mug", "height: 0.08, diameter: 0.06"),
        ("bowl", "radius: 0.08, height: 0.05"),
        ("tray", "size: [0.3, 0.2], height: 0.04"),
        ("plate", "radius: 0.1"),
        ("plate", "radius: 0.1, rim: 0.01"),
        ("drawer", "size: [0.15, 0.12, 0.05], travel: 0.12"),
    ];
    for (kind, keys) in kinds {
        let place = "on: table, xy: [0.5, 0.1], yaw_rad: 0.4";
        let text = format!("  - {{id: it, kind: {kind}, {keys}, mass_kg: 0.1, {place}}}\n");
        let scene = load(&text).unwrap_or_else(|e| panic!("{kind}: {e}"));
        let standing = if kind == "drawer" { "it_cabinet" } else { "it" };
        let it = object(&scene, standing);
        let lowest = it.shape.aabb(&it.world_from_object).min[2];
        near(&format!("lowest z of the {kind}"), lowest, 0.04, 1e-9);
        assert_eq!(object(&scene, "it").category, kind);
        let truth = scene.initial_truth(&builtin_robot().unwrap());
        let standing = truth.object(&standing.into()).unwrap();
        assert_eq!(standing.touches[0].as_str(), "table", "{kind}");
    }
}

#[test]
fn what_is_put_into_a_bowl_sinks_to_its_floor() {
    let scene = load(
        "  - {id: bowl, kind: bowl, radius: 0.08, height: 0.05, wall: 0.004, mass_kg: 0.2, on: table, xy: [0.5, 0.1]}\n\
         \x20 - {id: ball, kind: ball, radius: 0.015, mass_kg: 0.01, on: bowl}\n",
    )
    .unwrap();
    let z = object(&scene, "ball").world_from_object.translation.z;
    near("the height of the ball", z, 0.04 + 0.004 + 0.015, 1e-4);
}

#[test]
fn density_gives_the_mass_and_colours_have_values() {
    let scene = load(
        "  - {id: a, kind: cube, size: 0.04, density_kg_per_m3: 1000, on: table, xy: [0.5, 0.1], color: gray}\n\
         \x20 - {id: b, kind: cube, size: 0.04, fixed: true, on: table, xy: [0.5, 0.2], rgba: [0.1, 0.2, 0.3, 1]}\n",
    )
    .unwrap();
    let a = object(&scene, "a");
    near("the mass", a.mass_kg.unwrap(), 0.064, 1e-12);
    assert_eq!(a.color.as_deref(), Some("grey"));
    let b = object(&scene, "b");
    assert_eq!((b.mass_kg, b.rgba), (None, [0.1, 0.2, 0.3, 1.0]));
    assert_eq!(b.color, None);
}

#[test]
fn a_drawer_is_two_bodies_and_a_joint() {
    let scene = load(
        "  - {id: drawer, kind: drawer, size: [0.15, 0.12, 0.05], travel: 0.12, open: 0.03, mass_kg: 0.4, position: [0.42, 0.0, 0.08], quat_xyzw: [0, 0, 1, 0]}\n",
    )
    .unwrap();
    let [joint] = scene.joints.as_slice() else {
        panic!("one joint expected, got {:?}", scene.joints)
    };
    let bodies = [&joint.parent, &joint.child].map(ObjectId::as_str);
    assert_eq!(bodies, ["drawer_cabinet", "drawer"]);
    // When it is closed, at the start, and when it is open.
    assert_eq!([joint.lower, joint.start, joint.upper], [0.0, 0.03, 0.12]);
    let (cabinet, drawer) = (object(&scene, "drawer_cabinet"), object(&scene, "drawer"));
    assert!(!cabinet.is_movable() && drawer.is_movable());
    let moved = cabinet.world_from_object.inverse() * drawer.world_from_object;
    near("the opening", moved.translation.x, 0.03, 1e-12);
    // Turned by 180° it opens towards the robot.
    let front = drawer.shape.aabb(&drawer.world_from_object).min[0];
    assert!(front < 0.42 - 0.075, "{front}");
}

#[test]
fn a_wedge_keeps_its_slope() {
    let text = "  - {id: it, kind: convex, mesh: wedge.stl, scale: 0.001, mass_kg: 0.1, on: table, xy: [0.5, 0.1]}\n";
    let scene = load(text).unwrap();
    let wedge = object(&scene, "it");
    let Shape::Convex { points } = &wedge.shape else {
        panic!("a convex shape expected")
    };
    assert_eq!(points.len(), 6);
    let size = wedge.shape.aabb(&Pose::identity()).size();
    assert!((size - nalgebra::Vector3::new(0.02, 0.02, 0.01)).norm() < 1e-9);
}

#[test]
fn a_ring_is_a_ring() {
    let task = task(include_str!("../data/ring.yaml")).unwrap();
    for seed in 0..50 {
        let scene = task.instantiate(seed).unwrap().scene;
        let cube = object(&scene, "cube");
        let from_center =
            cube.world_from_object.translation.vector - nalgebra::Vector3::new(0.5, 0.0, 0.0);
        let (r, a) = (from_center.xy().norm(), from_center.y.atan2(from_center.x));
        assert!((0.1..=0.2).contains(&r) && a.abs() <= 1.0, "{r} {a}");
        let yaw = cube.world_from_object.rotation.euler_angles().2;
        assert!((0.1..=0.3).contains(&yaw), "{yaw}");
    }
}

#[test]
fn ground_and_clouds_stand_still_and_bear_what_stands_on_them() {
    let ground = "  - {id: ground, kind: height_field, size: [0.4, 0.2], heights: [[0, 0], [0.03, 0.03], [0.03, 0.03]], position: [0.6, 0.1, 0.1]}\n";
    let cloud = "  - {id: cloud, kind: point_cloud, points: [[0, 0, 0], [0.01, 0, 0]], radius: 0.01, position: [0.2, 0, 0.3]}\n";
    let cube =
        "  - {id: cube, kind: cube, size: 0.04, mass_kg: 0.1, on: ground, xy: [0.72, 0.1]}\n";
    let scene = load(&format!("{ground}{cloud}{cube}")).unwrap_or_else(|e| panic!("{e}"));
    let ground = object(&scene, "ground");
    assert_eq!(ground.mass_kg, None);
    let span = ground.shape.aabb(&ground.world_from_object);
    near("2 cm below the lowest height", span.min[2], 0.08, 1e-9);
    near("top of the ground", span.max[2], 0.13, 1e-9);
    let z = object(&scene, "cube").world_from_object.translation.z;
    near("height of the cube on the upper half", z, 0.15, 2e-3);
    let cloud = object(&scene, "cloud");
    assert!(matches!(&cloud.shape, Shape::PointCloud { points, .. } if points.len() == 2));
}

#[test]
fn heights_and_points_can_come_from_files() {
    let ground = ("ground.csv", "0, 0, 0\n0.02, 0.02, 0.05\n");
    let seen = ("seen.xyz", "100 0 50\n110 0 50\n");
    let text = "objects:\n\
         - {id: ground, kind: height_field, size: [0.4, 0.2], heights: ground.csv, position: [0.6, 0, 0]}\n\
         - {id: seen, kind: point_cloud, file: seen.xyz, scale: 0.001, radius: 0.005, position: [0.2, 0, 0]}\n";
    let scene = scene(&[ground, seen], text).unwrap();
    let Shape::HeightField(field) = &object(&scene, "ground").shape else {
        panic!("the ground must be a height field");
    };
    assert_eq!(field.n_places(), [2, 3]);
    let Shape::PointCloud { points, .. } = &object(&scene, "seen").shape else {
        panic!("`seen` must be a point cloud");
    };
    near("x of the second point", points[1][0], 0.11, 1e-12);
}
