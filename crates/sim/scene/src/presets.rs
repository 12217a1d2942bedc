//! Generated scene files to begin with: objects of built-in tasks in a chosen number.

use crate::error::hint;
use crate::source::Source;
use crate::yaml::{self, Entry, Node, Value};
use crate::{Result, RobotFile, Scene, SceneError, builtin_robot, scene_file, task_file};

#[derive(Debug)]
struct Preset {
    name: &'static str,
    about: &'static str,
    /// Task file below `assets` that provides the objects, placements and ranges.
    task: &'static str,
    /// Largest and default number of objects; `None` if the number is fixed.
    count: Option<ObjectCount>,
}

#[derive(Clone, Copy, Debug)]
struct ObjectCount {
    most: usize,
    usual: usize,
    /// Name of the limiting resource.
    why: &'static str,
}

const PRESETS: [Preset; 4] = [
    Preset {
        name: "clutter",
        about: "objects close together on a table",
        task: "tasks/clutter_pick.yaml",
        count: Some(ObjectCount {
            most: 36,
            usual: 12,
            why: "places on the table that the arm reaches",
        }),
    },
    Preset {
        name: "shelf",
        about: "objects in a shelf that is open at the front",
        task: "tasks/shelf_pick.yaml",
        count: Some(ObjectCount {
            most: 4,
            usual: 4,
            why: "places in the shelf",
        }),
    },
    Preset {
        name: "wall",
        about: "a cube in front of a wall and a plate behind it",
        task: "tasks/over_wall.yaml",
        count: None,
    },
    Preset {
        name: "bin",
        about: "cans in a bin, and an empty bin beside it",
        task: "tasks/robosuite/pick_place_can.yaml",
        count: Some(ObjectCount {
            most: 6,
            usual: 3,
            why: "cans that fit in the bin and leave room for a hand",
        }),
    },
];

/// Reason why a scene cannot be made, with the valid names or numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("make {0}")]
pub struct PresetError(String);

impl From<SceneError> for PresetError {
    fn from(error: SceneError) -> Self {
        Self(format!("the scene: {error}"))
    }
}

/// Returns the name and the description of every preset.
pub fn preset_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRESETS.iter().map(|preset| (preset.name, preset.about))
}

/// Returns the text of a scene file with `n` objects (the default number if `None`), placed as the
/// built-in task of that kind places them for a seed; seed 0 is the task's regular pattern. The
/// same arguments give the same text.
///
/// # Errors
///
/// [`PresetError`] for an unknown name or a number for which there is no room.
pub fn preset(name: &str, n: Option<usize>, seed: u64) -> Result<String, PresetError> {
    let preset = find(name)?;
    let n = number(preset, n)?;
    let source = Source::Builtin(preset.task.to_owned());
    let robot = builtin_robot()?;
    let mut root = yaml::parse(preset.task, &source.read()?)?;
    let unexpected = || {
        let task = preset.task;
        PresetError(format!(
            "the scene from the built-in file `{task}`: the file has an unexpected structure"
        ))
    };
    let ids = match preset.name {
        "clutter" => clutter(&mut root, n),
        "shelf" => first_ones(&mut root, n),
        "bin" => cans(&mut root, n),
        _ => Some(Vec::new()),
    };
    place_all(&mut root, &ids.ok_or_else(unexpected)?).ok_or_else(unexpected)?;
    let task = task_file::from_root(&source, &root, &robot)?;
    let placed = task.instantiate(seed)?.scene;
    let scene = settled(root, &placed).ok_or_else(unexpected)?;
    let made_by = match preset.count {
        Some(_) => format!("{name} --n {n} --seed {seed}"),
        None => format!("{name} --seed {seed}"),
    };
    let text = written(preset, &made_by, &scene).ok_or_else(unexpected)?;
    check(&text, &robot)?;
    Ok(text)
}

fn check(text: &str, robot: &RobotFile) -> Result<Scene> {
    let source = Source::Builtin("the new scene".to_owned());
    let root = yaml::parse(&source.name(), text)?;
    scene_file::parse(&source, &root, robot)?.baseline()
}

