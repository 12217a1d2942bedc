//! Results of the recovery suite, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ClassInfo, RecoveryRecord};
use crate::{mcnemar_exact, wilson95};

/// Setup of the suite, for the report's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// Version of the program.
    pub version: String,
    /// Name of the planner.
    pub planner: String,
    /// Maximum number of replans.
    pub max_replans: usize,
}

/// Statistics over episodes of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Name of the strategy.
    pub strategy: String,
    /// Number of episodes, without those beyond the budgets and infrastructure failures.
    pub episodes: usize,
    /// Episodes in which the faults exceeded the agent's budgets and the agent said so at the end.
    pub beyond: usize,
    /// Infrastructure failures, which are not in `episodes` either.
    #[serde(default)]
    pub infrastructure: usize,
    /// Episodes that ended correctly.
    pub right_ends: usize,
    /// 95 % interval of the share of correct ends.
    pub wilson95: [f64; 2],
    /// Mean number of replans.
    pub mean_replans: f64,
    /// Steps that repeated a failed call and failed again for the same reason, over all episodes.
    pub wasted: usize,
    /// Maximum of wasted steps in one episode.
    pub most_wasted: usize,
    /// Episodes whose first sign of trouble was correct.
    pub right_signs: usize,
    /// Episodes that showed a sign of trouble, or should have shown one.
    pub signs: usize,
    /// Claims of success that the judge denies.
    pub false_successes: usize,
    /// Mean number of tokens used by a model's plans.
    #[serde(default)]
    pub mean_tokens: f64,
    /// Mean real time, s.
    #[serde(default)]
    pub mean_wall_secs: f64,
}

/// Comparison of two strategies on the same episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Name of the first strategy.
    pub first: String,
    /// Name of the second strategy.
    pub second: String,
    /// Episodes that ended correctly only with the first strategy.
    pub only_first: usize,
    /// Episodes that ended correctly only with the second strategy.
    pub only_second: usize,
    /// Two-sided p-value of McNemar's exact test: the probability of a difference at least this
    /// large if both strategies are equally good.
    pub p_value: f64,
}

impl Pair {
    /// Compares two strategies on the classes and seeds that both ran.
    fn new(first: &str, second: &str, records: &[RecoveryRecord]) -> Self {
        let of = |strategy: &str| -> BTreeMap<(&str, u64), bool> {
            let of_it = records
                .iter()
                .filter(|r| r.strategy == strategy && !r.beyond && !r.infrastructure);
            let ends = of_it.map(|r| ((r.class.as_str(), r.seed), r.right_end));
            ends.collect()
        };
        let (one, other) = (of(first), of(second));
        let both = one.iter();
        let both = both.filter_map(|(key, a)| other.get(key).map(|b| (*a, *b)));
        let both: Vec<_> = both.collect();
        let count = |which: (bool, bool)| both.iter().filter(|pair| **pair == which).count();
        let (only_first, only_second) = (count((true, false)), count((false, true)));
        Self {
            first: first.to_owned(),
            second: second.to_owned(),
            only_first,
            only_second,
            p_value: mcnemar_exact(only_first, only_second),
        }
    }
}

/// Results of one class of faults over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassReport {
    /// Name and expected outcome of the class.
    #[serde(flatten)]
    pub info: ClassInfo,
    /// Statistics, one entry per strategy.
    pub totals: Vec<Totals>,
    /// Episodes with an incorrect end or first sign, beyond the budgets, with a false success, or
    /// with more than one wasted step.
    pub odd: Vec<RecoveryRecord>,
}

/// Results of the recovery suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryReport {
    /// Setup of the suite.
    #[serde(flatten)]
    pub info: SuiteInfo,
    /// Number of seeds per class.
    pub seeds: u64,
    /// One entry per class.
    pub classes: Vec<ClassReport>,
    /// Statistics over all recoverable classes, one entry per strategy.
    pub recoverable: Vec<Totals>,
    /// Statistics over all unrecoverable classes, one entry per strategy.
    pub unrecoverable: Vec<Totals>,
    /// Statistics over all classes, one entry per strategy.
    #[serde(default)]
    pub all: Vec<Totals>,
    /// Comparisons of each strategy with the next, over all classes.
    #[serde(default)]
    pub pairs: Vec<Pair>,
}

impl Totals {
    /// Aggregates the episodes of one strategy.
    pub fn of<'a>(strategy: &str, records: impl IntoIterator<Item = &'a RecoveryRecord>) -> Self {
        let of_it = records.into_iter().filter(|r| r.strategy == strategy);
        let (spoilt, judged): (Vec<_>, Vec<_>) = of_it.partition(|r| r.infrastructure);
        let (beyond, records): (Vec<_>, Vec<_>) = judged.into_iter().partition(|r| r.beyond);
        let episodes = records.len();
        let count = |is: &dyn Fn(&RecoveryRecord) -> bool| {
            records.iter().filter(|record| is(record)).count()
        };
        let mean = |of: &dyn Fn(&RecoveryRecord) -> f64| {
            records.iter().map(|r| of(r)).sum::<f64>() / episodes.max(1) as f64
        };
        let right_ends = count(&|r| r.right_end);
        Self {
            strategy: strategy.to_owned(),
            episodes,
            beyond: beyond.len(),
            infrastructure: spoilt.len(),
            right_ends,
            wilson95: wilson95(right_ends, episodes),
            mean_replans: mean(&|r| r.replans as f64),
            wasted: records.iter().map(|r| r.wasted).sum(),
            most_wasted: records.iter().map(|r| r.wasted).max().unwrap_or(0),
            right_signs: count(&|r| r.right_sign == Some(true)),
            signs: count(&|r| r.right_sign.is_some()),
            false_successes: count(&|r| r.false_success),
            mean_tokens: mean(&|r| r.tokens as f64),
            mean_wall_secs: mean(&|r| r.wall_secs),
        }
    }
}

impl RecoveryReport {
    /// Aggregates all episodes. [`ClassReport::odd`] lists episodes of the first strategy only.
    pub fn new(
        info: SuiteInfo,
        seeds: u64,
        strategies: &[String],
        classes: &[ClassInfo],
        records: &[RecoveryRecord],
    ) -> Self {
        let totals = |belongs: &dyn Fn(&&RecoveryRecord) -> bool| -> Vec<Totals> {
            let of = |s: &String| Totals::of(s, records.iter().filter(|r| belongs(r)));
            strategies.iter().map(of).collect()
        };
        let class = |info: &ClassInfo| ClassReport {
            info: info.clone(),
            totals: totals(&|r| r.class == info.name),
            odd: records
                .iter()
                .filter(|r| r.class == info.name && Some(&r.strategy) == strategies.first())
                .filter(|r| is_odd(r))
                .cloned()
                .collect(),
        };
        let over = |recoverable: bool| {
            let classes = classes.iter().filter(|c| c.recoverable == recoverable);
            let names: Vec<_> = classes.map(|c| c.name.as_str()).collect();
            totals(&|r| names.contains(&r.class.as_str()))
        };
        let pair = |pair: &[String]| Pair::new(&pair[0], &pair[1], records);
        Self {
            info,
            seeds,
            classes: classes.iter().map(class).collect(),
            recoverable: over(true),
            unrecoverable: over(false),
            all: totals(&|_| true),
            pairs: strategies.windows(2).map(pair).collect(),
        }
    }
}

fn is_odd(record: &RecoveryRecord) -> bool {
    !record.right_end
        || record.beyond
        || record.false_success
        || record.wasted > 1
        || record.right_sign == Some(false)
}
