//! Tests of goal sets, tool lines, and upright constraints.

use crate::common::{HOME, LEFT, RIGHT, limits, obstacle, panda, random_q};
use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::{
    KeepUp, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlanningScene, Pose, Shape,
    ToolTarget, Trajectory,
};
use regrasp_motion::{ArmPlanner, JointLimits};
use regrasp_testkit::within;

fn world_from_base() -> Pose {
    let turn = UnitQuaternion::from_euler_angles(0.06, -0.05, 0.7);
    Pose::from_parts([0.3, -0.2, 0.1].into(), turn)
}

/// Constraint that keeps the back of the tool up.
fn upright(within_deg: f64) -> KeepUp {
    KeepUp {
        axis_in_tool: [0.0, 0.0, -1.0],
        within_rad: within_deg.to_radians(),
    }
}

fn request<'a>(scene: &'a PlanningScene, start: &'a [f64], goal: MotionGoal) -> MotionRequest<'a> {
    MotionRequest {
        world_from_base: world_from_base(),
        ..crate::common::request(scene, start, goal)
    }
}

fn tool_poses(arm: &ArmPlanner, trajectory: &Trajectory) -> Vec<Pose> {
    let (mut q, mut v) = ([0.0; 7], [0.0; 7]);
    let at = |i: u32| {
        let time_secs = trajectory.duration_secs() * f64::from(i) / 1000.0;
        trajectory.sample(time_secs, &mut q, &mut v);
        world_from_base() * arm.base_from_tool(&q)
    };
    (0..=1000).map(at).collect()
}

fn most_lean(arm: &ArmPlanner, trajectory: &Trajectory) -> f64 {
    let leans = tool_poses(arm, trajectory).into_iter();
    let leans = leans.map(|pose| (pose * -Vector3::z()).angle(&Vector3::z()));
    leans.fold(0.0, f64::max)
}

/// A configuration with the tool straight down at a point in Base.
fn above(arm: &ArmPlanner, at_in_base: [f64; 3], yaw: f64, seed: &[f64]) -> Vec<f64> {
    let down = UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, yaw);
    let at = world_from_base() * Point3::from(at_in_base);
    let pose = ToolTarget::Pose(Pose::from_parts(at.coords.into(), down));
    arm.inverse(&world_from_base(), &pose, seed).unwrap()
}

fn assert_keeps_limits(trajectory: &Trajectory, limits: &[JointLimits]) {
    let mut before: Option<[f64; 7]> = None;
    let (mut q, mut v) = ([0.0; 7], [0.0; 7]);
    for i in 0..=(trajectory.duration_secs() / 1e-3) as u32 {
        trajectory.sample(f64::from(i) * 1e-3, &mut q, &mut v);
        for (j, limit) in limits.iter().enumerate() {
            let acceleration = before.map_or(0.0, |before| (v[j] - before[j]).abs() / 1e-3);
            let is_slow = v[j].abs() <= 1.000_001 * limit.velocity;
            assert!(is_slow, "joint {j} exceeds its velocity limit");
            let is_soft = acceleration <= 1.000_001 * limit.acceleration;
            assert!(is_soft, "joint {j} exceeds its acceleration limit");
        }
        before = Some(v);
    }
}

#[test]
fn what_has_to_stay_upright_does_on_ways_that_would_tip_it() {
    let arm = panda();
    let scene = PlanningScene::default();
    let (limits, limit) = (limits(), upright(8.0));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut n_tipping, mut n_kept) = (0, 0);
    for _ in 0..30 {
        let mut end = |y: f64| {
            let yaw = rng.random_range(-1.5..1.5);
            above(&arm, [0.45, y, 0.4], yaw, &random_q(&limits, &mut rng))
        };
        let (start, goal) = (end(0.3), end(-0.3));
        let mut request = request(&scene, &start, MotionGoal::Joints(goal.clone()));
        let free = arm.plan(&request).unwrap().trajectory;
        n_tipping += usize::from(most_lean(&arm, &free) > limit.within_rad);
        request.keep_up = Some(limit);
        let Ok(kept) = arm.plan(&request) else {
            continue;
        };
        n_kept += 1;
        let lean = most_lean(&arm, &kept.trajectory);
        within("lean of the tool, rad", lean, ..=limit.within_rad + 1e-4);
        let end = kept.trajectory.last_position();
        assert!(end.iter().zip(&goal).all(|(a, b)| (a - b).abs() < 1e-9));
        assert_keeps_limits(&kept.trajectory, &limits);
    }
    assert!(n_tipping >= 10, "{n_tipping} of 30 tip without a limit");
    assert!(n_kept >= 27, "only {n_kept} of 30 keep the tool upright");
}

