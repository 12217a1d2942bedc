//! Scene, task and robot files as typed, validated values.
//!
//! **What it does.** It reads YAML files of scenes, tasks, robots and models, reports mistakes in
//! plain words with the line, and draws the random values of a task.
//!
//! **What it does not do.** It has no simulation, no kinematics (it does not know if the arm can
//! reach an object), and no judging: the meaning of a task's
//! [`Success`](regrasp_ground_truth::Success) conditions is up to `regrasp-ground-truth`; this
//! crate adds only line numbers.
//!
//! **Where to enter.** [`load_robot`], [`load_scene`], [`load_task`] for files; [`builtin_robot`],
//! [`builtin_scene`], [`builtin_task`], [`find_task`] for the built-in ones; then
//! [`Task::instantiate`]; [`preset`] for scenes to begin with.
//!
//! Success conditions are read by serde derives over the YAML tree, everything else field by field.
//! For scenes and robots, derives would take half as much code again, since each type would repeat
//! its limits.
//!
//! # Invariants
//!
//! - Reading any file returns a value or a [`SceneError`] and never panics. Every error in a file
//!   names the file, the line, the mistake and the allowed values.
//! - A [`TaskInstance`] is a function of the task's file and the seed: the same on every machine,
//!   and not changed by adding other tasks. Seed 0 is the baseline without any variation.
//! - In a loaded scene, no movable object overlaps another object by more than 2 mm, unless a joint
//!   connects them or they are parts of one object; a loaded task's goal is not yet reached.
//!
//! # Files
//!
//! [docs/files.md](https://github.com/regrasp/regrasp/blob/main/docs/files.md) explains the files.
//! `formats.yaml` beside this file lists every key, for the readers, [`schema`] and that page's
//! tables.
//!
//! # Dependencies
//!
//! Of the crates that read these files, only this one uses the following libraries.
//!
//! - `serde-saphyr` 2.1 parses the YAML: maintained, no unsafe code, panic-free by design, limits
//!   inputs that expand without bounds, and its `Spanned` gives every value its line (`serde_yaml`
//!   is archived and knows lines only for syntax errors).
//! - parry computes overlaps and lowers objects onto their supports; it is the simulator's own
//!   geometry, so that both agree.
//! - `png` reads the images on surfaces, including indexed ones and those with opacity.
//! - `fnv` hashes names of tasks, the same on every machine.
//! - `exmex` evaluates formulas over drawn values: maintained, small, with precise error messages.

mod arm;
mod articulated;
mod assembly;
mod beads;
mod builtin;
mod cameras;
mod checks;
mod defs;
mod drawn;
mod draws;
mod error;
mod faults;
mod fields;
mod formats;
mod geometry;
mod identity;
mod instance;
mod keys;
mod kinds;
mod layout;
mod mesh;
mod models_file;
mod object;
mod placement;
mod ports;
mod presets;
mod reader;
mod robot;
mod scene_file;
#[cfg(test)]
mod schema_tests;
mod schemas;
mod shapes;
mod source;
mod task_file;
mod truth;
mod types;
mod yaml;

pub use articulated::MOST_TURN_RAD;
pub use assembly::Assembly;
pub use builtin::{
    BUILTIN_ROBOTS, builtin_robot, builtin_robot_named, builtin_scene, builtin_scene_names,
    builtin_task, builtin_task_names, find_task,
};
pub use drawn::{Texture, Visual, read_texture};
pub(crate) use error::Result;
pub use error::{Problem, SceneError};
pub use faults::{FaultSpecError, fault_from_text};
pub use geometry::{drop_distance, overlap_depth};
pub use identity::{ContentHashes, IDENTITY_VERSION};
pub use keys::{color_word, rgba};
pub use models_file::{ModelName, ModelsFile, load_models};
pub use presets::{PresetError, preset, preset_names};
pub use robot::load_robot;
pub use scene_file::load_scene;
pub use schemas::{schema, schema_names};
pub use task_file::{KeptStart, Task, TaskInstance, load_task};
pub use types::{
    ArmRange, Gear, GripperFile, Inertial, Motor, RobotFile, Scene, SceneCamera, SceneJoint,
    SceneObject, Spring,
};
