//! A root of our own: a brick, a chest with a drawer, and one problem.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::PathBuf;

use regrasp_scene::{Scene, SceneObject};
use tempfile::TempDir;

/// LIBERO's own files: `REGRASP_LIBERO`, or `shared/libero` beside the repository.
pub(crate) fn libero() -> PathBuf {
    let beside = || regrasp_assets::workspace_root().join("../shared/libero");
    std::env::var_os("REGRASP_LIBERO").map_or_else(beside, PathBuf::from)
}

/// A brick of 4 x 4 x 2 cm with LIBERO's three sites, as wide as it says.
fn brick(radius: f64) -> String {
    format!(
        r#"<mujoco><worldbody><body><body name="object">
        <geom type="box" size="0.02 0.02 0.01" density="100" friction="0.95 0.3 0.1" group="0"/>
        </body>
        <site name="bottom_site" pos="0 0 -0.06"/><site name="top_site" pos="0 0 0.04"/>
        <site name="horizontal_radius_site" pos="{radius} {radius} 0"/>
        </body></worldbody></mujoco>"#
    )
}

/// A chest with a drawer that opens to -y, and a place in it.
const CHEST: &str = r#"<mujoco><worldbody><body><body name="object">
    <geom type="box" size="0.1 0.01 0.05" pos="0 0.1 0.05" group="0"/>
    <body name="tray"><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
    <joint name="slide" type="slide" axis="0 1 0" range="-0.2 0.01"/>
    <geom type="box" size="0.08 0.08 0.005" pos="0 0 0.005" group="0"/>
    <site name="inner_region" type="box" pos="0 0 0.04" size="0.06 0.05 0.03"/></body>
    </body><site name="bottom_site" pos="0 0 0"/><site name="top_site" pos="0 0 0.1"/>
    <site name="horizontal_radius_site" pos="0.1 0.1 0"/></body></worldbody></mujoco>"#;

pub(crate) const PROBLEM: &str = "(define (problem LIBERO_Tabletop_Manipulation)
  (:domain robosuite) (:language anything)
  (:regions
    (wide (:target main_table) (:ranges ((-0.1 -0.1 0.0 0.0))))
    (narrow (:target main_table) (:ranges ((0.09 0.09 0.11 0.14))))
    (back (:target main_table) (:ranges ((0.2 -0.3 0.22 -0.28))) (:yaw_rotation ((pi pi))))
    (inner_region (:target chest_1))
    (left_region (:target drainer_1)))
  (:fixtures main_table - table chest_1 - chest)
  (:objects brick_1 brick_2 - brick)
  (:obj_of_interest brick_1)
  (:init (On chest_1 main_table_back) (On brick_1 main_table_wide)
    (On brick_2 main_table_narrow) (Open chest_1_inner_region))
  (:goal (And (On brick_1 main_table_narrow) (Close chest_1))))";

pub(crate) fn root() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("assets/things/brick/brick.xml", &brick(0.025));
    put("assets/furniture/chest.xml", CHEST);
    put("bddl_files/own/STUDY_SCENE2_move_the_brick.bddl", PROBLEM);
    root
}

pub(crate) fn file(root: &TempDir) -> PathBuf {
    root.path()
        .join("bddl_files/own/STUDY_SCENE2_move_the_brick.bddl")
}

pub(crate) fn object<'a>(scene: &'a Scene, id: &str) -> &'a SceneObject {
    scene.objects.iter().find(|o| o.id.as_str() == id).unwrap()
}

pub(crate) fn at(scene: &Scene, id: &str) -> [f64; 3] {
    object(scene, id)
        .world_from_object
        .translation
        .vector
        .into()
}
