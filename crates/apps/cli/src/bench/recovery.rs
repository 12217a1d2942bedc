//! The recovery suite.

use regrasp::LoadedRobot;
use regrasp::bench::recovery::{
    Class, RecoveryPage, RecoveryRecord, RecoveryReport, Totals, classes,
};
use regrasp::bench::{BenchFolder, Machine, Record};
use regrasp::recovery::{Measured, RecoverySuite, Strategy, SuiteError};

use super::arguments::{Ablation, BenchRunArguments};
use super::charts::recovery_charts as charts;
use super::finish::nothing_judged;
use super::stop::{print_how_to_resume, stopped_by_ctrl_c};
use super::tasks::progress_bar;
use crate::{CliError, ExitCode, Result, complain, say};

/// Runs the recovery suite and prints the results of each fault class.
pub(super) fn recovery(arguments: &BenchRunArguments) -> Result<ExitCode> {
    let loaded = LoadedRobot::new(arguments.episode.robot.load()?)?;
    let classes = chosen(&arguments.classes)?;
    let strategies = match (arguments.ablate, arguments.no_baselines) {
        (Some(Ablation::Reasons), _) => &Strategy::REASONS[..],
        (None, true) => &Strategy::ALL[..1],
        (None, false) => &Strategy::ALL,
    };
    let stop = stopped_by_ctrl_c()?;
    let planner = arguments.episode.agent.planner(&stop)?;
    let plain = || planner.plain();
    let measured = Measured {
        name: planner.name(),
        plain: &plain,
        feedback: planner.feedback(),
        is_quick: planner.is_offline(),
    };
    let suite = RecoverySuite {
        loaded: &loaded,
        measured: &measured,
        skills: &crate::skills::skills,
        agent: arguments.episode.agent.options(loaded.file())?,
        classes: &classes,
        strategies,
        seeds: arguments.all_seeds()?,
        jobs: arguments.n_jobs(),
    };
    let name = measured.name.clone();
    let plans = (name.clone(), planner.version());
    let config = arguments.config(loaded.file(), &suite.agent, plans, suite.described())?;
    let folder = arguments.folder(&config)?;
    let mut ledger = folder.as_ref().map(|f| f.ledger()).transpose()?;
    let mut records: Vec<RecoveryRecord> = vec![];
    let keys = match &folder {
        None => config.keys(),
        Some(folder) => folder.read(|record| records.push(record))?,
    };
    let n_all = keys.len() + records.len();
    let bar = progress_bar(n_all as u64, records.len() as u64);
    let mut each = |record: RecoveryRecord| -> Result<(), SuiteError> {
        if let Some(ledger) = &mut ledger {
            ledger.append(&record)?;
        }
        bar.set_message(record.class.clone());
        bar.inc(1);
        if let Some(message) = complaint(&record, &name) {
            bar.suspend(|| complain(&message));
        }
        records.push(record);
        Ok(())
    };
    suite.run_keys(&keys, &stop, &mut each)?;
    bar.finish_and_clear();
    let n_done = records.len();
    let report = suite.report(env!("CARGO_PKG_VERSION"), records);
    let missing = n_all - n_done;
    let code = conclude(folder.as_ref(), &report, missing, arguments.fail_under)?;
    if n_done < n_all {
        print_how_to_resume(n_done, n_all, folder.is_some());
        return Ok(ExitCode::Stopped);
    }
    Ok(code)
}

