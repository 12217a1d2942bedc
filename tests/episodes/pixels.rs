//! Episodes with perception from pixels.

use std::sync::{Arc, Mutex};

use crate::common::{Calls as _, Truth as _, cell, instance, of, played, within};
use nalgebra::Vector2;
use regrasp::api::{
    Cameras, Observation, Percept, Perception, PerceptionError, Resolution, RgbdFrame,
};
use regrasp::bench::{compare_sight, summarize_sight};
use regrasp::language::resolve;
use regrasp::rgbd_perception::RgbdPerception;
use regrasp::scene::{Scene, builtin_scene};
use regrasp::{
    CameraNoise, Cell, Episode, EpisodeOptions, LoadedRobot, PerceptionKind, SceneView,
    SightOptions, SimCameras,
};

fn seeing(scene: &Scene, noise: CameraNoise) -> Cell {
    let mut cell = cell(scene);
    let truth = Arc::clone(&cell.sim().unwrap().truth);
    let sight = SightOptions {
        noise,
        ..SightOptions::default()
    };
    let eyes = LoadedRobot::panda().unwrap();
    let eyes = eyes.rgbd(scene, truth, &sight, 0);
    cell.robot.perception = Box::new(eyes.unwrap());
    cell
}

/// Recorded calls of perception: proprioception, pictures, and the resulting percept.
type Looks = Arc<Mutex<Vec<(Observation, Vec<RgbdFrame>, Option<Percept>)>>>;

struct Recording(SimCameras, Looks);

impl Cameras for Recording {
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let frames = self.0.look(observation)?;
        let mut looks = self.1.lock().unwrap();
        looks.push((observation.clone(), frames.clone(), None));
        Ok(frames)
    }
}

struct Noted(RgbdPerception, Looks);

impl Perception for Noted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let percept = self.0.perceive(observation)?;
        if let Some(last) = self.1.lock().unwrap().last_mut() {
            last.2 = Some(percept.clone());
        }
        Ok(percept)
    }
}

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
    let eyes = loaded.rgbd_through(cameras, &scene.world_from_base, 0);
    eyes.unwrap()
}

#[test]
fn without_the_world_the_same_pictures_give_the_same_objects() {
    let loaded = LoadedRobot::panda().unwrap();
    let scene = instance("pick_from_three", 3).scene;
    let mut cell = cell(&scene);
    let looks = Looks::default();
    let view = SceneView::new(&loaded, &scene).unwrap();
    let sim = cell.sim().unwrap();
    let cameras = SimCameras::new(view, Arc::clone(&sim.truth));
    let cameras = Box::new(Recording(cameras, Arc::clone(&looks)));
    let noted = Noted(eyes(&loaded, &scene, cameras), Arc::clone(&looks));
    cell.robot.perception = Box::new(noted);
    cell.does("pick", of("the green cube"));
    // Perception runs once per instant. Waiting makes it run again, with the cube in the hand.
    for _ in 0..3 {
        cell.robot.wait(0.05).unwrap();
        cell.robot.perceive().unwrap();
    }

    // Without the simulator, perception can use only the recorded pixels and proprioception.
    drop(cell);
    let looks = std::mem::take(&mut *looks.lock().unwrap());
    assert!(looks.len() > 5, "perception ran only {} times", looks.len());
    let frames: Vec<_> = looks.iter().map(|(_, frames, _)| frames.clone()).collect();
    let replay = Box::new(Replaying(frames.into_iter()));
    let mut alone = eyes(&loaded, &scene, replay);
    for (i, (observation, _, seen)) in looks.iter().enumerate() {
        let again = alone.perceive(observation).unwrap();
        assert_eq!(Some(&again), seen.as_ref(), "percept of pictures {i}");
    }
}

/// Carries out a command, which must succeed, in the scene `tabletop`.
fn done_from_pixels(prompt: &str) -> Episode {
    let options = EpisodeOptions {
        perception: PerceptionKind::Rgbd,
        ..EpisodeOptions::default()
    };
    let episode = played(&builtin_scene("tabletop").unwrap(), prompt, options);
    let result = &episode.result;
    assert!(result.success, "{prompt}: {}", result.final_detail);
    episode
}

#[test]
fn the_red_cube_is_put_on_the_plate_from_pixels() {
    let episode = done_from_pixels("put the red cube on the plate");
    let apart = episode.last.position("red_cube") - episode.last.position("plate");
    within("cube off the plate, m", apart.xy().norm(), ..0.05);
}

#[test]
fn what_is_pushed_in_the_shadow_of_the_hand_keeps_its_name_and_place() {
    let to_the_right = "push the cylinder 5 cm to the right";
    let to_the_left = "push the red cube 5 cm to the left";
    for (prompt, id, left_m) in [
        (to_the_right, "blue_cylinder", -0.05),
        (to_the_left, "red_cube", 0.05),
    ] {
        let episode = done_from_pixels(prompt);
        let moved = episode.last.position(id) - episode.first.position(id);
        let off_m = (moved.xy() - Vector2::new(0.0, left_m)).norm();
        within(&format!("{prompt}: {id} off target, m"), off_m, ..0.015);
    }
}

#[test]
fn noisy_depth_leaves_positions_within_a_few_millimetres() {
    let scene = builtin_scene("tabletop").unwrap();
    let noise = CameraNoise {
        std_at_1_m: 0.001,
        dropout: 0.02,
        seed: 5,
        ..CameraNoise::default()
    };
    let mut cell = seeing(&scene, noise);
    let percept = cell.robot.perceive().unwrap();
    let report = compare_sight(&percept, &cell.truth());
    let summary = summarize_sight(std::slice::from_ref(&report));
    assert_eq!(summary.n_missed + summary.n_ghosts, 0, "{report:?}");
    let worst = summary.position_m.unwrap().max;
    assert!(worst < 0.005, "a position is {worst:.4} m off: {report:?}");
}

#[test]
fn phrases_name_what_cameras_see() {
    let scene = builtin_scene("tabletop").unwrap();
    let mut cell = seeing(&scene, CameraNoise::default());
    let percept = cell.robot.perceive().unwrap();
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
            panic!("`{phrase}` does not name exactly one of {ids:?}")
        };
        assert_eq!(object.id.as_str(), id, "{phrase}");
    }
}

#[test]
fn names_and_shapes_outlive_a_checkpoint() {
    let scene = builtin_scene("covered").unwrap();
    let mut first = seeing(&scene, CameraNoise::default());
    first.robot.perceive().unwrap();
    let saved = first.robot.perception.save();
    let second_look = first.robot.perceive().unwrap();
    let mut other = seeing(&scene, CameraNoise::default());
    other.robot.perception.restore(&saved);
    let restored = other.robot.perceive().unwrap();
    assert_eq!(second_look.objects, restored.objects);
}
