//! Faults about which nothing can be done: right is to say so, and why.

mod machinery;

use regrasp_api::Reason;
use regrasp_faults::Fault;

use super::class::{Class, LASTING, PICK, PICK_OF_THREE, PICK_SCRAMBLED, PLATE, STACK};

pub(super) fn classes() -> Vec<Class> {
    let mut all = of_the_scene();
    all.extend(of_objects());
    all.extend(of_the_robot());
    all.extend(machinery::of_answers());
    all.extend(machinery::of_machinery());
    all
}

fn of_the_scene() -> Vec<Class> {
    vec![
        Class {
            name: "out of reach",
            tasks: &[("recovery/unreachable", "red_cube")],
            signs: &["unreachable"],
            ..LASTING
        },
        Class {
            name: "too wide",
            tasks: &[("recovery/too_wide", "crate")],
            signs: &["no_grasp_found"],
            ..LASTING
        },
        Class {
            name: "fixed",
            tasks: &[("recovery/fixed", "post")],
            signs: &["no_grasp_found"],
            ..LASTING
        },
        Class {
            name: "unknown object",
            tasks: &[("recovery/unknown", "teapot")],
            signs: &["object_not_found"],
            ..LASTING
        },
        Class {
            name: "covered for good",
            tasks: &[("recovery/covered_for_good", "red_cube")],
            signs: &["object_covered"],
            ..LASTING
        },
        Class {
            name: "occupied for good",
            tasks: &[("recovery/occupied_for_good", "red_cube")],
            signs: &["target_occupied"],
            ..LASTING
        },
        Class {
            name: "outside of the cell",
            tasks: &[("recovery/out_of_cell", "red_cube")],
            signs: &["object_out_of_workspace"],
            ..LASTING
        },
    ]
}

fn of_objects() -> Vec<Class> {
    vec![
        Class {
            name: "removed",
            tasks: &[PICK, STACK, PICK_OF_THREE],
            signs: &["object_not_found", "grasp_missed"],
            faults: |draw| {
                let during_approach = draw.coin();
                let secs = draw.between(0.05, 0.8);
                vec![Fault::Removed {
                    object: draw.object(),
                    at_secs: during_approach.then_some(secs),
                }]
            },
            ..LASTING
        },
        Class {
            name: "slippery for good",
            tasks: &[PICK_SCRAMBLED, STACK, PLATE],
            signs: &["grasp_slipped", "object_dropped", "grasp_missed"],
            faults: |draw| {
                vec![Fault::SlipAtLift {
                    factor: 0.0,
                    delay_secs: draw.between(0.0, 0.4),
                    for_secs: None,
                }]
            },
            ..LASTING
        },
        Class {
            name: "not seen any more",
            tasks: &[PICK_OF_THREE, STACK, PLATE],
            signs: &["object_not_found"],
            faults: |draw| {
                vec![Fault::SightMisses {
                    object: draw.object(),
                    from_secs: draw.between(0.01, 0.8),
                    for_secs: None,
                }]
            },
            ..LASTING
        },
        Class {
            name: "always seen beside",
            tasks: &[PICK, STACK, PLATE],
            signs: &["grasp_missed", "object_moved", "path_blocked"],
            faults: |draw| {
                let [x, y] = draw.shift(0.04, 0.05);
                vec![Fault::SightIsOff {
                    object: draw.object(),
                    offset_m: [x, y, 0.0],
                    from_secs: 0.0,
                    for_secs: None,
                }]
            },
            ..LASTING
        },
    ]
}

fn of_the_robot() -> Vec<Class> {
    vec![
        Class {
            name: "gripper stuck for good",
            tasks: &[PICK, STACK, PLATE],
            signs: &["tracking_error", "grasp_missed"],
            faults: |_| vec![Fault::GripperStuck { for_secs: None }],
            ..LASTING
        },
        Class {
            name: "gripper without force",
            tasks: &[PICK, STACK, PLATE],
            signs: &[
                "grasp_slipped",
                "object_dropped",
                "grasp_missed",
                "tracking_error",
            ],
            faults: |draw| {
                vec![Fault::GripperWeak {
                    factor: draw.between(0.0, 0.001),
                    for_secs: None,
                }]
            },
            ..LASTING
        },
        Class {
            name: "joint blocked for good",
            tasks: &[PICK, STACK, PLATE],
            signs: &["tracking_error"],
            faults: |draw| {
                let joint = draw.one_of(&["panda_joint2", "panda_joint4"]).to_owned();
                vec![Fault::JointBlocked {
                    joint,
                    at_secs: draw.between(0.0, 0.5),
                    for_secs: None,
                }]
            },
            ..LASTING
        },
        Class {
            name: "drawer jammed",
            tasks: &[("open_drawer", "drawer")],
            signs: &["joint_not_moved"],
            faults: |draw| {
                vec![Fault::DrawerJams {
                    object: draw.object(),
                    at_secs: 0.0,
                    for_secs: None,
                }]
            },
            ..LASTING
        },
        Class {
            name: "skill always fails",
            tasks: &[PICK, STACK, PLATE],
            signs: &["verification_failed"],
            faults: |_| {
                vec![Fault::SkillFails {
                    skill: Some("pick".into()),
                    probability: 1.0,
                    after_work: false,
                    reason: Reason::VerificationFailed,
                }]
            },
            ..LASTING
        },
    ]
}
