//! Scenes and helpers for the end-to-end tests.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

pub(crate) mod camera_files;
pub(crate) mod detector;
pub(crate) mod franka_sim;
mod runs;

use std::path::Path;
use std::sync::{Arc, Mutex};

use nalgebra::{UnitQuaternion, UnitVector3, Vector3};
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{
    Event, Goal, ObjectId, ObjectJoint, Part, Perception, PortKind, Pose, Reason, Shape, SkillCall,
    SkillResult, StampedEvent, World,
};
use regrasp::ground_truth::{GroundTruth, GroundTruthObject};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::relations::{Evidence, is_inserted};
use regrasp::robot::{Robot, Settled};
use regrasp::scene::{Scene, SceneObject, builtin_robot, load_scene};
use regrasp::sim::{Disturbance, SimOptions, When};
use regrasp::{Backend, Cell, LoadedRobot, PlannerKind};
pub(crate) use regrasp_testkit::{cuboid, cylinder, near, says, within};
use serde_json::{Value, json};

pub(crate) use runs::*;

pub(crate) const TABLE_Z: f64 = 0.04;

pub(crate) fn id(name: &str) -> ObjectId {
    ObjectId::new(name)
}

/// A solid object. Without a mass, it is fixed.
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

/// An object with several parts. Without a mass, it is fixed.
pub(crate) fn compound(
    id: &str,
    parts: Vec<Part>,
    at: [f64; 3],
    mass_kg: Option<f64>,
) -> SceneObject {
    object(id, Shape::Compound { parts }, at, mass_kg)
}

/// A cube of 50 g on the table.
pub(crate) fn cube(id: &str, half_m: f64, x: f64, y: f64) -> SceneObject {
    let at = [x, y, TABLE_Z + half_m];
    object(id, cuboid([half_m; 3]), at, Some(0.05))
}

/// A cube of 50 g that rests on another object.
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

/// Turns an object about an axis through its origin, rad. The turn replaces its rotation.
pub(crate) fn turned(mut thing: SceneObject, axis: UnitVector3<f64>, by_rad: f64) -> SceneObject {
    thing.world_from_object.rotation = UnitQuaternion::from_axis_angle(&axis, by_rad);
    thing
}

/// Returns an object of a scene.
#[track_caller]
pub(crate) fn thing<'a>(scene: &'a Scene, name: &str) -> &'a SceneObject {
    scene.objects.iter().find(|o| o.id == id(name)).unwrap()
}

/// Reads a scene from the text of a file in a folder.
pub(crate) fn scene_in(folder: &Path, text: &str) -> Scene {
    let path = folder.join("scene.yaml");
    std::fs::write(&path, text).unwrap();
    load_scene(&path, &builtin_robot().unwrap()).unwrap()
}

/// A scene with a table in front of the arm, and with these objects.
pub(crate) fn scene(things: impl IntoIterator<Item = SceneObject>) -> Scene {
    let table = fixed("table", [0.1, -0.6, 0.0], [1.4, 0.6, TABLE_Z]);
    // Rotated and translated, so that swapped frames are noticed.
    let world_from_base = Pose::new(Vector3::new(-0.3, 0.02, 0.0), Vector3::z() * 0.1);
    let objects = std::iter::once(table).chain(things).collect();
    Scene::new("test", world_from_base, 0.08, objects)
}

/// The Panda in a scene with ground-truth perception.
pub(crate) fn cell(scene: &Scene) -> Cell {
    cell_of(&LoadedRobot::panda().unwrap(), scene)
}

/// A robot in a scene with ground-truth perception.
pub(crate) fn cell_of(loaded: &LoadedRobot, scene: &Scene) -> Cell {
    let cell = loaded.cell(scene, SimOptions::default(), NoiseOptions::default());
    cell.unwrap()
}

/// Makes calls that must succeed. Returns the ground truth before and after, and the final digest.
#[track_caller]
pub(crate) fn done(
    scene: &Scene,
    calls: &[(&str, Value)],
) -> (GroundTruth, GroundTruth, Option<u64>) {
    let mut cell = cell(scene);
    let first = cell.truth();
    for (skill, args) in calls {
        cell.does(skill, args.clone());
    }
    (first, cell.truth(), cell.robot.state_digest())
}

