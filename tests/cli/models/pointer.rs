//! Perception by a model that points at pixels, over real sockets with hand-written answers. Depth
//! converts the pixels to objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regrasp::api::{
    Cameras, FinalReason, Observation, Percept, Perception, PerceptionError, Reason, RgbdFrame,
};
use regrasp::bench::{Verdict, judge};
use regrasp::ground_truth::GroundTruthObject;
use regrasp::render::{Picture, SoftwareRenderer, Stage, png_bytes};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::{
    CameraNoise, Cell, EpisodeOptions, LoadedRobot, SceneView, SightOptions, SimCameras,
};
use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_cli::Pointing;
use regrasp_llm_planner::{PointerOptions, VlmPointer};
use serde_json::json;

use super::{http, regrasp};
use crate::Shell;
use crate::common::{call, cell, instance, of, played, says, within};

/// A cell with the picture of its camera `scene` and its instance mask.
struct Set {
    loaded: LoadedRobot,
    scene: Scene,
    cell: Cell,
    stage: Stage,
    picture: Picture,
}

impl Set {
    fn new(scene: Scene) -> Self {
        let loaded = LoadedRobot::panda().unwrap();
        let cell = cell(&scene);
        let view = SceneView::new(&loaded, &scene).unwrap();
        let truth = cell.sim().unwrap().truth.truth();
        let stage = view.stage(&truth);
        let camera = view.view("scene", &truth.joint_positions, truth.gripper_width_m);
        let picture = SoftwareRenderer::default().render(&stage, &[camera.unwrap()]);
        Self {
            loaded,
            scene,
            cell,
            stage,
            picture: picture.into_iter().next().unwrap(),
        }
    }

    fn tabletop() -> Self {
        Self::new(builtin_scene("tabletop").unwrap())
    }

    fn object(&self, id: &str) -> GroundTruthObject {
        let truth = self.cell.sim().unwrap().truth.truth();
        truth.object(&id.into()).unwrap().clone()
    }

    /// Column and row of the pixels of matching objects. The name is `None` for the background.
    fn pixels_where(&self, is_it: impl Fn(Option<&str>) -> bool) -> BTreeSet<[usize; 2]> {
        let width = self.picture.view.intrinsics.width as usize;
        let all = self.picture.instances.iter().enumerate();
        // The sky has no depth.
        let shown =
            all.filter(|(at, i)| self.picture.depth_m[*at] > 0.0 && is_it(self.stage.name_of(**i)));
        shown.map(|(at, _)| [at % width, at / width]).collect()
    }

    /// Bounding box of the visible pixels of an object: ranges of columns and rows.
    fn outline(&self, name: &str) -> [[usize; 2]; 2] {
        let pixels = self.pixels_where(|seen| seen == Some(name));
        let range = |i: usize| {
            let values = || pixels.iter().map(|p| p[i]);
            [values().min().unwrap(), values().max().unwrap()]
        };
        [range(0), range(1)]
    }

    fn middle(&self, name: &str) -> [f64; 2] {
        let outline = self.outline(name);
        outline.map(|[low, high]| 0.5 * (low + high) as f64)
    }

    /// A pixel whose neighbourhood shows only matching objects.
    fn inside(&self, is_it: impl Fn(Option<&str>) -> bool) -> [f64; 2] {
        const CLEAR: usize = 10;
        let pixels = self.pixels_where(is_it);
        let is_clear = |[x, y]: &&[usize; 2]| {
            let near = |a: usize| a.saturating_sub(CLEAR)..=a + CLEAR;
            near(*x).all(|x| near(*y).all(|y| pixels.contains(&[x, y])))
        };
        let [x, y] = pixels.iter().find(is_clear).unwrap();
        [*x as f64, *y as f64]
    }

    fn is_robot(&self, name: Option<&str>) -> bool {
        let truth = self.cell.sim().unwrap().truth.truth();
        name.is_some_and(|name| truth.object(&name.into()).is_none())
    }

    fn pointer(&self, server: &Server, phrases: &[&str], noise: CameraNoise) -> VlmPointer {
        let pointing = pointing(server, phrases);
        let truth = Arc::clone(&self.cell.sim().unwrap().truth);
        let sight = SightOptions {
            noise,
            ..SightOptions::default()
        };
        let eyes = pointing.eyes(&self.loaded, &self.scene, truth, &sight, 0);
        eyes.unwrap()
    }

