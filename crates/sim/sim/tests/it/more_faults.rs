//! Tests of each fault's effect on the world, and of its part in a snapshot.

use crate::common::{
    Lab, at, block, disturb, down, drawer, fixed, id, joint_move, moved, place, push_link, pushed,
    removed, table, world_of,
};
use nalgebra::Vector3;
use regrasp_api::{GripperEnd, MotionEnd, Rewind, Watch, World};
use regrasp_sim::{DisturbError, Disturbance, SimGroundTruth, SimOptions, When};
use regrasp_testkit::{near, says, within};

fn risen(object: &str, rise_m: f64, delay_secs: f64) -> When {
    When::AfterRise {
        object: id(object),
        rise_m,
        delay_secs,
    }
}

#[test]
fn oiled_pads_let_go_and_dry_ones_hold_again() {
    let mut lab = Lab::with_cube();
    lab.disturb(When::Now, Disturbance::SlipperyPads { factor: 0.005 });
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    lab.go(&down(0.42, -0.12, 0.2, 0.3), 1.2);
    let low = lab.place("cube").z;
    within("oiled pads lift it, m", low, ..0.03);
    lab.open(0.08);
    lab.disturb(When::Now, Disturbance::Repair);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    lab.go(&down(0.42, -0.12, 0.2, 0.3), 1.2);
    within("dry pads lift it to, m", lab.place("cube").z, 0.19..);
}

#[test]
fn a_slip_waits_until_the_object_has_risen() {
    let mut lab = Lab::with_cube();
    let lifted = risen("cube", 0.1, 0.05);
    lab.disturb(lifted, Disturbance::SlipperyPads { factor: 0.0 });
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    lab.go(&down(0.42, -0.12, 0.1, 0.3), 1.0);
    assert!(lab.object("cube").grasped, "slippery after only 8 cm");
    lab.go(&down(0.42, -0.12, 0.25, 0.3), 1.5);
    lab.wait(0.5);
    let cube = lab.object("cube");
    let low = cube.world_from_object.translation.z;
    assert!(!cube.grasped && low < 0.05, "down to {low:.3} m");
}

#[test]
fn a_nudge_goes_where_its_seed_says() {
    let nudged = |seed: u64| {
        let mut lab = Lab::with_cube();
        let before = lab.object("cube").world_from_object;
        let nudge = Disturbance::NudgeObject {
            object: id("cube"),
            distance_m: 0.03,
            turn_rad: 0.4,
            seed,
        };
        lab.disturb(When::Now, nudge);
        lab.wait(0.1);
        let after = lab.object("cube").world_from_object;
        let shift = after.translation.vector - before.translation.vector;
        let turn = before.rotation.angle_to(&after.rotation);
        assert!((shift.xy().norm() - 0.03).abs() < 1e-3, "{shift}");
        near("turned, rad", turn, 0.4, 1e-2);
        within("risen, m", shift.z.abs(), ..1e-3);
        shift
    };
    let shifts: Vec<Vector3<f64>> = (0..4).map(nudged).collect();
    assert_eq!(shifts[2], nudged(2), "the same seed again");
    for (i, a) in shifts.iter().enumerate() {
        for b in &shifts[..i] {
            assert!((a - b).norm() > 1e-3, "two seeds nudge alike: {a} {b}");
        }
    }
}

#[test]
fn an_object_leaves_as_the_fingers_close() {
    let mut lab = Lab::with_cube();
    let away = moved("cube", at(0.5, 0.2, 0.02, 0.0));
    lab.disturb(When::AfterClosing { delay_secs: 0.05 }, away);
    lab.reach(&down(0.42, -0.12, 0.14, 0.3), 2.0);
    lab.go(&down(0.42, -0.12, 0.02, 0.3), 1.0);
    let there = lab.place("cube").x;
    near("x before the fingers close, m", there, 0.42, 1e-3);
    assert_eq!(lab.grasp(20.0).end, GripperEnd::Reached, "closed on air");
}

