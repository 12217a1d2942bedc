//! A custom task: a YAML file, judged by the ground truth.
//!
//! ```sh
//! cargo run --example custom_task [FILE.yaml]
//! ```

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::env;
use std::error::Error;
use std::path::PathBuf;

use regrasp::bench::judge;
use regrasp::scene::{builtin_robot, load_task};
use regrasp::{EpisodeOptions, LoadedRobot};

fn main() -> Result<(), Box<dyn Error>> {
    let beside_this_file = concat!(env!("CARGO_MANIFEST_DIR"), "/custom_task.yaml");
    let file = env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(beside_this_file), PathBuf::from);
    let task = load_task(file, &builtin_robot()?)?;
    let loaded = LoadedRobot::panda()?;
    for seed in 0..5 {
        let instance = task.instantiate(seed)?;
        let options = EpisodeOptions {
            seed,
            watch_secs: instance.success.watch_secs(),
            ..EpisodeOptions::default()
        };
        let episode = loaded.episode(&instance.scene, &instance.prompt, options)?;
        let verdict = judge(&instance, &episode);
        println!(
            "seed {seed}: \"{}\" -> {}, judge: {verdict:?}",
            instance.prompt, episode.result.final_reason
        );
    }
    Ok(())
}
