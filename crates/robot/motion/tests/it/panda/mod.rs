//! The Panda for tests.

use rand::{Rng, RngExt};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::{ArmPlanner, JointLimits};

pub(crate) const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];

/// Joint limits of the Panda: velocities and positions as in its URDF, the rest as in its robot
/// file.
pub(crate) fn limits() -> Vec<JointLimits> {
    let chain = model().chain("panda_link0", "panda_tool").unwrap();
    let accelerations = [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0];
    let joints = chain.limits().iter().zip(accelerations);
    let limits = joints.map(|(joint, acceleration)| JointLimits {
        lower: joint.lower,
        upper: joint.upper,
        velocity: joint.velocity,
        acceleration,
        jerk: 500.0 * acceleration,
    });
    limits.collect()
}

pub(crate) fn panda() -> ArmPlanner {
    panda_within(limits())
}

pub(crate) fn panda_within(limits: Vec<JointLimits>) -> ArmPlanner {
    let model = model();
    let chain = model.chain("panda_link0", "panda_tool").unwrap();
    let fingers = ["panda_leftfinger".into(), "panda_rightfinger".into()];
    let joints = ["panda_finger_joint1".into()];
    ArmPlanner::new(&model, chain, limits, HOME.to_vec(), &joints, &fingers).unwrap()
}

pub(crate) fn random_q(limits: &[JointLimits], rng: &mut impl Rng) -> Vec<f64> {
    let joints = limits.iter();
    joints.map(|l| rng.random_range(l.lower..l.upper)).collect()
}

fn model() -> RobotModel {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    RobotModel::load(urdf, &MeshSearch::default()).unwrap()
}
