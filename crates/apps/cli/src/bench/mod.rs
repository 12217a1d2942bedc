//! `regrasp bench`: many episodes, judged by ground truth.

pub(crate) mod arguments;
mod charts;
mod config;
mod finish;
mod pictures;
mod recordings;
mod recovery;
mod stop;
mod tasks;

use regrasp::bench::recovery::RecoveryRecord;
use regrasp::bench::{BenchFolder, Comparison, EpisodeRecord, RecordKind, Tally, merge_shards};

use arguments::{BenchArguments, BenchCommand, CompareArguments, MergeArguments};
use finish::{Session, finish};

use crate::{ExitCode, Result, say};

pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode> {
    let BenchArguments { command, run } = arguments;
    match command {
        Some(BenchCommand::Merge(arguments)) => merge(arguments),
        Some(BenchCommand::Compare(arguments)) => compare(arguments),
        None => match config::records(run) {
            RecordKind::Recovery => recovery::recovery(run),
            RecordKind::Episodes => tasks::tasks(run),
        },
    }
}

fn merge(arguments: &MergeArguments) -> Result<ExitCode> {
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
    merged.read(|record: EpisodeRecord| tally.add(&record))?;
    finish(
        Some(&merged),
        &tally,
        &Session::default(),
        arguments.fail_under,
    )
}

fn compare(arguments: &CompareArguments) -> Result<ExitCode> {
    let first = BenchFolder::open(&arguments.first)?;
    let second = BenchFolder::open(&arguments.second)?;
    let found = regrasp::bench::compare(&first, &second)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&found)?);
        return Ok(ExitCode::Ok);
    }
    say(&found.table());
    for difference in &found.differences {
        // The texts are worded for a stored run ("there") and the present one ("here").
        let difference = difference.replace(" there", " in the first");
        let difference = difference.replace(" here", " in the second");
        say(&format!("the runs differ: {difference}"));
    }
    for left_out in &found.left_out {
        say(&format!("left out: {left_out}"));
    }
    say(&verdict(&found));
    Ok(ExitCode::Ok)
}

fn verdict(found: &Comparison) -> String {
    let pooled = &found.pooled;
    let (pairs, p_value) = (pooled.pairs, pooled.p_value);
    let (wins, losses) = (pooled.wins, pooled.losses);
    let better = match wins.cmp(&losses) {
        std::cmp::Ordering::Greater => "the first did better",
        std::cmp::Ordering::Less => "the second did better",
        std::cmp::Ordering::Equal => "neither did better",
    };
    let sure = match p_value {
        p if p < 0.05 => "significant at 5 %",
        _ => "not significant at 5 %",
    };
    format!(
        "of {pairs} pairs the first won {wins} and lost {losses}: {better}, {sure} (p = {p_value:.3})"
    )
}
