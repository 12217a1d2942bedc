//! Tests of contact of the arm with itself and with the held object.

use crate::common::{HOME, LEFT, even_panda, obstacle, problem};
use regrasp_api::{
    Attachment, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, ObjectId, PlanningScene,
    Pose, Shape,
};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_motion::search::{Search, SearchOptions, SearchProblem};
use regrasp_motion::{AllowedContacts, ArmPlanner, JointLimits};

/// Configuration with the hand inside the arm's column.
const IN_ITSELF: [f64; 7] = [0.0, -1.0, 0.0, -3.05, 0.0, 0.3, 0.785];

fn request<'a>(scene: &'a PlanningScene, start: &'a [f64], goal: &[f64]) -> MotionRequest<'a> {
    MotionRequest {
        world_from_base: Pose::translation(0.3, -0.2, 0.1),
        ..crate::common::request(scene, start, MotionGoal::Joints(goal.to_vec()))
    }
}

#[test]
fn a_goal_in_which_the_arm_touches_itself_is_refused() {
    let (arm, scene) = (even_panda(), PlanningScene::default());
    match arm.plan(&request(&scene, &HOME, &IN_ITSELF)) {
        Err(MotionFailure::GoalInCollision { pairs }) => {
            let mut names = pairs.iter().flat_map(|p| [&p.link, &p.other]);
            assert!(names.all(|n| n.starts_with("panda_")), "{pairs:?}");
        }
        other => panic!("the hand is inside the column at the goal: {other:?}"),
    }
}

#[test]
fn what_is_held_does_not_pass_through_the_arm() {
    let arm = even_panda();
    let mut scene = PlanningScene::default();
    assert!(arm.plan(&request(&scene, &HOME, &LEFT)).is_ok());
    let base_from_tool = arm.base_from_tool(&LEFT);
    // A held ball that is inside the shoulder at the goal.
    let in_base = Pose::translation(0.0, 0.0, 0.333);
    let tool_from_shoulder = base_from_tool.inverse() * in_base;
    scene.attached = Some(Attachment {
        id: ObjectId::new("beam"),
        shape: Shape::Sphere { radius: 0.05 },
        tool_from_object: tool_from_shoulder,
    });
    match arm.plan(&request(&scene, &HOME, &LEFT)) {
        Err(MotionFailure::GoalInCollision { pairs }) => {
            assert_eq!(pairs[0].link, "beam", "{pairs:?}");
            assert!(pairs[0].other.starts_with("panda_link"), "{pairs:?}");
        }
        other => panic!("the held ball is inside the shoulder at the goal: {other:?}"),
    }
}

#[test]
fn a_robot_with_more_joints_than_an_arm_has_is_searched_too() {
    let arm = many_jointed();
    let goals = [vec![1.0, -0.4, 0.6]];
    let search = Search::new(&arm, &problem(&[], &[0.0, 0.3, -0.2], &goals));
    let options = SearchOptions::default();
    let raw = search.solve(&options).unwrap();
    let path = search.simplify(&raw, &options).unwrap();
    assert_eq!(path.last(), Some(&goals[0]));
}

/// Three driven joints, and twenty leaf links at the tip that mimic the last of them.
fn many_jointed() -> ArmPlanner {
    let urdf = include_str!("../data/tree.urdf");
    let model = RobotModel::from_urdf_str(urdf, ".", &MeshSearch::default()).unwrap();
    let chain = model.chain("link0", "link3").unwrap();
    let limits = chain.limits().iter().map(|joint| JointLimits {
        lower: joint.lower,
        upper: joint.upper,
        velocity: 1.0,
        acceleration: 5.0,
        jerk: 500.0,
    });
    let limits = limits.collect();
    ArmPlanner::new(&model, chain, limits, vec![0.0; 3], &[], &[]).unwrap()
}

#[test]
fn proximities_say_which_what_and_how_deep_and_leave_out_what_is_allowed() {
    let arm = even_panda();
    let base_from_tool = arm.base_from_tool(&HOME);
    // A ball centred 2 cm below the tool point.
    let mut centre = base_from_tool;
    centre.translation.z -= 0.02;
    let obstacles = [obstacle("ball", Shape::Sphere { radius: 0.03 }, centre)];
    let ask = |allowed: AllowedContacts| {
        let problem = SearchProblem {
            gripper_width_m: 0.0,
            allowed,
            ..problem(&obstacles, &HOME, &[])
        };
        Search::new(&arm, &problem).proximities(&HOME, 0.01)
    };
    let near = ask(AllowedContacts::default());
    let finger = |name: &str| {
        let mut near = near.iter();
        let found = near.find(|p| p.pair.link == name && p.pair.other == "ball");
        found.unwrap().distance_m
    };
    // The tips are flat and 8.6 mm beyond the tool point, so 1.86 cm deep in the ball.
    for name in ["panda_leftfinger", "panda_rightfinger"] {
        let deep = -finger(name);
        assert!((0.015..0.03).contains(&deep), "{name} is {deep} m deep");
    }
    let mut allowed = AllowedContacts::default();
    allowed.allow("ball", "panda_leftfinger");
    let left = ask(allowed);
    let touches = |link: &str| left.iter().any(|p| p.pair.link == link);
    assert!(!touches("panda_leftfinger"), "{left:?}");
    assert!(touches("panda_rightfinger"), "{left:?}");
}
