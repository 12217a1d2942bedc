//! Tests that the hand holds grasped objects.

use std::f64::consts::TAU;

use crate::common::{Lab, at, cube, down, object, table};
use regrasp_api::solids::boxed;
use regrasp_api::{GripperEnd, ObjectId, Shape};
use regrasp_scene::SceneObject;
use regrasp_testkit::{cylinder, near, within};

const MOTIONS: [&str; 3] = ["lifted", "held", "moved sideways"];

/// Checks that an object moved less than the limits in the hand, mm and degrees.
#[track_caller]
fn check_held(what: &str, [slip_mm, turn_deg]: [f64; 2], most: [f64; 2]) {
    let is_held = slip_mm < most[0] && turn_deg < most[1];
    assert!(is_held, "{what}: {slip_mm:.3} mm, {turn_deg:.2} degrees");
}

/// Slip in mm while lifting by 18 cm, holding for 2 s, and moving 30 cm sideways within a second.
fn slips(object: SceneObject) -> [f64; 3] {
    let grip_z = object.world_from_object.translation.z;
    motions_in_hand(object, grip_z, 0.3, 20.0).map(|[slip_mm, _]| slip_mm)
}

/// Slip in mm and rotation in degrees while lifting, holding and moving sideways, for a grasp at a
/// height with a rotated hand.
fn motions_in_hand(mut object: SceneObject, grip_z: f64, yaw: f64, force_n: f64) -> [[f64; 2]; 3] {
    object.id = ObjectId::new("thing");
    let mut lab = Lab::new(vec![table(), object]);
    lab.pick_up_at(0.42, -0.12, grip_z, yaw, force_n);
    let mut motions = [[0.0; 2]; 3];
    for (i, motion) in motions.iter_mut().enumerate() {
        let before = lab.in_hand("thing");
        match i {
            0 => drop(lab.go(&down(0.42, -0.12, 0.18 + grip_z, yaw), 1.0)),
            1 => drop(lab.wait(2.0)),
            _ => drop(lab.go(&down(0.42, 0.18, 0.18 + grip_z, yaw), 1.0)),
        }
        let moved = before.inverse() * lab.in_hand("thing");
        let slip_mm = 1000.0 * moved.translation.vector.norm();
        *motion = [slip_mm, moved.rotation.angle().to_degrees()];
    }
    motions
}

/// Cans and balls touch a pad only along a line or in a point.
#[test]
fn cans_and_balls_stay_in_the_hand() {
    let can = cylinder(0.033, 0.05);
    let ball = Shape::Sphere { radius: 0.03 };
    let ball = object("ball", ball, Some(0.06), at(0.42, -0.12, 0.03, 0.0));
    let can_at = |x| object("can", can.clone(), Some(0.35), at(x, -0.12, 0.05, 0.2));
    let objects = [
        ("a can of 0.35 kg", can_at(0.42), 0.075),
        ("a can held near its top", can_at(0.42), 0.085),
        ("a can held 2 mm beside its middle", can_at(0.422), 0.075),
        ("a ball of 60 g", ball, 0.03),
    ];
    for (what, object, grip_z) in objects {
        for yaw in [-0.5, 0.1, 0.7, 1.1] {
            let what = format!("{what}, gripped at a yaw of {yaw},");
            let motions = motions_in_hand(object.clone(), grip_z, yaw, 20.0);
            for (motion, moved) in MOTIONS.iter().zip(motions) {
                check_held(&format!("{what} {motion}"), moved, [1.0, 0.5]);
            }
        }
    }
}

/// Without substeps, a light can rolls out of a hard grip between two contact updates.
#[test]
fn a_can_of_16_g_stays_in_a_firm_grip_and_in_a_very_firm_one() {
    let shape = cylinder(0.025, 0.04);
    let can = object("can", shape, Some(0.0157), at(0.42, -0.12, 0.04, 0.2));
    for force_n in [6.0, 20.0, 40.0, 70.0] {
        for (yaw, grip_z) in [(-0.4, 0.04), (0.5, 0.04), (0.9, 0.04), (1.1, 0.075)] {
            let what = format!("with {force_n} N at a yaw of {yaw}, {grip_z} m high, it");
            let [lift, hold, sideways] = motions_in_hand(can.clone(), grip_z, yaw, force_n);
            // With 6 N the can slips by 1.0 mm while the fingers take up its weight.
            check_held(&format!("{what} was lifted"), lift, [1.1, 2.0]);
            check_held(&format!("{what} was moved"), sideways, [1.1, 2.0]);
            check_held(&format!("{what} was held"), hold, [0.1, 0.5]);
        }
    }
}

