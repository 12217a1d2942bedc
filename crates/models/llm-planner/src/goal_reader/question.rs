//! Request for a goal: the forms of steps, the objects, the command, and a schema with the names in
//! the scene.

use regrasp_api::{ObjectId, ObjectJoint, PerceivedObject, PlanRequest};
use regrasp_chat::{AnswerFormat, ChatRequest};
use serde_json::{Value, json};

use super::described::Described;
use super::words::Text;
use crate::names::Names;

/// Longest answer, tokens: a dozen steps.
const MAX_ANSWER: u32 = 400;
/// Largest number of steps in one answer.
pub(super) const MAX_STEPS: usize = 12;
/// Longest quotation of the command in an answer, characters.
const MAX_PART: usize = 120;
/// Forms of steps with A, B and C for things, which the grammar reads.
const FORMS: &str = "put A on B; put A in B; put A beside B; put A against B; put A under B; put A left of B; \
                     put A right of B; put A in front of B; put A behind B; put A between B and C; \
                     swap A and B; pour A into B; plug A into B; lift A; stand up A; press A; open A; \
                     close A; turn on A; turn off A";

/// Instructions and examples; the forms of steps stand between them. Small models need three things
/// here: steps in words rather than a notation, an example with a list of things (without one they
/// describe the scene instead of the command), and a quotation before each step (without it they
/// leave parts of the command out). Keys are in alphabetical order, because requests are sent in
/// this order and servers that enforce a schema generate them so.
const TASK: &str = "Translate a command for a robot arm into steps. Go through it part by part: \
                    `part` quotes it, `step` is what it asks for, with names of listed things. A \
                    part that only says which thing is meant, or why, asks for no step. Forms of \
                    steps:";
const EXAMPLES: &str = r#"Things:
cup: white; on shelf
mug: blue; on tray
shelf
tray: near chest
chest
chest_lid: part of chest; opens, is open
doll: pink
Command: Could you pop the white mug onto the server? It stands on the shelf.
{"steps": [{"part": "pop the white mug onto the server", "step": "put cup on tray"}]}
Command: Hide the toy away in the trunk and let nobody look in.
{"steps": [{"part": "Hide the toy away in the trunk", "step": "put doll in chest"}, {"part": "let nobody look in", "step": "close chest_lid"}]}
Command: All cups belong in the chest.
{"steps": [{"part": "All cups", "step": "put cup in chest"}, {"part": "All cups", "step": "put mug in chest"}]}
Command: Put it over there.
{"steps": [], "why": "It is not said what."}"#;

/// Returns the request, with the objects in their own order or the opposite one.
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

/// Returns the schema of an answer, in which each verb takes things that it can be done to. Small
/// models like to put things on the ground, so it is offered only if the command has a word for it.
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
        "(put|swap|pour|plug) {} (on|in|beside|against|under|left of|right of|in front of|behind|and|into|between \
         {targets} and) {targets}|(lift|stand up)",
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
    let step = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["part", "step"],
        "properties": {
            "part": { "type": "string", "maxLength": MAX_PART },
            "step": { "type": "string", "pattern": format!("^({})$", forms.join("|")) },
        }
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["steps"],
        "properties": {
            "steps": { "type": "array", "maxItems": MAX_STEPS, "items": step },
            "why": { "type": "string" },
        }
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
