//! Recordings are read back as they were written, even from a file that is truncated anywhere.

use std::fs;
use std::path::{Path, PathBuf};

use nalgebra::{Quaternion, UnitQuaternion};
use regrasp_api::{Event, EventSink, Pose, StampedEvent};
use regrasp_ground_truth::{Frame, FrameContact, FrameObject, FrameSink};
use regrasp_record::{
    EpisodeInfo, Item, RecordError, Recorder, Recording, RecordingInfo, link_frame,
};
use serde_json::json;
use tempfile::TempDir;

const RATE_HZ: f64 = 60.0;
const MAGIC: &[u8] = b"\x89MCAP0\r\n";

fn info() -> RecordingInfo {
    RecordingInfo {
        episode: EpisodeInfo {
            task: "wave".into(),
            seed: 4,
            ..EpisodeInfo::default()
        },
        rate_hz: RATE_HZ,
        scene: json!({ "name": "nowhere" }),
        robot: json!({ "name": "nobody" }),
    }
}

/// Rounds objects and contacts to seven decimals, as a recording does.
fn kept(mut frame: Frame) -> Frame {
    let narrow = |value: f64| (value * 1e7).round() / 1e7;
    for object in &mut frame.objects {
        let pose = &mut object.world_from_object;
        pose.translation.vector.apply(|v| *v = narrow(*v));
        let rotation = pose.rotation.coords.map(narrow);
        pose.rotation = UnitQuaternion::new_unchecked(Quaternion::from(rotation));
    }
    for contact in &mut frame.contacts {
        contact.force_n = narrow(contact.force_n);
        contact.point_in_world = contact.point_in_world.map(narrow);
    }
    frame
}

fn frame(k: u64) -> Frame {
    kept(told(k))
}

fn told(k: u64) -> Frame {
    let t = k as f64 / RATE_HZ;
    let wave: Vec<f64> = (0..7).map(|i| (t + 0.1 * f64::from(i)).sin()).collect();
    let mut frame = Frame {
        time_secs: t,
        step: k * 7,
        world_from_tool: Pose::rotation([t.cos(), 0.3 * t, -0.2].into()),
        objects: vec![FrameObject {
            id: "cube".into(),
            world_from_object: Pose::translation(0.1 * t, 1.0 / 3.0, 0.0),
        }],
        ..Frame::default()
    };
    frame.joints.position.clone_from(&wave);
    frame.joints.commanded_velocity = wave;
    frame.gripper.held = (k % 2 == 1).then(|| "cube".into());
    let contact = || FrameContact {
        by: "cube".into(),
        by_robot: false,
        with: "table".into(),
        force_n: 0.1 + 0.2,
        point_in_world: [t, 0.0, -t],
    };
    frame.contacts.extend(k.is_multiple_of(3).then(contact));
    frame
}

fn event(seq: u64, sim_secs: f64, name: &str) -> StampedEvent {
    StampedEvent::new(seq, sim_secs, Event::PhaseStarted { name: name.into() })
}

/// Records frames, and a phase and a picture every 50 frames.
fn record(path: &Path, n_frames: u64, finish: bool) {
    let mut recorder = Recorder::create(path, &info(), &["top".into()], ()).unwrap();
    for k in 0..n_frames {
        recorder.frame(&told(k));
        if k % 50 == 0 {
            let now = frame(k).time_secs;
            recorder.emit(&event(k / 50, now, &format!("phase {k}")));
            recorder.picture("top", now, &[137, 80, k as u8]);
            recorder.picture("nobody's", now, &[0]);
        }
    }
    if finish {
        recorder.finish().unwrap();
    } else {
        assert!(recorder.take_error().is_none());
        // Like a kill: no destructor runs, and buffered data is not written.
        std::mem::forget(recorder);
    }
}

fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    (dir, path)
}

fn frames(recording: &mut Recording) -> Vec<Frame> {
    recording.frames().map(Result::unwrap).collect()
}

