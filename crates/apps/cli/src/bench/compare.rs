//! `regrasp bench compare`.

use crate::exit::ExitCode;
use regrasp::bench::{BenchFolder, Comparison, Pairs};

use super::arguments::CompareArguments;
use crate::error::CliError;
use crate::output::say;

pub(super) fn compare(arguments: &CompareArguments) -> Result<ExitCode, CliError> {
    let first = BenchFolder::open(&arguments.first)?;
    let second = BenchFolder::open(&arguments.second)?;
    let found = regrasp::bench::compare(&first, &second)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&found)?);
        return Ok(ExitCode::Ok);
    }
    say(&found.table());
    for difference in &found.differences {
        // The text calls the first run "there".
        let difference = difference.replace(" there", " in the first");
        let difference = difference.replace(" here", " in the second");
        say(&format!("they differ: {difference}"));
    }
    for left_out in &found.left_out {
        say(&format!("left out: {left_out}"));
    }
    say(&verdict(&found));
    Ok(ExitCode::Ok)
}

fn verdict(found: &Comparison) -> String {
    let Pairs {
        pairs,
        wins,
        losses,
        p_value,
        ..
    } = found.pooled;
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
