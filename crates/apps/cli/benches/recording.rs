//! Cost of recording, as a fraction of an episode's time.
//!
//! ```sh
//! cargo bench -p regrasp-cli --bench recording
//! ```
//!
//! Runs the same episodes alternately with and without a recording, so that other load affects both
//! alike, and takes the fastest of many runs of each. On Linux the time is the processor time of
//! the thread, which other load does not change: an episode and its recording run on one thread,
//! and writes end in the page cache. On other systems it is wall time.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set up has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its measurements")]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use regrasp::ground_truth::{Frame, FrameListener};
use regrasp::record::EpisodeInfo;
use regrasp::scene::{TaskInstance, builtin_task};
use regrasp::{EpisodeOptions, LoadedRobot};
use regrasp_export::RecordOptions;
use serde_json::json;

const TASKS: [&str; 4] = [
    "pick_cube_scrambled",
    "stack_two",
    "unstack_to_plate",
    "clutter_pick",
];
const TURNS: usize = 15;

#[derive(Clone, Copy)]
enum Variant<'a> {
    Nothing,
    Looked,
    Recorded(&'a Path),
}

fn main() {
    let loaded = LoadedRobot::panda().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it.mcap");
    for name in TASKS {
        let task = builtin_task(name).unwrap().instantiate(1).unwrap();
        let variants = [Variant::Nothing, Variant::Looked, Variant::Recorded(&path)];
        let mut best = [f64::MAX; 3];
        let mut sim_s = 0.0;
        for _ in 0..TURNS {
            for (best, variant) in best.iter_mut().zip(variants) {
                let (secs, simulated) = episode(&loaded, &task, variant);
                *best = best.min(secs);
                sim_s = simulated;
            }
        }
        let bytes = fs::metadata(&path).unwrap().len();
        let [plain, looked, recorded] = best;
        println!(
            "{}",
            json!({
                "task": name,
                "plain_ms": 1e3 * plain,
                "cost_of_frames": looked / plain - 1.0,
                "cost_of_recording": recorded / plain - 1.0,
                "sim_s": sim_s,
                "kb_a_simulated_s": bytes as f64 / 1e3 / sim_s,
            })
        );
    }
}

/// Processor time and simulated time of an episode, s.
fn episode(loaded: &LoadedRobot, task: &TaskInstance, variant: Variant<'_>) -> (f64, f64) {
    let began = now_secs();
    let mut options = EpisodeOptions {
        seed: task.seed,
        ..EpisodeOptions::default()
    };
    let mut recorder = None;
    match variant {
        Variant::Nothing => {}
        Variant::Looked => {
            let discard = |frame: &Frame| {
                std::hint::black_box(frame);
            };
            options.listeners.push(FrameListener::usual(discard));
        }
        Variant::Recorded(path) => {
            let info = EpisodeInfo::default();
            let record = RecordOptions::default();
            let begun = record.begin(path, loaded, &task.scene, info, &mut options);
            recorder = Some(begun.unwrap());
        }
    }
    let episode = loaded.episode(&task.scene, &task.prompt, options).unwrap();
    if let Some(recorder) = recorder {
        recorder.finish().unwrap();
    }
    (now_secs() - began, episode.result.sim_s)
}

fn now_secs() -> f64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let real = || BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64();
    // The first number is the thread's processor time, ns.
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = stat.and_then(|stat| stat.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(real, |ns| ns * 1e-9)
}