    fn eyes(&self, server: &Server, phrase: &str) -> VlmPointer {
        self.pointer(server, &[phrase], CameraNoise::default())
    }

    fn observe(&mut self) -> Observation {
        self.cell.robot.observe().unwrap()
    }

    fn look(&mut self, server: &Server, phrase: &str) -> Result<Percept, PerceptionError> {
        self.eyes(server, phrase).perceive(&self.observe())
    }

    /// Perceives the red cube, which must be found.
    fn finds_red_cube(&mut self, server: &Server) -> Percept {
        let percept = self.look(server, "the red cube").unwrap();
        check_found(&percept, "red_cube", &self.object("red_cube"), 0.005);
        percept
    }
}

fn pointing(server: &Server, phrases: &[&str]) -> Pointing {
    Pointing {
        model: Arc::new(http(&server.url())),
        options: PointerOptions {
            phrases: phrases.iter().map(|p| (*p).to_owned()).collect(),
            ..PointerOptions::default()
        },
    }
}

fn point([x, y]: [f64; 2]) -> Reply {
    Reply::calls(&[("point", json!({ "camera": "scene", "x": x, "y": y }))])
}

fn phrase(request: &Received) -> String {
    let text = request.body["messages"][1]["content"][0]["text"].as_str();
    let text = text.unwrap().lines().next().unwrap();
    let (_, phrase) = text.split_once("JSON string: ").unwrap();
    serde_json::from_str(phrase).unwrap()
}

fn words(request: &Received) -> String {
    request.body["messages"].to_string()
}

/// Checks that an object is found at the position and with the size of the true object.
fn check_found(percept: &Percept, id: &str, truth: &GroundTruthObject, within_m: f64) {
    let found = percept.object(&id.into());
    let found = found.unwrap_or_else(|| panic!("{id} was not found: {:?}", percept.unseen));
    let a = found.aabb_in_world();
    let b = truth.shape.aabb(&truth.world_from_object);
    let off_m = (a.center() - b.center()).norm();
    let what = format!("distance of {id} from {}, m", truth.id);
    within(&what, off_m, ..within_m);
    let size_off = (a.size() - b.size()).abs().max();
    assert!(size_off < within_m, "{id} has the size {:?}", a.size());
}

#[test]
fn a_point_or_a_box_becomes_a_pose_with_a_size() {
    let mut set = Set::tabletop();
    for (words, id) in [
        ("the red cube", "red_cube"),
        ("the plate", "plate"),
        ("the thing to drink from", "blue_cylinder"),
    ] {
        let name = regrasp::language::id_of_phrase(words).unwrap();
        let server = Server::scripted(vec![point(set.middle(id))]);
        let percept = set.look(&server, words).unwrap();
        check_found(&percept, name.as_str(), &set.object(id), 0.005);
        assert_eq!(server.received().len(), 1);
        let [x, y] = set.outline(id);
        let edges = json!({ "camera": "scene", "x_min": x[0], "x_max": x[1], "y_min": y[0],
                            "y_max": y[1] });
        let server = Server::scripted(vec![Reply::calls(&[("box", edges)])]);
        let percept = set.look(&server, words).unwrap();
        check_found(&percept, name.as_str(), &set.object(id), 0.005);
    }
}

#[test]
fn the_model_sees_what_the_camera_sees_and_is_told_how_to_answer() {
    use base64::Engine;
    let mut set = Set::tabletop();
    let server = Server::scripted(vec![point(set.middle("red_cube"))]);
    set.look(&server, "the \"red\"\u{202e} cube").unwrap();
    let body = &server.received()[0].body;
    let content = &body["messages"][1]["content"];
    let url = content[2]["image_url"]["url"].as_str().unwrap();
    let encoded = url.strip_prefix("data:image/png;base64,").unwrap();
    let png = base64::engine::general_purpose::STANDARD.decode(encoded);
    let frame = &set.picture;
    let (width, height) = (frame.view.intrinsics.width, frame.view.intrinsics.height);
    let shown = png_bytes(width, height, &frame.rgb).unwrap();
    assert_eq!(png.unwrap(), shown);
    let text = content[0]["text"].as_str().unwrap();
    says(text, &["\"width\":640", "\"height\":480"]);
    // Invisible characters are escaped.
    assert!(!text.contains('\u{202e}'), "{text}");
    let tools = body["tools"].as_array().unwrap().iter();
    let names: Vec<_> = tools.map(|t| t["function"]["name"].as_str()).collect();
    assert_eq!(names, [Some("point"), Some("box"), Some("not_there")]);
}

