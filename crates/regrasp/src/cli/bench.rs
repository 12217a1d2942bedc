use indicatif::{ProgressBar, ProgressStyle};
use regrasp::api::CancelToken;
use regrasp::bench::{
    EpisodeOutcome, EpisodeRecord, InfrastructureFailure, SuiteInfo, Verdict, run_suite,
};
use regrasp::scene::{RobotFile, Task, TaskInstance, builtin_task_names, find_task};
use regrasp::{EpisodeOptions, ExitCode, Kit};

use super::BenchArguments;
use super::error::CliError;
use super::output::{complain, say};

/// Runs tasks times seeds and prints what the judge says.
pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode, CliError> {
    let robot = arguments.robot.load()?;
    let tasks = tasks(&arguments.tasks, &robot)?;
    let agent = arguments.agent.options(&robot)?;
    let kit = Kit::new(robot)?;
    let planner = arguments.agent.planner(&CancelToken::new())?;
    let depth_noise = arguments.perception.depth_noise(arguments.depth_noise)?;
    #[cfg(feature = "models")]
    let pointing = arguments
        .agent
        .pointing(arguments.perception, &planner, &CancelToken::new())?;
    let info = SuiteInfo {
        version: env!("CARGO_PKG_VERSION").into(),
        planner: planner.name(),
        max_replans: agent.budgets.max_replans,
    };
    let episode = |instance: &TaskInstance| {
        let options = EpisodeOptions {
            depth_noise,
            #[cfg(feature = "models")]
            pointing: pointing.clone(),
            #[cfg(feature = "models")]
            pictures: arguments.agent.pictures.options(&planner),
            planner: planner.build(),
            perception: arguments.perception.into(),
            agent: agent.clone(),
            seed: instance.seed,
            faults: arguments.faults.fault.clone(),
            ..EpisodeOptions::default()
        };
        let spoilt = |detail: String| InfrastructureFailure { detail };
        kit.episode(&instance.scene, &instance.prompt, options)
            .map(|episode| EpisodeOutcome::from(&episode))
            .map_err(|error| spoilt(error.to_string()))
    };
    let bar = progress_bar(arguments.seeds * tasks.len() as u64);
    let mut progress = |record: &EpisodeRecord| tell(&bar, record);
    let report = run_suite(&tasks, 0..arguments.seeds, info, &episode, &mut progress)?;
    bar.finish_and_clear();
    say(&report.table());
    if let Some(path) = &arguments.out {
        report.write(path)?;
        say(&format!("report: {}", path.display()));
    }
    match arguments.fail_under {
        Some(threshold) if !report.reaches(threshold) => {
            complain(&format!("a task stayed below {threshold}"));
            Ok(ExitCode::BelowThreshold)
        }
        _ => Ok(ExitCode::Ok),
    }
}

fn tasks(names: &[String], robot: &RobotFile) -> Result<Vec<Task>, CliError> {
    let builtin = builtin_task_names();
    let names: Vec<&str> = match names {
        [] => builtin,
        names => names.iter().map(String::as_str).collect(),
    };
    names
        .into_iter()
        .map(|name| Ok(find_task(name, robot)?))
        .collect()
}

pub(super) fn progress_bar(n_episodes: u64) -> ProgressBar {
    const TEMPLATE: &str = "{bar:30} {pos}/{len} {msg} ({per_sec}, {eta} left)";
    let style = ProgressStyle::with_template(TEMPLATE);
    let bar = ProgressBar::new(n_episodes);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Advances the bar; whatever did not succeed gets a line that stays.
fn tell(bar: &ProgressBar, record: &EpisodeRecord) {
    bar.set_message(record.task.clone());
    bar.inc(1);
    if record.verdict != Verdict::Success {
        bar.suspend(|| {
            complain(&format!(
                "{} seed {}: {} - {}",
                record.task, record.seed, record.reason, record.detail
            ));
        });
    }
}