/// A robot in a world other than the simulator.
pub(crate) fn elsewhere(
    loaded: &LoadedRobot,
    world: impl World + 'static,
    perception: impl Perception + 'static,
) -> Robot {
    let backend = Backend {
        world: Box::new(world),
        perception: Box::new(perception),
        motion: None,
    };
    let cell = loaded.cell_with(backend).unwrap();
    let has_none = cell.sim().is_err();
    assert!(has_none, "the cell in another world has a simulator");
    cell.robot
}

/// An agent with the standard skills and a planner with feedback.
pub(crate) fn agent(robot: Robot) -> Agent {
    let planner = PlannerKind::Feedback.build();
    let skills = regrasp::skills::standard();
    Agent::new(robot, skills, planner, AgentOptions::default())
}

pub(crate) fn recorded(robot: &mut Robot) -> Arc<Mutex<Vec<StampedEvent>>> {
    let events = Arc::new(Mutex::new(Vec::new()));
    robot.set_sink(Box::new(Arc::clone(&events)));
    events
}

pub(crate) fn call(robot: &mut Robot, skill: &str, args: Value) -> SkillResult {
    regrasp::skills::standard().call(robot, &SkillCall::new(skill, args))
}

/// Calls of skills with checks of their results.
pub(crate) trait Calls {
    fn robot(&mut self) -> &mut Robot;

    /// Calls a skill that must succeed.
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

    /// Picks an object for a skill, then calls that skill; both must succeed.
    #[track_caller]
    fn picks_and(&mut self, object: &str, skill: &str, args: Value) -> SkillResult {
        self.does("pick", pick_for(object, skill, &args));
        self.does(skill, args)
    }

    /// Calls a skill that must fail with this reason and these words before anything moves.
    #[track_caller]
    fn refuses(&mut self, skill: &str, args: Value, reason: Reason, words: &[&str]) {
        let before = self.robot().state_digest();
        self.fails(skill, args, reason, words);
        let after = self.robot().state_digest();
        assert_eq!(after, before, "the refused call changed the state");
    }

    /// Calls a skill that must fail with this reason and these words.
    #[track_caller]
    fn fails(&mut self, skill: &str, args: Value, reason: Reason, words: &[&str]) -> SkillResult {
        let result = call(self.robot(), skill, args);
        failed(&result, reason, words);
        result
    }
}

/// Checks that a call failed with this reason and these words.
#[track_caller]
pub(crate) fn failed(result: &SkillResult, reason: Reason, words: &[&str]) {
    let detail = &result.reason_detail;
    assert_eq!(result.reason, Some(reason), "{detail}");
    says(detail, words);
}

