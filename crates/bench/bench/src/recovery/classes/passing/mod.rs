//! Faults in spite of which the task can be done: they pass, or something can be done
//! about them.

mod answers;

use regrasp_api::{FinalReason, ObjectId, Reason};
use regrasp_faults::Fault;

use super::class::{
    Class, HOLD, PASSING, PICK, PICK_OF_THREE, PICK_SCRAMBLED, PLATE, STACK, UNSTACK,
};
use crate::recovery::Draw;

pub(super) fn classes() -> Vec<Class> {
    let mut all = of_the_scene();
    all.extend(of_objects());
    all.extend(of_sight());
    all.extend(of_the_robot());
    all.extend(answers::of_answers());
    all
}

fn of_the_scene() -> Vec<Class> {
    vec![
        Class {
            name: "covered",
            tasks: &[UNSTACK],
            signs: &["object_covered"],
            ..PASSING
        },
        Class {
            name: "covered twice",
            tasks: &[("recovery/covered_twice", "red_cube")],
            signs: &["object_covered"],
            ..PASSING
        },
        Class {
            name: "place occupied",
            tasks: &[("recovery/occupied", "red_cube")],
            signs: &["target_occupied"],
            ..PASSING
        },
        Class {
            name: "hemmed in",
            tasks: &[("recovery/hemmed_in", "red_cube")],
            signs: &["goal_in_collision", "no_grasp_found", "path_blocked"],
            ..PASSING
        },
    ]
}

fn of_objects() -> Vec<Class> {
    vec![
        Class {
            name: "slips at lift",
            tasks: &[PICK_SCRAMBLED, STACK, PLATE],
            signs: &["grasp_slipped", "object_dropped", "grasp_missed"],
            faults: |draw| {
                vec![Fault::SlipAtLift {
                    factor: 0.0,
                    delay_secs: draw.between(0.0, 0.4),
                    for_secs: Some(draw.between(0.3, 0.8)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "slips in transport",
            tasks: &[STACK, PLATE],
            signs: &["object_dropped", "grasp_slipped", "gripper_empty"],
            faults: |draw| {
                vec![Fault::SlipInTransport {
                    object: draw.object(),
                    factor: 0.0,
                    delay_secs: draw.between(0.1, 0.7),
                    for_secs: Some(draw.between(0.3, 0.6)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "nudged",
            tasks: &[PICK, STACK, PLATE],
            signs: &["grasp_missed", "object_moved"],
            faults: |draw| {
                vec![Fault::Nudged {
                    object: draw.object(),
                    distance_m: draw.between(0.04, 0.06),
                    at_secs: maybe(draw),
                }]
            },
            ..PASSING
        },
        Class {
            name: "moved",
            tasks: &[PICK, PLATE],
            signs: &["grasp_missed", "object_moved"],
            faults: |draw| {
                let (x, y) = (draw.between(0.0, 0.1), draw.between(-0.12, -0.06));
                vec![Fault::Moved {
                    object: draw.object(),
                    by_m: [x, y],
                    at_secs: maybe(draw),
                }]
            },
            ..PASSING
        },
        Class {
            name: "obstacle appears",
            tasks: &[("recovery/blocked_way", "red_cube")],
            signs: &["path_blocked", "goal_in_collision", "start_in_collision"],
            faults: |draw| {
                vec![Fault::ObstacleAppears {
                    object: ObjectId::new("grey_block"),
                    xy: [draw.between(0.36, 0.46), draw.between(0.0, 0.06)],
                    at_secs: draw.between(1.5, 4.5),
                }]
            },
            ..PASSING
        },
    ]
}

fn of_sight() -> Vec<Class> {
    vec![
        Class {
            name: "not seen for a while",
            tasks: &[PICK_OF_THREE, STACK, PLATE, HOLD],
            signs: &["object_not_found"],
            faults: |draw| {
                vec![Fault::SightMisses {
                    object: draw.object(),
                    from_secs: draw.between(0.05, 2.5),
                    for_secs: Some(draw.between(0.1, 1.2)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "mislabelled for a while",
            tasks: &[PLATE],
            signs: &["wrong_object_grasped", "object_moved", "object_not_found"],
            faults: |draw| {
                vec![Fault::SightMislabels {
                    object: draw.object(),
                    other: ObjectId::new("green_cube"),
                    from_secs: 0.0,
                    for_secs: Some(draw.between(0.3, 2.5)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "seen beside for a while",
            tasks: &[PICK, STACK, PLATE],
            signs: &["grasp_missed", "object_moved", "path_blocked"],
            faults: |draw| {
                let [x, y] = draw.shift(0.015, 0.03);
                vec![Fault::SightIsOff {
                    object: draw.object(),
                    offset_m: [x, y, 0.0],
                    from_secs: 0.0,
                    for_secs: Some(draw.between(0.5, 2.0)),
                }]
            },
            ..PASSING
        },
    ]
}

/// A time during the approach, or `None`: as the fingers close.
fn maybe(draw: &mut Draw) -> Option<f64> {
    let during_approach = draw.coin();
    let secs = draw.between(0.1, 0.6);
    during_approach.then_some(secs)
}

fn of_the_robot() -> Vec<Class> {
    vec![
        Class {
            name: "gripper stuck for a while",
            tasks: &[PICK_SCRAMBLED, STACK, PLATE],
            signs: &["tracking_error", "grasp_missed"],
            faults: |draw| {
                vec![Fault::GripperStuck {
                    for_secs: Some(draw.between(0.3, 1.0)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "gripper weak",
            tasks: &[PICK_SCRAMBLED, STACK, PLATE],
            signs: &[
                "grasp_slipped",
                "object_dropped",
                "grasp_missed",
                "tracking_error",
            ],
            faults: |draw| {
                vec![Fault::GripperWeak {
                    factor: draw.between(0.007, 0.011),
                    for_secs: None,
                }]
            },
            ..PASSING
        },
        Class {
            name: "joint slow for a while",
            tasks: &[PICK, STACK, PLATE, HOLD],
            signs: &["tracking_error"],
            faults: |draw| {
                vec![Fault::JointSlow {
                    joint: joint(draw),
                    max_speed: draw.between(0.02, 0.1),
                    at_secs: draw.between(0.0, 1.0),
                    for_secs: Some(draw.between(0.2, 0.8)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "joint blocked for a while",
            tasks: &[PICK, STACK, PLATE, HOLD],
            signs: &["tracking_error"],
            faults: |draw| {
                vec![Fault::JointBlocked {
                    joint: joint(draw),
                    at_secs: draw.between(0.0, 1.0),
                    for_secs: Some(draw.between(0.2, 0.8)),
                }]
            },
            ..PASSING
        },
        Class {
            name: "skill fails now and then",
            tasks: &[PICK, STACK, UNSTACK, HOLD],
            signs: &["verification_failed", "object_covered"],
            // Up to two steps in five fail: now and then that is five in a row, and asking
            // for a person then is what the budget is for.
            ends: &[FinalReason::NeedsHuman],
            faults: |draw| {
                vec![Fault::SkillFails {
                    skill: None,
                    probability: draw.between(0.2, 0.4),
                    after_work: true,
                    reason: Reason::VerificationFailed,
                }]
            },
            ..PASSING
        },
    ]
}

fn joint(draw: &mut Draw) -> String {
    // The others hardly turn in some of these motions.
    draw.one_of(&["panda_joint2", "panda_joint4", "panda_joint6"])
        .to_owned()
}
