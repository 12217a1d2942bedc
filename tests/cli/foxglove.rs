//! Recordings conform to Foxglove's schemas and contain all that its panels show.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion};
use regrasp::LoadedRobot;
use regrasp::api::Pose;
use regrasp_record::Recording;
use regrasp_testkit::{says, within};
use serde_json::Value;

use crate::Shell;

/// Messages by topic. All have been validated by the schemas of their channels.
type Messages = BTreeMap<String, Vec<Value>>;

fn messages(path: &Path) -> Messages {
    let bytes = fs::read(path).unwrap();
    let mut validators = BTreeMap::new();
    let mut found = Messages::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        let schema = message.channel.schema.as_ref().unwrap();
        let validator = validators.entry(schema.id).or_insert_with(|| {
            let schema = serde_json::from_slice(&schema.data).unwrap();
            jsonschema::validator_for(&schema).unwrap()
        });
        let value: Value = serde_json::from_slice(&message.data).unwrap();
        let topic = &message.channel.topic;
        if let Err(error) = validator.validate(&value) {
            panic!("{topic} at {} ns: {error}", message.log_time);
        }
        found.entry(topic.clone()).or_default().push(value);
    }
    found
}

fn numbers<const N: usize>(value: &Value, names: [&str; N]) -> [f64; N] {
    names.map(|name| value[name].as_f64().unwrap())
}

/// Product of the transforms from World to a frame, and their number.
fn world_from(transforms: &Value, frame: &str) -> (Pose, usize) {
    let (mut pose, mut name, mut n) = (Pose::identity(), frame.to_owned(), 0);
    while name != "world" {
        let mut all = transforms["transforms"].as_array().unwrap().iter();
        let transform = all.find(|it| it["child_frame_id"] == *name).unwrap();
        let [w, i, j, k] = numbers(&transform["rotation"], ["w", "x", "y", "z"]);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
        let translation = numbers(&transform["translation"], ["x", "y", "z"]).into();
        pose = Pose::from_parts(translation, rotation) * pose;
        name = transform["parent_frame_id"].as_str().unwrap().to_owned();
        n += 1;
    }
    (pose, n)
}

#[test]
fn a_recording_shows_scene_poses_joints_pictures_and_reasons() {
    let shell = Shell::new();
    let arguments = "--task unstack_to_plate --planner feedback --record-cameras wrist";
    let run = format!("run {arguments} --record --runs-dir runs --json");
    shell.check(&run, 0, "");
    let path = shell.only_run().join("recording.mcap");
    let found = messages(&path);
    let mut recording = Recording::open(&path).unwrap();
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let n_frames = frames.len();

    // Each object and the hand are one entity. Every entity is in a frame that has a transform.
    let entities = found["/scene"][0]["entities"].as_array().unwrap();
    let n_triangles = |id: &str| {
        let mut entity = entities.iter().filter(|entity| entity["id"] == id);
        let lists = entity.next().unwrap()["triangles"].as_array().unwrap();
        assert!(entity.next().is_none(), "{id} is drawn twice");
        let indices = lists.iter().map(|l| l["indices"].as_array().unwrap().len());
        indices.sum::<usize>() / 3
    };
    for object in &frames[0].objects {
        assert!(n_triangles(&format!("object/{}", object.id)) > 0);
    }
    assert!(n_triangles("panda_hand") > 50);
    let transforms = &found["/tf"];
    assert_eq!(transforms.len(), n_frames);
    for entity in entities {
        let (_, n) = world_from(&transforms[0], entity["frame_id"].as_str().unwrap());
        assert!(n <= 12);
    }

    // The transforms of the links lead to the tool point, and those of an object to its pose.
    let loaded = LoadedRobot::panda().unwrap();
    for (frame, transforms) in frames.iter().zip(transforms).step_by(25) {
        let (tool, n) = world_from(transforms, &loaded.file().tool_link);
        within("transforms of the tool link", n as f64, 9.0..);
        let off = frame.world_from_tool.inv_mul(&tool);
        within("tool frame off, m", off.translation.vector.norm(), ..1e-5);
        within("tool frame turned, rad", off.rotation.angle(), ..1e-5);
        for object in &frame.objects {
            let (pose, _) = world_from(transforms, &format!("object/{}", object.id));
            let off = object.world_from_object.inv_mul(&pose);
            assert!(off.translation.vector.norm() < 1e-6, "{}", object.id);
        }
    }

    let joints = &found["/joint_states"][n_frames - 1]["joints"];
    assert_eq!(joints[0]["name"], loaded.file().arm_joints[0]);
    let last = &frames[n_frames - 1];
    assert_eq!(joints[6]["position"], last.joints.position[6]);
    assert_eq!(found["/joint_commands"].len(), n_frames);
    assert_eq!(found["/camera/wrist"][0]["format"], "png");

    let line = |log: &Value| format!("{} {}", log["level"], log["message"].as_str().unwrap());
    let log: Vec<_> = found["/log"].iter().map(line).collect();
    let log = log.join("\n");
    let words = "2 PLAN 1: |2   - pick(|4 FAILED: |2 PLAN 2: |2 SUCCESS: ".split('|');
    says(&log, &words.collect::<Vec<_>>());
}
