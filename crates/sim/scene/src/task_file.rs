//! Tasks and their files.

use std::path::Path;

use regrasp_api::Reason;
use regrasp_faults::Fault;
use regrasp_ground_truth::{Known, KnownJoint, Success};
use serde::{Deserialize, Serialize};

use crate::defs::SceneDef;
use crate::draws::{self, Draw, Drawn, Drew};
use crate::fields::{Field, Fields, Sign};
use crate::formats::keys;
use crate::keys::Mass;
use crate::placement::Placement;
use crate::source::Source;
use crate::yaml::{self, Node, Value};
use crate::{Problem, Result, RobotFile, Scene, SceneError, reader, scene_file};

/// A checked task file. [`Task::instantiate`] draws its random values.
#[derive(Debug, Clone)]
pub struct Task {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// Prompt for seed 0, with drawn words but not yet the goal point.
    pub(crate) prompt: String,
    pub(crate) file: String,
    /// Scene with every drawn value at its baseline.
    pub(crate) scene: SceneDef,
    pub(crate) draws: Vec<Draw>,
    /// Prompt as in the file.
    pub(crate) prompt_template: Node,
    /// The inline scene and its file, if drawn values may change it.
    pub(crate) scene_template: Option<(Node, Source)>,
    /// Name that seeds the random numbers: that of the file, also under an alias.
    pub(crate) drawn_as: String,
    pub(crate) placements: Vec<Placement>,
    pub(crate) joint_noise_rad: f64,
    pub(crate) goal: Option<[[f64; 2]; 3]>,
    pub(crate) success: Node,
    /// Shifts of objects for which a draw must leave room.
    pub(crate) room: Option<Node>,
    pub(crate) expected_failure: Option<Reason>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) time_limit_s: f64,
    pub(crate) robot: RobotFile,
}

/// One episode of a [`Task`], without any randomness left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskInstance {
    /// Name of the task.
    pub name: String,
    /// Instruction of the user.
    pub prompt: String,
    /// World at the start.
    pub scene: Scene,
    /// Condition that must hold at the end for success.
    pub success: Success,
    /// Success condition by a stricter rule, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<Success>,
    /// Rate, Hz of simulated time, at which another benchmark checks for success: the first check
    /// that succeeds ends its episode as a success, whatever happens later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at_hz: Option<f64>,
    /// Start state from a file; `None` if the start was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<KeptStart>,
    /// Reason for infeasibility: the episode succeeds if and only if the agent reports it.
    pub expected_failure: Option<Reason>,
    /// Goal point in World, m, if the task has one.
    pub goal: Option<[f64; 3]>,
    /// Time limit of the episode, simulated s.
    pub time_limit_s: f64,
    /// Seed of the draw.
    pub seed: u64,
}

/// A start state from a file of another benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStart {
    /// File name with its last folders.
    pub file: String,
    /// Index of the start in the file, from 0.
    pub row: usize,
}

impl Task {
    /// Name of the task, as `--tasks` takes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Description in one sentence, if the file has one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Prompt for seed 0, with drawn words filled in but not yet the goal point.
    pub fn prompt_template(&self) -> &str {
        &self.prompt
    }

    /// File of the task.
    pub fn file(&self) -> &str {
        &self.file
    }
}

/// Default time limit, s of simulated time: long enough for a dozen skill calls.
const DEFAULT_TIME_LIMIT_S: f64 = 120.0;

/// Reads a task file for a robot and instantiates its seed 0 to check that the task can be run.
///
/// # Errors
///
/// [`SceneError`] with file and line: all that [`load_scene`](crate::load_scene) rejects, unknown
/// keys, object ids and conditions (also inside `success`), a goal that already holds at the start,
/// placements that no draw satisfies.
pub fn load_task(path: impl AsRef<Path>, robot: &RobotFile) -> Result<Task, SceneError> {
    load(&Source::file(path.as_ref()), robot)
}

pub(crate) fn load(source: &Source, robot: &RobotFile) -> Result<Task> {
    let root = yaml::parse(&source.name(), &source.read()?)?;
    let task = from_root(source, &root, robot)?;
    task.instantiate(0)?;
    Ok(task)
}

pub(crate) fn from_root(source: &Source, root: &Node, robot: &RobotFile) -> Result<Task> {
    let file = source.name();
    let task = Fields::new(&file, root, "the task", keys("task"))?;
    let draws = task.maybe("draw", |f| draws::parse(&f))?;
    let draws = draws.unwrap_or_default();
    let baseline: Vec<Drawn> = draws.iter().map(Draw::baseline).collect();
    let (template, prompt_field) = (task.need("scene")?, task.need("prompt")?);
    let drawn = match draws.as_slice() {
        [] => Node::clone(template.node),
        _ => draws::put_in(template, &baseline)?,
    };
    let scene = scene(&Field::new(&file, "scene", &drawn), source, robot)?;
    let is_drawn = !draws.is_empty() && !matches!(drawn.value, Value::Text(_));
    let placements = task.each("placement", |entry| Placement::parse(&entry, &scene))?;
    let goal = task.maybe("goal", |f| goal_ranges(&f))?;
    let parsed = Task {
        drawn_as: task.text("name")?,
        name: task.text("name")?,
        description: task.maybe("description", |f| Ok(f.text()?.to_owned()))?,
        prompt: prompt(&file, prompt_field.node, &baseline, goal.is_some())?,
        joint_noise_rad: task.number_or("joint_noise_rad", Sign::NotNegative, 0.0)?,
        success: Node::clone(task.need("success")?.node),
        room: task.get("room").map(|field| Node::clone(field.node)),
        expected_failure: task.maybe("expected_failure", |f| expected_failure(&f))?,
        time_limit_s: task.number_or("time_limit_s", Sign::Positive, DEFAULT_TIME_LIMIT_S)?,
        file: file.clone(),
        faults: scene_file::read_faults(&task, &scene.objects, robot)?,
        scene,
        draws,
        prompt_template: Node::clone(prompt_field.node),
        scene_template: is_drawn.then(|| (Node::clone(template.node), source.clone())),
        placements,
        goal,
        robot: robot.clone(),
    };
    parsed.check_choices()?;
    Ok(parsed)
}

