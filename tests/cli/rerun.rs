//! Export of runs for the Rerun viewer. (Requires the feature `rerun`.)

use std::fs;
use std::path::PathBuf;

use regrasp_record::Recording;
use regrasp_rerun::contents;

use crate::Shell;

fn run(shell: &Shell, arguments: &str) -> PathBuf {
    let run = format!("run {arguments} --record --runs-dir runs --json");
    shell.check(&run, 0, "");
    shell.only_run()
}

#[test]
fn a_run_that_is_replanned_has_all_of_it_in_the_file() {
    let shell = Shell::new();
    let arguments = "--task unstack_to_plate --planner feedback --record-cameras scene,wrist";
    let run = run(&shell, arguments);
    let export = format!("export rerun {} -o it.rrd --json", run.display());
    let told = shell.asked(&export);
    let mut recording = Recording::open(&run.join("recording.mcap")).unwrap();
    let n_frames = recording.frames().count();
    let events = recording.events().unwrap();
    assert_eq!(told["frames"], n_frames);
    assert_eq!(told["events"], events.len());

    let found = contents(&shell.path().join("it.rrd")).unwrap();
    let rows = |path: &str| found.rows(path);
    assert_eq!(rows("/signals/gripper_m/width"), n_frames);
    let hand = rows("/world/robot/panda_hand");
    for (path, least, most) in [
        ("/world/robot/panda_hand", n_frames / 4 + 1, n_frames),
        ("/world/objects/red_cube", 21, n_frames),
        ("/world/objects/table", 1, 1),
        ("/world/cameras/wrist", hand / 2 + 1, n_frames),
        ("/world/cameras/scene", 1, 1),
        ("/world/paths/planned", 6, usize::MAX),
        ("/world/paths/executed", 6, usize::MAX),
        ("/plan", 6, usize::MAX),
        ("/story", 6, usize::MAX),
        ("/failures", 1, usize::MAX),
    ] {
        let n = rows(path);
        assert!((least..=most).contains(&n), "{path} has {n} rows");
    }
    // Surfaces of a link and of an object, and intrinsics of a camera that stands still.
    for path in "robot/panda_hand/0 objects/table cameras/scene".split(' ') {
        let n = found.fixed(&format!("/world/{path}"));
        assert_eq!(n, 1, "{path} has {n} fixed parts");
    }
    let n_pictures = rows("/world/cameras/scene/picture") + rows("/world/cameras/wrist/picture");
    assert_eq!(told["pictures"], n_pictures);
    let grasps = found.entities.keys();
    let grasps = grasps.filter(|e| e.starts_with("/world/grasps/"));
    assert!(grasps.count() > 1, "{:?}", found.entities.keys());
    let timelines: Vec<_> = found.timelines.iter().map(String::as_str).collect();
    assert_eq!(timelines, ["sim_time", "step"]);
    assert!(found.n_layout > 10);
}

#[test]
fn a_recording_that_breaks_off_is_exported_as_far_as_it_goes() {
    let shell = Shell::new();
    let run = run(&shell, "--task pick_cube");
    let path = run.join("recording.mcap");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let cut = Recording::open(&path).unwrap().frames().count();
    let export = |out: &str, code: i32, words: &str| {
        let export = format!("export rerun {} -o {out}", run.display());
        shell.check(&export, code, words);
    };
    export("it.rrd", 0, "is truncated at");
    let found = contents(&shell.path().join("it.rrd")).unwrap();
    assert_eq!(found.rows("/signals/forces_n/contact"), cut);

    export("it.rrd", 12, "a file of that name exists");
    export("it.mp4", 2, "ends in .rrd");
    fs::remove_file(&path).unwrap();
    export("other.rrd", 12, "use `regrasp run --record`");
    assert!(!shell.has("other.rrd"));
}
