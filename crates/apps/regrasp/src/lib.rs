//! A robot-manipulation agent with its own simulator.
//!
//! This crate connects the others and has no logic of its own about robots: [`LoadedRobot`] loads
//! one robot, [`LoadedRobot::cell`] puts it into a simulated scene (or [`LoadedRobot::cell_with`]
//! into any other world), and [`LoadedRobot::episode`] runs an agent in it. The command line is
//! `regrasp-cli`; pictures of runs are in `regrasp-export`.
//!
//! ```
//! use regrasp::scene::builtin_scene;
//! use regrasp::{EpisodeOptions, LoadedRobot};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let panda = LoadedRobot::panda()?;
//!     let scene = builtin_scene("tabletop")?;
//!     let options = EpisodeOptions { seed: 7, ..EpisodeOptions::default() };
//!     let episode = panda.episode(&scene, "put the red cube on the plate", options)?;
//!     let result = episode.result;
//!     println!("{} after {} steps: {}", result.final_reason, result.steps, result.final_detail);
//!     assert!(result.success);
//!     Ok(())
//! }
//! ```
//!
//! The crates that episodes need are re-exported under their names without the prefix, so that one
//! dependency is enough: `regrasp::robot::Skill`, `regrasp::skills::standard()`.

mod camera_noise;
mod catalogue;
mod cell;
mod drawn;
mod episode;
mod error;
mod inject;
mod loaded_robot;
mod pictures;
pub mod recovery;
mod sight;
mod start_collisions;
mod understanding;
mod view;

pub use camera_noise::CameraNoise;
pub use catalogue::catalogue;
pub use cell::{Backend, Cell, Simulated};
pub use episode::{
    EpisodeError, EpisodeOptions, KeepRun, PerceptionKind, PlannerKind, PolicyOptions, Prepare,
    verdict_block,
};
pub use error::NoSuchCamera;
pub use error::{SetupError, StartCollision};
pub use loaded_robot::{LoadedRobot, load_model};
pub use pictures::PictureOptions;
pub use regrasp_faults::FaultError;
pub use regrasp_ground_truth::Episode;
pub use sight::SightOptions;
pub use view::{SceneView, SimCameras};

pub use regrasp_agent as agent;
pub use regrasp_api as api;
pub use regrasp_bench as bench;
pub use regrasp_faults as faults;
pub use regrasp_ground_truth as ground_truth;
pub use regrasp_ground_truth_perception as ground_truth_perception;
pub use regrasp_kinematics as kinematics;
pub use regrasp_language as language;
pub use regrasp_mesh as mesh;
pub use regrasp_motion as motion;
pub use regrasp_planner as planner;
pub use regrasp_policy as policy;
pub use regrasp_record as record;
pub use regrasp_relations as relations;
pub use regrasp_render as render;
pub use regrasp_rgbd_perception as rgbd_perception;
pub use regrasp_robot as robot;
pub use regrasp_scene as scene;
pub use regrasp_sim as sim;
pub use regrasp_skills as skills;
