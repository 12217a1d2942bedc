//! Tests of the Panda's closed form: it recovers random configurations, and every solution is
//! right.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Isometry3;

use super::{DEFAULT_SAMPLES, PandaQ, Solutions};
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

fn is_among(solutions: &[PandaQ], q: &[f64]) -> bool {
    solutions
        .iter()
        .any(|found| found.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-5))
}

#[test]
fn the_generating_configuration_is_among_the_solutions_and_none_is_wrong() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(1);
    let mut solutions = Solutions::default();
    let (mut n_recovered, mut n_rare) = (0, 0);
    for _ in 0..10_000 {
        let q = random_q(&chain, &mut rng);
        let base_from_tool = chain.forward(&q);
        ik.solve(&base_from_tool, q[6], &mut solutions);
        for found in solutions.iter() {
            assert_is_solution(&chain, &base_from_tool, found);
        }
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
    let mut all = Vec::new();
    let (mut n_coarse, mut n_swept, mut n_solved) = (0, 0, 0);
    for _ in 0..10_000 {
        let base_from_tool = chain.forward(&random_q(&chain, &mut rng));
        n_coarse += usize::from(ik.first(&base_from_tool, DEFAULT_SAMPLES).is_some());
        ik.all(&base_from_tool, DEFAULT_SAMPLES, &mut all);
        for q in &all {
            assert_is_solution(&chain, &base_from_tool, q);
        }
        n_swept += usize::from(!all.is_empty());
        let found = ik.find(&base_from_tool);
        n_solved += usize::from(found.is_some());
        if let Some(q) = found {
            assert_is_solution(&chain, &base_from_tool, &q);
        }
    }
    assert!(n_coarse >= 9_980, "{n_coarse} of 10000 with 60 samples");
    assert!(n_swept >= 9_999, "{n_swept} of 10000 by a sweep");
    assert!(n_solved >= 9_999, "{n_solved} of 10000 with finer ones");
}

/// The public C++ implementation returns wrong poses at a q2 of exactly 0.
#[test]
fn joint_2_at_zero_leaves_the_split_between_its_neighbours_free() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(3);
    let mut solutions = Solutions::default();
    for q2 in [0.0, 1e-16, 1e-12, -1e-10, 1e-9, 2e-9, -1e-8, 1e-6] {
        for _ in 0..500 {
            let mut q = random_q(&chain, &mut rng);
            q[1] = q2;
            let base_from_tool = chain.forward(&q);
            ik.solve(&base_from_tool, q[6], &mut solutions);
            let same_arm = |found: &&PandaQ| (3..7).all(|i| (found[i] - q[i]).abs() < 1e-6);
            let is_found = solutions.iter().any(|found| same_arm(&found));
            assert!(is_found, "{q:?} is not among {solutions:?}");
            for found in solutions.iter() {
                assert_is_solution(&chain, &base_from_tool, found);
            }
            // From the configuration itself, joint 1 stays in place.
            let near: &PandaQ = q.first_chunk().unwrap();
            let nearest = ik.nearest(&base_from_tool, near, 1).unwrap();
            let away = nearest.iter().zip(&q).map(|(a, b)| (a - b).abs());
            let away = away.fold(0.0, f64::max);
            assert!(away < 1e-3 || q2 != 0.0, "{away} rad away from {q:?}");
        }
    }
}