#[test]
fn a_wall_is_passed_upright() {
    let arm = panda();
    let wall = Shape::cuboid([0.25, 0.02, 0.36]);
    let world_from_wall = world_from_base() * Pose::translation(0.62, 0.0, 0.36);
    let scene = crate::common::scene(vec![obstacle("wall", wall, world_from_wall)]);
    let limit = upright(20.0);
    let mut request = request(&scene, &LEFT, MotionGoal::Joints(RIGHT.to_vec()));
    request.keep_up = Some(limit);
    let plan = arm.plan(&request).unwrap();
    let lean = most_lean(&arm, &plan.trajectory);
    within("lean of the tool, rad", lean, ..=limit.within_rad + 1e-4);
    assert_eq!(plan.trajectory, arm.plan(&request).unwrap().trajectory);
}

#[test]
fn leaning_at_an_end_is_refused_with_figures() {
    let arm = panda();
    let scene = PlanningScene::default();
    let mut bent = LEFT;
    bent[5] -= 0.5;
    for (start, goal, end) in [(&bent, &RIGHT, "start"), (&RIGHT, &bent, "goal")] {
        let mut request = request(&scene, start, MotionGoal::Joints(goal.to_vec()));
        request.keep_up = Some(upright(15.0));
        let Err(failure) = arm.plan(&request) else {
            panic!("a tool that leans at the {end} must be refused");
        };
        let text = failure.to_string();
        let expected = format!("degrees at the {end} (limit 15.0)");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn a_line_that_is_free_about_the_axis_is_straight_and_ends_along_it() {
    let arm = panda();
    let scene = PlanningScene::default();
    let first = world_from_base() * arm.base_from_tool(&HOME);
    let position = first.translation.vector + Vector3::new(0.05, 0.1, -0.2);
    let position = [position.x, position.y, position.z];
    let axis = Vector3::new(0.3, -0.1, -1.0).normalize();
    let goal = MotionGoal::AxisLine {
        position,
        axis_in_world: axis.into(),
    };
    let trajectory = arm.plan(&request(&scene, &HOME, goal)).unwrap().trajectory;
    let poses = tool_poses(&arm, &trajectory);
    let shift = Vector3::from(position) - first.translation.vector;
    let whole_turn = (first * Vector3::z()).angle(&axis);
    for pose in &poses {
        let from_start = pose.translation.vector - first.translation.vector;
        let f = from_start.dot(&shift) / shift.norm_squared();
        let aside = (from_start - shift * f).norm();
        assert!(aside < 1e-3, "{aside} m beside the line");
        let left = (pose * Vector3::z()).angle(&axis);
        let uneven = (left - (1.0 - f) * whole_turn).abs();
        assert!(uneven < 2e-3, "the tool turns unevenly at fraction {f}");
    }
    let last = poses[poses.len() - 1];
    assert!((last.translation.vector - Vector3::from(position)).norm() < 1e-6);
    assert!((last * Vector3::z()).angle(&axis) < 1e-5);
}

#[test]
fn of_several_poses_or_configurations_the_one_reached_soonest_on_a_free_way_is_taken() {
    let arm = panda();
    let pose = |q: &[f64]| world_from_base() * arm.base_from_tool(q);
    let mut near = HOME;
    near[0] += 0.3;
    let ball = Shape::Sphere { radius: 0.03 };
    let free = PlanningScene::default();
    let blocked = crate::common::scene(vec![obstacle("ball", ball, pose(&near))]);
    let poses = MotionGoal::AnyPose(vec![pose(&LEFT), pose(&near)]);
    let configurations = MotionGoal::AnyJoints(vec![LEFT.to_vec(), near.to_vec()]);
    for goals in [poses, configurations.clone()] {
        let plan = |scene| arm.plan(&request(scene, &HOME, goals.clone())).unwrap();
        assert_eq!(plan(&free).goal_idx, 1, "the second is nearer");
        assert_eq!(plan(&blocked).goal_idx, 0, "the second is blocked");
    }
    let plan = arm.plan(&request(&free, &HOME, configurations)).unwrap();
    assert_eq!(plan.trajectory.last_position(), near);
    let none = arm.plan(&request(&free, &HOME, MotionGoal::AnyJoints(vec![])));
    assert!(matches!(none, Err(MotionFailure::Unreachable { .. })));
}

#[test]
fn all_configurations_of_a_pose_reach_it_and_differ() {
    let arm = panda();
    let pose = world_from_base() * arm.base_from_tool(&LEFT);
    let found = arm.configurations(&world_from_base(), &pose, &HOME);
    let found = found.unwrap();
    assert!(found.len() > 4, "this arm has more than {found:?}");
    for q in &found {
        let reached = world_from_base() * arm.base_from_tool(q);
        let off_m = (reached.translation.vector - pose.translation.vector).norm();
        let off_rad = reached.rotation.angle_to(&pose.rotation);
        assert!(off_m < 2e-4 && off_rad < 2e-3, "{off_m} m, {off_rad} rad");
    }
}

#[test]
fn another_configuration_reaches_a_pose_when_the_first_one_touches() {
    let arm = panda();
    let start = [1.4, -0.6, 0.0, -2.2, 0.0, 1.6, 0.785];
    let goal = world_from_base() * arm.base_from_tool(&[-0.5, 0.3, 0.0, -1.9, 0.0, 2.2, 0.785]);
    let scene = PlanningScene::default();
    let usual = arm.plan(&request(&scene, &start, MotionGoal::AnyPose(vec![goal])));
    let usual = usual.unwrap();
    let usual_q = usual.trajectory.last_position().to_vec();
    // A ball at the elbow: joint 4 lies 31.6 cm along the upper arm.
    let upper_arm = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), usual_q[0])
        * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), usual_q[1])
        * Vector3::new(0.0, 0.0, 0.316);
    let elbow = Pose::translation(upper_arm.x, upper_arm.y, 0.333 + upper_arm.z);
    let ball = Shape::Sphere { radius: 0.02 };
    let scene = crate::common::scene(vec![obstacle("ball", ball, world_from_base() * elbow)]);
    let touches = arm.plan(&request(&scene, &start, MotionGoal::Joints(usual_q)));
    let is_refused = matches!(touches, Err(MotionFailure::GoalInCollision { .. }));
    assert!(is_refused, "{touches:?}");
    let plan = arm.plan(&request(&scene, &start, MotionGoal::AnyPose(vec![goal])));
    let plan = plan.unwrap();
    let end = world_from_base() * arm.base_from_tool(plan.trajectory.last_position());
    assert!((end.translation.vector - goal.translation.vector).norm() < 2e-4);
    assert!(end.rotation.angle_to(&goal.rotation) < 2e-3);
}

