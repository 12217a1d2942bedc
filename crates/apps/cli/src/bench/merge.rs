//! `regrasp bench merge`.

use crate::exit::ExitCode;
use regrasp::bench::recovery::RecoveryRecord;
use regrasp::bench::{BenchFolder, EpisodeRecord, RecordKind, Tally, merge_shards};

use super::arguments::MergeArguments;
use super::finish::{Session, finish};
use super::{pictures, recovery};
use crate::error::CliError;

pub(super) fn merge(arguments: &MergeArguments) -> Result<ExitCode, CliError> {
    let shards = arguments.shards.iter().map(|dir| BenchFolder::open(dir));
    let shards = shards.collect::<Result<Vec<_>, _>>()?;
    let is_recovery = |shard: &BenchFolder| shard.config().records == RecordKind::Recovery;
    if shards.iter().any(is_recovery) {
        let merged = merge_shards::<RecoveryRecord>(&shards, &arguments.out)?;
        return recovery::finish(&merged, arguments.fail_under);
    }
    let merged = merge_shards::<EpisodeRecord>(&shards, &arguments.out)?;
    pictures::gather(&shards, &merged)?;
    let mut tally = Tally::new(merged.config());
    merged.read(|record: EpisodeRecord| {
        tally.add(&record);
        Ok(())
    })?;
    finish(
        Some(&merged),
        &tally,
        &Session::default(),
        arguments.fail_under,
    )
}
