//! Report of the recovery suite as a page, and as a table for a terminal.

use std::collections::BTreeMap;

use comfy_table::Row;
use serde_json::{Value, json};

use super::{ClassReport, Pair, RecoveryRecord, RecoveryReport, Totals};
use crate::report::filled;
use crate::report::view::{asked_for, listed, run_on};
use crate::table::drawn;
use crate::{BenchConfig, BenchError, Chart, Machine, quoted};

const HTML: &str = include_str!("../../templates/recovery.html");

/// Content of the page of a recovery run.
#[derive(Clone, Debug)]
pub struct RecoveryPage<'a> {
    /// Configuration of the run, with the flags that repeat an episode.
    pub config: &'a BenchConfig,
    /// Results.
    pub report: &'a RecoveryReport,
    /// Number of episodes still to be run.
    pub missing: usize,
    /// Machine of the run.
    pub machine: &'a Machine,
    /// Charts.
    pub charts: Vec<Chart>,
}

impl RecoveryPage<'_> {
    /// Renders one self-contained page, readable without other files or a network.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the template cannot be rendered.
    pub fn html(&self) -> Result<String, BenchError> {
        filled("recovery.html", HTML, view(self))
    }
}

fn view(page: &RecoveryPage<'_>) -> Value {
    let report = page.report;
    let mut facts = asked_for(page.config, page.machine);
    let max_replans = report.info.max_replans.to_string();
    facts.push(["maximum replans".to_owned(), max_replans]);
    facts.extend(run_on(page.machine));
    let strategies = report.recoverable.iter().map(|t| t.strategy.as_str());
    let list = |title: &str, of: fn(&RecoveryRecord) -> bool| list(page, title, of);
    json!({
        "facts": facts,
        "settings": serde_json::to_string_pretty(&page.config.agent).unwrap_or_default(),
        "missing": page.missing,
        "strategies": strategies.collect::<Value>(),
        "groups": [
            group(report, true, "Faults that leave the task solvable"),
            group(report, false, "Faults that make the task impossible"),
        ],
        "strategy_rows": report.strategy_rows(),
        "charts": page.charts,
        "signs": wrong_signs(report),
        "lists": [
            list("Wrong outcome", |r| !r.right_end && !r.infrastructure),
            list("Infrastructure failures, not counted", |r| r.infrastructure),
            list("Claimed a success that the judge denies", |r| r.false_success),
            list("Gave a wrong reason first", |r| r.right_sign == Some(false)),
            list("Wasted more than one step", |r| r.wasted > 1),
            list("Exceeded a budget", |r| r.beyond),
        ],
    })
}

fn group(report: &RecoveryReport, recoverable: bool, title: &str) -> Value {
    let belongs = |class: &&ClassReport| class.info.recoverable == recoverable;
    let classes = report.classes.iter().filter(belongs);
    let rows = classes.filter_map(|class| row(&class.info.name, &class.totals));
    let mut rows: Vec<Value> = rows.collect();
    if rows.len() > 1 {
        let all = match recoverable {
            true => &report.recoverable,
            false => &report.unrecoverable,
        };
        rows.extend(row("all", all));
    }
    json!({ "title": title, "rows": rows })
}

/// Row of a class; `None` if the first strategy ran none of its episodes. Shows the share of
/// correct ends for each strategy; all other figures belong to the first strategy.
fn row(class: &str, totals: &[Totals]) -> Option<Value> {
    let first = totals.first().filter(|t| t.episodes + t.beyond > 0)?;
    let share = |totals: &Totals| {
        let n = totals.episodes;
        json!({
            "right": totals.right_ends,
            "n": n,
            "wilson": totals.wilson95.map(|rate| 100.0 * rate),
            "rate": (n > 0).then(|| 100.0 * totals.right_ends as f64 / n as f64),
        })
    };
    Some(json!({
        "class": class,
        "shares": totals.iter().map(share).collect::<Value>(),
        "first": first,
        "replans": format!("{:.2}", first.mean_replans),
    }))
}

fn wrong_signs(report: &RecoveryReport) -> Value {
    let of_class = |class: &ClassReport| {
        let wrong = class.odd.iter().filter(|r| r.right_sign == Some(false));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for record in wrong {
            let sign = record.sign.clone();
            let given = sign.unwrap_or_else(|| format!("none, {}", record.end));
            *counts.entry(given).or_default() += 1;
        }
        let sign = |(given, n): (String, usize)| {
            let right = class.info.signs.join(", ");
            json!({ "class": class.info.name, "given": given, "right": right, "n": n })
        };
        counts.into_iter().map(sign).collect::<Vec<_>>()
    };
    report.classes.iter().flat_map(of_class).collect()
}