#[test]
fn a_recording_is_read_back_to_the_last_bit_in_order() {
    let (_dir, path) = place();
    record(&path, 400, true);
    let mut recording = Recording::open(&path).unwrap();
    assert!(recording.is_complete());
    assert_eq!(recording.info(), &info());
    assert_eq!(recording.cameras(), ["top"]);
    let expected: Vec<_> = (0..400).map(frame).collect();
    assert_eq!(frames(&mut recording), expected);
    assert_eq!(recording.events().unwrap().len(), 8);
    let items: Vec<_> = recording.items().map(Result::unwrap).collect();
    let times: Vec<_> = items.iter().map(Item::time_secs).collect();
    let in_order = times.windows(2).all(|t| t[0] <= t[1] + 1e-9);
    assert!(
        in_order,
        "the items are not in the order of time: {times:?}"
    );
    let pictures = items.iter().filter_map(|item| match item {
        Item::Picture(picture) => Some((picture.camera.as_str(), picture.png[2])),
        _ => None,
    });
    let expected = (0..400).step_by(50).map(|k| ("top", k as u8));
    assert!(pictures.eq(expected));
}

fn only_frame(item: Result<Item, RecordError>) -> Option<Frame> {
    match item.unwrap() {
        Item::Frame(frame) => Some(*frame),
        _ => None,
    }
}

#[test]
fn a_recording_from_before_foxgloves_schemas_is_read() {
    let (_dir, path) = place();
    let file = fs::File::create(&path).unwrap();
    let mut old = mcap::WriteOptions::new()
        .compression(None)
        .create(std::io::BufWriter::new(file))
        .unwrap();
    let attachment = mcap::Attachment {
        log_time: 0,
        create_time: 0,
        name: "episode.json".into(),
        media_type: "application/json".into(),
        data: serde_json::to_vec(&info()).unwrap().into(),
    };
    old.attach(&attachment).unwrap();
    for k in 0..100 {
        let frame = frame(k);
        let messages = [
            (
                "/joints",
                json!({
                    "time_secs": frame.time_secs,
                    "step": frame.step,
                    "joints": frame.joints,
                    "world_from_tool": frame.world_from_tool,
                }),
            ),
            ("/gripper", json!(frame.gripper)),
            ("/objects", json!({ "objects": frame.objects })),
            ("/contacts", json!({ "contacts": frame.contacts })),
        ];
        for (topic, value) in messages {
            let channel = old.add_channel(0, topic, "json", &[].into()).unwrap();
            let header = mcap::records::MessageHeader {
                channel_id: channel,
                sequence: k as u32,
                log_time: (frame.time_secs * 1e9).round() as u64,
                publish_time: 0,
            };
            let data = serde_json::to_vec(&value).unwrap();
            old.write_to_known_channel(&header, &data).unwrap();
        }
    }
    old.finish().unwrap();
    drop(old);
    let mut recording = Recording::open(&path).unwrap();
    let expected: Vec<_> = (0..100).map(frame).collect();
    assert_eq!(frames(&mut recording), expected);
}

/// If a link used the frame name of World, that frame would be its own parent.
#[test]
fn no_link_has_the_frame_of_the_world() {
    let frames = ["world", "base", "link/0"].map(link_frame);
    assert_eq!(frames, ["link/world", "base", "link/0"]);
}

#[test]
fn it_can_be_entered_at_any_time() {
    let (_dir, path) = place();
    record(&path, 400, true);
    let mut recording = Recording::open(&path).unwrap();
    for from in [0, 1, 59, 60, 61, 180, 250, 399] {
        let secs = frame(from).time_secs;
        let first = recording.items_from(secs).find_map(only_frame);
        assert_eq!(
            first,
            Some(frame(from)),
            "first frame from the time of frame {from}"
        );
        let at = recording.frame_at(secs + 0.4 / RATE_HZ).unwrap();
        assert_eq!(at, Some(frame(from)), "frame at the time of frame {from}");
    }
    assert_eq!(recording.items_from(7.0).count(), 0);
    assert_eq!(recording.frame_at(1e9).unwrap(), Some(frame(399)));
    assert_eq!(recording.frame_at(-1.0).unwrap(), Some(frame(0)));
}

#[test]
fn a_killed_recording_holds_all_but_the_last_second() {
    let (_dir, path) = place();
    for n_frames in [0, 1, 59, 61, 130, 333] {
        record(&path, n_frames, false);
        cut(&path, n_frames);
    }
}