fn scene(field: &Field<'_>, source: &Source, robot: &RobotFile) -> Result<SceneDef> {
    let Value::Text(path) = &field.node.value else {
        return scene_file::parse(source, field.node, robot);
    };
    let scene_source = source.join(path);
    let bad = |error: &SceneError| {
        let message = match error {
            SceneError::Unreadable { message, .. } => message.clone(),
            other => other.to_string(),
        };
        let path = scene_source.name();
        field.error(Problem::bad_reference("the scene file", &path, &message))
    };
    let text = scene_source.read().map_err(|error| bad(&error))?;
    let root = yaml::parse(&scene_source.name(), &text)?;
    scene_file::parse(&scene_source, &root, robot)
}

/// Reads the goal point: a list `[x, y, z]` of numbers, or `{x: …, y: …, z: …}` with a number or a
/// range each. Returns the range of each coordinate.
fn goal_ranges(field: &Field<'_>) -> Result<[[f64; 2]; 3]> {
    if matches!(field.node.value, Value::List(_)) {
        return Ok(field.array::<3>(Sign::Coordinate)?.map(|x| [x, x]));
    }
    let goal = field.fields(keys("goal"))?;
    let range = |key| {
        let axis: Field<'_> = goal.need(key)?;
        match axis.node.value {
            Value::List(_) => axis.range(Sign::Coordinate),
            _ => axis.number(Sign::Coordinate).map(|x| [x, x]),
        }
    };
    Ok([range("x")?, range("y")?, range("z")?])
}

/// Returns the prompt with drawn words filled in (`_` becomes a blank), but not yet the goal point.
pub(crate) fn prompt(file: &str, node: &Node, values: &[Drawn], has_goal: bool) -> Result<String> {
    let node = draws::put_in(Field::new(file, "prompt", node), values)?;
    let field = Field::new(file, "prompt", &node);
    let text = field.text()?;
    let words = || {
        values.iter().filter_map(|(name, value)| match value {
            Drew::Word(word) => Some((name.as_str(), word.replace('_', " "))),
            Drew::Number(_) => None,
        })
    };
    let goal = has_goal.then(|| ("goal", "{goal}".to_owned()));
    let known: Vec<(&str, String)> = words().chain(goal).collect();
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((parameter, after)) = after.split_once('}') else {
            return Err(field.not_allowed(format!("`{text}`"), "a text that closes every `{`"));
        };
        let Some((_, word)) = known.iter().find(|(name, _)| *name == parameter) else {
            let known = known.iter().map(|(name, _)| *name);
            return Err(field.error(Problem::unknown_word("prompt parameter", parameter, known)));
        };
        filled += before;
        filled += word;
        rest = after;
    }
    Ok(filled + rest)
}

fn expected_failure(field: &Field<'_>) -> Result<Reason> {
    let known = Reason::BUILT_IN.iter().map(Reason::slug);
    let built_in = |reason: &Reason| Reason::BUILT_IN.contains(reason);
    field.known("failure reason", known, |slug| {
        Some(Reason::from_slug(slug)).filter(built_in)
    })
}

impl Task {
    pub(crate) fn success(&self, goal: [f64; 3], values: &[Drawn]) -> Result<Success> {
        let objects = self.scene.objects.iter();
        let (small, single): (Vec<_>, Vec<_>) = objects.partition(|o| o.body.group.is_some());
        let mut groups: Vec<_> = small.iter().filter_map(|o| o.body.group.as_ref()).collect();
        groups.dedup();
        let movable = single.iter().filter(|o| !matches!(o.mass, Mass::Fixed));
        let joints = self.scene.rest.joints.iter().map(|joint| KnownJoint {
            object: &joint.child,
            travel: joint.travel(),
            is_button: joint.spring.is_some(),
        });
        let zones = single.iter().flat_map(|object| {
            let names = object.body.zones.iter().map(|zone| zone.name.as_str());
            names.map(|name| (&object.body.id, name))
        });
        let known = Known {
            objects: single.iter().map(|o| &o.body.id).collect(),
            others: movable.map(|o| o.body.id.clone()).collect(),
            joints: joints.collect(),
            home: &self.robot.home,
            goal: self.goal.map(|_| goal),
            ports: &self.scene.rest.ports,
            groups,
            zones: zones.collect(),
        };
        let node = draws::put_in(Field::new(&self.file, "success", &self.success), values)?;
        reader::success(Field::new(&self.file, "success", &node), known)
    }
}
