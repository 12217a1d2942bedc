//! The classes of faults: where they strike, and what should come of it.

mod lasting;
mod passing;

use regrasp_api::FinalReason;
use regrasp_faults::Fault;

use super::{ClassInfo, Draw};

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

/// All classes: first those from which the agent should recover.
pub fn classes() -> Vec<Class> {
    let mut all = passing::classes();
    all.extend(lasting::classes());
    all
}

/// A class without a fault: the scene itself is the trouble.
fn as_it_stands(_: &mut Draw) -> Vec<Fault> {
    vec![]
}

const PICK: (&str, &str) = ("pick_cube", "red_cube");
const PICK_SCRAMBLED: (&str, &str) = ("pick_cube_scrambled", "red_cube");
const PICK_OF_THREE: (&str, &str) = ("pick_from_three", "green_cube");
const STACK: (&str, &str) = ("stack_two", "red_cube");
const PLATE: (&str, &str) = ("recovery/two_cubes", "red_cube");
const UNSTACK: (&str, &str) = ("unstack_to_plate", "red_cube");
const HOLD: (&str, &str) = ("maniskill/pick_cube", "cube");
