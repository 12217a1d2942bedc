//! Kills runs at random times and resumes them, repeatedly.
//!
//! ```sh
//! cargo run --release --example kill_and_resume -- 200
//! ```
//!
//! Each round starts this program as a child with a task, a seed and a store. It kills the child
//! (SIGKILL) after a random time, starts it again with the same run key, and may kill it again. The
//! final result and the digest of the world's state must equal those of an undisturbed run. No step
//! that the store records as finished may start again. The program exits with 1 if a check fails.

#![expect(clippy::print_stdout, reason = "a script speaks on standard output")]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp::api::{EpisodeResult, Event, StampedEvent};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::scene::builtin_task;
use regrasp::{EpisodeOptions, KeepRun, LoadedRobot};
use regrasp_store::SqliteStore;

const TASKS: [&str; 3] = ["unstack_to_plate", "stack_two", "pick_from_three"];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    match args.as_slice() {
        [task, seed, store] => {
            let result = run(task, seed.parse()?, Path::new(store))?;
            println!("result {}", serde_json::to_string(&result)?);
            Ok(ExitCode::SUCCESS)
        }
        [n_kills] => kill(n_kills.parse()?),
        _ => kill(20),
    }
}

/// Runs one episode. Perception is slightly noisy, so that its random state must be restored, too.
fn run(task: &str, seed: u64, store: &Path) -> Result<EpisodeResult, Box<dyn Error>> {
    let task = builtin_task(task)?.instantiate(seed)?;
    let keep = KeepRun {
        store: Box::new(SqliteStore::open(store)?),
        key: "run".into(),
        resume: true,
    };
    let options = EpisodeOptions {
        seed,
        noise: NoiseOptions {
            position_std_m: 0.0005,
            ..NoiseOptions::default()
        },
        sink: Box::new(|event: &StampedEvent| {
            if let Event::StepStarted { step_idx, .. } = event.event {
                println!("begin {step_idx}");
            }
        }),
        keep: Some(keep),
        ..EpisodeOptions::default()
    };
    let episode = LoadedRobot::panda()?.episode(&task.scene, &task.prompt, options)?;
    Ok(episode.result)
}

#[derive(Default)]
struct Tally {
    kills: usize,
    resumed: usize,
    different: usize,
    repeated: usize,
    broken: usize,
}

fn kill(n_kills: usize) -> Result<ExitCode, Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("regrasp_kills_{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut undisturbed = BTreeMap::new();
    let mut tally = Tally::default();
    let mut round = 0;
    while tally.kills < n_kills {
        let task = TASKS[round % TASKS.len()];
        let seed = (round / TASKS.len() % 10) as u64;
        let entry = undisturbed.entry((task, seed));
        if let Entry::Vacant(entry) = entry {
            let store = folder.join(format!("{task}_{seed}_whole.sqlite"));
            let began = Instant::now();
            let whole = child(task, seed, &store, None)?;
            let result = whole.result.ok_or("the undisturbed run has no result")?;
            entry.insert((result, began.elapsed()));
        }
        let (expected, took) = &undisturbed[&(task, seed)];
        let store = folder.join(format!("round_{round}.sqlite"));
        let result = disturbed(task, seed, &store, *took, &mut rng, &mut tally)?;
        tally.different += usize::from(!is_same(&result, expected));
        round += 1;
    }
    let Tally {
        kills,
        resumed,
        different,
        repeated,
        broken,
    } = tally;
    println!(
        "{kills} kills in {round} runs, {resumed} resumes: {different} results differ from the \
         undisturbed run, {repeated} finished steps were repeated, {broken} stores were broken"
    );
    fs::remove_dir_all(&folder)?;
    Ok(ExitCode::from(u8::from(different + repeated + broken > 0)))
}

/// Kills a run up to three times, then lets it finish.
fn disturbed(
    task: &str,
    seed: u64,
    store: &Path,
    took: Duration,
    rng: &mut ChaCha8Rng,
    tally: &mut Tally,
) -> Result<EpisodeResult, Box<dyn Error>> {
    for _ in 0..3 {
        let n_finished = n_finished(store);
        let after = took.mul_f64(rng.random_range(0.05..1.0));
        let child = child(task, seed, store, Some(after))?;
        tally.repeated += child.begun.iter().filter(|idx| **idx < n_finished).count();
        if let Some(result) = child.result {
            return Ok(result);
        }
        tally.kills += 1;
        if SqliteStore::open(store).and_then(|s| s.runs()).is_err() {
            tally.broken += 1;
        }
    }
    let n_finished = n_finished(store);
    tally.resumed += 1;
    let child = child(task, seed, store, None)?;
    tally.repeated += child.begun.iter().filter(|idx| **idx < n_finished).count();
    child
        .result
        .ok_or_else(|| "the resumed run has no result".into())
}

fn n_finished(store: &Path) -> usize {
    let state = || SqliteStore::open(store).ok()?.state("run").ok()?;
    let state: Option<serde_json::Value> = state().and_then(|s| serde_json::from_str(&s).ok());
    let steps = state.as_ref().and_then(|s| s["spent"]["steps"].as_u64());
    steps.unwrap_or(0) as usize
}

struct Child {
    begun: Vec<usize>,
    /// `None` if the child was killed before it printed its result.
    result: Option<EpisodeResult>,
}

fn child(
    task: &str,
    seed: u64,
    store: &Path,
    kill_after: Option<Duration>,
) -> Result<Child, Box<dyn Error>> {
    let mut child = Command::new(env::current_exe()?);
    child
        .args([task, &seed.to_string()])
        .arg(store)
        .stdout(Stdio::piped());
    let mut child = child.spawn()?;
    if let Some(after) = kill_after {
        thread::sleep(after);
        child.kill()?;
    }
    let said = String::from_utf8(child.wait_with_output()?.stdout)?;
    let begun = said.lines();
    let begun = begun.filter_map(|l| l.strip_prefix("begin ")?.parse().ok());
    let result = said.lines().find_map(|line| line.strip_prefix("result "));
    Ok(Child {
        begun: begun.collect(),
        result: result.and_then(|text| serde_json::from_str(text).ok()),
    })
}

/// Returns true if two results are equal except for the wall time.
fn is_same(a: &EpisodeResult, b: &EpisodeResult) -> bool {
    let timeless = |result: &EpisodeResult| EpisodeResult {
        wall_s: 0.0,
        ..result.clone()
    };
    timeless(a) == timeless(b)
}
