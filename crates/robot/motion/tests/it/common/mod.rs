//! The Panda, and what it is asked.

#![expect(unreachable_pub, reason = "shared between test binaries")]

use regrasp_api::{MotionGoal, MotionRequest, ObjectId, Obstacle, PlanningScene, Pose, Shape};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::search::SearchProblem;
use regrasp_motion::{AllowedContacts, ArmPlanner, JointLimits};

pub const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
pub const LEFT: [f64; 7] = [0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];
pub const RIGHT: [f64; 7] = [-0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];

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

pub fn obstacle(name: &str, shape: Shape, world_from_object: Pose) -> Obstacle {
    Obstacle {
        id: ObjectId::new(name),
        shape,
        world_from_object,
    }
}

pub fn slab(name: &str, half_extents: [f64; 3], [x, y, z]: [f64; 3]) -> Obstacle {
    obstacle(
        name,
        Shape::Box { half_extents },
        Pose::translation(x, y, z),
    )
}

/// From a start to one of these goals, with the fingers half open.
pub fn problem<'a>(
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

pub fn scene(obstacles: Vec<Obstacle>) -> PlanningScene {
    PlanningScene {
        obstacles,
        ..PlanningScene::default()
    }
}

pub fn request<'a>(
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
