//! A robot that is no simulation: it moves in its own time, and is stopped before anything else.

use serde::Serialize;

/// Answers whether the motion that is described may begin. It may take its time.
pub type Consent = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// What a session needs of a robot that is no simulation, from any thread.
pub trait Hardware: Send + Sync {
    /// How it is now. Returns at once.
    fn state(&self) -> RobotState;

    /// Stops it and keeps it standing. Returns at once.
    fn stop(&self);

    /// Lets motions begin again, since a new order was given. Nothing moves by this.
    fn release(&self);

    /// Whom to ask before the first motion.
    fn ask(&self, consent: Consent);
}

/// A real robot as it says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RobotState {
    /// Which robot.
    pub name: String,
    /// What it is doing, in its own word: `idle`, `moving`, `reflex`.
    pub mode: String,
    /// What is wrong with it, by its maker's names.
    pub errors: Vec<String>,
    /// True if it is heard of. If not, the rest is what it said last.
    pub heard: bool,
    /// True if it is kept standing by a stop.
    pub stopped: bool,
}
