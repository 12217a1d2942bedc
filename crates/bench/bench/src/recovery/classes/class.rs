//! A class of faults, and the tasks on which they strike.

use regrasp_api::FinalReason;
use regrasp_faults::Fault;

use crate::recovery::{ClassInfo, Draw};

/// A class of faults.
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// Tasks on which it strikes, in turn, each with the object that it is about.
    pub tasks: &'static [(&'static str, &'static str)],
    /// Whether the task can be done in spite of it.
    pub recoverable: bool,
    /// Right first signs of it, as slugs.
    pub signs: &'static [&'static str],
    /// Right ends, if it is not recoverable; else where chance goes beyond the budgets.
    pub ends: &'static [FinalReason],
    /// What goes wrong in an episode.
    pub faults: fn(&mut Draw) -> Vec<Fault>,
    /// Whether the run is kept in a store.
    pub keeps: bool,
}

impl Class {
    /// The task for a seed, and its object.
    pub fn task(&self, seed: u64) -> (&'static str, &'static str) {
        self.tasks[seed as usize % self.tasks.len()]
    }

    /// What is expected, as data.
    pub fn info(&self) -> ClassInfo {
        ClassInfo {
            name: self.name.to_owned(),
            recoverable: self.recoverable,
            signs: self.signs.iter().map(|s| (*s).to_owned()).collect(),
            ends: self.ends.to_vec(),
        }
    }
}

/// A class without a fault: the scene itself is the trouble.
fn as_it_stands(_: &mut Draw) -> Vec<Fault> {
    vec![]
}

pub(super) const PICK: (&str, &str) = ("pick_cube", "red_cube");
pub(super) const PICK_SCRAMBLED: (&str, &str) = ("pick_cube_scrambled", "red_cube");
pub(super) const PICK_OF_THREE: (&str, &str) = ("pick_from_three", "green_cube");
pub(super) const STACK: (&str, &str) = ("stack_two", "red_cube");
pub(super) const PLATE: (&str, &str) = ("recovery/two_cubes", "red_cube");
pub(super) const UNSTACK: (&str, &str) = ("unstack_to_plate", "red_cube");
pub(super) const HOLD: (&str, &str) = ("maniskill/pick_cube", "cube");

/// Base of those in spite of which the task can be done.
pub(super) const PASSING: Class = Class {
    name: "",
    tasks: &[],
    recoverable: true,
    signs: &[],
    ends: &[],
    faults: as_it_stands,
    keeps: false,
};

/// Base of those about which nothing can be done.
pub(super) const LASTING: Class = Class {
    name: "",
    tasks: &[],
    recoverable: false,
    signs: &[],
    ends: &[FinalReason::Infeasible],
    faults: as_it_stands,
    keeps: false,
};
