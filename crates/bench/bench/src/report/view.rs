//! Values of the templates: texts and numbers as they are shown, and commands that repeat episodes.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::Report;
use crate::summary::{Counts, FailureRecord};
use crate::{BenchConfig, Group, Machine, Summary, TaskSummary, TaskTiming};

/// Maximum number of episodes in a list; `summary.json` has all.
const MAX_LISTED: usize = 200;

pub(super) fn view(report: &Report<'_>) -> Value {
    let summary = report.summary;
    let tasks = summary.tasks.iter().zip(&report.timing.tasks);
    let rows = tasks.clone().map(|(task, timing)| {
        let times = [timing.median_wall_s, timing.p95_wall_s, task.median_sim_s];
        row(&task.task, &task.counts, times)
    });
    let all = (summary.tasks.len() > 1).then(|| row("all", &summary.pooled, [None; 3]));
    let list = |title: &str, of: fn(&TaskSummary) -> &[FailureRecord]| list(report, title, of);
    json!({
        "facts": facts(report),
        "settings": serde_json::to_string_pretty(&report.config.agent).unwrap_or_default(),
        "missing": summary.missing,
        "rows": rows.chain(all).collect::<Value>(),
        "charts": report.charts,
        "reasons": shares(summary.reasons()),
        "failed_in": shares(summary.failed_in()),
        "phases": tasks.flat_map(|(task, timing)| phases(task, timing)).collect::<Value>(),
        "slowest": slowest(report),
        "lists": [
            list("Failures of the robot", |task| &task.failures),
            list("Done, but reported as a failure", |task| &task.unclaimed_successes),
            list("Infrastructure and scene failures", |task| {
                &task.infrastructure_failures
            }),
        ],
    })
}

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
    if timing.session_episodes > 0 {
        let (startup, tasks) = (timing.startup_s, timing.preparation_s);
        let value = format!("{startup:.1} s before the first episode, {tasks:.1} s for tasks");
        facts.push(fact("preparation", &value));
    }
    facts.extend(run_on(&timing.machine));
    facts
}

fn fact(name: &str, value: &str) -> [String; 2] {
    [name.to_owned(), value.to_owned()]
}

fn planner(config: &BenchConfig) -> String {
    match &config.planner_version {
        Some(version) => format!("{} (version {version})", config.planner),
        None => config.planner.clone(),
    }
}

pub(crate) fn asked_for(config: &BenchConfig, machine: &Machine) -> Vec<[String; 2]> {
    let build = if machine.optimised { "release" } else { "dev" };
    let version = format!("regrasp {}, {build} profile", config.version);
    let mut facts = vec![
        fact("version", &version),
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

pub(crate) fn run_on(machine: &Machine) -> [[String; 2]; 2] {
    [
        fact("machine", &format!("{} × {}", machine.cores, machine.cpu)),
        fact("system", &format!("{}, {}", machine.os, machine.arch)),
    ]
}

/// Row of one or all tasks. The times are real (median, 95th percentile) and simulated (median), s.
fn row(task: &str, counts: &Counts, [median, p95, median_sim]: [Option<f64>; 3]) -> Value {
    let shown = |s: Option<f64>| s.map(|s| format!("{s:.3}"));
    json!({
        "task": task,
        "counts": counts,
        "judged": counts.judged(),
        "wilson": counts.wilson95.map(|rate| 100.0 * rate),
        "rate": counts.success_rate().map(|rate| 100.0 * rate),
        "infrastructure": counts.spoilt(),
        "median_s": shown(median),
        "p95_s": shown(p95),
        "median_sim_s": median_sim.map(|s| format!("{s:.2}")),
    })
}

/// Sorts counts by cause, most frequent first.
fn shares(counts: BTreeMap<&str, usize>) -> Vec<(&str, usize)> {
    let mut shares: Vec<_> = counts.into_iter().collect();
    shares.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    shares
}

/// Phases of a task, longest first; times are means over its episodes, ms.
fn phases(task: &TaskSummary, timing: &TaskTiming) -> Vec<Value> {
    let mut walls: Vec<_> = timing.phases.iter().collect();
    walls.sort_by(|a, b| b.1.wall_s.total_cmp(&a.1.wall_s));
    let n_episodes = task.counts.judged().max(1) as f64;
    let phase = |(name, wall): (&String, &crate::PhaseWall)| {
        let sim_s = task.phases.get(name).map_or(0.0, |time| time.sim_s);
        json!({
            "task": task.task,
            "name": name,
            "n": wall.n,
            "sim_ms": format!("{:.0}", 1e3 * sim_s / n_episodes),
            "wall_ms": format!("{:.2}", 1e3 * wall.mean_s),
        })
    };
    walls.into_iter().map(phase).collect()
}

fn slowest(report: &Report<'_>) -> Value {
    let of = |timing: &TaskTiming| {
        let slow = |slow: &crate::SlowEpisode| {
            json!({
                "task": timing.task,
                "seed": slow.seed,
                "wall_s": format!("{:.3}", slow.wall_s),
                "command": repeat_command(report.config, &timing.task, slow.seed),
            })
        };
        timing.slowest.iter().map(slow).collect::<Vec<_>>()
    };
    report.timing.tasks.iter().flat_map(of).collect()
}

/// Failed episodes of one kind, with their pictures in base64.
fn list(report: &Report<'_>, title: &str, of: fn(&TaskSummary) -> &[FailureRecord]) -> Value {
    let episode = |(task, failure): (&TaskSummary, &FailureRecord)| {
        let picture = report.pictures.get(&Summary::key(task, failure.seed));
        json!({
            "task": task.task,
            "failure": failure,
            "command": repeat_command(report.config, &task.task, failure.seed),
            "png": picture.map(|png| BASE64_STANDARD.encode(png)),
        })
    };
    let tasks = report.summary.tasks.iter();
    let all = tasks.flat_map(|task| of(task).iter().map(move |failure| (task, failure)));
    listed(title, all, episode)
}

/// Truncates a list of episodes; the title states the full number.
pub(crate) fn listed<T>(
    title: &str,
    all: impl Iterator<Item = T>,
    episode: impl Fn(T) -> Value,
) -> Value {
    let all: Vec<T> = all.collect();
    json!({
        "title": format!("{title}: {}", all.len()),
        "n_more": all.len().saturating_sub(MAX_LISTED),
        "episodes": all.into_iter().take(MAX_LISTED).map(episode).collect::<Value>(),
    })
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns the command that repeats an episode.
pub fn repeat_command(config: &BenchConfig, task: &str, seed: u64) -> String {
    let group = config.groups.iter().find(|group| group.name == task);
    let source = group.map_or(task, Group::source);
    let mut words = vec!["regrasp run --task".to_owned(), quoted(source)];
    words.push(format!("--seed {seed}"));
    words.extend(config.repeat.iter().map(|word| quoted(word)));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quoted("tasks/my_task.yaml"), "tasks/my_task.yaml");
        assert_eq!(quoted("it's {a: 1}"), r"'it'\''s {a: 1}'");
        assert_eq!(quoted(""), "''");
    }
}
