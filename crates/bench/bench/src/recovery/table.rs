//! The report as a table for a terminal.

use comfy_table::{CellAlignment, Table, presets};

use super::{Pair, RecoveryReport, Totals};

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
        let figures = figures.map(str::to_owned);
        table.set_header(head.chain(names).chain(figures).chain(rest));
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
        let mut parts = vec![table.to_string()];
        if !self.pairs.is_empty() {
            parts.push(self.strategies());
        }
        let spoilt = self.all.iter().filter(|t| t.infrastructure > 0);
        parts.extend(spoilt.map(|t| {
            let (n, who) = (t.infrastructure, &t.strategy);
            format!("infrastructure: {n} of {who} not counted, since the machinery failed")
        }));
        parts.join("\n\n")
    }

    /// One row for each strategy over all classes, and what sets it apart from the next.
    fn strategies(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "strategy",
            "right ends",
            "95 % interval",
            "replans",
            "tokens/episode",
            "s/episode",
            "only this : only next",
            "p (McNemar)",
        ]);
        for row in self.strategy_rows() {
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// Name, right ends, interval, replans, tokens, seconds, and the pair with the next one.
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
