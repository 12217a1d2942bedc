//! What templates are filled in with: texts and numbers as they are shown.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

use super::{Report, repeat_command};
use crate::summary::{Counts, FailureRecord};
use crate::{BenchConfig, Key, Machine, TaskSummary, TaskTiming};

/// Episodes that a list tells of at most; `summary.json` has all.
const MAX_LISTED: usize = 200;

#[derive(Serialize)]
pub(super) struct View {
    facts: Vec<[String; 2]>,
    settings: String,
    missing: usize,
    rows: Vec<Row>,
    charts: Vec<Drawing>,
    reasons: Vec<Share>,
    failed_in: Vec<Share>,
    phases: Vec<Phase>,
    slowest: Vec<Slow>,
    lists: Vec<List>,
}

/// One task, or all.
#[derive(Serialize)]
struct Row {
    task: String,
    successes: usize,
    judged: usize,
    low: f64,
    rate: Option<f64>,
    high: f64,
    false_successes: usize,
    unclaimed: usize,
    infrastructure: String,
    stray_contacts: usize,
    replans: usize,
    planner_calls: usize,
    median_s: Option<String>,
    p95_s: Option<String>,
    median_sim_s: Option<String>,
}

/// A chart as templates take it.
#[derive(Serialize)]
pub(crate) struct Drawing {
    title: String,
    svg: String,
}

/// How often something is the case.
#[derive(Serialize)]
struct Share {
    name: String,
    n: usize,
}

/// Where time goes.
#[derive(Serialize)]
struct Phase {
    task: String,
    name: String,
    n: u64,
    sim_ms: String,
    wall_ms: String,
}

#[derive(Serialize)]
struct Slow {
    task: String,
    seed: u64,
    wall_s: String,
    command: String,
}

/// Episodes that are to be looked at, for one cause.
#[derive(Serialize)]
struct List {
    title: String,
    episodes: Vec<Episode>,
    n_more: usize,
}

#[derive(Serialize)]
struct Episode {
    task: String,
    seed: u64,
    reason: String,
    phase: Option<String>,
    detail: String,
    command: String,
    /// A picture as base64.
    png: Option<String>,
}

impl View {
    pub(super) fn new(report: &Report<'_>) -> Self {
        let summary = report.summary;
        let tasks = summary.tasks.iter().zip(&report.timing.tasks);
        let mut rows: Vec<_> = tasks
            .clone()
            .map(|(task, timing)| Row::of(task, timing))
            .collect();
        if rows.len() > 1 {
            rows.push(Row::new("all", &summary.pooled));
        }
        Self {
            facts: facts(report),
            settings: serde_json::to_string_pretty(&report.config.agent).unwrap_or_default(),
            missing: summary.missing,
            rows,
            charts: drawings(&report.charts),
            reasons: shares(summary.reasons()),
            failed_in: shares(summary.failed_in()),
            phases: tasks
                .flat_map(|(task, timing)| phases(task, timing))
                .collect(),
            slowest: slowest(report),
            lists: vec![
                list(report, "Failures of the robot", |task| &task.failures),
                list(report, "Done, but reported as a failure", |task| {
                    &task.unclaimed_successes
                }),
                list(report, "Failures of the machinery and of scenes", |task| {
                    &task.infrastructure_failures
                }),
            ],
        }
    }
}

/// What another person needs to repeat it.
fn facts(report: &Report<'_>) -> Vec<[String; 2]> {
    let timing = report.timing;
    let mut facts = asked_for(report.config, &timing.machine);
    let jobs = timing.jobs.map(|jobs| jobs.to_string());
    let throughput = timing.episodes_per_s().map(|rate| {
        let (n, s) = (timing.session_episodes, timing.session_s);
        format!("{rate:.2} episodes/s ({n} in {s:.1} s)")
    });
    let starts = report.summary.pooled.starts();
    facts.extend(starts.map(|value| fact("starts", &value)));
    facts.extend(jobs.map(|value| fact("jobs", &value)));
    facts.extend(throughput.map(|value| fact("throughput", &value)));
    facts.extend(run_on(&timing.machine));
    facts
}

fn fact(name: &str, value: &str) -> [String; 2] {
    [name.to_owned(), value.to_owned()]
}

/// The planner, with its version if it has one.
fn planner(config: &BenchConfig) -> String {
    match &config.planner_version {
        Some(version) => format!("{} (version {version})", config.planner),
        None => config.planner.clone(),
    }
}

/// What was asked for, and of which program.
pub(crate) fn asked_for(config: &BenchConfig, machine: &Machine) -> Vec<[String; 2]> {
    let build = if machine.optimised { "release" } else { "dev" };
    let mut facts = vec![
        fact(
            "version",
            &format!("regrasp {}, {build} profile", config.version),
        ),
        fact("planner", &planner(config)),
        fact("perception", &config.perception),
        fact("robot", &config.robot),
        fact("seeds", &config.seeds.to_string()),
    ];
    let faults = config.faults.iter().map(ToString::to_string);
    facts.extend(faults.map(|given| fact("fault", &given)));
    let shard = config.shard.map(|shard| shard.to_string());
    let timeout = config.timeout_s.map(|s| format!("{s} s of real time"));
    facts.extend(shard.map(|value| fact("shard", &value)));
    facts.extend(timeout.map(|value| fact("timeout", &value)));
    facts
}

