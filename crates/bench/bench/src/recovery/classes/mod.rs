//! The classes of faults: where they strike, and what should come of it.

mod class;
mod lasting;
mod passing;

pub use class::Class;

/// All classes: first those from which the agent should recover.
pub fn classes() -> Vec<Class> {
    let mut all = passing::classes();
    all.extend(lasting::classes());
    all
}
