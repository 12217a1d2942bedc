//! The JSON data block of a request: everything that comes from the scene, from sensors or from
//! skills.

use regrasp_api::{
    CompletedStep, Goal, GoalStatus, NEXT_CALL, PerceivedObject, PlanRequest, PriorAttempt,
    SceneImage, SkillCall,
};
use regrasp_relations::{Evidence, InHand, members_in, objects_on};
use serde_json::{Value, json};

use crate::{MAX_LABEL, Names, clean, json_line};

/// Largest number of objects in a request.
const MAX_OBJECTS: usize = 100;
/// Largest number of completed and of planned steps; of the completed ones, the last are kept.
const MAX_HISTORY: usize = 20;
/// Largest number of failures, of which the last are kept.
const MAX_FAILURES: usize = 8;
/// Largest number of similar cases.
const MAX_CASES: usize = 8;
/// Largest number of entries in a list of an object or of a failure.
const MAX_PARTS: usize = 12;
/// Largest number of satisfied goals that are listed individually.
const MAX_MET: usize = 1;

const CAMERA_CONVENTION: &str = "world_from_camera: 3 rows of a rotation and, in the fourth \
column, the camera's place in metres. In the camera's own frame z points forward, x right and y \
down; a point (X, Y, Z) in it is seen at column fx X / Z + cx and row fy Y / Z + cy, counted from \
the middle of the upper left pixel.";

/// Formats the data block: a JSON object with one list entry per line.
pub(crate) fn block(
    request: &PlanRequest<'_>,
    goals: &[Goal],
    names: &Names,
    images: &[SceneImage],
) -> String {
    let data = Data { request, names };
    let mut sections = vec![
        ("robot", json_line(&data.robot())),
        ("objects", list(data.objects(images))),
    ];
    let left_out = request.percept.objects.len().saturating_sub(MAX_OBJECTS);
    if left_out > 0 {
        sections.push(("objects_left_out", left_out.to_string()));
    }
    if !images.is_empty() {
        sections.push(("cameras", list(images.iter().map(camera).collect())));
        sections.push(("camera_convention", json_line(&json!(CAMERA_CONVENTION))));
    }
    let lists = [
        ("goal", data.goals(goals)),
        ("completed", data.completed()),
        ("failures", data.failures()),
        ("not_begun", data.not_begun()),
        ("similar_cases", data.similar_cases()),
    ];
    for (name, entries) in lists {
        if !entries.is_empty() {
            sections.push((name, list(entries)));
        }
    }
    let sections = sections
        .iter()
        .map(|(name, text)| format!("\"{name}\": {text}"));
    format!("{{{}}}", sections.collect::<Vec<_>>().join(",\n "))
}

fn list(entries: Vec<Value>) -> String {
    let entries: Vec<_> = entries.iter().map(json_line).collect();
    format!("[\n  {}]", entries.join(",\n  "))
}

fn point(point: impl IntoIterator<Item = f64>) -> Vec<f64> {
    point.into_iter().map(|x| to_decimals(x, 3)).collect()
}

fn last<T>(all: &[T], n: usize) -> &[T] {
    &all[all.len().saturating_sub(n)..]
}

/// Rounds to `n` decimals, without negative zero.
fn to_decimals(value: f64, n: i32) -> f64 {
    let factor = 10_f64.powi(n);
    (value * factor).round() / factor + 0.0
}

fn camera(image: &SceneImage) -> Value {
    let i = &image.view.intrinsics;
    let matrix = image.view.world_from_camera.to_homogeneous();
    let row = |r: usize| -> Vec<f64> { (0..4).map(|c| to_decimals(matrix[(r, c)], 4)).collect() };
    json!({
        "name": clean(&image.view.name, MAX_LABEL),
        "width": i.width,
        "height": i.height,
        "fx": to_decimals(i.fx, 2),
        "fy": to_decimals(i.fy, 2),
        "cx": to_decimals(i.cx, 2),
        "cy": to_decimals(i.cy, 2),
        "world_from_camera": [row(0), row(1), row(2)],
    })
}

