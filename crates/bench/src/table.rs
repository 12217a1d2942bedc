//! The report as a table for a terminal.

use comfy_table::{CellAlignment, Table, presets};

use crate::{BenchReport, TaskReport};

impl BenchReport {
    /// A table with one row per task, in plain ASCII, without colours.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "task",
            "success",
            "95 % interval",
            "false success",
            "stray contacts",
            "infrastructure",
            "median s",
            "p95 s",
        ]);
        for task in &self.tasks {
            table.add_row(row(task));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }
}

fn row(task: &TaskReport) -> [String; 8] {
    let seconds = |s: Option<f64>| s.map_or("-".to_owned(), |s| format!("{s:.3}"));
    let [low, high] = task.wilson95.map(|rate| 100.0 * rate);
    [
        task.task.clone(),
        format!("{}/{}", task.successes, task.judged()),
        format!("{low:.1} - {high:.1} %"),
        task.false_successes.to_string(),
        task.stray_contacts.to_string(),
        task.infrastructure.to_string(),
        seconds(task.median_wall_s),
        seconds(task.p95_wall_s),
    ]
}
