//! The files of a data set match LeRobot's format. (Requires the feature `write` for Parquet.)

#![cfg(feature = "write")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs::{self, File};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use regrasp_lerobot::{Camera, DatasetError, DatasetSpec, DatasetWriter, Ending, Finished};
use serde_json::Value;

const FPS: u32 = 20;

fn spec() -> DatasetSpec {
    let names = || vec!["a".to_owned(), "b".to_owned()];
    DatasetSpec {
        fps: FPS,
        robot: "panda".into(),
        state_names: names(),
        environment_names: vec!["cube x".to_owned()],
        action_names: names(),
        cameras: vec![Camera {
            name: "top".into(),
            width: 32,
            height: 32,
        }],
    }
}

fn ending(task: &str, success: bool) -> Ending {
    Ending {
        task: task.into(),
        success,
        reason: if success { "plan_complete" } else { "dropped" }.into(),
    }
}

fn add(dataset: &mut DatasetWriter, source: &str, n: usize, ending: Ending) {
    let mut episode = dataset.begin(source).unwrap();
    for k in 0..n {
        let state = [k as f32, 0.1 * k as f32];
        let action = [k as f32 + 1.0, -1.0];
        let rgb = [(10 * k % 256) as u8, 0, 255].repeat(32 * 32);
        let subtask = if k < 3 { "reach" } else { "grasp" };
        let environment = [2.0 * k as f32];
        let pushed = episode.push(&state, &environment, &action, &[&rgb], subtask);
        pushed.unwrap();
    }
    episode.finish(ending).unwrap();
}

fn table(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    let columns = (0..schema.fields().len()).map(|i| {
        let parts: Vec<_> = batches.iter().map(|b| b.column(i).as_ref()).collect();
        assert_eq!(parts.len(), 1, "number of batches of a small table");
        batches[0].column(i).clone()
    });
    RecordBatch::try_new(schema.clone(), columns.collect()).unwrap()
}

fn ints(table: &RecordBatch, name: &str) -> Vec<i64> {
    let column = table.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().values().to_vec()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_data_set_has_the_tables_of_the_format() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set");
    let mut dataset = DatasetWriter::open(&path, &spec()).unwrap();
    add(&mut dataset, "one", 5, ending("lift", true));
    add(&mut dataset, "two", 7, ending("stack", false));
    add(&mut dataset, "three", 4, ending("lift", true));
    let finished = dataset.finish().unwrap();
    let expected = Finished {
        episodes: 3,
        frames: 16,
        tasks: 2,
    };
    assert_eq!(finished, expected);

    let data = table(&path.join("data/chunk-000/file-000.parquet"));
    assert_eq!(data.num_rows(), 16);
    assert_eq!(ints(&data, "index"), (0..16).collect::<Vec<_>>());
    let episodes: Vec<i64> = [vec![0; 5], vec![1; 7], vec![2; 4]].concat();
    assert_eq!(ints(&data, "episode_index"), episodes);
    let tasks: Vec<i64> = episodes.iter().map(|e| i64::from(*e == 1)).collect();
    assert_eq!(ints(&data, "task_index"), tasks);
    let state = data.column_by_name("observation.state").unwrap();
    let state = state.as_fixed_size_list();
    assert_eq!(state.value_length(), 2);
    let second = state.value(5 + 6);
    let second = second.as_primitive::<Float32Type>().values();
    assert_eq!(second.to_vec(), [6.0, 0.6]);
    let environment = data.column_by_name("observation.environment_state");
    let environment = environment.unwrap().as_fixed_size_list();
    let second = environment.value(5 + 6);
    assert_eq!(
        second.as_primitive::<Float32Type>().values().to_vec(),
        [12.0]
    );
    let times = data.column_by_name("timestamp").unwrap();
    let times = times.as_primitive::<Float32Type>().values().to_vec();
    // Timestamps of each episode start at 0.
    assert_eq!(times[5..8], [0.0, 1.0 / 20.0, 2.0 / 20.0]);
    let success = data.column_by_name("success").unwrap().as_boolean();
    assert!(success.value(0) && !success.value(5) && success.value(15));
    let subtasks = data.column_by_name("subtask").unwrap();
    assert_eq!(subtasks.as_string::<i32>().value(4), "grasp");
    let done = data.column_by_name("next.done").unwrap().as_boolean();
    let ends: Vec<_> = (0..16).filter(|k| done.value(*k)).collect();
    assert_eq!(ends, [4, 11, 15]);

    let episodes = table(&path.join("meta/episodes/chunk-000/file-000.parquet"));
    assert_eq!(ints(&episodes, "length"), [5, 7, 4]);
    assert_eq!(ints(&episodes, "dataset_from_index"), [0, 5, 12]);
    assert_eq!(ints(&episodes, "dataset_to_index"), [5, 12, 16]);
    let from = "videos/observation.images.top/from_timestamp";
    let from = episodes.column_by_name(from).unwrap();
    let from = from.as_primitive::<Float64Type>().values().to_vec();
    assert_eq!(from, [0.0, 5.0 / 20.0, 12.0 / 20.0]);

    // `lerobot` takes a task's text from the declared index.
    let tasks = table(&path.join("meta/tasks.parquet"));
    let pandas: Value = serde_json::from_str(&tasks.schema().metadata()["pandas"]).unwrap();
    assert_eq!(pandas["index_columns"], serde_json::json!(["task"]));
    let texts = tasks.column_by_name("task").unwrap();
    assert_eq!(texts.as_string::<i32>().value(1), "stack");

    let info = json(&path.join("meta/info.json"));
    assert_eq!(info["total_frames"], 16);
    // Every column is a feature, and every feature except videos is a column.
    let features = info["features"].as_object().unwrap();
    for field in data.schema().fields() {
        assert!(features.contains_key(field.name()), "{}", field.name());
    }
    let stats = json(&path.join("meta/stats.json"));
    for (name, feature) in features {
        if feature["dtype"] == "string" {
            continue;
        }
        let is_video = feature["dtype"] == "video";
        assert_eq!(is_video, data.column_by_name(name).is_none(), "{name}");
        for figure in ["min", "max", "mean", "std", "count", "q01", "q50", "q99"] {
            assert!(
                stats[name][figure].is_array(),
                "the statistics of `{name}` lack `{figure}`"
            );
        }
    }
    let largest = serde_json::json!([6.0, 0.6_f32 as f64]);
    assert_eq!(stats["observation.state"]["max"], largest);
    let video = path.join("videos/observation.images.top/chunk-000/file-000.mp4");
    let bytes = fs::read(video).unwrap();
    let at = bytes.windows(4).position(|w| w == b"stsz").unwrap() + 12;
    assert_eq!(
        bytes[at..at + 4],
        16_u32.to_be_bytes(),
        "one picture per frame"
    );
}

