//! What the recovery suite found, as data.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ClassInfo, RecoveryRecord};
use crate::{BenchError, mcnemar_exact, wilson95};

/// What was measured, for the report's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// Version of the program.
    pub version: String,
    /// The planner.
    pub planner: String,
    /// How often it may plan again.
    pub max_replans: usize,
}

/// Figures over some episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Who was in charge.
    pub strategy: String,
    /// Episodes, without those that went beyond the budgets and those that the machinery spoilt.
    pub episodes: usize,
    /// Episodes in which chance let more go wrong than the agent's budgets bear, and that
    /// ended by saying so.
    pub beyond: usize,
    /// Episodes that the machinery spoilt, which are not counted either.
    #[serde(default)]
    pub infrastructure: usize,
    /// Those that ended as they should.
    pub right_ends: usize,
    /// 95 % interval of their share.
    pub wilson95: [f64; 2],
    /// Mean number of replans.
    pub mean_replans: f64,
    /// Steps that repeated what had failed, and failed alike, in all.
    pub wasted: usize,
    /// The most of them in one episode.
    pub most_wasted: usize,
    /// Episodes whose first sign of trouble was a right one.
    pub right_signs: usize,
    /// Episodes that had a sign of trouble, or should have.
    pub signs: usize,
    /// Claims of success that the judge denies.
    pub false_successes: usize,
    /// Mean tokens that a model's plans took.
    #[serde(default)]
    pub mean_tokens: f64,
    /// Mean real time, s.
    #[serde(default)]
    pub mean_wall_secs: f64,
}

/// Two strategies on the same episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// One.
    pub first: String,
    /// The other.
    pub second: String,
    /// Episodes that only the first one ended as they should.
    pub only_first: usize,
    /// Episodes that only the second one did.
    pub only_second: usize,
    /// How likely a difference as large as this is if they are equally good: McNemar's exact
    /// test, two-sided.
    pub p_value: f64,
}

impl Pair {
    /// Holds two strategies against each other where both ran the same class and seed.
    fn new(first: &str, second: &str, records: &[RecoveryRecord]) -> Self {
        let of = |strategy: &str| -> BTreeMap<(&str, u64), bool> {
            let of_it = records
                .iter()
                .filter(|r| r.strategy == strategy && !r.beyond && !r.infrastructure);
            of_it
                .map(|r| ((r.class.as_str(), r.seed), r.right_end))
                .collect()
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

/// One class of faults over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassReport {
    /// What was expected.
    #[serde(flatten)]
    pub info: ClassInfo,
    /// Figures, one for each strategy.
    pub totals: Vec<Totals>,
    /// Episodes that did not end as they should, went beyond the budgets, claimed too much, gave a wrong reason,
    /// or wasted more than one step.
    pub odd: Vec<RecoveryRecord>,
}

/// What the recovery suite found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryReport {
    /// What was measured.
    #[serde(flatten)]
    pub info: SuiteInfo,
    /// Seeds a class, counted from 0.
    pub seeds: u64,
    /// One entry for each class.
    pub classes: Vec<ClassReport>,
    /// Over all classes in spite of which the task can be done.
    pub recoverable: Vec<Totals>,
    /// Over all others.
    pub unrecoverable: Vec<Totals>,
    /// Over all classes.
    #[serde(default)]
    pub all: Vec<Totals>,
    /// Each strategy and the one after it, over all classes.
    #[serde(default)]
    pub pairs: Vec<Pair>,
}

impl Totals {
    /// Sums up episodes of one strategy.
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
        let replans: usize = records.iter().map(|r| r.replans).sum();
        Self {
            strategy: strategy.to_owned(),
            episodes,
            beyond: beyond.len(),
            infrastructure: spoilt.len(),
            right_ends,
            wilson95: wilson95(right_ends, episodes),
            mean_replans: replans as f64 / episodes.max(1) as f64,
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
    /// Sums up. Strategies in this order; the first is the one that the odd episodes are
    /// told of.
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
        Self {
            info,
            seeds,
            classes: classes.iter().map(class).collect(),
            recoverable: over(true),
            unrecoverable: over(false),
            all: totals(&|_| true),
            pairs: strategies
                .windows(2)
                .map(|pair| Pair::new(&pair[0], &pair[1], records))
                .collect(),
        }
    }

    /// Writes it as indented JSON.
    ///
    /// # Errors
    ///
    /// [`BenchError`] with the path.
    pub fn write(&self, path: &Path) -> Result<(), BenchError> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).map_err(BenchError::writing(path))
    }
}

fn is_odd(record: &RecoveryRecord) -> bool {
    !record.right_end
        || record.beyond
        || record.false_success
        || record.wasted > 1
        || record.right_sign == Some(false)
}
