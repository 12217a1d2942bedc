//! Misbehaving servers: each leads to an error message in time and in bounded memory.

mod server;

use std::sync::mpsc::channel;
use std::time::Duration;

use regrasp_api::{
    Action, Policy as _, PolicyDeadlines, PolicyError, PolicyInput, PolicyStart, Pose, RobotInfo,
};
use regrasp_openpi::{Mapping, NdArray, OpenpiPolicies, OpenpiPolicy, Value, encode};
use server::{Does, message, rows, start, traceback};
use tokio_tungstenite::tungstenite::Message;

/// Maximum memory that a client may allocate because of a server, bytes: that of eight messages of
/// the maximum size.
const MEMORY: u64 = 8 << 20;

fn robot() -> RobotInfo {
    RobotInfo {
        joint_names: (1..=7).map(|i| format!("joint{i}")).collect(),
        home: vec![0.0; 7],
        ..regrasp_testkit::robot_info()
    }
}

fn input(step: u64) -> PolicyInput {
    PolicyInput {
        step,
        time_secs: 0.0,
        joint_positions: vec![0.5; 7],
        joint_velocities: vec![0.0; 7],
        gripper: regrasp_testkit::open_hand(),
        world_from_tool: Pose::identity(),
        objects: vec![],
        images: vec![],
        stopped: None,
    }
}

/// Returns the mapping `joints`; because it is chosen, the server need not name one.
fn mapping() -> Option<Mapping> {
    Some(Mapping::load("joints").expect("a built-in mapping"))
}

/// Limits that only a missing message exceeds.
fn patient() -> PolicyDeadlines {
    PolicyDeadlines {
        deadline: Duration::from_secs(60),
        ..PolicyDeadlines::default()
    }
}

/// Limits for servers that are always late.
fn hasty() -> PolicyDeadlines {
    PolicyDeadlines {
        deadline: Duration::from_millis(50),
        first_deadline: Duration::from_millis(300),
        max_late: 3,
    }
}

fn begun(
    does: Does,
    mapping: Option<Mapping>,
    options: PolicyDeadlines,
) -> Result<OpenpiPolicy, PolicyError> {
    let address = format!("ws://{}", start(does));
    began(&address, mapping, options)
}

fn good() -> Does {
    Does::Metadata(Value::Map(vec![]))
}

fn began(
    address: &str,
    mapping: Option<Mapping>,
    options: PolicyDeadlines,
) -> Result<OpenpiPolicy, PolicyError> {
    let mut policy = OpenpiPolicies::new(address, mapping, None, options)?.policy();
    let robot = robot();
    policy.reset(&PolicyStart {
        task: "pick up the red cube",
        seed: 0,
        rate_hz: 20.0,
        robot: &robot,
        world_from_base: Pose::identity(),
    })?;
    Ok(policy)
}

fn driven(mut policy: OpenpiPolicy) -> Result<(), PolicyError> {
    for step in 0..40 {
        policy.act(&input(step))?;
    }
    Ok(())
}

/// Joint targets; `None` if the answer is late.
fn joints(acted: Result<Option<Action>, PolicyError>) -> Option<Vec<f64>> {
    match acted.expect("an answer") {
        Some(Action::Move {
            joint_positions, ..
        }) => Some(joint_positions.expect("joints")),
        None => None,
        other => panic!("{other:?}"),
    }
}

/// Checks an error message; `says` lists parts of it, separated by ellipses.
#[track_caller]
fn refused<T>(outcome: Result<T, PolicyError>, says: &str) {
    let error = outcome.err().expect(says).to_string();
    let parts: Vec<_> = says.split(" … ").collect();
    regrasp_testkit::says(&error, &parts);
}

#[track_caller]
fn check(does: Does, options: PolicyDeadlines, says: &str) {
    let mut outcome = Ok(());
    let counted = allocation_counter::measure(|| {
        outcome = begun(does, mapping(), options).and_then(driven);
    });
    refused(outcome, says);
    assert!(counted.bytes_max < MEMORY, "{counted:?}");
}

#[track_caller]
fn told(does: Does, says: &str) {
    check(does, patient(), says);
}

#[track_caller]
fn late(does: Does, says: &str) {
    check(does, hasty(), says);
}

