//! Arguments of `regrasp bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use regrasp::bench::Shard;

use crate::agent::EpisodeArguments;
use crate::recording::RecordingArguments;
use crate::scope;
use crate::{FaultArguments, SuiteName, number_in, seconds};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    pub(super) command: Option<BenchCommand>,
    #[command(flatten)]
    pub(super) run: BenchRunArguments,
}

#[derive(Debug, Subcommand)]
pub(super) enum BenchCommand {
    /// Merge the shards of one run.
    Merge(MergeArguments),
    /// Compare two runs, task by task and seed by seed.
    Compare(CompareArguments),
}

#[derive(Args, Debug)]
pub(super) struct MergeArguments {
    /// The folders of all shards, in any order.
    #[arg(required = true)]
    pub(super) shards: Vec<PathBuf>,
    /// A new folder for the merged run.
    #[arg(long)]
    pub(super) out: PathBuf,
    /// Exit with code 13 if the success rate of any task is below this, 0 to 1.
    #[arg(long, value_parser = number_in(0.0..=1.0))]
    pub(super) fail_under: Option<f64>,
}

#[derive(Args, Debug)]
pub(super) struct CompareArguments {
    /// The folder of a run.
    pub(super) first: PathBuf,
    /// The folder of another run on the same tasks and seeds.
    pub(super) second: PathBuf,
    /// Print only JSON on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct BenchRunArguments {
    /// Tasks by name, task files, problem files of LIBERO (.bddl) or folders of those. Default: the
    /// suite `all`.
    #[arg(long, num_args = 1.., value_delimiter = ',', group = scope::ALWAYS)]
    pub(super) tasks: Vec<String>,
    /// A named group of tasks (maniskill, robosuite, robosandbox, clutter, shapes, tamp, hinges,
    /// everyday, all), the fault classes (recovery), or a suite of LIBERO's (such as libero:goal).
    #[arg(long, value_parser = SuiteName::parse, conflicts_with = "tasks", group = scope::ALWAYS)]
    pub(super) suite: Option<SuiteName>,
    /// Run only these fault classes of the recovery suite, by name or part of the name.
    #[arg(long, requires = "suite", value_delimiter = ',', group = scope::RECOVERY)]
    pub(super) classes: Vec<String>,
    /// Run the recovery suite with the measured planner only, without baselines.
    #[arg(long, requires = "suite", group = scope::RECOVERY)]
    pub(super) no_baselines: bool,
    /// Run the recovery suite at several levels of information for the planner, on the same seeds.
    #[arg(long, value_enum, requires = "suite", conflicts_with = "no_baselines", group = scope::RECOVERY)]
    pub(super) ablate: Option<Ablation>,
    /// Number N of seeds per task: 0 to N - 1. Seed 0 is the task's baseline without random variation.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..), group = scope::ALWAYS)]
    pub(super) seeds: u64,
    /// A file with one seed or range of seeds (10-19) per line; `#` starts a comment.
    #[arg(long, value_name = "FILE", conflicts_with = "seeds", group = scope::ALWAYS)]
    pub(super) seed_list: Option<PathBuf>,
    /// Only this seed.
    #[arg(long, value_name = "S", conflicts_with_all = ["seeds", "seed_list"], group = scope::ALWAYS)]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) faults: FaultArguments,
    #[command(flatten)]
    pub(super) episode: EpisodeArguments,
    /// Number of episodes that run at the same time; the results do not depend on it. Default: the
    /// number of processors.
    #[arg(long, value_name = "N", value_parser = at_least_one, group = scope::ALWAYS)]
    pub(super) jobs: Option<usize>,
    /// Run only this shard of the episodes, such as 2/4; `bench merge` merges shards.
    #[arg(long, value_name = "I/N", requires = "out", group = scope::ALWAYS)]
    pub(super) shard: Option<Shard>,
    /// Resume the run in --out.
    #[arg(long, requires = "out", group = scope::ALWAYS)]
    pub(super) resume: bool,
    /// Time limit of an episode, real seconds. An episode that exceeds it is counted separately,
    /// because it says nothing about the robot.
    #[arg(long, value_name = "S", value_parser = seconds, group = scope::TIMEOUT)]
    pub(super) timeout: Option<Duration>,
    /// A folder for results, summary and reports.
    #[arg(long, value_name = "DIR", group = scope::ALWAYS)]
    pub(super) out: Option<PathBuf>,
    /// Record episodes into the folder `recordings` of --out.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = RecordArgument::None, group = scope::RECORD)]
    pub(super) record: RecordArgument,
    #[command(flatten)]
    pub(super) recording: RecordingArguments,
    /// Maximum number of pictures of failed episodes.
    #[arg(long, value_name = "N", default_value_t = 20, group = scope::FAILURE_PICTURES)]
    pub(super) pictures: usize,
    /// Exit with code 13 if the success rate of any task is below this, 0 to 1.
    #[arg(long, value_parser = number_in(0.0..=1.0), group = scope::ALWAYS)]
    pub(super) fail_under: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Ablation {
    /// Four levels of failure reports: with remedies; reason and detail; reason only; no reason.
    Reasons,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordArgument {
    /// Every episode.
    All,
    /// Failed episodes.
    Failures,
    /// No episode.
    #[default]
    None,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("expected a whole number, 1 or greater".into()),
    }
}