fn find(name: &str) -> Result<&'static Preset, PresetError> {
    let found = PRESETS.iter().find(|preset| preset.name == name);
    found.ok_or_else(|| {
        let hint = hint(name, preset_names().map(|(name, _)| name));
        PresetError(format!("the scene `{name}`{hint}"))
    })
}

fn number(preset: &'static Preset, n: Option<usize>) -> Result<usize, PresetError> {
    let name = preset.name;
    match (preset.count, n) {
        (None, None) => Ok(0),
        (None, Some(n)) => Err(PresetError(format!(
            "a {name} of {n} objects: the number of objects is fixed; omit it"
        ))),
        (Some(count), n) => {
            let n = n.unwrap_or(count.usual);
            if (1..=count.most).contains(&n) {
                return Ok(n);
            }
            let ObjectCount { most, why, .. } = count;
            Err(PresetError(format!(
                "a {name} of {n} objects: give a number from 1 to {most}, the number of {why}"
            )))
        }
    }
}

/// Distance between neighbours in a clutter, and x of its farthest row, m: both are the task's.
const STEP_M: f64 = 0.06;
const FURTHEST_X_M: f64 = 0.48;
/// Largest number of rows: the row nearest to the robot is still clear of the arm.
const MOST_ROWS: usize = 5;

/// Repeats the task's objects in other colours, on a grid that grows from the task's own row
/// towards the robot and to the sides. Returns their ids.
fn clutter(root: &mut Node, n: usize) -> Option<Vec<String>> {
    let objects = objects(root)?;
    let (table, catalogue) = objects.split_first()?;
    let colours = catalogue.iter().map(|o| text(o, "color"));
    let colours: Vec<String> = colours.collect::<Option<_>>()?;
    // Four columns and three rows for twelve objects; other numbers keep about that ratio.
    let columns = ((4.0 * n as f64 / 3.0).sqrt().ceil() as usize).max(n.div_ceil(MOST_ROWS));
    let mut entries: Vec<Node> = Vec::with_capacity(n);
    let mut ids: Vec<String> = Vec::with_capacity(n);
    for i in 0..n {
        let mut entry = catalogue.get(i % catalogue.len())?.clone();
        let noun = text(&entry, "id")?;
        let (_, noun) = noun.rsplit_once('_')?;
        // The catalogue's colour of this object, then of the next, and so on until the name is
        // unique.
        let mut turns = i / catalogue.len();
        let named = |turns: usize| {
            let colour = &colours[(i + turns) % colours.len()];
            (format!("{colour}_{noun}"), colour.clone())
        };
        while turns < 2 * colours.len() && ids.contains(&named(turns).0) {
            turns += 1;
        }
        let (id, colour) = named(turns);
        let (row, column) = (i / columns, i % columns);
        let x = FURTHEST_X_M - STEP_M * row as f64;
        let y = STEP_M * (0.5 * (columns - 1) as f64 - column as f64);
        set(&mut entry, "id", Value::Text(id.clone()));
        set(&mut entry, "color", Value::Text(colour));
        set(&mut entry, "xy", numbers(&[x, y]));
        ids.push(id);
        entries.push(entry);
    }
    entries.insert(0, table.clone());
    *objects = entries;
    Some(ids)
}

/// Keeps the first `n` of the objects that the task places. Returns their ids.
fn first_ones(root: &mut Node, n: usize) -> Option<Vec<String>> {
    let placed = ids_placed(root)?;
    let kept: Vec<String> = placed.iter().take(n).cloned().collect();
    let is_left_out = |id: &str| placed.iter().skip(n).any(|p| p == id);
    objects(root)?.retain(|o| text(o, "id").is_none_or(|id| !is_left_out(&id)));
    Some(kept)
}

const CAN_COLOURS: [&str; 6] = ["blue", "green", "yellow", "purple", "orange", "white"];
/// Distance between the centres of two cans, m: a can and two fingers.
const BETWEEN_CANS_M: f64 = 0.085;

