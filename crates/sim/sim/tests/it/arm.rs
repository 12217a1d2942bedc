//! Tests of the arm against closed forms of its servos.

use crate::common::{
    Lab, Robot, bare_file, down, joint_move, one_joint_urdf, panda, scene, table, unsettled,
    world_from_base,
};
use regrasp_api::{MotionEnd, Watch};
use regrasp_scene::Motor;
use regrasp_sim::SimOptions;
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
        let home = &lab.robot.file.home;
        let offs = observation.joint_positions.iter().zip(home);
        let worst = offs.map(|(q, home)| (q - home).abs()).fold(0.0, f64::max);
        within("off home, rad", worst, ..limit_rad);
    }
}

#[test]
fn the_simulated_tool_is_where_forward_kinematics_says() {
    let mut lab = Lab::new(vec![table()]);
    let target = down(0.45, 0.2, 0.3, 0.6);
    lab.reach(&target, 2.0);
    let q = lab.observe().joint_positions;
    let world_from_tool = world_from_base() * lab.robot.chain.forward(&q);
    let off = world_from_tool.inverse() * lab.tool();
    let off_m = off.translation.vector.norm();
    within("from the kinematics' tool, m", off_m, ..1e-9);
    assert!(off.rotation.angle() < 1e-6);
}

/// 2 s for 0.9 rad on every joint that has the range.
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

/// 2 kg on 0.5 m: 9.81 N m with the rod horizontal.
fn rod(effort_nm: f64, kp: f64) -> Lab {
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
    let rod = Robot::of_urdf(&one_joint_urdf(2.0, 0.5, effort_nm), file);
    Lab::with(rod, &scene(vec![]), options)
}

#[test]
fn a_joint_sags_by_its_torque_over_its_stiffness() {
    let torque = 2.0 * G * 0.5;
    for kp in [400.0, 4000.0] {
        let mut lab = rod(100.0, kp);
        let observation = lab.wait(3.0);
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
        let mut lab = rod(share * torque, 4000.0);
        let observation = lab.wait(1.5);
        let fallen = observation.joint_positions[0];
        let is_up = fallen < 0.02;
        assert_eq!(is_up, holds, "{share} times the torque: {fallen:.3} rad");
    }
}
