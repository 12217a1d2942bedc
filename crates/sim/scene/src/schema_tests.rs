//! Tests that the schemas for editors and the tables of `docs/files.md` agree with the code.

use regrasp_faults::{FieldKind, FieldSpec};
use serde_json::{Value as Json, json};

use crate::{formats, schema, schema_names};

fn named(name: &str) -> Json {
    let text = schema(name).expect("there is such a schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

fn file(path: &str) -> Json {
    let text = regrasp_assets::find(path).expect("the file is built in");
    // As in the readers, only `true` and `false` are booleans.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).expect("it is YAML")
}

#[track_caller]
fn fits(what: &str, schema: &jsonschema::Validator, file: &Json) {
    let wrong: Vec<_> = schema.iter_errors(file).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
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

#[test]
fn every_built_in_file_fits_its_schema() {
    let [task, scene] =
        ["task", "scene"].map(|name| jsonschema::validator_for(&named(name)).expect("a schema"));
    for (path, _) in regrasp_assets::FILES {
        let schema = match path.split_once('/') {
            Some(("tasks" | "recovery", _)) => &task,
            Some(("scenes", _)) => &scene,
            _ => continue,
        };
        fits(path, schema, &file(path));
    }
}

#[test]
fn every_type_in_the_tables_is_known() {
    for name in ["task", "scene", "models", "robot"] {
        let schema = named(name);
        for (word, definition) in schema["$defs"].as_object().expect("a mapping") {
            assert!(definition.is_object(), "{name}: there is no type `{word}`");
        }
    }
    for format in formats::all() {
        let is_used =
            ["task", "models", "robot"].map(|of| named(of)["$defs"].get(format.name).is_some());
        let is_used = is_used.contains(&true) || format.name == "shape";
        assert!(is_used, "nothing uses the mapping `{}`", format.name);
    }
}

#[test]
fn what_the_code_refuses_the_schema_refuses() {
    let task = jsonschema::validator_for(&named("task")).expect("a schema");
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
fn robots_fit_their_schema() {
    let schema = named("robot");
    let robot = jsonschema::validator_for(&schema).expect("a schema");
    let panda = file("robots/panda/panda.yaml");
    fits("panda", &robot, &panda);
    fits("fr3", &robot, &file("robots/fr3/fr3.yaml"));
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
    fits("result", &validator, &given);
    assert_eq!(keys(&schema["properties"]), keys(&given));
    assert_eq!(schema_names().count(), 5);
}

fn tables() -> String {
    let row = |name: &str, is: &str, says: &str| format!("| `{name}` | {is} | {says} |\n");
    let mut text = String::from("\n### Kinds\n\n| kind | its own keys | |\n|---|---|---|\n");
    for kind in formats::kinds() {
        let keys: Vec<_> = kind.keys.iter().map(|key| format!("`{key}`")).collect();
        text += &row(kind.name, &keys.join(", "), kind.says);
    }
    text += "\n### Faults\n\n| kind | fields |\n|---|---|\n";
    for (kind, fields) in regrasp_faults::KINDS {
        let field = |field: &FieldSpec| {
            let needed = if field.needed { "!" } else { "" };
            match field.kind {
                FieldKind::Word(words) => {
                    format!("`{}{needed}` ({})", field.name, words.join(", "))
                }
                _ => format!("`{}{needed}`", field.name),
            }
        };
        let fields: Vec<_> = fields.iter().map(field).collect();
        text += &format!("| `{kind}` | {} |\n", fields.join(", "));
    }
    for format in formats::all() {
        text += &format!(
            "\n### {}\n\n| key | value | |\n|---|---|---|\n",
            format.name
        );
        for key in &format.keys {
            let needed = if key.needed { "!" } else { "" };
            text += &row(&format!("{}{needed}", key.name), key.is, key.says);
        }
    }
    text
}

#[test]
fn the_documentation_has_the_tables_that_files_are_read_by() {
    const BEFORE: &str = "cargo test -p regrasp-scene tables`. -->\n";
    let path = regrasp_assets::folder().join("../docs/files.md");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (prose, found) = text.split_once(BEFORE).expect("it says how it is written");
    let wanted = tables();
    if std::env::var_os("REGRASP_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{prose}{BEFORE}{wanted}")).expect("it is writable");
        return;
    }
    assert!(
        found == wanted,
        "docs/files.md is outdated; run this test with REGRASP_WRITE_DOCS=1 to rewrite its tables"
    );
}