fn cans(root: &mut Node, n: usize) -> Option<Vec<String>> {
    let objects = objects(root)?;
    let can = objects.pop()?;
    let mut ids = Vec::new();
    for (i, colour) in CAN_COLOURS.iter().take(n).enumerate() {
        let mut next = can.clone();
        let id = format!("{colour}_can");
        set(&mut next, "id", Value::Text(id.clone()));
        set(&mut next, "color", Value::Text((*colour).to_owned()));
        let (row, column) = ((i / 2) as f64, (i % 2) as f64);
        let xy = [0.05 + 0.1 * column, -0.35 + 0.1 * row];
        set(&mut next, "xy", numbers(&xy));
        objects.push(next);
        ids.push(id);
    }
    let entry = first_placement(root)?;
    set(entry, "min_separation_m", Value::Number(BETWEEN_CANS_M));
    // The generated scene drops the task's goal, but loading the task needs a goal with valid
    // names.
    let success = r#"[{lifted: {object: blue_can, min_height_m: 0.05}}]"#;
    let success = yaml::parse("success", success).ok()?;
    set(root, "success", success.value);
    Some(ids)
}

/// Applies the task's first placement to these objects; leaves it unchanged if there are none.
fn place_all(root: &mut Node, ids: &[String]) -> Option<()> {
    if ids.is_empty() {
        return Some(());
    }
    let entry = first_placement(root)?;
    if let Value::Map(entries) = &mut entry.value {
        entries.retain(|e| e.key != "object");
    }
    let words = ids.iter().map(|id| node(Value::Text(id.clone())));
    set(entry, "objects", Value::List(words.collect()));
    Some(())
}

/// Returns the scene of a task with every object at its drawn position.
fn settled(mut root: Node, placed: &Scene) -> Option<Node> {
    for object in objects(&mut root)? {
        let id = text(object, "id")?;
        let there = placed.objects.iter().find(|o| o.id.as_str() == id)?;
        if there.is_movable() || get(object, "on").is_some() {
            let at = there.world_from_object.translation.vector;
            let (_, _, yaw) = there.world_from_object.rotation.euler_angles();
            set(object, "xy", numbers(&[at.x, at.y]));
            if rounded(yaw) != 0.0 {
                set(object, "yaw_rad", Value::Number(rounded(yaw)));
            }
        }
    }
    get_mut(&mut root, "scene").cloned()
}

/// Writes a scene file with one object per line.
fn written(preset: &Preset, made_by: &str, scene: &Node) -> Option<String> {
    let (about, name) = (preset.about, preset.name);
    let mut text = format!("# {about}: made by `regrasp scene {made_by}`.\nname: {name}\n");
    let Value::Map(entries) = &scene.value else {
        return None;
    };
    for entry in entries.iter().filter(|e| e.key != "name") {
        match (&entry.node.value, entry.key.as_str()) {
            (Value::List(objects), "objects") => {
                text += "objects:\n";
                for object in objects {
                    text += &format!("  - {}\n", flow(&object.value));
                }
            }
            (value, key) => text += &format!("{key}: {}\n", flow(value)),
        }
    }
    Some(text)
}

fn flow(value: &Value) -> String {
    let list =
        |items: Vec<String>, [open, close]: [&str; 2]| format!("{open}{}{close}", items.join(", "));
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(x) => x.to_string(),
        Value::Text(text) => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text.chars().all(is_plain)
                && !["true", "false", "null"].contains(&text.to_lowercase().as_str());
            match is_word {
                true => text.clone(),
                false => serde_json::Value::from(text.as_str()).to_string(),
            }
        }
        Value::List(items) => list(items.iter().map(|n| flow(&n.value)).collect(), ["[", "]"]),
        Value::Map(entries) => {
            let entry = |e: &Entry| format!("{}: {}", e.key, flow(&e.node.value));
            list(entries.iter().map(entry).collect(), ["{", "}"])
        }
    }
}

/// Rounds to 0.1 mm and 0.1 mrad, which keeps the file easy to read.
fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4 + 0.0
}

fn numbers(list: &[f64]) -> Value {
    let number = |x: &f64| node(Value::Number(rounded(*x)));
    Value::List(list.iter().map(number).collect())
}

fn node(value: Value) -> Node {
    Node { line: 1, value }
}

fn get<'a>(map: &'a Node, key: &str) -> Option<&'a Node> {
    let Value::Map(entries) = &map.value else {
        return None;
    };
    let entry = entries.iter().find(|e| e.key == key)?;
    Some(&entry.node)
}

