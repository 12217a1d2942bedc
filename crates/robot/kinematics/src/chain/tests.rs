//! Forward kinematics and Jacobian against Pinocchio, published parameters and finite differences.

use nalgebra::{Isometry3, Vector3};
use regrasp_testkit::{near, rows};

use crate::{
    Chain,
    testing::{HOME, assert_same_pose, bent, panda, panda_arm, pose, random_q, rng, robot, ur5e},
};

/// The rows have joint positions and the poses that Pinocchio 4.1.0 computes from the same file.
#[test]
fn fixed_joints_between_movable_ones_are_composed_in_order() {
    let model = bent();
    let cases = "
        pedestal | 0.7 0.25 -2.3 | -0.2530445457585635 -0.07819911817365334 0.7986414121379911 | 0.6366337682771939 0.4298914513511802 -0.6241880520700541 0.1424080784132268
        base     | 0.7 0.25 -2.3 | 0.04370603274658452 0.488168095976994 0.38457880437469105 | -0.5636489534713094 -0.04057241616584564 0.824954169409173 -0.010215413431910602
        pedestal | -1.6 -0.08 1.9 | -0.13826412112371 -0.6512633918820248 0.9555257377257795 | -0.015114885844643142 0.12300911496673102 0.8046176104481664 0.580715764223504
        base     | -1.6 -0.08 1.9 | -0.0819091684027784 0.08917890658616263 0.8218640056848292 | 0.019013064319363285 0.4218620089998669 0.4992250794278394 0.7566011292735768";
    for [base, q, xyz, quat_xyzw] in rows(cases) {
        let chain = model.chain(&base, "tip").unwrap();
        assert_eq!(chain.joint_names(), ["hinge", "slider", "spinner"]);
        let expected = pose(numbers(&xyz), numbers(&quat_xyzw));
        assert_same_pose(&chain.forward(&numbers::<3>(&q)), &expected);
    }
}

fn numbers<const N: usize>(text: &str) -> [f64; N] {
    let numbers = text.split(' ').map(|x| x.parse().unwrap());
    numbers.collect::<Vec<_>>().try_into().unwrap()
}

/// The UR5e at zero lies stretched along -x: a2 + a3, -(d4 + d6), d1 - d5.
#[test]
fn ur5e_is_where_its_published_parameters_put_it() {
    let chain = ur5e().chain("base", "flange").unwrap();
    let flange = chain.forward(&[0.0; 6]).translation.vector;
    let expected = Vector3::new(-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997);
    assert!((flange - expected).norm() < 1e-12, "{flange}, {expected}");
}

#[test]
fn chain_and_tree_agree_on_every_link() {
    let model = panda();
    let chain = model.chain("panda_link0", "panda_leftfinger").unwrap();
    assert_eq!(chain.dof(), 8, "seven arm joints and a finger");
    let mut rng = rng(11);
    for _ in 0..50 {
        let q = random_q(&chain, &mut rng);
        let mut q_by_joint = vec![0.0; model.joints().len()];
        for (&joint_idx, &q) in chain.joint_idxs().iter().zip(&q) {
            q_by_joint[joint_idx] = q;
        }
        let root_from_link = model.link_poses(&q_by_joint);
        let finger_idx = model.link_idx("panda_leftfinger").unwrap();
        assert_same_pose(&chain.forward(&q), &root_from_link[finger_idx]);
    }
}

/// Central differences of the pose, 6 x n, rows `[v; w]`.
fn differences(chain: &Chain, q: &[f64]) -> crate::Jacobian {
    let step = 1e-6;
    crate::Jacobian::from_columns(
        &(0..chain.dof())
            .map(|i| {
                let moved = |by: f64| -> Isometry3<f64> {
                    let mut q = q.to_vec();
                    q[i] += by;
                    chain.forward(&q)
                };
                let (before, after) = (moved(-step), moved(step));
                let v = (after.translation.vector - before.translation.vector) / (2.0 * step);
                let w = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * step);
                nalgebra::Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z)
            })
            .collect::<Vec<_>>(),
    )
}

#[test]
fn jacobian_is_the_derivative_of_the_pose() {
    let chains = [
        panda_arm(),
        bent().chain("pedestal", "tip").unwrap(),
        ur5e().chain("base", "flange").unwrap(),
        mimicking().chain("a", "d").unwrap(),
    ];
    let mut rng = rng(12);
    for chain in &chains {
        for _ in 0..50 {
            let q = random_q(chain, &mut rng);
            let jacobian = chain.jacobian(&q);
            assert_eq!(jacobian.shape(), (6, chain.dof()));
            let error = (&jacobian - differences(chain, &q)).abs().max();
            let tip = chain.tip_link();
            assert!(error < 1e-7, "off by {error} at {q:?} on the way to {tip}");
        }
    }
}

