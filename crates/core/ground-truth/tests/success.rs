//! Success conditions survive a round trip through files.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use regrasp_api::ObjectId;
use regrasp_ground_truth::{Known, Success};
use serde_json::{Value, json};

fn samples() -> Vec<Value> {
    serde_json::from_str(include_str!("data/conditions.json")).unwrap()
}

#[test]
fn every_condition_is_written_as_it_is_read() {
    let name = |sample: &Value| sample.as_object().unwrap().keys().next().unwrap().clone();
    let names: Vec<String> = samples().iter().map(name).collect();
    assert_eq!(
        names,
        Success::NAMES,
        "each condition has one sample, in order"
    );
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
    let cases = include_str!("data/conflicts.json");
    for (conditions, expected) in serde_json::from_str::<Vec<(Value, &str)>>(cases).unwrap() {
        let condition: Success = serde_json::from_value(conditions.clone()).unwrap();
        let known = Known {
            objects: ids.iter().collect(),
            ..Known::default()
        };
        match (condition.fitted(known), expected) {
            (fitted, "") => assert!(fitted.is_ok(), "{conditions}"),
            (fitted, expected) => {
                let text = format!("{:?}", fitted.unwrap_err().mistake);
                let is_told = text.contains(expected) && text.contains("same time");
                assert!(is_told, "{text}");
            }
        }
    }
}

/// A relation of an object to itself would hold always or never.
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
