//! Data sets of demonstrations. (The feature `dataset` brings Parquet and the encoder.)

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::said;

fn info(dir: &Path, name: &str) -> serde_json::Value {
    let text = fs::read(dir.join(name).join("meta/info.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn recorded_runs_become_a_data_set_and_a_finished_one_is_left_alone() {
    let dir = TempDir::new().unwrap();
    // A refusal that the task wants is a success of the task, but not of the agent.
    let run = |task: &str| {
        let run = format!("run --task {task} --record --runs-dir {task} --json");
        said(dir.path(), &run, 0);
        let mut runs = fs::read_dir(dir.path().join(task)).unwrap();
        runs.next().unwrap().unwrap().path()
    };
    let [good, refused] = ["pick_cube", "pick_unreachable_cube"].map(run);
    let runs = format!("{} {}", good.display(), refused.display());
    let small = "--size 64 48 --fps 10 --cameras top";
    said(
        dir.path(),
        &format!("export lerobot {runs} -o set {small}"),
        0,
    );
    let all = info(dir.path(), "set");
    assert_eq!(all["total_episodes"], 2);
    assert_eq!(all["fps"], 10);
    assert!(
        dir.path()
            .join("set/videos/observation.images.top/chunk-000/file-000.mp4")
            .exists()
    );
    assert!(!dir.path().join("set/.staged").exists());
    let refused = said(
        dir.path(),
        &format!("export lerobot {runs} -o set {small}"),
        12,
    );
    assert!(
        refused.contains("a finished data set is not changed"),
        "{refused}"
    );
    let only = format!("export lerobot {runs} --only-successes -o good {small}");
    said(dir.path(), &only, 0);
    assert_eq!(info(dir.path(), "good")["total_episodes"], 1);
    let refused = said(
        dir.path(),
        &format!("export lerobot {runs} -o pick_cube {small}"),
        12,
    );
    assert!(refused.contains("holds something else"), "{refused}");
    fs::remove_file(good.join("recording.mcap")).unwrap();
    let refused = said(
        dir.path(),
        &format!("export lerobot {runs} -o more {small}"),
        12,
    );
    assert!(
        refused.contains("`regrasp run --record` makes one"),
        "{refused}"
    );
}

#[test]
fn tasks_become_demonstrations() {
    let dir = TempDir::new().unwrap();
    let record = "dataset record --tasks pick_cube_scrambled --episodes 2 -o set --size 64 48 \
                  --fps 10 --cameras top";
    let told = said(dir.path(), record, 0);
    assert!(told.contains("2 episodes"), "{told}");
    let all = info(dir.path(), "set");
    assert_eq!(all["total_episodes"], 2);
    let frames = all["total_frames"].as_u64().unwrap();
    assert!(frames > 40, "{frames} frames at 10 Hz");
}

#[test]
fn a_task_whose_condition_has_to_go_on_holding_becomes_a_demonstration() {
    let dir = TempDir::new().unwrap();
    let record = "dataset record --tasks shapes/cup --episodes 1 -o set --size 64 48 --fps 10 \
                  --cameras top";
    let told = said(dir.path(), record, 0);
    assert!(told.contains("1 episodes"), "{told}");
}
