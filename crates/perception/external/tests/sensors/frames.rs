//! Tests of images from folders and URLs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use image::{ExtendedColorType, ImageEncoder, codecs::jpeg::JpegEncoder, codecs::png::PngEncoder};
use nalgebra::Vector3;
use regrasp_api::{Cameras, PerceptionError, Pose, RgbdFrame};
use regrasp_external_perception::{Clock, FrameCameras};
use regrasp_testkit::{rows, says};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::server;
use crate::stage::{BEGIN_SECS, Stage, observation};

const SIZE: [u32; 2] = [8, 6];

fn color_png(red: u8) -> Vec<u8> {
    let pixels = [red, 20, 30].repeat(48);
    png(&pixels, ExtendedColorType::Rgb8)
}

fn depth_png(count: u16) -> Vec<u8> {
    let counts = count..count + 48;
    let pixels: Vec<u8> = counts.flat_map(u16::to_ne_bytes).collect();
    png(&pixels, ExtendedColorType::L16)
}

fn png(pixels: &[u8], kind: ExtendedColorType) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new(&mut bytes);
    encoder.write_image(pixels, SIZE[0], SIZE[1], kind).unwrap();
    bytes
}

fn write_at(path: &Path, bytes: &[u8], secs: f64) {
    fs::write(path, bytes).unwrap();
    let at = UNIX_EPOCH + Duration::from_secs_f64(BEGIN_SECS + secs);
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(at).unwrap();
}

struct Bench {
    folder: TempDir,
    stage: Stage,
}

