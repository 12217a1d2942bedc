//! A robot that sees nothing but pixels.

use std::sync::{Arc, Mutex};

use crate::common::{call, of};
use regrasp::api::{
    Cameras, Observation, Percept, Perception, PerceptionError, Resolution, RgbdFrame,
};
use regrasp::bench::{compare_sight, summarize_sight};
use regrasp::ground_truth::GroundTruth;
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::language::resolve;
use regrasp::rgbd_perception::{OwnBody, RgbdOptions, RgbdPerception};
use regrasp::scene::{Scene, builtin_scene, builtin_task};
use regrasp::sim::SimOptions;
use regrasp::{
    Cell, DepthNoise, EpisodeOptions, LoadedRobot, PerceptionKind, SceneView, SimCameras,
};

fn cell(loaded: &LoadedRobot, scene: &Scene) -> Cell {
    loaded
        .cell(scene, SimOptions::default(), NoiseOptions::default())
        .expect("the scene can be simulated")
}

fn seeing(loaded: &LoadedRobot, scene: &Scene, noise: DepthNoise) -> Cell {
    let mut cell = cell(loaded, scene);
    let truth = Arc::clone(&cell.sim().expect("it is simulated").truth);
    let eyes = loaded.rgbd(scene, truth, noise, 0).expect("cameras");
    cell.robot.perception = Box::new(eyes);
    cell
}

/// Every look: what the robot felt, what its cameras showed, what it made of it.
type Looks = Arc<Mutex<Vec<(Observation, Vec<RgbdFrame>, Option<Percept>)>>>;

/// Cameras that keep what they show.
struct Recording(SimCameras, Looks);

impl Cameras for Recording {
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let frames = self.0.look(observation)?;
        let mut looks = self.1.lock().expect("no panic");
        looks.push((observation.clone(), frames.clone(), None));
        Ok(frames)
    }
}

/// A perception that keeps what it reports.
struct Noted(RgbdPerception, Looks);

impl Perception for Noted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let percept = self.0.perceive(observation)?;
        if let Some(last) = self.1.lock().expect("no panic").last_mut() {
            last.2 = Some(percept.clone());
        }
        Ok(percept)
    }
}

/// Cameras that show what others showed, one look after the other.
struct Replaying(std::vec::IntoIter<Vec<RgbdFrame>>);

impl Cameras for Replaying {
    fn names(&self) -> Vec<String> {
        vec![]
    }

    fn look(&mut self, _: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        self.0.next().ok_or_else(|| PerceptionError::Blind {
            detail: "there are no more pictures".into(),
        })
    }
}

fn eyes(loaded: &LoadedRobot, scene: &Scene, cameras: Box<dyn Cameras>) -> RgbdPerception {
    let looks = loaded.looks().expect("the robot's looks");
    let body = OwnBody::new(looks, &loaded.file().tool_link).expect("a tool");
    let options = RgbdOptions {
        workspace: loaded.info(&scene.world_from_base).workspace,
        seed: 0,
        latency_secs: 0.0,
    };
    RgbdPerception::new(cameras, body, options)
}

#[test]
fn without_the_world_the_same_pictures_give_the_same_objects() {
    let loaded = LoadedRobot::panda().expect("the built-in robot");
    let task = builtin_task("pick_from_three").expect("built in");
    let scene = task.instantiate(3).expect("an instance").scene;
    let mut cell = cell(&loaded, &scene);
    let looks = Looks::default();
    let view = SceneView::new(&loaded, &scene).expect("cameras");
    let sim = cell.sim().expect("it is simulated");
    let cameras = SimCameras::new(view, Arc::clone(&sim.truth));
    let cameras = Box::new(Recording(cameras, Arc::clone(&looks)));
    let noted = Noted(eyes(&loaded, &scene, cameras), Arc::clone(&looks));
    cell.robot.perception = Box::new(noted);
    let picked = call(&mut cell.robot, "pick", of("the green cube"));
    assert!(picked.success, "{}", picked.reason_detail);

    // Simulator and truth are gone; pixels and the robot's own state are all there is.
    drop(cell);
    let looks = std::mem::take(&mut *looks.lock().expect("no panic"));
    assert!(looks.len() > 5, "a pick looks several times");
    let frames: Vec<_> = looks.iter().map(|(_, frames, _)| frames.clone()).collect();
    let replay = Box::new(Replaying(frames.into_iter()));
    let mut alone = eyes(&loaded, &scene, replay);
    for (i, (observation, _, seen)) in looks.iter().enumerate() {
        let again = alone.perceive(observation).expect("a picture");
        assert_eq!(Some(&again), seen.as_ref(), "look {i}");
    }
}