/// Checks that at most the last second of a truncated recording is lost.
fn cut(path: &Path, n_frames: u64) {
    let mut recording = Recording::open(path).unwrap();
    assert!(!recording.is_complete());
    let frames = frames(&mut recording);
    let n_read = frames.len() as u64;
    let is_there = n_read + 61 > n_frames && n_read <= n_frames;
    assert!(is_there, "{n_read} of {n_frames} frames were read");
    assert_eq!(frames, (0..n_read).map(frame).collect::<Vec<_>>());
}

#[test]
fn a_recording_cut_by_a_panic_opens_like_one_cut_by_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    // With `bench --record failures`, a recording has such a name until its episode has failed.
    let path = dir.path().join("it.mcap.part");
    let n_frames = 333;
    let panicked = std::panic::catch_unwind(|| {
        let mut recorder = Recorder::create(&path, &info(), &[], ()).unwrap();
        for k in 0..n_frames {
            recorder.frame(&told(k));
        }
        panic!("a bug, on purpose");
    });
    assert!(panicked.is_err());
    cut(&path, n_frames);
}

#[test]
fn a_file_that_breaks_off_anywhere_opens_or_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole.mcap");
    record(&whole, 200, true);
    let bytes = fs::read(&whole).unwrap();
    let path = dir.path().join("cut.mcap");
    let mut most = 0;
    let mut n_opened = 0;
    for n in (0..bytes.len()).step_by(509) {
        fs::write(&path, &bytes[..n]).unwrap();
        match Recording::open(&path) {
            Ok(mut recording) => {
                let frames = frames(&mut recording);
                assert!(frames.len() >= most, "a longer file has fewer frames");
                assert!(frames.iter().zip(0..).all(|(f, k)| *f == frame(k)));
                most = frames.len();
                n_opened += 1;
            }
            Err(error) => assert!(most == 0, "{error}"),
        }
    }
    assert!(most > 180, "{most} of 200 frames in the longest file");
    assert!(n_opened > 100);
}

#[test]
fn other_files_are_rejected_and_damage_is_reported() {
    let (_dir, path) = place();
    let refusal = |text: &[u8]| {
        fs::write(&path, text).unwrap();
        Recording::open(&path).unwrap_err().to_string()
    };
    assert!(refusal(b"not an MCAP file at all").contains("it is not an MCAP file"));
    assert!(refusal(b"").contains("it is truncated before the description of its run"));
    record(&path, 100, true);
    let bytes = fs::read(&path).unwrap();
    // The bytes of the second chunk's compressed messages. The first chunk has only the channels.
    let name = b"zstd";
    let mut chunks = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(name));
    let start = chunks.nth(1).unwrap() + name.len();
    let size = u64::from_le_bytes(bytes[start..start + 8].try_into().unwrap()) as usize;
    for at in (start + 8..start + 8 + size).step_by(97) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        fs::write(&path, &other).unwrap();
        let mut recording = Recording::open(&path).unwrap();
        let errors: Vec<_> = recording.items().filter_map(Result::err).collect();
        let said = errors.iter().map(ToString::to_string).collect::<String>();
        assert!(
            said.contains("it is damaged at byte"),
            "changed byte {at}: {said}"
        );
    }
    let missing = Recording::open(&path.with_file_name("nowhere.mcap")).unwrap_err();
    assert!(missing.to_string().contains("nowhere.mcap"));
}

#[test]
fn any_byte_of_an_attachment_that_changes_is_refused() {
    let (_dir, path) = place();
    record(&path, 20, true);
    let bytes = fs::read(&path).unwrap();
    let name = b"episode.json";
    let named = bytes.windows(name.len()).position(|w| w == name).unwrap();
    // The name follows the record's type (1 byte) and length (8), two times (16), and its own
    // length (4).
    let start = named - 4 - 16 - 9;
    assert_eq!(bytes[start], 0x09, "type of the record: attachment");
    let size = u64::from_le_bytes(bytes[start + 1..start + 9].try_into().unwrap());
    let end = start + 9 + usize::try_from(size).unwrap();
    let sampled = (start..start + 80).chain((start + 80..end).step_by(61));
    for at in sampled.chain(end - 4..end) {
        for change in [1_u8, 0x80, 0xff] {
            let mut other = bytes.clone();
            other[at] ^= change;
            fs::write(&path, &other).unwrap();
            let opened = Recording::open(&path);
            assert!(
                opened.is_err(),
                "a recording with byte {at} ({start} to {end}) changed by {change:#x} was opened"
            );
        }
    }
}