fn refused(path: &Path, spec: &DatasetSpec) -> String {
    DatasetWriter::open(path, spec).err().unwrap().to_string()
}

#[test]
fn what_was_begun_is_gone_on_with_and_half_an_episode_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set");
    let mut dataset = DatasetWriter::open(&path, &spec()).unwrap();
    add(&mut dataset, "one", 5, ending("lift", true));
    let busy = DatasetWriter::open(&path, &spec()).err();
    assert!(matches!(busy, Some(DatasetError::Busy(_))));
    let mut half = dataset.begin("two").unwrap();
    let picture = [0; 3 * 32 * 32];
    half.push(&[0.0; 2], &[0.0], &[0.0; 2], &[&picture], "")
        .unwrap();
    drop(half);
    drop(dataset);
    let is_begun = path.join("meta").exists();
    assert!(!is_begun, "an unfinished data set has no folder `meta`");

    let mut other = spec();
    other.fps = 10;
    let said = refused(&path, &other);
    assert!(said.contains("differ in frames per second"), "{said}");
    let mut dataset = DatasetWriter::open(&path, &spec()).unwrap();
    assert!(dataset.has("one") && !dataset.has("two"));
    add(&mut dataset, "two", 3, ending("lift", true));
    assert_eq!(dataset.finish().unwrap().frames, 8);
    let said = refused(&path, &spec());
    let words = "a finished data set is not changed";
    assert!(said.contains(words), "{said}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut dataset = DatasetWriter::open(dir.path(), &spec()).unwrap();
    let mut episode = dataset.begin("one").unwrap();
    let picture = [0; 3 * 32 * 32];
    let wrong = episode.push(&[0.0; 3], &[0.0], &[0.0; 2], &[&picture], "");
    let said = wrong.unwrap_err().to_string();
    let words = "the state has 3 values, expected 2";
    assert!(said.contains(words), "{said}");
    assert!(episode.push(&[0.0; 2], &[0.0], &[0.0; 2], &[], "").is_err());
    let no_environment = episode.push(&[0.0; 2], &[], &[0.0; 2], &[&picture], "");
    assert!(no_environment.is_err());
    assert!(
        episode
            .push(&[0.0; 2], &[0.0], &[0.0; 2], &[&[0; 12]], "")
            .is_err()
    );
    drop(episode);
    assert!(matches!(dataset.finish(), Err(DatasetError::Empty(_))));
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("thesis.tex"), "").unwrap();
    let said = refused(foreign.path(), &spec());
    assert!(said.contains("`thesis.tex`"), "{said}");
}