fn answers(value: &Value) -> Does {
    Does::Answers(vec![message(value)])
}

fn bytes(bytes: Vec<u8>) -> Does {
    Does::Answers(vec![Message::binary(bytes)])
}

/// A reply with an array whose `shape` and `dtype` need not match the data.
fn array(shape: &[i128], dtype: &str, n_bytes: usize) -> Does {
    let shape = shape.iter().map(|n| Value::Int(*n)).collect();
    let array = [
        ("__ndarray__", Value::Bool(true)),
        ("dtype", Value::text(dtype)),
        ("shape", Value::List(shape)),
        ("data", Value::Bytes(vec![0; n_bytes])),
    ];
    answers(&Value::map([("actions", Value::map(array))]))
}

#[test]
fn a_server_as_it_should_be_is_driven_by() {
    let mut policy = begun(good(), mapping(), patient()).expect("a correct server");
    for step in 0..40 {
        assert_eq!(joints(policy.act(&input(step))), Some(vec![0.5; 7]));
    }
}

#[test]
fn arrays_whose_names_are_text_are_as_good() {
    let policy = begun(array(&[8, 8], "<f4", 256), mapping(), patient());
    policy.and_then(driven).expect("keys may be text");
}

#[test]
fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("ws://{}", listener.local_addr().expect("a bound socket"));
    drop(listener);
    let says = "could not connect to the policy server at ws://127";
    refused(began(&address, mapping(), patient()), says);
}

#[test]
fn it_does_not_shake_hands() {
    late(Does::Nothing, "did not accept the connection within 0.3 s");
    for [answer, says] in regrasp_testkit::rows(
        "HTTP/1.1 404 Not Found¶Content-Length: 9¶¶not here\\n     | answers HTTP, but is not a WebSocket server … 404 Not Found
         HTTP/1.0 404 File not found¶Content-Length: 0¶¶          | answers HTTP, but is not a WebSocket server
         HTTP/1.1 200 OK¶Content-Length: 3¶¶hi\\n                 | answers HTTP, but is not a WebSocket server
         HTTP/1.1 101 Switching Protocols¶¶                       | answers HTTP, but is not a WebSocket server
         HTTP/1.1 401 Unauthorized¶Content-Length: 8¶¶no key!\\n | 401 Unauthorized
         SSH-2.0-OpenSSH_9.6¶¶                                    | could not connect",
    ) {
        let answer = answer.replace('¶', "\r\n");
        told(Does::NoHandshake(answer), &says);
    }
}

#[test]
fn a_server_without_tls_is_said_to_have_none() {
    let server = start(Does::NoHandshake("HTTP/1.1 400 Bad Request\r\n\r\n".into()));
    let address = format!("wss://{server}");
    refused(began(&address, mapping(), patient()), "no TLS");
}

/// Rendering pictures costs more than everything else.
#[test]
fn pictures_are_wanted_only_when_a_request_is_sent() {
    let mut policy = begun(good(), mapping(), patient()).expect("the episode starts");
    let mut n_wanted = 0;
    for step in 0..40 {
        n_wanted += usize::from(policy.wants_images(false));
        assert!(policy.wants_images(true), "a stop discards the chunk");
        policy.act(&input(step)).expect("an answer");
    }
    let horizon = Mapping::load("joints").expect("a built-in mapping").horizon;
    assert_eq!(n_wanted, 40_usize.div_ceil(horizon));
}

fn roboarena(more: &[(&str, Value)]) -> Does {
    let usual = [
        ("action_space", Value::text("joint_position")),
        ("needs_wrist_camera", Value::Bool(true)),
        ("n_external_cameras", Value::Int(1)),
        ("needs_stereo_camera", Value::Bool(false)),
        ("needs_session_id", Value::Bool(true)),
        (
            "image_resolution",
            Value::List(vec![Value::Int(8), Value::Int(16)]),
        ),
    ];
    let is_other = |key: &str| more.iter().any(|(other, _)| *other == key);
    let usual = usual.into_iter().filter(|(key, _)| !is_other(key));
    Does::Roboarena(Value::map(usual.chain(more.iter().cloned())))
}

