//! `regrasp perceive`: comparison of perception with ground truth.

use std::time::{Duration, Instant};

use regrasp::bench::{
    Seeds, SightReport, SightSummary, Spread, compare_sight, summarize_sight,
    summarize_sight_by_kind,
};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::scene::TaskInstance;
use regrasp::sim::SimOptions;
use regrasp::{LoadedRobot, SightOptions};
use serde::Serialize;

use crate::arguments::PerceiveArguments;
use crate::{CliError, ExitCode, PerceptionArgument, Result, SuiteName, complain, say};

#[derive(Serialize)]
struct Row {
    task: String,
    seeds: u64,
    #[serde(flatten)]
    summary: SightSummary,
}

/// Perceives every task and seed once, and compares the percepts with ground truth.
pub(super) fn perceive(arguments: &PerceiveArguments) -> Result<ExitCode> {
    if arguments.perception == PerceptionArgument::Pointer {
        return Err(CliError::usage(
            "use --perception pointer: `perceive` asks no model; choose `rgbd`",
        ));
    }
    let suite = arguments.suite.as_ref();
    if suite == Some(&SuiteName::Recovery) {
        let why = "use --suite recovery: it has faults, not tasks; name tasks with --tasks";
        return Err(CliError::usage(why));
    }
    let robot = arguments.robot.load()?;
    let tasks = arguments.libero.chosen(suite, &arguments.tasks, &robot)?;
    let sight = arguments.cameras.sight(&arguments.libero)?;
    let loaded = LoadedRobot::new(robot)?;
    let usual = || Seeds::first(arguments.seeds);
    let seeds = arguments.rows.clone().unwrap_or_else(usual);
    let (mut rows, mut all, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let row = |task: &str, reports: &[SightReport]| Row {
        task: task.to_owned(),
        seeds: reports.len() as u64,
        summary: summarize_sight(reports),
    };
    for (_, task) in &tasks {
        let mut reports = Vec::new();
        for seed in seeds.as_slice() {
            let instance = task.draw(*seed).map_err(CliError::file)?;
            let (report, took) = look(&loaded, &instance, arguments.perception, &sight)?;
            print_report(&instance, &report);
            reports.push(report);
            times.push(took);
        }
        task.release();
        rows.push(row(task.name(), &reports));
        all.extend(reports);
    }
    if arguments.by_kind {
        let kinds = summarize_sight_by_kind(&all).into_iter();
        rows = kinds
            .map(|(task, summary)| Row {
                task,
                seeds: all.len() as u64,
                summary,
            })
            .collect();
    }
    if tasks.len() > 1 {
        rows.push(row("all", &all));
    }
    if arguments.json {
        say(&serde_json::to_string_pretty(&rows)?);
    } else {
        rows.iter().for_each(|row| say(&line(row)));
        print_times(times);
    }
    Ok(ExitCode::Ok)
}

/// Perceives an instance once, compares the percept with ground truth, and measures the time.
fn look(
    loaded: &LoadedRobot,
    instance: &TaskInstance,
    perception: PerceptionArgument,
    sight: &SightOptions,
) -> Result<(SightReport, Duration)> {
    let scene = &instance.scene;
    let mut cell = loaded.cell(scene, SimOptions::default(), NoiseOptions::default())?;
    if perception == PerceptionArgument::Rgbd {
        let truth = cell.sim()?.truth.clone();
        let sight = sight.seeded(instance.seed);
        cell.robot.perception = Box::new(loaded.rgbd(scene, truth, &sight, instance.seed)?);
    }
    let observed = cell.robot.world.observe();
    let observation = observed.map_err(regrasp::SetupError::from)?;
    let began = Instant::now();
    let percept = cell.robot.perception.perceive(&observation)?;
    let took = began.elapsed();
    Ok((compare_sight(&percept, &cell.sim()?.truth.truth()), took))
}

/// Prints the real time of perception, which depends on the machine.
fn print_times(mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| times[(part * (times.len() - 1) as f64).round() as usize].as_secs_f64();
    let (median, p95) = (at(0.5), at(0.95));
    complain(&format!(
        "perception took {median:.2} s (median), {p95:.2} s (p95) per look, rendering included"
    ));
}

/// Prints a line about missed, false and misnamed objects, if there are any. Misnamed ones are left
/// out if all seen objects are misnamed, as without models.
fn print_report(instance: &TaskInstance, report: &SightReport) {
    let (missed, ghosts) = (&report.missed, &report.ghosts);
    let knows = report.misnamed.len() < report.seen.len();
    let misnamed = report.misnamed.iter().filter(|_| knows);
    let misnamed: String = misnamed
        .map(|[object, seen]| format!(", {object} recognised as {seen}"))
        .collect();
    if !missed.is_empty() || !ghosts.is_empty() || !misnamed.is_empty() {
        let named = |ids: &[String]| {
            if ids.is_empty() {
                "none".to_owned()
            } else {
                ids.join(", ")
            }
        };
        complain(&format!(
            "{} seed {}: missed {}, false positives {}{misnamed}",
            instance.name,
            instance.seed,
            named(missed),
            named(ghosts)
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
    const DEG: f64 = 180.0 / std::f64::consts::PI;
    let s = &row.summary;
    let joints = match (&s.slide_m, &s.hinge_rad, s.n_joints_missed) {
        (None, None, 0) => String::new(),
        (slides, hinges, missed) => format!(
            "; openings of slides {}, of hinges {}, not seen {missed}",
            spread(slides, 1e3, "mm"),
            spread(hinges, DEG, "deg")
        ),
    };
    format!(
        "{}: {} objects in {} looks; median / p95 / max of position {}, yaw {}, size {}; missed \
         {}, false positives {}, wrong colour {}, wrong category {}{joints}",
        row.task,
        s.n_objects,
        row.seeds,
        spread(&s.position_m, 1e3, "mm"),
        spread(&s.yaw_rad, DEG, "deg"),
        spread(&s.size_m, 1e3, "mm"),
        s.n_missed,
        s.n_ghosts,
        s.n_confused,
        s.n_misnamed
    )
}
