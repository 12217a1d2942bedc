//! Recovery report as a table for a terminal.

use comfy_table::Row;

use super::{Pair, RecoveryReport, Totals};
use crate::table::drawn;

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
            format!("infrastructure: {n} of {who} not counted")
        }));
        parts.join("\n\n")
    }

    fn strategies(&self) -> String {
        let head = "strategy | correct outcomes | 95 % interval | replans | tokens/episode | \
                    s/episode | only this : only next | p (McNemar)";
        drawn(head.split(" | "), self.strategy_rows(), 1)
    }

    /// Columns: name, correct ends, interval, replans, tokens, seconds, pair with the next
    /// strategy.
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