/// A pad on a wall of plates bears on the edges between them.
#[test]
fn a_bowl_of_plates_of_6_g_stays_in_the_hand_while_the_pads_close_on_its_wall() {
    const N_PLATES: usize = 20;
    const RADIUS_M: f64 = 0.047;
    let plate = |i: usize| {
        let angle = TAU * (i as f64 + 0.5) / N_PLATES as f64;
        let half_width = RADIUS_M * (0.5 * TAU / N_PLATES as f64).tan();
        let center = [RADIUS_M * angle.cos(), RADIUS_M * angle.sin(), 0.0];
        boxed(center, [0.0015, half_width, 0.025], angle)
    };
    let floor = boxed([0.0, 0.0, -0.0235], [0.03, 0.03, 0.0015], 0.0);
    let parts = (0..N_PLATES).map(plate).chain([floor]).collect();
    let shape = Shape::Compound { parts };
    // The hand closes along y at a yaw of 0, on the wall's side at +y.
    let bowl = at(0.42, -0.12 - RADIUS_M, 0.025, 0.0);
    let bowl = object("bowl", shape, Some(0.0056), bowl);
    let mut lab = Lab::new(vec![table(), bowl]);
    let before = lab.object("bowl").world_from_object;
    lab.pick_up_at(0.42, -0.12, 0.04, 0.0, 20.0);
    let moved = before.inverse() * lab.object("bowl").world_from_object;
    let slip_mm = 1000.0 * moved.translation.vector.norm();
    let turn_deg = moved.rotation.angle().to_degrees();
    check_held("as the pads closed", [slip_mm, turn_deg], [1.0, 1.0]);
}

/// The pot's mass is far below the pads. Its rocking must not shake it out of a grip that is firm
/// enough.
#[test]
fn a_pot_of_68_g_hangs_from_the_knob_of_its_lid() {
    let parts = vec![
        boxed([0.0; 3], [0.035, 0.032, 0.066], 0.0),
        boxed([0.0, 0.0, 0.074], [0.0052, 0.006, 0.0114], 0.0),
        boxed([0.055, 0.0, 0.03], [0.02, 0.0065, 0.01], 0.0),
    ];
    let shape = Shape::Compound { parts };
    let pot = object("pot", shape, Some(0.068), at(0.42, -0.12, 0.066, 0.2));
    for (force_n, yaw) in [(20.0, 0.2), (20.0, 0.2 + 0.25 * TAU), (70.0, 0.2)] {
        let motions = motions_in_hand(pot.clone(), 0.15, yaw, force_n);
        for (motion, moved) in MOTIONS.iter().zip(motions) {
            let what = format!("with {force_n} N at a yaw of {yaw}, {motion}");
            check_held(&what, moved, [1.0, 0.5]);
        }
    }
}

/// An object that is held off its centre yields by rotating, and trembles more easily than its mass
/// suggests.
#[test]
fn a_mug_of_31_g_that_is_held_by_its_handle_does_not_turn_in_the_hand() {
    // The hand closes along y at a yaw of 0, on the upright bar of the handle.
    let parts = vec![
        boxed([-0.082, 0.0, 0.0], [0.04, 0.025, 0.05], 0.0),
        boxed([-0.082, 0.0, 0.0], [0.025, 0.04, 0.05], 0.0),
        boxed([-0.021, 0.0, 0.025], [0.021, 0.0088, 0.004], 0.0),
        boxed([0.0, 0.0, 0.0], [0.004, 0.0088, 0.029], 0.0),
    ];
    let shape = Shape::Compound { parts };
    let mug = object("mug", shape, Some(0.031), at(0.42, -0.12, 0.05, 0.0));
    let motions = motions_in_hand(mug, 0.075, 0.0, 20.0);
    for (motion, moved) in MOTIONS.iter().zip(motions) {
        check_held(motion, moved, [2.0, 2.0]);
    }
}

#[test]
fn what_is_held_slips_less_than_half_a_millimetre() {
    let (shape, pose) = (cylinder(0.025, 0.03), at(0.42, -0.12, 0.03, 0.0));
    let objects = [
        cube("2.4 cm cube", 0.024, 0.42, -0.12, 0.3),
        cube("4 cm cube", 0.04, 0.42, -0.12, 0.3),
        object("0.6 kg cylinder", shape, Some(0.6), pose),
    ];
    for object in objects {
        let what = format!("the {} slipped", object.id);
        let [lift, hold, sideways] = slips(object);
        assert!(lift < 0.5, "{what} {lift:.2} mm while it was lifted");
        assert!(hold < 0.1, "{what} {hold:.3} mm while it was only held");
        assert!(sideways < 0.5, "{what} {sideways:.2} mm sideways");
    }
}

#[test]
fn a_gripper_goes_where_it_is_told_and_stops_at_what_it_meets() {
    let mut lab = Lab::with_cube();
    let start = lab.observe();
    assert!((start.gripper.width_m - 0.08).abs() < 1e-4);
    let report = lab.open(0.03);
    assert_eq!(report.end, GripperEnd::Reached);
    let width = report.after.gripper.width_m;
    near("width after the command of 30 mm, m", width, 0.03, 5e-4);
    let took = report.after.time_secs - start.time_secs;
    within("5 cm at 10 cm/s took, s", took, 0.5..0.65);
    let end = lab.grasp(20.0).end;
    assert_eq!(end, GripperEnd::Reached, "closed to the stop");
    assert_eq!(lab.open(0.08).end, GripperEnd::Reached);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    let held = lab.observe().gripper;
    near("between pads, m", held.width_m, 0.04, 1e-3);
    assert!(held.finger_contact == Some([true; 2]) && held.grip_force_n == 20.0);
    let forces = lab.observe().contacts;
    for finger in &lab.panda.file.gripper.finger_links {
        let of_finger = forces.iter().filter(|c| &c.link == finger);
        let felt: f64 = of_finger.map(|c| c.force_n).sum();
        near(&format!("{finger} presses, N"), felt, 20.0, 1.0);
    }
    // Positioning onto a held object ends where the pads cannot move further.
    assert_eq!(lab.open(0.02).end, GripperEnd::Stalled);
}
