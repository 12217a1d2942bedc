//! Faults of an episode as data.
//!
//! This module only defines the faults; `regrasp-scene` reads them from files and command lines.

use serde::{Deserialize, Serialize};

use regrasp_api::{ObjectId, Reason};

/// A fault in an episode. Times are simulated seconds after the start of the episode; random
/// choices come from the episode's seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// The pads lose friction soon after the fingers next close on an object.
    SlipAtLift {
        /// Remaining friction, 0 to 1.
        #[serde(default)]
        factor: f64,
        /// Delay after the fingers closed, s.
        #[serde(default = "default_delay")]
        delay_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// The pads lose friction while the object is carried, some time after it rose by 8 cm.
    SlipInTransport {
        /// Carried object.
        object: ObjectId,
        /// Remaining friction, 0 to 1.
        #[serde(default)]
        factor: f64,
        /// Delay after the rise, s.
        #[serde(default = "default_delay")]
        delay_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// The object is shifted a little, in a direction that the seed decides.
    Nudged {
        /// Id of the object.
        object: ObjectId,
        /// Distance, m.
        #[serde(default = "default_nudge")]
        distance_m: f64,
        /// Time, s; when the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// The object is moved.
    Moved {
        /// Id of the object.
        object: ObjectId,
        /// Displacement along World's x and y, from the pose at the start of the episode, m.
        by_m: [f64; 2],
        /// Time, s; when the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// The object is removed permanently.
    Removed {
        /// Id of the object.
        object: ObjectId,
        /// Time, s; when the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// An object of the scene is absent at first and appears later.
    ObstacleAppears {
        /// Id of the object.
        object: ObjectId,
        /// Position in World, at the height that the scene gives it, m.
        xy: [f64; 2],
        /// Start time, s.
        at_secs: f64,
    },
    /// Perception misses the object for a while.
    SightMisses {
        /// Id of the object.
        object: ObjectId,
        /// Start time, s.
        #[serde(default)]
        from_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// Perception swaps two objects for a while.
    SightMislabels {
        /// First object.
        object: ObjectId,
        /// Second object.
        other: ObjectId,
        /// Start time, s.
        #[serde(default)]
        from_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// Perception reports the object with an offset for a while.
    SightIsOff {
        /// Id of the object.
        object: ObjectId,
        /// Offset in World, m.
        offset_m: [f64; 3],
        /// Start time, s.
        #[serde(default)]
        from_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// The fingers freeze at the next command to close.
    GripperStuck {
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// From the start, the gripper presses with a fraction of the commanded force.
    GripperWeak {
        /// Fraction, 0 to 1.
        factor: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// A joint of the arm is limited in speed.
    JointSlow {
        /// Name of the joint in the URDF.
        joint: String,
        /// Largest speed, rad/s or m/s.
        max_speed: f64,
        /// Start time, s.
        #[serde(default)]
        at_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// A joint of the arm freezes.
    JointBlocked {
        /// Name of the joint in the URDF.
        joint: String,
        /// Start time, s.
        #[serde(default)]
        at_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// A drawer, a door or another object on a joint is stuck.
    DrawerJams {
        /// Object that the joint moves.
        object: ObjectId,
        /// Start time, s.
        #[serde(default)]
        at_secs: f64,
        /// Duration, s; permanent if left out.
        for_secs: Option<f64>,
    },
    /// The physics of an object diverges.
    Diverges {
        /// Id of the object.
        object: ObjectId,
        /// Start time, s.
        #[serde(default)]
        at_secs: f64,
    },
    /// Skills fail at random, even if nothing is wrong.
    SkillFails {
        /// Name of the skill; any skill if left out.
        skill: Option<String>,
        /// Probability, 0 to 1.
        probability: f64,
        /// Set if the skill first does its work and then reports a failure.
        #[serde(default)]
        after_work: bool,
        /// Reported reason.
        #[serde(default = "default_reason")]
        reason: Reason,
    },
    /// The planner's answers are faulty.
    Planner {
        /// Kind of trouble.
        trouble: PlannerTrouble,
        /// Number of faulty answers; all if left out.
        first: Option<usize>,
    },
    /// The store of the run refuses to save.
    Store {
        /// Kind of trouble.
        trouble: StoreTrouble,
        /// Number of checkpoints and results that the store still accepts.
        #[serde(default)]
        after_saves: usize,
    },
}

/// Faults of a planner's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerTrouble {
    /// A call of an unknown skill with meaningless arguments.
    Garbage,
    /// Neither steps nor a statement that the task is done.
    Nothing,
    /// A repetition of the first answer.
    Same,
    /// Far more steps than an episode may have.
    TooMuch,
    /// No answer before the timeout.
    TooLate,
    /// The model is unreachable.
    Error,
    /// The claim that the task is done, without a step.
    Done,
}

/// Ways in which a store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreTrouble {
    /// No space is left.
    Full,
    /// Another process holds the lock.
    Locked,
}

fn default_delay() -> f64 {
    0.1
}

fn default_nudge() -> f64 {
    0.06
}

fn default_reason() -> Reason {
    Reason::VerificationFailed
}
