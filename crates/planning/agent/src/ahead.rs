//! Telling a call what comes next, where its skill wants to know.

use regrasp_api::{PlanStep, SkillCall, SkillSpec};
use serde_json::{Map, Value, json};

/// The argument by which a skill asks for the call that follows.
const THEN: &str = "then";

/// Fills in the argument `then` of every call whose skill has it and whose planner left it out,
/// from the call after it: a grasp can be chosen by what will be done with the object. Planners
/// need not know of it.
pub(crate) fn look_ahead(steps: &mut [PlanStep], skills: &[SkillSpec]) {
    for i in 1..steps.len() {
        let (before, after) = steps.split_at_mut(i);
        let (call, next) = (&mut before[i - 1].call, &after[0].call);
        let spec = skills.iter().find(|spec| spec.name == call.skill);
        let then = spec.and_then(|spec| told(&spec.args_schema, next));
        if let (Some(then), Some(args)) = (then, call.args.as_object_mut()) {
            args.entry(THEN).or_insert(then);
        }
    }
}

/// The next call in the words of the schema; `None` where that has none for it.
fn told(schema: &Value, next: &SkillCall) -> Option<Value> {
    let then = schema["properties"].get(THEN)?;
    let variant = variants(then, schema)
        .into_iter()
        .find(|v| v["properties"]["skill"]["const"] == next.skill.as_str())?;
    // What the schema has no word for (how high a place is) is for the next call itself.
    let knows = |name: &String| variant["properties"].get(name).is_some();
    let args = next.args.as_object()?.iter();
    let mut told: Map<String, Value> = args
        .filter(|(name, _)| knows(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    told.insert("skill".into(), json!(next.skill));
    let required = variant["required"].as_array()?.iter();
    let has_all = required
        .filter_map(Value::as_str)
        .all(|r| told.contains_key(r));
    has_all.then_some(Value::Object(told))
}

/// What a schema may stand for, references followed.
fn variants<'a>(part: &'a Value, root: &'a Value) -> Vec<&'a Value> {
    let name = part["$ref"].as_str();
    let target = name.and_then(|name| root.pointer(name.strip_prefix('#')?));
    let choices = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|k| part[*k].as_array());
    let inner: Vec<&Value> = target.into_iter().chain(choices.flatten()).collect();
    match inner.is_empty() {
        true => vec![part],
        false => inner.iter().flat_map(|part| variants(part, root)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As schemars writes it: a choice behind a reference, or nothing.
    fn skill() -> SkillSpec {
        SkillSpec {
            name: "pick".into(),
            description: String::new(),
            args_schema: json!({
                "properties": {
                    "object": { "type": "string" },
                    "then": { "anyOf": [{ "$ref": "#/$defs/Then" }, { "type": "null" }] },
                },
                "$defs": { "Then": { "oneOf": [
                    { "required": ["skill", "x"],
                      "properties": { "skill": { "const": "place_at" }, "x": {} } },
                    { "required": ["skill", "target"],
                      "properties": { "skill": { "const": "place_on" }, "target": {} } },
                ] } },
            }),
            claims: vec![],
            hand: regrasp_api::HandUse::Takes,
            mends: vec![],
            operators: &[],
        }
    }

    fn told_to_pick(next: SkillCall) -> Value {
        let pick = SkillCall::new("pick", json!({ "object": "cube" }));
        let mut steps: Vec<PlanStep> = vec![pick.into(), next.into()];
        look_ahead(&mut steps, &[skill()]);
        steps[0].call.args.clone()
    }

    #[test]
    fn a_pick_is_told_what_follows_as_far_as_it_has_words_for_it() {
        let point = SkillCall::new("place_at", json!({ "x": 0.5, "z": 0.1 }));
        assert_eq!(
            told_to_pick(point)["then"],
            json!({ "skill": "place_at", "x": 0.5 })
        );
        let on = SkillCall::new("place_on", json!({ "target": "plate" }));
        assert_eq!(told_to_pick(on)["then"]["target"], "plate");
        for unknown in [
            SkillCall::new("home", json!({})),
            SkillCall::new("place_on", json!({})),
        ] {
            assert_eq!(told_to_pick(unknown), json!({ "object": "cube" }));
        }
    }

    #[test]
    fn what_the_planner_said_itself_stays() {
        let args = json!({ "object": "cube", "then": { "skill": "place_at", "x": 0.1 } });
        let next = SkillCall::new("place_on", json!({ "target": "plate" }));
        let mut steps: Vec<PlanStep> =
            vec![SkillCall::new("pick", args.clone()).into(), next.into()];
        look_ahead(&mut steps, &[skill()]);
        assert_eq!(steps[0].call.args, args);
    }
}