/// Pictures of the cameras that the built-in mappings name.
fn seen(step: u64) -> PolicyInput {
    let mut png = std::io::Cursor::new(vec![]);
    let blank = image::RgbImage::new(16, 16);
    let written = blank.write_to(&mut png, image::ImageFormat::Png);
    written.expect("a picture");
    let image = |name: &str| regrasp_api::SceneImage {
        view: regrasp_api::CameraView {
            name: name.into(),
            intrinsics: regrasp_api::Intrinsics::from_vertical_fov(16, 16, 1.0),
            world_from_camera: Pose::identity(),
        },
        png: png.get_ref().clone(),
        marks: std::collections::BTreeMap::new(),
    };
    PolicyInput {
        images: ["scene", "wrist"].map(image).into(),
        ..input(step)
    }
}

#[test]
fn roboarenas_servers_are_spoken_to_in_their_dialect() {
    let theirs = || Some(Mapping::load("roboarena").expect("a built-in mapping"));
    for space in ["joint_position", "joint_velocity"] {
        let server = roboarena(&[("action_space", Value::text(space))]);
        let mut policy = begun(server, theirs(), patient()).expect("the episode starts");
        for step in 0..20 {
            let joints = joints(policy.act(&seen(step))).expect("in time");
            // The rows are 0.3: a position, or 0.3 of 3 rad/s for 1/15 s from 0.5 rad.
            let expected = if space == "joint_position" { 0.3 } else { 0.56 };
            assert!((joints[0] - expected).abs() < 1e-6, "{space}: {joints:?}");
        }
    }
    let with = |key: &'static str, value: Value| roboarena(&[(key, value)]);
    let two = with("n_external_cameras", Value::Int(2));
    let stereo = with("needs_stereo_camera", Value::Bool(true));
    let cartesian = with("action_space", Value::text("cartesian"));
    for (server, mapping, says) in [
        (roboarena(&[]), mapping(), "choose the mapping `roboarena`"),
        (two, theirs(), "n_external_cameras"),
        (stereo, theirs(), "stereo"),
        (cartesian, theirs(), "cartesian"),
        (good(), theirs(), "have no `action_space`"),
    ] {
        refused(begun(server, mapping, patient()), says);
    }
}

#[test]
fn its_metadata_are_none() {
    late(Does::NoMetadata, "it sent no metadata within 0.3 s");
    let list = message(&Value::List(vec![Value::Int(1)]));
    let says = "its first message is a list of 1 … metadata";
    told(Does::FirstWord(list), says);
    let word = Message::binary(vec![0xc1, 0xc1]);
    told(Does::FirstWord(word), "could not read … 0xc1");
    let word = Message::text("model is not loaded");
    let says = "reports an error: model is not loaded";
    told(Does::FirstWord(word), says);
    let other = Value::map([("regrasp_mapping", Value::text("libero"))]);
    let says = "with the mapping `joints` … `libero`";
    told(Does::Metadata(other), says);
}

#[test]
fn its_metadata_name_no_mapping_and_none_is_chosen() {
    let metadata = Value::map([("reset_pose", Value::Nil)]);
    let says = "a map with reset_pose … joints, droid, libero";
    refused(begun(Does::Metadata(metadata), None, patient()), says);
}

#[test]
fn it_gives_up() {
    let says = "reports an error … KeyError: 'x'";
    told(Does::Answers(traceback()), says);
    let close = traceback().remove(1);
    told(Does::Answers(vec![close]), "closed the connection … 1011");
    told(Does::Leaves, "closed the connection");
}