fn list(page: &RecoveryPage<'_>, title: &str, of: fn(&RecoveryRecord) -> bool) -> Value {
    let all = page.report.classes.iter().flat_map(|class| &class.odd);
    let entry = |record| json!({ "record": record, "command": command(page.config, record) });
    listed(title, all.filter(|record| of(record)), entry)
}

fn command(config: &BenchConfig, record: &RecoveryRecord) -> String {
    let mut words = vec![
        "regrasp bench --suite recovery --no-baselines --classes".to_owned(),
        quoted(&record.class),
        format!("--seed {}", record.seed),
    ];
    words.extend(config.repeat.iter().map(|word| quoted(word)));
    words.join(" ")
}

impl RecoveryReport {
    /// Formats the report in plain ASCII, one row per class. For all strategies but the first, it
    /// shows only correct ends.
    pub fn table(&self) -> String {
        let mut names = self.recoverable.iter().map(|t| t.strategy.as_str());
        let first = names.next();
        let figures = "95 % interval | over budget | replans | wasted (most) | right reason | \
                       false success";
        let head = ["class", "expected"].into_iter().chain(first);
        let head = head.chain(figures.split(" | ")).chain(names);
        let row = |(name, should, totals): (&str, &str, &[Totals])| {
            let first = totals.first().filter(|t| t.episodes > 0)?;
            let cells = [name, should].map(str::to_owned).into_iter();
            let others = totals.iter().skip(1).map(share);
            Some(Row::from(cells.chain(full(first)).chain(others)))
        };
        let classes = self.classes.iter().map(|class| {
            let should = match class.info.recoverable {
                true => "recover",
                false => "end",
            };
            (class.info.name.as_str(), should, class.totals.as_slice())
        });
        let all = [
            ("all", "recover", self.recoverable.as_slice()),
            ("all", "end", self.unrecoverable.as_slice()),
        ];
        let mut parts = vec![drawn(head, classes.chain(all).filter_map(row), 2)];
        if !self.pairs.is_empty() {
            parts.push(self.strategies());
        }
        let spoilt = self.all.iter().filter(|t| t.infrastructure > 0);
        parts.extend(spoilt.map(|t| {
            let (n, who) = (t.infrastructure, &t.strategy);
            format!("infrastructure failures of {who}, not counted: {n}")
        }));
        parts.join("\n\n")
    }

    fn strategies(&self) -> String {
        let head = "strategy | correct outcomes | 95 % interval | replans | tokens/episode | \
                    s/episode | only this : only next | p (McNemar)";
        drawn(head.split(" | "), self.strategy_rows(), 1)
    }

    /// Columns: name, correct ends, interval, replans, tokens, seconds, counts and p-value of the
    /// pair with the next strategy.
    pub(super) fn strategy_rows(&self) -> Vec<[String; 8]> {
        let row = |(i, totals): (usize, &Totals)| {
            let [low, high] = totals.wilson95.map(|rate| 100.0 * rate);
            let pair = self.pairs.get(i);
            let only = |p: &Pair| format!("{} : {}", p.only_first, p.only_second);
            [
                totals.strategy.clone(),
                format!("{}/{}", totals.right_ends, totals.episodes),
                match totals.episodes {
                    0 => "-".to_owned(),
                    _ => format!("{low:.1} - {high:.1} %"),
                },
                format!("{:.2}", totals.mean_replans),
                format!("{:.0}", totals.mean_tokens),
                format!("{:.2}", totals.mean_wall_secs),
                pair.map_or_else(String::new, only),
                pair.map_or_else(String::new, |p| format!("{:.2e}", p.p_value)),
            ]
        };
        self.all.iter().enumerate().map(row).collect()
    }
}

fn share(totals: &Totals) -> String {
    let [low, high] = totals.wilson95.map(|rate| 100.0 * rate);
    let (right, all) = (totals.right_ends, totals.episodes);
    format!("{right}/{all} ({low:.0}-{high:.0} %)")
}

fn full(totals: &Totals) -> [String; 7] {
    let [low, high] = totals.wilson95.map(|rate| 100.0 * rate);
    [
        format!("{}/{}", totals.right_ends, totals.episodes),
        format!("{low:.1} - {high:.1} %"),
        totals.beyond.to_string(),
        format!("{:.2}", totals.mean_replans),
        format!("{} ({})", totals.wasted, totals.most_wasted),
        format!("{}/{}", totals.right_signs, totals.signs),
        totals.false_successes.to_string(),
    ]
}
