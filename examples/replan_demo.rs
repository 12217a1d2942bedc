//! What happens when a plan fails: three acts.
//!
//! ```sh
//! cargo run --example replan_demo
//! ```
//!
//! 1. A cube out of reach, and a planner that ignores failures: it spends its budget.
//! 2. The same cube, and a planner that reads them: it sees at once that nothing helps.
//! 3. The cube that should go on the plate is covered: the reason comes back, the new
//!    plan takes the cover off first.

#![expect(
    clippy::print_stdout,
    reason = "the demo tells its story on standard output"
)]

use std::error::Error;
use std::io;

use regrasp::api::CancelToken;
use regrasp::perception::NoiseOptions;
use regrasp::record::ConsoleSink;
use regrasp::scene::builtin_task;
use regrasp::sim::SimOptions;
use regrasp::{EpisodeOptions, Kit, PlannerKind, verdict_block};

fn main() -> Result<(), Box<dyn Error>> {
    let kit = Kit::panda()?;
    play(
        &kit,
        1,
        "out of reach, and the planner ignores failures",
        "pick_unreachable_cube",
        PlannerKind::Stub,
    )?;
    play(
        &kit,
        2,
        "out of reach, and the planner reads failures",
        "pick_unreachable_cube",
        PlannerKind::Feedback,
    )?;
    play(
        &kit,
        3,
        "covered, and the planner reads failures",
        "unstack_to_plate",
        PlannerKind::Feedback,
    )
}

fn play(
    kit: &Kit,
    act: u32,
    title: &str,
    task: &str,
    planner: PlannerKind,
) -> Result<(), Box<dyn Error>> {
    println!("\n=== Act {act}: {title} ===");
    let task = builtin_task(task)?.instantiate(0)?;
    let options = EpisodeOptions {
        planner,
        max_replans: 2,
        seed: 0,
        noise: NoiseOptions::default(),
        sim: SimOptions::default(),
        sink: Box::new(ConsoleSink::new(io::stdout())),
        cancel: CancelToken::new(),
    };
    let episode = kit.episode(&task.scene, &task.prompt, options)?;
    println!("{}", verdict_block(&episode.result));
    Ok(())
}
