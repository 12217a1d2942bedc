//! Output, files and exit codes of runs.

use serde_json::Value;

use crate::{Shell, listed};

#[test]
fn a_run_says_what_it_does_and_keeps_a_folder() {
    let shell = Shell::new();
    let words = "PLAN: task='pick up the red cube' replan=0; EXECUTE: pick(; FINAL VERDICT; \
                 plan_complete; success:; replans:; steps:; final reason:; detail:; wall:";
    shell.check("run --task pick_cube --seed 3", 0, words);
    let run = shell.only_run();
    let result = shell.json(run.join("result.json"));
    let fields = "success goal_met replans steps planner_calls final_reason final_detail wall_s \
                  sim_s seed state_digest version";
    for field in fields.split(' ') {
        assert!(!result[field].is_null(), "`{field}` is missing: {result}");
    }
    assert_eq!(result["seed"], 3);
    let events = shell.read(run.join("events.jsonl"));
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "episode_finished");
    assert!(run.join("episode.json").is_file());
}

#[test]
fn json_output_is_json_and_nothing_else() {
    let shell = Shell::new();
    let result = shell.asked("run 'put the red cube on the plate' --json");
    assert_eq!(result["success"], true);
    let skills = shell.asked("skills --json");
    let mut skills = skills.as_array().unwrap().iter();
    let pick = skills.find(|s| s["name"] == "pick").unwrap();
    assert_eq!(pick["args_schema"]["required"][0], "object");
}

#[test]
fn a_failed_task_ends_with_10_and_says_why() {
    let shell = Shell::new();
    let run = "run 'pick up the red cube' --task pick_unreachable_cube --planner stub \
               --max-replans 1";
    shell.check(run, 10, "infeasible; unreachable; IK did not converge");
    let words = "replan_exhausted; unreachable; IK did not converge";
    shell.check(&format!("{run} --repeat-calls"), 10, words);
    let words = "unrecognized_prompt; juggle the cubes";
    shell.check("run 'juggle the cubes'", 10, words);
}

#[test]
fn wrong_usage_ends_with_2() {
    let shell = Shell::new();
    shell.check("fly", 2, "fly");
    shell.check("run", 2, "--task");
    shell.check("bench --seeds 0", 2, "--seeds");
    shell.check("bench --fail-under 1.5", 2, "0 to 1");
    let words = "Exit codes:; 0 ; 1 ; 2 ; 10 ; 11 ; 12 ; 13 ; 14 ";
    shell.check("--help", 0, words);
}

#[test]
fn a_kept_run_that_has_ended_is_answered_and_not_judged_again() {
    let shell = Shell::new();
    let kept = "--task pick_cube --store kept.sqlite --run-key 'a run'";
    let run = format!("run {kept}");
    shell.check(&run, 0, "plan_complete");
    shell.check(&run, 12, "has already ended; --resume");
    let said = shell.check(&format!("{run} --resume"), 0, "plan_complete");
    assert!(!said.contains("EXECUTE"), "a step was repeated: {said}");
    let other = format!("run 'go home' {kept} --resume");
    shell.check(&other, 12, "its task is; go home");
    let plans = "plans runs/pick_cube-seed0-000 --diff";
    shell.check(plans, 0, "version 1; pick({");
    let events = shell.path().join("runs/pick_cube-seed0-000/events.jsonl");
    let text = std::fs::read_to_string(&events).unwrap();
    let n_lines = text.lines().count();
    std::fs::write(&events, &text[..text.len() - 9]).unwrap();
    let unreadable = format!("line {n_lines} of events.jsonl is unreadable");
    shell.check(plans, 0, &format!("version 1; {unreadable}"));
    std::fs::remove_file(&events).unwrap();
    let said = shell.check(plans, 0, "events.jsonl is missing or empty");
    assert!(!said.contains("no plan"), "{said}");
}

#[test]
fn the_story_of_a_run_tells_why_a_step_failed_and_what_was_done_about_it() {
    let shell = Shell::new();
    let run = "run 'put the red cube on the plate' --scene covered";
    shell.check(run, 0, "object_covered");
    let told = "PLAN 1; STEP 1: pick(; FAILED after 0.00 s: object_covered (precondition); \
                -> full replan; PLAN 2; transport; GOAL on(red_cube, plate): holds; \
                SUCCESS: plan_complete";
    let show = format!("show {}", shell.only_run().display());
    let said = shell.check(&show, 0, told);
    let places = listed(told).into_iter().map(|part| said.find(part));
    assert!(places.is_sorted(), "not in the order of time: {said}");
    shell.check("show no_such_run", 12, "no_such_run");
}
