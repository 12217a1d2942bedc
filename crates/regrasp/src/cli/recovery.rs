use std::sync::Mutex;

use regrasp::bench::recovery::RecoveryRecord;
use regrasp::recovery::{Class, RecoverySuite, Strategy, classes};
use regrasp::{ExitCode, Kit};

use super::BenchArguments;
use super::bench::progress_bar;
use super::error::CliError;
use super::output::{complain, say};

/// Runs the recovery suite and prints what became of each class of faults.
pub(super) fn recovery(arguments: &BenchArguments) -> Result<ExitCode, CliError> {
    let kit = Kit::new(arguments.robot.load()?)?;
    let classes = chosen(&arguments.classes)?;
    let strategies = if arguments.no_baselines {
        &Strategy::ALL[..1]
    } else {
        &Strategy::ALL
    };
    let suite = RecoverySuite {
        kit: &kit,
        classes: &classes,
        strategies,
        seeds: 0..arguments.seeds,
        agent: arguments.agent.options(kit.file())?,
        jobs: arguments.jobs,
    };
    let n_episodes = arguments.seeds * (classes.len() * strategies.len()) as u64;
    let bar = Mutex::new(progress_bar(n_episodes));
    let progress = |record: &RecoveryRecord| {
        let Ok(bar) = bar.lock() else { return };
        bar.set_message(record.class.clone());
        bar.inc(1);
        let is_measured = record.strategy == Strategy::Feedback.to_string();
        if is_measured && (!record.right_end || record.false_success) {
            let RecoveryRecord {
                class, task, seed, ..
            } = record;
            let said = format!(
                "{class}: {task} seed {seed}: {} - {}",
                record.end, record.detail
            );
            bar.suspend(|| complain(&said));
        }
    };
    let report = suite.run(env!("CARGO_PKG_VERSION"), &progress)?;
    if let Ok(bar) = bar.lock() {
        bar.finish_and_clear();
    }
    say(&report.table());
    if let Some(path) = &arguments.out {
        report.write(path)?;
        say(&format!("report: {}", path.display()));
    }
    let rate = |totals: &[regrasp::bench::recovery::Totals]| {
        totals
            .first()
            .map_or(1.0, |t| t.right_ends as f64 / t.episodes.max(1) as f64)
    };
    let lowest = rate(&report.recoverable).min(rate(&report.unrecoverable));
    match arguments.fail_under {
        Some(threshold) if lowest < threshold => {
            complain(&format!("the suite stayed below {threshold}"));
            Ok(ExitCode::BelowThreshold)
        }
        _ => Ok(ExitCode::Ok),
    }
}

fn chosen(names: &[String]) -> Result<Vec<Class>, CliError> {
    let all = classes();
    let unknown = names
        .iter()
        .find(|name| all.iter().all(|class| !class.name.contains(name.as_str())));
    if let Some(name) = unknown {
        return Err(CliError::UnknownClass {
            name: name.clone(),
            known: all.iter().map(|class| class.name.to_owned()).collect(),
        });
    }
    let is_chosen = |class: &Class| {
        names.is_empty() || names.iter().any(|name| class.name.contains(name.as_str()))
    };
    Ok(all.into_iter().filter(is_chosen).collect())
}
