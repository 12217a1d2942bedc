//! Table from reasons to their causes and rules, in `reasons.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regrasp_api::{Category, Reason, Route, Severity};
use serde::{Deserialize, Serialize};

/// Rule for failures with a reason, before the evidence is considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Severity of the failure.
    pub severity: Severity,
    /// Origin of the failure.
    pub category: Category,
    /// First reaction. The evidence may escalate it.
    pub route: Route,
    /// Largest number of retries of the same step, if the route is `retry`.
    #[serde(default)]
    pub max_retries: u8,
    /// Simulated wait before a retry, ms, because some causes pass.
    #[serde(default)]
    pub pause_ms: u32,
}

/// User-defined rules by reason. The built-in table has the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleTable {
    overrides: BTreeMap<String, Rule>,
}

impl RuleTable {
    /// Returns the rule for a reason.
    pub fn rule(&self, reason: &Reason) -> Rule {
        let own = self.overrides.get(reason.slug());
        own.copied().unwrap_or_else(|| known(reason).0)
    }

    /// Replaces the rule for one reason.
    pub fn with(mut self, reason: &Reason, rule: Rule) -> Self {
        self.overrides.insert(reason.slug().to_owned(), rule);
        self
    }
}

/// Facts about a reason besides its rule.
#[derive(Debug, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Known {
    /// Usual cause of failures with this reason.
    #[default("it did not end as expected".into())]
    pub(crate) cause: String,
    /// True if the failure persists until the world is changed.
    pub(crate) structural: bool,
}

/// Reasons with the same rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    rule: Rule,
    reasons: BTreeMap<String, Known>,
}

/// The built-in table by slug, as `docs/planning.md` shows it. `serde-saphyr` parses it, as it does
/// scene files.
static BUILT_IN: LazyLock<BTreeMap<String, (Rule, Known)>> = LazyLock::new(|| {
    let text = include_str!("reasons.yaml");
    let groups: Vec<Group> = serde_saphyr::from_str(text).expect("the built-in table is valid");
    let known = groups.into_iter().flat_map(|Group { rule, reasons }| {
        let with_rule = move |(slug, known)| (slug, (rule, known));
        reasons.into_iter().map(with_rule)
    });
    known.collect()
});

/// Rule for unknown reasons, which lead to a replan.
static UNKNOWN: LazyLock<(Rule, Known)> = LazyLock::new(|| {
    let rule = Rule {
        severity: Severity::High,
        category: Category::Unknown,
        route: Route::Replan,
        max_retries: 0,
        pause_ms: 0,
    };
    (rule, Known::default())
});

/// Returns the rule for a reason, and facts about it.
pub(crate) fn known(reason: &Reason) -> &'static (Rule, Known) {
    BUILT_IN.get(reason.slug()).unwrap_or(&UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_reason_has_a_rule_of_its_own() {
        let table = RuleTable::default();
        for reason in Reason::BUILT_IN {
            let rule = table.rule(reason);
            assert_ne!(rule.category, Category::Unknown, "{reason}");
            assert_eq!(rule.route == Route::Retry, rule.max_retries > 0, "{reason}");
        }
        let own = table.rule(&Reason::from_slug("tea_cold"));
        assert_eq!(
            (own.route, own.category),
            (Route::Replan, Category::Unknown)
        );
    }

    /// Formats a rule as in the documentation.
    fn in_words(rule: &Rule) -> [String; 3] {
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let severity = serde_json::to_value(rule.severity).expect("plain data");
        let category = serde_json::to_value(rule.category).expect("plain data");
        let route = serde_json::to_value(rule.route).expect("plain data");
        let times = ["", ", once", ", twice"][usize::from(rule.max_retries)];
        let pause = match rule.pause_ms {
            0 => "",
            500 => ", after half a second",
            1000 => ", after a second",
            other => panic!("no words for {other} ms"),
        };
        [word(severity), word(category), word(route) + times + pause]
    }

    #[test]
    fn the_documented_table_lacks_no_reason() {
        let page = include_str!("../../../../docs/planning.md");
        let rows = page
            .lines()
            .skip_while(|l| !l.starts_with("| reason | severity"));
        let rows = rows.skip(2).take_while(|l| l.starts_with("| `"));
        let mut documented = vec![];
        for row in rows {
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            let slugs = cells[1].split('`').skip(1).step_by(2);
            for reason in slugs.map(Reason::from_slug) {
                let route = cells[4].split(';').next().unwrap_or_default();
                let said = [cells[2], cells[3], route];
                assert_eq!(said, in_words(&known(&reason).0), "{reason}");
                documented.push(reason);
            }
        }
        documented.sort();
        let mut known = Reason::BUILT_IN.to_vec();
        known.sort();
        assert_eq!(documented, known);
    }

    #[test]
    fn a_rule_of_ones_own_takes_precedence() {
        let (severity, route) = (Severity::Critical, Route::Abort);
        let strict = Rule {
            severity,
            route,
            ..known(&Reason::VerificationFailed).0
        };
        let table = RuleTable::default().with(&Reason::GraspMissed, strict);
        assert_eq!(table.rule(&Reason::GraspMissed), strict);
        let text = serde_json::to_string(&table).expect("a table is plain data");
        let back: RuleTable = serde_json::from_str(&text).expect("a written table can be read");
        assert_eq!(back, table);
    }
}
