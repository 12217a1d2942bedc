//! Observers of a running world get frames at their rate and do not change the run.

use std::sync::{Arc, Mutex};

use regrasp::ground_truth::success::{Not, Predicate, Predicates, Released};
use regrasp::ground_truth::{Frame, FrameListener, GroundTruth, Lookout, Success};
use regrasp::render::SoftwareRenderer;
use regrasp::scene::TaskInstance;
use regrasp::{Episode, EpisodeOptions, LoadedRobot, SceneView};
use regrasp_testkit::{says, within};

use crate::common::{instance, played};

fn episode(task: &TaskInstance, listeners: Vec<FrameListener>) -> Episode {
    let options = EpisodeOptions {
        seed: task.seed,
        listeners,
        ..EpisodeOptions::default()
    };
    played(&task.scene, &task.prompt, options)
}

fn kept(rate_hz: f64) -> (Arc<Mutex<Vec<Frame>>>, FrameListener) {
    let frames = Arc::new(Mutex::new(vec![]));
    let sink = Box::new(Arc::clone(&frames));
    (frames, FrameListener { rate_hz, sink })
}

fn position(frame: &Frame, id: &str) -> [f64; 3] {
    let object = frame.object(&id.into()).unwrap();
    object.world_from_object.translation.vector.into()
}

#[test]
fn listeners_see_the_whole_episode_at_their_rate_and_change_nothing() {
    let task = instance("stack_two", 3);
    let alone = episode(&task, vec![]);
    let ((often, at_60), (rarely, at_5)) = (kept(60.0), kept(5.0));
    let watched = episode(&task, vec![at_60, at_5]);
    let digests = [&watched, &alone].map(|episode| &episode.result.state_digest);
    assert_eq!(digests[0], digests[1], "listeners changed the episode");
    assert!(watched.result.success, "{}", watched.result.final_detail);
    let (often, rarely) = (often.lock().unwrap(), rarely.lock().unwrap());
    for (frames, rate_hz) in [(&*often, 60.0), (&*rarely, 5.0)] {
        let n = (watched.result.sim_s * rate_hz).floor() as usize + 1;
        let seen = frames.len();
        assert!(seen.abs_diff(n) <= 1, "{seen} frames at {rate_hz} Hz");
        for (k, frame) in frames.iter().enumerate() {
            let off_secs = frame.time_secs - k as f64 / rate_hz;
            assert!(off_secs.abs() < 0.0013, "frame {k} is {off_secs} s late");
        }
    }
    // Both listeners get equal frames at the same step.
    let same = often.iter().find(|f| f.step == rarely[7].step);
    assert_eq!(same, Some(&rarely[7]));
}

#[test]
fn frames_tell_what_is_held_what_touches_and_what_was_commanded() {
    let task = instance("stack_two", 3);
    let (frames, listener) = kept(60.0);
    episode(&task, vec![listener]);
    let frames = frames.lock().unwrap();
    let held: Vec<_> = frames.iter().filter(|f| f.gripper.held.is_some()).collect();
    let n_held = held.len();
    assert!(n_held > 60, "an object was held in only {n_held} frames");
    let id = held[0].gripper.held.clone().unwrap();
    let heights = held.iter().map(|f| position(f, id.as_str())[2]);
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
    within("rise of the held object, m", high - low, 0.03..);
    let squeezed = held.iter().filter(|f| {
        let fingers = f.contacts.iter();
        let fingers = fingers.filter(|c| c.by_robot && c.with == id && c.force_n > 1.0);
        fingers.count() == 2 && f.gripper.grip_force_n > 0.0
    });
    let n_squeezed = squeezed.count();
    assert!(n_squeezed > n_held / 2, "both fingers press: {n_squeezed}");
    // Objects press on the table with their weight.
    let first = &frames[0];
    let rests = |c: &&regrasp::ground_truth::FrameContact| !c.by_robot && c.force_n > 0.1;
    let n = first.contacts.iter().filter(rests).count();
    assert!(n >= 2, "{first:?}");
    let lag = |f: &Frame| {
        let joints = f.joints.position.iter().zip(&f.joints.commanded_position);
        joints.map(|(q, c)| (q - c).abs()).fold(0.0, f64::max)
    };
    let worst = frames.iter().map(lag).fold(0.0, f64::max);
    within("lag of the joints, rad", worst, 1e-6..0.05);
    let is_behind = |f: &Frame| f.gripper.commanded_width_m < f.gripper.width_m - 1e-4;
    let stops = frames.iter().any(is_behind);
    assert!(stops, "the fingers never stop at an object");
}

#[test]
fn what_is_in_the_hand_for_a_moment_is_seen_by_who_looks_out_for_it() {
    let task = instance("stack_two", 3);
    let released = Released {
        object: None,
        min_distance_m: None,
    };
    let in_hand: Success = Not(Box::new(released.into())).into();
    let never: Success = Predicates(vec![Predicate::Constant { holds: false }]).into();
    let (hand, on_the_way) = Lookout::new(in_hand.clone(), 20.0);
    let (nothing, not_once) = Lookout::new(never, 20.0);
    let episode = episode(&task, vec![hand, nothing]);
    let met = Lookout::met(&on_the_way);
    let at_secs = met.at_secs.unwrap();
    assert!(0.5 < at_secs && at_secs < episode.result.sim_s, "{met:?}");
    // Conditions are checked at the steps nearest to multiples of the period.
    let looks = at_secs * met.rate_hz;
    assert!((looks - looks.round()).abs() < 0.03, "{met:?}");
    let unmet = in_hand.unmet(&episode.first, &episode.last);
    assert!(!unmet.is_empty(), "the object is in the hand at the end");
    assert_eq!(Lookout::met(&not_once).at_secs, None);
}

#[test]
fn a_frame_draws_the_same_picture_as_the_world() {
    let loaded = LoadedRobot::panda().unwrap();
    let task = instance("unstack_to_plate", 3);
    let (frames, listener) = kept(400.0);
    let episode = episode(&task, vec![listener]);
    let frame = frames.lock().unwrap().pop().unwrap();
    let truth: &GroundTruth = &episode.last;
    assert_eq!(frame.time_secs, truth.time_secs);
    let view = SceneView::new(&loaded, &task.scene).unwrap();
    let mut camera = view.view_from_frame("wrist", &frame).unwrap();
    let q = &truth.joint_positions;
    let expected = view.view("wrist", q, truth.gripper_width_m).unwrap();
    assert_eq!(camera, expected);
    camera.intrinsics = camera.intrinsics.resized(96, 72);
    let mut draw = |stage| SoftwareRenderer::default().render(&stage, &[camera.clone()]);
    let [now, then] = [view.stage_from_frame(&frame), view.stage(truth)].map(&mut draw);
    assert_eq!(now[0].digest(), then[0].digest());
}

#[test]
fn a_rate_that_is_none_is_refused() {
    let loaded = LoadedRobot::panda().unwrap();
    let task = instance("pick_cube", 3);
    for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = EpisodeOptions {
            listeners: vec![kept(rate_hz).1],
            ..EpisodeOptions::default()
        };
        let refused = loaded.episode(&task.scene, &task.prompt, options).err();
        let said = refused.map(|error| error.to_string()).unwrap_or_default();
        says(&said, &["must be a number above 0"]);
    }
}
