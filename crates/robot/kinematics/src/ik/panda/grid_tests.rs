//! Comparison with published figures: 526 of 650 top-down grid poses are reachable.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::testing::panda_arm;

/// The 650 poses of the top-down grid, 5 cm apart.
fn grid() -> impl Iterator<Item = Isometry3<f64>> {
    let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let xs = (0..13).map(|i| 0.2 + 0.05 * f64::from(i));
    xs.flat_map(move |x| {
        (0..25).flat_map(move |j| {
            let y = -0.6 + 0.05 * f64::from(j);
            [0.02, 0.2].map(|z| Isometry3::from_parts(Vector3::new(x, y, z).into(), down))
        })
    })
}

/// 526, as the C++ implementation of the paper and `frankik` find.
#[test]
fn the_arm_reaches_526_of_650_top_down_poses() {
    let chain = panda_arm();
    let ik = chain.panda_ik().expect("the Panda is one");
    assert_eq!(grid().count(), 650);
    let n_reached = grid().filter(|pose| ik.find(pose).is_some()).count();
    assert_eq!(n_reached, 526, "of 650 poses");
}
