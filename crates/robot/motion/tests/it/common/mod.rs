//! The Panda.

#![expect(unreachable_pub, reason = "shared between test binaries")]

use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::{ArmPlanner, JointLimits};

pub const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
pub const LEFT: [f64; 7] = [0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];

pub fn panda() -> ArmPlanner {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    let chain = model.chain("panda_link0", "panda_tool").unwrap();
    let limits = chain.limits().iter().map(|joint| JointLimits {
        lower: joint.lower,
        upper: joint.upper,
        velocity: joint.velocity,
        acceleration: 7.5,
        jerk: 3750.0,
    });
    let limits = limits.collect();
    let fingers = ["panda_leftfinger".into(), "panda_rightfinger".into()];
    let joints = ["panda_finger_joint1".into()];
    ArmPlanner::new(&model, chain, limits, HOME.to_vec(), &joints, &fingers).unwrap()
}
