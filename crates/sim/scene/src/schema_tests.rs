//! The schema files for editors say what the code reads.

use serde_json::{Value as Json, json};

use crate::yaml::{self, Node, Value};
use crate::{arm, articulated, drawn, kinds, object, placement, robot, schema, schema_names};

fn named(name: &str) -> Json {
    let text = schema(name).expect("there is such a schema");
    serde_json::from_str(text).expect("the schema is JSON")
}

fn task_schema() -> Json {
    named("task")
}

/// The schema of a scene, by itself.
fn scene_schema() -> Json {
    let task = task_schema();
    json!({ "$ref": "#/$defs/scene", "$defs": task["$defs"] })
}

fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Number(x) => json!(x),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(entries) => {
            let entries = entries.iter().map(|e| (e.key.clone(), to_json(&e.node)));
            Json::Object(entries.collect())
        }
    }
}

fn file(path: &str) -> Json {
    let text = regrasp_assets::find(path).expect("the file is built in");
    to_json(&yaml::parse(path, text).expect("it is YAML"))
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

fn keys(object: &Json) -> Vec<String> {
    let object = object.as_object().expect("an object");
    sorted(object.keys().map(String::as_str))
}

fn strings(list: &Json) -> Vec<String> {
    let list = list.as_array().expect("a list");
    sorted(list.iter().filter_map(Json::as_str))
}

#[test]
fn every_built_in_file_fits_its_schema() {
    let task = jsonschema::validator_for(&task_schema()).expect("a schema");
    let scene = jsonschema::validator_for(&scene_schema()).expect("a schema");
    let tasks = regrasp_assets::FILES
        .iter()
        .map(|(path, _)| *path)
        .filter(|p| p.starts_with("tasks/") || p.starts_with("recovery/"));
    for path in tasks {
        let wrong: Vec<_> = task
            .iter_errors(&file(path))
            .map(|e| e.to_string())
            .collect();
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
    for path in regrasp_assets::FILES
        .iter()
        .map(|(path, _)| *path)
        .filter(|p| p.starts_with("scenes/"))
    {
        let wrong: Vec<_> = scene
            .iter_errors(&file(path))
            .map(|e| e.to_string())
            .collect();
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
}

#[test]
fn what_the_code_refuses_the_schema_refuses() {
    let task = jsonschema::validator_for(&task_schema()).expect("a schema");
    let good = file("tasks/pick_cube.yaml");
    assert!(task.is_valid(&good));
    let with = |pointer: &str, value: Json| {
        let mut task = good.clone();
        *task.pointer_mut(pointer).expect("it is there") = value;
        task
    };
    for wrong in [
        with("/success", json!({ "lifted": { "object": "red_cube" } })),
        with(
            "/success",
            json!({ "liftet": { "object": "red_cube", "min_height_m": 0.1 } }),
        ),
        with("/success", json!([])),
        with(
            "/scene/objects/1",
            json!({ "id": "a", "kind": "cube", "radius": 0.1 }),
        ),
        with(
            "/scene/objects/1",
            json!({ "id": "a", "kind": "cuboid", "size": 0.1 }),
        ),
        with("/scene/arm", json!({ "positon": [0.0, 0.0, 0.0] })),
        with("/prompt", json!(3)),
    ] {
        assert!(!task.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn kinds_and_placements_have_the_keys_that_the_code_reads() {
    let schema = task_schema();
    let defs = &schema["$defs"];
    assert_eq!(
        keys(&defs["placement"]["properties"]),
        sorted(placement::KEYS)
    );
    assert_eq!(keys(&defs["visual"]["properties"]), sorted(drawn::KEYS));
    let arm_keys = &defs["arm"]["properties"];
    assert_eq!(keys(arm_keys), sorted(arm::KEYS));
    let pedestal = &arm_keys["pedestal"]["properties"];
    assert_eq!(keys(pedestal), sorted(arm::PEDESTAL_KEYS));
    let by_kind = defs["object"]["allOf"].as_array().expect("a list");
    assert_eq!(by_kind.len(), kinds::all().count());
    for (kind, own) in kinds::all() {
        let rule = by_kind
            .iter()
            .find(|rule| rule["if"]["properties"]["kind"]["const"] == kind)
            .unwrap_or_else(|| panic!("the schema does not know {kind}"));
        let allowed = object::COMMON_KEYS.iter().chain(own).copied();
        assert_eq!(
            strings(&rule["then"]["propertyNames"]["enum"]),
            sorted(allowed),
            "{kind}"
        );
    }
}

#[test]
fn bodies_and_joints_have_the_keys_that_the_code_reads() {
    let schema = task_schema();
    let bodies = &schema["$defs"]["object"]["properties"]["bodies"];
    let body = &bodies["additionalProperties"]["properties"];
    assert_eq!(keys(body), sorted(articulated::BODY_KEYS));
    let joint = &schema["$defs"]["joint"]["properties"];
    assert_eq!(keys(joint), sorted(articulated::JOINT_KEYS));
}

#[test]
fn robots_fit_their_schema_and_it_has_the_keys_that_the_code_reads() {
    let schema = named("robot");
    let robot = jsonschema::validator_for(&schema).expect("a schema");
    let panda = file("robots/panda/panda.yaml");
    for good in [&panda, &file("robots/fr3/fr3.yaml")] {
        let wrong: Vec<_> = robot.iter_errors(good).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
    let defs = &schema["$defs"];
    for (part, read) in [
        ("robot", &robot::KEYS[..]),
        ("links", &robot::LINK_KEYS),
        ("arm", &robot::ARM_KEYS),
        ("arm_motors", &robot::ARM_MOTOR_KEYS),
        ("gripper", &robot::GRIPPER_KEYS),
        ("monitors", &robot::MONITOR_KEYS),
        ("finger_motors", &robot::FINGER_MOTOR_KEYS),
    ] {
        let known = keys(&defs[part]["properties"]);
        assert_eq!(known, sorted(read.iter().copied()), "{part}");
    }
    for (pointer, value) in [
        ("/gripper/max_force_n", json!(-1.0)),
        ("/gripper/finger_links", json!(["only_one"])),
        ("/monitors/lag_rad", json!(0.0)),
        ("/links", json!({ "base": "a" })),
        ("/arm/home_rad", json!("home")),
    ] {
        let mut wrong = panda.clone();
        *wrong.pointer_mut(pointer).expect("it is there") = value;
        assert!(!robot.is_valid(&wrong), "{pointer}");
    }
}

#[test]
fn the_schema_of_results_has_the_fields_of_results() {
    let schema = named("result");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let result = regrasp_api::EpisodeResult {
        success: true,
        goal_met: true,
        replans: 1,
        steps: 2,
        planner_calls: 1,
        final_reason: regrasp_api::FinalReason::PlanComplete,
        final_detail: String::new(),
        final_answer: None,
        tokens: 0,
        wall_s: 0.1,
        sim_s: 4.2,
        seed: 3,
        state_digest: "00ff00ff00ff00ff".to_owned(),
        version: "0.1.0".to_owned(),
    };
    let given = serde_json::to_value(&result).expect("it is plain data");
    let wrong: Vec<_> = validator
        .iter_errors(&given)
        .map(|e| e.to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(keys(&schema["properties"]), keys(&given));
    assert_eq!(schema_names().count(), 4);
}
