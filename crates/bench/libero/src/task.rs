//! Problem files as tasks, with one instance per seed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fnv::FnvHasher;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use regrasp_api::{Intrinsics, ObjectId, Pose, Shape, Viewpoint};
use regrasp_bench::DrawnTask;
use regrasp_ground_truth::Success;
use regrasp_ground_truth::success::Predicates;
use regrasp_mjcf::{Options, object};
use regrasp_policy::PolicyTerms;
use regrasp_scene::{
    ContentHashes, KeptStart, RobotFile, Scene, SceneCamera, SceneObject, TaskInstance,
};

use crate::arena::{Arena, Room, Surface, hand_from_camera};
use crate::assets::{AssetModel, Assets, body_named};
use crate::draw::{Placed, begins, draw, place_as};
use crate::error::LiberoError;
use crate::goal::{stricter, success};
use crate::problem::{Instance, Problem};
use crate::starts::{InitStates, Starts};
use crate::terms::{CONTROL_HZ, terms};

/// Start position of the arm, rad.
pub const START_RAD: [f64; 7] = [
    0.0,
    -0.161_037,
    0.0,
    -2.4446,
    0.0,
    2.22675,
    std::f64::consts::FRAC_PI_4,
];
/// Standard deviation of the noise on the start position, rad.
const START_NOISE_RAD: f64 = 0.02;
/// Finger distance at the start, m, after LIBERO's ten waiting steps, which open the fingers.
const START_WIDTH_M: f64 = 0.077;
/// Simulated time limit of episodes with a planner, s. Policies have a step limit instead.
const TIME_LIMIT_S: f64 = 180.0;
/// LIBERO's cameras: one beside the table, one on the hand.
const OWN_CAMERAS: [&str; 2] = ["agentview", "robot0_eye_in_hand"];
/// Width and height of LIBERO's images, pixels.
const CAMERA_PIXELS: u32 = 256;
/// Vertical field of view of the camera on the hand, degrees.
const HAND_CAMERA_FOV_DEG: f64 = 75.0;
/// Vertical field of view of the camera `agentview`, degrees.
const CAMERA_FOV_DEG: f64 = 45.0;

/// A problem file as a task. Its models are read when the task is prepared or first drawn.
#[derive(Debug)]
pub struct LiberoTask {
    name: String,
    prompt: String,
    problem: Problem,
    arena: &'static Arena,
    assets: Arc<Assets>,
    robot: RobotFile,
    starts: Starts,
    prepared: Mutex<Option<Arc<Prepared>>>,
}

/// Data from which instances are drawn: read from the assets and checked.
#[derive(Debug)]
struct Prepared {
    room: Arc<Room>,
    workspace: Vec<SceneObject>,
    /// Instances to place, each with true for a fixture and its model; fixtures come first.
    models: Vec<(Instance, bool, AssetModel)>,
    /// Initial states from a file; `None` if they are drawn.
    states: Option<InitStates>,
}

/// Returns the classes of the instances in problem files, each with true if it is a fixture in one
/// of them. Tables and floors, on which everything stands, are left out.
///
/// # Errors
///
/// [`LiberoError`] if a file cannot be read.
pub fn classes_in(files: &[PathBuf]) -> Result<BTreeMap<String, bool>, LiberoError> {
    let mut classes = BTreeMap::new();
    for file in files {
        let problem = Problem::load(file)?;
        let arena = Arena::of(&problem)?;
        for (instances, is_fixture) in [(&problem.fixtures, true), (&problem.objects, false)] {
            for instance in instances.iter().filter(|i| i.name != arena.workspace) {
                *classes.entry(instance.class.clone()).or_insert(false) |= is_fixture;
            }
        }
    }
    Ok(classes)
}