#[test]
fn what_was_removed_can_appear_somewhere() {
    let pillar = fixed("pillar", [0.05; 3], at(0.5, -0.3, 0.05, 0.0));
    let box_2 = block("box_2", [0.05; 3], 2.0, at(0.6, 0.3, 0.05, 0.0));
    let mut lab = Lab::new(vec![table(), pillar, box_2]);
    for name in ["pillar", "box_2"] {
        lab.disturb(When::Now, removed(name));
    }
    lab.wait(0.2);
    let hand = lab.tool().translation.vector;
    let appear = |name: &str, z: f64| moved(name, at(hand.x, hand.y, z, 0.0));
    lab.disturb(When::Now, appear("pillar", 0.05));
    lab.disturb(When::Now, appear("box_2", 0.25));
    lab.wait(1.0);
    let fallen = lab.object("box_2");
    let z = fallen.world_from_object.translation.z;
    near("the box on the pillar, m", z, 0.15, 2e-3);
    assert_eq!(fallen.touches, [id("pillar")]);
}

#[test]
fn a_slow_joint_arrives_late_and_a_repaired_one_in_time() {
    let mut lab = Lab::with_cube();
    let name = "panda_joint1";
    let slow = Disturbance::SlowJoint {
        joint: name.to_owned(),
        max_speed: 0.2,
    };
    lab.disturb(When::Now, slow);
    let from = lab.observe().joint_positions;
    let mut to = from.clone();
    to[0] += 0.6;
    let motion = lab.swing(0, 0.6, 1.0);
    let report = lab.follow(&motion, &Watch::default());
    let shift = report.after.joint_positions[0] - from[0];
    let most = 0.2 * report.duration_secs + 1e-3;
    within("got at 0.2 rad/s, rad", shift, 0.15..most);
    let lag = report.peak_tracking_error;
    assert!(lag > 0.3, "{lag} rad");
    let late = lab.wait(3.0);
    let left = (late.joint_positions[0] - to[0]).abs();
    within("the slow joint misses, rad", left, ..1e-3);
    lab.disturb(When::Now, Disturbance::Repair);
    let report = lab.follow(&joint_move(&to, &from, 1.0), &Watch::default());
    assert_eq!(report.end, MotionEnd::Completed);
    within("lag, rad", report.peak_tracking_error, ..0.01);
}

#[test]
fn a_pushed_link_gives_way_and_comes_back() {
    let mut lab = Lab::with_cube();
    let before = lab.tool().translation.vector;
    lab.disturb(When::Now, push_link("panda_link7", [0.0, 100.0, 0.0], 0.5));
    let felt = lab.wait(0.45);
    let pushed = lab.tool().translation.vector - before;
    within("100 N push it, m", pushed.y, 0.002..0.1);
    assert_eq!(felt.contacts[0].link, "panda_link7");
    assert!((felt.contacts[0].force_n - 100.0).abs() < 1e-9);
    let later = lab.wait(1.5);
    assert!(later.contacts.is_empty(), "{:?}", later.contacts);
    let back = (lab.tool().translation.vector - before).norm();
    assert!(back < 1e-3, "the pushed tool stayed {back:.4} m off");
}

#[test]
fn a_repaired_gripper_moves_again() {
    let mut lab = Lab::with_cube();
    lab.disturb(When::Now, Disturbance::StuckGripper);
    assert_eq!(lab.grasp(20.0).end, GripperEnd::Stalled);
    let end = |disturbance| Disturbance::End {
        disturbance: Box::new(disturbance),
    };
    // The end of another fault does not repair it.
    lab.disturb(When::Now, end(Disturbance::SlipperyPads { factor: 0.1 }));
    assert_eq!(lab.open(0.04).end, GripperEnd::Stalled);
    lab.disturb(When::Now, end(Disturbance::StuckGripper));
    assert_eq!(lab.open(0.04).end, GripperEnd::Reached);
}