#[test]
fn a_recorder_keeps_its_first_error_and_goes_on_doing_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let refused = Recorder::create(&dir.path().join("no/such/folder.mcap"), &info(), &[], ());
    let said = refused.err().unwrap().to_string();
    assert!(said.starts_with("create the recording `"), "{said}");
    if Path::new("/dev/full").exists() {
        // The header fits into the buffer; the first flush fails.
        let refused = Recorder::create(Path::new("/dev/full"), &info(), &[], ());
        let said = refused.err().unwrap().to_string();
        let words = "write the recording `/dev/full`";
        assert!(said.starts_with(words), "{said}");
    }
}

/// Type and content of the records after the chunks of a finished file.
fn summary(bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut rest = &bytes[8..bytes.len() - 8];
    let mut records = vec![];
    while !rest.is_empty() {
        let size = u64::from_le_bytes(rest[1..9].try_into().unwrap()) as usize;
        records.push((rest[0], &rest[9..9 + size]));
        rest = &rest[9 + size..];
    }
    let data_end = records.iter().position(|(kind, _)| *kind == 0x0f).unwrap();
    records.split_off(data_end + 1)
}

fn text<'a>(content: &mut &'a [u8]) -> &'a str {
    let n = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
    let text = &content[4..4 + n];
    *content = &content[4 + n..];
    std::str::from_utf8(text).unwrap()
}

#[test]
fn the_summary_names_schemas_channels_chunks_and_figures() {
    let (_dir, path) = place();
    record(&path, 200, true);
    let bytes = fs::read(&path).unwrap();
    assert_eq!((&bytes[..8], &bytes[bytes.len() - 8..]), (MAGIC, MAGIC));
    let records = summary(&bytes);
    let of = |kind: u8| {
        let records = records.iter().filter(move |(k, _)| *k == kind);
        records.map(|(_, content)| *content)
    };
    let mut topics = vec![];
    for mut channel in of(0x04) {
        channel = &channel[4..];
        topics.push(text(&mut channel));
        assert_eq!(text(&mut channel), "json");
    }
    topics.sort_unstable();
    let expected = "/camera/top /events /joint_commands /joint_states /log /scene /state /tf";
    assert_eq!(topics.join(" "), expected);
    for mut schema in of(0x03) {
        schema = &schema[2..];
        let name = text(&mut schema);
        assert_eq!(text(&mut schema), "jsonschema");
        let schema: serde_json::Value = serde_json::from_str(text(&mut schema)).unwrap();
        assert_eq!(schema["type"], "object", "{name}");
    }
    // 200 frames of 4 messages, 1 scene, 4 events with 1 log message each, and 4 pictures.
    let statistics = of(0x0b).next().unwrap();
    let n_messages = u64::from_le_bytes(statistics[..8].try_into().unwrap());
    assert_eq!(n_messages, 200 * 4 + 1 + 2 * 4 + 4);
    let u64_at =
        |content: &[u8], at: usize| u64::from_le_bytes(content[at..at + 8].try_into().unwrap());
    for chunk in of(0x08) {
        let offset = u64_at(chunk, 16) as usize;
        assert_eq!(bytes[offset], 0x06, "each chunk index points to a chunk");
        assert_eq!(u64_at(chunk, 24), 9 + u64_at(&bytes, offset + 1));
        assert_eq!(u64_at(chunk, 0), u64_at(&bytes, offset + 9), "start");
        assert_eq!(u64_at(chunk, 8), u64_at(&bytes, offset + 17), "end");
    }
    assert!(of(0x08).count() >= 4);
    // The footer's checksum covers everything from the summary on.
    let footer = of(0x02).next().unwrap();
    let start = u64_at(footer, 0) as usize;
    let crc = u32::from_le_bytes(footer[16..].try_into().unwrap());
    assert_eq!(crc, crc32fast::hash(&bytes[start..bytes.len() - 12]));
}
