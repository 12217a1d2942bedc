//! Conversion of the command line to a run's configuration.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;

use regrasp::agent::AgentOptions;
use regrasp::bench::{BenchConfig, BenchFolder, Group, RecordKind, Seeds, Suite};
use regrasp::mesh::read_text;
use regrasp::scene::{ContentHashes, IDENTITY_VERSION, RobotFile};

use super::arguments::BenchRunArguments;
use crate::libero::AnyTask;
use crate::{CliError, Result, SuiteName, given_words};

pub(super) fn records(arguments: &BenchRunArguments) -> RecordKind {
    if arguments.suite == Some(SuiteName::Recovery) {
        RecordKind::Recovery
    } else {
        RecordKind::Episodes
    }
}

impl BenchRunArguments {
    /// Configuration of a run of `groups` with a planner and its version.
    pub(super) fn config(
        &self,
        robot: &RobotFile,
        agent: &AgentOptions,
        (planner, planner_version): (String, Option<String>),
        groups: Vec<Group>,
    ) -> Result<BenchConfig> {
        let faults = self.faults.fault.iter().map(serde_json::to_value);
        Ok(BenchConfig {
            records: records(self),
            version: env!("CARGO_PKG_VERSION").into(),
            identity_version: IDENTITY_VERSION,
            planner,
            planner_version,
            perception: self.episode.senses.described(),
            robot: robot.name.clone(),
            agent: serde_json::to_value(agent)?,
            faults: faults.collect::<Result<_, _>>()?,
            skills: crate::skills::own_names(),
            timeout_s: self.timeout.map(|limit| limit.as_secs_f64()),
            groups,
            seeds: self.all_seeds()?,
            shard: self.shard,
            repeat: shared_flags(given_words().into_iter().skip(1)),
        })
    }

    pub(super) fn all_seeds(&self) -> Result<Seeds> {
        if let Some(seed) = self.seed {
            return Ok(Seeds::only(seed));
        }
        let Some(path) = &self.seed_list else {
            return Ok(Seeds::first(self.seeds));
        };
        let text = read_text(path).map_err(CliError::reading(&path))?;
        Seeds::from_list(&text).map_err(|error| {
            CliError::file(format_args!(
                "use the list of seeds in {}: {error}",
                path.display()
            ))
        })
    }

    pub(super) fn n_jobs(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(all)
    }

    pub(super) fn folder(&self, config: &BenchConfig) -> Result<Option<BenchFolder>> {
        let begin = |dir: &Path| {
            if self.resume {
                BenchFolder::resume(dir, config.clone())
            } else {
                BenchFolder::create(dir, config.clone())
            }
        };
        Ok(self.out.as_deref().map(begin).transpose()?)
    }

    /// Tasks to run, and the group of each.
    pub(super) fn chosen_tasks(&self, robot: &RobotFile) -> Result<(Vec<AnyTask>, Vec<Group>)> {
        let suite = match (&self.suite, self.tasks.is_empty()) {
            (None, true) => Some(&SuiteName::Tasks(Suite::All)),
            (suite, _) => suite.as_ref(),
        };
        let libero = &self.episode.libero;
        let found = libero.chosen(suite, &self.tasks, robot)?;
        let (mut tasks, mut groups) = (vec![], vec![]);
        let mut hashes = ContentHashes::default();
        let mut seen = BTreeSet::new();
        for (name, task) in found {
            if !seen.insert(task.name().to_owned()) {
                return Err(CliError::usage(format_args!(
                    "run the tasks: the task `{}` is given twice",
                    task.name()
                )));
            }
            let group = Group::of(task.as_ref(), &name, &mut hashes);
            groups.push(group.map_err(CliError::file)?);
            tasks.push(task);
        }
        Ok((tasks, groups))
    }
}

/// Flags of `bench` that the command to repeat one episode must not have, with the largest number
/// of their values.
const OWN_FLAGS: &[(&str, usize)] = &[
    ("--tasks", usize::MAX),
    ("--suite", 1),
    ("--classes", 1),
    ("--no-baselines", 0),
    ("--ablate", 1),
    ("--seeds", 1),
    ("--seed", 1),
    ("--seed-list", 1),
    ("--jobs", 1),
    ("--shard", 1),
    ("--resume", 0),
    ("--timeout", 1),
    ("--out", 1),
    ("--pictures", 1),
    ("--record", 1),
    ("--record-cameras", 1),
    ("--record-hz", 1),
    ("--record-camera-hz", 1),
    ("--fail-under", 1),
];

/// Arguments of `bench` without [`OWN_FLAGS`] and their values.
fn shared_flags(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut shared = vec![];
    // Number of following words that may still be values of a flag that is left out.
    let mut n_left_out = 0;
    for word in arguments {
        if word.starts_with("--") {
            let name = word.split('=').next().unwrap_or_default();
            let own = OWN_FLAGS.iter().find(|(flag, _)| *flag == name);
            n_left_out = match own {
                Some(_) if word.contains('=') => 0,
                Some((_, n)) => *n,
                None => 0,
            };
            if own.is_none() {
                shared.push(word);
            }
        } else if n_left_out > 0 {
            n_left_out -= 1;
        } else {
            shared.push(word);
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::shared_flags;

    #[test]
    fn a_command_repeats_only_what_run_knows() {
        let given = "--tasks pick_cube mine.yaml --seeds=3 --planner stub --jobs 2 --resume \
                     --max-replans 1 --out here --fault x";
        let shared = shared_flags(given.split_whitespace().map(str::to_owned));
        assert_eq!(shared.join(" "), "--planner stub --max-replans 1 --fault x");
    }
}