#[test]
fn a_jammed_drawer_stays_half_open_until_it_is_repaired() {
    let (scene, world_from_cabinet, _) = drawer();
    let (mut world, truth) = world_of(scene, SimOptions::default());
    let start = place(&truth, "drawer");
    let open = |truth: &SimGroundTruth| (place(truth, "drawer") - start).norm();
    let outwards = world_from_cabinet.rotation * Vector3::new(-2.0, 0.0, 0.0);
    let pull = pushed("drawer", outwards.into(), 10.0);
    let jam = Disturbance::JamJoint { joint: id("slide") };
    disturb(&world, When::Now, pull.clone());
    disturb(&world, When::At { time_secs: 0.3 }, jam);
    world.wait(0.35).expect("the physics must not diverge");
    let jammed_at = open(&truth);
    assert!(jammed_at > 0.05 && jammed_at < 0.2, "{jammed_at:.3} m");
    let jammed = world.snapshot().expect("a snapshot");
    world.wait(1.0).expect("the physics must not diverge");
    let crept = (open(&truth) - jammed_at).abs();
    assert!(crept < 1e-3, "2 N move the jammed drawer by {crept:.4} m");
    let digest = world.state_digest();
    world.restore(&jammed).expect("it restores");
    world.wait(1.0).expect("the physics must not diverge");
    assert_eq!(world.state_digest(), digest, "the jam is restored");
    disturb(&world, When::Now, Disturbance::Repair);
    world.wait(0.1).expect("the physics must not diverge");
    disturb(&world, When::Now, pull);
    world.wait(1.5).expect("the physics must not diverge");
    let opened = open(&truth);
    near("opened, m", opened, 0.3, 1e-3);
}

/// Runs all faults at once, interrupted in the middle.
#[test]
fn faults_survive_a_snapshot_bit_for_bit() {
    let mut lab = Lab::with_cube();
    let slow = Disturbance::SlowJoint {
        joint: "panda_joint2".to_owned(),
        max_speed: 0.1,
    };
    let shove = push_link("panda_link5", [10.0, 20.0, 0.0], 3.0);
    let nudge = Disturbance::NudgeObject {
        object: id("cube"),
        distance_m: 0.001,
        turn_rad: 0.01,
        seed: 5,
    };
    let risen = risen("cube", 0.03, 0.1);
    lab.disturb(When::AfterClosing { delay_secs: 0.02 }, nudge);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    lab.disturb(When::Now, slow);
    lab.disturb(When::Now, shove);
    lab.disturb(When::Now, Disturbance::SlipperyPads { factor: 0.3 });
    lab.disturb(risen, Disturbance::WeakGripper { factor: 0.0 });
    lab.wait(0.2);
    let middle = lab.snapshot();
    let slip_before = lab.observe().gripper.slip_m.expect("pads");
    let rest = |lab: &mut Lab| {
        let motion = lab.straight(&down(0.42, -0.12, 0.2, 0.3), 1.0);
        let report = lab.follow(&motion, &Watch::default());
        lab.open(0.07);
        (report, lab.world.state_digest())
    };
    let first = rest(&mut lab);
    lab.restore(&middle);
    let slip = lab.observe().gripper.slip_m.expect("pads");
    assert_eq!(slip.to_bits(), slip_before.to_bits());
    assert_eq!(rest(&mut lab), first, "the restored world, bit for bit");
}

#[test]
fn impossible_faults_are_refused_with_what_is_known() {
    let lab = Lab::with_cube();
    let refused = |disturbance, words: &[&str]| {
        let refused = lab.world.faults().disturb(When::Now, disturbance);
        says(
            &refused
                .expect_err("the disturbance must be rejected")
                .to_string(),
            words,
        );
    };
    refused(push_link("panda_elbow", [1.0; 3], 1.0), &["panda_link4"]);
    let jam = Disturbance::JamJoint { joint: id("slide") };
    refused(jam, &["`slide`"]);
    let oil = Disturbance::SlipperyPads { factor: 1.5 };
    refused(oil, &["1.5", "0 to 1"]);
    let rise = risen("cup", 0.1, 0.0);
    let unknown = lab.world.faults().disturb(rise, Disturbance::StuckGripper);
    assert!(matches!(unknown, Err(DisturbError::UnknownObject { .. })));
}
