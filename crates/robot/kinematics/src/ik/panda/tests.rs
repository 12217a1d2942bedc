//! Tests of the Panda's closed form: it recovers random configurations, and every solution is
//! right.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{DEFAULT_SAMPLES, Goal, PandaIk, PandaQ};
use crate::{
    Chain,
    testing::{HOME, bent, panda, panda_arm, pose, pose_error, random_q, rng, ur5e},
};

#[track_caller]
fn assert_is_solution(chain: &Chain, base_from_tool: &Isometry3<f64>, q: &[f64]) {
    let (pos_err_m, rot_err_rad) = pose_error(&chain.forward(q), base_from_tool);
    let is_there = pos_err_m < 1e-6 && rot_err_rad < 1e-6;
    assert!(is_there, "{q:?} is {pos_err_m} m and {rot_err_rad} rad off");
    assert!(chain.within_limits(q, 0.0), "{q:?} is beyond the limits");
}

fn solve(ik: &PandaIk, base_from_tool: &Isometry3<f64>, q7: f64) -> Vec<PandaQ> {
    let mut found = vec![];
    let goal = Goal::new(ik, base_from_tool);
    ik.for_each_branch(&goal, q7, 0.0, &mut |q| found.push(*q));
    found
}

/// The solutions on a sweep of joint 7.
fn all(ik: &PandaIk, base_from_tool: &Isometry3<f64>) -> Vec<PandaQ> {
    let mut all = vec![];
    ik.all(base_from_tool, DEFAULT_SAMPLES, &mut all);
    all
}

/// The closed form's solutions for the pose and joint 7 of a configuration, each of them checked.
#[track_caller]
fn solved(chain: &Chain, q: &[f64]) -> Vec<PandaQ> {
    let base_from_tool = chain.forward(q);
    let solutions = solve(chain.panda_ik().unwrap(), &base_from_tool, q[6]);
    for found in &solutions {
        assert_is_solution(chain, &base_from_tool, found);
    }
    solutions
}

fn is_among(solutions: &[PandaQ], q: &[f64]) -> bool {
    solutions
        .iter()
        .any(|found| found.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-5))
}

#[test]
fn the_generating_configuration_is_among_the_solutions_and_none_is_wrong() {
    let chain = panda_arm();
    let mut rng = rng(1);
    let (mut n_recovered, mut n_rare) = (0, 0);
    for _ in 0..10_000 {
        let q = random_q(&chain, &mut rng);
        let solutions = solved(&chain, &q);
        let is_recovered = is_among(&solutions, &q);
        n_recovered += usize::from(is_recovered);
        n_rare += usize::from(is_recovered && q[3] > -0.467);
    }
    assert!(n_recovered >= 9_990, "{n_recovered} of 10000 recovered");
    assert!(n_rare > 1_000, "{n_rare} with joint 4 above -0.467 rad");
}

#[test]
fn a_sweep_solves_ten_thousand_random_poses_and_none_of_its_solutions_is_wrong() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(2);
    let (mut n_coarse, mut n_swept) = (0, 0);
    for _ in 0..10_000 {
        let base_from_tool = chain.forward(&random_q(&chain, &mut rng));
        let mut is_coarse = false;
        ik.sweep(&base_from_tool, DEFAULT_SAMPLES, 0.0, &mut |_| {
            is_coarse = true;
        });
        n_coarse += usize::from(is_coarse);
        let all = all(ik, &base_from_tool);
        for q in &all {
            assert_is_solution(&chain, &base_from_tool, q);
        }
        n_swept += usize::from(!all.is_empty());
    }
    assert!(n_coarse >= 9_980, "{n_coarse} of 10000 with 60 samples");
    assert!(n_swept >= 9_999, "{n_swept} of 10000 by finer sweeps");
}

