//! Tests of the numeric inverse kinematics: every pose that an arm can take is reached.

use nalgebra::{Isometry3, Point3, Unit, Vector3};
use proptest::prelude::*;

use super::{IkOptions, IkOutcome, IkTarget, lm, solve};
use crate::{
    Chain,
    testing::{HOME, bent, irb120, panda_arm, pose, pose_error, random_q, rng, robot, ur5e},
};

fn check_reaches(chain: &Chain, base_from_tool: &Isometry3<f64>, seed_q: &[f64]) {
    let options = IkOptions::default();
    let target = IkTarget::Pose(*base_from_tool);
    let outcome = solve(chain, &target, seed_q, &options);
    check_outcome(chain, base_from_tool, &outcome);
    let outcome = lm::solve(chain, &target, seed_q, &options, None);
    check_outcome(chain, base_from_tool, &outcome);
}

#[track_caller]
fn check_outcome(chain: &Chain, base_from_tool: &Isometry3<f64>, outcome: &IkOutcome) {
    let options = IkOptions::default();
    let q = outcome.solution().unwrap_or_else(|| panic!("{outcome}"));
    let (pos_err_m, rot_err_rad) = pose_error(&chain.forward(q), base_from_tool);
    let is_there = pos_err_m <= options.pos_tol_m + 1e-9;
    assert!(is_there, "{pos_err_m} m off, but {outcome}");
    let is_turned = rot_err_rad <= options.rot_tol_rad + 1e-9;
    assert!(is_turned, "{rot_err_rad} rad off, but {outcome}");
    assert!(chain.within_limits(q, 0.0), "{q:?} is beyond the limits");
}

/// Fractions of each joint's range.
fn fractions() -> impl Strategy<Value = [f64; 7]> {
    prop::array::uniform7(0.0..1.0)
}

fn at_fractions(chain: &Chain, fractions: &[f64]) -> Vec<f64> {
    chain
        .limits()
        .iter()
        .zip(fractions)
        .map(|(limits, f)| {
            let (lower, upper) = (limits.lower.max(-3.0), limits.upper.min(3.0));
            lower + f * (upper - lower)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: prop::test_runner::RngSeed::Fixed(3), ..ProptestConfig::with_cases(256) })]

    #[test]
    fn panda_reaches_every_pose_it_can_take(at in fractions(), from in fractions()) {
        let chain = panda_arm();
        let base_from_tool = chain.forward(&at_fractions(&chain, &at));
        check_reaches(&chain, &base_from_tool, &at_fractions(&chain, &from));
    }

    /// The pedestal under the base is rotated and shifted.
    #[test]
    fn a_chain_on_a_pedestal_reaches_every_point_it_can(at in fractions()) {
        let chain = bent().chain("pedestal", "tip").unwrap();
        let point = Point3::from(chain.forward(&at_fractions(&chain, &at)).translation.vector);
        let outcome = solve(&chain, &IkTarget::Position(point), &[0.0; 3], &IkOptions::default());
        prop_assert!(outcome.is_solved(), "{}", outcome);
    }

    #[test]
    fn ur5e_reaches_every_pose_it_can_take(at in fractions()) {
        let chain = ur5e().chain("base", "flange").unwrap();
        let base_from_tool = chain.forward(&at_fractions(&chain, &at[..6]));
        check_reaches(&chain, &base_from_tool, &[0.3, -1.2, 1.4, -1.6, -1.5, 0.1]);
    }
}

#[test]
fn panda_reaches_ten_thousand_random_poses_from_home() {
    let chain = panda_arm();
    let mut rng = rng(1);
    for _ in 0..10_000 {
        check_reaches(&chain, &chain.forward(&random_q(&chain, &mut rng)), &HOME);
    }
}