/// Two hinges, the second of which mimics the first: it is at -0.5 q + 0.3 rad.
fn mimicking() -> crate::RobotModel {
    robot(include_str!("../../tests/data/mimicking.xml")).unwrap()
}

#[test]
fn a_mimic_on_the_chain_moves_with_its_source_and_narrows_its_limits() {
    let model = mimicking();
    let chain = model.chain("a", "d").unwrap();
    assert_eq!(chain.joint_names(), ["one"]);
    let limits = chain.limits()[0];
    near("position with `two` at 0.9", limits.lower, -1.2, 1e-12);
    near("position with `two` at -0.2", limits.upper, 1.0, 1e-12);
    let q_by_joint = model.joint_positions([("one", 0.8)]).unwrap();
    assert!((q_by_joint[1] + 0.1).abs() < 1e-12, "-0.5 * 0.8 + 0.3 rad");
    assert_same_pose(&chain.forward(&[0.8]), &model.link_poses(&q_by_joint)[3]);
}

#[test]
fn limits_are_checked_with_the_worst_joint() {
    let chain = panda_arm();
    assert!(chain.within_limits(&HOME, 0.0));
    assert!((chain.limit_margin(&HOME) - (3.0718 - 2.356194490192345)).abs() < 1e-12);
    let mut beyond = HOME;
    beyond[3] = 0.1;
    assert!((chain.limit_margin(&beyond) + 0.1698).abs() < 1e-12);
    assert!(!chain.within_limits(&beyond, 0.1));
    assert!(chain.within_limits(&beyond, 0.2));
    beyond[5] = f64::NAN;
    assert!(!chain.within_limits(&beyond, 10.0), "NaN is within limits");
}

#[test]
fn nothing_reaches_beyond_the_reach() {
    for chain in [panda_arm(), bent().chain("pedestal", "tip").unwrap()] {
        let mut rng = rng(13);
        let farthest = (0..5000)
            .map(|_| chain.forward(&random_q(&chain, &mut rng)))
            .map(|tip| (tip.translation.vector - chain.shoulder_in_base().coords).norm())
            .fold(0.0, f64::max);
        let reach_m = chain.reach_m();
        assert!(farthest <= reach_m, "{farthest} m is beyond {reach_m} m");
        assert!(farthest > 0.5 * reach_m, "{farthest} m of {reach_m} m");
    }
}

#[test]
fn manipulability_vanishes_where_the_arm_is_singular() {
    let chain = panda_arm();
    assert!(chain.manipulability(&HOME) > 0.05);
    // With joints 4 and 6 at zero, the axes of joints 1, 3, 5 and 7 are in one plane.
    let singular = [0.0; 7];
    assert!(chain.manipulability(&singular) < 1e-6);
}

#[test]
fn what_is_not_a_chain_is_an_error_that_says_why() {
    let (bent, panda) = (bent(), panda());
    let cases = "
        bent  | base       | elbow             | unknown link `elbow` (known links: pedestal, base, upper, bracket, slide, adapter, wheel, tip)
        bent  | tip        | base              | link `base` is not a descendant of link `tip`
        bent  | pedestal   | base              | nothing moves between link `pedestal` and link `base`
        panda | panda_hand | panda_rightfinger | joint `panda_finger_joint2` mimics `panda_finger_joint1`, which is not on the chain";
    for [robot, base, tip, message] in rows(cases) {
        let model = if robot == "bent" { &bent } else { &panda };
        let text = model.chain(&base, &tip).unwrap_err().to_string();
        assert_eq!(text, format!("build the chain: {message}"));
    }
    let mut body = "<link name=\"l0\"/>".to_owned();
    for i in 0..17 {
        let child = i + 1;
        body += &format!(
            "<link name=\"l{child}\"/><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{i}\"/><child link=\"l{child}\"/></joint>"
        );
    }
    let text = robot(&body).unwrap().chain("l0", "l17").unwrap_err();
    let message = "17 joints move between link `l0` and link `l17`; at most 16 are supported";
    assert_eq!(text.to_string(), format!("build the chain: {message}"));
}
