//! Request for a goal: the relations, the objects, the command, and a schema with the names in the
//! scene.

use std::collections::BTreeMap;

use regrasp_api::{ObjectId, ObjectJoint, PerceivedObject, PlanRequest};
use regrasp_chat::{AnswerFormat, ChatRequest};
use regrasp_relations::{footprints_overlap, is_supported_by};
use serde_json::{Value, json};

use crate::data::says;
use crate::names::Names;
use crate::text::{MAX_LABEL, clean};

/// Longest answer, tokens: a dozen facts.
const MAX_ANSWER: u32 = 400;
/// Largest number of facts in one goal.
pub(super) const MAX_FACTS: usize = 12;
/// Largest gap between objects that are listed as near each other, m.
const NEAR_M: f64 = 0.12;
/// Largest number of objects that are listed as near another.
const MAX_NEAR: usize = 2;

/// Relations that a model may use.
pub(super) const RELATIONS: &[&str] = &[
    "on",
    "in",
    "beside",
    "against",
    "under",
    "left_of",
    "right_of",
    "in_front_of",
    "behind",
    "between",
    "swapped",
    "poured",
    "inserted",
    "holding",
    "upright",
    "pressed",
    "open",
    "closed",
];

/// Instructions and examples. Small models need two things here. Without a list of things in an
/// example they describe the scene instead of the command, and without stating first what the
/// command means they find the wrong facts. Keys are in alphabetical order, because requests are
/// sent in this order and servers that enforce a schema generate them so.
const SYSTEM: &str = r#"Say what holds when a command for a robot arm is done: `command`, the command in plain words, then `facts` of these forms:
on, in, beside, against, under, left_of, right_of, in_front_of, behind (A, B): A is put there
between(A, B, C): A is put between B and C
swapped(A, B): they change places
poured(A, B): from A into B
inserted(A, B): A is plugged into B
holding(A): A is lifted
upright(A): A stands up
pressed(A): a button
open(A), closed(A): a drawer, door or lid; of a switch on, off
A, B and C are names of listed things. Say all that the command asks for and nothing else.

Things:
cup: white; on shelf
shelf
tray: near chest
chest
chest_lid: part of chest; opens, is open
lamp
lamp_switch: part of lamp; switch, off
doll: pink
Command: Could you pop the mug onto the server?
{"command": "put the cup on the tray", "facts": ["on(cup, tray)"], "outcome": "goal"}
Command: Hide the toy away in the trunk and let nobody look in.
{"command": "put the doll in the chest and close its lid", "facts": ["in(doll, chest)", "closed(chest_lid)"], "outcome": "goal"}
Command: I need some light.
{"command": "turn on the lamp", "facts": ["open(lamp_switch)"], "outcome": "goal"}
Command: Put it over there.
{"command": "put something somewhere", "facts": [], "outcome": "unclear", "why": "It is not said what."}"#;

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
        system: SYSTEM.into(),
        user: format!(
            "Things:\n{}\nCommand: {}{}",
            lines.join("\n"),
            names.sentence(request.task),
            answers.collect::<String>()
        ),
        format: Some(AnswerFormat {
            name: "goal".into(),
            schema: schema(request, names),
        }),
        max_tokens: MAX_ANSWER,
        ..ChatRequest::default()
    }
}

/// A scene in words.
struct Described<'a> {
    request: &'a PlanRequest<'a>,
    names: &'a Names,
    /// Support of most objects, which is left out of the descriptions.
    ground: Option<&'a ObjectId>,
}

impl<'a> Described<'a> {
    fn new(request: &'a PlanRequest<'a>, names: &'a Names) -> Self {
        let objects = &request.percept.objects;
        let mut carried: BTreeMap<&ObjectId, usize> = BTreeMap::new();
        for object in objects {
            for below in supports(request, object) {
                *carried.entry(&below.id).or_default() += 1;
            }
        }
        let ground = carried.into_iter().max_by_key(|(_, n)| *n);
        Self {
            request,
            names,
            ground: ground.filter(|(_, n)| *n > 1).map(|(id, _)| id),
        }
    }