/// The machine.
pub(crate) fn run_on(machine: &Machine) -> [[String; 2]; 2] {
    [
        fact("machine", &format!("{} × {}", machine.cores, machine.cpu)),
        fact("system", &format!("{}, {}", machine.os, machine.arch)),
    ]
}

impl Row {
    fn new(task: &str, counts: &Counts) -> Self {
        let [low, high] = counts.wilson95.map(|rate| 100.0 * rate);
        Self {
            task: task.to_owned(),
            successes: counts.successes,
            judged: counts.judged(),
            low,
            rate: counts.success_rate().map(|rate| 100.0 * rate),
            high,
            false_successes: counts.false_successes,
            unclaimed: counts.unclaimed,
            infrastructure: counts.spoilt(),
            stray_contacts: counts.stray_contacts,
            replans: counts.replans,
            planner_calls: counts.planner_calls,
            median_s: None,
            p95_s: None,
            median_sim_s: None,
        }
    }

    fn of(task: &TaskSummary, timing: &TaskTiming) -> Self {
        let shown = |s: Option<f64>| s.map(|s| format!("{s:.3}"));
        Self {
            median_s: shown(timing.median_wall_s),
            p95_s: shown(timing.p95_wall_s),
            median_sim_s: task.median_sim_s.map(|s| format!("{s:.2}")),
            ..Self::new(&task.task, &task.counts)
        }
    }
}

pub(crate) fn drawings(charts: &[super::Chart]) -> Vec<Drawing> {
    let drawing = |chart: &super::Chart| Drawing {
        title: chart.title.clone(),
        svg: chart.svg.clone(),
    };
    charts.iter().map(drawing).collect()
}

/// The most frequent first.
fn shares(counts: BTreeMap<&str, usize>) -> Vec<Share> {
    let share = |(name, n): (&str, usize)| Share {
        name: name.to_owned(),
        n,
    };
    let mut shares: Vec<_> = counts.into_iter().map(share).collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.n));
    shares
}

/// Phases of a task, the longest first; times are means over episodes.
fn phases(task: &TaskSummary, timing: &TaskTiming) -> Vec<Phase> {
    let mut walls: Vec<_> = timing.phases.iter().collect();
    walls.sort_by(|a, b| b.1.wall_s.total_cmp(&a.1.wall_s));
    let n_episodes = task.counts.judged().max(1) as f64;
    let phase = |(name, wall): (&String, &crate::PhaseWall)| {
        let sim_s = task.phases.get(name).map_or(0.0, |time| time.sim_s);
        Phase {
            task: task.task.clone(),
            name: name.clone(),
            n: wall.n,
            sim_ms: format!("{:.0}", 1e3 * sim_s / n_episodes),
            wall_ms: format!("{:.2}", 1e3 * wall.mean_s),
        }
    };
    walls.into_iter().map(phase).collect()
}

fn slowest(report: &Report<'_>) -> Vec<Slow> {
    let of = |timing: &TaskTiming| {
        let task = timing.task.clone();
        let slow = move |slow: &crate::SlowEpisode| Slow {
            task: task.clone(),
            seed: slow.seed,
            wall_s: format!("{:.3}", slow.wall_s),
            command: repeat_command(report.config, &task, slow.seed),
        };
        timing.slowest.iter().map(slow).collect::<Vec<_>>()
    };
    report.timing.tasks.iter().flat_map(of).collect()
}

fn list(report: &Report<'_>, title: &str, of: impl Fn(&TaskSummary) -> &[FailureRecord]) -> List {
    let episode = |task: &str, failure: &FailureRecord| {
        let key = Key {
            group: task.to_owned(),
            seed: failure.seed,
        };
        Episode {
            task: task.to_owned(),
            seed: failure.seed,
            reason: failure.reason.clone(),
            phase: failure.phase.clone(),
            detail: failure.detail.clone(),
            command: repeat_command(report.config, task, failure.seed),
            png: report
                .pictures
                .get(&key)
                .map(|png| BASE64_STANDARD.encode(png)),
        }
    };
    let tasks = report.summary.tasks.iter();
    let all = tasks.flat_map(|task| of(task).iter().map(move |f| (task.task.as_str(), f)));
    let n_all = all.clone().count();
    let episodes = all.take(MAX_LISTED).map(|(task, f)| episode(task, f));
    let episodes: Vec<_> = episodes.collect();
    List {
        title: format!("{title}: {n_all}"),
        n_more: n_all - episodes.len(),
        episodes,
    }
}
