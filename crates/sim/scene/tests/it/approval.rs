//! The approval policy of a robot file.

use crate::common::{ALONE, write};
use regrasp_api::{Aabb, ApprovalMode, ApprovalPolicy, RiskRules};
use regrasp_scene::{RobotFile, SceneError, builtin_robot, load_robot};
use regrasp_testkit::{rows, says};

const POLICY: &str = include_str!("../data/approval.yaml");

/// The Panda's file with a policy at its end; also the policy's first line.
fn load(policy: &str) -> (Result<RobotFile, SceneError>, usize) {
    let panda = regrasp_assets::folder().join("robots/panda");
    let urdf = format!("urdf: {}", panda.join("panda.urdf").display());
    let text = std::fs::read_to_string(panda.join("panda.yaml")).unwrap();
    let text = text.replacen("urdf: panda.urdf", &urdf, 1);
    let (_folder, path) = write("r.yaml", &format!("{text}\n{policy}"), ALONE);
    (load_robot(path), text.lines().count() + 2)
}

#[test]
fn a_robot_file_may_say_which_steps_wait_for_a_person() {
    assert_eq!(builtin_robot().unwrap().approval, ApprovalPolicy::default());
    let expected = ApprovalPolicy {
        mode: ApprovalMode::Critical,
        trust_after: Some(10),
        risks: RiskRules {
            speed_over: Some(0.9),
            person_zones_in_base_m: vec![Aabb {
                min: [0.5, 0.4, 0.0],
                max: [1.2, 1.0, 2.0],
            }],
            fragile: vec!["mug".into(), "bowl".into()],
            irreversible: vec!["place_at".into()],
        },
    };
    assert_eq!(load(POLICY).0.unwrap().approval, expected);
    let short = load("approval: {mode: always}\n").0.unwrap().approval;
    assert_eq!(short.mode, ApprovalMode::Always);
    assert_eq!(short.risks, RiskRules::default());
}

#[test]
fn the_commented_policy_of_the_panda_is_a_right_one() {
    let file = regrasp_assets::text("robots/panda/panda.yaml");
    let commented = file.lines().skip_while(|line| *line != "# approval:");
    let policy = commented.map_while(|line| line.strip_prefix("# "));
    let policy: Vec<_> = policy.collect();
    assert!(policy.len() > 5, "{policy:?}");
    let policy = load(&policy.join("\n")).0.unwrap().approval;
    assert!(policy.risks.speed_over.is_some() && policy.trust_after.is_some());
}

#[test]
fn what_is_wrong_with_a_policy_is_reported_with_its_line() {
    for [from, to, line, message] in rows(include_str!("../data/refused/approval.txt")) {
        assert!(POLICY.contains(&from), "{from}");
        let (file, first) = load(&POLICY.replacen(&from, &to, 1));
        let error = file.unwrap_err();
        let line = first + line.parse::<usize>().unwrap();
        assert_eq!(error.line(), Some(line), "{error}");
        says(&error.to_string(), &[&message]);
    }
}
