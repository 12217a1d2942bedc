//! The report of the recovery suite as a page.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ClassReport, RecoveryRecord, RecoveryReport, Totals};
use crate::report::filled;
use crate::report::view::{Drawing, asked_for, drawings, run_on};
use crate::{BenchConfig, BenchError, Chart, Machine, quoted};

const HTML: &str = include_str!("../../templates/recovery.html");
/// Episodes that a list tells of at most; `summary.json` has all.
const MAX_LISTED: usize = 200;

/// Everything that the page of a recovery run tells.
#[derive(Clone, Debug)]
pub struct RecoveryPage<'a> {
    /// What was asked for, with the flags that repeat an episode.
    pub config: &'a BenchConfig,
    /// What was found.
    pub report: &'a RecoveryReport,
    /// Episodes that are still to be run.
    pub missing: usize,
    /// Where it ran.
    pub machine: &'a Machine,
    /// Drawings.
    pub charts: Vec<Chart>,
}

impl RecoveryPage<'_> {
    /// One page with everything in it: no other file and no network is needed to read it.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if it cannot be filled in.
    pub fn html(&self) -> Result<String, BenchError> {
        filled("recovery.html", HTML, View::new(self))
    }
}

#[derive(Serialize)]
struct View {
    facts: Vec<[String; 2]>,
    settings: String,
    missing: usize,
    strategies: Vec<String>,
    groups: Vec<Group>,
    strategy_rows: Vec<[String; 8]>,
    charts: Vec<Drawing>,
    signs: Vec<Sign>,
    lists: Vec<List>,
}

/// Classes of which the same is expected.
#[derive(Serialize)]
struct Group {
    title: &'static str,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    class: String,
    /// One for each strategy.
    shares: Vec<Share>,
    beyond: usize,
    replans: String,
    wasted: usize,
    most_wasted: usize,
    right_signs: usize,
    signs: usize,
    false_successes: usize,
}

/// How many ended as they should, in per cent.
#[derive(Serialize)]
struct Share {
    right: usize,
    n: usize,
    low: f64,
    rate: Option<f64>,
    high: f64,
}

/// A wrong reason, and how often it was given.
#[derive(Serialize)]
struct Sign {
    class: String,
    given: String,
    right: String,
    n: usize,
}

#[derive(Serialize)]
struct List {
    title: String,
    episodes: Vec<Episode>,
    n_more: usize,
}

#[derive(Serialize)]
struct Episode {
    class: String,
    task: String,
    seed: u64,
    sign: Option<String>,
    end: String,
    detail: String,
    trail: Vec<String>,
    command: String,
}

impl View {
    fn new(page: &RecoveryPage<'_>) -> Self {
        let report = page.report;
        let mut facts = asked_for(page.config, page.machine);
        let max_replans = report.info.max_replans.to_string();
        facts.push(["replans at most".to_owned(), max_replans]);
        facts.extend(run_on(page.machine));
        let named = |title: &str, of: &dyn Fn(&RecoveryRecord) -> bool| list(page, title, of);
        Self {
            facts,
            settings: serde_json::to_string_pretty(&page.config.agent).unwrap_or_default(),
            missing: page.missing,
            strategies: report
                .recoverable
                .iter()
                .map(|t| t.strategy.clone())
                .collect(),
            groups: vec![
                group(
                    report,
                    true,
                    "Faults in spite of which the task can be done",
                ),
                group(report, false, "Faults that leave only a right end"),
            ],
            strategy_rows: report.strategy_rows(),
            charts: drawings(&page.charts),
            signs: wrong_signs(report),
            lists: vec![
                named("Did not end as they should", &|r| {
                    !r.right_end && !r.infrastructure
                }),
                named("Spoilt by the machinery, not counted", &|r| {
                    r.infrastructure
                }),
                named("Claimed what the judge denies", &|r| r.false_success),
                named("Gave a wrong reason first", &|r| {
                    r.right_sign == Some(false)
                }),
                named("Wasted more than one step", &|r| r.wasted > 1),
                named("Went beyond the budgets", &|r| r.beyond),
            ],
        }
    }
}

fn group(report: &RecoveryReport, recoverable: bool, title: &'static str) -> Group {
    let belongs = |class: &&ClassReport| class.info.recoverable == recoverable;
    let classes = report.classes.iter().filter(belongs);
    let mut rows: Vec<Row> = classes
        .filter_map(|class| row(&class.info.name, &class.totals))
        .collect();
    if rows.len() > 1 {
        let all = match recoverable {
            true => &report.recoverable,
            false => &report.unrecoverable,
        };
        rows.extend(row("all", all));
    }
    Group { title, rows }
}

/// `None` for a class of which nothing was run.
fn row(class: &str, totals: &[Totals]) -> Option<Row> {
    let first = totals.first().filter(|t| t.episodes + t.beyond > 0)?;
    let share = |totals: &Totals| {
        let [low, high] = totals.wilson95.map(|rate| 100.0 * rate);
        let n = totals.episodes;
        Share {
            right: totals.right_ends,
            n,
            low,
            rate: (n > 0).then(|| 100.0 * totals.right_ends as f64 / n as f64),
            high,
        }
    };
    Some(Row {
        class: class.to_owned(),
        shares: totals.iter().map(share).collect(),
        beyond: first.beyond,
        replans: format!("{:.2}", first.mean_replans),
        wasted: first.wasted,
        most_wasted: first.most_wasted,
        right_signs: first.right_signs,
        signs: first.signs,
        false_successes: first.false_successes,
    })
}

fn wrong_signs(report: &RecoveryReport) -> Vec<Sign> {
    let of_class = |class: &ClassReport| {
        let wrong = class.odd.iter().filter(|r| r.right_sign == Some(false));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for record in wrong {
            let sign = record.sign.clone();
            let given = sign.unwrap_or_else(|| format!("none, {}", record.end));
            *counts.entry(given).or_default() += 1;
        }
        let sign = |(given, n)| Sign {
            class: class.info.name.clone(),
            given,
            right: class.info.signs.join(", "),
            n,
        };
        counts.into_iter().map(sign).collect::<Vec<_>>()
    };
    report.classes.iter().flat_map(of_class).collect()
}

fn list(page: &RecoveryPage<'_>, title: &str, of: &dyn Fn(&RecoveryRecord) -> bool) -> List {
    let all = page.report.classes.iter().flat_map(|class| &class.odd);
    let all: Vec<_> = all.filter(|record| of(record)).collect();
    let episode = |record: &&RecoveryRecord| Episode {
        class: record.class.clone(),
        task: record.task.clone(),
        seed: record.seed,
        sign: record.sign.clone(),
        end: record.end.to_string(),
        detail: record.detail.clone(),
        trail: record.trail.clone(),
        command: command(page.config, record),
    };
    List {
        title: format!("{title}: {}", all.len()),
        n_more: all.len().saturating_sub(MAX_LISTED),
        episodes: all.iter().take(MAX_LISTED).map(episode).collect(),
    }
}

/// The command that does an episode of the first strategy again.
fn command(config: &BenchConfig, record: &RecoveryRecord) -> String {
    let mut words = vec![
        "regrasp bench --suite recovery --no-baselines --classes".to_owned(),
        quoted(&record.class),
        format!("--seed {}", record.seed),
    ];
    words.extend(config.repeat.iter().map(|word| quoted(word)));
    words.join(" ")
}
