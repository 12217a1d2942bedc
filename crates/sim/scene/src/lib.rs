//! Scene, task and robot files as typed, validated values.
//!
//! **What it does.** It reads three kinds of YAML files, says in plain words and with
//! the line what is wrong with them, and draws what is random in a task.
//!
//! **What it does not do.** No simulation, no kinematics (whether an arm can reach an
//! object is not its business), no judging: what the [`Success`](regrasp_ground_truth::Success)
//! conditions of a task mean and when they hold is up to `regrasp-ground-truth`; here they only get
//! their lines.
//!
//! **Where to enter.** [`load_robot`], [`load_scene`], [`load_task`] for files;
//! [`builtin_robot`], [`builtin_scene`], [`builtin_task`], [`find_task`] for what is
//! built into the program; then [`Task::instantiate`]; [`preset`] for scenes to begin with.
//!
//! Success conditions are read by serde derives over the YAML tree, everything else field by field.
//! That was tried on the conditions first: 52 of 62 broken files say the same as before, and the
//! code grew by half, since each type repeats its limits. Scenes and robots stay as they are.
//!
//! # Invariants
//!
//! - Whatever a file holds, reading it gives a value or a [`SceneError`], never a
//!   panic. Every error names file, line, what is wrong and what is allowed.
//! - A [`TaskInstance`] is a function of the task's name and the seed: the same on
//!   every machine, and not changed by adding other tasks. Seed 0 is the baseline
//!   without any variation.
//! - In a scene that was loaded nothing starts inside anything else by more than
//!   2 mm, and in a task that was loaded the goal does not hold at the start.
//!
//! # Files
//!
//! [docs/files.md](https://github.com/regrasp/regrasp/blob/main/docs/files.md) explains them, and
//! `formats.yaml` beside this file lists every key: reading, [`schema`] and the tables of that
//! page come from there.
//!
//! # The libraries behind it
//!
//! This is the only crate that knows them, as far as these files go.
//!
//! - `serde-saphyr` 2.1 parses the YAML: maintained, no unsafe code, panic-free by
//!   design, bounded against inputs that explode, and its `Spanned` gives every value
//!   its line (`serde_yaml` is archived and knows lines only for syntax errors).
//! - parry tells how deep shapes overlap and lets things sink onto what they stand on; the
//!   simulator's own geometry, so that both agree.
//! - `png` reads the images on surfaces, indexed ones and those with opacity too.
//! - `fnv` hashes names of tasks, the same on every machine.
//! - `exmex` evaluates the formulas over drawn values: maintained, small, and its errors
//!   say what cannot be read.

mod approval;
mod arm;
mod articulated;
mod beads;
mod builtin;
mod cameras;
mod colors;
mod conditions;
mod defs;
mod drawn;
mod draws;
mod error;
mod faults;
mod fields;
mod formats;
mod geometry;
mod identity;
mod inertia;
mod instance;
mod keys;
mod kinds;
mod layout;
mod mesh;
mod object;
mod overlaps;
mod placement;
mod ports;
mod presets;
mod reader;
mod robot;
mod room;
mod scene_file;
mod schema_of_success;
#[cfg(test)]
mod schema_tests;
mod schemas;
mod shapes;
mod solid;
mod source;
mod surroundings;
mod task;
mod task_file;
mod truth;
mod types;
mod yaml;

pub use builtin::{
    BUILTIN_ROBOTS, builtin_robot, builtin_robot_named, builtin_scene, builtin_scene_names,
    builtin_task, builtin_task_names, find_task, suite_task_names,
};
pub use colors::{color_word, rgba};
pub use drawn::{Texture, Visual, read_texture};
pub use error::{Problem, SceneError};
pub use faults::{FaultSpecError, fault_from_text};
pub use geometry::{drop_distance, overlap_depth};
pub use identity::{ContentHashes, IDENTITY_VERSION};
pub use presets::{PresetError, preset, preset_names};
pub use robot::load_robot;
pub use scene_file::load_scene;
pub use schemas::{schema, schema_names};
pub use source::read_text;
pub use task::{KeptStart, Task, TaskInstance};
pub use task_file::load_task;
pub use types::{
    ArmRange, Gear, GripperFile, Inertial, Motor, RobotFile, Scene, SceneCamera, SceneJoint,
    SceneObject, Spring,
};
