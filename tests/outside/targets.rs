//! Parsers of untrusted input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use regrasp::EpisodeOptions;
use regrasp::api::{Observation, Percept, Plan, Planner, PlannerError, RobotInfo, SkillSpec};
use regrasp::kinematics::{MeshSearch, RobotModel};
use regrasp::language::{ParseContext, understand};
use regrasp::mesh::read_points;
use regrasp::scene::{builtin_robot, fault_from_text, load_robot, load_scene, load_task};
use regrasp_chat::testing::read_body;
use regrasp_chat::{
    Cassette, ChatAnswer, ChatModel, ChatRequest, Dialect, ModelError, chat_blocking,
};
use regrasp_export::RecordOptions;
use regrasp_llm_planner::{VlmOptions, VlmPlanner};
use regrasp_record::Recording;
use tempfile::TempDir;

use crate::common::{cell, instance, record};
use crate::harness::{Target, target};
use crate::recording::{around, parts};

const COMPLETION: &str = r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"So:","tool_calls":[{"id":"a","type":"function","function":{"name":"pick","arguments":"{\"object\":\"red_cube\"}"}},{"id":"b","function":{"name":"done","arguments":{"answer":"done","goal":"on(red_cube, plate)"}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}"#;
const REFUSAL: &str = r#"{"choices":[{"message":{"content":[{"type":"text","text":"no"}],"refusal":"no"}}],"error":{"message":"x","code":"429"}}"#;
const MESSAGE: &str = r#"{"id":"x","type":"message","role":"assistant","content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"a","name":"pick","input":{"object":"red_cube"}}],"stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":5}}"#;
const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"So\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"pick\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const EVENTS: &str = "event: x\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"pick\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":7}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
const CALLS: &str = r#"{"calls":[{"name":"pick","arguments":{"object":"red_cube","then":{"skill":"place_on","target":"plate"}}},{"name":"place_on","arguments":{"target":"plate"}},{"name":"wait_until","arguments":{"until":"on(red_cube, plate)"}},{"name":"push","arguments":{"object":"blue_cube","direction":"left","distance_m":0.1}},{"name":"done","arguments":{"answer":"done","goal":"on(red_cube, plate) and not in(blue_cube, plate)"}}]}"#;
const ACHIEVE: &str = r#"{"calls":[{"name":"achieve","arguments":{"goal":"2 of (on(all cubes, plate), beside(red_cube, blue_cube)) then holding(red_cube)"}}]}"#;

pub(crate) fn all() -> Vec<Target> {
    let folder = TempDir::new().unwrap().keep();
    let mut targets = answers();
    targets.extend(words());
    targets.extend(files(&folder));
    targets.extend(recordings(&folder));
    targets
}

fn answers() -> Vec<Target> {
    let text = |input: &[u8]| String::from_utf8_lossy(input).into_owned();
    let fields = "\"tool_calls\":|\"arguments\":|\"function\":|\"content\":|\"usage\":|\
     \"index\":9999999|\"error\":|\"refusal\":|sk-0123456789|\\u0073k-0123456789|\
     \"input\":|\"type\":\"tool_use\"";
    let told = Told::new();
    let read_answer = move |input: &[u8]| {
        let model = Said(text(input));
        let options = VlmOptions {
            mode: Some(regrasp_chat::AnswerMode::Schema),
            ..VlmOptions::default()
        };
        let mut planner = VlmPlanner::new(Arc::new(model), options);
        told.plan(&mut planner).is_ok()
    };
    let calls = "\"name\":|\"arguments\":|pick|place_at|wait_until|achieve|done|infeasible|\
     ask_user|red_cube|plate|\"goal\":|\"until\":|on(|holding(| then |2 of (|\
     all cubes|\"x\":|\"then\":|never ";
    let body = |name, samples: &[&str], dialect| {
        let read = move |input: &[u8]| read_body(dialect, &text(input)).is_some();
        target(name, samples, fields, 1, read)
    };
    let policies = [POLICY_READY, POLICY_ACTION];
    let of_policies = "\"joint_positions\":|\"type\":\"ready\"|\"step\":";
    let read_policy =
        |input: &[u8]| serde_json::from_slice::<regrasp::policy::protocol::Answer>(input).is_ok();
    let (completions, messages) = (Dialect::ChatCompletions, Dialect::Messages);
    vec![
        body("completions", &[COMPLETION, REFUSAL], completions),
        body("messages", &[MESSAGE, REFUSAL], messages),
        body("streams", &[STREAM], completions),
        body("events", &[EVENTS], messages),
        target("plans", &[CALLS, ACHIEVE], calls, 10, read_answer),
        target("policy", &policies, of_policies, 1, read_policy),
    ]
}

const POLICY_READY: &str = r#"{"type":"ready","wants_objects":true}"#;
const POLICY_ACTION: &str =
    r#"{"type":"move","step":3,"joint_positions":[0,0,0,0,0,0,0],"gripper":{"width_m":0.04}}"#;

fn words() -> Vec<Target> {
    let percept = Told::new().percept;
    let interpret =
        move |percept: &Percept, text: &str| understand(text, &ParseContext::of(percept)).is_ok();
    let sentences: &[&str] = &[
        "put the red cube on the plate, then the blue cube on the red cube",
        "put all the cubes except the blue one on the plate, no wait, all but the red one",
        "goal: on(red_cube, plate) and not on(blue_cube, red_cube) then holding(red_cube)",
        "goal: 2 of (on(red_cube, plate), holding(blue_cube)); untouched(plate)",
        "leg den roten Würfel auf den Teller",
    ];
    let pieces = "goal: | and | or | then |not |never |2 of (|on(|all cubes|any |the |put |if |\
     unless | except |between |(0.4, 0.1)| 10 cm |everything|it |the other one |\
     , no, |cube |plate|which is |lege |den |'s ";
    let faults: &[&str] = &[
        "nudged: {object: red_cube, distance_m: 0.05}",
        "planner: {trouble: too_late, first: 2}",
    ];
    let goals: &[&str] = &[
        "on(red_cube, plate) and not on(blue_cube, red_cube)",
        "2 of (on(red_cube, plate), holding(blue_cube)); untouched(plate)",
        "beside(red_cube, blue_cube) or on(all cubes, plate) then holding(red_cube)",
    ];
    let percept_too = percept.clone();
    vec![
        target("sentences", sentences, pieces, 20, move |input| {
            interpret(&percept, &String::from_utf8_lossy(input))
        }),
        target("goals", goals, pieces, 20, move |input| {
            let goal = format!("goal: {}", String::from_utf8_lossy(input));
            interpret(&percept_too, &goal)
        }),
        target("seeds", &[SEEDS], "#|-1", 1, |input| {
            regrasp::bench::Seeds::from_list(&String::from_utf8_lossy(input)).is_ok()
        }),
        target("faults", faults, "&a|*a|object: |~|!!str ", 2, |input| {
            fault_from_text(&String::from_utf8_lossy(input)).is_ok()
        }),
    ]
}

const SEEDS: &str = "0\n1\n# two\n2 # three\n18446744073709551615\n";

/// Parsers of files. Each input is first written to a file, except for URDF.
fn files(folder: &Path) -> Vec<Target> {
    let yaml = "&a|*a|!!str |~|.nan|.inf|1e308|-1|kind: mug|kind: convex|\
     points: [[0,0,0],[0,0,0],[1,1,1]]|on: red_cube|yaw_rad: any|others|\n  |- ";
    let file = |name: &str| folder.join(name);
    let write = |path: &PathBuf, input: &[u8]| std::fs::write(path, input).unwrap();
    let (task, scene, robot) = (file("task.yaml"), file("scene.yaml"), file("robot.yaml"));
    // The robot file refers to other files in its folder.
    let panda_folder = regrasp_assets::folder().join("robots/panda");
    for entry in std::fs::read_dir(&panda_folder).unwrap().flatten() {
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let (tape, points) = (file("tape.json"), [file("points.ply"), file("points.xyz")]);
    let known = builtin_robot().unwrap();
    let known_too = builtin_robot().unwrap();
    let panda = regrasp_assets::text("robots/panda/panda.urdf");
    let meshes = panda_folder;
    let cassette = regrasp_assets::workspace_root().join("examples/vlm_planner.cassette.json");
    let cassette = std::fs::read_to_string(cassette).unwrap();
    let tasks = ["tasks/pick_cube.yaml", "tasks/stack_two.yaml"].map(regrasp_assets::text);
    let scenes = [regrasp_assets::text("scenes/covered.yaml")];
    let robots = [regrasp_assets::text("robots/panda/panda.yaml")];
    let xml = "<joint|<link name=\"a\"/>|</robot>|type=\"floating\"|xyz=\"nan 0 0\"|mimic";
    let tapes = "\"exchanges\":|\"format\":|\"form\":";
    let mut all = vec![
        target("tasks", &tasks, yaml, 20, move |input| {
            write(&task, input);
            let read = load_task(&task, &known);
            read.is_ok_and(|task| task.instantiate(1).is_ok())
        }),
        target("scenes", &scenes, yaml, 20, move |input| {
            write(&scene, input);
            load_scene(&scene, &known_too).is_ok()
        }),
        target("robots", &robots, yaml, 50, move |input| {
            write(&robot, input);
            load_robot(&robot).is_ok()
        }),
        target("urdf", &[panda], xml, 50, move |input| {
            let text = String::from_utf8_lossy(input);
            let search = MeshSearch::default();
            RobotModel::from_urdf_str(&text, &meshes, &search).is_ok()
        }),
        target("cassettes", &[&cassette], tapes, 20, move |input| {
            write(&tape, input);
            let read = Cassette::load(&tape);
            read.is_ok_and(|cassette| {
                let player = cassette.player(&tape, None);
                let _ = chat_blocking(&player, &ChatRequest::default());
                true
            })
        }),
    ];
    for (ending, sample) in MESHES {
        all.push(mesh(folder, ending, sample));
    }
    for (name, path, sample) in [
        ("points.ply", points[0].clone(), PLY),
        ("points.xyz", points[1].clone(), XYZ),
    ] {
        let pieces = "element vertex 99999999\n|format binary_little_endian 1.0\n|nan ";
        all.push(target(name, &[sample], pieces, 20, move |input| {
            write(&path, input);
            read_points(&path, 1.0).is_ok()
        }));
    }
    all
}

const XYZ: &str = "0 0 0\n0.1 0.2, 0.3\n# no point\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n0.1 0.2 0.3\n";

const TETRAHEDRON: &str = "solid x
facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 0.1 0\nvertex 0.1 0 0\nendloop\nendfacet
facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0 0.1\nendloop\nendfacet
facet normal 1 1 1\nouter loop\nvertex 0.1 0 0\nvertex 0 0.1 0\nvertex 0 0 0.1\nendloop\nendfacet
facet normal -1 0 0\nouter loop\nvertex 0 0.1 0\nvertex 0 0 0\nvertex 0 0 0.1\nendloop\nendfacet
endsolid x
";

const MESHES: [(&str, &str); 3] = [
    (
        "obj",
        "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    ),
    ("stl", TETRAHEDRON),
    (
        "gltf",
        r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[0.1,0.1,0.1]},{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],"buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAzczMPQAAAAAAAAAAAAAAAM3MzD0AAAAAAAAAAAAAAADNzMw9AAACAAEAAAABAAMAAQACAAMAAgAAAAMA"}]}"#,
    ),
];

