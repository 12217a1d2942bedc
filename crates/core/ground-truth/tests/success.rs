//! Conditions are written as they are read.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use regrasp_api::ObjectId;
use regrasp_ground_truth::{Known, Success};
use serde_json::{Value, json};

/// One of each kind.
fn samples() -> Vec<Value> {
    let lifted = json!({ "lifted": { "object": "a", "min_height_m": 0.1 } });
    vec![
        json!({ "all": [lifted] }),
        json!({ "any": [lifted] }),
        json!({ "not": lifted }),
        lifted.clone(),
        json!({ "on": { "object": "a", "target": "b", "xy_tolerance_m": 0.02 } }),
        json!({ "at": { "object": "a", "point": [0.1, 0.2, 0.3], "tolerance_m": 0.01 } }),
        json!({ "joint_at": { "object": "a", "min": 0.05, "max": 0.1 } }),
        json!({ "joints_at_home": { "tolerance_rad": 0.02 } }),
        json!({ "unmoved": { "objects": ["a", "b"], "tolerance_m": 0.01 } }),
        json!({ "untouched": { "except": ["a"] } }),
        json!({ "released": { "object": "a", "min_distance_m": 0.1 } }),
        json!({ "static": { "object": "a", "max_linear_m_per_s": 0.1, "max_angular_rad_per_s": 0.5 } }),
        json!({ "robot_static": { "max_rad_per_s": 0.2 } }),
        json!({ "in": { "object": "a", "region": { "x": [0.1, 0.2] } } }),
        json!({ "touching": { "object": "a", "target": "b" } }),
        json!({ "upright": { "object": "a", "axis": "-x", "max_tilt_rad": 0.1 } }),
        json!({ "apart": { "object": "a", "target": "b", "dz_m": [0.0, 0.1] } }),
        json!({ "displaced": { "object": "a", "direction": [1.0, 0.0], "min_m": 0.1 } }),
        json!({ "displaced_by": { "object": "a", "by_m": [0.1, 0.2], "tolerance_m": 0.01 } }),
        json!({ "inserted": { "object": "a", "target": "b", "min_depth_m": 0.1, "max_aside_m": 0.01 } }),
        json!({ "pressed": { "object": "a", "times": 2 } }),
        json!({ "contains": { "container": "a", "what": "b", "at_least": 0.8 } }),
        json!({ "spilled": { "what": "b", "at_most": 0.2 } }),
        json!({ "visited": { "object": "a", "targets": ["b"] } }),
        json!({ "avoided": { "object": "a", "targets": ["b"] } }),
        json!({ "held_for": { "seconds": 1.0, "condition": lifted } }),
        json!({ "predicates": [{ "upon": { "object": "a", "target": "b", "within_m": 0.03 } }] }),
    ]
}

#[test]
fn every_condition_is_written_as_it_is_read() {
    let names: Vec<String> = samples()
        .iter()
        .map(|sample| sample.as_object().unwrap().keys().next().unwrap().clone())
        .collect();
    assert_eq!(names, Success::NAMES, "there is a sample of each");
    for sample in samples() {
        let condition: Success = serde_json::from_value(sample.clone()).unwrap();
        assert_eq!(serde_json::to_value(&condition).unwrap(), sample);
    }
}

#[test]
fn every_condition_says_in_words_what_it_is_and_which_objects_it_names() {
    for (sample, name) in samples().into_iter().zip(Success::NAMES) {
        let condition: Success = serde_json::from_value(sample.clone()).unwrap();
        let text = condition.to_string();
        assert!(text.starts_with(&format!("{name}(")), "{text}");
        let named = condition.objects();
        let in_text = |id: &&regrasp_api::ObjectId| text.contains(id.as_str());
        assert!(named.iter().all(in_text), "{named:?} in {text}");
        let moved = condition.moved();
        let are_named = moved.iter().all(|id| named.contains(id));
        assert!(are_named, "{moved:?} of {named:?}");
    }
}

#[test]
fn a_list_is_all_of_its_conditions_and_an_unknown_name_is_refused() {
    let released = json!({ "released": {} });
    let list: Success = serde_json::from_value(json!([released])).unwrap();
    let all: Success = serde_json::from_value(json!({ "all": [released] })).unwrap();
    assert_eq!(list, all);
    let unknown = serde_json::from_value::<Success>(json!({ "relased": {} })).unwrap_err();
    assert!(unknown.to_string().contains("`relased`"), "{unknown}");
}

#[test]
fn conditions_of_which_one_denies_another_do_not_fit() {
    let ids = ["a", "b", "c"].map(ObjectId::new);
    let on = |object: &str, target: &str| json!({ "on": { "object": object, "target": target } });
    let at = |object: &str, x: f64| json!({ "at": { "object": object, "point": [x, 0.0, 0.0], "tolerance_m": 0.02 } });
    let in_it = json!({ "in": { "object": "b", "target": "a" } });
    let upon = |object: &str, target: &str| json!({ "upon": { "object": object, "target": target, "within_m": 0.03 } });
    for (conditions, said) in [
        (json!([on("a", "b"), on("b", "c"), on("a", "c")]), ""),
        (json!([{ "any": [on("a", "b"), on("b", "a")] }]), ""),
        (json!([on("a", "b"), on("b", "a")]), "on(a, b) and on(b, a)"),
        (
            json!([on("a", "b"), { "all": [in_it] }]),
            "on(a, b) and in(b, a)",
        ),
        (json!([at("a", 0.4), at("b", 0.5), at("a", 0.41)]), ""),
        (
            json!([at("a", 0.4), at("a", 0.5)]),
            "at(a, 0.400, 0.000, 0.000) and at(a",
        ),
        (
            json!([on("a", "b"), { "held_for": { "seconds": 1, "condition": [on("b", "c"), on("c", "a")] } }]),
            "on(b, c) and on(c, a)",
        ),
        (
            json!({ "predicates": [upon("a", "b"), upon("b", "a")] }),
            "on(b, a)",
        ),
        (
            json!([on("a", "b"), { "not": on("a", "b") }]),
            "not(on(a, b))",
        ),
    ] {
        let condition: Success = serde_json::from_value(conditions.clone()).unwrap();
        let known = Known {
            objects: ids.iter().collect(),
            ..Known::default()
        };
        match (condition.fitted(known), said) {
            (fitted, "") => assert!(fitted.is_ok(), "{conditions}"),
            (fitted, said) => {
                let told = format!("{:?}", fitted.unwrap_err().mistake);
                assert!(told.contains(said) && told.contains("same time"), "{told}");
            }
        }
    }
}

/// A relation of a thing to itself would hold never, or always.
#[test]
fn a_condition_on_a_thing_and_itself_does_not_fit() {
    let [a, b] = ["a", "b"].map(ObjectId::new);
    for mut sample in [
        json!({ "on": { "object": "a", "target": "b" } }),
        json!({ "in": { "object": "a", "target": "b" } }),
        json!({ "touching": { "object": "a", "target": "b" } }),
        json!({ "apart": { "object": "a", "target": "b", "dz_m": [0.0, 0.1] } }),
    ] {
        let known = || Known {
            objects: vec![&a, &b],
            ..Known::default()
        };
        let fits = |sample: &Value| {
            let condition: Success = serde_json::from_value(sample.clone()).unwrap();
            condition.fitted(known()).is_ok()
        };
        assert!(fits(&sample), "{sample}");
        let fields = sample.as_object_mut().unwrap().values_mut().next().unwrap();
        fields["target"] = json!("a");
        assert!(!fits(&sample), "{sample}");
    }
}
