//! Runs are recorded, survive a kill, and are drawn from their recordings alone.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use regrasp::api::{Event, MotionEnd, WeighedGrasp};
use regrasp::ground_truth::{Frame, FrameListener};
use regrasp::record::{EpisodeInfo, read_run};
use regrasp::render::SoftwareRenderer;
use regrasp::{Episode, EpisodeOptions, LoadedRobot};
use regrasp_export::{RecordOptions, RecordedScene, StripOptions, film_strip};
use regrasp_record::{Item, Recording};
use regrasp_testkit::{says, within};
use tempfile::TempDir;

use crate::Shell;
use crate::common::{instance, record};
use crate::shell::command;

/// Records an episode of `unstack_to_plate` in this process.
fn recorded(path: &Path, options: &RecordOptions) -> Episode {
    let task = instance("unstack_to_plate", 2);
    record(&task, path, options, EpisodeOptions::default())
}

#[test]
fn a_recording_alone_draws_the_world_and_changes_nothing_in_it() {
    let dir = TempDir::new().unwrap();
    let task = instance("unstack_to_plate", 2);
    let (plain, pictured) = (dir.path().join("a.mcap"), dir.path().join("b.mcap"));
    let plainly = recorded(&plain, &RecordOptions::default());
    let truth = plainly.last;
    let with_pictures = RecordOptions {
        cameras: vec!["wrist".into()],
        camera_hz: 0.5,
        ..RecordOptions::default()
    };
    let again = recorded(&pictured, &with_pictures);
    assert_eq!(again.result.state_digest, plainly.result.state_digest);

    let mut recording = Recording::open(&plain).unwrap();
    assert!(recording.is_complete());
    let scene = RecordedScene::of(&recording).unwrap();
    assert_eq!(scene.scene, task.scene);
    let last = recording.frame_at(f64::MAX).unwrap().unwrap();
    assert!((last.time_secs - truth.time_secs).abs() < 0.02);
    let mut camera = scene.view.view_from_frame("scene", &last).unwrap();
    camera.intrinsics = camera.intrinsics.resized(64, 48);
    let draw = |stage| SoftwareRenderer::default().render(&stage, &[camera.clone()]);
    let drawn = draw(scene.view.stage_from_frame(&last));
    let real = draw(scene.view.stage(&truth));
    // The last frame may be older than the final state by up to a frame interval.
    let pairs = drawn[0].instances.iter().zip(&real[0].instances);
    let n_other = pairs.filter(|(a, b)| a != b).count();
    assert!(n_other < 64 * 48 / 100, "{n_other} pixels differ");

    let mut recording = Recording::open(&pictured).unwrap();
    assert_eq!(recording.cameras(), ["wrist"]);
    let end_secs = recording.end_secs();
    let pictures = recording.items().filter_map(|item| match item.unwrap() {
        Item::Picture(picture) => Some(picture),
        _ => None,
    });
    let pictures: Vec<_> = pictures.collect();
    assert!(pictures.len().abs_diff((end_secs * 0.5) as usize + 1) <= 1);
    let png = png::Decoder::new(std::io::Cursor::new(&pictures[1].png));
    let info = png.read_info().unwrap().info().size();
    assert_eq!(info, (640, 480));
}

#[test]
fn a_film_strip_shows_start_plans_failures_and_end() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("it.mcap");
    recorded(&path, &RecordOptions::default());
    let mut recording = Recording::open(&path).unwrap();
    let options = StripOptions {
        size: [120, 90],
        columns: 2,
        detail: regrasp::render::Detail::Plain,
        ..StripOptions::default()
    };
    let strip = film_strip(&mut recording, &options).unwrap();
    let told: Vec<_> = strip.moments.iter().flat_map(|m| &m.lines).collect();
    let begins = ["START: ", "PLAN 1: ", "END: plan_complete"];
    for begin in begins {
        assert!(told.iter().any(|line| line.starts_with(begin)), "{told:?}");
    }
    assert_eq!(strip.rgb.len(), (3 * strip.width * strip.height) as usize);
    let colours: std::collections::BTreeSet<_> = strip.rgb.chunks(3).collect();
    let n_colours = colours.len();
    assert!(n_colours > 500, "only {n_colours} colours");
    let nobody = StripOptions {
        camera: "nobody".into(),
        ..options
    };
    let refused = film_strip(&mut recording, &nobody).unwrap_err().to_string();
    says(&refused, &["`nobody` (cameras: scene, top, wrist)"]);
}

