//! `regrasp bench`: many episodes, judged by the world's truth.

mod arguments;
#[cfg(feature = "plot")]
mod charts;
mod compare;
mod config;
mod finish;
mod merge;
mod pictures;
mod recordings;
mod recovery;
mod stop;
mod tasks;

use crate::ExitCode;
use regrasp::bench::RecordKind;

use super::error::CliError;
use super::libero::SuiteName;
pub(super) use arguments::BenchArguments;
use arguments::BenchCommand;
pub(super) use arguments::{RecordArgument, SuiteArgument};

/// Runs episodes, or does something with runs that are there.
pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode, CliError> {
    let BenchArguments { command, run } = arguments;
    match command {
        Some(BenchCommand::Merge(arguments)) => merge::merge(arguments),
        Some(BenchCommand::Compare(arguments)) => compare::compare(arguments),
        None => match config::records(run) {
            RecordKind::Recovery => recovery::recovery(run),
            RecordKind::Episodes => tasks::tasks(run),
        },
    }
}

/// Whether it is the recovery suite that is to be run.
fn is_recovery(suite: Option<&SuiteName>) -> bool {
    suite == Some(&SuiteName::Known(SuiteArgument::Recovery))
}
