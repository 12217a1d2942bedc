//! Does the hand hold what it holds?

mod common;

use common::{Lab, at, cube, down, object, table};
use regrasp_api::{GripperEnd, ObjectId, Shape, World};
use regrasp_scene::SceneObject;

/// Lift 18 cm, hold 2 s, 30 cm sideways within a second: slip of each in mm.
fn slips(mut thing: SceneObject) -> [f64; 3] {
    thing.id = ObjectId::new("thing");
    let grip_z = thing.world_from_object.translation.z;
    let mut lab = Lab::new(vec![table(), thing]);
    lab.pick_up_at(0.42, -0.12, grip_z, 0.3, 20.0);
    let mut slips = [0.0; 3];
    for (i, slip) in slips.iter_mut().enumerate() {
        let before = lab.in_hand("thing");
        match i {
            0 => drop(lab.go(&down(0.42, -0.12, 0.18 + grip_z, 0.3), 1.0)),
            1 => drop(lab.world.wait(2.0)),
            _ => drop(lab.go(&down(0.42, 0.18, 0.18 + grip_z, 0.3), 1.0)),
        }
        let moved = before.inverse() * lab.in_hand("thing");
        *slip = 1000.0 * moved.translation.vector.norm();
    }
    slips
}

#[test]
fn what_is_held_slips_less_than_half_a_millimetre() {
    let shape = Shape::Cylinder {
        radius: 0.025,
        half_height: 0.03,
    };
    let things = [
        cube("2.4 cm cube", 0.024, 0.42, -0.12, 0.3),
        cube("4 cm cube", 0.04, 0.42, -0.12, 0.3),
        object(
            "0.6 kg cylinder",
            shape,
            Some(0.6),
            at(0.42, -0.12, 0.03, 0.0),
        ),
    ];
    for thing in things {
        let what = format!("the {} slipped", thing.id);
        let [lift, hold, sideways] = slips(thing);
        assert!(lift < 0.5, "{what} {lift:.2} mm while it was lifted");
        assert!(hold < 0.1, "{what} {hold:.3} mm while it was only held");
        assert!(
            sideways < 0.5,
            "{what} {sideways:.2} mm on its way sideways"
        );
    }
}

#[test]
fn a_gripper_goes_where_it_is_told_and_stops_at_what_it_meets() {
    let mut lab = Lab::new(vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)]);
    let start = lab.world.observe();
    assert!((start.gripper.width_m - 0.08).abs() < 1e-4);
    let report = lab.open(0.03);
    assert_eq!(report.end, GripperEnd::Reached);
    let width = report.after.gripper.width_m;
    assert!(
        (width - 0.03).abs() < 5e-4,
        "told 30 mm, the fingers stand at {width}"
    );
    let took = report.after.time_secs - start.time_secs;
    assert!(
        (0.5..0.65).contains(&took),
        "5 cm at 10 cm/s took {took:.3} s"
    );
    assert_eq!(
        lab.grasp(20.0).end,
        GripperEnd::Reached,
        "closed to the stop"
    );
    assert_eq!(lab.open(0.08).end, GripperEnd::Reached);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    let held = lab.world.observe().gripper;
    assert!(
        (held.width_m - 0.04).abs() < 1e-3,
        "4 cm between pads: {held:?}"
    );
    assert!(held.finger_contact == [true; 2] && held.grip_force_n == 20.0);
    let forces = lab.world.observe().contacts;
    for finger in &lab.panda.file.gripper.finger_links {
        let felt: f64 = forces
            .iter()
            .filter(|c| &c.link == finger)
            .map(|c| c.force_n)
            .sum();
        assert!(
            (felt - 20.0).abs() < 1.0,
            "{finger} presses with {felt:.1} N of 20"
        );
    }
    // Positioning onto what is held ends where the pads cannot go on.
    assert_eq!(lab.open(0.02).end, GripperEnd::Stalled);
}