#[test]
fn a_run_that_is_killed_while_it_is_recorded_leaves_a_recording() {
    let dir = TempDir::new().unwrap();
    for (round, least_bytes) in [40_000, 150_000, 400_000].into_iter().enumerate() {
        let runs = dir.path().join(format!("runs{round}"));
        let run = format!("run --task unstack_to_plate --record --json --runs-dir runs{round}");
        let mut command = command(dir.path(), &run);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let find = || Some(fs::read_dir(&runs).ok()?.next()?.ok()?.path());
        loop {
            let path = find().map(|run| run.join("recording.mcap"));
            let n_bytes = path.and_then(|path| Some(fs::metadata(path).ok()?.len()));
            let is_over = child.try_wait().unwrap().is_some();
            if is_over || n_bytes.is_some_and(|n| n >= least_bytes) {
                break;
            }
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let run = find().unwrap();
        let mut recording = Recording::open(&run.join("recording.mcap")).unwrap();
        let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
        let gaps = frames.windows(2).filter(|f| f[1].step - f[0].step > 7);
        assert_eq!(gaps.count(), 0, "gaps between frames");
        // The recording has all events of `events.jsonl` except at most those of the last second.
        let events = read_run(&run).unwrap().events;
        let reached_secs = events.last().map_or(0.0, |event| event.sim_secs);
        assert!(recording.end_secs() > reached_secs - 1.1);
        let last = frames.last().map_or(0.0, |frame| frame.time_secs);
        within("time of the last frame, s", last, reached_secs - 1.1..);
    }
}

#[test]
fn the_command_line_records_shows_and_draws() {
    let shell = Shell::new();
    shell.check("run --task unstack_to_plate --record", 0, "");
    let run = shell.only_run();
    let recording = run.join("recording.mcap");
    let mut read = Recording::open(&recording).unwrap();
    let events = read.events().unwrap();
    let kept = read_run(&run).unwrap().events;
    assert_eq!(events.len(), kept.len(), "events in recording and folder");
    assert!(matches!(events[0].event, Event::EpisodeStarted { .. }));
    let show = |what: &Path, more: &str, words: &str| {
        shell.check(&format!("show {} {more}", what.display()), 0, words)
    };
    // The story is the same from the folder and from the recording.
    assert_eq!(show(&run, "", ""), show(&recording, "", ""));
    show(&recording, "--png strip.png", "drawn from the recording");
    let first = shell.bytes("strip.png");
    // Without a recording, `show` repeats the run and draws the same picture.
    fs::remove_file(&recording).unwrap();
    show(&run, "--png again.png", "drawn from a repeated run");
    assert_eq!(shell.bytes("again.png"), first);
    assert!(!recording.exists(), "`show` wrote to the run folder");
}

#[test]
fn what_cannot_be_recorded_is_refused_with_what_would_be_right() {
    let shell = Shell::new();
    shell.write("text.mcap", "no recording");
    let cases = "
        run --task pick_cube --record --record-cameras scene,front | 2 | `front` (cameras: scene, top, wrist)
        run --task pick_cube --record-cameras scene                | 2 | add --record
        run --task pick_cube --record --record-hz 0                | 2 | from 0.1 to 1000
        bench --tasks pick_cube --record all                       | 2 | add --out
        show text.mcap                                             | 12 | it is not an MCAP file";
    shell.check_all("", cases);
    assert!(!shell.has("runs"), "a refused run left a folder");
}

#[test]
fn a_benchmark_records_all_episodes_or_its_failures_with_film_strips() {
    let shell = Shell::new();
    let recordings = |out: &str| {
        let entries = fs::read_dir(shell.path().join(out).join("recordings")).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let bench = "bench --tasks pick_cube pick_unreachable_cube --seeds 1 --record all --out all";
    shell.check(bench, 0, "");
    let all = ["pick_cube-seed0.mcap", "pick_unreachable_cube-seed0.mcap"];
    assert_eq!(recordings("all"), all);
    // The cube is removed, so that the episode fails.
    let bench = "bench --tasks pick_cube --seeds 1 --record failures --out";
    let removed = format!("{bench} f --fault 'removed: {{object: red_cube}}'");
    shell.check(&removed, 0, "");
    assert_eq!(recordings("f"), ["pick_cube-seed0.mcap"]);
    let strip = shell.bytes("f/pictures/pick_cube-seed0.png");
    let png = png::Decoder::new(std::io::Cursor::new(strip));
    let width = png.read_info().unwrap().info().width;
    assert!(width > 480, "the strip is only {width} pixels wide");
    shell.check(&format!("{bench} none"), 0, "");
    assert!(recordings("none").is_empty(), "{:?}", recordings("none"));
}

#[test]
fn an_episode_that_panics_leaves_a_recording_that_opens_and_can_be_drawn() {
    let shell = Shell::new();
    let path = shell.path().join("it.mcap.part");
    let panicked = std::panic::catch_unwind(|| {
        let task = instance("unstack_to_plate", 2);
        let loaded = LoadedRobot::panda().unwrap();
        let mut options = EpisodeOptions::default();
        let record = RecordOptions::default();
        let info = EpisodeInfo::default();
        let recorder = record.begin(&path, &loaded, &task.scene, info, &mut options);
        let _recorder = recorder.unwrap();
        let breaks = |frame: &Frame| assert!(frame.time_secs < 2.5, "a bug, on purpose");
        options.listeners.push(FrameListener::usual(breaks));
        drop(loaded.episode(&task.scene, &task.prompt, options));
    });
    assert!(panicked.is_err(), "the episode did not panic");
    let mut recording = Recording::open(&path).unwrap();
    assert!(!recording.is_complete());
    let end_secs = recording.end_secs();
    within("recorded time, s", end_secs, 1.5..2.5);
    let scene = RecordedScene::of(&recording).unwrap();
    let last = recording.frame_at(end_secs).unwrap().unwrap();
    assert!(!scene.view.stage_from_frame(&last).bodies.is_empty());
    assert!(!recording.events().unwrap().is_empty());
    shell.check("show it.mcap.part", 0, "the run has not ended");
}

#[test]
fn weighed_grasps_and_planned_paths_are_recorded() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("it.mcap");
    recorded(&path, &RecordOptions::default());
    let mut recording = Recording::open(&path).unwrap();
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let at = |secs: f64| frames.iter().find(|f| f.time_secs + 1e-6 >= secs);
    let far = |a: [f64; 3], b: [f64; 3]| {
        let squares = [0, 1, 2].map(|i| (a[i] - b[i]).powi(2));
        squares.iter().sum::<f64>().sqrt()
    };
    let (mut n_taken, mut n_followed) = (0, 0);
    let mut planned = vec![];
    for event in recording.events().unwrap() {
        let Some(now) = at(event.sim_secs) else {
            continue;
        };
        let tool: [f64; 3] = now.world_from_tool.translation.vector.into();
        match event.event {
            Event::GraspsWeighed { object, grasps } => {
                let mut taken = grasps.iter().filter(|g| g.verdict == WeighedGrasp::TAKEN);
                let grasp = taken.next().unwrap().world_from_tool.translation.vector;
                let place = now.object(&object).unwrap().world_from_object;
                let off_m = far(grasp.into(), place.translation.vector.into());
                assert!(off_m < 0.03, "the grasp is {off_m} m from {object}");
                assert!(taken.next().is_none(), "two grasps are `taken`");
                n_taken += 1;
            }
            Event::MotionStarted { tool_in_world, .. } => {
                let off_m = far(tool_in_world[0], tool);
                assert!(off_m < 0.005, "the path begins {off_m} m from the tool");
                planned = tool_in_world;
            }
            Event::MotionFinished {
                end: MotionEnd::Completed,
                ..
            } => {
                let off_m = far(*planned.last().unwrap(), tool);
                assert!(off_m < 0.005, "the path ends {off_m} m from the tool");
                n_followed += 1;
            }
            _ => {}
        }
    }
    assert!(n_taken >= 2, "only {n_taken} grasps");
    assert!(n_followed > 8, "only {n_followed} followed paths");
}