#[test]
fn the_red_cube_is_put_on_the_plate_from_pixels() {
    let loaded = LoadedRobot::panda().expect("the built-in robot");
    let scene = builtin_scene("tabletop").expect("built in");
    let options = EpisodeOptions {
        perception: PerceptionKind::Rgbd,
        ..EpisodeOptions::default()
    };
    let episode = loaded.episode(&scene, "put the red cube on the plate", options);
    let episode = episode.expect("an episode");
    assert!(episode.result.success, "{}", episode.result.final_detail);
    let at = |truth: &GroundTruth, id: &str| {
        let object = truth.object(&id.into()).expect("it is in the scene");
        object.world_from_object.translation.vector
    };
    let apart = at(&episode.last, "red_cube") - at(&episode.last, "plate");
    assert!(apart.xy().norm() < 0.05, "in truth it is {apart} from it");
}

#[test]
fn noisy_depth_leaves_positions_within_a_few_millimetres() {
    let loaded = LoadedRobot::panda().expect("the built-in robot");
    let scene = builtin_scene("tabletop").expect("built in");
    let noise = DepthNoise {
        std_at_1_m: 0.001,
        dropout: 0.02,
        seed: 5,
    };
    let mut cell = seeing(&loaded, &scene, noise);
    let percept = cell.robot.perceive().expect("it sees");
    let sim = cell.sim().expect("it is simulated");
    let report = compare_sight(&percept, &sim.truth.truth());
    let summary = summarize_sight(std::slice::from_ref(&report));
    assert_eq!(summary.n_missed + summary.n_ghosts, 0, "{report:?}");
    let worst = summary.position_m.expect("objects").max;
    assert!(worst < 0.005, "a position is {worst:.4} m off: {report:?}");
}

#[test]
fn phrases_name_what_cameras_see() {
    let loaded = LoadedRobot::panda().expect("the built-in robot");
    let scene = builtin_scene("tabletop").expect("built in");
    let mut cell = seeing(&loaded, &scene, DepthNoise::default());
    let percept = cell.robot.perceive().expect("it sees");
    for (phrase, id) in [
        ("the red cube", "red_cube"),
        ("plate", "white_plate"),
        ("the bowl", "white_bowl"),
        ("the front cube", "red_cube"),
        ("blue cylinder", "blue_cylinder"),
        ("the cube on the left", "green_cube"),
    ] {
        let Resolution::One(object) = resolve(&percept, phrase) else {
            let ids = percept.movable_ids();
            panic!("`{phrase}` names one thing among {ids:?}")
        };
        assert_eq!(object.id.as_str(), id, "{phrase}");
    }
}

#[test]
fn names_and_shapes_outlive_a_checkpoint() {
    let loaded = LoadedRobot::panda().expect("the built-in robot");
    let scene = builtin_scene("covered").expect("built in");
    let mut first = seeing(&loaded, &scene, DepthNoise::default());
    first.robot.perceive().expect("it sees");
    let saved = first.robot.perception.save();
    let second_look = first.robot.perceive().expect("it sees");
    let mut other = seeing(&loaded, &scene, DepthNoise::default());
    other.robot.perception.restore(&saved);
    let restored = other.robot.perceive().expect("it sees");
    assert_eq!(second_look.objects, restored.objects);
}
