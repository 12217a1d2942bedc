//! Report as a table for a terminal.

use comfy_table::{CellAlignment, Row, Table, presets};

use crate::summary::Counts;
use crate::{Comparison, Summary, TaskTiming};

/// Formats a table in plain ASCII without colours: one row per task, and a last row for all tasks
/// if there are several.
pub fn table(summary: &Summary, timings: &[TaskTiming]) -> String {
    let head = "task | success | 95 % interval | false success | unclaimed | infrastructure | \
                stray contacts | replans | median s | p95 s";
    let rows = summary.tasks.iter().zip(timings).map(|(task, timing)| {
        let times = [timing.median_wall_s, timing.p95_wall_s];
        row(&task.task, &task.counts, times)
    });
    let all = (summary.tasks.len() > 1).then(|| row("all", &summary.pooled, [None; 2]));
    drawn(head.split(" | "), rows.chain(all), 1)
}

/// Formats a table in plain ASCII; columns from a given index on are right-aligned.
pub(crate) fn drawn<R: Into<Row>>(
    head: impl Into<Row>,
    rows: impl IntoIterator<Item = R>,
    figures_from: usize,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(head).add_rows(rows);
    for column in table.column_iter_mut().skip(figures_from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

impl Comparison {
    /// Formats the comparison as a table: one row per task, and a last row for all tasks if there
    /// are several.
    pub fn table(&self) -> String {
        let head = ["task", "first", "second", "wins", "losses", "ties", "p"];
        let several = (self.tasks.len() > 1).then_some(("all", &self.pooled));
        let tasks = self.tasks.iter().map(|pairs| (pairs.task.as_str(), pairs));
        let rows = tasks.chain(several).map(|(name, pairs)| {
            [
                name.to_owned(),
                format!("{}/{}", pairs.both + pairs.wins, pairs.pairs),
                format!("{}/{}", pairs.both + pairs.losses, pairs.pairs),
                pairs.wins.to_string(),
                pairs.losses.to_string(),
                pairs.ties().to_string(),
                format!("{:.3}", pairs.p_value),
            ]
        });
        drawn(head, rows, 1)
    }
}

fn row(name: &str, counts: &Counts, times: [Option<f64>; 2]) -> [String; 10] {
    let [median, p95] = times.map(|s| s.map_or("-".to_owned(), |s| format!("{s:.3}")));
    let [low, high] = counts.wilson95.map(|rate| 100.0 * rate);
    [
        name.to_owned(),
        done(counts),
        format!("{low:.1} - {high:.1} %"),
        counts.false_successes.to_string(),
        counts.unclaimed.to_string(),
        counts.spoilt(),
        counts.stray_contacts.to_string(),
        counts.replans.to_string(),
        median,
        p95,
    ]
}

/// Formats the successes among the judged episodes, then those by other rules: `6/8 (ever 7)`.
fn done(counts: &Counts) -> String {
    let others = [
        counts.ever_done.map(|n| format!("ever {n}")),
        counts.strict_successes.map(|n| format!("strictly {n}")),
    ];
    let others: Vec<String> = others.into_iter().flatten().collect();
    let at_end = format!("{}/{}", counts.successes, counts.judged());
    match others.is_empty() {
        true => at_end,
        false => format!("{at_end} ({})", others.join(", ")),
    }
}
