//! Specification of a data set: `meta/info.json`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Version of the LeRobot format.
pub const VERSION: &str = "v3.0";
/// Maximum number of files in one folder.
pub(crate) const CHUNK_FILES: usize = 1000;
/// Largest size of a video file with more than one episode, MB.
pub(crate) const VIDEO_MB: usize = 200;
const DATA_MB: usize = 100;

/// Properties that all episodes of a data set share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetSpec {
    /// Frames per second.
    pub fps: u32,
    /// Name of the robot.
    pub robot: String,
    /// Names of the state's components.
    pub state_names: Vec<String>,
    /// Names of the components of the environment's state, such as poses of objects, which the
    /// robot does not measure. If empty (default), the data set has no such feature.
    #[serde(default)]
    pub environment_names: Vec<String>,
    /// Names of the action's components.
    pub action_names: Vec<String>,
    /// Cameras with pictures.
    pub cameras: Vec<Camera>,
}

/// A camera.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Camera {
    /// Name; the feature is `observation.images.NAME`.
    pub name: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl DatasetSpec {
    /// Features that are vectors, with the names of their components, in the order of a step's
    /// numbers.
    pub(crate) fn vectors(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let all = [
            ("observation.state", self.state_names.as_slice()),
            ("observation.environment_state", &self.environment_names),
            ("action", &self.action_names),
        ];
        let is_there = |(_, names): &(_, &[String])| !names.is_empty();
        all.into_iter().filter(is_there)
    }
}

/// Task and outcome of an episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Text of the task.
    pub task: String,
    /// Set if the task succeeded.
    pub success: bool,
    /// Reason of the end, as a slug.
    pub reason: String,
}

impl Camera {
    /// Name of the camera's feature.
    pub fn key(&self) -> String {
        format!("observation.images.{}", self.name)
    }
}

/// Content of `meta/info.json` for the given numbers of episodes, frames and tasks.
pub fn info(spec: &DatasetSpec, episodes: usize, frames: usize, tasks: usize) -> Value {
    json!({
        "codebase_version": VERSION,
        "robot_type": spec.robot,
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": tasks,
        "chunks_size": CHUNK_FILES,
        "data_files_size_in_mb": DATA_MB,
        "video_files_size_in_mb": VIDEO_MB,
        "fps": spec.fps,
        "splits": { "train": format!("0:{episodes}") },
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        "features": features(spec),
    })
}

fn features(spec: &DatasetSpec) -> Value {
    let mut features = Map::new();
    let mut add = |name: &str, feature: Value| {
        features.insert(name.to_owned(), feature);
    };
    for (name, names) in spec.vectors() {
        let vector = json!({ "dtype": "float32", "shape": [names.len()], "names": names });
        add(name, vector);
    }
    for camera in &spec.cameras {
        add(&camera.key(), video(camera, spec.fps));
    }
    let one = |dtype: &str| json!({ "dtype": dtype, "shape": [1], "names": null });
    add("subtask", one("string"));
    add("next.done", one("bool"));
    add("success", one("bool"));
    add("reason", one("string"));
    add("timestamp", one("float32"));
    for name in ["frame_index", "episode_index", "index", "task_index"] {
        add(name, one("int64"));
    }
    Value::Object(features)
}

fn video(camera: &Camera, fps: u32) -> Value {
    let Camera { width, height, .. } = camera;
    json!({
        "dtype": "video",
        "shape": [height, width, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": height,
            "video.width": width,
            "video.codec": "h264",
            "video.pix_fmt": "yuv420p",
            "video.is_depth_map": false,
            "video.fps": fps,
            "video.channels": 3,
            "has_audio": false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> DatasetSpec {
        DatasetSpec {
            fps: 30,
            robot: "panda".into(),
            state_names: vec!["a".into(), "b".into(), "width".into()],
            environment_names: vec!["cube x".into(), "cube y".into()],
            action_names: vec!["a".into(), "b".into(), "width".into()],
            cameras: vec![Camera {
                name: "scene".into(),
                width: 320,
                height: 240,
            }],
        }
    }

    /// Checks the fields that `lerobot` 0.6 reads, and their types.
    #[test]
    fn info_has_all_that_a_data_set_of_version_3_needs() {
        let info = info(&spec(), 20, 4000, 2);
        assert_eq!(info["codebase_version"], "v3.0");
        for key in "total_episodes total_frames total_tasks fps chunks_size".split(' ') {
            assert!(info[key].as_u64().is_some_and(|n| n > 0), "{key}");
        }
        for key in ["data_path", "video_path"] {
            let path = info[key].as_str().unwrap_or_default();
            assert!(path.contains("{chunk_index:03d}") && path.contains("{file_index:03d}"));
        }
        assert_eq!(info["splits"]["train"], "0:20");
        let features = info["features"]
            .as_object()
            .expect("`features` is not an object");
        for (name, feature) in features {
            let dtype = feature["dtype"].as_str().expect("a feature has no `dtype`");
            let shape = feature["shape"]
                .as_array()
                .expect("a feature has no `shape`");
            let is_vector = spec().vectors().any(|(vector, _)| vector == name);
            let expected = if dtype == "video" { 3 } else { 1 };
            assert_eq!(shape.len(), expected, "{name}");
            if is_vector {
                let names = feature["names"].as_array().map(Vec::len);
                assert_eq!(names, shape[0].as_u64().map(|n| n as usize), "{name}");
            }
        }
        for name in "timestamp frame_index episode_index index task_index".split(' ') {
            assert!(features.contains_key(name), "{name}");
        }
        let image = &features["observation.images.scene"];
        assert_eq!(image["shape"], json!([240, 320, 3]));
        assert_eq!(image["names"], json!(["height", "width", "channels"]));
    }
}
