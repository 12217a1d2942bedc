//! The report as a table for a terminal.

use comfy_table::{CellAlignment, Table, presets};

use super::{RecoveryReport, Totals};

impl RecoveryReport {
    /// One row for each class: the first strategy in full, of the others how many
    /// episodes ended as they should. Plain ASCII.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        let others = |totals: &[Totals]| -> Vec<String> {
            let others = totals.iter().skip(1);
            others.map(share).collect()
        };
        let names = self.recoverable.iter().map(|t| t.strategy.clone());
        let head = ["class", "should"].map(str::to_owned).into_iter();
        let figures = [
            "95 % interval",
            "beyond budget",
            "replans",
            "wasted (most)",
            "right reason",
            "false success",
        ];
        let mut names: Vec<String> = names.collect();
        let rest = names.split_off(names.len().min(1));
        table.set_header(
            head.chain(names)
                .chain(figures.map(str::to_owned))
                .chain(rest),
        );
        let mut add = |name: &str, should: &str, totals: &[Totals]| {
            if let Some(first) = totals.first().filter(|t| t.episodes > 0) {
                let cells = [name, should].map(str::to_owned).into_iter();
                table.add_row(cells.chain(full(first)).chain(others(totals)));
            }
        };
        for class in &self.classes {
            let should = if class.info.recoverable {
                "recover"
            } else {
                "end"
            };
            add(&class.info.name, should, &class.totals);
        }
        add("all", "recover", &self.recoverable);
        add("all", "end", &self.unrecoverable);
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }
}

fn share(totals: &Totals) -> String {
    let [low, high] = totals.wilson95.map(|rate| 100.0 * rate);
    format!(
        "{}/{} ({low:.0}-{high:.0} %)",
        totals.right_ends, totals.episodes
    )
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
