//! A robot-manipulation agent with its own simulator.
//!
//! This crate wires the others together and holds the command line. It has no logic
//! of its own about robots: [`Kit`] loads one robot, [`Kit::cell`] puts it into a
//! simulated scene (or [`Kit::cell_with`] before any other world), and [`Kit::episode`] lets an agent loose in it.
//!
//! The other crates are re-exported under their folder names, so that one dependency
//! is enough: `regrasp::robot::Skill`, `regrasp::skills::standard()`.

mod cell;
#[cfg(feature = "dataset")]
mod demonstrations;
mod episode;
mod exit;
mod faults;
#[cfg(feature = "video")]
mod film;
mod gallery;
mod gripper_geometry;
mod kit;
mod live;
#[cfg(feature = "models")]
mod pictures;
#[cfg(feature = "models")]
mod pointer;
mod recorded;
pub mod recovery;
mod sheet;
mod sight;
mod strip;
mod understanding;
mod view;
#[cfg(feature = "rerun")]
mod viewer;

pub use cell::{Backend, Cell, Simulated};
#[cfg(feature = "dataset")]
pub use demonstrations::{DemonstrationError, DemonstrationOptions, ending};
pub use episode::{
    Episode, EpisodeError, EpisodeOptions, KeepRun, PlannerKind, PolicyOptions, Prepare,
    verdict_block,
};
pub use exit::{EXIT_CODES, ExitCode};
pub use faults::{FaultError, MemoryStore, SkillFault, TroubledStore};
#[cfg(feature = "video")]
pub use film::{FilmError, FilmOptions, Filmed, film, film_while};
pub use gallery::{Gallery, GalleryError, GalleryOptions, gallery};
pub use kit::{Kit, SetupError, load_model};
pub use live::{LiveOptions, LiveWorkshop, PlannerMaker, StartScene, exports};
#[cfg(feature = "models")]
pub use pictures::PictureOptions;
#[cfg(feature = "models")]
pub use pointer::Pointing;
pub use recorded::{RecordOptions, RecordSetupError, RecordedScene, RecordedSceneError};
pub use sight::{DepthNoise, PerceptionKind};
pub use strip::{FilmStrip, StripError, StripOptions, film_strip};
pub use view::{NoSuchCamera, SceneView, SimCameras};
#[cfg(feature = "rerun")]
pub use viewer::{Exported, ViewerError, export_rrd, export_rrd_while};

pub use regrasp_agent as agent;
pub use regrasp_api as api;
pub use regrasp_bench as bench;
#[cfg(feature = "dataset")]
pub use regrasp_dataset as dataset;
pub use regrasp_kinematics as kinematics;
pub use regrasp_language as language;
#[cfg(feature = "mcp")]
pub use regrasp_mcp as mcp;
#[cfg(feature = "models")]
pub use regrasp_model as model;
pub use regrasp_motion as motion;
pub use regrasp_perception as perception;
pub use regrasp_planner as planner;
pub use regrasp_policy as policy;
pub use regrasp_record as record;
pub use regrasp_recording as recording;
pub use regrasp_relations as relations;
pub use regrasp_render as render;
#[cfg(feature = "rerun")]
pub use regrasp_rerun as rerun;
pub use regrasp_robot as robot;
pub use regrasp_scene as scene;
#[cfg(feature = "serve")]
pub use regrasp_serve as serve;
pub use regrasp_session as session;
pub use regrasp_sim as sim;
pub use regrasp_skills as skills;
pub use regrasp_store as store;
pub use regrasp_truth as truth;
#[cfg(feature = "video")]
pub use regrasp_video as video;
pub use regrasp_vision as vision;
#[cfg(feature = "models")]
pub use regrasp_vlm as vlm;