fn get_mut<'a>(map: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let Value::Map(entries) = &mut map.value else {
        return None;
    };
    let entry = entries.iter_mut().find(|e| e.key == key)?;
    Some(&mut entry.node)
}

fn text(map: &Node, key: &str) -> Option<String> {
    match &get(map, key)?.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn set(map: &mut Node, key: &str, value: Value) {
    if let Some(there) = get_mut(map, key) {
        there.value = value;
    } else if let Value::Map(entries) = &mut map.value {
        entries.push(Entry {
            key: key.to_owned(),
            line: map.line,
            node: Node {
                line: map.line,
                value,
            },
        });
    }
}

fn list_mut<'a>(map: &'a mut Node, key: &str) -> Option<&'a mut Vec<Node>> {
    match &mut get_mut(map, key)?.value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

fn objects(root: &mut Node) -> Option<&mut Vec<Node>> {
    list_mut(get_mut(root, "scene")?, "objects")
}

fn first_placement(root: &mut Node) -> Option<&mut Node> {
    list_mut(root, "placement")?.first_mut()
}

fn ids_placed(root: &mut Node) -> Option<Vec<String>> {
    let ids = list_mut(first_placement(root)?, "objects")?;
    let ids = ids.iter().map(|id| match &id.value {
        Value::Text(id) => Some(id.clone()),
        _ => None,
    });
    ids.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(text: &str) -> Vec<(String, [f64; 2])> {
        let scene = check(text, &builtin_robot().unwrap()).unwrap();
        let movable = scene.objects.iter().filter(|o| o.is_movable());
        let place = |o: &crate::SceneObject| {
            let at = o.world_from_object.translation;
            (o.id.to_string(), [at.x, at.y])
        };
        movable.map(place).collect()
    }

    #[test]
    fn every_number_of_things_has_room_and_every_thing_its_own_name() {
        for preset in &PRESETS {
            let numbers = match preset.count {
                None => vec![None],
                Some(t) => [1, 2, 3, t.usual, t.most].into_iter().map(Some).collect(),
            };
            for (n, seed) in numbers.into_iter().flat_map(|n| [(n, 0), (n, 3), (n, 11)]) {
                let text = super::preset(preset.name, n, seed);
                let text = text.unwrap_or_else(|e| panic!("{} {n:?} {seed}: {e}", preset.name));
                let all = positions(&text);
                assert!(n.is_none_or(|n| all.len() == n), "{n:?}: {text}");
                let again = super::preset(preset.name, n, seed);
                assert_eq!(again, Ok(text), "the same arguments gave another text");
            }
        }
    }

    #[test]
    fn seeds_differ_and_twelve_stand_as_in_the_task() {
        let three = preset("clutter", None, 3).unwrap();
        let four = preset("clutter", None, 4).unwrap();
        assert_ne!(positions(&three), positions(&four));
        let task = crate::builtin_task("clutter_pick").unwrap();
        let scene = task.instantiate(0).unwrap().scene;
        let mut wanted: Vec<_> = scene.objects.iter().map(|o| o.id.to_string()).collect();
        wanted.retain(|id| id != "table");
        let there = positions(&preset("clutter", Some(12), 0).unwrap());
        assert!(there.iter().map(|(id, _)| id).eq(&wanted), "{there:?}");
        for (id, [x, y]) in there {
            let in_task = scene.objects.iter().find(|o| o.id.as_str() == id).unwrap();
            let at = in_task.world_from_object.translation;
            let off = (at.x - x).hypot(at.y - y);
            let is_in_grid = (0.35..0.49).contains(&x) && y.abs() < 0.1;
            assert!(
                is_in_grid,
                "{id} is not in the grid, {off:.3} m off the task's"
            );
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused_with_what_can() {
        let message = |name: &str, n| preset(name, n, 1).unwrap_err().to_string();
        assert!(message("cluter", None).contains("did you mean `clutter`?"));
        assert!(message("heap", None).contains("clutter, shelf, wall, bin"));
        assert!(message("clutter", Some(37)).contains("1 to 36"));
        assert!(message("clutter", Some(0)).contains("1 to 36"));
        assert!(message("shelf", Some(5)).contains("1 to 4"));
        assert!(message("wall", Some(2)).contains("omit it"));
    }
}
