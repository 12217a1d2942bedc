//! Detector that reports the objects of a cell as lines in a file, from a thread.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use regrasp::api::Pose;
pub(crate) use regrasp_session::Repeated;
use serde_json::{Value, json};

/// Starts to repeat `work` on another thread, with this pause in between.
pub(crate) fn repeated(pause: Duration, mut work: impl FnMut() + Send + 'static) -> Repeated {
    let work = move || {
        work();
        true
    };
    Repeated::begin("repeated", pause, work).unwrap()
}

/// Starts to append the lines that `see` returns to a file. While it returns `None`, nothing is
/// written.
pub(crate) fn lines(
    path: &Path,
    pause: Duration,
    mut see: impl FnMut() -> Option<String> + Send + 'static,
) -> Repeated {
    let file = OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.unwrap();
    repeated(pause, move || {
        if let Some(line) = see() {
            writeln!(file, "{line}").unwrap();
        }
    })
}

/// Line of a detector that reports these objects with the present time.
pub(crate) fn seen_now(objects: &[Value]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    json!({ "stamp_unix_s": now.as_secs_f64(), "objects": objects }).to_string()
}

/// Object as a detector reports it, with category and colour from its id, such as `red_cube`. Only
/// a table is fixed.
pub(crate) fn seen(id: &str, shape: Value, base_from_object: impl Into<Pose>) -> Value {
    let base_from_object = base_from_object.into();
    let position: [f64; 3] = base_from_object.translation.vector.into();
    let quat_xyzw: [f64; 4] = base_from_object.rotation.coords.into();
    json!({
        "id": id,
        "category": id.rsplit('_').next(),
        "color": id.split_once('_').map(|(color, _)| color),
        "movable": id != "table",
        "shape": shape,
        "position": position,
        "quat_xyzw": quat_xyzw,
        "position_std_m": 0.001,
    })
}

/// Box as a detector reports it, with its edge lengths, m.
pub(crate) fn seen_box(id: &str, size: [f64; 3], base_from_object: impl Into<Pose>) -> Value {
    seen(id, json!({ "kind": "box", "size": size }), base_from_object)
}

/// Table as a detector reports it. Its top is in the plane of the arm's base.
pub(crate) fn seen_table() -> Value {
    seen_box("table", [0.8, 1.2, 0.1], [0.6, 0.0, -0.05])
}