#[test]
fn many_pixels_decide_and_never_a_single_one() {
    // A tenth of the pixels has no depth, the others have noisy depth, and the model does not
    // always point at the same pixel.
    let mut set = Set::tabletop();
    let noise = CameraNoise {
        std_at_1_m: 0.001,
        dropout: 0.1,
        seed: 3,
        ..CameraNoise::default()
    };
    let [x, y] = set.middle("red_cube");
    for (dx, dy) in [(0.0, 0.0), (5.0, 0.0), (-4.0, 3.0), (0.0, -6.0), (3.0, 5.0)] {
        let server = Server::scripted(vec![point([x + dx, y + dy])]);
        let mut eyes = set.pointer(&server, &["red cube"], noise);
        let percept = eyes.perceive(&set.observe()).unwrap();
        check_found(&percept, "red_cube", &set.object("red_cube"), 0.008);
    }
}

#[test]
fn a_phrase_is_the_object_that_was_pointed_out_whatever_it_looks_like() {
    let mut set = Set::tabletop();
    let server = Server::scripted(vec![point(set.middle("green_cube"))]);
    let percept = set.look(&server, "the red cube").unwrap();
    check_found(&percept, "red_cube", &set.object("green_cube"), 0.005);
    check_found(&percept, "other_red_cube", &set.object("red_cube"), 0.005);
}

/// Checks an answer that does not point at an object: the model is asked once more, and then the
/// phrase is reported as unseen with this reason.
fn check_missed(set: &mut Set, at: [f64; 2], reason: Reason, words_of_it: &str) {
    let server = Server::scripted(vec![point(at)]);
    let percept = set.look(&server, "the red cube").unwrap();
    check_reason(&percept, &server, reason, words_of_it);
    // A corrected answer is used.
    let right = point(set.middle("red_cube"));
    let server = Server::scripted(vec![point(at), right]);
    let percept = set.finds_red_cube(&server);
    assert!(percept.unseen.is_empty());
    // A skill that needs the object reports the same reason.
    let server = Server::scripted(vec![point(at)]);
    let eyes = set.eyes(&server, "the cracked cube");
    set.cell.robot.perception = Box::new(eyes);
    let result = call(&mut set.cell.robot, "pick", of("cracked cube"));
    assert!(!result.success);
    says(&result.reason_detail, &[words_of_it, "cracked cube"]);
}

fn check_reason(percept: &Percept, server: &Server, reason: Reason, words_of_it: &str) {
    let [unseen] = percept.unseen.as_slice() else {
        panic!("expected one unseen phrase: {:?}", percept.unseen);
    };
    assert_eq!(unseen.reason, reason, "{}", unseen.detail);
    says(&unseen.detail, &[words_of_it]);
    let received = server.received();
    assert_eq!(received.len(), 2, "requests: a question and a correction");
    let second = words(&received[1]);
    says(&second, &[words_of_it]);
}

#[test]
fn a_point_beside_the_picture_is_no_point() {
    let mut set = Set::tabletop();
    let outside = "outside of the picture of 640 x 480 pixels";
    for at in [[700.0, 20.0], [-5.0, 100.0], [320.0, 480.0], [1e9, 1e9]] {
        check_missed(&mut set, at, Reason::PointOutsideImage, outside);
    }
    let server = Server::scripted(vec![point([700.0, 20.0])]);
    let percept = set.look(&server, "red cube").unwrap();
    let column = &percept.unseen[0].measured[0];
    assert_eq!((column.value, column.limit), (700.0, Some(640.0)));
}

#[test]
fn the_table_the_robot_and_what_is_behind_them_are_not_meant() {
    let mut set = Set::tabletop();
    let table = set.inside(|seen| seen == Some("table"));
    check_missed(&mut set, table, Reason::PointOnTable, "only the table");
    let robot = set.inside(|seen| set.is_robot(seen));
    check_missed(&mut set, robot, Reason::PointOnRobot, "the robot itself");
    let floor = set.inside(|seen| seen.is_none());
    let reason = Reason::ObjectOutOfWorkspace;
    check_missed(&mut set, floor, reason, "outside of the cell");
    let (sky, reason) = ([20.0, 20.0], Reason::PointWithoutDepth);
    check_missed(&mut set, sky, reason, "no depth was measured");
}

/// Cameras without depth in the right half of their pictures.
struct HalfBlind(SimCameras);