#[test]
fn lines_past_singularities_are_straight_and_keep_the_limits() {
    let arm = panda();
    let (scene, limits) = (PlanningScene::default(), limits());
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut n_fast = 0;
    for _ in 0..400 {
        let start = random_q(&limits, &mut rng);
        let from = world_from_base() * arm.base_from_tool(&start);
        let shift = Vector3::from_fn(|_, _| rng.random_range(-0.1..0.1));
        let to = Pose::from_parts((from.translation.vector + shift).into(), from.rotation);
        let Ok(planned) = arm.plan(&request(&scene, &start, MotionGoal::Line(to))) else {
            continue;
        };
        let trajectory = planned.trajectory;
        let (mut q, mut v, mut turned) = ([0.0; 7], [0.0; 7], 0.0_f64);
        let mut last: Option<([f64; 7], Pose)> = None;
        for (i, pose) in tool_poses(&arm, &trajectory).into_iter().enumerate() {
            let gone = pose.translation.vector - from.translation.vector;
            let off_m = (gone - shift * (gone.dot(&shift) / shift.norm_squared())).norm();
            assert!(off_m < 1e-3, "{off_m} m off the line");
            let time_secs = trajectory.duration_secs() * i as f64 / 1000.0;
            trajectory.sample(time_secs, &mut q, &mut v);
            let (then, at) = last.get_or_insert((q, pose));
            if (pose.translation.vector - at.translation.vector).norm() > 0.01 {
                let turns = q.iter().zip(*then).map(|(a, b)| (a - b).abs());
                turned = turns.fold(turned, f64::max);
                last = Some((q, pose));
            }
        }
        if turned > 0.35 {
            n_fast += 1;
            assert_keeps_limits(&trajectory, &limits);
        }
    }
    assert!(n_fast > 3, "only {n_fast} lines pass a singularity closely");
}

/// Pose of the tool in Base, pointing straight down in front of the arm.
fn down(x: f64, z: f64) -> Pose {
    let rotation = UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.0);
    Pose::from_parts(Translation3::new(x, 0.0, z), rotation)
}

#[test]
fn what_makes_a_pose_unreachable_is_reported() {
    let arm = panda();
    let refusals = |base_from_tool: Pose| {
        let target = ToolTarget::Pose(base_from_tool);
        let refused = arm.inverse(&Pose::identity(), &target, &HOME).unwrap_err();
        refused.to_string()
    };
    // At the last target the hand would be above the highest point that the flange reaches.
    let above = "reaches this point; points straight down; m lower";
    for ([x, z], words) in [
        ([1.3, 0.3], "from the shoulder, but the arm reaches"),
        (
            [1.0, 0.333],
            "does not reach this point; any tool orientation",
        ),
        ([0.3, 0.9], above),
    ] {
        let text = refusals(down(x, z));
        for word in words.split("; ") {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn joints_whose_limits_are_in_the_way_are_named() {
    let arm = panda();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    // Poses of configurations beyond the limit of joint 4. Most can also be reached within the
    // limits; the others are refused.
    let refusals = (0..60).filter_map(|_| {
        let mut q = random_q(&limits(), &mut rng);
        q[3] = 0.3;
        let target = ToolTarget::Pose(arm.base_from_tool(&q));
        let refused = arm.inverse(&Pose::identity(), &target, &HOME).err()?;
        Some(refused.to_string())
    });
    let refusals: Vec<String> = refusals.collect();
    let named = refusals.iter();
    let named = named.filter(|text| text.contains(" would be at ") && text.contains(" (limits "));
    let (n_named, n) = (named.count(), refusals.len());
    assert!(n_named > n / 2, "{n_named} of {n}: {refusals:?}");
}
