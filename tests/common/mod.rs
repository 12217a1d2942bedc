//! Scenes and helpers that the end-to-end tests share.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

use std::sync::{Arc, Mutex};

use nalgebra::Vector3;
use regrasp::api::{
    Event, ObjectId, ObjectJoint, Pose, Reason, Shape, SkillCall, SkillResult, StampedEvent,
};
use regrasp::ground_truth::{TrueObject, WorldTruth};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::robot::Robot;
use regrasp::scene::{Scene, SceneObject, TaskInstance, builtin_task};
use regrasp::sim::{Disturbance, SimOptions, When};
use regrasp::{Cell, Episode, EpisodeOptions, Kit};
pub(crate) use regrasp_testkit::{cuboid, says};
use serde_json::{Value, json};

/// Height of the table top in these scenes, m.
pub(crate) const TABLE_Z: f64 = 0.04;

pub(crate) fn id(name: &str) -> ObjectId {
    ObjectId::new(name)
}

/// A built-in task, drawn.
pub(crate) fn instance(task: &str, seed: u64) -> TaskInstance {
    builtin_task(task).unwrap().instantiate(seed).unwrap()
}

/// The Panda carries a sentence out.
pub(crate) fn episode(scene: &Scene, command: &str) -> Episode {
    let kit = Kit::panda().unwrap();
    kit.episode(scene, command, EpisodeOptions::default())
        .unwrap()
}

/// A solid object; without a mass it is fixed.
pub(crate) fn object(id: &str, shape: Shape, at: [f64; 3], mass_kg: Option<f64>) -> SceneObject {
    let color = id.split_once('_').map(|(color, _)| color.to_owned());
    let category = id.rsplit('_').next().unwrap();
    let pose = Pose::translation(at[0], at[1], at[2]);
    SceneObject {
        color,
        rgba: [0.5, 0.5, 0.5, 1.0],
        mass_kg,
        friction: 0.6,
        ..SceneObject::new(ObjectId::new(id), category, shape, pose)
    }
}

/// A cube of 50 g that stands on the table.
pub(crate) fn cube(id: &str, half_m: f64, x: f64, y: f64) -> SceneObject {
    let at = [x, y, TABLE_Z + half_m];
    object(id, cuboid([half_m; 3]), at, Some(0.05))
}

/// A cube on top of another, both of the given half sizes.
pub(crate) fn cube_on(id: &str, half_m: f64, below: &SceneObject) -> SceneObject {
    let p = below.world_from_object.translation.vector;
    let top = below.shape.aabb(&below.world_from_object).max[2];
    let at = [p.x, p.y, top + half_m];
    object(id, cuboid([half_m; 3]), at, Some(0.05))
}

/// A fixed box between two corners.
pub(crate) fn fixed(id: &str, min: [f64; 3], max: [f64; 3]) -> SceneObject {
    let half_extents = [0, 1, 2].map(|i| 0.5 * (max[i] - min[i]));
    let center = [0, 1, 2].map(|i| 0.5 * (max[i] + min[i]));
    object(id, cuboid(half_extents), center, None)
}

/// A table in front of the arm with these things on it.
pub(crate) fn scene(things: impl IntoIterator<Item = SceneObject>) -> Scene {
    let table = fixed("table", [0.1, -0.6, 0.0], [1.4, 0.6, TABLE_Z]);
    // Turned and moved, so that a swapped frame cannot hide.
    let world_from_base = Pose::new(Vector3::new(-0.3, 0.02, 0.0), Vector3::z() * 0.1);
    let objects = std::iter::once(table).chain(things).collect();
    Scene::new("test", world_from_base, 0.08, objects)
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

/// Makes calls and sees what came of them.
pub(crate) trait Calls {
    fn robot(&mut self) -> &mut Robot;

    /// Calls a standard skill, which must succeed.
    #[track_caller]
    fn does(&mut self, skill: &str, args: Value) -> SkillResult {
        let result = call(self.robot(), skill, args);
        let SkillResult {
            reason,
            reason_detail,
            ..
        } = &result;
        assert!(result.success, "{skill}: {reason:?} {reason_detail}");
        result
    }

    /// Calls a standard skill, which must fail for this reason and tell it in these words.
    #[track_caller]
    fn fails(&mut self, skill: &str, args: Value, reason: Reason, words: &[&str]) -> SkillResult {
        let result = call(self.robot(), skill, args);
        failed(&result, reason, words);
        result
    }
}

/// Checks that a call failed for this reason, which it tells in these words.
#[track_caller]
pub(crate) fn failed(result: &SkillResult, reason: Reason, words: &[&str]) {
    let detail = &result.reason_detail;
    assert_eq!(result.reason, Some(reason), "{detail}");
    says(detail, words);
}

impl Calls for Robot {
    fn robot(&mut self) -> &mut Robot {
        self
    }
}

impl Calls for Cell {
    fn robot(&mut self) -> &mut Robot {
        &mut self.robot
    }
}

/// The physics below a cell, as it is now.
pub(crate) trait Truth {
    fn truth(&self) -> WorldTruth;

    #[track_caller]
    fn object(&self, name: &str) -> TrueObject {
        self.truth().object(&id(name)).unwrap().clone()
    }

    #[track_caller]
    fn position(&self, name: &str) -> Vector3<f64> {
        self.object(name).world_from_object.translation.vector
    }

    /// The joint that a thing hangs on.
    #[track_caller]
    fn joint(&self, child: &str) -> ObjectJoint {
        let mut joints = self.truth().joints.into_iter();
        joints.find(|joint| joint.child.as_str() == child).unwrap()
    }
}

impl Truth for Cell {
    fn truth(&self) -> WorldTruth {
        self.sim().unwrap().truth.truth()
    }
}

impl Truth for WorldTruth {
    fn truth(&self) -> WorldTruth {
        self.clone()
    }
}

/// Disturbs the physics.
#[track_caller]
pub(crate) fn disturb(cell: &Cell, when: When, disturbance: Disturbance) {
    let faults = &cell.sim().unwrap().faults;
    faults.disturb(when, disturbance).unwrap();
}

/// Simulated time at which each phase begins when nothing disturbs these calls.
pub(crate) fn phase_times(scene: &Scene, calls: &[(&str, Value)]) -> Vec<(String, f64)> {
    let mut cell = cell(scene);
    let events = recorded(&mut cell.robot);
    for (skill, args) in calls {
        cell.does(skill, args.clone());
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