#[test]
fn aligned_wrists_and_joints_at_their_limits_are_recovered() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(4);
    let mut solutions = Solutions::default();
    let mut check = |q: &[f64]| {
        let base_from_tool = chain.forward(q);
        ik.solve(&base_from_tool, q[6], &mut solutions);
        assert!(is_among(&solutions, q), "{q:?} is not among {solutions:?}");
        for found in solutions.iter() {
            assert_is_solution(&chain, &base_from_tool, found);
        }
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
    let ik = chain.panda_ik().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut rng = rng(5);
    let mut solutions = Solutions::default();
    for _ in 0..2_000 {
        let q = random_q(&chain, &mut rng);
        ik.solve(&chain.forward(&q), q[6], &mut solutions);
        let rare = |q: &PandaQ| q[3] > -0.467;
        seen.extend(solutions.iter().map(|q| (rare(q), q[1] > 0.0)));
        for (i, a) in solutions.iter().enumerate() {
            assert!(!is_among(&solutions[..i], a), "{a:?} comes twice");
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn selection_does_what_it_says() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let base_from_tool = pose([0.45, 0.1, 0.3], [1.0, 0.1, 0.0, 0.05]);
    let mut all = Vec::new();
    ik.all(&base_from_tool, DEFAULT_SAMPLES, &mut all);
    assert!(all.len() > 20, "{} solutions", all.len());
    let best_of = |score: &dyn Fn(&PandaQ) -> f64| -> f64 {
        all.iter().map(score).fold(f64::NEG_INFINITY, f64::max)
    };
    let margin = |q: &PandaQ| chain.limit_margin(q);
    let dexterity = |q: &PandaQ| chain.manipulability(q);
    let nearness = |q: &PandaQ| {
        -q.iter()
            .zip(&HOME)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
    };
    let roomiest = ik.best(&base_from_tool, DEFAULT_SAMPLES, margin).unwrap();
    assert!(margin(&roomiest) >= best_of(&margin));
    let nimblest = ik.best(&base_from_tool, DEFAULT_SAMPLES, dexterity);
    let nimblest = nimblest.unwrap();
    assert!(dexterity(&nimblest) >= best_of(&dexterity));
    let nearest = ik.nearest(&base_from_tool, &HOME, DEFAULT_SAMPLES).unwrap();
    assert!(nearness(&nearest) >= best_of(&nearness));
    assert!(is_among(
        &all,
        &ik.first(&base_from_tool, DEFAULT_SAMPLES).unwrap()
    ));
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
    let ik = chain.panda_ik().unwrap();
    let mut rng = rng(6);
    let mut solutions = Solutions::default();
    for _ in 0..500 {
        let q = random_q(&chain, &mut rng);
        let base_from_tool = chain.forward(&q);
        ik.solve(&base_from_tool, q[6], &mut solutions);
        assert!(is_among(&solutions, &q), "{q:?} of {solutions:?}");
        for found in solutions.iter() {
            assert_is_solution(&chain, &base_from_tool, found);
        }
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
        // Reachable poses are moved to where most are not.
        let away = 0.5 + 0.001 * f64::from(i % 1_000);
        base_from_tool.translation.vector *= away / base_from_tool.translation.vector.norm();
        let is_refused = ik.wrist_is_out_of_reach(&base_from_tool, 0.0);
        let is_found = ik.find(&base_from_tool).is_some();
        assert!(!(is_refused && is_found), "{base_from_tool} is reached");
        n_refused += u32::from(is_refused);
        n_unreachable += u32::from(!is_found);
    }
    let is_most = 2 * n_refused > n_unreachable;
    assert!(is_most, "{n_refused} of {n_unreachable}");
}

#[test]
fn what_is_out_of_reach_or_no_number_has_no_solution() {
    let chain = panda_arm();
    let ik = chain.panda_ik().unwrap();
    let far = Isometry3::translation(1.2, 0.3, 0.4);
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    for base_from_tool in [far, nowhere] {
        assert_eq!(ik.find(&base_from_tool), None);
    }
    let mut solutions = Solutions::default();
    for q7 in [f64::NAN, 2.9, -2.9] {
        ik.solve(&chain.forward(&HOME), q7, &mut solutions);
        assert!(solutions.is_empty(), "joint 7 cannot be at {q7}");
    }
    let mut all = vec![HOME];
    ik.all(&far, 0, &mut all);
    assert!(all.is_empty());
}
