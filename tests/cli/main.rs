//! The command line as users and scripts see it: exit codes, messages, files.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![expect(clippy::print_stdout, reason = "a failed test shows its command")]

mod bench;
mod calibrate;
mod catalogue;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "dataset")]
mod datasets;
mod files;
#[cfg(feature = "video")]
mod films;
mod foxglove;
mod mjcf;
mod models;
mod motion;
mod new_robot;
mod noise;
#[cfg(feature = "openpi")]
mod openpi;
mod pictures;
#[cfg(feature = "franka")]
mod real_arm;
mod recorded;
mod replay;
#[cfg(feature = "rerun")]
mod rerun;
#[cfg(feature = "ros2")]
mod ros;
mod runs;
mod scenes;
mod settings;
mod shell;
#[cfg(any(feature = "franka", feature = "openpi", feature = "ros2"))]
mod started;
mod understanding;

use shell::{Shell, listed, text};