/// Arms with and without a spherical wrist. At most two in two thousand are missed.
#[test]
fn six_axis_arms_reach_two_thousand_random_poses() {
    for (model, seed_q) in [
        (ur5e(), [0.3, -1.2, 1.4, -1.6, -1.5, 0.1]),
        (irb120(), [0.1, 0.2, -0.3, 0.2, 0.8, -0.4]),
    ] {
        let chain = model.chain("base", "flange").unwrap();
        let options = IkOptions::default();
        let mut rng = rng(8);
        let mut n_solved = 0;
        for _ in 0..2_000 {
            let base_from_tool = chain.forward(&random_q(&chain, &mut rng));
            let target = IkTarget::Pose(base_from_tool);
            let outcome = solve(&chain, &target, &seed_q, &options);
            if outcome.is_solved() {
                check_outcome(&chain, &base_from_tool, &outcome);
                n_solved += 1;
            }
        }
        let base = chain.base_link();
        assert!(n_solved >= 1_998, "{n_solved} of 2000 from {base}");
    }
}

/// Trajectories rely on solutions that stay on the branch of their seed.
#[test]
fn a_pose_near_the_seed_keeps_the_branch_of_the_seed() {
    let chain = panda_arm();
    let mut rng = rng(9);
    for _ in 0..1_000 {
        let seed_q = random_q(&chain, &mut rng);
        let near: Vec<f64> = seed_q.iter().map(|q| q + 1e-3).collect();
        if !chain.within_limits(&near, 0.0) || chain.manipulability(&near) < 0.02 {
            continue;
        }
        let target = IkTarget::Pose(chain.forward(&near));
        let options = IkOptions::default();
        let outcome = solve(&chain, &target, &seed_q, &options);
        let numeric = lm::solve(&chain, &target, &seed_q, &options, None);
        assert_eq!(outcome, numeric);
        let q = outcome.solution().unwrap();
        let jump = q.iter().zip(&seed_q).map(|(a, b)| (a - b).abs());
        let jump = jump.fold(0.0, f64::max);
        assert!(jump < 0.1, "{jump} rad away from {seed_q:?}");
    }
}

#[test]
fn a_tool_axis_leaves_the_rotation_about_it_free() {
    let chain = panda_arm();
    let axis = Unit::new_normalize(Vector3::new(0.1, -0.2, -1.0));
    let position = Point3::new(0.45, 0.2, 0.15);
    let target = IkTarget::ToolAxis { position, axis };
    let outcome = solve(&chain, &target, &HOME, &IkOptions::default());
    let base_from_tool = chain.forward(outcome.solution().unwrap());
    let off_m = (base_from_tool.translation.vector - position.coords).norm();
    let off_rad = (base_from_tool * Vector3::z()).angle(&axis);
    let is_there = off_m < 1e-4 && off_rad < 1.001e-3;
    assert!(is_there, "{off_m} m and {off_rad} rad off");
}

#[test]
fn an_axis_in_the_opposite_direction_is_no_dead_end() {
    let chain = panda_arm();
    let base_from_tool = chain.forward(&HOME);
    let target = IkTarget::ToolAxis {
        position: Point3::new(0.4, 0.0, 0.6),
        axis: Unit::new_normalize(-(base_from_tool * Vector3::z())),
    };
    let outcome = solve(&chain, &target, &HOME, &IkOptions::default());
    assert!(outcome.is_solved(), "{outcome}");
    let half_turn = base_from_tool * Isometry3::rotation(Vector3::z() * std::f64::consts::PI);
    check_reaches(&chain, &half_turn, &HOME);
}

#[test]
fn out_of_reach_is_an_outcome_that_says_by_how_much() {
    let chain = panda_arm();
    let position = Point3::new(1.5, 0.0, 0.333);
    let options = IkOptions {
        pos_tol_m: 1e-3,
        ..IkOptions::default()
    };
    let outcome = solve(&chain, &IkTarget::Position(position), &HOME, &options);
    let IkOutcome::NotConverged {
        nearest_q,
        nearest_base_from_tool,
        pos_err_m,
        iterations,
        ..
    } = &outcome
    else {
        panic!("{outcome}");
    };
    assert!(chain.within_limits(nearest_q, 0.0));
    assert_eq!(*nearest_base_from_tool, chain.forward(nearest_q));
    let off_m = (nearest_base_from_tool.translation.vector - position.coords).norm();
    assert!((off_m - pos_err_m).abs() < 1e-12);
    assert_eq!(
        outcome.to_string(),
        format!(
            "IK did not converge in {iterations} iterations (pos_err={pos_err_m:.4} m > tol=0.001 m)"
        ),
    );
}