impl Bench {
    fn new(change: impl Fn(&mut Value)) -> Self {
        let mut rig = json!({
            "latency_s": 0.05,
            "cameras": [{
                "name": "front",
                "color": "color_*.png",
                "depth": "depth_*.png",
                "depth_scale_m": 0.0005,
                "intrinsics": {
                    "width": 8, "height": 6, "fx": 10.0, "fy": 10.0, "cx": 3.5, "cy": 2.5
                },
                "base_from_camera": {
                    "position": [0.5, 0.1, 0.6],
                    "quat_xyzw": [1.0, 0.0, 0.0, 0.0]
                },
            }],
        });
        change(&mut rig);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rig.yaml"), rig.to_string()).unwrap();
        Self {
            folder,
            stage: Stage::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, number: u32, red: u8, depth: u16, secs: f64) {
        let (color, depth) = (color_png(red), depth_png(depth));
        write_at(&self.path(&format!("color_{number:04}.png")), &color, secs);
        write_at(&self.path(&format!("depth_{number:04}.png")), &depth, secs);
    }

    fn open(&self) -> Result<FrameCameras, String> {
        let hand = Pose::new(Vector3::new(0.3, 0.2, 0.5), Vector3::x() * 3.0);
        let (path, clock) = (self.path("rig.yaml"), Box::new(self.stage.clone()));
        let opened = FrameCameras::with_clock(&path, Box::new(move |_| hand), clock);
        opened.map_err(|e| e.to_string())
    }

    #[track_caller]
    fn refused(&self, words: &[&str]) {
        let error = self.look(&mut self.open().unwrap()).unwrap_err();
        says(&error, words);
    }

    fn look(&self, cameras: &mut FrameCameras) -> Result<Vec<RgbdFrame>, String> {
        cameras.look(&observation()).map_err(|error| {
            assert!(matches!(error, PerceptionError::Unavailable { .. }));
            error.to_string()
        })
    }
}

#[test]
fn a_look_takes_the_newest_pair_that_was_written_after_it_began() {
    let bench = Bench::new(|_| {});
    bench.write(1, 10, 100, -3.0);
    bench.refused(&["camera `front`", "rig.yaml", "stale", "-3.00 s after"]);

    let bench = Bench::new(|_| {});
    bench.write(9, 10, 100, -0.5);
    let (color, depth) = (bench.path("color_0010.png"), bench.path("depth_0010.png"));
    let other_color = color.clone();
    // Half an image counts as absent.
    bench.stage.at(0.3, move || {
        write_at(&other_color, &color_png(50)[..40], 0.3);
        write_at(&depth, &depth_png(200), 0.3);
    });
    let whole = move || write_at(&color, &color_png(50), 0.3);
    bench.stage.at(0.6, whole);
    let frames = bench.look(&mut bench.open().unwrap()).unwrap();
    assert!(bench.stage.unix_secs() >= BEGIN_SECS + 0.6);
    let frame = &frames[0];
    assert_eq!(frame.rgb[..3], [50, 20, 30]);
    assert!((frame.depth_m[47] - 247.0 * 0.0005).abs() < 1e-6);
    let down = Vector3::x() * std::f64::consts::PI;
    let base_from_camera = Pose::new(Vector3::new(0.5, 0.1, 0.6), down);
    let camera = observation().world_from_base * base_from_camera;
    let found = frame.view.world_from_camera;
    assert!((found.translation.vector - camera.translation.vector).norm() < 1e-9);
    assert!(found.rotation.angle_to(&camera.rotation) < 1e-9);
}

#[test]
fn a_recording_gives_one_number_after_the_other_and_then_ends() {
    let bench = Bench::new(|rig| rig["recorded"] = json!(true));
    bench.write(3, 1, 100, -5000.0);
    bench.write(12, 2, 100, -4000.0);
    let mut cameras = bench.open().unwrap();
    for red in [1, 2] {
        assert_eq!(bench.look(&mut cameras).unwrap()[0].rgb[0], red);
    }
    let over = bench.look(&mut cameras).unwrap_err();
    assert!(over.contains("pictures for 2 looks"), "{over}");
}

#[test]
fn a_camera_in_the_hand_goes_where_the_hand_goes() {
    let bench = Bench::new(|rig| {
        rig["recorded"] = json!(true);
        let camera = &mut rig["cameras"][0];
        camera.as_object_mut().unwrap().remove("base_from_camera");
        camera["calibration"] = json!("hand.yaml");
    });
    let calibration = json!({
        "camera": "front", "n_seen": 12, "dropped": [], "rms_position_m": 0.001,
        "max_position_m": 0.002, "std_position_m": 0.001, "std_rotation_rad": 0.001,
        "tool_from_camera": {"position": [0.05, 0.0, -0.1]},
    });
    fs::write(bench.path("hand.yaml"), calibration.to_string()).unwrap();
    bench.write(1, 1, 100, 0.0);
    let frames = bench.look(&mut bench.open().unwrap()).unwrap();
    let hand = Pose::new(Vector3::new(0.3, 0.2, 0.5), Vector3::x() * 3.0);
    let camera = hand * Pose::translation(0.05, 0.0, -0.1);
    let found = frames[0].view.world_from_camera;
    assert!((found.translation.vector - camera.translation.vector).norm() < 1e-12);
}

#[test]
fn pictures_come_over_http_as_jpeg_too() {
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new(&mut jpeg);
    let (pixels, kind) = ([200; 3 * 48], ExtendedColorType::Rgb8);
    encoder
        .write_image(&pixels, SIZE[0], SIZE[1], kind)
        .unwrap();
    let address = server(move |path| match path {
        "/color" => (200, jpeg.clone()),
        "/depth" => (200, depth_png(1000)),
        _ => (404, vec![]),
    });
    let from = |depth: &str| {
        let [color, depth] = ["color", depth].map(|name| json!(format!("{address}/{name}")));
        Bench::new(move |rig| {
            rig["cameras"][0]["color"] = color.clone();
            rig["cameras"][0]["depth"] = depth.clone();
        })
    };
    let bench = from("depth");
    let frames = bench.look(&mut bench.open().unwrap()).unwrap();
    assert!(frames[0].rgb[0].abs_diff(200) < 4, "{}", frames[0].rgb[0]);
    assert!((frames[0].depth_m[0] - 0.5).abs() < 1e-6);
    // An earlier answer may have been taken before the look began.
    assert!(bench.stage.unix_secs() >= BEGIN_SECS + 0.05);
    from("dept").refused(&["/dept: ", "404"]);
}

#[test]
fn pictures_that_do_not_fit_are_refused_with_what_would() {
    let bench = Bench::new(|rig| rig["recorded"] = json!(true));
    bench.write(1, 1, 100, 0.0);
    write_at(&bench.path("depth_0001.png"), &color_png(3), 0.0);
    bench.refused(&["depth_0001.png", "16 bits"]);

    let bench = Bench::new(|rig| {
        rig["recorded"] = json!(true);
        rig["cameras"][0]["intrinsics"]["width"] = json!(9);
    });
    bench.write(1, 1, 100, 0.0);
    bench.refused(&["8 x 6 pixels, but the intrinsics are for 9 x 6"]);
}

#[test]
fn a_file_of_cameras_that_makes_no_sense_is_refused_with_the_field() {
    let cases = r#"
        /cameras                    | []                        | cameras: the list is empty
        /cameras/0/tool_from_camera | {"position": [0, 0, 0]}   | has 2 of
        /cameras/0/base_from_camera | {"position": [500, 0, 0]} | cameras[0].base_from_camera.position: 500 m is beyond
        /cameras/0/color            | "color.png"               | one `*`
        /cameras/0/color            | "https://a/b"             | begin with http://
        /cameras/0/color            | "http://a/b"              | both be files
        /cameras/0/depth_scale_m    | 1000                      | such as 0.001
        /cameras/0/intrinsics/cx    | 40.0                      | cx: 40 is outside of the picture's 8 pixels"#;
    for [at, value, expected] in rows(cases) {
        let value: Value = serde_json::from_str(&value).unwrap();
        let change = |rig: &mut Value| {
            let (parent, name) = at.rsplit_once('/').unwrap();
            rig.pointer_mut(parent).unwrap()[name] = value.clone();
        };
        let refused = Bench::new(change).open().err().unwrap();
        says(&refused, &["rig.yaml", &expected]);
    }
}
