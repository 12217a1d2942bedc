//! What recording costs, as a part of an episode's real time.
//!
//! ```sh
//! cargo bench -p regrasp --bench recording
//! ```
//!
//! The same episodes with and without a recording, by turns, so that whatever else the
//! machine does troubles both alike; of each the fastest of many counts. A process's own
//! time on the processor would hide waiting for the disk.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set up has failed")]
#![expect(clippy::print_stdout, reason = "a bench says what it measures")]

use std::fs;
use std::path::Path;
use std::time::Instant;

use regrasp::record::EpisodeInfo;
use regrasp::scene::{TaskInstance, builtin_task};
use regrasp::{EpisodeOptions, Kit, RecordOptions};
use serde_json::json;

const TASKS: [&str; 3] = ["pick_cube_scrambled", "stack_two", "clutter_pick"];
const TURNS: usize = 15;

fn main() {
    let kit = Kit::panda().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it.mcap");
    for name in TASKS {
        let task = builtin_task(name).unwrap().instantiate(1).unwrap();
        let (mut plain, mut recorded) = (f64::MAX, f64::MAX);
        let mut sim_s = 0.0;
        for _ in 0..TURNS {
            plain = plain.min(episode(&kit, &task, None).0);
            let (secs, simulated) = episode(&kit, &task, Some(&path));
            recorded = recorded.min(secs);
            sim_s = simulated;
        }
        let bytes = fs::metadata(&path).unwrap().len();
        println!(
            "{}",
            json!({
                "task": name,
                "plain_s": plain,
                "recorded_s": recorded,
                "cost": recorded / plain - 1.0,
                "sim_s": sim_s,
                "kb_a_simulated_s": bytes as f64 / 1e3 / sim_s,
            })
        );
    }
}

/// Real and simulated seconds of an episode.
fn episode(kit: &Kit, task: &TaskInstance, path: Option<&Path>) -> (f64, f64) {
    let began = Instant::now();
    let mut options = EpisodeOptions {
        seed: task.seed,
        ..EpisodeOptions::default()
    };
    let record = RecordOptions::default();
    let recorder = path.map(|path| {
        let info = EpisodeInfo::default();
        let begun = record.begin(path, kit, &task.scene, info, &mut options);
        begun.unwrap()
    });
    let episode = kit.episode(&task.scene, &task.prompt, options).unwrap();
    if let Some(recorder) = recorder {
        recorder.finish().unwrap();
    }
    (began.elapsed().as_secs_f64(), episode.result.sim_s)
}
