//! Tests of injected faults.

use crate::common::{
    Lab, at, block, blocked, cube, disturb, down, find, id, moved, place, pushed, removed, scene,
    table, world_of,
};
use regrasp_api::{GripperCommand, GripperEnd, Rewind, RobotErrorKind, Watch, World};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_sim::{DisturbError, Disturbance, SimOptions, When};
use regrasp_testkit::{near, says, within};

#[test]
fn nan_and_runaway_speed_are_a_diverged_world() {
    let lab = &mut Lab::with_cube();
    let poison = Disturbance::PoisonObject { object: id("cube") };
    lab.disturb(When::At { time_secs: 0.1 }, poison);
    let diverged = lab.world.wait(1.0).expect_err("the physics must diverge");
    let noticed_secs = diverged.time_secs - lab.world.dt_secs();
    near("noticed at, s", noticed_secs, 0.1, 1e-9);
    assert!(diverged.detail.contains("`cube`"), "{}", diverged.detail);
    let again = lab.world.wait(0.1);
    let again = again.expect_err("a diverged world must stay so");
    assert_eq!(again, diverged);

    let runaway = block("ball", [0.02; 3], 0.01, at(0.5, 0.0, 0.02, 0.0));
    let (mut world, _) = world_of(scene(vec![table(), runaway]), SimOptions::default());
    let kick = pushed("ball", [0.0, 0.0, 100.0], 1.0);
    disturb(&world, When::Now, kick);
    let diverged = world.wait(1.0).expect_err("10 g at 100 N are too fast");
    assert!(diverged.detail.contains("m/s"), "{}", diverged.detail);
}

#[test]
fn what_falls_off_the_table_comes_to_lie_and_can_be_put_back() {
    let over_the_edge = at(0.5, 0.9, 0.1, 0.0);
    let ball = block("ball", [0.02; 3], 0.01, over_the_edge);
    let objects = vec![table(), ball, cube("cube", 0.04, 0.42, -0.12, 0.3)];
    let (mut world, truth) = world_of(scene(objects), SimOptions::default());
    let end = world.wait(6.0);
    end.expect("a fall must not count as divergence");
    let lies = find(&truth, "ball");
    assert!(lies.world_from_object.translation.z < -2.0);
    let frozen = world.snapshot().expect("a snapshot");
    world.wait(1.0).expect("the ball must lie on the floor");
    let still = find(&truth, "ball").world_from_object;
    assert_eq!(still, lies.world_from_object);
    world.restore(&frozen).expect("the same world");
    let back = moved("ball", at(0.5, 0.2, 0.03, 0.0));
    disturb(&world, When::Now, back);
    world.wait(1.0).expect("it rests on the table");
    near("it lies at", place(&truth, "ball").z, 0.02, 1e-3);
}

#[test]
fn a_diverged_world_ends_motions_and_grips_and_can_be_restored() {
    let mut lab = Lab::with_cube();
    let healthy = lab.snapshot();
    let poison = Disturbance::PoisonObject { object: id("cube") };
    lab.disturb(When::Now, poison);
    let up = lab.straight(&down(0.4, 0.1, 0.4, 0.0), 1.0);
    let fault = lab.world.follow(&up, &Watch::default());
    let fault = fault.expect_err("the physics must diverge");
    assert_eq!(fault.kind, RobotErrorKind::Diverged, "{fault}");
    let grasp = GripperCommand::grasp(20.0, 0.1);
    let again = lab.world.command_gripper(grasp, &Watch::default());
    let again = again.expect_err("a diverged world must stay so");
    assert_eq!(again.kind, RobotErrorKind::Diverged);
    lab.restore(&healthy);
    let end = lab.grasp(20.0).end;
    assert_eq!(end, GripperEnd::Reached, "closed on nothing");
}

#[test]
fn an_object_moves_between_looking_and_grasping() {
    let mut lab = Lab::with_cube();
    let moved = moved("cube", at(0.5, 0.2, 0.02, 0.0));
    lab.disturb(When::At { time_secs: 2.1 }, moved);
    lab.reach(&down(0.42, -0.12, 0.14, 0.3), 2.0);
    lab.go(&down(0.42, -0.12, 0.02, 0.3), 1.0);
    let end = lab.grasp(20.0).end;
    assert_eq!(end, GripperEnd::Reached, "closed on nothing");
    let p = lab.place("cube");
    let off = (p.xy() - nalgebra::Vector2::new(0.5, 0.2)).norm();
    assert!(off < 1e-3, "the cube is at {p}");
}

#[test]
fn a_weak_gripper_drops_in_transport() {
    let mut lab = Lab::with_cube();
    let weak = Disturbance::WeakGripper { factor: 0.002 };
    lab.disturb(When::AfterGrasp { delay_secs: 1.3 }, weak);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    assert!(lab.object("cube").grasped, "both fingers press on the cube");
    lab.go(&down(0.42, -0.12, 0.2, 0.3), 1.0);
    within("the cube came along to, m", lab.place("cube").z, 0.18..);
    lab.go(&down(0.42, 0.18, 0.2, 0.3), 1.0);
    let cube = lab.object("cube");
    let low = cube.world_from_object.translation.z;
    within("let go, the cube is at, m", low, ..0.15);
}

#[test]
fn stuck_fingers_stall() {
    let mut lab = Lab::with_cube();
    lab.disturb(When::Now, Disturbance::StuckGripper);
    let report = lab.grasp(20.0);
    assert_eq!(report.end, GripperEnd::Stalled);
    let width = report.after.gripper.width_m;
    near("the stuck fingers stand at, m", width, 0.08, 1e-4);
    assert_eq!(report.after.gripper.finger_contact, Some([false; 2]));
}

#[test]
fn removed_objects_are_gone_and_unknown_ones_are_named() {
    let mut lab = Lab::with_cube();
    let faults = lab.world.faults();
    lab.disturb(When::Now, removed("cube"));
    lab.wait(0.1);
    assert!(lab.truth.truth().object(&id("cube")).is_none());
    let gone = faults.disturb(When::Now, removed("cube"));
    let is_told = matches!(gone, Err(DisturbError::CannotDisturb { .. }));
    assert!(is_told, "{gone:?}");
    let unknown = faults.disturb(When::Now, removed("cup"));
    let error = unknown.expect_err("there is no cup").to_string();
    says(&error, &["known objects: table, cube"]);
    let joint = faults.disturb(When::Now, blocked("elbow"));
    assert!(matches!(joint, Err(DisturbError::UnknownJoint { .. })));
}

#[test]
fn the_truth_says_what_touches_what() {
    let lower = cube("lower", 0.05, 0.5, 0.1, 0.2);
    let mut upper = cube("upper", 0.04, 0.5, 0.1, 0.5);
    upper.world_from_object.translation.z = 0.07;
    let (_world, truth) = world_of(scene(vec![table(), lower, upper]), SimOptions::default());
    assert_eq!(find(&truth, "lower").touches, [id("table"), id("upper")]);
    assert_eq!(find(&truth, "upper").touches, [id("lower")]);
    assert!(find(&truth, "upper").touches_links.is_empty());
    assert!(!find(&truth, "table").movable);
}
