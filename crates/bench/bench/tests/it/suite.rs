//! Counting of results, tested with a simulated agent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::common::{config, failed, outcome, pretend, tasks, whole};
use regrasp_api::{FinalReason, Reason};
use regrasp_bench::{
    BenchConfig, Chart, DrawnTask, InfrastructureFailure, Key, Machine, Report, RunEpisode,
    RunOptions, Summary, Tally, Timing, Verdict, Wires, judge, run_episodes, table,
};
use regrasp_ground_truth::{Episode, FirstMet};
use regrasp_scene::{Task, TaskInstance, builtin_task};
use tempfile::tempdir;

fn run(n_seeds: u64, timeout: Option<Duration>, run: &RunEpisode<'_>) -> Tally {
    let config = config(n_seeds, None);
    let mut tally = Tally::new(&config);
    let options = RunOptions {
        jobs: 2,
        timeout,
        ..RunOptions::default()
    };
    let mut each = |record| {
        tally.add(&record);
        Ok(())
    };
    let (tasks, keys) = (tasks(), config.keys());
    let (preparing, ended) = (|_: &str| (), |_: &_, _: &_, _: &_| ());
    let done = run_episodes(&tasks, &keys, &options, &preparing, run, &ended, &mut each);
    done.unwrap();
    tally
}

fn summary(n_seeds: u64) -> Summary {
    run(n_seeds, None, &|instance, _| pretend(instance)).summary()
}

#[test]
fn every_way_to_end_is_counted_once_and_in_its_place() {
    let summary = summary(10);
    let task = &summary.tasks[0];
    assert_eq!((task.counts.episodes, task.counts.successes), (10, 6));
    let false_successes = task.counts.false_successes;
    assert_eq!(false_successes, 1, "seed 2 claims what the judge denies");
    let infrastructure = task.counts.infrastructure;
    assert_eq!(infrastructure, 2, "seeds 6 and 8 fail by infrastructure");
    let reasons = |failures: &[regrasp_bench::FailureRecord]| -> Vec<_> {
        let reasons = failures.iter().map(|f| (f.seed, f.reason.clone()));
        reasons.collect()
    };
    let failures = [(2, "false_success".into()), (4, "grasp_missed".into())];
    assert_eq!(reasons(&task.failures), failures);
    let spoilt = [(6, "sim_diverged".into()), (8, "setup".into())];
    assert_eq!(reasons(&task.infrastructure_failures), spoilt);
    let unclaimed = &task.unclaimed_successes;
    assert_eq!((task.counts.unclaimed, unclaimed.len()), (1, 1));
    let why = unclaimed.first().map(|f| (f.seed, f.detail.as_str()));
    assert_eq!(why, Some((7, "max_steps - ")), "the agent's explanation");
    assert_eq!(task.counts.success_rate(), Some(6.0 / 8.0));
    assert!(summary.reaches(0.75) && !summary.reaches(0.76));
    let pooled = &summary.pooled;
    assert_eq!((pooled.episodes, pooled.successes), (20, 12));
    assert_eq!(summary.missing, 0);
}

#[test]
fn a_scene_that_does_not_come_to_rest_is_nobodys_failure() {
    let restless = |instance: &TaskInstance, _| match instance.name.as_str() {
        "pick_cube" => Ok(outcome(instance, false, FinalReason::SceneNotAtRest)),
        _ => pretend(instance),
    };
    let summary = run(2, None, &restless).summary();
    let task = &summary.tasks[1];
    assert_eq!((task.counts.unsettled, task.counts.judged()), (2, 0));
    assert_eq!(task.failures, []);
    let failure = &task.infrastructure_failures[0];
    assert_eq!(failure.reason, "scene_not_at_rest");
    assert_eq!(summary.never_at_rest(), ["pick_cube"]);
    let table = table(&summary, &run(2, None, &restless).timings(&BTreeMap::new()));
    assert!(table.contains("2 (2 unsettled)"), "{table}");
}

#[test]
fn what_could_not_be_judged_reaches_nothing() {
    let all_spoilt = |_: &TaskInstance, _| Err(InfrastructureFailure::new("setup", "no world"));
    let summary = run(2, None, &all_spoilt).summary();
    assert_eq!(summary.tasks[0].counts.success_rate(), None);
    assert!(!summary.reaches(0.0));
}

#[test]
fn an_episode_that_takes_too_long_is_no_failure_of_the_robot() {
    let limit = Some(Duration::from_millis(1));
    let slow = |instance: &TaskInstance, wires: regrasp_bench::Wires| {
        while !wires.cancel.is_cancelled() {
            thread::yield_now();
        }
        match instance.seed {
            // The episode succeeds although it was cancelled for being late.
            1 => pretend(instance),
            _ => Ok(outcome(instance, false, FinalReason::Cancelled)),
        }
    };
    let summary = run(3, limit, &slow).summary();
    let counts = &summary.tasks[0].counts;
    assert_eq!((counts.successes, counts.judged()), (1, 1));
    assert_eq!((counts.infrastructure, counts.timeouts), (2, 2));
    let failure = &summary.tasks[0].infrastructure_failures[0];
    assert_eq!(failure.reason, "timeout");
    assert!(failure.detail.contains("--timeout"), "{}", failure.detail);
    // Without times, the table has its head.
    assert!(table(&summary, &[]).contains("task"));
}

