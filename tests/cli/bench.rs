//! `regrasp bench`: results, resuming, shards, and refused arguments.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;

use regrasp_testkit::says;

use crate::shell::{expect, interrupt};
use crate::{Shell, listed};

#[test]
fn bench_writes_its_folder_and_holds_the_threshold() {
    let shell = Shell::new();
    let bench = "bench --tasks pick_cube --seeds 2 --out run --fail-under 1.0";
    shell.check(bench, 0, "pick_cube; results: run");
    let summary = shell.json("run/summary.json");
    let task = &summary["tasks"][0];
    let fields = "task episodes successes false_successes unclaimed infrastructure wilson95 \
                  state_digest phases failures";
    for field in fields.split(' ') {
        assert!(!task[field].is_null(), "`{field}` is missing: {task}");
    }
    assert!(task["phases"]["pick"]["sim_s"].is_number(), "{task}");
    assert_eq!(summary["missing"], 0);
    let timing = shell.json("run/timing.json");
    assert!(timing["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(timing["tasks"][0]["p95_wall_s"].is_number());
    let said = shell.check(bench, 12, "--resume");
    says(&said, &["the folder already has a run; continue it with"]);
    shell.check(&format!("{bench} --resume"), 0, "2/2");
    let other = format!("{bench} --resume --planner stub");
    let words = "configuration differs: `planner` changes from \"feedback\" to \"stub\"";
    shell.check(&other, 12, words);
}

#[test]
fn a_failed_episode_has_a_command_and_a_picture() {
    let shell = Shell::new();
    // An infeasible task stays below any threshold.
    let far = shell.task_file("xy: [0.4", "xy: [1.2");
    let bench = format!("bench --tasks {far} --seeds 1 --fail-under 0.5 --out run --max-replans 1");
    let words = "my_task seed 0: unreachable; below --fail-under 0.5";
    shell.check(&bench, 13, words);
    let page = shell.read("run/report.html");
    // The page has a command that repeats the episode, a picture, and charts.
    let again = "regrasp run --task task.yaml --seed 0 --max-replans 1";
    let charts = "<svg width=\"560\"";
    says(&page, &[again, "data:image/png;base64,iVBOR", charts]);
    says(&shell.read("run/report.md"), &["unreachable in pick"]);
    assert!(shell.has("run/pictures/my_task-seed0.png"));
    let summary = shell.json("run/summary.json");
    assert_eq!(summary["tasks"][0]["reasons"]["unreachable"], 1);
}

#[test]
fn jobs_shards_and_kills_leave_no_trace_in_the_summary() {
    let shell = Shell::new();
    // Two tasks with three seeds each.
    let bench = |more: &str| {
        let all = format!("bench --tasks home pick_cube_scrambled --seeds 3 {more}");
        shell.check(&all, 0, "")
    };
    let summary = |run: &str| shell.read(format!("{run}/summary.json"));
    bench("--jobs 1 --out one");
    let expected = summary("one");

    bench("--jobs 2 --out two");
    assert_eq!(summary("two"), expected, "summary of a run with two jobs");

    for shard in 1..=4 {
        bench(&format!("--shard {shard}/4 --out shard{shard}"));
        let part = summary(&format!("shard{shard}"));
        assert_ne!(part, expected, "one shard has the whole summary");
    }
    let merge = "bench merge shard2 shard4 shard1 --out merged";
    shell.check(merge, 12, "missing: 3/4");
    shell.check(&format!("{merge} shard3"), 0, "6/6");
    assert_eq!(summary("merged"), expected, "summary of four merged shards");

    killed(&shell);
    let is_over = shell.has("killed/summary.json");
    assert!(!is_over, "the run ended before it was killed");
    bench("--jobs 2 --out killed --resume");
    assert_eq!(summary("killed"), expected, "killed and resumed");
    let words = "of 6 pairs the first won 0 and lost 0; p = 1.000";
    shell.check("bench compare one killed", 0, words);
}

/// Starts a run in a separate process and waits until it has written a result or has ended.
fn begun(shell: &Shell, out: &str, tasks: &str, seeds: &str) -> Child {
    let bench = format!("bench --tasks {tasks} --seeds {seeds} --jobs 1 --out {out}");
    let mut command = shell.command(&bench);
    let piped = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let results = shell.path().join(out).join("results.jsonl");
    let is_begun = || fs::metadata(&results).is_ok_and(|file| file.len() > 0);
    while !is_begun() && child.try_wait().unwrap().is_none() {
        thread::yield_now();
    }
    child
}

fn killed(shell: &Shell) {
    let mut child = begun(shell, "killed", "home,pick_cube_scrambled", "3");
    child.kill().unwrap();
    child.wait().unwrap();
    let n_lines = shell.read("killed/results.jsonl").lines().count();
    assert!((1..6).contains(&n_lines), "{n_lines} of 6 results");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_there_is_and_says_how_to_go_on() {
    let shell = Shell::new();
    let child = begun(&shell, "run", "home", "500");
    interrupt(&child);
    let said = expect(&child.wait_with_output().unwrap(), 14, "--resume");
    says(&said, &[" of 500 episodes; resume with: regrasp bench"]);
    assert!(said.trim_end().ends_with("--out run --resume"), "{said}");
    let summary = shell.json("run/summary.json");
    let (n_done, missing) = (&summary["pooled"]["episodes"], &summary["missing"]);
    assert_eq!(n_done.as_u64().unwrap() + missing.as_u64().unwrap(), 500);
    // The interrupted episode does not count as a failure of the infrastructure.
    assert_eq!(summary["pooled"]["infrastructure"], 0);
    let still = format!("{missing} episodes have not run yet");
    says(&shell.read("run/report.html"), &[&still]);
}

#[test]
fn wrong_requests_are_refused_with_what_would_be_right() {
    let shell = Shell::new();
    shell.write("seeds.txt", "1\ntwo\n");
    fs::create_dir(shell.path().join("foreign")).unwrap();
    shell.write("foreign/thesis.txt", "dear");
    let cases = "
        --suite manyskill                           | 2  | maniskill; robosuite; recovery
        --tasks pick_cub                            | 12 | did you mean `pick_cube`?
        --tasks home home                           | 2  | `home` is given twice
        --shard 5/4 --out x                         | 2  | shards are counted from 1 to 4
        --shard 0/4 --out x                         | 2  | shards are counted from 1 to 4
        --shard 1/0 --out x                         | 2  | at least one shard
        --shard 1/4                                 | 2  | --out
        --resume                                    | 2  | --out
        --jobs 0                                    | 2  | whole number, 1 or greater
        --timeout 0                                 | 2  | greater than 0
        --tasks home --no-baselines                 | 2  | --suite
        --suite clutter --classes x                 | 2  | needs --suite recovery
        merge --out x                               | 2  | SHARDS
        merge nothing --out x                       | 12 | there is no config.json in it
        compare nothing there                       | 12 | find a run in `nothing`
        --tasks home --seed-list seeds.txt          | 12 | line 2: `two` is not a seed
        --tasks home --seed-list gone.txt           | 12 | read gone.txt
        --tasks home --seeds 1 --out foreign        | 12 | the folder is not empty
        --tasks home --seeds 1 --out foreign --resume | 12 | there is no config.json in it
        --suite recovery --timeout 3 | 2 | use --timeout: it has no effect with --suite recovery";
    shell.check_all("bench", cases);
}

#[test]
fn a_list_of_seeds_runs_those_and_a_broken_line_of_results_is_reported() {
    let shell = Shell::new();
    shell.write("seeds.txt", "# the hard ones\n7\n2-3\n");
    let bench = "bench --tasks home --seed-list seeds.txt --out run --timeout 600";
    shell.check(bench, 0, "3/3");
    let summary = shell.json("run/summary.json");
    assert_eq!(summary["config"]["seeds"], "2-3,7");
    assert_eq!(summary["config"]["timeout_s"], 600.0);
    let lines = shell.read("run/results.jsonl");
    let mut lines: Vec<_> = lines.lines().collect();
    lines[1] = "{\"task\": \"ho";
    shell.write("run/results.jsonl", lines.join("\n") + "\n");
    shell.check(&format!("{bench} --resume"), 12, "results.jsonl`, line 2: ");
}

#[test]
fn the_recovery_suite_has_a_page_with_baselines_and_commands() {
    let shell = Shell::new();
    let bench = "bench --suite recovery --classes 'too wide' --seeds 1 --jobs 1 --out run";
    shell.check(bench, 0, "too wide");
    let page = shell.read("run/report.html");
    let words = "Regrasp recovery suite; Faults that make the task impossible; \
                 <td>too wide</td>; no replanning; maximum replans; 1/1";
    says(&page, &listed(words));
    let empty = "Wrong outcome: 0";
    assert!(!page.contains(empty), "the page has an empty list");
    let one = "bench --suite recovery --no-baselines --classes 'too wide' --seed 0";
    shell.check(one, 0, "too wide; 1/1");
    let words = "--seed <S>; cannot be used with";
    shell.check(&format!("{one} --seeds 2"), 2, words);
}
