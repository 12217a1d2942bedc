//! Planners that never answer well, stores that take no more, physics that break.

use regrasp_api::{FinalReason, ObjectId};
use regrasp_faults::{Fault, PlannerTrouble, StoreTrouble};

use crate::recovery::Draw;
use crate::recovery::classes::class::{Class, LASTING, PICK, PLATE, STACK, UNSTACK};

pub(super) fn of_answers() -> Vec<Class> {
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
            ..LASTING
        },
        Class {
            name: "planner: nothing",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::Nothing),
            ..LASTING
        },
        Class {
            name: "planner: the same",
            tasks: &[UNSTACK],
            signs: &["object_covered"],
            ends: &[FinalReason::ReplanExhausted],
            faults: |_| always(PlannerTrouble::Same),
            ..LASTING
        },
        Class {
            name: "planner: too much",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::TooMuch),
            ..LASTING
        },
        Class {
            name: "planner: too late",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::Timeout],
            faults: |_| always(PlannerTrouble::TooLate),
            ..LASTING
        },
        Class {
            name: "planner: an error",
            tasks: TASKS,
            signs: &["plan_failed"],
            ends: &[FinalReason::VlmTransport],
            faults: |_| always(PlannerTrouble::Error),
            ..LASTING
        },
        Class {
            name: "planner: done",
            tasks: TASKS,
            signs: &["goal_not_met"],
            ends: &[FinalReason::GoalNotMet, FinalReason::NoPlan],
            faults: |_| always(PlannerTrouble::Done),
            ..LASTING
        },
    ]
}

pub(super) fn of_machinery() -> Vec<Class> {
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
            ..LASTING
        },
        Class {
            name: "store locked",
            tasks: &[PICK, STACK],
            ends: &[FinalReason::StoreUnavailable],
            faults: |draw| store(draw, StoreTrouble::Locked),
            keeps: true,
            ..LASTING
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
            ..LASTING
        },
    ]
}
