//! Writer of the files of depth cameras, in the place of a separate process.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use regrasp::api::RgbdFrame;
use regrasp::render::png_bytes;
use regrasp_external_perception::Placement;
use serde_json::{Value, json};

const SCALE_M: f64 = 0.0005;

/// Writes colour and depth of cameras as picture `number`, and removes picture `number - 20`.
pub(crate) fn save(folder: &Path, number: usize, frames: &[RgbdFrame], shutter: SystemTime) {
    for frame in frames {
        let (name, i) = (&frame.view.name, frame.view.intrinsics);
        let color = png_bytes(i.width, i.height, &frame.rgb).unwrap();
        for (kind, png) in [("color", color), ("depth", depth_png(frame))] {
            let file = format!("{name}_{kind}_{number}.png");
            put(folder, &file, &png, shutter);
            if number > 20 {
                let old = format!("{name}_{kind}_{}.png", number - 20);
                fs::remove_file(folder.join(old)).unwrap();
            }
        }
    }
}

/// Writes a file atomically. Its modification time is the shutter time, because the arm moves while
/// the picture is rendered and written.
fn put(folder: &Path, name: &str, bytes: &[u8], shutter: SystemTime) {
    let unfinished = folder.join(format!(".{name}"));
    fs::write(&unfinished, bytes).unwrap();
    let file = fs::File::options().append(true).open(&unfinished).unwrap();
    file.set_modified(shutter).unwrap();
    fs::rename(&unfinished, folder.join(name)).unwrap();
}

/// Depth as 16-bit grayscale, as in files of depth cameras.
fn depth_png(frame: &RgbdFrame) -> Vec<u8> {
    let size = (frame.view.intrinsics.width, frame.view.intrinsics.height);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::Fast);
    let counts = frame.depth_m.iter().flat_map(|d| {
        let count = (f64::from(*d) / SCALE_M).round().min(65_535.0) as u16;
        count.to_be_bytes()
    });
    let counts: Vec<u8> = counts.collect();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&counts).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Writes the camera file `rig.yaml`. `wait_s` is the time for which perception waits for pictures.
/// Returns the path of the file.
pub(crate) fn rig(folder: &Path, frames: &[RgbdFrame], placed: &str, wait_s: f64) -> PathBuf {
    let entries = frames.iter().map(|frame| camera_entry(frame, placed));
    let entries: Vec<Value> = entries.collect();
    let rig = json!({ "cameras": entries, "latency_s": 0.0, "wait_s": wait_s });
    let path = folder.join("rig.yaml");
    fs::write(&path, rig.to_string()).unwrap();
    path
}

/// Entry of a camera in the camera file; `placed` is `base_from_camera` or `world_from_camera`.
fn camera_entry(frame: &RgbdFrame, placed: &str) -> Value {
    let (name, i) = (&frame.view.name, frame.view.intrinsics);
    let at = Placement::from(frame.view.world_from_camera);
    json!({
        "name": name,
        "color": format!("{name}_color_*.png"),
        "depth": format!("{name}_depth_*.png"),
        "depth_scale_m": SCALE_M,
        "intrinsics": {
            "width": i.width, "height": i.height,
            "fx": i.fx, "fy": i.fy, "cx": i.cx, "cy": i.cy,
        },
        placed: {"position": at.position, "quat_xyzw": at.quat_xyzw},
    })
}