/// The public C++ implementation returns wrong poses at a q2 of exactly 0.
#[test]
fn joint_2_at_zero_leaves_the_split_between_its_neighbours_free() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(3);
    for q2 in [0.0, 1e-16, 1e-12, -1e-10, 1e-9, 2e-9, -1e-8, 1e-6] {
        for _ in 0..500 {
            let mut q = random_q(&chain, &mut rng);
            q[1] = q2;
            let solutions = solved(&chain, &q);
            let same_arm = |found: &&PandaQ| (3..7).all(|i| (found[i] - q[i]).abs() < 1e-6);
            let is_found = solutions.iter().any(|found| same_arm(&found));
            assert!(is_found, "{q:?} is not among {solutions:?}");
            // From the configuration itself, joint 1 stays in place.
            let near: &PandaQ = q.first_chunk().unwrap();
            let nearest = ik.nearest(&chain.forward(&q), near, 1).unwrap();
            let away = nearest.iter().zip(&q).map(|(a, b)| (a - b).abs());
            let away = away.fold(0.0, f64::max);
            assert!(away < 1e-3 || q2 != 0.0, "{away} rad away from {q:?}");
        }
    }
}

#[test]
fn aligned_wrists_and_joints_at_their_limits_are_recovered() {
    let chain = panda_arm();
    let mut rng = rng(4);
    let check = |q: &[f64]| {
        let solutions = solved(&chain, q);
        assert!(is_among(&solutions, q), "{q:?} is not among {solutions:?}");
    };
    check(&HOME);
    for _ in 0..500 {
        // Axes 5 and 7 parallel, and perpendicular.
        for q6 in [0.0, PI, FRAC_PI_2] {
            let mut q = random_q(&chain, &mut rng);
            q[5] = q6;
            check(&q);
        }
        for (i, limits) in chain.limits().iter().enumerate() {
            for end in [limits.lower, limits.upper] {
                let mut q = random_q(&chain, &mut rng);
                q[i] = end;
                check(&q);
            }
        }
    }
}

