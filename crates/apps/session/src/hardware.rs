//! Interface to a real robot. It moves in its own time, and a stop reaches it before anything else.

use serde::Serialize;

/// Asks for consent to a motion, given its description. May block until somebody answers.
pub type Consent = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Methods of a real robot that a session calls from any thread.
pub trait Hardware: Send + Sync {
    /// Present state. Returns at once.
    fn state(&self) -> RobotState;

    /// Stops the robot and keeps it standing. Returns at once.
    fn stop(&self);

    /// Permits motions again for a new order. Nothing moves by this call.
    fn release(&self);

    /// Sets the function that is asked for consent to the first motion.
    fn ask(&self, consent: Consent);
}

/// State of a real robot as it reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RobotState {
    /// Name of the robot.
    pub name: String,
    /// Mode in the robot's own terms, such as `idle`, `moving` or `stopped by reflex`.
    pub mode: String,
    /// Active errors, by the maker's names.
    pub errors: Vec<String>,
    /// True if the robot is connected. If not, the other fields are its last known state.
    pub heard: bool,
    /// True if a stop keeps the robot from moving.
    pub stopped: bool,
}
