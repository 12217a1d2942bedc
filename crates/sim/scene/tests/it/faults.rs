//! Faults in scene and task files.

use std::path::PathBuf;

use crate::common::told;
use regrasp_api::Reason;
use regrasp_faults::{Fault, PlannerTrouble};
use regrasp_scene::{builtin_robot, load_scene, load_task};
use tempfile::TempDir;

const SCENE: &str = "\
name: s
objects:
  - {id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0]}
  - {id: cube, kind: cube, size: 0.04, mass_kg: 0.1, on: table, xy: [0.4, 0.0]}
  - {id: other, kind: ball, radius: 0.02, mass_kg: 0.1, on: table, xy: [0.4, 0.2]}
faults:
  - gripper_stuck
  - nudged: {object: cube, distance_m: 0.05}
  - joint_slow:
      joint: panda_joint2
      max_speed: 0.1
      for_secs: 0.5
";

const TASK: &str = "\
name: t
prompt: pick up the cube
scene: s.yaml
faults:
  - skill_fails: {skill: pick, probability: 0.25, reason: grasp_missed}
  - planner: {trouble: too_late, first: 2}
success:
  lifted: {object: cube, min_height_m: 0.05}
";

/// A folder with both files.
fn files() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [scene, task] = ["s.yaml", "t.yaml"].map(|name| folder.path().join(name));
    std::fs::write(&scene, SCENE).unwrap();
    std::fs::write(&task, TASK).unwrap();
    (folder, scene, task)
}

#[test]
fn a_task_has_the_faults_of_its_scene_and_then_its_own() {
    let (_folder, scene, task) = files();
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
    assert_eq!(load_scene(scene, &robot).unwrap().faults, of_scene);
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
fn what_is_wrong_with_a_fault_is_told_with_its_line_and_the_nearest_name() {
    let robot = builtin_robot().unwrap();
    let load = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.yaml");
        std::fs::write(&path, text).unwrap();
        load_scene(&path, &robot).map(drop)
    };
    told(
        SCENE,
        r"
            gripper_stuck          | griper_stuck    | 7  | unknown kind of fault `griper_stuck`; did you mean `gripper_stuck`?
            object: cube           | object: cub     | 8  | unknown object `cub`; did you mean `cube`?
            distance_m             | distanc_m       | 8  | unknown key `distanc_m` in a fault of the kind nudged; did you mean `distance_m`?
            panda_joint2           | panda_joint8    | 10 | unknown joint of the arm `panda_joint8`; did you mean `panda_joint
            for_secs: 0.5          | for_secs: -1    | 12 | `for_secs` is -1, but must be
                  max_speed: 0.1\n      for | for | 10 | a fault of the kind joint_slow lacks the key `max_speed`
    ",
        load,
    );
    let load = |text: &str| {
        let (folder, ..) = files();
        let path = folder.path().join("t.yaml");
        std::fs::write(&path, text).unwrap();
        load_task(&path, &robot).map(drop)
    };
    told(
        TASK,
        r"
            probability: 0.25      | probability: 25 | 5  | must be a number from 0 to 1
            grasp_missed           | grasp_mised     | 5  | did you mean `grasp_missed`?
            too_late               | too_lat         | 6  | unknown trouble `too_lat`; did you mean `too_late`?
            first: 2               | first: two      | 6  | `first` must be
    ",
        load,
    );
}
