//! Files of a depth camera, as a separate process writes them to a folder.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use regrasp::api::RgbdFrame;
use regrasp_external_perception::Placement;
use serde_json::{Value, json};

const SCALE_M: f64 = 0.0005;

/// Writes a file atomically with the shutter time as its modification time: rendering and writing
/// take long enough for the arm to move.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8], shutter: SystemTime) {
    let unfinished = folder.join(format!(".{name}"));
    fs::write(&unfinished, bytes).unwrap();
    let file = fs::File::options().append(true).open(&unfinished).unwrap();
    file.set_modified(shutter).unwrap();
    fs::rename(&unfinished, folder.join(name)).unwrap();
}

/// Depth as 16-bit grayscale, as in files of depth cameras.
pub(crate) fn depth_png(frame: &RgbdFrame) -> Vec<u8> {
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

/// Entry of a camera in the camera file; `placed` is `base_from_camera` or `world_from_camera`.
pub(crate) fn camera_entry(frame: &RgbdFrame, placed: &str) -> Value {
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
