//! Scenes that only a search can pass.

#![expect(clippy::unwrap_used, reason = "a file that is missing fails the test")]

use std::path::Path;

use regrasp_api::{
    MotionFailure, MotionGoal, MotionPlanner, MotionRequest, ObjectId, Obstacle, PlanningScene,
    Pose, Shape,
};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::search::{CylinderReading, Search, SearchOptions, SearchProblem, cost};
use regrasp_motion::{ArmPlanner, JointLimits};

const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
const LEFT: [f64; 7] = [0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];
const RIGHT: [f64; 7] = [-0.9, 0.5, 0.0, -1.8, 0.0, 2.3, 0.785];

fn panda() -> ArmPlanner {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let urdf = folder.join("../../assets/robots/panda/panda.urdf");
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

fn slab(name: &str, half_extents: [f64; 3], at: [f64; 3]) -> Obstacle {
    Obstacle {
        id: ObjectId::new(name),
        shape: Shape::Box { half_extents },
        world_from_object: Pose::translation(at[0], at[1], at[2]),
    }
}

/// A wall in front of the arm, higher than detours rise.
fn wall() -> PlanningScene {
    PlanningScene {
        obstacles: vec![slab("wall", [0.25, 0.02, 0.45], [0.6, 0.0, 0.45])],
        ..PlanningScene::default()
    }
}

fn request<'a>(scene: &'a PlanningScene, goal: &[f64]) -> MotionRequest<'a> {
    MotionRequest {
        world_from_base: Pose::identity(),
        start: &LEFT,
        gripper_width_m: 0.04,
        goal: MotionGoal::Joints(goal.to_vec()),
        scene,
        speed_scale: 1.0,
    }
}

fn problem<'a>(scene: &'a PlanningScene, goals: &'a [Vec<f64>]) -> SearchProblem<'a> {
    SearchProblem {
        world_from_base: Pose::identity(),
        obstacles: &scene.obstacles,
        cylinders: CylinderReading::True,
        gripper_width_m: 0.04,
        start: &LEFT,
        goals,
        bounds: None,
    }
}

#[test]
fn the_arm_finds_its_way_around_a_wall() {
    let (arm, scene) = (panda(), wall());
    let plan = arm.plan(&request(&scene, &RIGHT)).unwrap();
    let goals = [RIGHT.to_vec()];
    let exact = Search::new(&arm, &problem(&scene, &goals));
    let knots: Vec<_> = plan
        .trajectory
        .knots()
        .iter()
        .map(|k| k.position.clone())
        .collect();
    assert!(knots.len() > 10);
    assert_eq!(exact.contact_along(&knots, 500.0), None);
    let straight = [LEFT.to_vec(), RIGHT.to_vec()];
    assert!(
        exact.contact_along(&straight, 32.0).is_some(),
        "the wall is in the way"
    );
    let again = arm.plan(&request(&scene, &RIGHT)).unwrap();
    assert_eq!(
        plan.trajectory, again.trajectory,
        "the same question, the same answer"
    );
}

#[test]
fn what_cannot_be_passed_is_named() {
    let arm = panda();
    let mut scene = wall();
    scene.obstacles[0] = slab("barrier", [1.0, 0.02, 2.0], [1.12, 0.0, 0.0]);
    scene
        .obstacles
        .push(slab("rear", [1.0, 0.02, 2.0], [-1.2, 0.0, 0.0]));
    let Err(MotionFailure::PathBlocked { blockers }) = arm.plan(&request(&scene, &RIGHT)) else {
        panic!("two walls leave no way");
    };
    assert!(
        blockers.iter().any(|pair| pair.other == "barrier"),
        "{blockers:?}"
    );
}

#[test]
fn simplification_shortens_and_stays_free() {
    let (arm, scene) = (panda(), wall());
    let goals = [RIGHT.to_vec(), HOME.to_vec()];
    let search = Search::new(&arm, &problem(&scene, &goals[..1]));
    let options = SearchOptions::default();
    let raw = search.solve(&options).unwrap();
    let short = search.simplify(&raw, &options).unwrap();
    assert!(cost(&short) <= cost(&raw));
    assert_eq!(search.contact_along(&short, 640.0), None);
    let either = Search::new(&arm, &problem(&scene, &goals));
    let path = either.solve(&options).unwrap();
    assert!(
        goals.contains(&path[path.len() - 1]),
        "it ends at one of the goals"
    );
}
