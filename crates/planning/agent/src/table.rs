//! The one table from reasons to what is done about them.

use std::collections::BTreeMap;

use regrasp_api::{Category, Reason, Route, Severity};
use serde::{Deserialize, Serialize};

/// What is done about a reason, before the evidence is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// How bad it is.
    pub severity: Severity,
    /// Where it comes from.
    pub category: Category,
    /// What is done first; the evidence may escalate it.
    pub route: Route,
    /// How often the same step may be tried again, where the route is `retry`.
    #[serde(default)]
    pub max_retries: u8,
    /// Simulated time to wait before such a try, ms: some causes pass.
    #[serde(default)]
    pub pause_ms: u32,
}

/// Rules of somebody's own, by reason; the built-in table has the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleTable {
    overrides: BTreeMap<String, Rule>,
}

impl RuleTable {
    /// The rule for a reason.
    pub fn rule(&self, reason: &Reason) -> Rule {
        let own = self.overrides.get(reason.slug());
        own.copied().unwrap_or_else(|| built_in(reason))
    }

    /// The same table with another rule for one reason.
    pub fn with(mut self, reason: &Reason, rule: Rule) -> Self {
        self.overrides.insert(reason.slug().to_owned(), rule);
        self
    }
}

const fn rule(severity: Severity, category: Category, route: Route) -> Rule {
    Rule {
        severity,
        category,
        route,
        max_retries: 0,
        pause_ms: 0,
    }
}

const fn retry(category: Category, max_retries: u8) -> Rule {
    Rule {
        severity: Severity::Medium,
        category,
        route: Route::Retry,
        max_retries,
        pause_ms: 0,
    }
}

/// The built-in table; `docs/planning.md` shows it. A reason that nobody knows replans.
fn built_in(reason: &Reason) -> Rule {
    use Category as C;
    use Route::{Abort, Continue, Replan, Substitute};
    use Severity::{Critical, High, Low};
    match reason {
        Reason::DisturbedOther => rule(Low, C::Environment, Continue),
        Reason::GraspMissed => retry(C::Logic, 2),
        Reason::GraspSlipped
        | Reason::HandleSlipped
        | Reason::PushNoMotion
        | Reason::PushDeviated => retry(C::Logic, 1),
        Reason::ObjectMoved | Reason::PathBlocked | Reason::StartInCollision => {
            retry(C::Environment, 1)
        }
        // The next try plans its motion anew, from another start.
        Reason::TrackingError | Reason::LimitViolated => Rule {
            pause_ms: 1000,
            ..retry(C::Resource, 1)
        },
        Reason::Reflex | Reason::StartMismatch => Rule {
            pause_ms: 1000,
            ..retry(C::Environment, 1)
        },
        Reason::StaleState => Rule {
            pause_ms: 500,
            ..retry(C::Infrastructure, 2)
        },
        Reason::SkillTimeout => rule(High, C::Timeout, Replan),
        Reason::ObjectNotFound
        | Reason::ObjectCovered
        | Reason::ObjectDropped
        | Reason::ObjectOutOfWorkspace
        | Reason::GoalInCollision => rule(High, C::Environment, Replan),
        Reason::TargetOccupied | Reason::PlacementUnstable => {
            rule(High, C::Environment, Substitute)
        }
        Reason::GripperOccupied
        | Reason::GripperEmpty
        | Reason::ContainerClosed
        | Reason::NothingToPour => rule(High, C::Dependency, Replan),
        Reason::WrongObjectGrasped
        | Reason::PlacedOffTarget
        | Reason::JointNotMoved
        | Reason::Spilled
        | Reason::VerificationFailed => rule(High, C::Logic, Replan),
        Reason::Unreachable | Reason::NoGraspFound | Reason::NoGripper | Reason::Unsupported => {
            rule(High, C::Resource, Replan)
        }
        Reason::BadArguments
        | Reason::UnknownSkill
        | Reason::ApprovalDenied
        | Reason::AmbiguousObject
        | Reason::AmbiguousCommand
        | Reason::UprightUnknown => rule(High, C::Validation, Replan),
        Reason::PointOutsideImage
        | Reason::PointWithoutDepth
        | Reason::PointOnTable
        | Reason::PointOnRobot => rule(High, C::Validation, Replan),
        Reason::Cancelled
        | Reason::SimDiverged
        | Reason::EmergencyStop
        | Reason::LinkLost
        | Reason::PerceptionUnavailable => rule(Critical, C::Infrastructure, Abort),
        _ => rule(High, C::Unknown, Replan),
    }
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

    /// As the documentation words it.
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
                assert_eq!(said, in_words(&built_in(&reason)), "{reason}");
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
        let strict = rule(Severity::Critical, Category::Logic, Route::Abort);
        let table = RuleTable::default().with(&Reason::GraspMissed, strict);
        assert_eq!(table.rule(&Reason::GraspMissed), strict);
        let text = serde_json::to_string(&table).expect("it is plain data");
        let back: RuleTable = serde_json::from_str(&text).expect("what was written reads");
        assert_eq!(back, table);
    }
}
