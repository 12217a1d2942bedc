//! Scenes and helpers that the end-to-end tests share.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its scene has failed"
)]
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

use std::sync::{Arc, Mutex};

use nalgebra::Vector3;
use regrasp::api::{Event, ObjectId, Pose, Shape, SkillCall, SkillResult, StampedEvent};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::robot::Robot;
use regrasp::scene::{Scene, SceneObject};
use regrasp::sim::SimOptions;
use regrasp::{Cell, Kit};
use serde_json::{Value, json};

/// Height of the table top in these scenes, m.
pub(crate) const TABLE_Z: f64 = 0.04;

/// A solid object; without a mass it is fixed.
pub(crate) fn object(id: &str, shape: Shape, at: [f64; 3], mass_kg: Option<f64>) -> SceneObject {
    let color = id.split_once('_').map(|(color, _)| color.to_owned());
    SceneObject {
        id: ObjectId::new(id),
        category: id.rsplit('_').next().unwrap().to_owned(),
        color,
        rgba: [0.5, 0.5, 0.5, 1.0],
        shape,
        world_from_object: Pose::translation(at[0], at[1], at[2]),
        mass_kg,
        friction: 0.6,
        upright: None,
        zones: vec![],
        part_of: None,
        group: None,
        mesh: None,
        inertial: None,
        visuals: vec![],
        mesh_report: None,
    }
}

/// A cube of 50 g that stands on the table.
pub(crate) fn cube(id: &str, half_m: f64, x: f64, y: f64) -> SceneObject {
    let shape = Shape::Box {
        half_extents: [half_m; 3],
    };
    object(id, shape, [x, y, TABLE_Z + half_m], Some(0.05))
}

/// A cube on top of another, both of the given half sizes.
pub(crate) fn cube_on(id: &str, half_m: f64, below: &SceneObject) -> SceneObject {
    let p = below.world_from_object.translation.vector;
    let top = below.shape.aabb(&below.world_from_object).max[2];
    let shape = Shape::Box {
        half_extents: [half_m; 3],
    };
    object(id, shape, [p.x, p.y, top + half_m], Some(0.05))
}

/// A fixed box between two corners.
pub(crate) fn fixed(id: &str, min: [f64; 3], max: [f64; 3]) -> SceneObject {
    let half_extents = [0, 1, 2].map(|i| 0.5 * (max[i] - min[i]));
    let center = [0, 1, 2].map(|i| 0.5 * (max[i] + min[i]));
    object(id, Shape::Box { half_extents }, center, None)
}

/// A table in front of the arm with these things on it.
pub(crate) fn scene(things: impl IntoIterator<Item = SceneObject>) -> Scene {
    let table = fixed("table", [0.1, -0.6, 0.0], [1.4, 0.6, TABLE_Z]);
    Scene {
        name: "test".into(),
        // Turned and moved, so that a swapped frame cannot hide.
        world_from_base: Pose::new(Vector3::new(-0.3, 0.02, 0.0), Vector3::z() * 0.1),
        mount: None,
        start_joints: None,
        start_width_m: 0.08,
        objects: std::iter::once(table).chain(things).collect(),
        joints: vec![],
        ports: vec![],
        pad_friction: None,
        viewpoint: Default::default(),
        faults: vec![],
        cameras: vec![],
        scenery: vec![],
        not_kept: vec![],
    }
}

/// The Panda in a scene, seeing perfectly.
pub(crate) fn cell(scene: &Scene) -> Cell {
    Kit::panda()
        .unwrap()
        .cell(scene, SimOptions::default(), NoiseOptions::default())
        .unwrap()
}

/// Keeps every event where the test can read it.
pub(crate) fn recorded(robot: &mut Robot) -> Arc<Mutex<Vec<StampedEvent>>> {
    let events = Arc::new(Mutex::new(Vec::new()));
    robot.set_sink(Box::new(Arc::clone(&events)));
    events
}

/// Calls a standard skill.
pub(crate) fn call(robot: &mut Robot, skill: &str, args: Value) -> SkillResult {
    regrasp::skills::standard().call(robot, &SkillCall::new(skill, args))
}

/// Simulated time at which each phase begins when nothing disturbs these calls.
pub(crate) fn phase_times(scene: &Scene, calls: &[(&str, Value)]) -> Vec<(String, f64)> {
    let mut cell = cell(scene);
    let events = recorded(&mut cell.robot);
    for (skill, args) in calls {
        let result = call(&mut cell.robot, skill, args.clone());
        assert!(
            result.success,
            "undisturbed, {skill} works: {}",
            result.reason_detail
        );
    }
    let events = events.lock().unwrap();
    let phases = events.iter().filter_map(|e| match &e.event {
        Event::PhaseStarted { name } => Some((name.clone(), e.sim_secs)),
        _ => None,
    });
    phases.collect()
}

/// When a phase begins for the first time.
pub(crate) fn time_of(phases: &[(String, f64)], name: &str) -> f64 {
    phases.iter().find(|(phase, _)| phase == name).unwrap().1
}

/// `{"object": …}`.
pub(crate) fn of(object: &str) -> Value {
    json!({ "object": object })
}

/// `{"target": …}`.
pub(crate) fn on(target: &str) -> Value {
    json!({ "target": target })
}