fn mesh(folder: &Path, ending: &'static str, sample: &str) -> Target {
    let file = folder.join(format!("it.{ending}"));
    let scene = folder.join(format!("{ending}.yaml"));
    let text = regrasp_assets::text("scenes/covered.yaml").to_owned();
    let object = format!(
        "  - {{id: it, kind: mesh, file: it.{ending}, mass_kg: 0.1, on: table, xy: [0.5, 0.1]}}\n"
    );
    std::fs::write(&scene, text + &object).unwrap();
    let robot = builtin_robot().unwrap();
    let pieces = "v 0 0 0\n|v 1e300 0 0\n|f 1 2 3\n|f 1 2 99999999\n|f -1 -2 -3\n|\
     vertex nan 0 0\n|facet normal 0 0 1\n|\"count\":4294967295|\
     \"byteLength\":99999999999|\"mesh\":7";
    let name = match ending {
        "obj" => "mesh.obj",
        "stl" => "mesh.stl",
        _ => "mesh.gltf",
    };
    target(name, &[sample], pieces, 50, move |input| {
        std::fs::write(&file, input).unwrap();
        load_scene(&scene, &robot).is_ok()
    })
}

/// Model with one fixed answer.
struct Said(String);

#[async_trait::async_trait]
impl ChatModel for Said {
    fn model(&self) -> &str {
        "said"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        Ok(ChatAnswer {
            text: self.0.clone(),
            ..ChatAnswer::default()
        })
    }
}

