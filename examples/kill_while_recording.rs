//! Kills runs at random times while they are recorded, and opens the recordings.
//!
//! ```sh
//! cargo run --release --example kill_while_recording -- 50
//! ```
//!
//! Each round starts this program as a child that runs a task and records it. It kills the child
//! (SIGKILL) after a random time and opens the recording, which must be readable without a gap and
//! contain all but the last second of the simulated time that the child had reached. The program
//! exits with 1 if a check fails.

#![expect(clippy::print_stdout, reason = "a script speaks on standard output")]

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp::ground_truth::{Frame, FrameListener};
use regrasp::record::EpisodeInfo;
use regrasp::scene::builtin_task;
use regrasp::{EpisodeOptions, LoadedRobot};
use regrasp_export::RecordOptions;
use regrasp_record::{CHUNK_SECS, Recording};

const TASKS: [&str; 3] = ["unstack_to_plate", "stack_two", "pick_from_three"];
const RATE_HZ: f64 = 60.0;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    match args.as_slice() {
        [task, path] => {
            run(task, Path::new(path))?;
            Ok(ExitCode::SUCCESS)
        }
        [n_kills] => kill(n_kills.parse()?),
        _ => kill(10),
    }
}

fn run(task: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let task = builtin_task(task)?.instantiate(1)?;
    let loaded = LoadedRobot::panda()?;
    let mut options = EpisodeOptions {
        seed: task.seed,
        ..EpisodeOptions::default()
    };
    let info = EpisodeInfo::default();
    let record = RecordOptions::default();
    let recorder = record.begin(path, &loaded, &task.scene, info, &mut options)?;
    // This listener comes after the recorder, so that a time is printed only once it is recorded.
    options.listeners.push(FrameListener {
        rate_hz: RATE_HZ,
        sink: Box::new(|frame: &Frame| {
            println!("{}", frame.time_secs);
            // The parent process may have ended.
            let _ = io::stdout().flush();
        }),
    });
    loaded.episode(&task.scene, &task.prompt, options)?;
    recorder.finish()?;
    Ok(())
}

#[derive(Default)]
struct Tally {
    kills: usize,
    unborn: usize,
    unreadable: usize,
    short: usize,
    most_lost_secs: f64,
}

fn kill(n_kills: usize) -> Result<ExitCode, Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("regrasp_recorded_kills_{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let path = folder.join("it.mcap");
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut tally = Tally::default();
    let mut took = [Duration::ZERO; TASKS.len()];
    for (task, took) in TASKS.iter().zip(&mut took) {
        let began = Instant::now();
        child(task, &path, None)?;
        *took = began.elapsed();
    }
    for round in 0.. {
        if tally.kills >= n_kills {
            break;
        }
        let idx = round % TASKS.len();
        let after = took[idx].mul_f64(rng.random_range(0.02..0.98));
        let _ = fs::remove_file(&path);
        let reached_secs = child(TASKS[idx], &path, Some(after))?;
        tally.look(&path, reached_secs);
    }
    let Tally {
        kills,
        unborn,
        unreadable,
        short,
        most_lost_secs,
    } = tally;
    println!(
        "{kills} kills while recording: {unreadable} recordings cannot be read, {short} lack more \
         than the last {CHUNK_SECS} s; at most {most_lost_secs:.2} s were lost ({unborn} more runs \
         were killed before their first frame)"
    );
    fs::remove_dir_all(&folder)?;
    Ok(ExitCode::from(u8::from(unreadable + short > 0)))
}

impl Tally {
    fn look(&mut self, path: &Path, reached_secs: Option<f64>) {
        let Some(reached_secs) = reached_secs else {
            self.unborn += 1;
            return;
        };
        self.kills += 1;
        match end_secs(path) {
            Ok(end_secs) => {
                let lost_secs = reached_secs - end_secs;
                self.most_lost_secs = self.most_lost_secs.max(lost_secs);
                self.short += usize::from(lost_secs > CHUNK_SECS + 0.5 / RATE_HZ);
            }
            Err(error) => {
                println!("{error}");
                self.unreadable += 1;
            }
        }
    }
}

/// Returns the time of the last frame, s. Fails if an earlier frame is missing.
fn end_secs(path: &Path) -> Result<f64, Box<dyn Error>> {
    let mut recording = Recording::open(path)?;
    recording.events()?;
    let mut last_secs = 0.0;
    for (k, frame) in recording.frames().enumerate() {
        last_secs = frame?.time_secs;
        if (last_secs - k as f64 / RATE_HZ).abs() > 0.5 / RATE_HZ {
            return Err(format!("a frame is missing: frame {k} has the time {last_secs} s").into());
        }
    }
    Ok(last_secs)
}

/// Runs a child, and kills it after a time if one is given. Returns its last simulated time, s.
fn child(
    task: &str,
    path: &Path,
    kill_after: Option<Duration>,
) -> Result<Option<f64>, Box<dyn Error>> {
    let mut child = Command::new(env::current_exe()?);
    let mut child = child.arg(task).arg(path).stdout(Stdio::piped()).spawn()?;
    if let Some(after) = kill_after {
        thread::sleep(after);
        child.kill()?;
    }
    let said = String::from_utf8(child.wait_with_output()?.stdout)?;
    // The last line may be incomplete.
    let whole = said.rfind('\n').map_or("", |end| &said[..end]);
    Ok(whole.lines().last().and_then(|line| line.parse().ok()))
}
