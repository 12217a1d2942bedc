//! Request for a goal: forms of steps, objects, command, and a schema with the names in the scene.

use regrasp_api::{ObjectId, ObjectJoint, PerceivedObject, PlanRequest};
use regrasp_chat::{AnswerFormat, ChatRequest};
use regrasp_language::portions;
use serde_json::{Map, Value, json};

use super::described::Described;
use super::words::Text;
use crate::Names;

/// Longest answer, tokens.
const MAX_ANSWER: u32 = 400;
/// Largest number of portions of a command. With numbers of one digit, the alphabetical order in
/// which keys are sent is the order of the portions.
const MAX_PORTIONS: usize = 9;
/// Answer for a portion of the command that asks for no step.
pub(super) const NOTHING: &str = "nothing";
/// Forms of steps that the grammar parses; A, B and C stand for objects.
const FORMS: &str = "put A on, in, beside, against, under, left of, right of, in front of or behind B; \
                     put A between B and C; swap A and B; pour A into B; plug A into B; lift A; \
                     hold A; stand up A; press A; open A; close A; turn on A; turn off A";

/// Instructions and examples; the forms of steps stand between them. Small models need three things
/// here: steps in words rather than a notation, an example with a list of things (without one they
/// describe the scene instead of the command), and one step for each portion of the command: if
/// they may choose how many, they go on until the answer is full.
const TASK: &str = "Translate a command for a robot arm into steps. The command is cut into parts: \
                    for each, `step` is what it asks for, with names of listed things, or `nothing` \
                    if the part only says which thing is meant, or why. Forms of steps:";
const EXAMPLES: &str = r#"Things:
cup: white; on shelf
mug
shelf
tray
chest
chest_lid: part of chest; opens, is open
doll
Command: Could you pop the white mug onto the server? It stands on the shelf.
{"1": {"part": "Could you pop the white mug onto the server", "step": "put cup on tray"}, "2": {"part": "It stands on the shelf", "step": "nothing"}}
Command: Hide the toy away in the trunk and let nobody look in.
{"1": {"part": "Hide the toy away in the trunk and", "step": "put doll in chest"}, "2": {"part": "let nobody look in", "step": "close chest_lid"}}
Command: All cups belong in the chest.
{"1": {"part": "All cups belong in the chest", "step": "put cup and mug in chest"}}
Command: Put it over there.
{"1": {"part": "Put it over there", "step": "nothing"}, "why": "Put what?"}"#;

/// Returns the request, with the objects in the order of the percept or in reverse order.
pub(super) fn question(request: &PlanRequest<'_>, names: &Names, reversed: bool) -> ChatRequest {
    let scene = Described::new(request, names);
    let objects = request.percept.objects.iter();
    let mut lines: Vec<String> = objects.map(|object| scene.line(object)).collect();
    if reversed {
        lines.reverse();
    }
    let answers = request.answers.iter().map(|(question, answer)| {
        let (question, answer) = (names.sentence(question), names.sentence(answer));
        format!("\nAsked \"{question}\" the person said: {answer}")
    });
    ChatRequest {
        system: format!("{TASK} {FORMS}\n\n{EXAMPLES}"),
        user: format!(
            "Things:\n{}\nCommand: {}{}",
            lines.join("\n"),
            names.sentence(request.task),
            answers.collect::<String>()
        ),
        format: Some(AnswerFormat {
            name: "goal".into(),
            schema: schema(request, names, scene.ground),
        }),
        max_tokens: MAX_ANSWER,
        ..ChatRequest::default()
    }
}

/// Returns the schema of an answer, in which each verb takes only suitable objects. Small models
/// tend to put objects on the ground, so it is offered only if the command has a word for it.
fn schema(request: &PlanRequest<'_>, names: &Names, ground: Option<&ObjectId>) -> Value {
    let percept = request.percept;
    let joint_of = |object: &PerceivedObject| percept.joints.iter().find(|j| j.child == object.id);
    let named = |wanted: &dyn Fn(&PerceivedObject) -> bool| -> Vec<String> {
        let objects = percept.objects.iter().filter(|object| wanted(object));
        objects.map(|object| names.name(&object.id)).collect()
    };
    let on_joint =
        |wanted: fn(&ObjectJoint) -> bool| named(&|object| joint_of(object).is_some_and(wanted));
    let is_opened = |joint: &ObjectJoint| joint.presses.is_none() && !joint.is_set();
    let places = percept.known.iter().flat_map(|known| {
        let whole = names.name(&known.object);
        let zones = known.zones.iter();
        zones.map(move |zone| format!("{whole}.{}", zone.name))
    });
    let text = Text::new(request, names, "");
    let is_said =
        |object: &PerceivedObject| Some(&object.id) != ground || !text.fitting(object).is_empty();
    let targets = named(&|object| joint_of(object).is_none_or(is_opened) && is_said(object));
    let targets = any_of(targets.into_iter().chain(places));
    let movable = named(&|object| object.movable && joint_of(object).is_none());
    let moves = format!(
        "(put|swap|pour|plug) ({}( and)? )+(on|in|beside|against|under|left of|right of|in front of|behind|and|into|\
         between {targets} and) {targets}|(lift|hold|stand up)",
        any_of(movable.clone())
    );
    let forms = [
        (moves.as_str(), movable),
        ("(open|close)", on_joint(is_opened)),
        (
            "turn (on|off)",
            on_joint(|j| j.presses.is_none() && j.is_set()),
        ),
        ("press", on_joint(|j| j.presses.is_some())),
    ];
    let forms = forms.into_iter().filter(|(_, things)| !things.is_empty());
    let forms: Vec<_> = forms
        .map(|(verb, things)| format!("{verb} {}", any_of(things)))
        .collect();
    let step = json!({ "type": "string", "pattern": format!("^({NOTHING}|{})$", forms.join("|")) });
    let mut portions = portions(&names.sentence(request.task));
    let rest = portions
        .split_off(portions.len().min(MAX_PORTIONS - 1))
        .join(", ");
    portions.extend(Some(rest).filter(|rest| !rest.is_empty()));
    let answer = |part: &String| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["part", "step"],
            "properties": { "part": { "const": part }, "step": { "$ref": "#/$defs/step" } },
        })
    };
    let keys: Vec<_> = (1..=portions.len()).map(|n| n.to_string()).collect();
    let answers = keys.iter().cloned().zip(portions.iter().map(answer));
    let why = ("why".to_owned(), json!({ "type": "string" }));
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": keys,
        "properties": answers.chain([why]).collect::<Map<_, _>>(),
        "$defs": { "step": step },
    })
}

/// Returns a pattern for any of these names.
fn any_of(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<_> = names
        .into_iter()
        .map(|name| name.replace('.', "\\."))
        .collect();
    format!("({})", names.join("|"))
}
