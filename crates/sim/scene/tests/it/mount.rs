//! Objects that an arm stands on or in.

use crate::common::{ALONE, object, scene};
use regrasp_api::Shape;
use regrasp_scene::{Scene, SceneError};
use regrasp_testkit::{near, rows};

/// Loads a scene with a table whose top is at 0.4 m, and a bin and a cube on it.
fn load(arm: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "arm: {arm}\nobjects:\n  - {{id: table, kind: table, size: [1.0, 1.0], top_z: 0.4, xy: [0.3, 0.1]}}\n  \
         - {{id: bin, kind: tray, size: [0.3, 0.3], height: 0.1, wall: 0.01, fixed: true, on: table, xy: [0.3, 0.1]}}\n  \
         - {{id: cube, kind: cube, half_extents: 0.02, mass_kg: 0.1, on: table, xy: [0.6, 0.1]}}\n"
    );
    scene(ALONE, &text)
}

#[track_caller]
fn check_base(arm: &str, expected: [f64; 3], mount: Option<&str>) -> Scene {
    let scene = load(arm).unwrap();
    let at: [f64; 3] = scene.world_from_base.translation.vector.into();
    let off = (0..3).map(|i| (at[i] - expected[i]).abs());
    assert!(off.fold(0.0, f64::max) < 1e-6, "{arm}: {at:?}");
    assert_eq!(scene.mount.as_ref().map(|id| id.as_str()), mount, "{arm}");
    scene
}

#[test]
fn a_base_stands_on_what_it_is_said_to_stand_on_or_is_let_into_it() {
    let table = Some("table");
    check_base("{position: [0.1, 0.2, 0.7]}", [0.1, 0.2, 0.7], None);
    let turned = "{on: table, xy: [0.0, 0.2], yaw_rad: 0.3}";
    let turned = check_base(turned, [0.0, 0.2, 0.4], table);
    assert!((turned.world_from_base.rotation.angle() - 0.3).abs() < 1e-9);
    check_base("{on: table, let_in_m: 0.03}", [0.0, 0.0, 0.37], table);
    // In the bin, not on its rim.
    check_base("{on: bin, xy: [0.3, 0.1]}", [0.3, 0.1, 0.41], Some("bin"));
    let inside = "{on: bin, position: [0.3, 0.1, 0.2]}";
    check_base(inside, [0.3, 0.1, 0.2], Some("bin"));
}

#[test]
fn a_pedestal_reaches_from_the_base_down() {
    let arm =
        "{position: [-0.5, 0.1, 0.4], yaw_rad: 0.5, pedestal: {size: [0.3, 0.2], color: gray}}";
    let scene = check_base(arm, [-0.5, 0.1, 0.4], Some("pedestal"));
    let pedestal = object(&scene, "pedestal");
    let half_extents = [0.15, 0.1, 0.2];
    assert_eq!(pedestal.shape, Shape::Box { half_extents });
    assert_eq!(pedestal.mass_kg, None);
    assert_eq!(pedestal.category, "pedestal");
    let pose = pedestal.world_from_object;
    near("z of the pedestal's centre", pose.translation.z, 0.2, 1e-9);
    near("rotation of the pedestal", pose.rotation.angle(), 0.5, 1e-9);
    let round = "{position: [-0.5, 0.0, 0.4], pedestal: {radius: 0.18, height: 0.1}}";
    let round = load(round).unwrap();
    let z = object(&round, "pedestal").world_from_object.translation.z;
    near("height of a round pedestal", z, 0.35, 1e-9);
}

#[test]
fn what_an_arm_cannot_stand_on_is_reported() {
    for [arm, parts] in rows(include_str!("../data/refused/mounts.txt")) {
        let message = load(&arm).expect_err(&arm).to_string();
        for part in parts.split("; ").chain(["s.yaml:1"]) {
            assert!(message.contains(part), "{arm}: {message}");
        }
    }
}
