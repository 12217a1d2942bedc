//! Tests with an arm unlike the Panda: six joints, a base that is not the root, and fingers that
//! close along x and meet a centimetre apart.

use crate::common::{
    at, bare_file, block, find, joint_move, place, scene, unsettled, world_from_base, world_of,
};
use regrasp_api::{GripperCommand, GripperEnd, MotionEnd, Watch, World};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_scene::{Motor, RobotFile};
use regrasp_sim::{SimOptions, SimWorld};
use regrasp_testkit::{near, within};

fn six_axes() -> (RobotModel, RobotFile) {
    let urdf = include_str!("../data/six_axes.urdf");
    let model = RobotModel::from_urdf_str(urdf, ".", &MeshSearch::default()).expect("six axes");
    let motor = |kp: f64, armature: f64| Motor {
        kp,
        kd: 0.1 * kp,
        armature,
        damping: 1.0,
    };
    let joints = ["j1", "j2", "j3", "j4", "j5", "j6"];
    let mut file = bare_file(&joints, "tcp", motor(4000.0, 0.1));
    file.home = vec![0.2, 0.5, 0.9, -0.3, 0.6, 0.4];
    let gripper = &mut file.gripper;
    gripper.finger_joints = vec!["left_slide".to_owned(), "right_slide".to_owned()];
    gripper.finger_links = vec!["left".to_owned(), "right".to_owned()];
    (gripper.min_width_m, gripper.max_width_m) = (0.01, 0.06);
    gripper.motor = motor(1500.0, 0.01);
    (model, file)
}

#[test]
fn a_six_axis_arm_moves_and_grips() {
    let (model, file) = six_axes();
    let chain = model.chain("post", "tcp").expect("the chain");
    let world_from_tool = world_from_base() * chain.forward(&file.home);
    // A block, 3 cm wide between the fingers, hangs in the hand as the clock starts.
    let pose = world_from_tool * at(0.0, 0.0, -0.005, 0.0);
    let mut scene = scene(vec![block("block", [0.015, 0.01, 0.02], 0.1, pose)]);
    scene.start_width_m = 0.031;
    let mut world = SimWorld::new(&model, &file, &scene, unsettled()).expect("the world builds");
    let truth = world.truth_source();
    let off = world_from_tool.inverse() * truth.truth().world_from_tool;
    within("the tool is off, m", off.translation.vector.norm(), ..1e-9);

    let grasp = GripperCommand::grasp(30.0, 0.2);
    let report = world.command_gripper(grasp, &Watch::default());
    let report = report.expect("the world must not fail");
    assert_eq!(report.end, GripperEnd::Stalled);
    let width_m = report.after.gripper.width_m;
    near("the fingers stand, m", width_m, 0.03, 1e-3);
    let start = place(&truth, "block");
    assert!(find(&truth, "block").grasped);

    let from = report.after.joint_positions;
    let to: Vec<f64> = from.iter().map(|q| q - 0.5).collect();
    let moved = world.follow(&joint_move(&from, &to, 1.5), &Watch::default());
    let moved = moved.expect("the world must not fail");
    assert_eq!(moved.end, MotionEnd::Completed);
    let carried = (place(&truth, "block") - start).norm();
    assert!(carried > 0.1, "the block came along by {carried:.3} m");
    assert!(find(&truth, "block").grasped, "the block was lost");
    within("lag, rad", moved.peak_tracking_error, ..5e-3);

    let opened = world.command_gripper(GripperCommand::move_to(0.06, 0.2), &Watch::default());
    let opened = opened.expect("the world must not fail");
    assert_eq!(opened.end, GripperEnd::Reached);
    world.wait(0.5).expect("the physics must not diverge");
    let closed = world.command_gripper(grasp, &Watch::default());
    let closed = closed.expect("the world must not fail");
    assert_eq!(closed.end, GripperEnd::Reached);
    let width = closed.after.gripper.width_m;
    near("closed fingers meet, m", width, 0.01, 5e-4);
}

#[test]
fn an_arm_without_a_gripper_ignores_gripper_commands() {
    let (mut world, _) = world_of(scene(vec![]), SimOptions::default());
    let grasp = GripperCommand::grasp(30.0, 0.2);
    let before = world.observe().expect("the world must not fail").time_secs;
    let report = world.command_gripper(grasp, &Watch::default());
    let report = report.expect("the world must not fail");
    assert_eq!(report.end, GripperEnd::Reached);
    assert_eq!(report.after.time_secs.to_bits(), before.to_bits());
}