/// Checks that a call failed with one of these reasons.
#[track_caller]
pub(crate) fn failed_with_any(result: &SkillResult, reasons: &[Reason]) {
    let (reason, detail) = (result.reason.as_ref(), &result.reason_detail);
    let is_told = reason.is_some_and(|reason| reasons.contains(reason));
    assert!(!result.success && is_told, "{reason:?} {detail}");
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

pub(crate) trait Truth {
    fn truth(&self) -> GroundTruth;

    #[track_caller]
    fn object(&self, name: &str) -> GroundTruthObject {
        self.truth().object(&id(name)).unwrap().clone()
    }

    #[track_caller]
    fn position(&self, name: &str) -> Vector3<f64> {
        self.object(name).world_from_object.translation.vector
    }

    /// Checks that the robot does not touch an object.
    #[track_caller]
    fn is_untouched(&self, name: &str) {
        let links = self.object(name).touches_links;
        assert!(links.is_empty(), "{name} is touched by {links:?}");
    }

    #[track_caller]
    fn joint(&self, child: &str) -> ObjectJoint {
        let mut joints = self.truth().joints.into_iter();
        joints.find(|joint| joint.child.as_str() == child).unwrap()
    }
}

impl Truth for Cell {
    fn truth(&self) -> GroundTruth {
        self.sim().unwrap().truth.truth()
    }
}

impl Truth for GroundTruth {
    fn truth(&self) -> GroundTruth {
        self.clone()
    }
}

pub(crate) fn move_to(name: &str, x: f64, y: f64, z: f64) -> Disturbance {
    Disturbance::MoveObject {
        object: id(name),
        world_from_object: Pose::translation(x, y, z),
    }
}

pub(crate) fn remove(name: &str) -> Disturbance {
    Disturbance::RemoveObject { object: id(name) }
}

pub(crate) fn at(time_secs: f64) -> When {
    When::At { time_secs }
}

/// Checks a goal as perceived by the robot.
#[track_caller]
pub(crate) fn assert_goal(cell: &mut Cell, goal: &Goal, is_met: bool) {
    let robot = &mut cell.robot;
    let Settled { percept, moving } = robot.settle(2.0).unwrap();
    let evidence = Evidence {
        percept: &percept,
        observation: &robot.observe().unwrap(),
        hand: &robot.in_hand(&percept).unwrap(),
        moving: &moving,
        robot: &robot.info,
    };
    let status = evidence.judge(goal);
    assert_eq!(status.is_met(), is_met, "{goal}: {status:?}");
}

/// Checks in ground truth and perception that a plug is in a hole.
#[track_caller]
pub(crate) fn assert_inserted(cell: &mut Cell, object: &str, target: &str) {
    let truth = cell.truth();
    let port = |kind| {
        let mut ports = truth.ports.iter();
        let is_its = |of: &ObjectId| [object, target].contains(&of.as_str());
        ports.find(|p| p.kind == kind && is_its(&p.object)).unwrap()
    };
    let (hole, plug) = (port(PortKind::Hole), port(PortKind::Plug));
    let pose = |of: &ObjectId| truth.object(of).unwrap().world_from_object;
    let mating = hole.mating(plug, &pose(&hole.object), &pose(&plug.object));
    assert!(is_inserted(&mating, hole, plug), "{mating:?}");
    assert_goal(cell, &inserted(object, target), true);
}

pub(crate) fn inserted(object: &str, target: &str) -> Goal {
    Goal::Inserted {
        object: id(object),
        target: id(target),
    }
}

#[track_caller]
pub(crate) fn disturb(cell: &Cell, when: When, disturbance: Disturbance) {
    let faults = &cell.sim().unwrap().faults;
    faults.disturb(when, disturbance).unwrap();
}

/// Makes a joint between objects stick.
#[track_caller]
pub(crate) fn jam(cell: &Cell, when: When, joint: &str) {
    let joint = id(joint);
    disturb(cell, when, Disturbance::JamJoint { joint });
}

/// Simulated time at which each phase begins in undisturbed calls, s.
pub(crate) fn phase_times(scene: &Scene, calls: &[(&str, Value)]) -> Vec<(String, f64)> {
    let mut cell = cell(scene);
    let events = recorded(&mut cell.robot);
    for (skill, args) in calls {
        cell.does(skill, args.clone());
    }
    phases(&events.lock().unwrap())
}

/// Phases in the order in which they began, with the simulated time of each beginning, s.
pub(crate) fn phases(events: &[StampedEvent]) -> Vec<(String, f64)> {
    let phases = events.iter().filter_map(|e| match &e.event {
        Event::PhaseStarted { name } => Some((name.clone(), e.sim_secs)),
        _ => None,
    });
    phases.collect()
}

pub(crate) fn phase_names(events: &[StampedEvent]) -> Vec<String> {
    phases(events).into_iter().map(|(name, _)| name).collect()
}

/// Simulated time at which a phase of an undisturbed call begins, s.
pub(crate) fn begins(scene: &Scene, skill: &str, args: &Value, phase: &str) -> f64 {
    time_of(&phase_times(scene, &[(skill, args.clone())]), phase)
}

/// Simulated time at which a phase begins for the first time, s.
pub(crate) fn time_of(phases: &[(String, f64)], name: &str) -> f64 {
    phases.iter().find(|(phase, _)| phase == name).unwrap().1
}

/// Arguments of a pick that prepares the next call: `skill` with `args`.
pub(crate) fn pick_for(object: &str, skill: &str, args: &Value) -> Value {
    let mut then = args.clone();
    then["skill"] = json!(skill);
    json!({ "object": object, "then": then })
}

pub(crate) fn of(object: &str) -> Value {
    json!({ "object": object })
}

pub(crate) fn on(target: &str) -> Value {
    json!({ "target": target })
}
