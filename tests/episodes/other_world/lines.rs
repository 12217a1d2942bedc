//! Perception from the lines of an external detector, with the kinematic arm and with the simulator
//! in the place of a real cell.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use regrasp::LoadedRobot;
use regrasp::api::{EpisodeResult, Event, FinalReason, ObjectId, Pose, Reason, Shape, solids};
use regrasp_external_perception::{LinePerception, PerceptOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::arm::{self, Hardware, block};
use super::masked::blinded;
use crate::common::detector::{self, Repeated, seen_box, seen_now};
use crate::common::{self, Truth as _, agent};
use regrasp_testkit::says;

const TASK: &str = "put the red cube in the bowl";
/// Radius, height and wall thickness of the bowl, m.
const BOWL: [f64; 3] = [0.07, 0.05, 0.004];

/// A detector that writes lines to a file until it is dropped.
struct Writer {
    _lines: Repeated,
    path: PathBuf,
    _folder: TempDir,
}

impl Writer {
    /// Starts to write the objects that `see` returns every 5 ms. While it returns `None`, nothing
    /// is written.
    fn begin(mut see: impl FnMut() -> Option<Vec<Value>> + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("percepts.jsonl");
        let lines = detector::lines(&path, Duration::from_millis(5), move || {
            Some(seen_now(&see()?))
        });
        Self {
            _lines: lines,
            path,
            _folder: folder,
        }
    }

    fn eyes(&self, wait_secs: f64) -> LinePerception {
        let place = self.path.display().to_string();
        let options = PerceptOptions {
            wait_secs,
            ..PerceptOptions::default()
        };
        LinePerception::open(&place, options).unwrap()
    }
}

/// Object as a detector reports it, in the arm's base frame. All but boxes are bowls.
fn line_object(id: &ObjectId, shape: &Shape, base_from_object: Pose) -> Value {
    let [radius, height, wall] = BOWL;
    let bowl = json!({ "kind": "bowl", "radius": radius, "height": height, "wall": wall });
    match shape {
        Shape::Box { half_extents } => {
            seen_box(id.as_str(), half_extents.map(|h| 2.0 * h), base_from_object)
        }
        _ => detector::seen(id.as_str(), bowl, base_from_object),
    }
}

/// Creates the arm with a cube and a bowl in front of it, and a detector that reports the objects
/// that `see` returns.
fn watched(
    mut see: impl FnMut(&Hardware) -> Option<Vec<Value>> + Send + 'static,
) -> (LoadedRobot, Hardware, Writer) {
    let loaded = LoadedRobot::panda().unwrap();
    let hardware = hardware(&loaded);
    let other = hardware.clone();
    let writer = Writer::begin(move || see(&other));
    (loaded, hardware, writer)
}

fn seen(hardware: &Hardware) -> Vec<Value> {
    let cell = hardware.cell();
    let base_from_world = arm::world_from_base().inverse();
    let objects = cell.objects.iter();
    let objects =
        objects.map(|o| line_object(&o.id, &o.shape, base_from_world * o.world_from_object));
    objects.collect()
}

fn hardware(loaded: &LoadedRobot) -> Hardware {
    let hardware = super::hardware(loaded, &[]);
    let [radius, height, wall] = BOWL;
    let mut bowl = block("blue_bowl", "blue", 0.5 * height, 0.42, 0.15, 0.4);
    bowl.category = "bowl".into();
    bowl.shape = solids::bowl(radius, height, wall);
    hardware.cell().objects[2] = bowl;
    hardware
}

/// Runs the task with the kinematic arm. Returns the result, and reason and detail of the last
/// failed step.
fn run(
    hardware: &Hardware,
    loaded: &LoadedRobot,
    writer: &Writer,
    wait_secs: f64,
) -> (EpisodeResult, Option<(Reason, String)>) {
    let mut robot = common::elsewhere(loaded, hardware.clone(), writer.eyes(wait_secs));
    let events = common::recorded(&mut robot);
    let result = agent(robot).run(TASK);
    let events = events.lock().unwrap();
    let mut last_first = events.iter().rev();
    let failed = last_first.find_map(|stamped| match &stamped.event {
        Event::StepFinished { result, .. } => {
            Some((result.reason.clone()?, result.reason_detail.clone()))
        }
        _ => None,
    });
    (result, failed)
}

#[test]
fn a_cube_gets_into_a_bowl_by_what_another_process_sees() {
    let (loaded, hardware, writer) = watched(|hardware| Some(seen(hardware)));
    let (result, failed) = run(&hardware, &loaded, &writer, 5.0);
    assert!(result.success && result.goal_met, "{}", result.final_detail);
    assert_eq!(failed, None);
    let cell = hardware.cell();
    let off = cell.position("red_cube") - cell.position("blue_bowl");
    assert!(off.xy().norm() < 0.02 && off.z < 0.01, "{off:?}");
}

#[test]
fn percepts_that_go_stale_end_the_run_with_their_age() {
    // The detector dies during the arm's second motion.
    let (loaded, hardware, writer) = watched(|hardware| {
        let is_alive = hardware.cell().n_motions < 2;
        is_alive.then(|| seen(hardware))
    });
    let (result, failed) = run(&hardware, &loaded, &writer, 0.3);
    let (reason, detail) = failed.unwrap();
    assert_eq!(reason, Reason::PerceptionUnavailable, "{detail}");
    says(&detail, &["stale", "s old"]);
    assert_eq!(result.final_reason, FinalReason::PerceptionUnavailable);
    says(&result.final_detail, &["percepts.jsonl"]);
    let n = hardware.cell().n_motions;
    assert!(n < 4, "{n} motions, though percepts were stale after two");
}

#[test]
fn an_object_that_vanishes_is_not_found() {
    let (loaded, hardware, writer) = watched(|hardware| {
        let mut objects = seen(hardware);
        // The cube is reported during planning, but not once the arm moves.
        let is_moving = hardware.cell().n_motions > 0;
        objects.retain(|o| o["id"] != "red_cube" || !is_moving);
        Some(objects)
    });
    let (result, failed) = run(&hardware, &loaded, &writer, 5.0);
    let (reason, detail) = failed.unwrap();
    assert_eq!(reason, Reason::ObjectNotFound, "{detail}");
    assert!(!result.success && result.final_reason != FinalReason::RobotUnavailable);
}

/// The simulator represents a real cell: the robot perceives it only through a detector's lines.
#[test]
fn a_simulated_cell_is_handled_by_lines_alone() {
    let [radius, height, wall] = BOWL;
    let mut bowl = common::cube("blue_bowl", 0.5 * height, 0.42, 0.15);
    bowl.shape = solids::bowl(radius, height, wall);
    let scene = common::scene([common::cube("red_cube", 0.02, 0.42, -0.12), bowl]);
    let base_from_world = scene.world_from_base.inverse();
    let cell = common::cell(&scene);
    let truth = Arc::clone(&cell.sim().unwrap().truth);
    let eyes_of_another = Arc::clone(&truth);
    let writer = Writer::begin(move || {
        let objects = eyes_of_another.truth().objects;
        let objects = objects.iter();
        let objects =
            objects.map(|o| line_object(&o.id, &o.shape, base_from_world * o.world_from_object));
        Some(objects.collect())
    });
    let mut robot = blinded(cell.robot);
    robot.perception = Box::new(writer.eyes(5.0));
    let mut agent = agent(robot);
    let result = agent.run(TASK);
    assert!(result.success && result.goal_met, "{}", result.final_detail);
    let now = truth.truth();
    let off = now.position("red_cube") - now.position("blue_bowl");
    assert!(off.xy().norm() < radius && off.z < 0.5 * height, "{off:?}");
}