impl Cameras for HalfBlind {
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let mut frames = self.0.look(observation)?;
        for frame in &mut frames {
            let width = frame.view.intrinsics.width as usize;
            for (at, depth) in frame.depth_m.iter_mut().enumerate() {
                if at % width > width / 2 {
                    *depth = f32::INFINITY;
                }
            }
        }
        Ok(frames)
    }
}

#[test]
fn without_depth_there_is_nothing_to_take() {
    let mut set = Set::tabletop();
    let view = SceneView::new(&set.loaded, &set.scene).unwrap();
    let cameras = SimCameras::new(view, Arc::clone(&set.cell.sim().unwrap().truth));
    let (cameras, base) = (Box::new(HalfBlind(cameras)), &set.scene.world_from_base);
    let eyes = set.loaded.rgbd_through(cameras, base, 0).unwrap();
    let server = Server::scripted(vec![point([600.0, 300.0])]);
    let Pointing { model, options } = pointing(&server, &["the red cube"]);
    let mut eyes = VlmPointer::new(eyes, model, options);
    let percept = eyes.perceive(&set.observe()).unwrap();
    check_reason(&percept, &server, Reason::PointWithoutDepth, "no depth");
}

#[test]
fn what_the_model_does_not_see_is_not_found_and_not_asked_for_again() {
    let mut set = Set::tabletop();
    let absent = json!({ "why": "there is no teapot on the table" });
    let server = Server::scripted(vec![Reply::calls(&[("not_there", absent)])]);
    let mut eyes = set.eyes(&server, "the teapot");
    let observation = set.observe();
    for _ in 0..3 {
        let percept = eyes.perceive(&observation).unwrap();
        assert_eq!(percept.unseen[0].reason, Reason::ObjectNotFound);
        let failure = set.cell.robot.find(&percept, "teapot").unwrap_err();
        assert_eq!(failure.reason, Reason::ObjectNotFound);
        says(&failure.detail, &["there is no teapot on the table"]);
    }
    // The same picture gives the same answer from the cache.
    assert_eq!(server.received().len(), 1);
    assert_eq!(eyes.tokens(), 120);
    // Another arm pose gives another view.
    let mut moved = observation.clone();
    moved.joint_positions[0] += 0.3;
    eyes.perceive(&moved).unwrap();
    assert_eq!(server.received().len(), 2);
}

#[test]
fn what_is_known_is_followed_without_the_model() {
    let mut set = Set::tabletop();
    let server = Server::scripted(vec![point(set.middle("red_cube"))]);
    let mut eyes = set.eyes(&server, "the red cube");
    let observation = set.observe();
    let first = eyes.perceive(&observation).unwrap();
    eyes.perceive(&observation).unwrap();
    let saved = eyes.save();
    let mut other = set.eyes(&server, "the red cube");
    other.restore(&saved);
    let again = other.perceive(&observation).unwrap();
    let shape = |percept: &Percept| percept.object(&"red_cube".into()).map(|o| o.shape.clone());
    assert_eq!(shape(&first), shape(&again));
    assert_eq!(server.received().len(), 1);
}

#[track_caller]
fn unavailable(looked: Result<Percept, PerceptionError>) -> String {
    let error = looked.unwrap_err();
    let is_it = matches!(error, PerceptionError::Unavailable { .. });
    assert!(is_it, "{error}");
    error.to_string()
}

#[test]
fn answers_that_are_none_are_sent_back_once() {
    let mut set = Set::tabletop();
    let right = point(set.middle("red_cube"));
    let not_there = ("not_there", json!({ "why": "?" }));
    let no_area = json!({ "camera": "scene", "x_min": 9, "x_max": 3, "y_min": 1, "y_max": 2 });
    let wrong = [
        Reply::words("It is left of the plate."),
        Reply::calls(&[("point", json!({ "camera": "scene", "x": "left", "y": 3 }))]),
        Reply::calls(&[("point", json!({ "camera": "roof", "x": 1, "y": 3 }))]),
        Reply::calls(&[("grasp", json!({ "object": "red_cube" }))]),
        Reply::calls(&[not_there.clone(), not_there]),
        Reply::calls(&[("box", no_area)]),
    ];
    for reply in wrong {
        let server = Server::scripted(vec![reply.clone(), right.clone()]);
        set.finds_red_cube(&server);
        let received = server.received();
        assert_eq!(received.len(), 2);
        says(&words(&received[1]), &["without these mistakes"]);
        // A second invalid answer is a failure of the model and says nothing about the scene.
        let server = Server::scripted(vec![reply]);
        unavailable(set.look(&server, "red cube"));
        assert_eq!(server.received().len(), 2);
    }
}

