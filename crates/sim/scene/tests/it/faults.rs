//! Faults in scene and task files.

use crate::common::{ALONE, rejects, scene, write};
use regrasp_api::Reason;
use regrasp_faults::{Fault, PlannerTrouble};
use regrasp_scene::{builtin_robot, load_scene, load_task};

const SCENE: &str = include_str!("../data/faults_scene.yaml");

const TASK: &str = include_str!("../data/faults_task.yaml");

#[test]
fn a_task_has_the_faults_of_its_scene_and_then_its_own() {
    let (folder, task) = write("t.yaml", TASK, &[("s.yaml", SCENE)]);
    let robot = builtin_robot().unwrap();
    let of_scene = vec![
        Fault::GripperStuck { for_secs: None },
        Fault::Nudged {
            object: "cube".into(),
            distance_m: 0.05,
            at_secs: None,
        },
        Fault::JointSlow {
            joint: "panda_joint2".into(),
            max_speed: 0.1,
            at_secs: 0.0,
            for_secs: Some(0.5),
        },
    ];
    assert_eq!(
        load_scene(folder.path().join("s.yaml"), &robot)
            .unwrap()
            .faults,
        of_scene
    );
    let of_task = vec![
        Fault::SkillFails {
            skill: Some("pick".into()),
            probability: 0.25,
            after_work: false,
            reason: Reason::GraspMissed,
        },
        Fault::Planner {
            trouble: PlannerTrouble::TooLate,
            first: Some(2),
        },
    ];
    let task = load_task(task, &robot).unwrap();
    for seed in [0, 7] {
        let faults = task.instantiate(seed).unwrap().scene.faults;
        assert_eq!(faults, [of_scene.clone(), of_task.clone()].concat());
    }
}

#[test]
fn what_is_wrong_with_a_fault_is_reported_with_its_line_and_the_nearest_name() {
    rejects(
        SCENE,
        include_str!("../data/refused/faults_scene.txt"),
        |text| scene(ALONE, text).map(drop),
    );
    rejects(
        TASK,
        include_str!("../data/refused/faults_task.txt"),
        |text| {
            let (_folder, path) = write("t.yaml", text, &[("s.yaml", SCENE)]);
            load_task(path, &builtin_robot().unwrap()).map(drop)
        },
    );
}
