//! Planners that answer badly at first.

use regrasp_faults::{Fault, PlannerTrouble};

use crate::recovery::Draw;
use crate::recovery::classes::class::{Class, PASSING, PICK, PLATE, STACK, UNSTACK};

pub(super) fn of_answers() -> Vec<Class> {
    const TASKS: &[(&str, &str)] = &[PICK, STACK, PLATE];
    fn spoilt(draw: &mut Draw, trouble: PlannerTrouble) -> Vec<Fault> {
        let first = Some(draw.one_of(&[1, 2]));
        vec![Fault::Planner { trouble, first }]
    }
    vec![
        Class {
            name: "planner: garbage at first",
            tasks: TASKS,
            signs: &["unknown_skill"],
            faults: |draw| spoilt(draw, PlannerTrouble::Garbage),
            ..PASSING
        },
        Class {
            name: "planner: nothing at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::Nothing),
            ..PASSING
        },
        Class {
            name: "planner: the same at first",
            tasks: &[UNSTACK],
            signs: &["object_covered"],
            faults: |_| {
                vec![Fault::Planner {
                    trouble: PlannerTrouble::Same,
                    first: Some(1),
                }]
            },
            ..PASSING
        },
        Class {
            name: "planner: too much at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::TooMuch),
            ..PASSING
        },
        Class {
            name: "planner: too late at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::TooLate),
            ..PASSING
        },
        Class {
            name: "planner: an error at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::Error),
            ..PASSING
        },
        Class {
            name: "planner: done at first",
            tasks: TASKS,
            signs: &["goal_not_met"],
            faults: |draw| spoilt(draw, PlannerTrouble::Done),
            ..PASSING
        },
    ]
}
