//! `regrasp perceive`: comparison of perception with the true state.

use crate::exit::ExitCode;
use regrasp::api::Percept;
use regrasp::bench::{SightReport, SightSummary, Spread, compare_sight, summarize_sight};
use regrasp::ground_truth::GroundTruth;
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::scene::{TaskInstance, find_task};
use regrasp::sim::SimOptions;
use regrasp::{DepthNoise, LoadedRobot};
use serde::Serialize;

use crate::arguments::PerceiveArguments;
use crate::error::CliError;
use crate::output::{complain, say};
use crate::values::PerceptionArgument;

#[derive(Serialize)]
struct Row {
    task: String,
    seeds: u64,
    #[serde(flatten)]
    summary: SightSummary,
}

/// Perceives every task and seed once, and compares with the true state.
pub(super) fn perceive(arguments: &PerceiveArguments) -> Result<ExitCode, CliError> {
    #[cfg(feature = "models")]
    if arguments.perception == PerceptionArgument::Pointer {
        return Err(CliError::usage(
            "measure a perception with a model: `perceive` uses no model; choose rgbd",
        ));
    }
    let robot = arguments.robot.load()?;
    let tasks = arguments.tasks.iter().map(|name| find_task(name, &robot));
    let tasks: Result<Vec<_>, _> = tasks.collect();
    let tasks = tasks?;
    let loaded = LoadedRobot::new(robot)?;
    let mut rows = Vec::new();
    for task in &tasks {
        let mut reports = Vec::new();
        for seed in 0..arguments.seeds {
            let instance = task.instantiate(seed)?;
            let (percept, truth) = look(&loaded, &instance, arguments)?;
            let report = compare_sight(&percept, &truth);
            print_report(&instance, &report);
            reports.push(report);
        }
        rows.push(Row {
            task: task.name().to_owned(),
            seeds: arguments.seeds,
            summary: summarize_sight(&reports),
        });
    }
    if arguments.json {
        say(&serde_json::to_string_pretty(&rows)?);
    } else {
        rows.iter().for_each(|row| say(&line(row)));
    }
    Ok(ExitCode::Ok)
}

fn look(
    loaded: &LoadedRobot,
    instance: &TaskInstance,
    arguments: &PerceiveArguments,
) -> Result<(Percept, GroundTruth), CliError> {
    let scene = &instance.scene;
    let mut cell = loaded.cell(scene, SimOptions::default(), NoiseOptions::default())?;
    if arguments.perception == PerceptionArgument::Rgbd {
        let noise = DepthNoise {
            std_at_1_m: arguments.depth_noise,
            seed: instance.seed,
            ..DepthNoise::default()
        };
        let truth = cell.sim()?.truth.clone();
        cell.robot.perception = Box::new(loaded.rgbd(scene, truth, noise, instance.seed)?);
    }
    let observed = cell.robot.world.observe();
    let observation = observed.map_err(regrasp::SetupError::from)?;
    let percept = cell.robot.perception.perceive(&observation)?;
    Ok((percept, cell.sim()?.truth.truth()))
}

/// Prints a line about missed and phantom objects.
fn print_report(instance: &TaskInstance, report: &SightReport) {
    let SightReport { missed, ghosts, .. } = report;
    if !missed.is_empty() || !ghosts.is_empty() {
        complain(&format!(
            "{} seed {}: missed {missed:?}, false positives {ghosts:?}",
            instance.name, instance.seed
        ));
    }
}

fn line(row: &Row) -> String {
    let spread = |spread: &Option<Spread>, scale: f64, unit: &str| match spread {
        None => "-".to_owned(),
        Some(s) => format!(
            "{:.1} / {:.1} / {:.1} {unit}",
            s.median * scale,
            s.p95 * scale,
            s.max * scale
        ),
    };
    let s = &row.summary;
    format!(
        "{}: {} objects in {} looks; median / p95 / max of position {}, yaw {}, size {}; missed \
         {}, false positives {}, wrong colour {}",
        row.task,
        s.n_objects,
        row.seeds,
        spread(&s.position_m, 1e3, "mm"),
        spread(&s.yaw_rad, 180.0 / std::f64::consts::PI, "deg"),
        spread(&s.size_m, 1e3, "mm"),
        s.n_missed,
        s.n_ghosts,
        s.n_confused
    )
}
