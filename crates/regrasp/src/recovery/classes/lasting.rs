//! Faults about which nothing can be done: right is to say so, and why.

use regrasp_api::{FinalReason, ObjectId, Reason};
use regrasp_planner::PlannerTrouble;

use super::{Class, PICK, PICK_OF_THREE, PICK_SCRAMBLED, PLATE, STACK, UNSTACK, as_it_stands};
use crate::recovery::Draw;
use crate::{Fault, StoreTrouble};

const NONE: Class = Class {
    name: "",
    tasks: &[],
    recoverable: false,
    signs: &[],
    ends: &[FinalReason::Infeasible],
    faults: as_it_stands,
    keeps: false,
};

pub(super) fn classes() -> Vec<Class> {
    let mut all = of_the_scene();
    all.extend(of_objects());
    all.extend(of_the_robot());
    all.extend(of_answers());
    all.extend(of_machinery());
    all
}

fn of_the_scene() -> Vec<Class> {
    vec![
        Class {
            name: "out of reach",
            tasks: &[("recovery/unreachable", "red_cube")],
            signs: &["unreachable"],
            ..NONE
        },
        Class {
            name: "too wide",
            tasks: &[("recovery/too_wide", "crate")],
            signs: &["no_grasp_found"],
            ..NONE
        },
        Class {
            name: "fixed",
            tasks: &[("recovery/fixed", "post")],
            signs: &["no_grasp_found"],
            ..NONE
        },
        Class {
            name: "unknown object",
            tasks: &[("recovery/unknown", "teapot")],
            signs: &["object_not_found"],
            ..NONE
        },
        Class {
            name: "covered for good",
            tasks: &[("recovery/covered_for_good", "red_cube")],
            signs: &["object_covered"],
            ..NONE
        },
        Class {
            name: "occupied for good",
            tasks: &[("recovery/occupied_for_good", "red_cube")],
            signs: &["target_occupied"],
            ..NONE
        },
        Class {
            name: "outside of the cell",
            tasks: &[("recovery/out_of_cell", "red_cube")],
            signs: &["object_out_of_workspace"],
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
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
            ..NONE
        },
    ]
}

fn of_answers() -> Vec<Class> {
    const TASKS: &[(&str, &str)] = &[PICK, STACK, PLATE];
    fn always(trouble: PlannerTrouble) -> Vec<Fault> {
        vec![Fault::Planner {
            trouble,
            first: None,
        }]
    }
    vec![
        Class {
            name: "planner: garbage",
            tasks: TASKS,
            signs: &["unknown_skill"],
            ends: &[FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::Garbage),
            ..NONE
        },
        Class {
            name: "planner: nothing",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::Nothing),
            ..NONE
        },
        Class {
            name: "planner: the same",
            tasks: &[UNSTACK],
            signs: &["object_covered"],
            ends: &[FinalReason::ReplanExhausted],
            faults: |_| always(PlannerTrouble::Same),
            ..NONE
        },
        Class {
            name: "planner: too much",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::TooMuch),
            ..NONE
        },
        Class {
            name: "planner: too late",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::VlmTransport],
            faults: |_| always(PlannerTrouble::TooLate),
            ..NONE
        },
        Class {
            name: "planner: an error",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::VlmTransport],
            faults: |_| always(PlannerTrouble::Error),
            ..NONE
        },
        Class {
            name: "planner: done",
            tasks: TASKS,
            signs: &["goal_not_met"],
            ends: &[FinalReason::GoalNotMet, FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::Done),
            ..NONE
        },
    ]
}

fn of_machinery() -> Vec<Class> {
    fn store(draw: &mut Draw, trouble: StoreTrouble) -> Vec<Fault> {
        vec![Fault::Store {
            trouble,
            after_saves: draw.one_of(&[0, 1]),
        }]
    }
    vec![
        Class {
            name: "store full",
            tasks: &[PICK, STACK],
            ends: &[FinalReason::StoreUnavailable],
            faults: |draw| store(draw, StoreTrouble::Full),
            keeps: true,
            ..NONE
        },
        Class {
            name: "store locked",
            tasks: &[PICK, STACK],
            ends: &[FinalReason::StoreUnavailable],
            faults: |draw| store(draw, StoreTrouble::Locked),
            keeps: true,
            ..NONE
        },
        Class {
            name: "physics break",
            tasks: &[PICK, STACK],
            signs: &["sim_diverged"],
            ends: &[FinalReason::SimDiverged],
            faults: |draw| {
                vec![Fault::Diverges {
                    object: ObjectId::new("red_cube"),
                    at_secs: draw.between(0.1, 1.5),
                }]
            },
            ..NONE
        },
    ]
}
