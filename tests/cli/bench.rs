//! Benchmarks.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::{argv, check, task_file, text};

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn bench_writes_its_folder_and_holds_the_threshold() {
    let dir = TempDir::new().unwrap();
    let args = "bench --tasks pick_cube --seeds 2 --out run --fail-under 1.0";
    let args: Vec<_> = args.split(' ').collect();
    check(dir.path(), &args, 0, &["pick_cube", "results: run"]);
    let run = dir.path().join("run");
    let summary = read_json(&run.join("summary.json"));
    let task = &summary["tasks"][0];
    for field in [
        "task",
        "episodes",
        "successes",
        "false_successes",
        "unclaimed",
        "infrastructure",
        "wilson95",
        "state_digest",
        "phases",
        "failures",
    ] {
        assert!(!task[field].is_null(), "the summary has `{field}`: {task}");
    }
    assert!(task["phases"]["pick"]["sim_s"].is_number(), "{task}");
    assert_eq!(summary["missing"], 0);
    let timing = read_json(&run.join("timing.json"));
    assert!(timing["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(timing["tasks"][0]["p95_wall_s"].is_number());
    check(dir.path(), &args, 12, &["there is one already; --resume"]);
    let resumed = [&args[..], &["--resume"]].concat();
    check(dir.path(), &resumed, 0, &["2/2"]);
    let other = [&resumed[..], &["--planner", "stub"]].concat();
    let words = ["another configuration: `planner` is \"feedback\" there and \"stub\" here"];
    check(dir.path(), &other, 12, &words);
}

#[test]
fn a_failed_episode_has_a_command_and_a_picture() {
    let dir = TempDir::new().unwrap();
    // A task that cannot be done stays below any threshold.
    let far = task_file(dir.path(), "xy: [0.4", "xy: [1.2");
    let args = format!(
        "bench --tasks {far} --seeds 1 --fail-under 0.5 --out run \
         --max-replans 1"
    );
    let args = argv(&args);
    check(
        dir.path(),
        &args,
        13,
        &["my_task seed 0: unreachable", "below 0.5"],
    );
    let again = "regrasp run --task task.yaml --seed 0 --max-replans 1";
    let page = fs::read_to_string(dir.path().join("run/report.html")).unwrap();
    let markdown = fs::read_to_string(dir.path().join("run/report.md")).unwrap();
    assert!(page.contains(again), "the page says how to repeat it");
    assert!(markdown.contains("unreachable in pick"), "{markdown}");
    assert!(page.contains("data:image/png;base64,iVBOR"), "and shows it");
    let picture = dir.path().join("run/pictures/my_task-seed0.png");
    assert!(picture.is_file());
    assert!(page.contains("<svg width=\"560\""), "and has charts");
    let summary = read_json(&dir.path().join("run/summary.json"));
    assert_eq!(summary["tasks"][0]["reasons"]["unreachable"], 1);
}

/// Two tasks, three seeds each, with one job unless something else is said.
fn bench(dir: &Path, more: &[&str], code: i32) -> String {
    let args = argv("bench --tasks home pick_cube_scrambled --seeds 3");
    check(dir, &[&args[..], more].concat(), code, &[])
}

fn summary(dir: &Path, run: &str) -> String {
    fs::read_to_string(dir.join(run).join("summary.json")).unwrap()
}

#[test]
fn jobs_shards_and_kills_leave_no_trace_in_the_summary() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    bench(dir, &["--jobs", "1", "--out", "one"], 0);
    let expected = summary(dir, "one");

    bench(dir, &["--jobs", "2", "--out", "two"], 0);
    assert_eq!(summary(dir, "two"), expected, "two jobs");

    for shard in 1..=4 {
        let (shard, out) = (format!("{shard}/4"), format!("shard{shard}"));
        bench(dir, &["--shard", &shard, "--out", &out], 0);
        assert_ne!(summary(dir, &out), expected, "a part is not the whole");
    }
    let parts = [
        "bench", "merge", "shard2", "shard4", "shard1", "--out", "merged",
    ];
    check(dir, &parts, 12, &["missing: 3/4"]);
    check(dir, &[&parts[..], &["shard3"]].concat(), 0, &["6/6"]);
    assert_eq!(summary(dir, "merged"), expected, "four shards");

    killed(dir);
    assert!(!dir.join("killed/summary.json").exists(), "it did not end");
    bench(dir, &["--jobs", "2", "--out", "killed", "--resume"], 0);
    assert_eq!(summary(dir, "killed"), expected, "killed and resumed");
    let compare = ["bench", "compare", "one", "killed"];
    check(
        dir,
        &compare,
        0,
        &["of 6 pairs the first won 0 and lost 0", "p = 1.000"],
    );
}

/// Begins a run of its own and waits until something is written, but not all.
fn begun(dir: &Path, out: &str, tasks: &str, seeds: &str) -> Child {
    let args = [
        "bench", "--tasks", tasks, "--seeds", seeds, "--jobs", "1", "--out", out,
    ];
    let mut child = Command::new(crate::REGRASP)
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let results = dir.join(out).join("results.jsonl");
    let is_begun = || fs::metadata(&results).is_ok_and(|file| file.len() > 0);
    while !is_begun() && child.try_wait().unwrap().is_none() {
        thread::yield_now();
    }
    child
}

fn killed(dir: &Path) {
    let mut child = begun(dir, "killed", "home,pick_cube_scrambled", "3");
    child.kill().unwrap();
    child.wait().unwrap();
    let results = fs::read_to_string(dir.join("killed/results.jsonl")).unwrap();
    let n_lines = results.lines().count();
    assert!(
        (1..6).contains(&n_lines),
        "killed after {n_lines} of 6 episodes"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_there_is_and_says_how_to_go_on() {
    let dir = TempDir::new().unwrap();
    let child = begun(dir.path(), "run", "home", "500");
    let interrupt = format!("kill -INT {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &interrupt])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(14), "{said}");
    assert!(
        said.contains(" of 500 episodes; go on with: regrasp bench"),
        "{said}"
    );
    assert!(said.trim_end().ends_with("--out run --resume"), "{said}");
    let summary = read_json(&dir.path().join("run/summary.json"));
    let (n_done, missing) = (&summary["pooled"]["episodes"], &summary["missing"]);
    assert_eq!(n_done.as_u64().unwrap() + missing.as_u64().unwrap(), 500);
    assert_eq!(
        summary["pooled"]["infrastructure"], 0,
        "no episode is spoilt by it"
    );
    let page = fs::read_to_string(dir.path().join("run/report.html")).unwrap();
    assert!(page.contains(&format!("{missing} episodes are still to be run")));
}

#[test]
fn wrong_requests_are_refused_with_what_would_be_right() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    let refused = |args: &str, code: i32, words: &[&str]| {
        let args: Vec<_> = args.split_whitespace().collect();
        check(dir, &[&["bench"], &args[..]].concat(), code, words);
    };
    refused(
        "--suite manyskill",
        2,
        &["maniskill", "robosuite", "recovery"],
    );
    refused("--tasks pick_cub", 12, &["did you mean `pick_cube`?"]);
    refused("--tasks home home", 2, &["`home` twice"]);
    refused(
        "--shard 5/4 --out x",
        2,
        &["shards are counted from 1 to 4"],
    );
    refused(
        "--shard 0/4 --out x",
        2,
        &["shards are counted from 1 to 4"],
    );
    refused("--shard 1/0 --out x", 2, &["at least one shard"]);
    refused("--shard 1/4", 2, &["--out"]);
    refused("--resume", 2, &["--out"]);
    refused("--jobs 0", 2, &["whole number from 1"]);
    refused("--timeout 0", 2, &["greater than 0"]);
    refused("--tasks home --no-baselines", 2, &["--suite"]);
    refused(
        "--suite clutter --classes x",
        2,
        &["belongs to --suite recovery"],
    );
    refused(
        "--suite recovery --timeout 3",
        2,
        &["use --timeout: it has no effect with --suite recovery"],
    );
    refused("merge --out x", 2, &["SHARDS"]);
    refused(
        "merge nothing --out x",
        12,
        &["there is no config.json in it"],
    );
    refused("compare nothing there", 12, &["find a run in `nothing`"]);
    fs::write(dir.join("seeds.txt"), "1\ntwo\n").unwrap();
    refused(
        "--tasks home --seed-list seeds.txt",
        12,
        &["line 2: `two` is no seed"],
    );
    refused("--tasks home --seed-list gone.txt", 12, &["read gone.txt"]);
    fs::create_dir(dir.join("foreign")).unwrap();
    fs::write(dir.join("foreign/thesis.txt"), "dear").unwrap();
    refused(
        "--tasks home --seeds 1 --out foreign",
        12,
        &["the folder is not empty"],
    );
    let resume = "--tasks home --seeds 1 --out foreign --resume";
    refused(resume, 12, &["there is no config.json in it"]);
}

#[test]
fn a_list_of_seeds_runs_those_and_a_broken_line_of_results_is_told() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("seeds.txt"), "# the hard ones\n7\n2-3\n").unwrap();
    let args = "bench --tasks home --seed-list seeds.txt --out run --timeout 600";
    let args: Vec<_> = args.split(' ').collect();
    check(dir.path(), &args, 0, &["3/3"]);
    let summary = read_json(&dir.path().join("run/summary.json"));
    assert_eq!(summary["config"]["seeds"], "2-3,7");
    assert_eq!(summary["config"]["timeout_s"], 600.0);
    let results = dir.path().join("run/results.jsonl");
    let lines = fs::read_to_string(&results).unwrap();
    let mut lines: Vec<_> = lines.lines().collect();
    lines[1] = "{\"task\": \"ho";
    fs::write(&results, lines.join("\n") + "\n").unwrap();
    let resume = [&args[..], &["--resume"]].concat();
    check(dir.path(), &resume, 12, &["results.jsonl`, line 2: "]);
}

#[test]
fn the_recovery_suite_has_a_page_with_baselines_and_commands() {
    let dir = TempDir::new().unwrap();
    let args = [
        "bench",
        "--suite",
        "recovery",
        "--classes",
        "too wide",
        "--seeds",
        "1",
        "--jobs",
        "1",
        "--out",
        "run",
    ];
    check(dir.path(), &args, 0, &["too wide"]);
    let page = fs::read_to_string(dir.path().join("run/report.html")).unwrap();
    for word in [
        "Regrasp recovery suite",
        "Faults that leave only a right end",
        "<td>too wide</td>",
        "no replanning",
        "replans at most",
        "1/1",
    ] {
        assert!(page.contains(word), "`{word}` is not in the page");
    }
    assert!(
        !page.contains("Did not end as they should: 0"),
        "empty lists are left out"
    );
    let again = [
        "bench",
        "--suite",
        "recovery",
        "--no-baselines",
        "--classes",
        "too wide",
    ];
    let one = [&again[..], &["--seed", "0"]].concat();
    check(dir.path(), &one, 0, &["too wide", "1/1"]);
    let both = [&one[..], &["--seeds", "2"]].concat();
    check(dir.path(), &both, 2, &["--seed <S>", "cannot be used with"]);
}