/// Returns true if a name contains a word: `red_cube` contains "red" and "cube".
pub(crate) fn says(name: &str, word: &str) -> bool {
    let mut words = name.split(['_', '-', '.']);
    word.split_whitespace()
        .all(|part| words.any(|w| w.eq_ignore_ascii_case(part)))
}

/// Judges a goal. The agent perceives the scene before it asks, so the request is current.
pub(crate) fn judged(request: &PlanRequest<'_>, goal: &Goal) -> GoalStatus {
    let evidence = Evidence {
        percept: request.percept,
        observation: request.observation,
        hand: &InHand::as_found(request.held),
        moving: &[],
        robot: request.robot,
    };
    evidence.judge(goal)
}

struct Data<'a> {
    request: &'a PlanRequest<'a>,
    names: &'a Names,
}

impl Data<'_> {
    fn robot(&self) -> Value {
        let base = self.request.observation.world_from_base.translation.vector;
        let held = self.request.held.map(|held| self.names.name(&held.id));
        json!({
            "holding": held,
            "base": point(base.iter().copied()),
            "reach": to_decimals(self.request.robot.reach_m, 3),
            "hand_opens_to": to_decimals(self.request.robot.gripper.max_width_m, 3),
        })
    }

    fn objects(&self, images: &[SceneImage]) -> Vec<Value> {
        let objects = self.request.percept.objects.iter().take(MAX_OBJECTS);
        objects.map(|object| self.object(object, images)).collect()
    }

    fn object(&self, object: &PerceivedObject, images: &[SceneImage]) -> Value {
        let percept = self.request.percept;
        let names = |objects: Vec<&PerceivedObject>| {
            let names = objects.into_iter().take(MAX_PARTS);
            names.map(|o| self.names.name(&o.id)).collect::<Vec<_>>()
        };
        let below = percept.objects.iter();
        let below = below.filter(|other| regrasp_relations::is_supported_by(object, other));
        let marks = images.iter().flat_map(|image| &image.marks);
        let mark = marks.into_iter().find(|(_, id)| **id == object.id);
        let name = self.names.name(&object.id);
        let mut entry = json!({
            "name": name,
            "at": point(object.position().iter().copied()),
            "size": point(object.aabb_in_world().size().iter().copied()),
        });
        // Kind and colour are left out if the name already contains them.
        let kind = Some(&object.category).filter(|kind| !says(&name, kind));
        let color = object.color.as_ref().filter(|color| !says(&name, color));
        for (key, word) in [("kind", kind), ("color", color)] {
            if let Some(word) = word {
                entry[key] = json!(clean(word, MAX_LABEL));
            }
        }
        if !object.movable {
            entry["fixed"] = json!(true);
        }
        let (below, above) = (names(below.collect()), names(objects_on(percept, object)));
        for (key, names) in [("on", below), ("carries", above)] {
            if !names.is_empty() && (key == "on" || object.movable) {
                entry[key] = json!(names);
            }
        }
        let small = percept.groups.iter().filter_map(|group| {
            let n = members_in(group, object).len();
            (n > 0).then(|| format!("{n} of {}", clean(group.id.as_str(), MAX_LABEL)))
        });
        let small: Vec<_> = small.take(MAX_PARTS).collect();
        if !small.is_empty() {
            entry["contains"] = json!(small);
        }
        if let Some((number, _)) = mark {
            entry["mark"] = json!(number);
        }
        entry
    }

    fn goals(&self, goals: &[Goal]) -> Vec<Value> {
        let entry = |goal: &Goal| {
            let text = self.names.sentence(&goal.to_string());
            match judged(self.request, goal) {
                GoalStatus::Met => json!({ "goal": text, "holds": true }),
                GoalStatus::Unmet(why) => {
                    json!({ "goal": text, "holds": false, "why_not": self.names.sentence(&why) })
                }
            }
        };
        let holds = |goal: &&Goal| judged(self.request, goal).is_met();
        let (met, unmet): (Vec<_>, Vec<_>) = goals.iter().partition(holds);
        let shown = unmet.iter().chain(met.iter().take(MAX_MET));
        let mut entries: Vec<Value> = shown.map(|goal| entry(goal)).collect();
        // Most satisfied goals say that an object stays in place. There may be many, so the rest is
        // only counted.
        let n_more = met.len().saturating_sub(MAX_MET);
        if n_more > 0 {
            entries.push(json!({ "more_that_hold": n_more }));
        }
        entries
    }

    fn completed(&self) -> Vec<Value> {
        let entry = |step: &CompletedStep| {
            let mut entry = self.call(&step.call);
            entry["result"] = json!(self.names.sentence(&step.result.reason_detail));
            entry
        };
        let steps = last(self.request.completed, MAX_HISTORY);
        steps.iter().map(entry).collect()
    }

    fn failures(&self) -> Vec<Value> {
        let failures = last(self.request.attempts, MAX_FAILURES).iter();
        failures.map(|attempt| self.failure(attempt)).collect()
    }

    fn failure(&self, attempt: &PriorAttempt) -> Value {
        let measured = attempt.measured.iter().take(MAX_PARTS).map(|figure| {
            json!({
                "name": clean(&figure.name, MAX_LABEL),
                "value": figure.value,
                "limit": figure.limit,
                "unit": clean(&figure.unit, MAX_LABEL),
            })
        });
        let about = attempt.entities.iter().take(MAX_PARTS);
        let about: Vec<_> = about.map(|id| self.names.name(id)).collect();
        let hints = attempt.hints.iter().take(MAX_PARTS);
        let hints: Vec<_> = hints.map(|hint| self.names.sentence(hint)).collect();
        let reflection = &attempt.reflection;
        // If there are calls that repair the failure, the end of the prompt lists them instead.
        let suggestion = match self.request.repair {
            None => json!(self.names.sentence(&reflection.suggested_change)),
            Some(_) => Value::Null,
        };
        let skill = clean(attempt.skill().unwrap_or_default(), MAX_LABEL);
        let no_call = || json!({ "skill": skill, "arguments": {} });
        let mut entry = attempt.call().map_or_else(no_call, |call| self.call(call));
        entry["reason"] = json!(clean(attempt.reason.slug(), MAX_LABEL));
        entry["detail"] = json!(self.names.sentence(&attempt.reason_detail));
        let more = [
            ("about", json!(about)),
            ("measured", json!(measured.collect::<Vec<_>>())),
            ("hints", json!(hints)),
            ("cause", json!(self.names.sentence(&reflection.root_cause))),
            ("suggestion", suggestion),
        ];
        let says_something =
            |value: &Value| !value.is_null() && *value != json!("") && *value != json!([]);
        for (key, value) in more {
            if says_something(&value) {
                entry[key] = value;
            }
        }
        if attempt.world_changed {
            entry["something_moved"] = json!(true);
        }
        entry
    }

    /// Describes a call without the field that the engine fills in.
    fn call(&self, call: &SkillCall) -> Value {
        let mut args = call.args.clone();
        if let Some(fields) = args.as_object_mut() {
            fields.remove(NEXT_CALL);
        }
        json!({
            "skill": clean(&call.skill, MAX_LABEL),
            "arguments": self.names.value(&args),
        })
    }

    fn not_begun(&self) -> Vec<Value> {
        let steps = self.request.remaining.iter().take(MAX_HISTORY);
        steps.map(|step| self.call(&step.call)).collect()
    }

    fn similar_cases(&self) -> Vec<Value> {
        let cases = self.request.past_cases.iter().take(MAX_CASES);
        let entry = |case: &regrasp_api::PastCase| {
            json!({
                "reason": clean(case.reason.slug(), MAX_LABEL),
                "skill": clean(&case.skill, MAX_LABEL),
                "task": self.names.sentence(&case.task),
                "what_was_done": self.names.sentence(&case.fix),
                "times_tried": case.n_tried,
                "times_it_helped": case.n_worked,
            })
        };
        cases.map(entry).collect()
    }
}