#[test]
fn a_model_without_tools_points_in_words() {
    let mut set = Set::tabletop();
    let [x, y] = set.middle("red_cube");
    let call = json!({ "calls": [{ "name": "point",
                                   "arguments": { "camera": "scene", "x": x, "y": y } }] });
    let server = Server::new(move |_, request| {
        if request.body.get("tools").is_some() {
            return Reply::error(400, "this model does not support tools");
        }
        if request.body.get("response_format").is_some() {
            return Reply::error(400, "response_format json_schema is not supported");
        }
        Reply::words(&format!("Here it is:\n```json\n{call}\n```"))
    });
    set.finds_red_cube(&server);
}

#[test]
fn a_model_that_cannot_be_reached_is_no_failure_of_the_robot() {
    let mut set = Set::tabletop();
    let server = Server::scripted(vec![Reply::error(401, "wrong key")]);
    unavailable(set.look(&server, "red cube"));
    let nowhere = http(&Server::nowhere());
    let task = instance("pick_from_three", 0);
    let pointing = Pointing {
        model: Arc::new(nowhere),
        options: PointerOptions::default(),
    };
    let options = EpisodeOptions {
        prepare: Some(pointing.prepare(&task.prompt, &SightOptions::default(), 0)),
        ..EpisodeOptions::default()
    };
    let episode = played(&task.scene, &task.prompt, options);
    let reason = episode.result.final_reason;
    assert_eq!(reason, FinalReason::PerceptionUnavailable);
    assert!(!episode.result.success);
    let verdict = judge(&task, &episode);
    assert_eq!(verdict, Verdict::Infrastructure);
    let said = "image input is not supported - you may need to provide the mmproj";
    let blind = Server::scripted(vec![Reply::error(500, said)]);
    let error = unavailable(set.look(&blind, "red cube"));
    says(&error, &["use images with this model"]);
}

/// A model that points at the right pixel for each of these phrases, and finds nothing else.
fn all_knowing(set: &Set, phrases: &[(&str, &str)]) -> Server {
    let places = phrases.iter();
    let places = places.map(|(phrase, id)| ((*phrase).to_owned(), set.middle(id)));
    let places: BTreeMap<_, _> = places.collect();
    Server::new(move |_, request| match places.get(&phrase(request)) {
        Some(at) => point(*at),
        None => Reply::calls(&[("not_there", json!({ "why": "I see no such thing" }))]),
    })
}

#[test]
fn a_robot_does_its_task_with_a_model_as_its_eyes() {
    let shell = Shell::new();
    let set = Set::tabletop();
    let known = [("red cube", "red_cube"), ("plate", "plate")];
    let server = all_knowing(&set, &known);
    let url = server.url();
    let run = |text: &str, code: i32, words: &str| {
        let args = format!(
            "run '{text}' --base-url {url} --json --perception pointer --pointer custom --model m"
        );
        regrasp(&shell, &args, code, words)
    };
    run("put the red cube on the plate", 0, "");
    assert_eq!(server.received().len(), 2, "one request for each phrase");
    // An object that the model does not point at is not used, even if it is visible.
    run("put the green cube on the plate", 10, "I see no such thing");
    let without_model = "run 'go home' --perception pointer";
    regrasp(&shell, without_model, 2, "--pointer");
    let other_eyes = "run 'go home' --find 'a mug'";
    regrasp(&shell, other_eyes, 2, "--perception pointer");
}

#[test]
fn a_benchmark_runs_with_a_model_as_its_eyes() {
    let shell = Shell::new();
    let task = instance("pick_from_three", 0);
    let set = Set::new(task.scene.clone());
    let phrases = regrasp::language::phrases(&task.prompt);
    let id = phrases[0].trim_start_matches("the ").replace(' ', "_");
    let server = all_knowing(&set, &[(&*phrases[0], &*id)]);
    let url = server.url();
    let bench = "bench --tasks pick_from_three --seeds 1 --fail-under 1 --out results";
    let pointer = format!("--perception pointer --pointer custom --model m --base-url {url}");
    regrasp(&shell, &format!("{bench} {pointer}"), 0, "");
    let report = shell.json("results/summary.json");
    assert_eq!(report["tasks"][0]["successes"], 1, "{report}");
    assert_eq!(server.received().len(), 1);
}
