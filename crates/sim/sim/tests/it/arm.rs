//! Tests of the arm against closed forms of its servos.

use crate::common::{
    Lab, bare_file, joint_move, one_joint_urdf, panda, scene, table, unsettled, world_from_base,
};
use regrasp_api::{MotionEnd, Watch, World};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_scene::Motor;
use regrasp_sim::{SimOptions, SimWorld};
use regrasp_testkit::{near, within};

const G: f64 = 9.81;

#[test]
fn the_arm_stands_still_at_home() {
    for (gravity_compensation, limit_rad) in [(true, 1e-3), (false, 7e-3)] {
        let options = SimOptions {
            gravity_compensation,
            ..SimOptions::default()
        };
        let mut lab = Lab::with(panda(), &scene(vec![table()]), options);
        let observation = lab.wait(1.0);
        let home = &lab.panda.file.home;
        let offs = observation.joint_positions.iter().zip(home);
        let worst = offs.map(|(q, home)| (q - home).abs()).fold(0.0, f64::max);
        within("off home, rad", worst, ..limit_rad);
    }
}

#[test]
fn the_simulated_tool_is_where_forward_kinematics_says() {
    let mut lab = Lab::new(vec![table()]);
    let target = crate::common::down(0.45, 0.2, 0.3, 0.6);
    lab.reach(&target, 2.0);
    let q = lab.observe().joint_positions;
    let world_from_tool = world_from_base() * lab.panda.chain.forward(&q);
    let off = world_from_tool.inverse() * lab.truth.truth().world_from_tool;
    let off_m = off.translation.vector.norm();
    within("from the kinematics' tool, m", off_m, ..1e-9);
    assert!(off.rotation.angle() < 1e-6);
}

/// Moves every joint by 0.9 rad in 2 s.
#[test]
fn the_arm_tracks_a_minimum_jerk_move() {
    let mut lab = Lab::new(vec![table()]);
    let from = lab.observe().joint_positions;
    let to: Vec<f64> = from.iter().map(|q| q + 0.9).collect();
    let report = lab.follow(&joint_move(&from, &to, 2.0), &Watch::default());
    assert_eq!(report.end, MotionEnd::Completed);
    within("lag, rad", report.peak_tracking_error, ..3e-3);
    within("at rest after, s", report.duration_secs, ..2.16);
}

/// Builds a horizontal rod that carries 2 kg at 0.5 m: gravity takes 9.81 N m at its joint.
fn rod(effort_nm: f64, kp: f64) -> SimWorld {
    let urdf = one_joint_urdf(2.0, 0.5, effort_nm);
    let model = RobotModel::from_urdf_str(&urdf, ".", &MeshSearch::default()).expect("the rod");
    let motor = Motor {
        kp,
        kd: 0.1 * kp,
        armature: 0.01,
        damping: 0.5,
    };
    let options = SimOptions {
        gravity_compensation: false,
        ..unsettled()
    };
    let file = bare_file(&["hinge"], "tip", motor);
    let world = SimWorld::new(&model, &file, &scene(vec![]), options);
    world.expect("the world builds")
}

#[test]
fn a_joint_sags_by_its_torque_over_its_stiffness() {
    let torque = 2.0 * G * 0.5;
    for kp in [400.0, 4000.0] {
        let mut world = rod(100.0, kp);
        let observation = world.wait(3.0).expect("the physics must not diverge");
        let sag = observation.joint_positions[0];
        // The lever shortens as the rod sinks.
        let expected = torque * sag.cos() / kp;
        near("sag, rad", sag, expected, 1e-3 * expected);
        let effort = -observation.joint_efforts[0];
        near("effort, N m", effort, kp * sag, 1e-3 * torque);
    }
}

#[test]
fn a_joint_falls_where_gravity_exceeds_its_torque_limit() {
    let torque = 2.0 * G * 0.5;
    for (share, holds) in [(1.02, true), (0.98, false)] {
        let mut world = rod(share * torque, 4000.0);
        let observation = world.wait(1.5).expect("the physics must not diverge");
        let fallen = observation.joint_positions[0];
        let is_up = fallen < 0.02;
        assert_eq!(is_up, holds, "{share} times the torque: {fallen:.3} rad");
    }
}