/// Request to a planner, from the percept of a scene.
struct Told {
    percept: Percept,
    observation: Observation,
    skills: Vec<SkillSpec>,
    robot: RobotInfo,
}

impl Told {
    fn new() -> Self {
        let mut robot = cell(&instance("unstack_to_plate", 0).scene).robot;
        Self {
            percept: robot.perceive().unwrap(),
            observation: robot.observe().unwrap(),
            skills: regrasp::skills::standard().specs(),
            robot: robot.info,
        }
    }

    fn plan(&self, planner: &mut dyn Planner) -> Result<Plan, PlannerError> {
        let (task, percept) = ("put the red cube on the plate", &self.percept);
        let now = &self.observation;
        let request = regrasp_testkit::request(task, percept, now, &self.skills, &self.robot);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        runtime.block_on(planner.plan(&request))
    }
}

/// Parsers of recordings, whose bytes or single messages are mutated.
fn recordings(folder: &Path) -> Vec<Target> {
    let [written, bytes, messages] =
        ["written", "bytes", "messages"].map(|name| folder.join(format!("{name}.mcap")));
    let mut short = EpisodeOptions::default();
    short.agent.budgets.max_sim_secs = 0.5;
    let options = RecordOptions {
        rate_hz: 5.0,
        cameras: vec!["wrist".into()],
        camera_hz: 0.2,
    };
    record(&instance("pick_cube", 0), &written, &options, short);
    let recorded = std::fs::read(&written).unwrap();
    let found = parts(&recorded);
    let read = |path: &Path, input: &[u8]| {
        std::fs::write(path, input).unwrap();
        let Ok(mut recording) = Recording::open(path) else {
            return false;
        };
        let is_whole = recording.items().all(|item| item.is_ok());
        let _ = (recording.frame_at(0.1), recording.run());
        let _ = recording.cameras();
        is_whole
    };
    let info = found.info;
    let records = "\u{89}MCAP0\r\n|\u{6}|\u{9}|/state|episode.json|zstd";
    let fields =
        "\"time_secs\":|\"position\":|/events\n|/objects\n|/joints\n|/state\n|/tf\n|object/";
    let whole = move |input: &[u8]| read(&bytes, input);
    let around = move |input: &[u8]| read(&messages, &around(&info, input));
    let both = [found.plain, recorded];
    vec![
        target("recordings", &both, records, 200, whole),
        target("messages.mcap", &found.messages, fields, 20, around),
    ]
}