#[test]
fn a_panic_spoils_its_episode_and_no_other() {
    let panics = |instance: &TaskInstance, _| match instance.seed {
        1 => panic!("index out of bounds"),
        _ => pretend(instance),
    };
    let summary = run(3, None, &panics).summary();
    let counts = &summary.tasks[0].counts;
    assert_eq!((counts.episodes, counts.infrastructure), (3, 1));
    let failure = &summary.tasks[0].infrastructure_failures[0];
    assert_eq!((failure.seed, failure.reason.as_str()), (1, "panic"));
    assert!(failure.detail.contains("index out of bounds"));
}

/// Times that are the same on every machine.
fn timing(tally: &Tally) -> Timing {
    let mut tasks = tally.timings(&BTreeMap::new());
    for task in &mut tasks {
        task.median_wall_s = Some(0.125);
        task.p95_wall_s = Some(0.25);
        task.slowest.truncate(1);
        task.slowest[0].seed = 3;
        task.slowest[0].wall_s = 0.5;
    }
    Timing {
        machine: Machine {
            cores: 2,
            cpu: "a <fast> one".into(),
            os: "some system".into(),
            arch: "x86_64".into(),
            optimised: true,
        },
        jobs: Some(2),
        session_episodes: 20,
        session_s: 4.0,
        startup_s: 1.5,
        preparation_s: 0.5,
        tasks,
    }
}

#[test]
fn reports_hold_what_their_formats_promise() {
    let tally = run(10, None, &|instance, _| pretend(instance));
    let mut summary = tally.summary();
    let timing = timing(&tally);
    for group in &mut summary.config.groups {
        // The digest changes with the task files.
        group.digest = "0123456789abcdef".into();
    }
    insta::assert_snapshot!("summary", serde_json::to_string_pretty(&summary).unwrap());
    insta::assert_snapshot!("table", table(&summary, &timing.tasks));
    let config = config(10, None);
    let report = report(&config, &summary, &timing);
    insta::assert_snapshot!("markdown", report.markdown().unwrap());
    let text = serde_json::to_string(&summary).unwrap();
    let back: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(back, summary);
}

fn report<'a>(config: &'a BenchConfig, summary: &'a Summary, timing: &'a Timing) -> Report<'a> {
    let key = Summary::key(&summary.tasks[0], 4);
    Report {
        config,
        summary,
        timing,
        charts: vec![Chart {
            title: "Bars & more".into(),
            svg: "<svg><rect/></svg>".into(),
        }],
        pictures: [(key, b"PNG".to_vec())].into(),
    }
}

#[test]
fn the_page_has_everything_in_it_and_texts_stay_texts() {
    let tally = run(10, None, &|instance, _| pretend(instance));
    let mut summary = tally.summary();
    let hostile = "\"><script>alert(1)</script>";
    summary.tasks[0].task = hostile.into();
    summary.tasks[0].failures[0].detail = hostile.into();
    let timing = timing(&tally);
    let page = report(&config(10, None), &summary, &timing).html().unwrap();
    assert!(!page.contains("<script"), "texts from scenes are escaped");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(page.contains("closed on &lt;nothing&gt; | at all"));
    assert!(page.contains("a &lt;fast&gt; one"));
    // Charts are inserted without escaping.
    assert!(page.contains("<svg><rect/></svg>"));
    assert!(page.contains("data:image/png;base64,UE5H"), "the picture");
    let again = "regrasp run --task pick_cube --seed 4 --planner stub";
    assert!(page.contains(again), "a command repeats each failure");
    for elsewhere in ["src=\"http", "href=\"http", "@import", "url("] {
        assert!(!page.contains(elsewhere), "the page loads: {elsewhere}");
    }
    let markdown = report(&config(10, None), &summary, &timing).markdown();
    let markdown = markdown.unwrap();
    assert!(!markdown.contains("<script"));
}