#[test]
fn both_elbow_branches_and_shoulder_flips_come_once_each() {
    let chain = panda_arm();
    let mut seen = std::collections::BTreeSet::new();
    let mut rng = rng(5);
    for _ in 0..2_000 {
        let q = random_q(&chain, &mut rng);
        let solutions = solved(&chain, &q);
        let rare = |q: &PandaQ| q[3] > -0.467;
        seen.extend(solutions.iter().map(|q| (rare(q), q[1] > 0.0)));
        for (i, a) in solutions.iter().enumerate() {
            assert!(!is_among(&solutions[..i], a), "{a:?} comes twice");
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn no_solution_of_a_sweep_is_nearer_than_the_nearest() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let base_from_tool = pose([0.45, 0.1, 0.3], [1.0, 0.1, 0.0, 0.05]);
    let all = all(ik, &base_from_tool);
    assert!(all.len() > 20, "{} solutions", all.len());
    let away = |q: &PandaQ| -> f64 { q.iter().zip(&HOME).map(|(a, b)| (a - b).powi(2)).sum() };
    let nearest = ik.find_nearest(&base_from_tool, &HOME).unwrap();
    assert!(away(&nearest) <= all.iter().map(away).fold(f64::INFINITY, f64::min));
}

/// The C++ implementation of the paper and `frankik` also solve 526 of these 650 top-down poses on
/// a grid of 5 cm.
#[test]
fn the_arm_reaches_526_of_650_top_down_poses() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
    let reached = (0..650).filter(|i| {
        let [x, y] = [
            0.2 + 0.05 * f64::from(i / 50),
            -0.6 + 0.05 * f64::from(i / 2 % 25),
        ];
        let z = if i % 2 == 0 { 0.02 } else { 0.2 };
        let pose = Isometry3::from_parts(Vector3::new(x, y, z).into(), down);
        !all(ik, &pose).is_empty()
    });
    assert_eq!(reached.count(), 526, "of 650 poses");
}

#[test]
fn only_pandas_are_recognised_wherever_they_stand_and_whatever_they_hold() {
    let is_panda = |chain: Chain| chain.panda_ik().is_some();
    for tip in ["panda_link7", "panda_hand", "panda_tool"] {
        let chain = panda().chain("panda_link0", tip).unwrap();
        assert!(is_panda(chain), "{tip}");
    }
    let not_whole = panda().chain("panda_link1", "panda_tool").unwrap();
    assert!(!is_panda(not_whole), "six joints of seven");
    let with_finger = panda().chain("panda_link0", "panda_leftfinger").unwrap();
    assert!(!is_panda(with_finger), "a finger is a joint too many");
    assert!(!is_panda(ur5e().chain("base", "flange").unwrap()));
    assert!(!is_panda(bent().chain("pedestal", "tip").unwrap()));
}

/// The arm is mounted at a slant, and its tool is bent.
#[test]
fn a_mounted_panda_with_another_tool_is_solved_too() {
    let folder = regrasp_assets::folder().join("robots/panda");
    let urdf = std::fs::read_to_string(folder.join("panda.urdf")).unwrap();
    let mounted = |joint_1: &str| {
        let urdf = urdf.replacen(r#"<origin xyz="0 0 0.333"/>"#, joint_1, 1);
        let (head, tail) = urdf.rsplit_once("</robot>").unwrap();
        let urdf = format!(
            r#"{head}<link name="bent_tool"/>
            <joint name="bend" type="fixed"><parent link="panda_link8"/><child link="bent_tool"/>
            <origin xyz="0.03 -0.07 0.19" rpy="0.4 -0.9 1.3"/></joint></robot>{tail}"#
        );
        let search = crate::MeshSearch::default();
        let model = crate::RobotModel::from_urdf_str(&urdf, &folder, &search).unwrap();
        model.chain("panda_link0", "bent_tool").unwrap()
    };
    let chain = mounted(r#"<origin xyz="0.3 -0.2 1.1" rpy="2.5 0.3 -0.7"/>"#);
    let mut rng = rng(6);
    for _ in 0..500 {
        let q = random_q(&chain, &mut rng);
        let solutions = solved(&chain, &q);
        assert!(is_among(&solutions, &q), "{q:?} is none of {solutions:?}");
    }
}

/// The check of the wrist alone never rejects a reachable pose, and rejects most unreachable ones.
#[test]
fn a_wrist_that_counts_as_out_of_reach_has_no_solution() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(7);
    let (mut n_refused, mut n_unreachable) = (0, 0);
    for i in 0..2_000 {
        let mut base_from_tool = chain.forward(&random_q(&chain, &mut rng));
        assert!(!ik.wrist_is_out_of_reach(&base_from_tool, 0.0));
        // Reachable poses are moved to distances at which most are not reachable.
        let away = 0.5 + 0.001 * f64::from(i % 1_000);
        base_from_tool.translation.vector *= away / base_from_tool.translation.vector.norm();
        let is_refused = ik.wrist_is_out_of_reach(&base_from_tool, 0.0);
        let is_found = !all(ik, &base_from_tool).is_empty();
        assert!(!(is_refused && is_found), "{base_from_tool} is reached");
        n_refused += u32::from(is_refused);
        n_unreachable += u32::from(!is_found);
    }
    let is_most = 2 * n_refused > n_unreachable;
    assert!(is_most, "only {n_refused} of {n_unreachable} refused");
}

#[test]
fn what_is_out_of_reach_or_no_number_has_no_solution() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let far = Isometry3::translation(1.2, 0.3, 0.4);
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    for base_from_tool in [far, nowhere] {
        assert_eq!(all(ik, &base_from_tool), [] as [PandaQ; 0]);
    }
    for q7 in [f64::NAN, 2.9, -2.9] {
        let solutions = solve(ik, &chain.forward(&HOME), q7);
        assert!(solutions.is_empty(), "joint 7 cannot be at {q7}");
    }
    let mut all = vec![HOME];
    ik.all(&far, 0, &mut all);
    assert!(all.is_empty());
}
