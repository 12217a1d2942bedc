//! The Panda and common planning requests.

#![expect(unreachable_pub, reason = "shared between test binaries")]

use regrasp_api::{MotionGoal, MotionRequest, ObjectId, Obstacle, PlanningScene, Pose, Shape};
use regrasp_motion::search::SearchProblem;
use regrasp_motion::{AllowedContacts, ArmPlanner};

use crate::panda::{limits, panda_within};

pub(crate) use crate::panda::HOME;
pub const LEFT: [f64; 7] = [0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];
pub const RIGHT: [f64; 7] = [-0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];

/// The Panda with the same acceleration limit at all joints.
pub fn panda() -> ArmPlanner {
    let mut limits = limits();
    for limit in &mut limits {
        (limit.acceleration, limit.jerk) = (7.5, 3750.0);
    }
    panda_within(limits)
}

pub fn obstacle(name: &str, shape: Shape, world_from_object: Pose) -> Obstacle {
    Obstacle {
        id: ObjectId::new(name),
        shape,
        world_from_object,
    }
}

pub fn slab(name: &str, half_extents: [f64; 3], [x, y, z]: [f64; 3]) -> Obstacle {
    let shape = Shape::Box { half_extents };
    obstacle(name, shape, Pose::translation(x, y, z))
}

/// A problem from a start to one of these goals, with the fingers half open.
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
