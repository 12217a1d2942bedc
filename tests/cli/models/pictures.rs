//! Pictures of the cameras are sent to planners that use them, and are not rendered for others.

use std::sync::Arc;

use base64::Engine;
use regrasp::api::{ImageSource, Observation, Percept, PerceptionError, SceneImage};
use regrasp::{EpisodeOptions, LoadedRobot, PictureOptions, PlannerKind};
use regrasp_chat::testing::{Received, Server};
use serde_json::Value;

use super::marks::decoded;
use super::{COVERED, data, http, planner_at, play_with, regrasp, uncovering_server, uncovers};
use crate::Shell;
use crate::common::{cell, instance, played};

fn pictures(request: &Received) -> Vec<Vec<u8>> {
    let content = request.body["messages"][1]["content"].as_array();
    let urls = content.into_iter().flatten();
    let urls = urls.filter_map(|part| part["image_url"]["url"].as_str());
    let png = urls.map(|url| {
        let encoded = url.strip_prefix("data:image/png;base64,").unwrap();
        let png = base64::engine::general_purpose::STANDARD.decode(encoded);
        png.unwrap()
    });
    png.collect()
}

#[test]
fn each_question_brings_what_the_camera_sees_then() {
    let server = uncovering_server();
    let options = PictureOptions {
        cameras: vec!["scene".into(), "wrist".into()],
        marks: true,
    };
    let (episode, _) = play_with(COVERED, http(&server.url()), Some(options.clone()));
    assert!(episode.result.success);
    let received = server.received();
    assert_eq!(received.len(), 2, "requests, one for each plan");
    let loaded = LoadedRobot::panda().unwrap();
    let task = instance(COVERED, 0);
    let mut cell = cell(&task.scene);
    let observation = cell.robot.observe().unwrap();
    let percept = cell.robot.perception.perceive(&observation).unwrap();
    let truth = Arc::clone(&cell.sim().unwrap().truth);
    let source = loaded.pictures(&task.scene, truth, &options);
    let expected = source.unwrap().images(&observation, &percept).unwrap();
    let expected: Vec<_> = expected.into_iter().map(|image| image.png).collect();
    assert_eq!(pictures(&received[0]), expected, "received pictures");
    assert_eq!(decoded(&expected[0]).len(), 640 * 480 * 3);
    for request in &received {
        let data = data(request);
        assert_eq!(data["cameras"][0]["name"], "scene");
        assert_eq!(data["cameras"][1]["name"], "wrist");
        let objects = data["objects"].as_array().unwrap();
        let cube = objects.iter().find(|o| o["name"] == "blue_cube").unwrap();
        let mut things = percept.objects.iter();
        let number = things.position(|o| o.id.as_str() == "blue_cube").unwrap() + 1;
        assert_eq!(cube["mark"], number, "the cube's number");
    }
}

#[test]
fn what_is_seen_next_is_in_the_next_picture() {
    // With `--rounds`, the second request follows the motion of the cube.
    let server = uncovering_server();
    let planner = planner_at(&server.url());
    let args = format!("run --task {COVERED} {planner} --rounds --marks");
    regrasp(&Shell::new(), &args, 0, "");
    let received = server.received();
    let (first, last) = (&received[0], &received[received.len() - 1]);
    // By default, pictures of one camera are sent.
    assert_eq!(pictures(first).len(), 1);
    assert_eq!(pictures(last).len(), 1);
    let objects = data(first)["objects"].as_array().cloned().unwrap();
    let is_told = |o: &Value| o["mark"].is_u64() || o["movable"] == false;
    assert!(objects.iter().all(is_told));
}

#[test]
fn the_command_line_says_which_pictures_there_are() {
    let shell = Shell::new();
    let asked = |more: &str, code: i32, words: &str| -> Vec<Received> {
        let server = Server::new(uncovers);
        let planner = planner_at(&server.url());
        let run = format!("run --task {COVERED} {planner} {more}");
        regrasp(&shell, &run, code, words);
        server.received()
    };
    let received = asked("--no-pictures", 0, "");
    assert!(received[0].body["messages"][1]["content"].is_string());
    assert_eq!(data(&received[0])["cameras"], Value::Null);
    let received = asked("--camera top,scene", 0, "");
    assert_eq!(pictures(&received[0]).len(), 2);
    assert!(asked("--camera roof", 2, "scene, top, wrist").is_empty());
    let words = "use --marks: it has no effect with a planner without a model";
    regrasp(&shell, "run 'go home' --marks", 2, words);
    let runs = std::fs::read_dir(shell.path().join("runs"));
    let runs = runs.unwrap().count();
    assert!(runs >= 2, "only {runs} runs left a folder");
}

/// A source of pictures that must not be used.
struct Untouchable(Arc<()>);

impl ImageSource for Untouchable {
    fn images(&mut self, _: &Observation, _: &Percept) -> Result<Vec<SceneImage>, PerceptionError> {
        let n = Arc::strong_count(&self.0);
        panic!("a picture was taken for a planner that uses none; {n} holders of the source")
    }
}

#[test]
fn nobody_takes_pictures_for_planners_that_look_at_none() {
    for kind in [PlannerKind::Feedback, PlannerKind::Stub] {
        let held = Arc::new(());
        let mut planner = kind.build();
        planner.show(Box::new(Untouchable(Arc::clone(&held))));
        let n_holders = Arc::strong_count(&held);
        assert_eq!(n_holders, 1, "{} keeps the source", kind.name());
        let task = instance("home", 0);
        let options = EpisodeOptions {
            planner,
            pictures: Some(PictureOptions::default()),
            ..EpisodeOptions::default()
        };
        let episode = played(&task.scene, &task.prompt, options);
        assert!(episode.result.success);
    }
}
