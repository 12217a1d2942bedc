//! The Panda and common planning requests.

use rand::{Rng, RngExt};
use regrasp_api::{MotionGoal, MotionRequest, ObjectId, Obstacle, PlanningScene, Pose, Shape};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::search::SearchProblem;
use regrasp_motion::{AllowedContacts, ArmPlanner, JointLimits};

pub(crate) const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
pub(crate) const LEFT: [f64; 7] = [0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];
pub(crate) const RIGHT: [f64; 7] = [-0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];

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

/// The Panda with the same acceleration limit at all joints.
pub(crate) fn even_panda() -> ArmPlanner {
    let mut limits = limits();
    for limit in &mut limits {
        (limit.acceleration, limit.jerk) = (7.5, 3750.0);
    }
    panda_within(limits)
}

pub(crate) fn obstacle(name: &str, shape: Shape, world_from_object: Pose) -> Obstacle {
    Obstacle {
        id: ObjectId::new(name),
        shape,
        world_from_object,
    }
}

pub(crate) fn slab(name: &str, half_extents: [f64; 3], [x, y, z]: [f64; 3]) -> Obstacle {
    let shape = Shape::Box { half_extents };
    obstacle(name, shape, Pose::translation(x, y, z))
}

/// A problem from a start to one of these goals, with the fingers half open.
pub(crate) fn problem<'a>(
    obstacles: &'a [Obstacle],
    start: &'a [f64],
    goals: &'a [Vec<f64>],
) -> SearchProblem<'a> {
    SearchProblem {
        world_from_base: Pose::identity(),
        obstacles,
        gripper_width_m: 0.04,
        start,
        goals,
        allowed: AllowedContacts::default(),
        bounds: None,
    }
}

pub(crate) fn scene(obstacles: Vec<Obstacle>) -> PlanningScene {
    PlanningScene {
        obstacles,
        ..PlanningScene::default()
    }
}

pub(crate) fn request<'a>(
    scene: &'a PlanningScene,
    start: &'a [f64],
    goal: MotionGoal,
) -> MotionRequest<'a> {
    MotionRequest {
        world_from_base: Pose::identity(),
        start,
        gripper_width_m: 0.04,
        goal,
        scene,
        speed_scale: 1.0,
        keep_up: None,
    }
}