    /// Describes an object: its name, properties that the name does not contain, its support, and
    /// nearby objects.
    fn line(&self, object: &PerceivedObject) -> String {
        let request = self.request;
        let name = self.names.name(&object.id);
        let words = [object.color.as_ref(), Some(&object.category)];
        let words = words
            .into_iter()
            .flatten()
            .filter(|word| !says(&name, word));
        let mut told: Vec<String> = vec![];
        let kind: Vec<_> = words.map(|word| clean(word, MAX_LABEL)).collect();
        told.extend((!kind.is_empty()).then(|| kind.join(" ")));
        let named = |id: &ObjectId| self.names.name(id);
        let known = request.percept.known.iter();
        let known = known.filter(|known| known.object == object.id);
        for known in known {
            told.extend(
                known
                    .part_of
                    .iter()
                    .map(|of| format!("part of {}", named(of))),
            );
            let places = known.zones.iter().map(|zone| clean(&zone.name, MAX_LABEL));
            let places: Vec<_> = places.map(|place| format!("{name}.{place}")).collect();
            told.extend((!places.is_empty()).then(|| format!("has {}", places.join(", "))));
        }
        let joints = request.percept.joints.iter();
        let joints: Vec<_> = joints.filter(|j| j.child == object.id).collect();
        // A part is where its whole is.
        if let [joint, ..] = joints.as_slice() {
            told.push(state(joint).to_owned());
            return format!("{name}: {}", told.join("; "));
        }
        let below = supports(request, object).find(|below| Some(&below.id) != self.ground);
        told.extend(below.map(|below| format!("on {}", named(&below.id))));
        let near: Vec<_> = self.near(object).iter().map(|o| named(&o.id)).collect();
        told.extend((!near.is_empty()).then(|| format!("near {}", near.join(" and "))));
        match told.is_empty() {
            true => name,
            false => format!("{name}: {}", told.join("; ")),
        }
    }

    /// Returns the nearest objects beside a movable one, nearest first.
    fn near(&self, object: &PerceivedObject) -> Vec<&'a PerceivedObject> {
        let others = self.request.percept.objects.iter().filter(|other| {
            let joints = &self.request.percept.joints;
            object.movable
                && !joints.iter().any(|joint| joint.child == other.id)
                && other.id != object.id
                && Some(&other.id) != self.ground
                && !is_supported_by(object, other)
                && !is_supported_by(other, object)
                && footprints_overlap(object, other, NEAR_M)
        });
        let away = |other: &PerceivedObject| (other.position() - object.position()).norm();
        let mut others: Vec<_> = others.collect();
        others.sort_by(|a, b| away(a).total_cmp(&away(b)));
        others.truncate(MAX_NEAR);
        others
    }
}

/// Returns the supports of an object; none for an object that is fixed or on a joint.
fn supports<'a>(
    request: &'a PlanRequest<'_>,
    object: &'a PerceivedObject,
) -> impl Iterator<Item = &'a PerceivedObject> {
    let joints = &request.percept.joints;
    let is_whole = object.movable && !joints.iter().any(|joint| joint.child == object.id);
    let objects = request.percept.objects.iter();
    objects.filter(move |below| is_whole && is_supported_by(object, below))
}

/// State of an object on a joint, in words.
fn state(joint: &ObjectJoint) -> &'static str {
    let is_open = joint.is_open();
    match (joint.presses.is_some(), joint.is_set()) {
        (true, _) => "button",
        (false, true) if is_open => "switch, on",
        (false, true) => "switch, off",
        (false, false) if is_open => "opens, is open",
        (false, false) => "opens, is closed",
    }
}

/// Returns all names that may occur in a fact: objects and places of objects.
fn things(request: &PlanRequest<'_>, names: &Names) -> Vec<String> {
    let places = request.percept.known.iter().flat_map(|known| {
        let whole = names.name(&known.object);
        let zones = known.zones.iter();
        zones.map(move |zone| format!("{whole}.{}", zone.name))
    });
    names.all().into_iter().chain(places).collect()
}

/// Returns the schema of an answer. Each list of names costs tokens, so the number of arguments of
/// a fact is not in the schema but checked when the answer is parsed.
fn schema(request: &PlanRequest<'_>, names: &Names) -> Value {
    let escaped = |name: String| name.replace('.', "\\.");
    let things = things(request, names).into_iter().map(escaped);
    let things = things.collect::<Vec<_>>().join("|");
    let relations = RELATIONS.join("|");
    let fact = format!("^({relations})\\(({things})(, ({things})){{0,2}}\\)$");
    let text = || json!({ "type": "string" });
    let fields = [
        ("command", text()),
        (
            "facts",
            json!({
                "type": "array",
                "maxItems": MAX_FACTS,
                "items": { "type": "string", "pattern": fact }
            }),
        ),
        (
            "outcome",
            json!({ "type": "string", "enum": ["goal", "unclear", "impossible"] }),
        ),
        ("why", text()),
    ];
    let fields = fields.map(|(name, schema)| (name.to_owned(), schema));
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["command", "facts", "outcome"],
        "properties": serde_json::Map::from_iter(fields)
    })
}
