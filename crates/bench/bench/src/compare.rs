//! Comparison of two runs on the same episodes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statistics::mcnemar_exact;
use crate::{BenchConfig, BenchError, BenchFolder, EpisodeRecord, RecordKind, Verdict};

/// Pairs of episodes, one of each run, with the same task and seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pairs {
    /// Name of the task; empty for all tasks together.
    pub task: String,
    /// Number of pairs.
    pub pairs: usize,
    /// Pairs in which only the first run succeeded.
    pub wins: usize,
    /// Pairs in which only the second run succeeded.
    pub losses: usize,
    /// Pairs in which both runs succeeded.
    pub both: usize,
    /// Pairs in which both runs failed.
    pub neither: usize,
    /// Two-sided p-value of McNemar's exact test: the probability of a split of wins and losses at
    /// least this uneven if both runs are equally good.
    pub p_value: f64,
}

/// Result of comparing two runs episode by episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// One entry per task that both runs have, in the order of the first run.
    pub tasks: Vec<Pairs>,
    /// All tasks together.
    pub pooled: Pairs,
    /// Differences between the two configurations, one sentence each.
    pub differences: Vec<String>,
    /// Reasons for which tasks or episodes were left out, one sentence each.
    pub left_out: Vec<String>,
}

impl Pairs {
    fn add(&mut self, first: bool, second: bool) {
        self.pairs += 1;
        match (first, second) {
            (true, false) => self.wins += 1,
            (false, true) => self.losses += 1,
            (true, true) => self.both += 1,
            (false, false) => self.neither += 1,
        }
        self.p_value = mcnemar_exact(self.wins, self.losses);
    }

    /// Number of pairs with the same result in both runs.
    pub fn ties(&self) -> usize {
        self.both + self.neither
    }
}

/// Success of every episode of a run by task and seed; `None` if it could not be judged.
type Outcomes = BTreeMap<String, BTreeMap<u64, Option<bool>>>;

/// Compares two runs on the episodes that both have. Infrastructure failures in either run and
/// tasks that differ between the runs are left out and listed in [`Comparison::left_out`].
///
/// # Errors
///
/// [`BenchError`] if the runs have no judged episode in common, hash tasks with different identity
/// versions, or if a run cannot be read or is of the recovery suite.
pub fn compare(first: &BenchFolder, second: &BenchFolder) -> Result<Comparison, BenchError> {
    for folder in [first, second] {
        if folder.config().records == RecordKind::Recovery {
            let path = folder.path().display();
            let why = format!("`{path}` is a run of the recovery suite, expected runs of tasks");
            return Err(refused(&why));
        }
    }
    let [a, b] = [first, second].map(|folder| folder.config().identity_version);
    if a != b {
        let why = format!("their tasks are hashed in formats {a} and {b}");
        let why = format!("{why}, so the tasks cannot be compared");
        return Err(refused(&why));
    }
    let (a, b) = (outcomes(first)?, outcomes(second)?);
    let mut comparison = Comparison {
        tasks: vec![],
        pooled: Pairs::default(),
        differences: differences(first.config(), second.config()),
        left_out: vec![],
    };
    let digest = |config: &BenchConfig, task: &str| {
        let group = config.groups.iter().find(|group| group.name == task);
        group.map(|group| group.digest.clone())
    };
    for group in &first.config().groups {
        let task = group.name.as_str();
        let (Some(mine), Some(theirs)) = (a.get(task), b.get(task)) else {
            continue;
        };
        if digest(second.config(), task).as_ref() != Some(&group.digest) {
            let note = format!("{task}: the task differs between the runs");
            comparison.left_out.push(note);
            continue;
        }
        comparison.task(task, mine, theirs);
    }
    for (mine, other, which) in [(&a, &b, "first"), (&b, &a, "second")] {
        let lonely = mine.keys().filter(|task| !other.contains_key(*task));
        let notes = lonely.map(|task| format!("{task}: only the {which} run has it"));
        comparison.left_out.extend(notes);
    }
    if comparison.pooled.pairs == 0 {
        let why = match comparison.left_out.as_slice() {
            [] => "neither has a finished episode".to_owned(),
            left_out => left_out.join("; "),
        };
        let why = format!("they have no judged episode in common ({why})");
        return Err(refused(&why));
    }
    Ok(comparison)
}

fn refused(why: &str) -> BenchError {
    BenchError(format!("compare the runs: {why}"))
}

impl Comparison {
    fn task(
        &mut self,
        task: &str,
        mine: &BTreeMap<u64, Option<bool>>,
        theirs: &BTreeMap<u64, Option<bool>>,
    ) {
        let mut pairs = Pairs {
            task: task.to_owned(),
            p_value: 1.0,
            ..Pairs::default()
        };
        let mut n_spoilt = 0;
        for (seed, first) in mine {
            match (first, theirs.get(seed)) {
                (Some(first), Some(Some(second))) => {
                    pairs.add(*first, *second);
                    self.pooled.add(*first, *second);
                }
                (_, Some(_)) => n_spoilt += 1,
                (_, None) => {}
            }
        }
        let mut note = |n: usize, what: &str| {
            if n > 0 {
                self.left_out.push(format!("{task}: {what}: {n}"));
            }
        };
        let only = |a: &BTreeMap<u64, _>, b: &BTreeMap<u64, _>| {
            a.keys().filter(|seed| !b.contains_key(seed)).count()
        };
        note(n_spoilt, "seeds with an infrastructure failure");
        note(only(mine, theirs), "seeds only in the first run");
        note(only(theirs, mine), "seeds only in the second run");
        if pairs.pairs > 0 {
            self.tasks.push(pairs);
        }
    }
}

fn outcomes(folder: &BenchFolder) -> Result<Outcomes, BenchError> {
    let mut outcomes = Outcomes::new();
    folder.read(|record: EpisodeRecord| {
        let outcome = match record.verdict {
            Verdict::Infrastructure => None,
            verdict => Some(verdict == Verdict::Success),
        };
        let task = outcomes.entry(record.task).or_default();
        task.insert(record.seed, outcome);
    })?;
    Ok(outcomes)
}

/// Differences between the configurations, other than tasks and seeds.
fn differences(first: &BenchConfig, second: &BenchConfig) -> Vec<String> {
    let same = |config: &BenchConfig| BenchConfig {
        groups: vec![],
        seeds: first.seeds.clone(),
        ..config.whole()
    };
    BenchConfig::differences(&same(first), &same(second))
}