/// Returns the command that LIBERO's evaluation gives to a policy. In LIBERO's suites
/// (`libero_…`), this is the file's name with spaces for `_`, without the scene's name and the
/// suffix of a variant. For all other problems, and for variants of the command itself
/// (`…_language_1`), it is the text in `(:language …)`.
pub fn prompt_of(path: &Path, language: &str) -> String {
    let (suite, stem) = suite_and_stem(path);
    let is_libero = suite.is_some_and(|suite| suite.starts_with("libero_"));
    if !language.is_empty() && (!is_libero || stem.contains("_language_")) {
        return language.to_owned();
    }
    let is_scene = |word: &str| is_numbered(word, "SCENE");
    let words: Vec<&str> = stem.split(['_', ' ']).collect();
    let start = words.iter().position(|w| is_scene(w)).map_or(0, |i| i + 1);
    let mut words = &words[start..];
    while let Some(fewer) = without_ending(words) {
        words = fewer;
    }
    words.join(" ")
}

/// Returns the name of a file's folder, and the file's own name without extension.
fn suite_and_stem(path: &Path) -> (Option<Cow<'_, str>>, Cow<'_, str>) {
    let suite = path.parent().and_then(Path::file_name);
    let stem = path.file_stem().unwrap_or_default();
    (suite.map(OsStr::to_string_lossy), stem.to_string_lossy())
}

fn is_numbered(word: &str, before: &str) -> bool {
    let digits = word.strip_prefix(before);
    digits.is_some_and(|d| !d.is_empty() && d.chars().all(|c| c.is_ascii_digit()))
}

/// Removes the last word and the numbers after it if they mark a variant of a problem.
fn without_ending<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    /// Words that mark a variant if numbers follow: LIBERO-plus varies objects, tables, lights,
    /// cameras and noise.
    const NUMBERED: &str = "add table tb light view initstate noise language copy";
    let is_number = |word: &&&str| is_numbered(word, "");
    let n_numbers = words.iter().rev().take_while(is_number).count();
    let (last, before) = words[..words.len() - n_numbers].split_last()?;
    let is_ending = match n_numbers {
        0 => *last == "copy" || is_numbered(last, "level") || is_numbered(last, "sample"),
        // "… on the table" belongs to the command.
        _ => NUMBERED.split(' ').any(|word| word == *last) && before.last() != Some(&"the"),
    };
    (is_ending && !before.is_empty()).then_some(before)
}

impl LiberoTask {
    /// Reads a problem file. `starts` selects the source of start states.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] with file, line and column of a mistake, and the known values.
    pub fn open(
        path: &Path,
        assets: &Arc<Assets>,
        robot: &RobotFile,
        starts: &Starts,
    ) -> Result<Self, LiberoError> {
        let problem = Problem::load(path)?;
        let arena = Arena::of(&problem)?;
        let name = match suite_and_stem(path) {
            (Some(suite), stem) => format!("{suite}/{stem}"),
            (None, stem) => stem.into_owned(),
        };
        Ok(Self {
            name,
            prompt: prompt_of(path, &problem.language),
            problem,
            arena,
            assets: Arc::clone(assets),
            robot: robot.clone(),
            starts: starts.clone(),
            prepared: Mutex::default(),
        })
    }

