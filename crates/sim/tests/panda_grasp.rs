//! Does the hand hold what it holds?

mod common;

use common::{Lab, cube, down, table};
use regrasp_api::World;

/// Lift 18 cm, hold 2 s, 30 cm sideways within a second.
fn slip_of_a_cube(size: f64) -> [f64; 3] {
    let mut lab = Lab::with(common::panda(), &common::scene(vec![table(), cube("cube", size, 0.42, -0.12, 0.3)]), regrasp_sim::SimOptions{dt_secs: std::env::var("DT").unwrap().parse().unwrap(), ..Default::default()});
    lab.pick_up_at(0.42, -0.12, 0.5 * size, 0.3, 20.0);
    let mut slips = [0.0; 3];
    for (i, slip) in slips.iter_mut().enumerate() {
        let before = lab.in_hand("cube");
        match i {
            0 => drop(lab.go(&down(0.42, -0.12, 0.18 + 0.5 * size, 0.3), 1.0)),
            1 => drop(lab.world.wait(2.0)),
            _ => drop(lab.go(&down(0.42, 0.18, 0.18 + 0.5 * size, 0.3), 1.0)),
        }
        let moved = before.inverse() * lab.in_hand("cube");
        *slip = 1000.0 * moved.translation.vector.norm();
        eprintln!("{i} slip {slip:.3} mm, turned {:.3} deg, q {:?}", moved.rotation.angle().to_degrees(), lab.object("cube").grasped);
    }
    slips
}

#[test]
fn a_held_cube_slips_less_than_half_a_millimetre() {
    for size in [0.024, 0.04] {
        let [lift, hold, sideways] = slip_of_a_cube(size);
        let what = format!("the {:.1} cm cube slipped", 100.0 * size);
        assert!(lift < 0.5, "{what} {lift:.2} mm while it was lifted");
        assert!(hold < 0.1, "{what} {hold:.3} mm while it was only held");
        assert!(sideways < 0.5, "{what} {sideways:.2} mm on its way sideways");
    }
}
