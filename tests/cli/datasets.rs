//! Data sets of demonstrations. (Requires the feature `dataset` for Parquet and the encoder.)

use std::fs;

use crate::Shell;
use crate::shell::only_in;

const SMALL: &str = "--size 64 48 --fps 10 --cameras top";

#[test]
fn recorded_runs_become_a_data_set_and_a_finished_one_is_left_alone() {
    let shell = Shell::new();
    // A task that expects a refusal counts as passed, but the agent's run counts as failed.
    let run = |task: &str| {
        let run = format!("run --task {task} --record --runs-dir {task} --json");
        shell.check(&run, 0, "");
        only_in(&shell.path().join(task))
    };
    let [good, refused] = ["pick_cube", "pick_unreachable_cube"].map(run);
    let runs = format!("{} {}", good.display(), refused.display());
    let export = |out: &str, code: i32, words: &str| {
        let export = format!("export lerobot {runs} -o {out} {SMALL}");
        shell.check(&export, code, words);
    };
    export("set", 0, "");
    let all = shell.json("set/meta/info.json");
    assert_eq!(all["total_episodes"], 2);
    assert_eq!(all["fps"], 10);
    assert!(shell.has("set/videos/observation.images.top/chunk-000/file-000.mp4"));
    assert!(!shell.has("set/.staged"));
    export("set", 12, "a finished data set is not changed");
    export("good --only-successes", 0, "");
    let only = shell.json("good/meta/info.json");
    assert_eq!(only["total_episodes"], 1);
    export("pick_cube", 12, "contains other files");
    fs::remove_file(good.join("recording.mcap")).unwrap();
    export("more", 12, "use `regrasp run --record`");
}

#[test]
fn tasks_become_demonstrations() {
    let shell = Shell::new();
    let record = format!("dataset record --tasks pick_cube_scrambled --episodes 2 -o set {SMALL}");
    shell.check(&record, 0, "2 episodes");
    let all = shell.json("set/meta/info.json");
    assert_eq!(all["total_episodes"], 2);
    let frames = all["total_frames"].as_u64().unwrap();
    assert!(frames > 40, "only {frames} frames at 10 Hz");
}

#[test]
fn demonstrations_for_policies_without_pictures_have_the_state_of_the_environment() {
    let shell = Shell::new();
    let options = "--episodes 1 --fps 10 --no-pictures --environment-state -o set";
    let one = format!("dataset record --tasks pick_cube_scrambled {options}");
    shell.check(&one, 0, "1 episodes");
    let features = &shell.json("set/meta/info.json")["features"];
    let state = &features["observation.environment_state"];
    let names = state["names"].as_array().unwrap();
    assert_eq!(state["shape"][0].as_u64(), Some(names.len() as u64));
    let is_named = names.contains(&"red_cube from tool x (m)".into());
    assert!(is_named, "{names:?}");
    assert!(!shell.has("set/videos"));
    let two = format!("dataset record --tasks pick_cube stack_two {options}2");
    shell.check(&two, 2, "make a data set of each");
}

#[test]
fn a_task_whose_condition_has_to_go_on_holding_becomes_a_demonstration() {
    let record = format!("dataset record --tasks shapes/cup --episodes 1 -o set {SMALL}");
    Shell::new().check(&record, 0, "1 episodes");
}
