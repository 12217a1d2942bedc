//! Planners that answer badly at first.

use regrasp_faults::{Fault, PlannerTrouble};

use super::NONE;
use crate::recovery::Draw;
use crate::recovery::classes::{Class, PICK, PLATE, STACK, UNSTACK};

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
            ..NONE
        },
        Class {
            name: "planner: nothing at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::Nothing),
            ..NONE
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
            ..NONE
        },
        Class {
            name: "planner: too much at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::TooMuch),
            ..NONE
        },
        Class {
            name: "planner: too late at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::TooLate),
            ..NONE
        },
        Class {
            name: "planner: an error at first",
            tasks: TASKS,
            signs: &["plan_failed"],
            faults: |draw| spoilt(draw, PlannerTrouble::Error),
            ..NONE
        },
        Class {
            name: "planner: done at first",
            tasks: TASKS,
            signs: &["goal_not_met"],
            faults: |draw| spoilt(draw, PlannerTrouble::Done),
            ..NONE
        },
    ]
}