/// Reports the results of a merged run.
pub(super) fn finish(folder: &BenchFolder, fail_under: Option<f64>) -> Result<ExitCode> {
    let config = folder.config();
    let mut records: Vec<RecoveryRecord> = vec![];
    folder.read(|record| records.push(record))?;
    let measured = Measured {
        name: config.planner.clone(),
        ..Measured::feedback()
    };
    let of_run = |name: &str, strategy: &Strategy| {
        let group = RecoveryRecord::group(name, &strategy.name(&measured));
        config.groups.iter().any(|g| g.name == group)
    };
    let mut classes = classes();
    let [full, no_replanning, stub, _] = Strategy::ALL;
    let mut strategies = vec![full, no_replanning, stub];
    strategies.extend(Strategy::REASONS);
    classes.retain(|class| strategies.iter().any(|s| of_run(&class.info.name, s)));
    strategies.retain(|s| classes.iter().any(|class| of_run(&class.info.name, s)));
    let loaded = LoadedRobot::panda()?;
    let suite = RecoverySuite {
        loaded: &loaded,
        measured: &measured,
        skills: &crate::skills::skills,
        agent: serde_json::from_value(config.agent.clone())?,
        classes: &classes,
        strategies: &strategies,
        seeds: config.seeds.clone(),
        jobs: 1,
    };
    let missing = config.keys().len() - records.len();
    let report = suite.report(&config.version, records);
    conclude(Some(folder), &report, missing, fail_under)
}

fn conclude(
    folder: Option<&BenchFolder>,
    report: &RecoveryReport,
    missing: usize,
    fail_under: Option<f64>,
) -> Result<ExitCode> {
    say(&report.table());
    if let Some(folder) = folder {
        folder.write_json("summary.json", report)?;
        folder.write("report.md", &format!("# Recovery\n\n{}\n", report.table()))?;
        let page = RecoveryPage {
            config: folder.config(),
            report,
            missing,
            machine: &Machine::this(),
            charts: charts(report),
        };
        folder.write("report.html", &page.html()?)?;
        say(&format!("results: {}", folder.path().display()));
    }
    let rate = |totals: &[Totals]| {
        let first = totals.first();
        first.map_or(1.0, |t| t.right_ends as f64 / t.episodes.max(1) as f64)
    };
    let all = &report.all;
    let mut odd = report.classes.iter().flat_map(|class| &class.odd);
    let spoilt = odd.find(|record| record.infrastructure);
    if let Some(first) = spoilt.filter(|_| all.iter().all(|t| t.episodes + t.beyond == 0)) {
        return Ok(nothing_judged(&first.detail));
    }
    // A run may have only recoverable or only unrecoverable classes.
    let kinds = [&report.recoverable, &report.unrecoverable];
    let there = kinds.iter();
    let there = there.filter(|k| k.first().is_some_and(|t| t.episodes > 0));
    let lowest = there.map(|k| rate(k)).fold(1.0, f64::min);
    match fail_under {
        Some(threshold) if lowest < threshold => {
            complain(&format!(
                "the rate of correctly ended episodes is below --fail-under {threshold}"
            ));
            Ok(ExitCode::BelowThreshold)
        }
        _ => Ok(ExitCode::Ok),
    }
}

/// Message about an episode of the measured planner that ended wrongly.
fn complaint(record: &RecoveryRecord, measured: &str) -> Option<String> {
    let is_measured = record.strategy == measured;
    let is_wrong = !record.right_end || record.false_success;
    let (task, end, detail) = (&record.task, &record.end, &record.detail);
    let key = record.key();
    (is_measured && is_wrong).then(|| format!("{key}: {task}: {end} - {detail}"))
}

fn chosen(names: &[String]) -> Result<Vec<Class>> {
    let all = classes();
    let unknown = names.iter().find(|name| {
        all.iter()
            .all(|class| !class.info.name.contains(name.as_str()))
    });
    if let Some(name) = unknown {
        let known: Vec<&str> = all.iter().map(|class| class.info.name.as_str()).collect();
        return Err(CliError::usage(format_args!(
            "find the fault class `{name}` (classes: {})",
            known.join(", ")
        )));
    }
    // A complete name means only that class, even if another name contains it.
    let is_whole = |name: &str| all.iter().any(|class| class.info.name == name);
    let is_meant = |name: &str, class: &Class| match is_whole(name) {
        true => class.info.name == name,
        false => class.info.name.contains(name),
    };
    let is_chosen =
        |class: &Class| names.is_empty() || names.iter().any(|name| is_meant(name, class));
    Ok(classes().into_iter().filter(is_chosen).collect())
}