#[test]
fn the_message_names_what_was_missed() {
    let missed = |pos_err_m, rot_err_rad| {
        IkOutcome::NotConverged {
            nearest_q: vec![],
            nearest_base_from_tool: Isometry3::identity(),
            pos_err_m,
            rot_err_rad,
            iterations: 400,
            pos_tol_m: 0.001,
            rot_tol_rad: 0.01,
        }
        .to_string()
    };
    let pos = "pos_err=0.6138 m > tol=0.001 m";
    let rot = "rot_err=0.2500 rad > tol=0.01 rad";
    for (pos_err_m, rot_err_rad, detail) in [
        (0.6138, 0.0, pos.to_owned()),
        (0.0, 0.25, rot.to_owned()),
        (0.6138, 0.25, format!("{pos}, {rot}")),
    ] {
        let expected = format!("IK did not converge in 400 iterations ({detail})");
        assert_eq!(missed(pos_err_m, rot_err_rad), expected);
    }
}

#[test]
fn the_budget_of_iterations_holds() {
    let chain = panda_arm();
    // The tip is within the arm's length, but not with a hand that points back at the base.
    let target = IkTarget::ToolAxis {
        position: Point3::new(0.8, 0.0, 0.333),
        axis: -Vector3::x_axis(),
    };
    for max_iterations in [0, 1, 7, 100] {
        let options = IkOptions {
            max_iterations,
            ..IkOptions::default()
        };
        let outcome = solve(&chain, &target, &HOME, &options);
        assert!(!outcome.is_solved());
        assert_eq!(outcome.iterations(), max_iterations, "{outcome}");
    }
}

/// The tip is within the arm's length, but not the wrist of a hand that points back at the base.
#[test]
fn a_wrist_out_of_reach_needs_one_descent_only() {
    let chain = panda_arm();
    let backwards = [0.0, -0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt()];
    let target = IkTarget::Pose(pose([0.8, 0.0, 0.333], backwards));
    let options = IkOptions::default();
    let alone = IkOptions {
        restarts: 0,
        ..options.clone()
    };
    let outcome = solve(&chain, &target, &HOME, &options);
    assert!(!outcome.is_solved());
    assert_eq!(outcome, solve(&chain, &target, &HOME, &alone));
}

#[test]
fn the_same_question_has_the_same_answer() {
    let chain = panda_arm();
    let mut rng = rng(5);
    for _ in 0..100 {
        let target = IkTarget::Pose(chain.forward(&random_q(&chain, &mut rng)));
        let ask = || solve(&chain, &target, &HOME, &IkOptions::default());
        assert_eq!(ask(), ask());
    }
}

#[test]
fn numbers_that_are_none_are_outcomes_too() {
    let chain = panda_arm();
    let nowhere = IkTarget::Position(Point3::new(f64::NAN, 0.0, 0.0));
    let outcome = solve(&chain, &nowhere, &HOME, &IkOptions::default());
    let told = "IK did not converge in 0 iterations (pos_err=inf m > tol=0.0001 m, rot_err=inf rad > tol=0.001 rad)";
    assert_eq!(outcome.to_string(), told);
    let target = IkTarget::Pose(chain.forward(&HOME));
    let outcome = solve(&chain, &target, &[f64::NAN; 7], &IkOptions::default());
    assert!(outcome.is_solved(), "{outcome}");
}

#[test]
fn a_prismatic_axis_goes_as_far_as_its_limit() {
    let rail = robot(
        r#"<link name="a"/><link name="b"/>
        <joint name="rail" type="prismatic"><parent link="a"/><child link="b"/>
        <axis xyz="0 1 0"/><limit lower="-0.5" upper="0.5" velocity="1" effort="1"/></joint>"#,
    )
    .unwrap();
    let chain = rail.chain("a", "b").unwrap();
    let reach = |y| {
        let target = IkTarget::Position(Point3::new(0.0, y, 0.0));
        solve(&chain, &target, &[0.0], &IkOptions::default())
    };
    assert!((reach(0.4).solution().unwrap()[0] - 0.4).abs() < 1e-4);
    let IkOutcome::NotConverged { nearest_q, .. } = reach(0.8) else {
        panic!("the rail ends at 0.5 m");
    };
    assert!((nearest_q[0] - 0.5).abs() < 1e-12);
}
