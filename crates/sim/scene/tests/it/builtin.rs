//! Tests that the built-in files load and agree with their sources.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::object;
use nalgebra::Vector3;
use regrasp_api::Shape;
use regrasp_scene::{
    Scene, SceneError, TaskInstance, builtin_robot, builtin_scene, builtin_task,
    builtin_task_names, find_task, load_robot, load_task,
};
use regrasp_testkit::{near, says, within};

fn assets() -> &'static Path {
    regrasp_assets::folder()
}

fn position(scene: &Scene, id: &str) -> Vector3<f64> {
    object(scene, id).world_from_object.translation.vector
}

fn instance(task: &str, seed: u64) -> TaskInstance {
    builtin_task(task).unwrap().instantiate(seed).unwrap()
}

#[test]
fn every_task_file_is_built_in_and_named_as_its_path() {
    let mut on_disk = BTreeSet::new();
    let mut folders = vec![assets().join("tasks")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative = path.strip_prefix(assets().join("tasks")).unwrap();
                let name = relative.with_extension("");
                on_disk.insert(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let built_in = builtin_task_names().into_iter().map(str::to_owned);
    let built_in: BTreeSet<_> = built_in.collect();
    assert_eq!(built_in, on_disk, "the list and the folder");
    for name in built_in {
        assert_eq!(builtin_task(&name).unwrap().name(), name);
    }
}

#[test]
fn the_robot_is_the_same_built_in_or_from_its_file() {
    let built_in = builtin_robot().unwrap();
    let mut from_file = load_robot(assets().join("robots/panda/panda.yaml")).unwrap();
    assert!(from_file.urdf.is_file() && from_file.urdf_text.is_none());
    let text = std::fs::read_to_string(&from_file.urdf).unwrap();
    assert_eq!(built_in.urdf_text.as_deref(), Some(text.as_str()));
    from_file.urdf = built_in.urdf.clone();
    from_file.joints_at = built_in.joints_at.clone();
    from_file.urdf_text = Some(text);
    assert_eq!(built_in, from_file);
    assert_eq!(built_in.arm_joints.len(), 7);
}

#[test]
fn a_task_from_its_file_is_the_built_in_one() {
    let robot = builtin_robot().unwrap();
    for name in builtin_task_names() {
        let path = assets().join("tasks").join(name).with_extension("yaml");
        let from_file = load_task(&path, &robot).unwrap().instantiate(7).unwrap();
        assert_eq!(from_file, instance(name, 7), "{name}");
        let found = find_task(&path.to_string_lossy(), &robot).unwrap();
        assert_eq!(found.name(), name);
    }
}

#[test]
fn a_hundred_seeds_of_every_task_can_be_drawn() {
    for name in builtin_task_names() {
        let task = builtin_task(name).unwrap();
        for seed in 0..100 {
            task.instantiate(seed).unwrap();
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_instance_and_another_seed_another() {
    for name in builtin_task_names() {
        let [a, b, c] = [3, 3, 4].map(|seed| instance(name, seed));
        assert_eq!(a, b, "{name}");
        let is_random = builtin_task(name).unwrap().is_random();
        assert_eq!(a.scene != c.scene, is_random, "{name}");
    }
}

#[test]
fn objects_stand_on_what_they_should_without_a_height_in_the_file() {
    for (task, id, z) in [
        ("pick_cube", "red_cube", 0.052),
        ("stack_two", "green_cube", 0.055),
        ("maniskill/pick_cube", "cube", 0.02),
        // 4 cm table, 4 cm red cube, half of the 3.6 cm blue cube.
        ("unstack_to_plate", "blue_cube", 0.098),
        ("unstack_to_plate", "plate", 0.044),
    ] {
        near(id, position(&instance(task, 0).scene, id).z, z, 1e-12);
    }
}

#[test]
fn a_cube_on_another_follows_it() {
    for seed in 0..20 {
        let scene = instance("unstack_to_plate", seed).scene;
        let apart = position(&scene, "blue_cube") - position(&scene, "red_cube");
        let off_m = (apart - Vector3::new(0.0, 0.0, 0.038)).norm();
        assert!(off_m < 1e-12, "{apart:?}");
    }
}

#[test]
fn maniskill_stack_cube_has_the_published_distribution() {
    let task = builtin_task("maniskill/stack_cube").unwrap();
    let (mut closest, mut noise) = (f64::INFINITY, Vec::new());
    let home = task.instantiate(0).unwrap().scene.start_joints.unwrap();
    for seed in 1..=300 {
        let scene = task.instantiate(seed).unwrap().scene;
        let (a, b) = (position(&scene, "red_cube"), position(&scene, "green_cube"));
        closest = closest.min((a - b).xy().norm());
        assert!(a.x.abs() <= 0.2 && a.y.abs() <= 0.3 && (a.z - 0.02).abs() < 1e-12);
        let start = scene.start_joints.unwrap();
        noise.extend(start.iter().zip(&home).map(|(q, h)| q - h));
        let cube = &scene.objects[1];
        let mass_kg = cube.mass_kg.unwrap();
        near("4 cm cube of water's density, kg", mass_kg, 0.064, 1e-12);
        near("friction", cube.friction, 0.3, 1e-12);
    }
    within("closest pair, m", closest, 0.0586..0.07);
    let std = (noise.iter().map(|x| x * x).sum::<f64>() / noise.len() as f64).sqrt();
    near("σ of the joints' noise", std, 0.02, 0.001);
}

#[test]
fn maniskill_pick_cube_tells_its_goal_in_the_prompt() {
    let instance = instance("maniskill/pick_cube", 5);
    let [x, y, z] = instance.goal.unwrap();
    assert!((0.02..=0.32).contains(&z) && x.abs() <= 0.1 && y.abs() <= 0.1);
    let expected = format!("pick up the cube and hold it at ({x:.3}, {y:.3}, {z:.3})");
    assert_eq!(instance.prompt, expected);
}

#[test]
fn scrambled_cubes_vary_as_published_and_seed_0_is_the_plain_one() {
    let cube = |seed| {
        let scene = instance("pick_cube_scrambled", seed).scene;
        scene.objects[1].clone()
    };
    let half = |shape: &Shape| match shape {
        Shape::Box { half_extents } => half_extents[0],
        other => panic!("a cube expected, got {other:?}"),
    };
    let plain = instance("pick_cube", 0).scene.objects[1].clone();
    assert_eq!(cube(0), plain);
    let sizes: Vec<f64> = (1..200).map(|seed| half(&cube(seed).shape)).collect();
    let (min, max) = (1.0f64, 0.0f64);
    let (min, max) = sizes
        .iter()
        .fold((min, max), |(a, b), &s| (a.min(s), b.max(s)));
    within("smallest", min, 0.0096..0.0100);
    within("largest", max, 0.0140..=0.0144);
    assert!((1..200).all(|seed| (0.03..=0.07).contains(&cube(seed).mass_kg.unwrap())));
}

#[test]
fn home_starts_away_from_home() {
    let instance = instance("home", 0);
    assert!(instance.scene.start_joints.unwrap()[0] > 1.5);
}

#[test]
fn the_unreachable_cube_expects_its_failure() {
    let instance = instance("pick_unreachable_cube", 0);
    assert_eq!(instance.expected_failure.unwrap().slug(), "unreachable");
    assert!((position(&instance.scene, "red_cube") - Vector3::new(1.2, 0.0, 0.06)).norm() < 1e-12);
}

#[test]
fn an_unknown_name_gets_the_nearest_one() {
    let error = builtin_task("pick_cub").unwrap_err();
    assert!(matches!(&error, SceneError::NotBuiltIn { .. }));
    says(&error.to_string(), &["did you mean `pick_cube`?"]);
    assert!(builtin_scene("covered").is_ok());
    assert!(builtin_scene("nowhere").is_err());
}