#[test]
fn it_breaks_the_rules_of_frames() {
    // A binary message of 1,000 bytes, of which three arrive, or which arrives byte by byte.
    let head = [0x82, 126, 0x03, 0xe8];
    let says = "did not answer within 0.30 s (late answers in a row: 1)";
    late(Does::Raw([&head[..], &[1, 2, 3]].concat()), says);
    let says = "did not answer within 0.30 s";
    late(Does::Drips([&head[..], &[0; 1000]].concat()), says);
    let endless = vec![0x82, 127, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    told(Does::Raw(endless), "its message is refused … too long");
    let says = "closed the connection";
    told(Does::Raw(vec![0x83, 0x01, 0x00]), says);
}

#[test]
fn it_sends_what_is_no_message() {
    let whole = encode(&rows(0.0)).expect("an encodable value");
    let half = whole[..whole.len() / 2].to_vec();
    told(bytes(half), "could not read … bytes follow");
    let much = Value::map([("actions", Value::Bytes(vec![0; 3 << 20]))]);
    told(answers(&much), "too long");
    let mut bomb = vec![0xdd, 0x00, 0x0f, 0x00, 0x00];
    bomb.resize(5 + 0x000f_0000, 0xc0);
    told(bytes(bomb), "more than 50000 values");
    told(bytes(vec![0x93, 0xc1]), "could not read");
}

#[test]
fn its_arrays_are_not_what_is_expected() {
    told(array(&[8, 8], "<c16", 1024), "dtype `<c16`");
    told(array(&[8, 8], "|O", 512), "dtype `|O`");
    told(
        array(&[8, 7], "<f8", 448),
        "[8, 7] … expected rows of 8 numbers",
    );
    told(
        array(&[1, 8, 8], "<f8", 512),
        "[1, 8, 8] … expected rows of 8 numbers",
    );
    told(array(&[0, 8], "<f8", 0), "has 0 actions");
    told(array(&[8, 0], "<f8", 0), "[8, 0]");
    let huge = i128::from(u32::MAX);
    told(array(&[huge, huge], "<f8", 64), "has 64 bytes");
    told(array(&[huge * huge, huge], "<f8", 64), "has 64 bytes");
    for number in [f64::NAN, f64::INFINITY] {
        told(answers(&rows(number)), "action 0 … expected finite numbers");
    }
    let few = Value::Array(NdArray::f64(&[3, 8], &[0.0; 24]));
    let says = "has 3 actions, fewer than";
    told(answers(&Value::map([("actions", few)])), says);
}

#[test]
fn it_calls_them_something_else() {
    let other = Value::map([("action", Value::Nil), ("server_timing", Value::Nil)]);
    let says = "expected `actions` … a map with action, server_timing";
    told(answers(&other), says);
    let numbered = Value::Map(vec![(Value::Int(1), Value::Nil)]);
    told(answers(&numbered), "expected `actions` … a map with 1");
    let left = Value::text("left");
    told(answers(&left), "expected `actions` … the text `left`");
}

#[test]
fn it_does_not_answer_in_time() {
    let says = "did not answer within 0.30 s (late answers in a row: 1)";
    late(Does::Raw(vec![]), says);
    let says = "did not answer within 0.05 s (late answers in a row: 3)";
    late(Does::OnlyTheFirst, says);
    late(Does::Pings, "did not answer within 0.30 s");
}

/// An observation with a picture of 2048 x 2048 exceeds the socket's buffer.
#[test]
fn it_reads_nothing() {
    let mut mapping = mapping().expect("a mapping");
    mapping.images = Mapping::load("droid").expect("a built-in mapping").images;
    mapping.images.truncate(1);
    mapping.images[0].size = [2048, 2048];
    let mut policy = begun(Does::ReadsNothing, Some(mapping), hasty()).expect("the episode starts");
    refused(policy.act(&seen(0)), "did not answer within 0.30 s");
}

#[test]
fn it_answers_twice() {
    let twice = vec![message(&rows(0.0)); 2];
    told(Does::Answers(twice), "sent two replies to one request");
}

/// A late reply belongs to an earlier state of the world: it is dropped, and the next reply answers
/// the next request.
#[test]
fn it_is_late_once() {
    let (allow, allowed) = channel();
    let options = PolicyDeadlines {
        deadline: Duration::from_millis(200),
        first_deadline: Duration::from_secs(60),
        max_late: 1000,
    };
    let mut policy =
        begun(Does::WhenAllowed(allowed), mapping(), options).expect("the episode starts");
    let mut targets = |step: u64| {
        let joints = joints(policy.act(&input(step)))?;
        Some(((joints[0] - 0.5) * 100.0).round())
    };
    allow.send(()).expect("the server waits");
    for step in 0..8 {
        assert_eq!(targets(step), Some(1.0));
    }
    // The second reply is held back.
    assert_eq!(targets(8), None);
    allow.send(()).expect("the server waits");
    allow.send(()).expect("the server waits");
    let next = (9..1000).find_map(&mut targets);
    assert!(next.is_some_and(|k| k >= 3.0), "{next:?}");
}
