//! Videos of runs. (Requires the feature `video` for the encoder.)

use std::fs;
use std::path::Path;

use regrasp::EpisodeOptions;
use regrasp_export::{FilmOptions, RecordOptions, film};
use regrasp_record::Recording;
use regrasp_video::VideoOptions;
use tempfile::TempDir;

use crate::Shell;
use crate::common::{instance, record};

/// Records an episode. Returns its simulated duration, s.
fn recorded(path: &Path) -> f64 {
    let task = instance("pick_cube", 0);
    let (record_options, options) = (RecordOptions::default(), EpisodeOptions::default());
    record(&task, path, &record_options, options).result.sim_s
}

/// Number of frames and duration, s, of a video, read as in ISO 14496-12.
fn frames_and_secs(path: &Path) -> (u32, f64) {
    let bytes = fs::read(path).unwrap();
    let number = |name: &[u8; 4], skip: usize| {
        let at = bytes.windows(4).position(|w| w == name).unwrap() + 4 + skip;
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
    };
    let secs = f64::from(number(b"mdhd", 16)) / f64::from(number(b"mdhd", 12));
    (number(b"stsz", 8), secs)
}

#[test]
fn a_video_has_a_frame_for_each_of_its_times_also_of_a_cut_recording() {
    let dir = TempDir::new().unwrap();
    let recording = dir.path().join("it.mcap");
    let sim_s = recorded(&recording);
    let options = FilmOptions {
        camera: "top".into(),
        video: VideoOptions {
            width: 96,
            height: 64,
            fps: 10,
            ..VideoOptions::default()
        },
        captions: true,
    };
    let out = dir.path().join("it.mp4");
    let film = |recording: &mut Recording| film(recording, &out, &options, &|| true).unwrap();
    let filmed = film(&mut Recording::open(&recording).unwrap());
    let n_expected = (sim_s * 10.0).floor() as u64 + 1;
    let off = filmed.frames.abs_diff(n_expected);
    assert!(off <= 1, "{filmed:?} for an episode of {sim_s} s");
    let (frames, secs) = frames_and_secs(&out);
    assert_eq!(u64::from(frames), filmed.frames);
    assert!((secs - filmed.duration_s).abs() < 1e-9);

    // The first chunk also has the scene's geometry, so that three quarters of the file cover about
    // half of the time.
    let bytes = fs::read(&recording).unwrap();
    fs::write(&recording, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let mut cut = Recording::open(&recording).unwrap();
    let until_secs = cut.end_secs();
    assert!(until_secs > 0.2 * sim_s && until_secs < 0.8 * sim_s);
    let filmed = film(&mut cut);
    assert!(filmed.frames.abs_diff((until_secs * 10.0) as u64 + 1) <= 1);
    assert_eq!(u64::from(frames_and_secs(&out).0), filmed.frames);
}

#[test]
fn the_command_line_films_and_refuses_with_what_would_be_right() {
    let shell = Shell::new();
    recorded(&shell.path().join("it.mcap"));
    let film = "video it.mcap -o it.mp4 --fps 5 --size 96 64 --json";
    let figures = shell.asked(film);
    let frames = figures["frames"].as_u64().unwrap();
    let there = frames_and_secs(&shell.path().join("it.mp4")).0;
    assert_eq!(u64::from(there), frames);
    let cases = "
        it.mp4 --camera front   | 2  | `front` (cameras: scene, top, wrist)
        it.avi                  | 2  | ends in .mp4
        no/it.mp4 --size 96 64  | 12 | write the video `no/it.mp4`
        it.mp4 --size 95 64     | 2  | even number";
    shell.check_all("video it.mcap -o", cases);
}