#[test]
fn the_files_of_a_run_can_be_read_by_others() {
    let dir = tempdir().unwrap();
    let (folder, summary) = whole(&dir.path().join("run"), config(10, None), 2);
    folder.write_json("summary.json", &summary).unwrap();
    let lines = std::fs::read_to_string(folder.path().join("results.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    for field in "task seed verdict reason state_digest wall_s phases".split(' ') {
        let is_there = first.get(field).is_some();
        assert!(is_there, "the record has no `{field}`: {first}");
    }
}

#[test]
fn refusing_the_impossible_for_the_right_reason_is_a_success() {
    let task = builtin_task("pick_unreachable_cube").unwrap();
    let instance = task.instantiate(1).unwrap();
    let refused = outcome(&instance, false, FinalReason::Infeasible);
    let verdict = |outcome: Episode| judge(&instance, &outcome);
    let with = |reason| verdict(failed(refused.clone(), reason, "d"));
    let denied = |verdict: Verdict| match verdict {
        Verdict::Failure { false_success, .. } => Some(false_success),
        _ => None,
    };
    assert_eq!(with(Reason::Unreachable), Verdict::Success);
    assert_eq!(denied(with(Reason::PathBlocked)), Some(false));
    assert_eq!(denied(verdict(refused.clone())), Some(false));
    let claimed = outcome(&instance, true, FinalReason::PlanComplete);
    let claimed = failed(claimed, Reason::Unreachable, "d");
    assert_eq!(denied(verdict(claimed)), Some(true));
}

/// The verdict is about the end of an episode. Other benchmarks also count a condition that held at
/// any other time.
#[test]
fn what_held_for_a_moment_is_counted_beside_the_end_and_stays_a_false_success() {
    let met = |instance: &TaskInstance, _: Wires| {
        let at_secs = (instance.seed != 4).then_some(1.5);
        let first_met = Some(FirstMet {
            rate_hz: 20.0,
            at_secs,
        });
        pretend(instance).map(|outcome| Episode {
            first_met,
            ..outcome
        })
    };
    let tally = run(10, None, &met);
    let summary = tally.summary();
    let counts = &summary.tasks[0].counts;
    // Of eight judged episodes, seed 2 dropped the object again and seed 4 never lifted it.
    assert_eq!((counts.successes, counts.ever_done), (6, Some(7)));
    // Seed 2 claims a success that did not last.
    assert_eq!(counts.false_successes, 1);
    let table = table(&summary, &timing(&tally).tasks);
    assert!(table.contains("6/8 (ever 7)"), "{table}");
}

struct Watched {
    task: Task,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn note(&self, what: &str) {
        let line = format!("{what} {}", self.task.name());
        self.calls.lock().unwrap().push(line);
    }
}

impl DrawnTask for Watched {
    fn name(&self) -> &str {
        self.task.name()
    }

    fn prepare(&self) -> Result<(), String> {
        self.note("prepare");
        match self.name() {
            "pick_unreachable_cube" => Err("its file is broken".to_owned()),
            _ => Ok(()),
        }
    }

    fn release(&self) {
        self.note("release");
    }

    fn draw(&self, seed: u64) -> Result<TaskInstance, String> {
        self.note("draw");
        self.task.draw(seed)
    }
}

/// Runs episodes given by task and seed. Returns the calls of the tasks, and the result.
fn watched(episodes: &[(&str, u64)]) -> (String, Result<Vec<String>, String>) {
    let calls = Arc::default();
    let names = ["pick_cube", "home", "stack_two", "pick_unreachable_cube"];
    let tasks = names.map(|name| {
        let task = builtin_task(name).unwrap();
        let calls = Arc::clone(&calls);
        Box::new(Watched { task, calls }) as Box<dyn DrawnTask>
    });
    let key = |(group, seed): &(&str, u64)| Key {
        group: (*group).to_owned(),
        seed: *seed,
    };
    let keys: Vec<Key> = episodes.iter().map(key).collect();
    let run = |_: &TaskInstance, _: Wires| Err(InfrastructureFailure::new("setup", "no world"));
    let (preparing, ended) = (|_: &str| (), |_: &_, _: &_, _: &_| ());
    let options = RunOptions::default();
    let mut each = |_| Ok(());
    let done = run_episodes(&tasks, &keys, &options, &preparing, &run, &ended, &mut each);
    let done = done.map(|took| took.into_keys().collect());
    let calls = calls.lock().unwrap().join(", ");
    (calls, done.map_err(|error| error.to_string()))
}

#[test]
fn a_task_is_prepared_when_its_first_episode_begins_and_kept_until_another_shares_what_it_has() {
    let (calls, done) = watched(&[("home", 0), ("home", 1), ("pick_cube", 3)]);
    let expected = "prepare home, draw home, draw home, prepare pick_cube, release home, \
                    draw pick_cube";
    assert_eq!(calls, expected, "a task without episodes is left alone");
    assert_eq!(done, Ok(vec!["home".to_owned(), "pick_cube".to_owned()]));
    assert_eq!(watched(&[]), (String::new(), Ok(vec![])));
}

#[test]
fn a_task_that_cannot_be_prepared_ends_the_run() {
    let broken = "pick_unreachable_cube";
    let (calls, done) = watched(&[("home", 0), (broken, 0), (broken, 1)]);
    let expected = "prepare home, draw home, prepare pick_unreachable_cube, release home";
    assert_eq!(calls, expected);
    assert_eq!(done, Err("its file is broken".to_owned()));
}
