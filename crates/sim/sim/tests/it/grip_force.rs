//! Tests of Coulomb friction in the hand.

use crate::common::{Lab, at, block, down, object, panda, scene, table};
use nalgebra::Vector3;
use regrasp_api::Pose;
use regrasp_sim::{Disturbance, SimOptions, When};
use regrasp_testkit::{cylinder, near};

const G: f64 = 9.81;

/// Two pads hold a weight with 2 mu F, so the smallest force is m g / (2 mu).
#[test]
fn the_least_force_that_holds_a_cylinder_is_coulombs() {
    let (mass, friction, firm) = (0.6, 0.4, 40.0);
    let mut panda = panda();
    panda.file.gripper.pad_friction = friction;
    let shape = cylinder(0.025, 0.03);
    let mut cylinder = object("cylinder", shape, Some(mass), at(0.45, 0.1, 0.03, 0.0));
    cylinder.friction = 0.2;
    let scene = scene(vec![table(), cylinder]);
    let mut lab = Lab::with(panda, &scene, SimOptions::default());
    lab.pick_up_at(0.45, 0.1, 0.03, 0.0, firm);
    lab.go(&down(0.45, 0.1, 0.3, 0.0), 1.5);
    let held = lab.snapshot();

    let mut holds = |force: f64| {
        lab.restore(&held);
        let factor = force / firm;
        lab.disturb(When::Now, Disturbance::WeakGripper { factor });
        let before = lab.object("cylinder").world_from_object.translation.z;
        lab.wait(0.4);
        before - lab.object("cylinder").world_from_object.translation.z < 0.005
    };
    let (mut drops, mut keeps) = (2.0, firm);
    assert!(holds(keeps) && !holds(drops), "no threshold between");
    while keeps - drops > 0.02 {
        let middle = 0.5 * (drops + keeps);
        match holds(middle) {
            true => keeps = middle,
            false => drops = middle,
        }
    }
    let expected = mass * G / (2.0 * friction);
    near("needed, N, by Coulomb", keeps, expected, 0.1 * expected);
}

/// Faces rotated against each other share more corners than the solver takes. The load must not
/// jump between them.
#[test]
fn a_cube_turned_between_the_pads_does_not_tremble() {
    let weightless = SimOptions {
        gravity: [0.0; 3],
        settle_max_secs: 0.0,
        ..SimOptions::default()
    };
    for (turn_deg, up_m) in [(15.0, 0.0), (30.0, 0.005), (45.0, -0.004), (60.0, 0.007)] {
        let mut cube = block("cube", [0.018; 3], 0.05, at(0.45, 0.1, 0.2 + up_m, 0.0));
        let turn = Vector3::y() * f64::to_radians(turn_deg);
        cube.world_from_object *= Pose::rotation(turn);
        let mut lab = Lab::with(panda(), &scene(vec![table(), cube]), weightless);
        lab.reach(&down(0.45, 0.1, 0.3, 0.0), 1.0);
        lab.reach(&down(0.45, 0.1, 0.2, 0.0), 1.0);
        lab.grasp(70.0);
        let before = lab.in_hand("cube");
        for _ in 0..80 {
            lab.wait(0.0025);
            let moved = before.inverse() * lab.in_hand("cube");
            let mm = moved.translation.vector.norm() * 1e3;
            let rad = moved.rotation.angle();
            let is_still = mm < 0.02 && rad < 1e-3;
            assert!(is_still, "at {turn_deg} degrees: {mm:.3} mm, {rad:.4} rad");
        }
    }
}