    /// Reads a problem file and all models that it refers to.
    ///
    /// # Errors
    ///
    /// The errors of [`LiberoTask::open`], and [`LiberoError`] if a model cannot be used or no
    /// instance can be drawn.
    pub fn load(
        path: &Path,
        assets: &Arc<Assets>,
        robot: &RobotFile,
        starts: &Starts,
    ) -> Result<Self, LiberoError> {
        let task = Self::open(path, assets, robot, starts)?;
        task.prepared()?;
        Ok(task)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Prepared>>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepared(&self) -> Result<Arc<Prepared>, LiberoError> {
        let mut prepared = self.lock();
        if let Some(there) = &*prepared {
            return Ok(Arc::clone(there));
        }
        let made = Arc::new(self.made()?);
        self.drawn(&made, 0)?;
        *prepared = Some(Arc::clone(&made));
        Ok(made)
    }

    fn made(&self) -> Result<Prepared, LiberoError> {
        let (problem, arena, assets) = (&self.problem, self.arena, &*self.assets);
        let room = assets.room(arena)?;
        let mut workspace = workspace(arena, assets)?;
        if let (Some(table), false) = (workspace.first_mut(), room.table.is_empty()) {
            table.visuals.clone_from(&room.table);
        }
        let mut models = vec![];
        for (instance, is_fixture) in self.instances() {
            if instance.name != arena.workspace {
                let model = assets.instance_model(problem, instance, !is_fixture)?;
                models.push((instance.clone(), is_fixture, model));
            }
        }
        Ok(Prepared {
            room,
            workspace,
            states: InitStates::find(&self.starts, &problem.path, &models)?,
            models,
        })
    }

    /// All instances, each with true for a fixture; fixtures come first.
    fn instances(&self) -> impl Iterator<Item = (&Instance, bool)> {
        let fixtures = self.problem.fixtures.iter().map(|i| (i, true));
        fixtures.chain(self.problem.objects.iter().map(|i| (i, false)))
    }

    /// Returns hashes of all files of the task, and the robot's properties on which the task
    /// depends.
    fn hashes(&self) -> Result<String, LiberoError> {
        let (problem, arena, assets) = (&self.problem, self.arena, &*self.assets);
        let mut files = vec![problem.path.clone()];
        files.extend(assets.scene_path(&arena.style));
        let images = [&arena.floor, &arena.wall].map(|name| assets.texture(name));
        files.extend(images.into_iter().filter(|path| path.is_file()));
        files.extend(self.starts.file(&problem.path));
        for (instance, _) in self.instances() {
            if instance.name != arena.workspace {
                files.push(assets.model_path(problem, instance)?.to_owned());
            }
        }
        let hashes: Result<Vec<_>, _> = files.iter().map(|file| assets.hash(file)).collect();
        let robot = &self.robot;
        let (n_joints, width_m) = (robot.arm_joints.len(), robot.gripper.max_width_m);
        let hand = &robot.hand_link;
        let names = [&self.name, &self.prompt];
        Ok(format!(
            "{names:?} {arena:?} {n_joints} {hand:?} {width_m} {:032x?}",
            hashes?
        ))
    }

    /// Command to the robot, see [`prompt_of`].
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Differences between task and problem file, one sentence each: a variant's arena is replaced
    /// by the original, and start predicates that LIBERO does not know are ignored, as in LIBERO.
    pub fn notes(&self) -> Vec<String> {
        let (name, known) = (&self.problem.name, &self.arena.problem);
        let arena = || format!("arena `{name}` is not known; `{known}` is used instead");
        let unknown = self.problem.init.iter().filter(|atom| !begins(atom));
        let unknown = unknown.map(|atom| {
            let known = "on, in, open, close, turnon, turnoff";
            format!("`{}` in (:init …) is ignored (known: {known})", atom.name)
        });
        let arena = (name != known).then(arena);
        arena.into_iter().chain(unknown).collect()
    }

    /// Draws the start, or takes it from the row of the initial states with the index `seed` modulo
    /// their number. Seed 0 is a draw like any other.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if a model or the initial states cannot be used, or no draw fits.
    pub fn instantiate(&self, seed: u64) -> Result<TaskInstance, LiberoError> {
        self.drawn(&*self.prepared()?, seed)
    }

    fn drawn(&self, prepared: &Prepared, seed: u64) -> Result<TaskInstance, LiberoError> {
        let mut rng = rng_for(&self.name, seed);
        let models = &prepared.models;
        let states = prepared.states.as_ref();
        let kept = states.map(|states| states.start(states.row_of(seed), models));
        let (problem, arena, workspace) = (&self.problem, self.arena, &prepared.workspace);
        let placed = match &kept {
            Some(kept) => place_as(problem, arena, workspace, models, kept, &mut rng),
            None => draw(problem, arena, workspace, models, &mut rng),
        };
        let placed = placed.map_err(|why| {
            let path = self.problem.path.display();
            LiberoError(format!(
                "place the objects of `{path}` with seed {seed}: {why}"
            ))
        })?;
        let goal = success(&self.problem, self.arena, &placed)?;
        let noise = Normal::new(0.0, START_NOISE_RAD).ok();
        let noisy = || START_RAD.map(|q| q + noise.map_or(0.0, |noise| noise.sample(&mut rng)));
        let start = kept.map_or_else(noisy, |kept| kept.arm);
        let is_panda = self.robot.arm_joints.len() == START_RAD.len();
        let [x, y, z] = self.arena.base;
        let joints = placed.iter().flat_map(|p| &p.model.pieces.joints);
        let scene = Scene {
            mount: self.stands_in(workspace),
            start_joints: is_panda.then(|| start.to_vec()),
            joints: joints.cloned().collect(),
            viewpoint: self.viewpoint(),
            cameras: self.cameras(is_panda),
            perception_cameras: OWN_CAMERAS[..if is_panda { 2 } else { 1 }]
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            scenery: prepared.room.scenery.clone(),
            not_kept: self.notes(),
            ..Scene::new(
                &self.name,
                Pose::translation(x, y, z),
                START_WIDTH_M.min(self.robot.gripper.max_width_m),
                objects(workspace, &placed),
            )
        };
        self.check_open(&goal, &scene, seed)?;
        let begins_as = states.map(|states| KeptStart {
            file: states.name(),
            row: states.row_of(seed),
        });
        Ok(TaskInstance {
            name: self.name.clone(),
            prompt: self.prompt.clone(),
            scene,
            stricter: Some(stricter(&goal)),
            looked_at_hz: Some(CONTROL_HZ),
            success: goal.into(),
            begins_as,
            expected_failure: None,
            goal: None,
            time_limit_s: TIME_LIMIT_S,
            seed,
        })
    }

    /// Rejects a goal that already holds at the start: its success would be meaningless.
    fn check_open(&self, goal: &Predicates, scene: &Scene, seed: u64) -> Result<(), LiberoError> {
        let start = scene.initial_truth(&self.robot);
        if !Success::from(goal.clone()).unmet(&start, &start).is_empty() {
            return Ok(());
        }
        let first = self.problem.goal.first();
        let at = first.map_or(self.problem.at, |atom| atom.at);
        let message = "the goal already holds at the start";
        Err(self.problem.wrong(at, format!("{message} (seed {seed})")))
    }

    /// Returns the table that contains the arm's base, if any.
    fn stands_in(&self, workspace: &[SceneObject]) -> Option<ObjectId> {
        let base = self.arena.base;
        let around = |object: &&SceneObject| {
            let span = object.shape.aabb(&object.world_from_object);
            (0..3).all(|i| (span.min[i]..=span.max[i]).contains(&base[i]))
        };
        workspace.iter().find(around).map(|o| o.id.clone())
    }

    /// Returns the viewpoint of commands: left and right are those in the image of `agentview`.
    fn viewpoint(&self) -> Viewpoint {
        let camera = self.arena.world_from_camera();
        let at = camera.translation.vector;
        let forward = camera.rotation * nalgebra::Vector3::z();
        Viewpoint::From {
            position: [at.x, at.y],
            look_at: [at.x + forward.x, at.y + forward.y],
        }
    }

    /// Returns LIBERO's two cameras, also under the names of every scene's default cameras.
    fn cameras(&self, is_panda: bool) -> Vec<SceneCamera> {
        let fixed = (None, self.arena.world_from_camera(), CAMERA_FOV_DEG);
        let hand = Some(self.robot.hand_link.clone());
        let on_hand = (hand, hand_from_camera(), HAND_CAMERA_FOV_DEG);
        let [beside, hand] = OWN_CAMERAS;
        let mut all = vec![(beside, fixed.clone()), ("scene", fixed)];
        if is_panda {
            all.extend([(hand, on_hand.clone()), ("wrist", on_hand)]);
        }
        let camera = |(name, (link, parent_from_camera, fov_deg)): (&str, (_, _, f64))| {
            let side = CAMERA_PIXELS;
            SceneCamera {
                name: name.to_owned(),
                link,
                parent_from_camera,
                intrinsics: Intrinsics::from_vertical_fov(side, side, fov_deg.to_radians()),
            }
        };
        all.into_iter().map(camera).collect()
    }
}

fn objects(workspace: &[SceneObject], placed: &[Placed<'_>]) -> Vec<SceneObject> {
    let models = placed.iter().flat_map(|p| p.model.pieces.objects.iter());
    workspace.iter().chain(models).cloned().collect()
}

impl DrawnTask for LiberoTask {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        Some(&self.prompt)
    }

    /// Returns `None` for an arm with another number of joints than LIBERO's Panda.
    fn terms(&self, instance: &TaskInstance) -> Option<PolicyTerms> {
        let start = instance.scene.start_joints.as_ref()?;
        let suite = self.name.split_once('/').map_or("", |(suite, _)| suite);
        Some(terms(suite, start))
    }

    /// Hashes files, without reading a model.
    fn identity(&self, _: &mut ContentHashes) -> Result<String, String> {
        self.hashes().map_err(|error| error.to_string())
    }

    /// Reads all models and draws once. Tasks that are prepared at the same time share models.
    fn prepare(&self) -> Result<(), String> {
        self.prepared().map(drop).map_err(|error| error.to_string())
    }

    fn release(&self) {
        *self.lock() = None;
    }

    fn draw(&self, seed: u64) -> Result<TaskInstance, String> {
        self.instantiate(seed).map_err(|error| error.to_string())
    }
}

fn workspace(arena: &Arena, assets: &Assets) -> Result<Vec<SceneObject>, LiberoError> {
    let id = ObjectId::new(&arena.workspace);
    let is_floor = arena.workspace == "floor";
    let category = if is_floor { "floor" } else { "table" };
    let mut made = match &arena.surface {
        Surface::Box { center, half } => {
            let ([x, y, z], half_extents) = (*center, *half);
            let (shape, pose) = (Shape::Box { half_extents }, Pose::translation(x, y, z));
            vec![SceneObject::new(id, category, shape, pose)]
        }
        Surface::Body(name) => {
            let model = assets.model(&assets.scene(&arena.style))?;
            let outer = model.world.bodies.iter();
            let found = outer.filter_map(|b| Some((b, body_named(b, name)?))).next();
            let Some((_, body)) = found else {
                let why = format!("the room `{}` has no body `{name}`", arena.style);
                return Err(LiberoError::no_root(why));
            };
            let options = Options {
                instance: Some(arena.workspace.clone()),
                free: Some(false),
                inertia_groups: None,
            };
            let mut pieces = object(&model, body, &options)?;
            pieces.place(&body.parent_from_body);
            for object in &mut pieces.objects {
                object.category = category.to_owned();
            }
            pieces.objects
        }
    };
    for object in &mut made {
        object.friction = arena.friction;
    }
    Ok(made)
}

/// Returns a generator that depends only on name and seed, on every machine (FNV-1a over both).
fn rng_for(name: &str, seed: u64) -> ChaCha8Rng {
    let mut hash = FnvHasher::default();
    hash.write(name.as_bytes());
    hash.write(&seed.to_le_bytes());
    ChaCha8Rng::seed_from_u64(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_libero_are_names_without_scenes_and_endings() {
        for (file, prompt) in [
            ("pick_up_the_milk", "pick up the milk"),
            ("KITCHEN_SCENE3_turn_on_the_stove", "turn on the stove"),
            ("STUDY_SCENE12_put_it_there_add_3", "put it there"),
            ("put_it_on_the_table_1", "put it on the table 1"),
            ("put_it_on_the_table_table_1", "put it on the table"),
            ("put_it_there_tb_9", "put it there"),
            ("put_it_there_light_2", "put it there"),
            ("put_it_there_level0_sample1", "put it there"),
            ("put_it_there_view_0_0_100_0_0_initstate_3", "put it there"),
            ("put_it_there copy", "put it there"),
            ("put_it_there copy 2", "put it there"),
            ("put_it_there_add_3_light_2", "put it there"),
            ("the_SCENE_of_it", "the SCENE of it"),
        ] {
            let path = format!("libero_goal/{file}.bddl");
            assert_eq!(prompt_of(Path::new(&path), "Else"), prompt);
        }
    }

    #[test]
    fn other_prompts_are_what_the_file_says() {
        for (file, language, prompt) in [
            ("own/capitals.bddl", "Move it!", "Move it!"),
            ("own/SCENE2_a.bddl", "move (this) one", "move (this) one"),
            ("own/move_it.bddl", "", "move it"),
            (
                "libero_goal/move_it_language_3.bddl",
                "Shift it",
                "Shift it",
            ),
            ("libero_goal/move_it_language_3.bddl", "", "move it"),
        ] {
            assert_eq!(prompt_of(Path::new(file), language), prompt, "{file}");
        }
    }
}
