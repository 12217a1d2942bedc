//! `regrasp bench`: many episodes, judged by the world's true state.

pub(crate) mod arguments;
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

use crate::exit::ExitCode;
use regrasp::bench::RecordKind;

use crate::error::CliError;
use arguments::{BenchArguments, BenchCommand};

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
