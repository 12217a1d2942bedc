//! The approval policy of a robot file.

use regrasp_api::{Aabb, ApprovalMode, ApprovalPolicy, RiskRules};
use regrasp_scene::{RobotFile, SceneError, builtin_robot, load_robot};
use regrasp_testkit::rows;

const POLICY: &str = "\
approval:
  mode: critical
  trust_after: 10
  risks:
    speed_over: 0.9
    person_zones_in_base_m:
      - {min: [0.5, 0.4, 0.0], max: [1.2, 1.0, 2.0]}
    fragile: [mug, bowl]
    irreversible: place_at
";

/// The Panda's file with a policy at its end; also the line on which that begins.
fn load(policy: &str) -> (Result<RobotFile, SceneError>, usize) {
    let panda = regrasp_assets::folder().join("robots/panda");
    let urdf = format!("urdf: {}", panda.join("panda.urdf").display());
    let text = std::fs::read_to_string(panda.join("panda.yaml")).unwrap();
    let text = text.replacen("urdf: panda.urdf", &urdf, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.yaml");
    std::fs::write(&path, format!("{text}\n{policy}")).unwrap();
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
    assert_eq!(
        (short.mode, short.risks),
        (ApprovalMode::Always, RiskRules::default())
    );
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
fn what_is_wrong_with_a_policy_is_told_with_its_line() {
    for [from, to, line, message] in rows(
        r"
            critical        | critcal          | 1 | unknown approval mode `critcal`; did you mean `critical`?
            trust_after: 10 | trust_after: 2.5 | 2 | `trust_after` is 2.5, but must be a whole
            speed_over: 0.9 | speed_over: 90   | 4 | greater than 0 and at most 1
            speed_over      | speed_above      | 4 | did you mean `speed_over`?
            max: [1.2       | max: [0.2        | 6 | greater than `min` in every direction
            [mug, bowl]     | [mug, 3]         | 7 | `fragile` must be a word
              risks:        |   risk:          | 3 | did you mean `risks`?
    ",
    ) {
        assert!(POLICY.contains(&from), "{from}");
        let (file, first) = load(&POLICY.replacen(&from, &to, 1));
        let error = file.unwrap_err();
        assert_eq!(
            error.line(),
            line.parse().ok().map(|line: usize| first + line),
            "{error}"
        );
        assert!(
            error.to_string().contains(&message),
            "{error}
does not say
{message}"
        );
    }
}
