//! Recovery from failed plans and from a killed process, in four acts.
//!
//! ```sh
//! cargo run --example replan_demo
//! ```
//!
//! 1. A cube is out of reach. The planner ignores failures and repeats its plan until the budget of
//!    replans is spent.
//! 2. A planner that reads failures gives up the same task at once.
//! 3. The cube that should go on the plate is covered by another one. The planner gets the reason
//!    of the failure, and its new plan removes the upper cube first.
//! 4. In the same task, the process is killed during its third step. Another process resumes the
//!    run and ends in the same state.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

mod file_store;

use std::error::Error;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use regrasp::agent::AgentOptions;
use regrasp::record::ConsoleSink;
use regrasp::scene::builtin_task;
use regrasp::{Episode, EpisodeOptions, KeepRun, LoadedRobot, PlannerKind, verdict_block};

use file_store::FileStore;

/// Task of acts 3 and 4.
const COVERED: &str = "unstack_to_plate";

fn main() -> Result<(), Box<dyn Error>> {
    let loaded = LoadedRobot::panda()?;
    if let Some(store) = env::args().nth(1) {
        return keep(&loaded, &PathBuf::from(store), false).map(drop);
    }
    println!("\n=== Act 1: out of reach, and the planner ignores failures ===");
    let mut options = told_aloud(PlannerKind::Stub);
    options.agent.refuse_repeats = false;
    play(&loaded, "pick_unreachable_cube", options)?;

    println!("\n=== Act 2: out of reach, and the planner reads failures ===");
    let options = told_aloud(PlannerKind::Feedback);
    play(&loaded, "pick_unreachable_cube", options)?;

    println!("\n=== Act 3: covered, and the planner reads failures ===");
    let undisturbed = play(&loaded, COVERED, told_aloud(PlannerKind::Feedback))?;

    println!("\n=== Act 4: covered, and the process is killed ===");
    let folder = env::temp_dir().join(format!("regrasp_demo_{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let store = folder.join("demo.json");
    kill_after_two_steps(&store)?;
    println!("(killed; another process resumes the run)");
    let resumed = keep(&loaded, &store, true)?;
    println!("{}", verdict_block(&resumed.result));
    let same = resumed.result.state_digest == undisturbed.result.state_digest;
    println!("  same final state as without a kill: {same}");
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn told_aloud(planner: PlannerKind) -> EpisodeOptions {
    EpisodeOptions {
        planner: planner.build(),
        agent: AgentOptions::default().with_max_replans(2),
        sink: Box::new(ConsoleSink::new(io::stdout())),
        ..EpisodeOptions::default()
    }
}

fn play(
    loaded: &LoadedRobot,
    task: &str,
    options: EpisodeOptions,
) -> Result<Episode, Box<dyn Error>> {
    let task = builtin_task(task)?.instantiate(0)?;
    let episode = loaded.episode(&task.scene, &task.prompt, options)?;
    println!("{}", verdict_block(&episode.result));
    Ok(episode)
}

/// Runs the task [`COVERED`] and keeps every finished step in a store.
fn keep(loaded: &LoadedRobot, store: &Path, resume: bool) -> Result<Episode, Box<dyn Error>> {
    let task = builtin_task(COVERED)?.instantiate(0)?;
    let options = EpisodeOptions {
        keep: Some(KeepRun {
            store: Box::new(FileStore::new(store)),
            key: "demo".into(),
            resume,
        }),
        ..told_aloud(PlannerKind::Feedback)
    };
    Ok(loaded.episode(&task.scene, &task.prompt, options)?)
}

/// Starts this program as a child and kills it during its third step.
fn kill_after_two_steps(store: &Path) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(env::current_exe()?)
        .arg(store)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take();
    let out = out.ok_or("the child has no standard output")?;
    let mut n_steps = 0;
    for line in BufReader::new(out).lines() {
        let line = line?;
        println!("{line}");
        n_steps += usize::from(line.starts_with("EXECUTE"));
        if n_steps == 3 {
            break;
        }
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}
